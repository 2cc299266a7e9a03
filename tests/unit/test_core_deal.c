/* Tests of which pairs of blocks each rank joins (core/ranks/blocks/deal.h): every pair once, for all shares of rows.
 */
#include <stdlib.h>

#include "core/ranks/blocks/deal.h"
#include "tests/unit/test.h"

enum { MOST_RANKS = 9 };

static bool within(size_t row, size_t begin, size_t end) { return row >= begin && row < end; }

/* Marks in seen[n × others] the ends of each pair that are in the share's rows. */
static void mark(const eb_deal *deal, unsigned rank, unsigned char *seen)
{
    const eb_rows own = eb_block_of(deal->n, rank, deal->ranks);
    for (unsigned step = 0; step < eb_deal_steps(deal); step++) {
        eb_deal_step of;
        eb_deal_at(deal, rank, step, &of);
        for (size_t k = 0; k < of.count; k++) {
            const eb_rectangle *r = &of.rectangle[k];
            assert_true(r->left.begin >= own.begin && r->left.end <= own.end);
            assert_true(r->right.begin >= of.needed.begin && r->right.end <= of.needed.end);
            for (size_t i = r->left.begin; i < r->left.end; i++)
                for (size_t j = r->right.begin; j < r->right.end; j++) {
                    seen[i * deal->others + j] += (unsigned char)r->ends;
                    assert_int_equal(r->turned, !within(i, deal->row_begin, deal->row_end));
                }
        }
    }
}

static void expect_each_pair_once(const eb_deal *deal)
{
    unsigned char *seen = calloc(deal->n * deal->others + 1, 1);
    unsigned takers = 0, taken = 0;
    for (unsigned rank = 0; rank < deal->ranks; rank++) {
        mark(deal, rank, seen);
        takers += eb_deal_takers(deal, rank);
        for (unsigned step = 1; step < eb_deal_steps(deal); step++) {
            eb_deal_step of;
            eb_deal_at(deal, rank, step, &of);
            taken += !eb_rows_empty(of.needed);
        }
    }
    assert_int_equal(takers, taken);
    for (size_t i = 0; i < deal->n; i++)
        for (size_t j = 0; j < deal->others; j++) {
            const bool row = within(i, deal->row_begin, deal->row_end),
                       other = within(j, deal->row_begin, deal->row_end);
            unsigned found = seen[i * deal->others + j];
            bool own = false; /* both in one block, which is joined with itself */
            for (unsigned r = 0; r < deal->ranks && deal->self; r++) {
                const eb_rows block = eb_block_of(deal->n, r, deal->ranks);
                own |= within(i, block.begin, block.end) && within(j, block.begin, block.end);
            }
            if (deal->self && !own)
                found += seen[j * deal->others + i];
            assert_int_equal(found, own ? 0 : deal->self ? (unsigned)row + other : row);
        }
    free(seen);
}

TEST(each_pair_is_joined_by_one_rank)
{
    static const size_t sizes[] = {1, 2, 5, 9, 17, 24};
    for (unsigned ranks = 1; ranks <= MOST_RANKS; ranks++)
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
            for (size_t begin = 0; begin <= sizes[k]; begin++)
                for (size_t end = begin; end <= sizes[k]; end += 1 + (end - begin) / 3) {
                    const eb_deal self = {sizes[k], sizes[k], true, begin, end, ranks};
                    const eb_deal two = {sizes[k], 7, false, begin, end, ranks};
                    expect_each_pair_once(&self);
                    expect_each_pair_once(&two);
                }
}

RUN_TESTS
