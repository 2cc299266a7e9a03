#include "ui/panels/precision/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/report/find.h"
#include "draw/format.h"

enum { NUMBER = 48 };

/* ---- the report ---- */

static bool has_rungs(const eb_report *report)
{
    double eps[EB_MOST_RUNG_EPS];
    return report && eb_pareto_eps(report, eps) > 0;
}

static const eb_report *live_of(const eb_desk *desk)
{
    const eb_report *live = eb_desk_busy(desk) ? eb_desk_live(desk) : NULL;
    return live && strcmp(live->command, "precision") == 0 && has_rungs(live) ? live : NULL;
}

static double bytes_of(const eb_precision_scene *s, size_t dot)
{
    return eb_number_at(s->rungs, s->pareto.dot[dot].row, EB_F(rung_bytes));
}

static bool is_enough(const eb_precision_scene *s, size_t dot) { return s->pareto.dot[dot].lost <= s->pareto.allowed; }

/* True if dot a is to be preferred to dot b. */
static bool is_better(const eb_precision_scene *s, size_t a, size_t b)
{
    const bool enough = is_enough(s, a);
    if (enough != is_enough(s, b))
        return enough;
    if (enough && bytes_of(s, a) != bytes_of(s, b))
        return bytes_of(s, a) < bytes_of(s, b);
    return s->pareto.dot[a].lost < s->pareto.dot[b].lost;
}

size_t eb_precision_enough(const eb_precision_scene *s)
{
    size_t best = 0;
    for (size_t k = 1; k < s->pareto.dots; k++)
        if (is_better(s, k, best))
            best = k;
    return best;
}

static size_t chosen_of(const eb_precision_scene *s, const eb_precision_view *view)
{
    for (size_t k = 0; k < s->pareto.dots; k++)
        if (strcmp(s->pareto.dot[k].name, view->rung) == 0)
            return k;
    return eb_precision_enough(s);
}

eb_precision_scene eb_precision_scene_of(const eb_desk *desk, const eb_precision_view *view)
{
    eb_precision_scene s = {.report = live_of(desk)};
    s.live = s.report != NULL;
    if (!s.report && has_rungs(eb_desk_report(desk, "precision")))
        s.report = eb_desk_report(desk, "precision");
    if (!s.report)
        return s;
    s.rungs = eb_report_find_table(s.report, EB_F(rungs));
    s.stale = !s.live && eb_desk_report_serial(desk, "precision") != eb_desk_facts(desk)->dataset_serial;
    s.eps_count = eb_pareto_eps(s.report, s.eps);
    s.at = s.eps_count - 1;
    for (size_t k = 0; k < s.eps_count; k++)
        if (s.eps[k] == view->eps)
            s.at = k;
    s.rates = eb_pareto_has_rates(s.report);
    s.pareto = eb_pareto_of(s.report, s.eps[s.at], s.rates && !view->by_bytes);
    s.chosen = chosen_of(&s, view);
    for (size_t k = 0; k < s.pareto.dots; k++)
        s.measured += s.pareto.dot[k].measured;
    return s;
}

/* ---- words ---- */

typedef struct sentence {
    FILE *out;
    const eb_table *table;
    size_t row;
} sentence;

/* Says a value of the row between two texts, if it is known. */
static void say_value(sentence *to, const char *before, const eb_column *key, const char *after)
{
    char text[NUMBER];
    const eb_value value = eb_table_value(to->table, to->row, key);
    if (value.kind != EB_NA)
        (void)fprintf(to->out, "%s%s%s", before, eb_format_value(text, sizeof text, value, key->unit), after);
}

static void say_prediction(sentence *to)
{
    char low[NUMBER], high[NUMBER];
    const eb_value from = eb_table_value(to->table, to->row, EB_F(overlap_low)),
                   until = eb_table_value(to->table, to->row, EB_F(overlap_high));
    say_value(to, " predicted ", EB_F(overlap_predicted), "");
    if (eb_value_number(from) < eb_value_number(until))
        (void)fprintf(to->out, " (%s to %s)", eb_format_value(low, sizeof low, from, EB_PERCENT),
                      eb_format_value(high, sizeof high, until, EB_PERCENT));
    say_value(to, ", measured ", EB_F(overlap), "");
    say_value(to, ": ", EB_F(prediction), "");
}

static void say_speed(sentence *to)
{
    say_value(to, "; kernels ", EB_F(kernel_s), "");
    say_value(to, ", ", EB_F(tflops_derived), "");
    say_value(to, ", ", EB_F(limit_share), " of limit");
    say_value(to, ", end to end ", EB_F(total_s), "");
}

static void say_preparations(sentence *to, const eb_precision_scene *s)
{
    char raw[NUMBER], with[NUMBER];
    const eb_rung_dot *dot = &s->pareto.dot[s->chosen];
    const eb_table *t = eb_report_find_table(s->report, EB_F(preparations));
    for (size_t row = 0; t && row < t->rows; row++)
        if (eb_pareto_is_prepared(t, row, dot))
            (void)fprintf(to->out, "; %s: %s, without it %s", eb_text_at(t, row, EB_F(preparation)),
                          eb_format_value(with, sizeof with, eb_table_value(t, row, EB_F(overlap_prepared)),
                                          EB_PERCENT),
                          eb_format_value(raw, sizeof raw, eb_table_value(t, row, EB_F(overlap_raw)), EB_PERCENT));
}

char *eb_precision_words(const eb_precision_scene *s, char *buffer, size_t size)
{
    const eb_rung_dot *dot = &s->pareto.dot[s->chosen];
    sentence to = {.out = fmemopen(buffer, size, "w"), .table = s->rungs, .row = dot->row};
    buffer[0] = '\0';
    if (!to.out)
        return buffer;
    (void)fprintf(to.out, "%c %s:", dot->mark, dot->name);
    say_prediction(&to);
    say_speed(&to);
    say_value(&to, "; least ", EB_F(worst_overlap), "");
    if (eb_number_at(to.table, to.row, EB_F(worst_overlap)) < 1)
        say_value(&to, " at point ", EB_F(worst_point), "");
    say_value(&to, ", all but 1 % of points ", EB_F(overlap_p01), "");
    say_value(&to, "; keeps ", EB_F(pairs_kept), " of the pairs");
    say_value(&to, ", ", EB_F(pairs_right), " of its own are right");
    say_value(&to, "; error ", EB_F(error_of_eps), " of ε");
    say_value(&to, ", 99.9 % below ", EB_F(error_p999_of_eps), "");
    say_value(&to, ", largest ", EB_F(error_most_of_eps), "");
    say_value(&to, ", bias ", EB_F(error_bias_of_eps), "");
    say_value(&to, ", ", EB_F(inputs_share), " of it by rounding the points");
    say_value(&to, "; of the k nearest it finds ", EB_F(knn_recall), "");
    say_value(&to, ", tau ", EB_F(kendall_tau), "");
    say_value(&to, "; complete at ε ", EB_F(complete_eps), "");
    say_value(&to, ", with ", EB_F(complete_price), " the pairs");
    say_value(&to, "; to rescore ", EB_F(rescore), "");
    say_preparations(&to, s);
    say_value(&to, "; bytes a coordinate ", EB_F(rung_bytes), "");
    say_value(&to, ", a point ", EB_F(point_bytes), "");
    say_value(&to, "; model ", EB_F(rate_model), "");
    (void)fprintf(to.out, "%s%s", dot->spec[0] ? "; " : "", dot->spec);
    (void)fclose(to.out);
    buffer[size - 1] = '\0'; /* a longer text is cut */
    return buffer;
}
