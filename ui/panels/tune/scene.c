#include "ui/panels/tune/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/report/find.h"

/* ---- S at an ε ---- */

/* The position of x between x0 and x1, 0 … 1, linear in log x if x0 > 0. Uses differences of logarithms, because
 * quotients may overflow. */
static double way(double x0, double x1, double x)
{
    double share = x0 > 0 ? (log(x) - log(x0)) / (log(x1) - log(x0)) : (x - x0) / (x1 - x0);
    return share > 0 ? fmin(share, 1) : 0; /* NAN, where x0 and x1 are too close, becomes 0 */
}

static double between(double y0, double y1, double share)
{
    if (share == 0 || share == 1)
        return share == 0 ? y0 : y1;
    return y0 > 0 && y1 > 0 ? y0 * pow(y1 / y0, share) : y0 + (y1 - y0) * share;
}

static double value_at(const double *y, size_t k, size_t next, double share)
{
    return y ? between(y[k], y[next], share) : NAN;
}

eb_expectation eb_expect(const eb_series *curve, double eps)
{
    eb_expectation nothing = {.s = NAN, .low = NAN, .high = NAN};
    if (!curve || curve->points == 0 || !(eps >= curve->x[0] && eps <= curve->x[curve->points - 1]))
        return nothing;
    size_t k = 0; /* the last point at most ε */
    while (k + 1 < curve->points && curve->x[k + 1] <= eps)
        k++;
    size_t next = k + 1 < curve->points && curve->x[k] < eps ? k + 1 : k;
    double share = next > k ? way(curve->x[k], curve->x[next], eps) : 0;
    return (eb_expectation){.s = value_at(curve->y, k, next, share),
                            .low = value_at(curve->low, k, next, share),
                            .high = value_at(curve->high, k, next, share)};
}

/* ---- the dial ---- */

/* The dial's length in natural logarithms. */
static double length_of(const eb_dial *dial) { return log(dial->high) - log(dial->low); }

double eb_dial_share(const eb_dial *dial, double eps)
{
    if (!(eps > dial->low))
        return 0;
    return eps < dial->high ? (log(eps) - log(dial->low)) / length_of(dial) : 1;
}

/* Digits with which rounding moves ε by less than a twentieth of a step. */
static int digits_of(const eb_dial *dial)
{
    double step = expm1(fmin(length_of(dial) / (double)dial->steps, 1));
    double digits = ceil(-log10(step)) + 2;
    return digits < 3 ? 3 : digits < 17 ? (int)digits : 17;
}

double eb_dial_at(const eb_dial *dial, double share)
{
    char text[40];
    if (!(share > 0))
        return dial->low;
    if (share >= 1)
        return dial->high;
    double eps = exp(log(dial->low) + length_of(dial) * share);
    (void)snprintf(text, sizeof text, "%.*g", digits_of(dial), eps);
    return fmin(fmax(strtod(text, NULL), dial->low), dial->high);
}

double eb_dial_turn(const eb_dial *dial, double eps, int steps)
{
    /* A tenth of a step is more than rounding moves ε, so that a rounded step counts as that step. */
    double at = eb_dial_share(dial, eps) * (double)dial->steps, near = 0.1;
    double from = steps > 0 ? floor(at + near) : ceil(at - near);
    return eb_dial_at(dial, (from + steps) / (double)dial->steps);
}

enum { SOURCES = 3, FINE_STEPS = 400 };

/* The commands whose reports have a curve. */
static const char *const source_names[SOURCES] = {"curve", "sweep", "tune"};
enum { FROM_SWEEP = 1 };

static const eb_series *curve_of(const eb_desk *desk, size_t source)
{
    const eb_series *series = eb_report_find_series(eb_desk_report(desk, source_names[source]), EB_F(curve));
    return series && series->points > 0 ? series : NULL;
}

static bool is_current(const eb_desk *desk, const char *command)
{
    return eb_desk_report_serial(desk, command) == eb_desk_facts(desk)->dataset_serial;
}

