/* The counters, for builds with and without nvcc: what cannot be measured can still be named. */
#include "kernels/device/counters.h"

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
    {"tensor_f64_active", "tensor pipe, FP64", "ratio",
     "sm__pipe_tensor_op_dmma_cycles_active.avg.pct_of_peak_sustained_active", NULL, 0.01, 0},
    {"f64_active", "FP64 pipe", "ratio", "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active", NULL, 0.01, 0},
    {"hmma_instructions", "FP16 tensor instructions (hmma)", "count", "sm__inst_executed_pipe_tensor_op_hmma.sum", NULL,
     1, 0},
    {"gmma_instructions", "of them wgmma (gmma)", "count", "sm__inst_executed_pipe_tensor_op_gmma.sum", NULL, 1, 0},
    {"dmma_instructions", "FP64 mma instructions (dmma)", "count", "sm__inst_executed_pipe_tensor_op_dmma.sum", NULL, 1,
     0},
    {"sm_clock_hz", "SM clock", "hertz", "sm__cycles_elapsed.avg.per_second", NULL, 1, 0},
    {"gpu_time_s", "time, profiled", "seconds", "gpu__time_duration.sum", NULL, 1e-9, 0},
    /* here, last: CUPTI takes a pass more where it stands before others */
    {"occupancy", "warps of those possible", "ratio", "sm__warps_active.avg.pct_of_peak_sustained_active", NULL, 0.01,
     0},
};

size_t eb_counter_count(void) { return sizeof counters / sizeof counters[0]; }

const eb_counter *eb_counter_at(size_t index) { return &counters[index]; }
