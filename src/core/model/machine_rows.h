/* machine_rows: the table of GPUs, newest first: figures of NVIDIA's data sheets and programming guide; those of the
 * H200 measured where they can be (tests/bench/gpu.md). ROW(name, title, capability, SMs, MHz, memory GB/s, L2 MB, its
 * parts, bytes a clock from L2, shared KB of an SM, of a block, threads, blocks, multiply-adds a clock and SM by mma
 * and by wgmma, and in FP64, measured).
 *
 * mma on Hopper: 653 TFLOPS at 1980 MHz, 66 in FP64. L2's bytes a clock: 5120 by the A100's white
 * paper; others by their SMs, 32 to 42 each.
 */
ROW("h200", "NVIDIA H200", 9.0, 132, 1980, 4800, 60, 2, 5500, 228, 227, 2048, 32, 1249, 2048, 126, 1)
ROW("h100-sxm", "NVIDIA H100 80GB HBM3", 9.0, 132, 1980, 3350, 50, 2, 5500, 228, 227, 2048, 32, 1249, 2048, 126, 0)
ROW("h100-pcie", "NVIDIA H100 PCIe", 9.0, 114, 1755, 2000, 50, 2, 4750, 228, 227, 2048, 32, 1249, 2048, 126, 0)
ROW("l40s", "NVIDIA L40S", 8.9, 142, 2520, 864, 96, 1, 4544, 100, 99, 1536, 24, 512, 0, 2, 0)
ROW("rtx4090", "NVIDIA GeForce RTX 4090", 8.9, 128, 2520, 1008, 72, 1, 4096, 100, 99, 1536, 24, 256, 0, 2, 0)
ROW("a100-sxm", "NVIDIA A100-SXM4-80GB", 8.0, 108, 1410, 2039, 40, 2, 5120, 164, 163, 2048, 32, 1024, 0, 64, 0)
ROW("a100-pcie", "NVIDIA A100-PCIE-40GB", 8.0, 108, 1410, 1555, 40, 2, 5120, 164, 163, 2048, 32, 1024, 0, 64, 0)
ROW("a100-pcie-80", "NVIDIA A100 80GB PCIe", 8.0, 108, 1410, 1935, 40, 2, 5120, 164, 163, 2048, 32, 1024, 0, 64, 0)
ROW("rtx3090", "NVIDIA GeForce RTX 3090", 8.6, 82, 1695, 936, 6, 1, 2624, 100, 99, 1536, 16, 256, 0, 2, 0)
