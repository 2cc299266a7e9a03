#include "core/ranks/blocks/deal.h"

#include "core/ranks/part.h"

eb_rows eb_block_of(size_t n, unsigned rank, unsigned ranks)
{
    return (eb_rows){eb_first_of_rank(n, rank, ranks), eb_first_of_rank(n, rank + 1, ranks)};
}

unsigned eb_deal_steps(const eb_deal *deal) { return deal->self ? deal->ranks / 2 + 1 : deal->ranks; }

static eb_rows both(eb_rows a, eb_rows b)
{
    const eb_rows common = {a.begin > b.begin ? a.begin : b.begin, a.end < b.end ? a.end : b.end};
    return eb_rows_empty(common) ? (eb_rows){0, 0} : common;
}

static void add(eb_deal_step *step, eb_rows left, eb_rows right, unsigned ends, bool turned)
{
    if (!eb_rows_empty(left) && !eb_rows_empty(right))
        step->rectangle[step->count++] = (eb_rectangle){left, right, ends, turned};
}

/* The pairs of left × right that have an end in the share's rows. */
static void cut(eb_deal_step *step, eb_rows left, eb_rows right, eb_rows share)
{
    const eb_rows rows = both(left, share), columns = both(right, share);
    if (eb_rows_empty(rows)) {
        add(step, left, columns, 1, true);
        return;
    }
    if (eb_rows_empty(columns)) {
        add(step, rows, right, 1, false);
        return;
    }
    add(step, rows, columns, 2, false);
    add(step, rows, (eb_rows){right.begin, columns.begin}, 1, false);
    add(step, rows, (eb_rows){columns.end, right.end}, 1, false);
    add(step, (eb_rows){left.begin, rows.begin}, columns, 1, true);
    add(step, (eb_rows){rows.end, left.end}, columns, 1, true);
}

/* In the last step for an even number of ranks, two ranks meet. */
static void halve(unsigned rank, unsigned other, eb_rows *own, eb_rows *others)
{
    eb_rows *const halved = rank < other ? own : others;
    const size_t middle = halved->begin + (halved->end - halved->begin) / 2;
    if (rank < other)
        halved->end = middle;
    else
        halved->begin = middle;
}

static void find_needed(eb_deal_step *step)
{
    for (size_t k = 0; k < step->count; k++) {
        const eb_rows right = step->rectangle[k].right;
        if (k == 0 || right.begin < step->needed.begin)
            step->needed.begin = right.begin;
        if (k == 0 || right.end > step->needed.end)
            step->needed.end = right.end;
    }
}

void eb_deal_at(const eb_deal *deal, unsigned rank, unsigned step, eb_deal_step *out)
{
    const unsigned other = (unsigned)(((uint64_t)rank + step) % deal->ranks);
    const eb_rows share = {deal->row_begin, deal->row_end};
    eb_rows own = eb_block_of(deal->n, rank, deal->ranks), others = eb_block_of(deal->others, other, deal->ranks);
    *out = (eb_deal_step){.other = other};
    if (!deal->self) {
        add(out, both(own, share), others, 1, false);
    } else if (step > 0) {
        if (2 * step == deal->ranks)
            halve(rank, other, &own, &others);
        cut(out, own, others, share);
    }
    find_needed(out);
}

unsigned eb_deal_takers(const eb_deal *deal, unsigned rank)
{
    unsigned takers = 0;
    for (unsigned step = 1; step < eb_deal_steps(deal); step++) {
        eb_deal_step of;
        const unsigned taker = (unsigned)(((uint64_t)rank + deal->ranks - step) % deal->ranks);
        eb_deal_at(deal, taker, step, &of);
        takers += !eb_rows_empty(of.needed);
    }
    return takers;
}
