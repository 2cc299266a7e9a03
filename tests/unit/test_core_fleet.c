/* fleet: seconds, bytes and memory of shares, links and disks against numbers worked on paper. Rates are round ones of
 * a machine that does not exist. */
#include <math.h>

#include "core/model/fleet.h"
#include "tests/unit/test.h"

static const eb_machine gpu = {.capacity_bytes = 100e9, .host_bytes_s = 50e9, .peer_bytes_s = 400e9};

static const eb_fleet_rates rates = {.start_s = 1,
                                     .choice_s = 2,
                                     .upload_s = 0.5,
                                     .upload_share = 1,
                                     .rows_s = 0.25,
                                     .degree_s = 1e-9,
                                     .fill_s = 2e-9,
                                     .download_share = 0.5,
                                     .fresh_bytes_s = 1e12,
                                     .peer_share = 0.5,
                                     .host_entry_s = 16e-9,
                                     .host_threads = 16,
                                     .packed_bytes_s = 100e9,
                                     .sampled_s = 1e-3,
                                     .arriving_s = 0.125,
                                     .decide_8_s = 4e-12,
                                     .decide_s = 1e-12,
                                     .distance_s = 2e-12};

/* 10⁹ points of 128 bytes, 64 neighbours: 128 GB of points, 64·10⁹ ends of pairs, 65·10⁹ entries. */
static const eb_fleet_work billion = {.n = 1e9,
                                      .d = 128,
                                      .selectivity = 64,
                                      .value_bytes = 1,
                                      .stored_bytes = 128,
                                      .kernels_s = 6400,
                                      .distance_bytes = 8,
                                      .squared_bytes = 8};

/* 10⁶ points of 400 bytes, 99 neighbours: 0.4 GB, 99·10⁶ ends, 10⁸ entries. */
static const eb_fleet_work million = {.n = 1e6,
                                      .d = 100,
                                      .selectivity = 99,
                                      .value_bytes = 4,
                                      .stored_bytes = 500,
                                      .copied_bytes = 200,
                                      .kernels_s = 8,
                                      .distance_bytes = 4,
                                      .squared_bytes = 4};

static eb_fleet_cost cost_of(const eb_fleet_work *work, unsigned hosts, unsigned gpus)
{
    const eb_fleet fleet = {.hosts = hosts, .gpus = gpus, .machine = &gpu, .link_bytes_s = 50e9, .disk_bytes_s = 2e9};
    eb_fleet_cost cost;
    eb_fleet_predict(work, &fleet, &rates, &cost);
    return cost;
}

static void check(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.17g, expected %.17g", found, expected);
}

/* ---- several hosts ---- */

/* A link of 400 Gbit/s passes 50 GB/s. */
TEST(points_pass_each_link_once)
{
    const eb_fleet_cost two = cost_of(&billion, 2, 1), eight = cost_of(&billion, 8, 8);
    check(two.seconds[EB_FLEET_POINTS], 2.56);
    check(eight.seconds[EB_FLEET_POINTS], 2.56); /* a rank passes them on while it gets them */
    check(two.bytes[EB_FLEET_POINTS], 128e9);
    check(eight.bytes[EB_FLEET_POINTS], 7 * 128e9);
    check(cost_of(&billion, 1, 8).seconds[EB_FLEET_POINTS], 0);
}

/* Of 64·10⁹ ends, 16 bytes each, 7/8 go to other hosts: 896 GB, 112 GB from each host. */
TEST(ends_of_pairs_go_to_the_hosts_of_their_rows)
{
    const eb_fleet_cost c = cost_of(&billion, 8, 8);
    check(c.bytes[EB_FLEET_PAIRS], 896e9);
    check(c.seconds[EB_FLEET_PAIRS], 2.24);
    check(c.bytes[EB_FLEET_DOWNLOAD], 512e9); /* each pair once */
    check(c.seconds[EB_FLEET_DOWNLOAD], 512e9 / 64 / 25e9);
    check(c.seconds[EB_FLEET_ROWS], 65e9 / 8 * 16e-9 / 128);
    check(c.seconds[EB_FLEET_EXCHANGE] + c.seconds[EB_FLEET_ORDER], 0); /* hosts make the rows */
}

