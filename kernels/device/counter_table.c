/* The table is part of every build, so that a build without nvcc can still name the counters. */
#include "kernels/device/counter_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const eb_counter counters[] = {
    {"dram_throughput", "DRAM throughput", "ratio", "dram__throughput.avg.pct_of_peak_sustained_elapsed", NULL, 0.01,
     0},
    {"shared_throughput", "shared-memory throughput", "ratio",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed", NULL, 0.01, 0},
    {"bank_conflicts", "bank conflicts a wavefront", "ratio", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 1, 1},
    {"ldmatrix_conflicts", "bank conflicts a wavefront, ldmatrix", "ratio",
     "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldsm.sum",
     "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum", 1, 1},
    {"shared_loads", "shared-memory loads", "count", "smsp__sass_inst_executed_op_shared_ld.sum", NULL, 1, 0},
    {"shared_load_wavefronts", "wavefronts of shared-memory loads", "count",
     "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", NULL, 1, 0},
    {"l1_hit_rate", "L1 hit rate", "ratio", "l1tex__t_sectors_lookup_hit.sum", "l1tex__t_sectors_lookup_miss.sum", 1,
     0},
    {"l2_hit_rate", "L2 hit rate", "ratio", "lts__t_sectors_lookup_hit.sum", "lts__t_sectors_lookup_miss.sum", 1, 0},
    {"l2_to_l1_bytes", "bytes from L2 to L1", "bytes", "l1tex__m_xbar2l1tex_read_bytes.sum", NULL, 1, 0},
    {"l1_to_l2_bytes", "bytes from L1 to L2", "bytes", "l1tex__m_l1tex2xbar_write_bytes.sum", NULL, 1, 0},
    {"dram_to_l2_bytes", "bytes from DRAM to L2", "bytes", "dram__bytes_read.sum", NULL, 1, 0},
    {"l2_to_dram_bytes", "bytes from L2 to DRAM", "bytes", "dram__bytes_write.sum", NULL, 1, 0},
    {"tensor_f16_active", "tensor pipe, FP16", "ratio",
     "sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active", NULL, 0.01, 0},
    {"tensor_s8_active", "tensor pipe, 8-bit integers", "ratio",
     "sm__pipe_tensor_op_imma_cycles_active.avg.pct_of_peak_sustained_active", NULL, 0.01, 0},
    {"tensor_f64_active", "tensor pipe, FP64", "ratio",
     "sm__pipe_tensor_op_dmma_cycles_active.avg.pct_of_peak_sustained_active", NULL, 0.01, 0},
    {"f64_active", "FP64 pipe", "ratio", "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active", NULL, 0.01, 0},
    {"hmma_instructions", "FP16 tensor instructions (hmma)", "count", "sm__inst_executed_pipe_tensor_op_hmma.sum", NULL,
     1, 0},
    {"gmma_instructions", "of both, wgmma (gmma)", "count", "sm__inst_executed_pipe_tensor_op_gmma.sum", NULL, 1, 0},
    {"imma_instructions", "8-bit tensor instructions (imma)", "count", "sm__inst_executed_pipe_tensor_op_imma.sum",
     NULL, 1, 0},
    {"dmma_instructions", "FP64 mma instructions (dmma)", "count", "sm__inst_executed_pipe_tensor_op_dmma.sum", NULL, 1,
     0},
    {"hfma2_instructions", "of hmma, half2 arithmetic (hfma2)", "count",
     "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum", NULL, 1, 0},
    {"hgmma_ops", "FP16 operations by wgmma", "count", "sm__ops_path_tensor_op_hgmma_src_fp16.sum", NULL, 1, 0},
    {"igmma_ops", "8-bit operations by wgmma", "count", "sm__ops_path_tensor_op_igmma_src_int8.sum", NULL, 1, 0},
    {"sm_clock_hz", "SM clock", "hertz", "sm__cycles_elapsed.avg.per_second", NULL, 1, 0},
    {"gpu_time_s", "time, profiled", "seconds", "gpu__time_duration.sum", NULL, 1e-9, 0},
    /* Keep this row last: if other rows follow it, CUPTI needs one more pass. */
    {"occupancy", "warps of those possible", "ratio", "sm__warps_active.avg.pct_of_peak_sustained_active", NULL, 0.01,
     0},
};

size_t eb_counter_count(void) { return sizeof counters / sizeof counters[0]; }

const eb_counter *eb_counter_at(size_t index) { return &counters[index]; }

static double counted(const double *values, const char *key)
{
    for (size_t k = 0; k < eb_counter_count(); k++)
        if (strcmp(counters[k].key, key) == 0)
            return values[k];
    return NAN;
}

/* True if a pipe ran instructions other than wgmma: if it ran any and there were no wgmma operations of that type, or
 * if it ran more instructions than wgmma in all. */
static int multiplied_by_mma(double instructions, double wgmma_ops, double wgmma)
{
    return instructions > 0 && (!(wgmma_ops > 0) || instructions > wgmma);
}

void eb_counters_tensor_path(const double *values, char *words, size_t size)
{
    const double half2 = counted(values, "hfma2_instructions"), wgmma = counted(values, "gmma_instructions");
    const double hmma = counted(values, "hmma_instructions") - (half2 > 0 ? half2 : 0);
    const double hgmma = counted(values, "hgmma_ops"), igmma = counted(values, "igmma_ops");
    const struct {
        int ran;
        const char *words;
    } paths[] = {{multiplied_by_mma(hmma, hgmma, wgmma), "FP16 by mma (hmma)"},
                 {hgmma > 0, "FP16 by wgmma (hgmma)"},
                 {multiplied_by_mma(counted(values, "imma_instructions"), igmma, wgmma),
                  "8-bit integers by mma (imma)"},
                 {igmma > 0, "8-bit integers by wgmma (igmma)"},
                 {counted(values, "dmma_instructions") > 0, "FP64 by mma (dmma)"}};
    size_t used = 0;
    words[0] = '\0';
    for (size_t k = 0; k < sizeof paths / sizeof paths[0]; k++)
        if (paths[k].ran && used < size)
            used += (size_t)snprintf(words + used, size - used, "%s%s", used ? ", " : "", paths[k].words);
    if (used == 0)
        (void)snprintf(words, size, "none: CUDA cores only");
}