/* The source with the newest curve, of the loaded dataset or (current false) of another one; SOURCES: none. */
static size_t newest(const eb_desk *desk, bool current, bool with_sweep)
{
    size_t best = SOURCES;
    unsigned long stamp = 0;
    for (size_t k = 0; k < SOURCES; k++) {
        if (!curve_of(desk, k) || is_current(desk, source_names[k]) != current || (k == FROM_SWEEP && !with_sweep))
            continue;
        if (eb_desk_report_stamp(desk, source_names[k]) > stamp) {
            stamp = eb_desk_report_stamp(desk, source_names[k]);
            best = k;
        }
    }
    return best;
}

/* Extends the dial to a value above 0; low is 0 before the first value. */
static void widen(eb_dial *dial, double value)
{
    if (!(value > 0) || !isfinite(value))
        return;
    dial->low = dial->low > 0 ? fmin(dial->low, value) : value;
    dial->high = fmax(dial->high, value);
}

static void widen_by_series(eb_dial *dial, const eb_series *series)
{
    for (size_t k = 0; series && k < series->points; k++)
        widen(dial, series->x[k]);
}

double eb_tune_target_eps(const eb_table *targets, size_t row)
{
    double counted = eb_number_at(targets, row, EB_F(eps));
    return isnan(counted) ? eb_number_at(targets, row, EB_F(sampled_eps)) : counted;
}

static eb_dial dial_of(const eb_tune_scene *s, const eb_tune_state *state, double session_eps)
{
    eb_dial dial = {.steps = (unsigned)FINE_STEPS << state->zoom};
    widen_by_series(&dial, s->curve);
    widen_by_series(&dial, s->sampled);
    widen_by_series(&dial, s->sweep);
    for (size_t row = 0; s->targets && row < s->targets->rows; row++)
        widen(&dial, eb_tune_target_eps(s->targets, row));
    if (session_eps > dial.low / 10 && session_eps < dial.high * 10)
        widen(&dial, session_eps); /* an ε far away would shrink the curve */
    if (!(dial.low > 0))           /* all the distances are 0 */
        dial.low = dial.high = 1;
    if (!(dial.low < dial.high)) {
        dial.low /= 2;
        dial.high *= 2;
    }
    return dial;
}

/* The running command's report, if it has a sampled curve; else NULL. */
static const eb_report *live_of(const eb_desk *desk)
{
    const eb_report *live = eb_desk_live(desk);
    const eb_series *series = eb_report_find_series(live, EB_F(curve));
    return series && series->points > 0 ? live : NULL;
}

/* The scene of a running command: its targets are sampled, nothing is counted yet. */
static eb_tune_scene live_scene(const eb_tune_state *state, const eb_desk *desk, const eb_report *live)
{
    eb_tune_scene s = {.curve = eb_report_find_series(live, EB_F(curve)),
                       .targets = eb_report_find_table(live, EB_F(targets)),
                       .newest = live,
                       .live = true,
                       .counted = state->counted,
                       .count = state->count < EB_TUNE_COUNTED ? state->count : EB_TUNE_COUNTED};
    s.dial = dial_of(&s, state, eb_desk_facts(desk)->eps);
    return s;
}

static eb_tune_scene scene_of(const eb_tune_state *state, const eb_desk *desk)
{
    eb_tune_scene s = {0};
    bool current = true;
    if (live_of(desk))
        return live_scene(state, desk, live_of(desk));
    size_t found = newest(desk, true, true);
    if (found == SOURCES) {
        found = newest(desk, false, true);
        current = false;
    }
    if (found == SOURCES) {
        s.counted = state->counted;
        s.count = state->count < EB_TUNE_COUNTED ? state->count : EB_TUNE_COUNTED;
        return s;
    }
    s.curve = curve_of(desk, found);
    s.newest = eb_desk_report(desk, source_names[found]);
    s.stale = !current;
    if (found == FROM_SWEEP) {
        size_t behind = newest(desk, current, false);
        s.sampled = behind < SOURCES ? curve_of(desk, behind) : NULL;
    }
    if (is_current(desk, "sweep") == current) {
        s.sweep = curve_of(desk, FROM_SWEEP);
        s.swept = eb_report_find_table(eb_desk_report(desk, "sweep"), EB_F(points));
    }
    if (is_current(desk, "tune") == current) {
        s.targets = eb_report_find_table(eb_desk_report(desk, "tune"), EB_F(targets));
        s.tuned_by = eb_value_text_or(eb_report_find_field(eb_desk_report(desk, "tune"), EB_F(engine)), "tune");
    }
    if (current) {
        s.counted = state->counted;
        s.count = state->count < EB_TUNE_COUNTED ? state->count : EB_TUNE_COUNTED;
    }
    s.dial = dial_of(&s, state, eb_desk_facts(desk)->eps);
    return s;
}