/* Sending goes on beside the kernels; rows beside the disk. 1 + 2.56 + (0.5 + 128/50) + 100 + 49.25 s. */
TEST(what_goes_on_at_the_same_time_counts_once)
{
    eb_fleet_work work = billion;
    work.written = true;
    const eb_fleet_cost c = cost_of(&work, 8, 8);
    check(c.seconds[EB_FLEET_KERNELS], 100);
    check(c.bytes[EB_FLEET_DISK], 65e9 * 12 + 8e9);
    check(c.seconds[EB_FLEET_DISK], 49.25);
    check(c.seconds[EB_FLEET_UPLOAD], 0.5 + 2.56);
    check(c.total_s, 1 + 2.56 + 3.06 + 100 + 49.25);
    assert_int_equal(c.longest, EB_FLEET_KERNELS);
    work.kernels_s = 64;
    const eb_fleet_cost fast = cost_of(&work, 8, 8); /* kernels 1 s: pairs take longer, and the disk longest */
    check(fast.total_s, 1 + 2.56 + 3.06 + 2.24 + 49.25);
    assert_int_equal(fast.longest, EB_FLEET_DISK);
    assert_string_equal(eb_fleet_limit(&fast), "the disk");
}

TEST(counting_sends_points_alone)
{
    eb_fleet_work work = billion;
    work.counts = true;
    work.chooses = true;
    const eb_fleet_cost c = cost_of(&work, 8, 8);
    check(c.total_s, 1 + 2 + 0.128 + 2.56 + 3.06 + 100); /* choosing, 128 dimensions */
    check(c.bytes[EB_FLEET_PAIRS] + c.bytes[EB_FLEET_DOWNLOAD] + c.bytes[EB_FLEET_DISK], 0);
    check(c.rank_bytes, 128e9);
    check(c.pairs_bytes, 0);
}

/* ---- one host ---- */

/* A GPU of four reads 3/4 of 49.5·10⁶ pairs of 12 bytes and 3/4 of 10⁶ points of 200, by 200 GB/s; makes 25·10⁶ entries
 * of 8 bytes; downloads 25 GB/s. */
TEST(gpus_of_a_host_exchange_pairs_and_make_rows)
{
    const eb_fleet_cost c = cost_of(&million, 1, 4);
    check(c.bytes[EB_FLEET_EXCHANGE], 49.5e6 * 12 * 3 + 200e6 * 3);
    check(c.seconds[EB_FLEET_EXCHANGE], (49.5e6 * 12 + 200e6) * 3 / 4 / 200e9);
    check(c.seconds[EB_FLEET_ORDER], 0.25 + 0.025);
    check(c.seconds[EB_FLEET_ROWS], 0.05);
    check(c.seconds[EB_FLEET_DOWNLOAD], 0.008);
    check(c.seconds[EB_FLEET_UPLOAD], 0.5 + 0.004); /* each a part, and the host's threads copy 100 GB/s */
    check(c.bytes[EB_FLEET_UPLOAD], 0.4e9);
    check(c.total_s, 1 + 0.504 + 2 + c.seconds[EB_FLEET_EXCHANGE] + 0.275 + 0.05);
    check(cost_of(&million, 1, 1).bytes[EB_FLEET_EXCHANGE], 0);
}

/* 49.5·10⁶ pairs of 100 coordinates, by four GPUs. */
TEST(fp64_decides_a_filters_pairs)
{
    eb_fleet_work work = million;
    check(cost_of(&work, 1, 4).seconds[EB_FLEET_DECIDE], 0);
    work.filter_bytes = 1; /* and the distances of those that FP64 need not decide */
    check(cost_of(&work, 1, 4).seconds[EB_FLEET_DECIDE], 49.5e6 * 100 * 6e-12 / 4);
    work.filter_bytes = 2;
    check(cost_of(&work, 1, 4).seconds[EB_FLEET_DECIDE], 49.5e6 * 100 * 3e-12 / 4);
    work.counts = true;
    check(cost_of(&work, 1, 4).seconds[EB_FLEET_DECIDE], 49.5e6 * 100 * 1e-12 / 4);
    work.filter_bytes = 1;
    check(cost_of(&work, 1, 4).seconds[EB_FLEET_DECIDE], 49.5e6 * 100 * 4e-12 / 4);
}

/* The upload takes 0.508 s, by two GPUs together 0.504. Kernels that begin with a sixteenth of the points wait for
 * less.
 */
