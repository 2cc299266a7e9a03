/* kernels: FASTED's best kernels with byte products (kernels/fasted/arithmetic.cuh), compiled in a unit for each kind
 * of instruction. */
#ifndef EB_KERNELS_INTEGERS_KERNELS_CUH
#define EB_KERNELS_INTEGERS_KERNELS_CUH

#include "kernels/fasted/arguments.cuh"
#include "kernels/tiled/variant.cuh"

namespace eb {

using byte_arguments = tile_arguments<byte_numbers>;
using byte_panel = levelled_panel<byte_numbers>;
using byte_variant = tile_variant<byte_arguments>;

/* Which one is wanted. Not symmetric, counting is done by the one that appends, given no room. */
struct byte_kernel {
    bool is_signed, symmetric;
    output writes;
};

byte_variant byte_warpgroup_kernel(byte_kernel wanted, bool strips); /* hopper.cu: needs compute capability 9.0; not
                                                                      * dense */
byte_variant byte_mma_kernel(byte_kernel wanted);                    /* mma.cu */

} // namespace eb

#endif
