/* cuda_engines: the engines that run on a CUDA device. Only there when the build had nvcc (EB_HAVE_CUDA). */
#ifndef EB_KERNELS_CUDA_ENGINES_H
#define EB_KERNELS_CUDA_ENGINES_H

#include "core/engine/engine.h"

extern const eb_engine eb_engine_fasted_cuda;   /* fasted/engine.cu: FP16 tensor cores, FP32 sums */
extern const eb_engine eb_engine_ref64_cuda;    /* fp64/engines.cu: FP64 CUDA cores, the truth */
extern const eb_engine eb_engine_ted_cuda;      /* fp64/engines.cu: FP64 tensor cores, TED-Join's arithmetic */
extern const eb_engine eb_engine_wmma_ref_cuda; /* fp64/wmma_ref.cu: the same through plain WMMA, to be read */

#endif
