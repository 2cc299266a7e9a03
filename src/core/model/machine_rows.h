/* machine_rows: the table of GPUs, newest first: figures of NVIDIA's data sheets and programming guide; those of the
 * H200 measured where they can be (tests/bench/gpu.md). ROW(name, title, capability, SMs, MHz, memory GB/s, L2 MB, its
 * parts, bytes a clock from L2, shared KB of an SM, of a block, threads, blocks, multiply-adds a clock and SM by mma
 * and by wgmma, measured).
 *
 * mma on Hopper: 653 TFLOPS at 1980 MHz. L2: what half an SM's 64 bytes a clock are, which is what copies through it
 * reach.
 */
ROW("h200", "NVIDIA H200", 9.0, 132, 1980, 4800, 60, 2, 5500, 228, 227, 2048, 32, 1249, 2048, 1)
ROW("h100-sxm", "NVIDIA H100 80GB HBM3", 9.0, 132, 1980, 3350, 50, 2, 5500, 228, 227, 2048, 32, 1249, 2048, 0)
ROW("h100-pcie", "NVIDIA H100 PCIe", 9.0, 114, 1755, 2000, 50, 2, 4750, 228, 227, 2048, 32, 1249, 2048, 0)
ROW("l40s", "NVIDIA L40S", 8.9, 142, 2520, 864, 96, 1, 4544, 100, 99, 1536, 24, 512, 0, 0)
ROW("rtx4090", "NVIDIA GeForce RTX 4090", 8.9, 128, 2520, 1008, 72, 1, 4096, 100, 99, 1536, 24, 256, 0, 0)
ROW("a100-sxm", "NVIDIA A100-SXM4-80GB", 8.0, 108, 1410, 2039, 40, 2, 5120, 164, 163, 2048, 32, 1024, 0, 0)
ROW("a100-pcie", "NVIDIA A100-PCIE-40GB", 8.0, 108, 1410, 1555, 40, 2, 5120, 164, 163, 2048, 32, 1024, 0, 0)
ROW("a100-pcie-80", "NVIDIA A100 80GB PCIe", 8.0, 108, 1410, 1935, 40, 2, 5120, 164, 163, 2048, 32, 1024, 0, 0)
ROW("rtx3090", "NVIDIA GeForce RTX 3090", 8.6, 82, 1695, 936, 6, 1, 2624, 100, 99, 1536, 16, 256, 0, 0)
