/* model: bank conflicts against counts by hand and by brute force, the limits of occupancy, a cache that is large
 * enough and one that is not, a user's file of GPUs.
 */
#include <math.h>
#include <unistd.h>

#include "core/base/random.h"
#include "core/model/predict.h"
#include "tests/unit/test.h"

/* ---- conflicts ---- */

static eb_bank_use strided(unsigned lanes, unsigned bytes, uint32_t stride)
{
    uint32_t address[EB_WARP];
    for (uint32_t lane = 0; lane < EB_WARP; lane++)
        address[lane] = lane * stride;
    return eb_bank_use_of(address, lanes, bytes);
}

static void check_use(eb_bank_use use, uint64_t phases, uint64_t wavefronts, unsigned worst)
{
    assert_int_equal(use.phases, phases);
    assert_int_equal(use.wavefronts, wavefronts);
    assert_int_equal(use.conflicts, wavefronts - phases);
    assert_int_equal(use.worst, worst);
}

TEST(test_conflicts_by_hand)
{
    check_use(strided(32, 4, 4), 1, 1, 1);
    check_use(strided(32, 4, 0), 1, 1, 1); /* one word for all lanes */
    check_use(strided(32, 4, 8), 1, 2, 2);
    check_use(strided(32, 4, 128), 1, 32, 32);
    check_use(strided(32, 8, 8), 2, 2, 1);
    check_use(strided(32, 16, 16), 4, 4, 1);
    check_use(strided(32, 16, 128), 4, 32, 8); /* a chunk of 8 rows without a swizzle */
    check_use(strided(16, 16, 144), 2, 2, 1);  /* rows a chunk longer */
    check_use(strided(8, 16, 64), 1, 4, 4);
    check_use(strided(32, 1, 1), 1, 1, 1); /* four lanes share a word */
    check_use(strided(32, 2, 64), 1, 16, 16);
    check_use(strided(32, 1, 128), 1, 32, 32);
}

/* Keeps the words of each bank in a set. */
static unsigned wavefronts_by_sets(const uint32_t *address, unsigned lanes, unsigned words)
{
    unsigned most = 0;
    for (unsigned bank = 0; bank < 32; bank++) {
        uint32_t set[32];
        unsigned size = 0;
        for (unsigned k = 0; k < lanes * words; k++) {
            const uint32_t word = address[k / words] / 4 + k % words;
            unsigned at = 0;
            while (at < size && set[at] != word)
                at++;
            if (word % 32 == bank && at == size)
                set[size++] = word;
        }
        most = size > most ? size : most;
    }
    return most;
}

TEST(test_conflicts_at_random)
{
    uint64_t random = 7;
    for (unsigned round = 0; round < 3000; round++) {
        const unsigned bytes = 1u << eb_random_below(&random, 5), words = bytes < 4 ? 1 : bytes / 4,
                       together = 32 / words;
        uint32_t address[EB_WARP];
        uint64_t wavefronts = 0;
        for (unsigned lane = 0; lane < EB_WARP; lane++)
            address[lane] = (uint32_t)eb_random_below(&random, 64) * bytes;
        for (unsigned first = 0; first < EB_WARP; first += together)
            wavefronts += wavefronts_by_sets(address + first, together, words);
        const eb_bank_use use = eb_bank_use_of(address, EB_WARP, bytes);
        assert_int_equal(use.wavefronts, wavefronts);
        assert_int_equal(use.phases, EB_WARP / together);
    }
}

/* ---- GPUs ---- */

static const char *write_file(const char *text)
{
    static char path[] = "/tmp/epsbench-model-XXXXXX";
    memcpy(strrchr(path, '-'), "-XXXXXX", 7);
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(close(descriptor), 0);
    return path;
}