/* ---- remembered counts ---- */

static eb_counted counted_of(double eps, double s, eb_value pairs, eb_value by)
{
    eb_counted c = {.eps = eps, .s = s};
    bool number = pairs.kind == EB_INTEGER || pairs.kind == EB_UNSIGNED || pairs.kind == EB_REAL;
    c.pairs = number ? pairs : eb_na(); /* a text would be freed with its report */
    (void)snprintf(c.by, sizeof c.by, "%s", eb_value_text_or(by, "an engine"));
    return c;
}

/* Remembers a count, in place of an older one at the same ε. */
static void remember(eb_tune_state *state, eb_value eps, eb_value s, eb_value pairs, eb_value by)
{
    eb_counted c = counted_of(eb_value_number(eps), eb_value_number(s), pairs, by);
    if (isnan(c.eps) || isnan(c.s))
        return;
    for (size_t k = 0; k < state->count && k < EB_TUNE_COUNTED; k++)
        if (state->counted[k].eps == c.eps) {
            state->counted[k] = c;
            return;
        }
    state->counted[state->count++ % EB_TUNE_COUNTED] = c;
}

static void remember_join(eb_tune_state *state, const eb_report *join)
{
    remember(state, eb_report_find_field(join, EB_F(eps)), eb_report_find_field(join, EB_F(selectivity)),
             eb_report_find_field(join, EB_F(pairs)), eb_report_find_field(join, EB_F(engine)));
}

/* Remembers a comparison's counts; the exact engine's row comes last and wins. */
static void remember_comparison(eb_tune_state *state, const eb_report *compare)
{
    const eb_table *runs = eb_report_find_table(compare, EB_F(runs));
    for (size_t row = 0; runs && row < runs->rows; row++)
        remember(state, eb_table_value(runs, row, EB_F(eps)), eb_table_value(runs, row, EB_F(selectivity)),
                 eb_table_value(runs, row, EB_F(pairs)), eb_table_value(runs, row, EB_F(engine)));
}

static void take_counts(eb_tune_state *state, const eb_desk *desk)
{
    unsigned long joins = eb_desk_report_count(desk, "join"), compares = eb_desk_report_count(desk, "compare");
    if (state->joins != joins && is_current(desk, "join"))
        remember_join(state, eb_desk_report(desk, "join"));
    if (state->compares != compares && is_current(desk, "compare"))
        remember_comparison(state, eb_desk_report(desk, "compare"));
    state->joins = joins;
    state->compares = compares;
}

/* ---- ε ---- */

static bool differs(double a, double b) { return !(a == b) && !(isnan(a) && isnan(b)); }

/* Moves the cursor to the session's ε if that is new. If the session has no ε, moves it to the dial's middle. An ε that
 * this panel asked to count becomes the session's, but does not move the cursor, which may have moved on. */
static void place(eb_tune_state *state, const eb_tune_scene *s, const eb_facts *facts)
{
    if (differs(facts->eps, state->session_eps)) {
        state->session_eps = facts->eps;
        if (facts->eps > 0 && differs(facts->eps, state->counted_eps)) {
            state->eps = facts->eps;
            state->moved = false;
        }
    }
    if (!state->moved && facts->eps > 0)
        state->eps = facts->eps; /* the ends of an earlier curve may have limited it */
    if (!s->curve)
        return;
    if (s->live && s->targets && s->targets->rows > 0 && !state->placed) { /* the last target's sampled ε */
        double sampled = eb_tune_target_eps(s->targets, s->targets->rows - 1);
        state->eps = sampled > 0 ? sampled : state->eps;
    }
    state->placed = s->live && s->targets;
    if (!(state->eps > 0))
        state->eps = facts->eps >= s->dial.low && facts->eps <= s->dial.high ? facts->eps : eb_dial_at(&s->dial, 0.5);
    state->eps = fmin(fmax(state->eps, s->dial.low), s->dial.high);
}

