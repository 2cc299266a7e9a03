/* machine_rows: GPUs, newest first, by NVIDIA's data sheets and programming guide; what an H200 shows is measured
 * (tests/bench/gpu.md). Each row says where its limits are from (machine.h, eb_source).
 *
 * ROW(name, title, capability, SMs, MHz, MHz of tensor cores, GB/s of the data sheet, GB/s, L2 MB, parts of L2, bytes a
 * clock from L2, shared KB of an SM, of a block, threads, blocks, measured, rates, power, memory and links, sources).
 *
 * MHz of tensor cores: NVIDIA's white paper gives GPUs of Hopper a second highest clock while their tensor cores
 * multiply types narrower than FP64, 1830 MHz as SXM and 1620 as PCIe; an H200's counters have 1814.
 *
 * L2's bytes a clock: 5120 by the A100's white paper; other GPUs in proportion to their SMs, 32 to 42 each: a guess. An
 * H200's kernels have been seen to take 5598 (fasted[paper,-block-tile] at d = 4096), the most of any.
 *
 * Links one way: to the host 55 GB/s by PCIe 5.0 x16, measured on an H200 (the data sheets have 64); 27 by PCIe 4.0, in
 * proportion, a guess. Between GPUs of a host half of what the data sheets give NVLink for both ways; cards are taken
 * to have no bridge and to pass their bytes by PCIe.
 *
 * DRAM of the H200: 4800 GB/s by the data sheet, which counters relate to; a copy takes 4220. The B200's clock is that
 * of its data sheet's 2250 TFLOPS.
 */

/* Multiply-adds a clock and SM in FP64, TF32, FP16, FP8, INT8, by data sheets but for mma.sync on Hopper, measured on
 * an H200: FP64 66 TFLOPS at 1980 MHz, and at the 1814 MHz of tensor cores TF32 326, FP16 653, FP8 420 (two FP16
 * instructions and an addition), INT8 1295. A B200's mma.sync is taken as an A100's, as long as nobody has published
 * its rate. GeForce GPUs have half of the rate for sums of 32 bits. */
#define AMPERE .mma = {64, 512, 1024, 0, 2048}
#define ADA .mma = {2, 256, 512, 1024, 1024}
#define GEFORCE_ADA .mma = {2, 128, 256, 512, 1024}
#define GEFORCE_AMPERE .mma = {2, 128, 256, 0, 1024}
#define HOPPER .mma = {126, 681, 1363, 877, 2704}, .wgmma = {0, 1024, 2048, 4096, 4096}
#define BLACKWELL .mma = {64, 512, 1024, 1024, 2048}, .wgmma = {0, 2048, 4096, 8192, 8192}

/* What takes power (power.h). H200: fitted together, by least squares, to the 76 runs of tests/bench/counters_h200.tsv
 * at d = 64, 128, 784 and 4096 (clocks and times), to `fasted` and `fasted[paper]` kept busy for long and to 831 TFLOPS
 * of wgmma alone (tests/bench/gpu.md); the 32 runs at other d check them. FP8 and INT8 follow from 1696 TFLOPS and 1801
 * TOPS that wgmma keeps up for long; TF32 is taken as twice FP16. An H100 SXM has the same cores and power. */
#define SXM_700_W                                                                                                      \
    .power = {.limit_w = 700,                                                                                          \
              .idle_w = 43,                                                                                            \
              .sm_nj = 1.84,                                                                                           \
              .product_pj = {0.49, 0.97, 0.487, 0.223, 0.173},                                                         \
              .l2_pj = 18.9,                                                                                           \
              .dram_pj = 59.5,                                                                                         \
              .rested = 0.237,                                                                                         \
              .rested_s = 0.053}

/* The paper's A100: 250 W, at which FASTED ran at 1.12 GHz (Table 6, d = 4096). The H200's energies, all by the factor
 * that gives this clock. */
#define OF_H200(energy) ((energy) * 0.726)
#define PCIE_250_W                                                                                                     \
    .power = {.limit_w = 250,                                                                                          \
              .idle_w = OF_H200(43),                                                                                   \
              .sm_nj = OF_H200(1.84),                                                                                  \
              .product_pj = {OF_H200(0.49), OF_H200(0.97), OF_H200(0.487), 0, OF_H200(0.173)},                         \
              .l2_pj = OF_H200(18.9),                                                                                  \
              .dram_pj = OF_H200(59.5)}
#define UNKNOWN_POWER .power = {.limit_w = 0}

/* Memory in GB; GB/s to the host; to another GPU. */
#define SXM_LINKS(gb, host_gb_s, peer_gb_s)                                                                            \
    .capacity_bytes = (gb) * 1e9, .host_bytes_s = (host_gb_s) * 1e9, .peer_bytes_s = (peer_gb_s) * 1e9
#define CARD_LINKS(gb, host_gb_s) SXM_LINKS(gb, host_gb_s, host_gb_s)

