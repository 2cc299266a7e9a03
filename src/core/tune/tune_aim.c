/* tune_aim: chooses the brackets, and the edges that one pass over all brackets needs. */
#include "core/tune/tune_search.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/tune/order_statistic.h"

#define BRACKET_SIGMAS 4.0
#define BEYOND 0x1p-10 /* how far beyond a bracket pairs are counted, relative to ε */

/* Pieces of a bracket that is not kept, equal in bit patterns: six passes narrow 2^62 patterns to one. */
#define PIECES 4096u
/* Squared distances that are whole numbers have many ties. If a bracket contains at most this many whole numbers, each
 * gets an interval of its own, one ε wide, so that the counting pass is the last one. */
#define WHOLE_NUMBERS 4096.0

/* Upper bound of all distances: twice the farthest distance that a query saw, and a little more for rounding. */
static double farthest(const eb_curve *curve)
{
    double seen = curve->points > 0 ? curve->eps[curve->points - 1] : NAN;
    double bound = 2 * seen * (1 + 0x1p-20);
    return bound <= DBL_MAX ? bound : DBL_MAX;
}

static double expected_pairs(const eb_curve *curve, double s_above, double s_below)
{
    double n = (double)curve->n, most = n * (n - 1) / 2;
    double pairs = (s_above - s_below) * n / 2;
    return pairs >= 0 && pairs < most ? pairs : most;
}

/* Sets the bracket from the last edge where S is below the target by 4σ to the first edge where S is above the target
 * by 4σ. */
static void aim_by_curve(eb_search *b, const eb_curve *curve)
{
    double wanted = b->target->wanted, below = 0, above = (double)curve->n - 1;
    b->low = 0;
    b->high = farthest(curve);
    for (size_t k = 0; k < curve->points; k++) {
        double margin = BRACKET_SIGMAS * curve->s_error[k];
        if (curve->s[k] + margin < wanted) {
            b->low = curve->eps[k];
            below = curve->s[k] - margin;
        }
        if (curve->s[k] - margin >= wanted) {
            b->high = curve->eps[k];
            above = curve->s[k] + margin;
            break;
        }
    }
    b->expected = expected_pairs(curve, above, fmax(below, 0));
}

/* The answer is beyond all pairs counted. Scales the curve by its error at the floor, and doubles that. If this bracket
 * misses too, the next one includes everything beyond the floor. */
static void aim_higher(eb_search *b, const eb_curve *curve)
{
    double n = (double)curve->n, counted = 2 * (double)b->floor_pairs / n;
    double ratio = counted / eb_curve_selectivity(curve, b->floor, NULL, NULL);
    double high = b->misses < 2 && ratio > 0 ? eb_curve_eps(curve, 2 * b->target->wanted / fmin(ratio, 1)) : NAN;
    b->low = b->floor;
    if (high > b->floor) {
        b->high = high;
        b->expected = expected_pairs(curve, 4 * b->target->wanted, counted);
        return;
    }
    b->high = b->misses < 2 && farthest(curve) > b->floor ? farthest(curve) : DBL_MAX;
    b->expected = expected_pairs(curve, n - 1, counted);
}

void eb_search_aim(eb_search *b, const eb_curve *curve)
{
    if (!isnan(b->ceiling)) {
        b->low = b->floor;
        b->high = b->ceiling;
        b->expected = (double)(b->ceiling_pairs - b->floor_pairs);
    } else if (b->floor >= 0) {
        aim_higher(b, curve);
    } else {
        aim_by_curve(b, curve);
        /* No usable curve: search everywhere. */
        if (!(b->low >= 0 && b->high >= b->low && b->high <= DBL_MAX)) {
            b->low = 0;
            b->high = DBL_MAX;
            b->expected = expected_pairs(curve, INFINITY, 0);
        }
    }
    b->cut = false;
    b->target->bracket_low = b->low;
    b->target->bracket_high = b->high;
}

void eb_searches_limit(eb_search *searches, size_t count, uint64_t keep_limit)
{
    for (;;) {
        double sum = 0;
        eb_search *fullest = NULL;
        for (size_t k = 0; k < count; k++) {
            eb_search *b = &searches[k];
            if (b->found || b->cut)
                continue;
            sum += b->expected;
            if (!fullest || b->expected > fullest->expected)
                fullest = b;
        }
        if (sum <= (double)keep_limit || !fullest)
            return;
        fullest->cut = true;
    }
}

