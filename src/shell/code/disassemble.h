/* disassemble: SASS of a compiled kernel, by the CUDA Toolkit's nvdisasm, or its cuobjdump, which tells no lines. Both
 * are looked for in $PATH, $CUDA_HOME/bin, $CUDA_PATH/bin and /usr/local/cuda/bin at each call; nothing else needs
 * them.
 */
#pragma once

#include <stddef.h>

#include "core/base/job.h"

/* *sass: the listing, heap. EB_NO_ENGINE, saying what to install, if there is neither program; EB_IO with the program's
 * message if it fails or takes too long; EB_CANCELLED. */
eb_code eb_disassemble(const unsigned char *cubin, size_t size, char **sass, eb_job *job, eb_status *status);