TEST(kernels_begin_while_points_arrive)
{
    eb_fleet_work work = million;
    check(cost_of(&work, 1, 1).seconds[EB_FLEET_UPLOAD], 0.508);
    work.arrives = true;
    check(cost_of(&work, 1, 1).seconds[EB_FLEET_UPLOAD], 0.125 + 0.508 / 16 + 0.508 * 0.508 / 32);
    work.kernels_s = 0.1; /* the last sixteenth meets all before it after the upload */
    check(cost_of(&work, 1, 1).seconds[EB_FLEET_UPLOAD], 0.125 + 0.508 - 225.0 / 256 * 0.1);
    work.kernels_s = 0;
    check(cost_of(&work, 1, 1).seconds[EB_FLEET_UPLOAD], 0.125 + 0.508);
    work.kernels_s = million.kernels_s;
    check(cost_of(&work, 1, 2).seconds[EB_FLEET_UPLOAD], 0.125 + 0.504 / 16 + 0.504 * 0.504 / 16);
    work.counts = true; /* the points go from GPU to GPU as stored, beside the kernels */
    check(cost_of(&work, 1, 2).bytes[EB_FLEET_EXCHANGE], 0.4e9);
    check(cost_of(&work, 1, 2).seconds[EB_FLEET_EXCHANGE], 0);
    work.n = 5e5; /* 200 MB: too few for two */
    check(cost_of(&work, 1, 2).seconds[EB_FLEET_UPLOAD], 0.502);
    work.n = 1e5; /* 40 MB */
    check(cost_of(&work, 1, 1).seconds[EB_FLEET_UPLOAD], 0.5008);
}

/* However many links there are, a host makes memory for the table at its own rate. */
TEST(a_host_takes_the_downloads_at_its_own_rate)
{
    const eb_fleet fleet = {.hosts = 1, .gpus = 64, .machine = &gpu, .link_bytes_s = 1, .disk_bytes_s = 1};
    eb_fleet_rates slow = rates;
    eb_fleet_cost c;
    slow.fresh_bytes_s = 80e9;
    eb_fleet_predict(&million, &fleet, &slow, &c);
    check(c.seconds[EB_FLEET_DOWNLOAD], 0.01);
    c.longest = EB_FLEET_DOWNLOAD;
    assert_string_equal(eb_fleet_limit(&c), "the host's memory for the table");
    c.fills = false;
    assert_string_equal(eb_fleet_limit(&c), "the download from the GPUs");
}

/* ---- memory ---- */

/* Points 0.5 GB; its 1/4 of 49.5·10⁶ pairs and the ends it gets, 12 bytes each; two chunks of at most 2²⁵ entries. */
TEST(memory_of_a_gpu)
{
    const eb_fleet_cost four = cost_of(&million, 1, 4), one = cost_of(&million, 1, 1);
    check(four.points_bytes, 0.5e9);
    check(four.pairs_bytes, (49.5e6 / 4 + 99e6 / 4) * 12);
    check(four.gpu_bytes, 0.5e9 + 37.125e6 * 12 + 2 * 25e6 * 8);
    check(one.gpu_bytes, 0.5e9 + 49.5e6 * 12 + 2.0 * 33554432 * 8);
    check(cost_of(&million, 2, 2).gpu_bytes, 0.5e9 + 49.5e6 / 4 * 12);
    assert_true(four.blocks == 1 && four.rounds == 1);
}

/* 128 GB do not fit three quarters of 100 GB: blocks of a third, four of them, each uploaded again for the later ones.
 */
TEST(points_that_do_not_fit_stream_in_blocks)
{
    eb_fleet_work work = billion;
    work.counts = true;
    const eb_fleet_cost one = cost_of(&work, 1, 1), two = cost_of(&work, 1, 2);
    check(one.blocks, 4);
    check(one.points_bytes, 2 * 100e9 / 3);
    check(one.seconds[EB_FLEET_UPLOAD], 0.5 + 2.5 * 2.56);
    check(two.seconds[EB_FLEET_UPLOAD], 0.5 + 1.25 * 2.56);
    work.stored_bytes = 75;
    assert_true(cost_of(&work, 1, 1).blocks == 1);
}

/* 99·10⁶ ends of 12 bytes, 1.188 GB, in a GPU of 1.5 GB with 0.5 GB of points and 0.537 of rows: three ranges. */
TEST(pairs_that_do_not_fit_come_in_rounds)
{
    eb_machine small = gpu;
    eb_fleet fleet = {.hosts = 1, .gpus = 1, .machine = &small, .link_bytes_s = 1, .disk_bytes_s = 1};
    eb_fleet_cost c;
    small.capacity_bytes = 1.5e9;
    eb_fleet_predict(&million, &fleet, &rates, &c);
    check(c.rounds, 3);
    check(c.seconds[EB_FLEET_KERNELS], 16);
    check(c.gpu_bytes, 1.5e9);
    fleet.hosts = 2; /* hosts take the pairs as they come */
    eb_fleet_predict(&million, &fleet, &rates, &c);
    check(c.rounds, 1);
}

/* A rank: 0.4 GB of points; rows of 808 bytes; of two hosts half of them, and 99·10⁶/2 ends of 16 bytes. */
TEST(memory_of_a_rank)
{
    check(cost_of(&million, 1, 4).rank_bytes, 0.4e9 + 0.808e9);
    check(cost_of(&million, 2, 4).rank_bytes, 0.4e9 + 0.404e9 + 0.792e9);
}

