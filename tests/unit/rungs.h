/* rungs: options of engine tensor that together reach every type, sum, path and preparation. */
#pragma once

static const char *const rungs[] = {
    "type=f16",
    "type=f16,exponent=max",
    "type=f16,core=sm_80,centre=mean,exponent=auto",
    "type=f16,sums=f16,exponent=auto",
    "type=f16,parts=2,exponent=max,promote=64",
    "type=bf16",
    "type=bf16,parts=3",
    "type=tf32,centre=mean",
    "type=tf32,parts=2,core=sm_80",
    "type=e4m3,exponent=max",
    "type=e4m3,path=mma,exponent=max,centre=mean",
    "type=e4m3,promote=0,exponent=max",
    "type=e4m3,sums=f16,exponent=auto",
    "type=e5m2,core=sm_100,exponent=auto",
    "type=e5m2,core=sm_89,exponent=max,rotate=hadamard",
    "type=e4m3,exponent=max,debias=on",
    "type=s8",
    "type=s8,step=point,centre=mean",
    "type=s8,parts=2,rotate=hadamard",
    "type=s8,debias=on",
    "type=s8,step=point,parts=2,debias=on",
    "type=f64",
    "type=f64,centre=mean,rotate=hadamard",
};
enum { RUNGS = sizeof rungs / sizeof rungs[0] };
