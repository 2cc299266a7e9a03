/* fragments: which lane of a warp holds which element of a matrix that a tensor core multiplies (PTX ISA, "Matrix
 * Fragments for mma", "wgmma"). Element e is the e-th element of a lane's fragment; in A and B two FP16 elements share
 * a register.
 *
 * m16n8k16, with g = lane / 4 and t = lane mod 4: A and C have rows g and g + 8, B has column g; t selects pairs of
 * neighbouring columns in A and C, and of rows in B.
 */
#pragma once

#include "kernels/parts/both.h"

/* m16n8k16, FP16: A 16 × 16 (8 elements a lane), B 16 × 8 (4), C 16 × 8 (4, FP32). */
EB_BOTH int eb_f16_a_row(int lane, int e) { return lane / 4 + e / 2 % 2 * 8; }
EB_BOTH int eb_f16_a_column(int lane, int e) { return lane % 4 * 2 + e % 2 + e / 4 * 8; }
EB_BOTH int eb_f16_b_row(int lane, int e) { return lane % 4 * 2 + e % 2 + e / 2 * 8; }
EB_BOTH int eb_f16_b_column(int lane, int e) { return (void)e, lane / 4; }
EB_BOTH int eb_f16_c_row(int lane, int e) { return lane / 4 + e / 2 * 8; }
EB_BOTH int eb_f16_c_column(int lane, int e) { return lane % 4 * 2 + e % 2; }

/* wgmma m64n8k16, FP16: A and B are read from shared memory; C 64 × 8 by the 128 lanes of four warps. */
EB_BOTH int eb_wgmma_c_row(int lane, int e) { return lane / 32 * 16 + eb_f16_c_row(lane % 32, e); }
EB_BOTH int eb_wgmma_c_column(int lane, int e) { return eb_f16_c_column(lane % 32, e); }

/* m16n8k32, 8-bit integers: A 16 × 32 (16 a lane), B 32 × 8 (8); C as above, 32-bit integers. */
EB_BOTH int eb_i8_a_row(int lane, int e) { return lane / 4 + e / 4 % 2 * 8; }
EB_BOTH int eb_i8_a_column(int lane, int e) { return lane % 4 * 4 + e % 4 + e / 8 * 16; }
EB_BOTH int eb_i8_b_row(int lane, int e) { return lane % 4 * 4 + e % 4 + e / 4 * 16; }
EB_BOTH int eb_i8_b_column(int lane, int e) { return (void)e, lane / 4; }

/* m8n8k4, FP64: A 8 × 4 (1 a lane), B 4 × 8 (1), C 8 × 8 (2). */
EB_BOTH int eb_f64_a_row(int lane, int e) { return (void)e, lane / 4; }
EB_BOTH int eb_f64_a_column(int lane, int e) { return (void)e, lane % 4; }
EB_BOTH int eb_f64_b_row(int lane, int e) { return (void)e, lane % 4; }
EB_BOTH int eb_f64_b_column(int lane, int e) { return (void)e, lane / 4; }
EB_BOTH int eb_f64_c_row(int lane, int e) { return (void)e, lane / 4; }
EB_BOTH int eb_f64_c_column(int lane, int e) { return lane % 4 * 2 + e; }