TEST(test_machines)
{
    eb_status status;
    eb_machine *machines;
    size_t table, count;
    assert_int_equal(eb_machines("/nowhere/gpus", &machines, &table, &status), EB_OK);
    assert_true(table >= 6);
    const eb_machine *h200 = eb_machine_find(machines, table, "H200");
    assert_non_null(h200);
    assert_ptr_equal(h200, eb_machine_find(machines, table, "NVIDIA H200"));
    assert_true(h200->measured > 0 && h200->sms == 132 && eb_machine_has_wgmma(h200));
    assert_false(eb_machine_has_wgmma(eb_machine_find(machines, table, "a100-pcie")));
    assert_false(eb_machine_has_wgmma(eb_machine_find(machines, table, "b200"))); /* it has tcgen05 */
    assert_null(eb_machine_find(machines, table, "gtx"));
    assert_null(eb_machine_find(machines, table, ""));
    free(machines);

    const char *file = write_file("# mine\nname = half\nlike = h200\n sms = 66 # of them\ntitle = Half an H200\n\n"
                                  "mma_fp8 = 77\nwgmma_tf32 = 0\nproduct_pj_s8 = 0.3\nlimit_w = 350\n");
    assert_int_equal(eb_machines(file, &machines, &count, &status), EB_OK);
    assert_int_equal(count, table + 1);
    assert_string_equal(machines[0].name, "half");
    assert_string_equal(machines[0].title, "Half an H200");
    assert_true(machines[0].mma[EB_RATE_FP8] == 77 && machines[0].wgmma[EB_RATE_TF32] == 0);
    assert_true(machines[0].power.product_pj[EB_RATE_S8] == 0.3 && machines[0].wgmma[EB_RATE_F16] == 2048);
    assert_true(machines[0].power.limit_w == 350 && machines[0].power.sm_nj > 0);
    assert_int_equal(machines[0].source[EB_MACHINE_POWER], EB_OWN_FILE);
    assert_int_equal(machines[0].source[EB_MACHINE_MMA], EB_OWN_FILE);
    assert_int_equal(machines[0].source[EB_MACHINE_DRAM], EB_OTHER_GPU);
    assert_true(machines[0].sms == 66 && machines[0].threads == 2048 && machines[0].measured == 0);
    free(machines);
    (void)unlink(file);
}

TEST(test_files_refused)
{
    static const struct {
        const char *text, *says;
    } wrong[] = {{"sms = 3\n", "line 1: expected `name =` before anything else, found 'sms'"},
                 {"name = a\nlike = h200\nsms = many\n", "line 3: expected a number, found 'many'"},
                 {"name = a\nlike = zx81\n", "line 2: expected a GPU of the table, found 'zx81'"},
                 {"name = a\ncores = 3\n", "line 2: expected name, title, like or a figure such as sms, found 'cores'"},
                 {"name = a\nnothing\n", "line 2: expected key = value, found 'nothing'"},
                 {"name = a\nsms = 3\n", "a lacks one of sms"},
                 {"name = a\nsms = 1e6\n", "line 2: more than any GPU has, found '1e6'"},
                 {"name =\n", "line 1: expected a name of 1 to 39 letters, found ''"}};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        eb_status status;
        eb_machine *machines;
        size_t count;
        const char *file = write_file(wrong[k].text);
        assert_int_equal(eb_machines(file, &machines, &count, &status), EB_BAD_FORMAT);
        assert_non_null(strstr(status.message, wrong[k].says));
        (void)unlink(file);
    }
}

/* ---- a kernel with tiles of 128 × 128 in rows ---- */

static eb_worker_run row_major(const eb_kernel_plan *plan, uint64_t number)
{
    const uint32_t across = (uint32_t)((plan->n + plan->columns - 1) / plan->columns);
    return (eb_worker_run){(uint32_t)(number / across), (uint32_t)(number % across), 1};
}

static eb_kernel_plan square_plan(size_t n, size_t d)
{
    const uint64_t across = (n + 127) / 128;
    return (eb_kernel_plan){.title = "tiles",
                            .number = EB_F16_NUMBER,
                            .products = 1,
                            .n = n,
                            .d = d,
                            .d_padded = d,
                            .point_bytes = 2 * d,
                            .blocks = 1,
                            .rows = 128,
                            .columns = 128,
                            .threads = 128,
                            .shared_bytes = 65536,
                            .registers = 200,
                            .numbers = across * across,
                            .run = row_major,
                            .queued = true,
                            .stages = 2,
                            .accesses = 1, /* none a slice, but points come through shared memory */
                            .access = {{.key = "none", .loads = true}}};
}

static eb_machine plain_machine(void)
{
    return (eb_machine){.name = "plain",
                        .sms = 4,
                        .clock_hz = 1e9,
                        .memory_bytes_s = 1e12,
                        .l2_bytes = 1e9,
                        .l2_parts = 1,
                        .l2_bytes_clock = 1000,
                        .shared_bytes = 164 * 1024,
                        .block_shared_bytes = 163 * 1024,
                        .reserved_bytes = 1024,
                        .threads = 2048,
                        .blocks = 32,
                        .registers = 65536,
                        .mma = {[EB_RATE_F16] = 1024}};
}

