/* function: calls a person's C function on a GPU. NVRTC compiles it to PTX, which a child process loads with the driver
 * in a context of its own. So the function can neither harm the caller's context nor outlive the child, which the
 * caller kills if it takes too long. The driver is opened at run time; building needs no CUDA headers.
 */
#pragma once

#include <stddef.h>

#include "core/base/status.h"

/* *ptx: code for any GPU, heap, with a kernel that computes `values` values of the expression `call` of an unsigned k.
 * *log: NVRTC's messages "PATH(LINE): error: TEXT", heap; NULL: none. EB_BAD_VALUE if NVRTC rejects the text,
 * EB_NO_ENGINE without NVRTC. */
eb_code eb_function_compile(const char *text, const char *path, const char *call, size_t values, char **ptx, char **log,
                            eb_status *status);

/* The program calls eb_function_main with its arguments if the first is EB_FUNCTION_ARGUMENT; two follow: the device's
 * number and the number of values. It loads the file "function.ptx" of the current folder, stores 0 as the first
 * number of the file "table", calls the kernel, and stores the values after the first number, which then is their
 * count. It returns an exit status: 0, or one of these, with the driver's message on the error stream. */
#define EB_FUNCTION_ARGUMENT "--call-function"
enum { EB_FUNCTION_NO_DRIVER = 10, EB_FUNCTION_FAULT = 11 };
int eb_function_main(int count, char **argument);
