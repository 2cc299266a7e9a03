/* near: which pairs cannot be hits, by a plain product of the rounded points, which is far less work than the emulated
 * one. */
#include "kernels/tensor/cpu/state.h"

/* A chain of `length` FP32 products and sums in 32 lanes loses at most (length + 40)·2^-24 of N_i·N_j ≤ (N_i² +
 * N_j²)/2, and 2a is twice that. A hundredth more is for FP64's roundings. */
double eb_tensor_edge(const eb_tensor_state *t, size_t place, double square)
{
    const double loss = ((double)t->chain.length + 40) * 0x1p-24 * 1.01;
    return square * (1 - loss) - t->join.width[place] / t->unit;
}

/* With a = ⟨ŷ_i, ŷ_j⟩, s ≤ limit implies ‖ŷ_i‖² + ‖ŷ_j‖² − 2a ≤ limit·(1 + 2^-23) + w_i + w_j (kernels/tensor/bound.h).
 */
size_t eb_tensor_near(const void *state, uint32_t *rows, uint32_t *columns, size_t count, double limit)
{
    const eb_tensor_state *t = state;
    const size_t length = t->chain.length;
    const double most = limit / t->unit * (1 + 0x1p-22);
    size_t kept = 0;
    for (size_t k = 0; k < count; k++) {
        const float *a = t->chained.value + rows[k] * length, *b = t->chained.value + columns[k] * length;
        if (t->edge[rows[k]] + t->edge[columns[k]] - 2 * (double)t->dot_f32(a, b, length) > most)
            continue;
        rows[kept] = rows[k];
        columns[kept++] = columns[k];
    }
    return kept;
}