/* Scrolls the visible part of the dial only when ε comes near its ends. */
void eb_tune_keep_in_sight(eb_tune_state *state, const eb_tune_scene *s)
{
    double width = ldexp(1, -(int)state->zoom), margin = 0.1 * width, at = eb_dial_share(&s->dial, state->eps);
    state->from = fmin(fmax(state->from, at + margin - width), at - margin);
    state->from = fmin(fmax(state->from, 0), 1 - width);
}

eb_tune_scene eb_tune_scene_of(eb_tune_state *state, const eb_desk *desk)
{
    const eb_facts *facts = eb_desk_facts(desk);
    if (state->serial != facts->dataset_serial) {
        state->serial = facts->dataset_serial;
        state->eps = NAN;
        state->moved = false;
        state->zoom = 0;
        state->count = 0;
    }
    take_counts(state, desk);
    eb_tune_scene s = scene_of(state, desk);
    place(state, &s, facts);
    if (s.curve)
        eb_tune_keep_in_sight(state, &s);
    return s;
}

void eb_tune_zoom(eb_tune_state *state, const eb_tune_scene *s, unsigned to)
{
    double at = eb_dial_share(&s->dial, state->eps);
    state->zoom = to;
    state->from = at - 0.5 * ldexp(1, -(int)to);
    eb_tune_keep_in_sight(state, s);
}

eb_expectation eb_tune_expected(const eb_tune_scene *s, double eps)
{
    eb_expectation e = eb_expect(s->curve, eps);
    return isnan(e.s) ? eb_expect(s->sampled, eps) : e;
}

/* ---- counts ---- */

static void find_in(const eb_table *table, double eps, const char *by, eb_counted *out)
{
    for (size_t row = 0; table && row < table->rows; row++) {
        double s = eb_number_at(table, row, EB_F(selectivity)); /* an estimate if the pairs were not counted */
        if (eb_number_at(table, row, EB_F(eps)) == eps && !isnan(s) && !isnan(eb_number_at(table, row, EB_F(pairs))))
            *out = counted_of(eps, s, eb_table_value(table, row, EB_F(pairs)), eb_text(by));
    }
}

eb_counted eb_tune_counted(const eb_tune_scene *s, double eps)
{
    eb_counted found = {.eps = eps, .s = NAN};
    find_in(s->swept, eps, "sweep", &found);
    find_in(s->targets, eps, s->tuned_by, &found);
    for (size_t k = 0; k < s->count; k++)
        if (s->counted[k].eps == eps)
            found = s->counted[k];
    return found;
}

/* ---- the plot's axes ---- */

/* Extends the range to the series' S within the visible ε, with the band's upper end; its lower end may be 0, which a
 * log axis cannot show. */
static void take_series(eb_dial *all, const eb_series *series, const eb_axis *x)
{
    for (size_t k = 0; series && k < series->points; k++)
        if (series->x[k] >= x->low && series->x[k] <= x->high) {
            widen(all, series->y[k]);
            if (series->high)
                widen(all, series->high[k]);
        }
    widen(all, eb_expect(series, x->low).s);
    widen(all, eb_expect(series, x->high).s);
}

eb_plot eb_tune_plot(const eb_tune_state *state, const eb_tune_scene *s)
{
    eb_dial y = {.low = 0};
    eb_plot plot = {.x = {.log = true, .title = s->curve->x_title}};
    double width = ldexp(1, -(int)state->zoom), length = log(s->dial.high) - log(s->dial.low);
    plot.x.low = s->dial.low * exp(length * state->from);
    plot.x.high = state->zoom == 0 ? s->dial.high : fmin(plot.x.low * exp(length * width), s->dial.high);
    take_series(&y, s->curve, &plot.x);
    take_series(&y, s->sampled, &plot.x);
    take_series(&y, s->sweep, &plot.x);
    const double ends[] = {y.low, y.high};
    plot.y = eb_axis_of(2, ends, true, s->curve->y_title);
    return plot;
}
