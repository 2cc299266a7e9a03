#include "ui/panels/compare/scene.h"

#include <math.h>
#include <string.h>

#include "core/engine/figure.h"
#include "core/report/find.h"

/* ---- the sides ---- */

static void add_side(eb_compare_scene *s, eb_side side, double executed, double derived)
{
    if (s->sides == EB_MOST_SIDES)
        return;
    side.executed = !isnan(executed);
    side.rate = side.executed ? executed : derived;
    s->side[s->sides++] = side;
}

static void read_runs(eb_compare_scene *s, const eb_table *runs)
{
    for (size_t row = 0; row < runs->rows; row++)
        add_side(s,
                 (eb_side){.engine = eb_value_text_or(eb_table_value(runs, row, EB_F(spec)),
                                                      eb_value_text_or(eb_table_value(runs, row, EB_F(engine)), "?")),
                           .state = eb_text_at(runs, row, EB_F(state)),
                           .device = eb_text_at(runs, row, EB_F(device)),
                           .limit_share = eb_number_at(runs, row, EB_F(limit_share)),
                           .evenness = eb_number_at(runs, row, EB_F(evenness)),
                           .trials = eb_table_value(runs, row, EB_F(trials))},
                 eb_number_at(runs, row, EB_F(tflops_executed)), eb_number_at(runs, row, EB_F(tflops_derived)));
}

/* A join reports its one run as fields. */
static void read_run(eb_compare_scene *s)
{
    const eb_report *r = s->report;
    add_side(s,
             (eb_side){.engine = eb_value_text_or(eb_report_find_field(r, EB_F(spec)),
                                                  eb_value_text_or(eb_report_find_field(r, EB_F(engine)), "?")),
                       .state = eb_text_of(r, EB_F(state)),
                       .device = eb_text_of(r, EB_F(device)),
                       .limit_share = eb_number_of(r, EB_F(limit_share)),
                       .evenness = eb_number_of(r, EB_F(evenness)),
                       .trials = eb_report_find_field(r, EB_F(trials))},
             eb_number_of(r, EB_F(tflops_executed)), eb_number_of(r, EB_F(tflops_derived)));
}

/* ---- where the time went ---- */

static double *place(eb_compare_scene *s, size_t side, size_t part) { return &s->seconds[side * s->parts + part]; }

/* A bar has at most as many parts as there are colours. With one part more, norms are added to the conversion: both
 * prepare the points. Further parts are added up as "all else", so that no time is left out. */
static const char all_else[] = "all else";
enum { LAST_PART = EB_MOST_PARTS - 1 };

static void add_seconds(double *at, double value) { *at = isnan(value) ? *at : value + (isnan(*at) ? 0 : *at); }

/* The part that shows a figure of this key. */
typedef struct shown_as {
    size_t count;
    const char *key[EB_MOST_FIGURES + EB_MOST_PARTS];
    size_t part[EB_MOST_FIGURES + EB_MOST_PARTS];
} shown_as;

static void show_as(shown_as *as, const char *key, size_t part)
{
    if (as->count == sizeof as->key / sizeof as->key[0])
        return;
    as->key[as->count] = key;
    as->part[as->count++] = part;
}

static void read_split(eb_compare_scene *s, const eb_table *split, shown_as *as)
{
    size_t first = 1 + (eb_table_find_column(split, EB_F(spec)) == 1); /* engine and spec name the row */
    size_t wanted = split->columns - first, merged = EB_MOST_PARTS;
    int norms = eb_table_find_column(split, EB_F(norms_s)), convert = eb_table_find_column(split, EB_F(convert_s));
    if (wanted > EB_MOST_PARTS && norms > 1 && convert == norms - 1)
        merged = (size_t)norms - first;
    s->parts = wanted > EB_MOST_PARTS ? EB_MOST_PARTS : wanted;
    bool crowded = wanted - (merged < EB_MOST_PARTS) > EB_MOST_PARTS;
    for (size_t k = 0; k < s->sides * s->parts; k++)
        s->seconds[k] = NAN;
    for (size_t k = 0; k < wanted; k++) {
        size_t part = k - (k >= merged);
        bool rest = crowded && part >= LAST_PART;
        part = rest ? LAST_PART : part;
        show_as(as, split->column[k + first].key, part);
        s->part[part] = rest ? all_else : k == merged ? "conversion, norms" : split->column[k + first].title;
        for (size_t side = 0; side < s->sides && side < split->rows; side++)
            add_seconds(place(s, side, part), eb_value_number(split->cell[side * split->columns + k + first]));
    }
}

