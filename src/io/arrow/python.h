/* python: the Python interpreters that may have the pyarrow package, in the order in which they are tried. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* $EPSBENCH_PYTHON; the active virtual environment; .cache/pyarrow of the source tree, where scripts/setup installs
 * pyarrow; the virtual environment of EB_PYTHON_ADVICE; python3 on PATH. */
enum { EB_PYTHONS = 5 };

/* Writes the path or the name of interpreter k, as execlp takes it. False: there is no such file, or no such variable
 * in the environment. The file may still fail to start, and its Python may lack pyarrow. */
bool eb_python_path(size_t k, char *path, size_t size);

/* Works on systems whose own Python refuses packages from pip (PEP 668). */
#define EB_PYTHON_ADVICE                                                                                               \
    "needs python3 with the pyarrow package: python3 -m venv ~/.local/share/epsbench/venv && "                         \
    "~/.local/share/epsbench/venv/bin/pip install pyarrow"
