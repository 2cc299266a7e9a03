/* cache: compiled kernels as files, each found by the hash of all that it was made of. */
#ifndef EB_KERNELS_JIT_CACHE_H
#define EB_KERNELS_JIT_CACHE_H

#include "kernels/jit/nvrtc.h"

enum { EB_JIT_KEY = 65 }; /* 64 hexadecimal digits */

/* Of strings, each with its end. */
void eb_jit_key(const char *const *parts, size_t count, char key[EB_JIT_KEY]);

/* False: there is no place for a cache. */
bool eb_jit_cache_place(const char *key, char *buffer, size_t size);

/* False: it is not there, or not what was written under that key. */
bool eb_jit_cache_read(const char *key, eb_jit_code *out);

/* What cannot be written is not there next time. A damaged file is replaced. */
void eb_jit_cache_write(const char *key, const eb_jit_code *code);

#endif