static void check_limit(const eb_kernel_plan *plan, const eb_machine *machine, unsigned blocks, const char *limit)
{
    const eb_occupancy of = eb_occupancy_of(plan, machine);
    assert_int_equal(of.blocks, blocks);
    assert_string_equal(of.limit, limit);
    assert_int_equal(of.workers, blocks * 4 / plan->blocks);
}

TEST(test_occupancy)
{
    eb_kernel_plan plan = square_plan(1000, 64);
    eb_machine machine = plain_machine();
    check_limit(&plan, &machine, 2, "shared memory");
    plan.shared_bytes = 1000;
    check_limit(&plan, &machine, 2, "registers"); /* 128 × 200 = 25600 of 65536 */
    plan.registers = 32;
    check_limit(&plan, &machine, 16, "registers");
    plan.registers = 16;
    plan.threads = 1024;
    check_limit(&plan, &machine, 2, "threads");
    plan.threads = 32;
    check_limit(&plan, &machine, 32, "blocks");
    plan.most_resident = 1;
    check_limit(&plan, &machine, 1, "the kernel's own bound");
    plan.most_resident = 0;
    plan.shared_bytes = 163 * 1024;
    check_limit(&plan, &machine, 1, "shared memory");
    plan.shared_bytes++;
    check_limit(&plan, &machine, 0, "shared memory");
}

TEST(test_cache)
{
    eb_status status;
    eb_cache_use use;
    eb_machine machine = plain_machine();
    const eb_kernel_plan plan = square_plan(12800, 64);
    const eb_pace pace = {8, 1e4, 1e3};
    const double all = 12800.0 * 128, asked = 2 * 100 * 100 * 128.0 * 128;

    /* Everything fits: each point comes from DRAM once. A worker that asks before the data has arrived misses too; here
     * few do. */
    assert_int_equal(eb_cache_replay(&plan, &machine, pace, NULL, &use, &status), EB_OK);
    assert_true(use.l2_bytes == asked && use.dram_bytes == all && use.replayed == 1);
    assert_true(use.hit_rate <= 1 - all / asked && use.hit_rate > 1 - all / asked - 0.005);

    /* With two parts, each must fetch a point, the far part's points from the other part: one more lookup for each
     * point, which misses or hits. */
    machine.l2_parts = 2;
    assert_int_equal(eb_cache_replay(&plan, &machine, pace, NULL, &use, &status), EB_OK);
    assert_true(use.dram_bytes == all);
    assert_true(use.hit_rate <= (asked - all) / (asked + all) && use.hit_rate > (asked - all) / (asked + all) - 0.005);

    /* One panel fits: rows of tiles find their row's panel, but columns only what a neighbour asks for at the same
     * time. */
    machine.l2_parts = 1;
    machine.l2_bytes = 2.4 * 128 * 128; /* of which 87 % count */
    assert_int_equal(eb_cache_replay(&plan, &machine, (eb_pace){1, 1e4, 1e3}, NULL, &use, &status), EB_OK);
    assert_true(use.hit_rate > 0.45 && use.hit_rate < 0.52);
}

TEST(test_prediction)
{
    eb_status status;
    eb_prediction p, slow;
    const eb_machine machine = plain_machine();
    eb_kernel_plan plan = square_plan(12800, 64);
    plan.tile_clocks = 976;
    assert_int_equal(eb_predict(&plan, &machine, 0, NULL, &p, &status), EB_OK);
    assert_true(p.products_clocks == 1024 && p.slice_clocks == 1024 && p.tile_clocks == 2000);
    assert_true(fabs(p.sm_s - 10000.0 / 8 * 2 * 2000 / 1e9) < 1e-12); /* 8 workers, two on an SM */
    assert_true(p.kernel_s == p.sm_s && strcmp(p.bound, "SMs") == 0);
    assert_true(p.reuse.l2_intensity == 64 && p.executed_flops == p.derived_flops);
    assert_int_equal(eb_predict(&plan, &machine, 0.5e9, NULL, &slow, &status), EB_OK);
    assert_true(fabs(slow.kernel_s - 2 * p.kernel_s) < 1e-12);
    plan.shared_bytes = 1u << 20;
    assert_int_equal(eb_predict(&plan, &machine, 0, NULL, &p, &status), EB_NO_DEVICE);
}