#define SHEET(power_)                                                                                                  \
    LIMITS_FROM(EB_DATA_SHEET, EB_DATA_SHEET, EB_GUESSED, EB_DATA_SHEET, EB_DATA_SHEET, power_, EB_GUESSED, EB_GUESSED)

ROW("b200", "NVIDIA B200", 10.0, 148, 1856, 1856, 8000, 8000, 126, 2, 6200, 228, 227, 2048, 32, 0, BLACKWELL,
    UNKNOWN_POWER, SXM_LINKS(180, 55, 900),
    LIMITS_FROM(EB_DATA_SHEET, EB_DATA_SHEET, EB_GUESSED, EB_GUESSED, EB_DATA_SHEET, EB_UNKNOWN, EB_OTHER_GPU,
                EB_DATA_SHEET))
ROW("h200", "NVIDIA H200", 9.0, 132, 1980, 1814, 4800, 4220, 60, 2, 5600, 228, 227, 2048, 32, 1, HOPPER, SXM_700_W,
    SXM_LINKS(141, 55, 450),
    LIMITS_FROM(EB_MEASURED, EB_MEASURED, EB_MEASURED, EB_MEASURED, EB_DATA_SHEET, EB_FITTED, EB_MEASURED,
                EB_DATA_SHEET))
ROW("h100-sxm", "NVIDIA H100 80GB HBM3", 9.0, 132, 1980, 1830, 3350, 3350, 50, 2, 5600, 228, 227, 2048, 32, 0, HOPPER,
    SXM_700_W, SXM_LINKS(80, 55, 450),
    LIMITS_FROM(EB_DATA_SHEET, EB_DATA_SHEET, EB_OTHER_GPU, EB_OTHER_GPU, EB_DATA_SHEET, EB_OTHER_GPU, EB_OTHER_GPU,
                EB_DATA_SHEET))
ROW("h100-pcie", "NVIDIA H100 PCIe", 9.0, 114, 1755, 1620, 2000, 2000, 50, 2, 4750, 228, 227, 2048, 32, 0, HOPPER,
    UNKNOWN_POWER, CARD_LINKS(80, 55),
    LIMITS_FROM(EB_DATA_SHEET, EB_DATA_SHEET, EB_GUESSED, EB_OTHER_GPU, EB_DATA_SHEET, EB_UNKNOWN, EB_OTHER_GPU,
                EB_GUESSED))
ROW("l40s", "NVIDIA L40S", 8.9, 142, 2520, 2520, 864, 864, 96, 1, 4544, 100, 99, 1536, 24, 0, ADA, UNKNOWN_POWER,
    CARD_LINKS(48, 27), SHEET(EB_UNKNOWN))
ROW("rtx4090", "NVIDIA GeForce RTX 4090", 8.9, 128, 2520, 2520, 1008, 1008, 72, 1, 4096, 100, 99, 1536, 24, 0,
    GEFORCE_ADA, UNKNOWN_POWER, CARD_LINKS(24, 27), SHEET(EB_UNKNOWN))
ROW("a100-sxm", "NVIDIA A100-SXM4-80GB", 8.0, 108, 1410, 1410, 2039, 2039, 40, 2, 5120, 164, 163, 2048, 32, 0, AMPERE,
    UNKNOWN_POWER, SXM_LINKS(80, 27, 300),
    LIMITS_FROM(EB_DATA_SHEET, EB_DATA_SHEET, EB_DATA_SHEET, EB_DATA_SHEET, EB_DATA_SHEET, EB_UNKNOWN, EB_GUESSED,
                EB_DATA_SHEET))
ROW("a100-pcie", "NVIDIA A100-PCIE-40GB", 8.0, 108, 1410, 1410, 1555, 1555, 40, 2, 5120, 164, 163, 2048, 32, 0, AMPERE,
    PCIE_250_W, CARD_LINKS(40, 27),
    LIMITS_FROM(EB_DATA_SHEET, EB_DATA_SHEET, EB_DATA_SHEET, EB_DATA_SHEET, EB_DATA_SHEET, EB_PAPER, EB_GUESSED,
                EB_GUESSED))
ROW("a100-pcie-80", "NVIDIA A100 80GB PCIe", 8.0, 108, 1410, 1410, 1935, 1935, 40, 2, 5120, 164, 163, 2048, 32, 0,
    AMPERE, UNKNOWN_POWER, CARD_LINKS(80, 27),
    LIMITS_FROM(EB_DATA_SHEET, EB_DATA_SHEET, EB_DATA_SHEET, EB_DATA_SHEET, EB_DATA_SHEET, EB_UNKNOWN, EB_GUESSED,
                EB_GUESSED))
ROW("rtx3090", "NVIDIA GeForce RTX 3090", 8.6, 82, 1695, 1695, 936, 936, 6, 1, 2624, 100, 99, 1536, 16, 0,
    GEFORCE_AMPERE, UNKNOWN_POWER, CARD_LINKS(24, 27), SHEET(EB_UNKNOWN))
