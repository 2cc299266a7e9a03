/* words: declarations shared by the files of conclusions: the list of conclusions, and short forms of numbers. */
#pragma once

#include <math.h>

#include "core/report/find.h"
#include "core/report/report.h"
#include "draw/format.h"

/* The commands whose reports get a conclusion: eb_conclude_COMMAND adds it if the report has the numbers for it. */
#define EB_CONCLUSIONS(X)                                                                                              \
    X(load)                                                                                                            \
    X(info)                                                                                                            \
    X(project)                                                                                                         \
    X(engines)                                                                                                         \
    X(devices)                                                                                                         \
    X(tune)                                                                                                            \
    X(curve)                                                                                                           \
    X(sweep)                                                                                                           \
    X(kdistance)                                                                                                       \
    X(clusters)                                                                                                        \
    X(dbscan)                                                                                                          \
    X(neighbours)                                                                                                      \
    X(knn)                                                                                                             \
    X(join)                                                                                                            \
    X(save)                                                                                                            \
    X(hist)                                                                                                            \
    X(show)                                                                                                            \
    X(diff)                                                                                                            \
    X(precisions)                                                                                                      \
    X(export)                                                                                                          \
    X(explain)                                                                                                         \
    X(ablate)                                                                                                          \
    X(model)                                                                                                           \
    X(grid)                                                                                                            \
    X(recall)                                                                                                          \
    X(index)                                                                                                           \
    X(counters)

#define EB_DECLARE(command) void eb_conclude_##command(eb_report *report);
EB_CONCLUSIONS(EB_DECLARE)
#undef EB_DECLARE

enum { EB_WORD = 64 };

/* Texts like "0.0473", "6.5 M", "99.6 %", "12.3 ms", "1 pair", "6,538 pairs", valid until the end of the block. */
#define EB_BRIEF(value, unit) eb_format_brief((char[EB_WORD]){0}, EB_WORD, (value), (unit))
#define EB_NUMBER(x) EB_BRIEF(eb_real(x), EB_PLAIN)
#define EB_SHARE(x) EB_BRIEF(eb_real(x), EB_PERCENT)
#define EB_TIME(x) EB_BRIEF(eb_real(x), EB_SECONDS)
#define EB_COUNT(count, one, many) eb_format_counted((char[EB_WORD]){0}, EB_WORD, (count), (one), (many))

/* x with two digits, rounded up, so that it is a bound wherever x is one. */
#define EB_AT_MOST(x) eb_at_most((char[EB_WORD]){0}, EB_WORD, (x))
char *eb_at_most(char *buffer, size_t size, double x);

/* A number with few digits near the middle of low and high, short enough to type; "" if none lies between them. */
#define EB_MIDDLE(low, high) eb_middle((char[EB_WORD]){0}, EB_WORD, (low), (high))
char *eb_middle(char *buffer, size_t size, double low, double high);

/* "neighbour" or "neighbours". */
static inline const char *eb_neighbour_word(double count) { return count == 1 ? "neighbour" : "neighbours"; }

/* If two or more pairs (`near`) lie at ε and none between ε and `beyond`, adds a note with a command whose ε lies in
 * that gap. beyond NAN: unknown, no note. */
void eb_note_gap(eb_report *report, double eps, uint64_t near, double beyond);
