/* kernels: the inner loops of a join by boxes, each compiled for several instruction sets (*_simd.c). */
#pragma once

#include "core/order/leaves.h"

/* The points of a leaf that are within ε of a query: bit k is the leaf's k-th point. */
typedef struct eb_mark {
    uint32_t leaf, lanes;
} eb_mark;

/* The leaves that may have points within ε of a given leaf's points, ascending, and their boxes in the layout of a
 * level. */
typedef struct eb_near {
    size_t count;
    uint32_t *leaf, *families; /* [all leaves] each; families is scratch */
    size_t room;               /* capacity of `bounds` in leaves */
    double *bounds;            /* [⌈room / 16⌉][d][2][16] */
} eb_near;

/* The work of a thread. */
typedef struct eb_effort {
    uint64_t leaf_pairs, leaves; /* leaf pairs listed; pairs of a query and a leaf with distances computed */
} eb_effort;

enum {
    EB_ROW_SLACK = 16, /* entries past a row's last that kernels may write */
    EB_RANKED = 128,   /* the longest row that is sorted by counting smaller columns */
};

typedef struct eb_boxes_kernels {
    /* Lists the leaves, from leaf `from` on, whose boxes are within the limit of a leaf's box. Does not gather
     * bounds. */
    void (*near)(const eb_leaves *leaves, uint32_t leaf, uint32_t from, double limit, eb_near *out);
    /* Writes the marks of a query [d] in the near leaves, at most one for each leaf, in the leaves' order, and returns
     * their number. The verdict is s ≤ limit with every instruction set. *points: number of points marked. */
    size_t (*mark)(const eb_leaves *leaves, const eb_near *near, const double *query, double limit, eb_mark *out,
                   uint32_t *points, eb_effort *effort);
    /* Writes for each box of a family the s that no point in it falls below, but for the rounding that eb_box_limit
     * allows for. gaps: [EB_SIBLINGS]. */
    void (*gaps)(const double *family, size_t d, const double *query, double *gaps);
    /* Writes the marked points and their s, bit for bit the exact engine's, and returns their number. The arrays have
     * room for EB_ROW_SLACK more. */
    size_t (*take)(const eb_leaves *leaves, const double *query, const eb_mark *marks, size_t count, uint32_t *columns,
                   double *s);
    /* Replaces each s by its distance, as eb_distance_of does. Writes up to the next multiple of 8. */
    void (*roots)(double *s, size_t count, double unit);
    /* rank[k]: number of columns less than columns[k]. Columns are distinct and below 2^31. Writes to both arrays up to
     * the next multiple of 16. */
    void (*rank)(uint32_t *columns, size_t count, uint32_t *rank);
} eb_boxes_kernels;

#define EB_BOXES_KERNELS(isa)                                                                                          \
    void eb_boxes_near_##isa(const eb_leaves *, uint32_t, uint32_t, double, eb_near *);                                \
    size_t eb_boxes_mark_##isa(const eb_leaves *, const eb_near *, const double *, double, eb_mark *, uint32_t *,      \
                               eb_effort *);                                                                           \
    void eb_boxes_gaps_##isa(const double *, size_t, const double *, double *);                                        \
    size_t eb_boxes_take_##isa(const eb_leaves *, const double *, const eb_mark *, size_t, uint32_t *, double *);      \
    void eb_boxes_roots_##isa(double *, size_t, double);                                                               \
    void eb_boxes_rank_##isa(uint32_t *, size_t, uint32_t *);
EB_BOXES_KERNELS(base)
EB_BOXES_KERNELS(avx2)
EB_BOXES_KERNELS(avx512)