/* ---- edges ---- */

typedef struct edge_list {
    double *eps;
    size_t count, room;
    bool failed;
} edge_list;

static void add_edge(edge_list *list, double eps)
{
    if (eb_array_grow(&list->eps, list->count, &list->room, sizeof *list->eps, 64))
        list->eps[list->count++] = eps;
    else
        list->failed = true;
}

/* Non-negative doubles ascend with their bit patterns. */
static void add_pieces(edge_list *list, double low, double high)
{
    uint64_t from, to;
    memcpy(&from, &low, sizeof from);
    memcpy(&to, &high, sizeof to);
    uint64_t step = (to - from) / PIECES + 1;
    for (uint64_t at = from; to - at > step;) {
        at += step;
        double eps;
        memcpy(&eps, &at, sizeof eps);
        add_edge(list, eps);
    }
}

static void add_whole_numbers(edge_list *list, double low, double high)
{
    double before = floor(eb_squared_threshold(low)), last = floor(eb_squared_threshold(high));
    if (!(last - before <= WHOLE_NUMBERS && last < 0x1p53))
        return;
    unsigned count = (unsigned)(last - before);
    for (unsigned k = 1; k <= count; k++) {
        double eps = eb_smallest_eps(before + k);
        add_edge(list, nextafter(eps, 0));
        add_edge(list, eps);
    }
}

static void sort_and_merge(edge_list *list)
{
    qsort(list->eps, list->count, sizeof *list->eps, eb_compare_doubles);
    size_t merged = 0;
    for (size_t k = 0; k < list->count; k++)
        if (merged == 0 || list->eps[k] > list->eps[merged - 1])
            list->eps[merged++] = list->eps[k];
    list->count = merged;
}

/* Interval x is kept if a bracket that is kept covers it and no bracket that is cut does: those contain too many
 * distances. The first interval ends where the lowest bracket begins and belongs to no bracket. */
static bool keeps(const eb_search *searches, size_t count, const double *eps, size_t x)
{
    bool keep = false;
    for (size_t k = 0; k < count && x > 0; k++) {
        const eb_search *b = &searches[k];
        if (b->found || !(b->low <= eps[x - 1] && eps[x] <= b->high))
            continue;
        if (b->cut)
            return false;
        keep = true;
    }
    return keep;
}

eb_code eb_pass_make(const eb_search *searches, size_t count, eb_distance_pass *out, eb_status *status)
{
    edge_list list = {.eps = NULL};
    for (size_t k = 0; k < count; k++) {
        const eb_search *b = &searches[k];
        if (b->found)
            continue;
        if (b->floor < 0)
            add_edge(&list, 0); /* costs nothing, and answers targets that duplicates alone reach */
        add_edge(&list, b->low);
        add_edge(&list, b->high);
        if (b->high * (1 + BEYOND) <= DBL_MAX)
            add_edge(&list, b->high * (1 + BEYOND));
        if (b->cut) {
            add_pieces(&list, b->low, b->high);
            add_whole_numbers(&list, b->low, b->high);
        }
    }
    if (!list.failed && list.count > 0)
        sort_and_merge(&list);
    bool *keep = calloc(list.count + 1, sizeof *keep);
    *out = (eb_distance_pass){.edges = list.count, .eps = list.eps, .keep = keep};
    out->pairs = calloc(list.count + 1, sizeof *out->pairs);
    out->kept = calloc(list.count + 1, sizeof(double *));
    if (list.failed || !keep || !out->pairs || !out->kept) {
        eb_pass_free(out);
        return eb_fail_memory(status, "the brackets", list.count * 4 * sizeof(double));
    }
    for (size_t x = 0; x < out->edges; x++)
        keep[x] = keeps(searches, count, out->eps, x);
    return EB_OK;
}

void eb_pass_free(eb_distance_pass *pass)
{
    for (size_t k = 0; pass->kept && k < pass->edges; k++)
        free(pass->kept[k]);
    free((void *)(uintptr_t)pass->eps);
    free((void *)(uintptr_t)pass->keep);
    free(pass->pairs);
    free(pass->kept);
    *pass = (eb_distance_pass){.edges = 0};
}