TEST(a_table_that_does_not_fit_a_host_is_written)
{
    eb_fleet fleet = {.hosts = 1, .gpus = 1, .machine = &gpu, .link_bytes_s = 1, .disk_bytes_s = 2e9};
    eb_fleet_cost c;
    fleet.memory_bytes = 1.2e9;
    eb_fleet_predict(&million, &fleet, &rates, &c);
    assert_true(c.written && c.rank_holds_the_points && c.rounds == 2);
    check(c.rank_bytes, 1.2e9);
    check(c.seconds[EB_FLEET_DISK], 0.404);
    fleet.memory_bytes = 1.3e9;
    eb_fleet_predict(&million, &fleet, &rates, &c);
    assert_true(!c.written && c.rounds == 1 && c.seconds[EB_FLEET_DISK] == 0);
    fleet.memory_bytes = 0.3e9;
    eb_fleet_predict(&million, &fleet, &rates, &c);
    assert_false(c.rank_holds_the_points);
}

/* 0.4 GB of points in blocks of a quarter: three of them go to the other hosts; then each host gets one more, and three
 * quarters of one where two hosts meet. */
TEST(points_that_do_not_fit_a_host_are_held_in_blocks)
{
    eb_fleet_work work = million;
    eb_fleet fleet = {.hosts = 4, .gpus = 1, .machine = &gpu, .link_bytes_s = 1e9, .disk_bytes_s = 2e9};
    eb_fleet_cost c;
    work.truth = work.counts = true;
    fleet.memory_bytes = 0.35e9;
    eb_fleet_predict(&work, &fleet, &rates, &c);
    assert_true(c.in_blocks && c.rank_holds_the_points);
    check(c.rank_bytes, 0.3e9);
    check(c.bytes[EB_FLEET_POINTS], 0.3e9);
    check(c.seconds[EB_FLEET_POINTS], 0.3);
    check(c.bytes[EB_FLEET_BLOCKS], 0.7e9);
    check(c.seconds[EB_FLEET_BLOCKS], 0.175);
    check(c.total_s - c.seconds[EB_FLEET_KERNELS] - c.seconds[EB_FLEET_START], 0.3 + c.seconds[EB_FLEET_UPLOAD]);
    work.counts = false;
    eb_fleet_predict(&work, &fleet, &rates, &c);
    check(c.bytes[EB_FLEET_PAIRS], 99e6 / 2 * 16 * 3 / 4);
    work.counts = true;
    fleet.hosts = 5;
    eb_fleet_predict(&work, &fleet, &rates, &c);
    check(c.bytes[EB_FLEET_POINTS], 0.32e9);
    check(c.bytes[EB_FLEET_BLOCKS], 0.8e9);
    work.truth = false;
    eb_fleet_predict(&work, &fleet, &rates, &c);
    assert_true(!c.in_blocks && !c.rank_holds_the_points && c.bytes[EB_FLEET_BLOCKS] == 0);
    work.truth = true;
    fleet.memory_bytes = 0.2e9;
    eb_fleet_predict(&work, &fleet, &rates, &c);
    assert_true(c.in_blocks && !c.rank_holds_the_points);
}

/* ---- processors ---- */

TEST(hosts_without_gpus)
{
    eb_fleet_work work = million;
    eb_fleet fleet = {.hosts = 1, .gpus = 1, .threads = 4, .link_bytes_s = 1e9, .disk_bytes_s = 1};
    eb_fleet_cost one, four;
    work.table_s = 0.5;
    eb_fleet_predict(&work, &fleet, &rates, &one);
    check(one.total_s, 8 + 0.5);
    check(one.gpu_bytes, 0);
    fleet.hosts = 4;
    eb_fleet_predict(&work, &fleet, &rates, &four);
    check(four.seconds[EB_FLEET_KERNELS], 2);
    check(four.seconds[EB_FLEET_ROWS], 25e6 * 16e-9 / 4);
    check(four.total_s, 0.4 + 2 + 0.1);
    assert_string_equal(eb_fleet_limit(&four), "the processors");
}

TEST(each_usual_rate_says_what_it_is_and_where_it_is_from)
{
    assert_true(eb_fleet_usual.link_bits_s == 400e9 && eb_fleet_usual.disk_bytes_s == 2e9);
#define RATE(name, value, unit, what, source) assert_true(eb_fleet_usual.name > 0 && *(unit) && *(what) && *(source));
#include "core/model/fleet_rows.h"
#undef RATE
}

RUN_TESTS
