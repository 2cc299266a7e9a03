/* lookup: the model of a warp's look-ups in shared memory against counts of many random ones, and how many blocks the
 * tables leave an SM. */
#include <math.h>

#include "core/base/random.h"
#include "core/model/banks.h"
#include "core/model/lookup.h"
#include "tests/unit/test.h"

/* Counts wavefronts of random look-ups by their addresses. */
static double counted(unsigned entry_bytes, unsigned looks)
{
    uint64_t random = 7;
    uint64_t wavefronts = 0;
    for (unsigned k = 0; k < looks; k++) {
        uint32_t address[EB_WARP];
        for (unsigned lane = 0; lane < EB_WARP; lane++)
            address[lane] = (uint32_t)eb_random_below(&random, 256) * entry_bytes / 4 * 4;
        wavefronts += eb_bank_use_of(address, EB_WARP, 4).wavefronts;
    }
    return (double)wavefronts / looks;
}

TEST(expectations_are_what_is_counted)
{
    for (unsigned bytes = 1; bytes <= 4; bytes *= 2)
        if (fabs(eb_lookup_wavefronts(bytes) - counted(bytes, 200000)) > 0.006)
            fail_msg("%u bytes: %f, counted %f", bytes, eb_lookup_wavefronts(bytes), counted(bytes, 200000));
    assert_true(fabs(eb_lookup_wavefronts(4) - 3.15252) <
                1e-5); /* 4 million look-ups counted by another program: 3.1525, 2.7820, 1.9993 */
    assert_true(fabs(eb_lookup_wavefronts(2) - 2.78234) < 1e-5);
    assert_true(fabs(eb_lookup_wavefronts(1) - 1.99932) < 1e-5);
}

/* 64 KiB and 1 KiB of the system: three of them fit 228 KiB, until threads run out. */
TEST(tables_leave_room_for_blocks)
{
    eb_machine *machines;
    size_t count;
    eb_status status = {0};
    assert_int_equal(eb_machines(NULL, &machines, &count, &status), EB_OK);
    const eb_machine *h200 = eb_machine_find(machines, count, "h200"),
                     *a100 = eb_machine_find(machines, count, "a100-sxm");
    assert_int_equal(eb_lookup_occupancy(h200, 64, 4, 256).blocks, 3);
    assert_int_equal(eb_lookup_occupancy(h200, 64, 2, 256).blocks, 6);
    assert_int_equal(eb_lookup_occupancy(h200, 64, 1, 256).blocks, 8);
    assert_string_equal(eb_lookup_occupancy(h200, 64, 1, 256).limit, "threads");
    assert_int_equal(eb_lookup_occupancy(a100, 64, 4, 256).blocks, 2);
    assert_int_equal(eb_lookup_occupancy(a100, 64, 2, 256).blocks, 4);
    assert_true(fabs(eb_lookup_occupancy(a100, 64, 2, 256).share - 0.5) < 1e-12);
    assert_int_equal(eb_lookup_occupancy(h200, 256, 4, 256).blocks, 0); /* 256 KiB exceed a block's limit */
    free(machines);
}

RUN_TESTS