/* ---- power ---- */

TEST(power_decides_the_clock)
{
    eb_machine machine = plain_machine();
    const eb_exertion load = {.rate = EB_RATE_F16, .flops = 1e12, .dram_bytes = 1e9, .clocks = 1e9};
    const eb_likely unknown = eb_clock_under(&machine, &load);
    assert_true(unknown.low == 1e9 && unknown.likely == 1e9 && unknown.high == 1e9);

    /* 10 W idle, 4 SMs × 5 nJ × 1 GHz = 20 W, 1 TFLOPS × 60 pJ = 60 W, 1 GB/s × 10 nJ = 10 W: 100 W at 1 GHz */
    machine.power = (eb_power){.limit_w = 100, .idle_w = 10, .sm_nj = 5, .dram_pj = 1e4};
    machine.power.product_pj[EB_RATE_F16] = 60;
    assert_true(fabs(eb_power_at(&machine, &load, 1e9) - 100) < 1e-9);
    assert_true(eb_clock_under(&machine, &load).low == 1e9);

    /* at half the clock: 10 + 80 / 4 + 10 / 2 */
    assert_true(fabs(eb_power_at(&machine, &load, 0.5e9) - 35) < 1e-9);
    machine.power.limit_w = 35;
    assert_true(fabs(eb_clock_under(&machine, &load).low / 0.5e9 - 1) < 1e-6);

    /* a rested board draws more, and during a run something between */
    machine.power.rested = 0.5;
    machine.power.rested_s = 2;
    const eb_likely clock = eb_clock_under(&machine, &load);
    assert_true(clock.low < clock.likely && clock.likely < clock.high && clock.high < 1e9);
    assert_true(fabs(eb_power_at(&machine, &load, clock.high) - 35 * 1.5) < 1e-6);

    /* a kernel that waits for DRAM draws as much as its time allows */
    const eb_exertion waits = {.rate = EB_RATE_F16, .flops = 1e12, .dram_bytes = 1e9, .clocks = 1e9, .dram_s = 10};
    assert_true(eb_power_at(&machine, &waits, 1e9) < 40);
}

TEST(tensor_cores_have_a_clock_of_their_own)
{
    eb_machine machine = plain_machine();
    machine.tensor_clock_hz = 0.9e9;
    assert_true(eb_highest_clock(&machine, EB_RATE_F16) == 0.9e9 && eb_highest_clock(&machine, EB_RATE_S8) == 0.9e9);
    assert_true(eb_highest_clock(&machine, EB_RATE_F64) == 1e9);
    machine.tensor_clock_hz = 0;
    assert_true(eb_highest_clock(&machine, EB_RATE_F16) == 1e9);
    assert_true(eb_kept_up(&machine, EB_RATE_F16) == 2.0 * 1024 * 4 * 1e9 && eb_kept_up(&machine, EB_RATE_FP8) == 0);
}

/* Every limit of the table says where it is from, and only the H200's are measured. */
TEST(limits_have_sources)
{
    eb_status status;
    eb_machine *machines;
    size_t count;
    assert_int_equal(eb_machines(NULL, &machines, &count, &status), EB_OK);
    for (size_t k = 0; k < count; k++) {
        const eb_machine *m = &machines[k];
        for (int limit = 0; limit < EB_MACHINE_POWER; limit++)
            assert_non_null(eb_source_name(m->source[limit]));
        assert_true((m->source[EB_MACHINE_POWER] != EB_UNKNOWN) == (m->power.limit_w > 0));
        assert_true((m->source[EB_MACHINE_DRAM] == EB_MEASURED) == (m->measured > 0));
        assert_non_null(eb_source_name(m->source[EB_MACHINE_HOST_LINK]));
        assert_non_null(eb_source_name(m->source[EB_MACHINE_PEER_LINK]));
        assert_true(m->capacity_bytes >= 24e9 && m->host_bytes_s >= 27e9 && m->peer_bytes_s >= m->host_bytes_s);
        assert_true(m->memory_bytes_s <= m->sheet_bytes_s && m->tensor_clock_hz <= m->clock_hz);
    }
    free(machines);
}

RUN_TESTS