/* Reads the parts of a single run, whose report has a row for each part. */
static void read_timing(eb_compare_scene *s, const eb_table *timing, shown_as *as)
{
    bool merge = timing->rows > EB_MOST_PARTS, norms = false;
    for (size_t row = 1; row < timing->rows; row++)
        norms |= strcmp(eb_text_at(timing, row, EB_F(part)), EB_F(norms_s)->title) == 0;
    bool crowded = timing->rows - (merge && norms) > EB_MOST_PARTS;
    s->parts = 0;
    for (size_t row = 0; row < timing->rows; row++) {
        const char *name = eb_text_at(timing, row, EB_F(part));
        double value = eb_number_at(timing, row, EB_F(median_s));
        if (merge && s->parts > 0 && strcmp(name, EB_F(norms_s)->title) == 0) {
            s->part[s->parts - 1] = "conversion, norms";
            add_seconds(&s->seconds[s->parts - 1], value);
        } else if (crowded && s->parts == EB_MOST_PARTS) {
            s->part[LAST_PART] = all_else;
            add_seconds(&s->seconds[LAST_PART], value);
        } else if (s->parts < EB_MOST_PARTS) {
            s->part[s->parts] = name;
            s->seconds[s->parts++] = value;
        }
        if (s->parts > 0)
            show_as(as, eb_text_at(timing, row, EB_F(metric)), s->parts - 1);
    }
}

/* ---- devices of teams ---- */

/* The side of the next run by a team: members are listed run by run, and a run without a trial has none. */
static size_t next_team(const eb_compare_scene *s, size_t from, const char *spec)
{
    while (from < s->sides && (strchr(s->side[from].device, '+') == NULL || strcmp(s->side[from].engine, spec) != 0))
        from++;
    return from;
}

static eb_lane read_lane(const eb_compare_scene *s, const eb_table *members, size_t row, const shown_as *as)
{
    eb_lane lane = {.device = eb_text_at(members, row, EB_F(device)),
                    .lost = strcmp(eb_text_at(members, row, EB_F(state)), "lost") == 0,
                    .work = eb_number_at(members, row, EB_F(operations_share)),
                    .energy_j = eb_number_at(members, row, EB_F(energy_j))};
    for (size_t part = 0; part < s->parts; part++)
        lane.seconds[part] = NAN;
    for (size_t c = 0; c < members->columns; c++)
        for (size_t k = 0; k < as->count; k++)
            if (strcmp(members->column[c].key, as->key[k]) == 0)
                add_seconds(&lane.seconds[as->part[k]], eb_value_number(members->cell[row * members->columns + c]));
    return lane;
}

static void read_members(eb_compare_scene *s, const eb_table *members, const shown_as *as)
{
    size_t side = 0;
    for (size_t row = 0; row < members->rows && s->lanes < EB_MOST_LANES; row++) {
        if (eb_number_at(members, row, EB_F(member)) == 0)
            side = next_team(s, row > 0 ? side + 1 : 0, eb_text_at(members, row, EB_F(spec)));
        if (side == s->sides)
            return;
        s->lane[s->lanes] = read_lane(s, members, row, as);
        s->lane[s->lanes++].side = side;
    }
}

/* ---- choosing the report ---- */

static const char *const sources[] = {"compare", "join"};

static bool is_source(const eb_report *report)
{
    for (size_t k = 0; report && k < sizeof sources / sizeof sources[0]; k++)
        if (strcmp(report->command, sources[k]) == 0)
            return true;
    return false;
}

static const char *newest(const eb_desk *desk)
{
    const char *best = sources[0];
    for (size_t k = 1; k < sizeof sources / sizeof sources[0]; k++)
        if (eb_desk_report_stamp(desk, sources[k]) > eb_desk_report_stamp(desk, best))
            best = sources[k];
    return best;
}

eb_compare_scene eb_compare_scene_of(const eb_desk *desk)
{
    const eb_report *live = eb_desk_live(desk);
    const char *command = newest(desk);
    eb_compare_scene s = {.live = eb_desk_busy(desk) && is_source(live)};
    s.report = s.live ? live : eb_desk_report(desk, command);
    if (!s.report)
        return s;
    unsigned long serial = eb_desk_facts(desk)->dataset_serial;
    s.stale = !s.live && eb_desk_report_serial(desk, command) != serial;
    s.warning = eb_report_warning(s.report);
    const eb_table *runs = eb_report_find_table(s.report, EB_F(runs));
    const eb_table *split = eb_report_find_table(s.report, EB_F(split)),
                   *timing = eb_report_find_table(s.report, EB_F(timing));
    if (runs)
        read_runs(&s, runs);
    else if (eb_report_find_field(s.report, EB_F(engine)).kind == EB_TEXT)
        read_run(&s);
    const eb_table *members = eb_report_find_table(s.report, EB_F(members));
    shown_as as = {.count = 0};
    if (s.sides > 0 && split && split->columns > 1)
        read_split(&s, split, &as);
    else if (s.sides == 1 && timing)
        read_timing(&s, timing, &as);
    if (members)
        read_members(&s, members, &as);
    return s;
}
