#include "shell/diagnosis/round.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/defaults.h"
#include "shell/lab/memory_report.h"
#include "shell/lab/model_report.h"

enum { NAME = 120, NUMBER = 40 };

/* "bank conflicts a wavefront: 0.855, in the full kernel 0.0088" */
static void put_metric(FILE *out, eb_metric m, double here, double full)
{
    char one[NUMBER], other[NUMBER];
    (void)fprintf(out, "%s: %s, in the full kernel %s", eb_metric_list[m].title,
                  eb_metric_text(m, here, one, sizeof one), eb_metric_text(m, full, other, sizeof other));
}

static void put_right(FILE *out, const eb_case *c, const eb_clues *clues)
{
    const eb_variant *right = &c->choice[c->right];
    const eb_metrics *here = &c->evidence[c->right].metrics;
    (void)fputs("explain", out);
    for (size_t k = 0; k < right->count; k++) {
        const eb_told_switch *told = eb_clues_find(clues, right->off[k]);
        const eb_clue *clue = told ? eb_clue_that_holds(told, here, &c->full.metrics) : NULL;
        if (!clue)
            continue;
        (void)fprintf(out, " What tells %s: ", told->name);
        put_metric(out, clue->metric, here->value[clue->metric], c->full.metrics.value[clue->metric]);
        (void)fprintf(out, ". %s", told->off);
    }
    (void)fputc('\n', out);
}

/* Why a choice is wrong: what it would have shown. Told after a first try, and to all when the case is solved. */
static void put_wrong(FILE *out, const eb_case *c, const eb_clues *clues, size_t wrong)
{
    char name[NAME], one[NUMBER], other[NUMBER], text[2 * NAME + 4 * NUMBER];
    const eb_metric m = eb_case_refutes(c, clues, wrong);
    (void)snprintf(text, sizeof text, "Not %s: %s would be %s%s; here it is %s.",
                   eb_variant_name(&c->choice[wrong], name, sizeof name), eb_metric_list[m].title,
                   eb_metric_text(m, c->evidence[wrong].metrics.value[m], one, sizeof one),
                   c->evidence[wrong].metrics.counted[m] ? "" : ", by the model",
                   eb_metric_text(m, c->evidence[c->right].metrics.value[m], other, sizeof other));
    (void)fprintf(out, "wrong %c %s\nexplain %s\n", (char)('a' + wrong), text, text);
}

/* The metric that differs most from the full kernel's. */
static eb_metric most_changed(const eb_case *c)
{
    eb_metric most = EB_METRIC_TIME;
    double far = 0;
    for (eb_metric m = 0; m < EB_METRIC_COUNT; m++) {
        const double ratio = eb_metric_ratio(m, &c->evidence[c->right].metrics, &c->full.metrics);
        if (!isnan(ratio) && ratio > 0 && fabs(log(ratio)) > far) {
            far = fabs(log(ratio));
            most = m;
        }
    }
    return most;
}

static void put_step(FILE *out, const eb_case *c, const eb_clues *clues, const char *by)
{
    char name[NAME];
    const bool counted = c->evidence[c->right].counted;
    static_assert(EB_COUNTED_N == 100000, "the text says so");
    (void)fprintf(out, "step case %llu\n", (unsigned long long)c->number);
    (void)fprintf(out,
                  "say " EB_ABLATED
                  " joined 100,000 points of %zu dimensions with one of its switches off, or two. %s%s. "
                  "The memory chart and the pipeline are of this kernel.\n",
                  c->full.d, counted ? "Its counters were taken on " : "The machine model gives its figures",
                  counted ? by : "");
    (void)fputs("show counters\nshow memory\nshow pipeline\n", out);
    (void)fprintf(out, "ask Case %llu: which is off?\n", (unsigned long long)c->number);
    for (size_t k = 0; k < c->choices; k++)
        (void)fprintf(out, "choice %c %s\n", (char)('a' + k), eb_variant_name(&c->choice[k], name, sizeof name));
    const eb_metric m = most_changed(c);
    (void)fputs("hint Most changed: ", out);
    put_metric(out, m, c->evidence[c->right].metrics.value[m], c->full.metrics.value[m]);
    (void)fprintf(out, ".\nright '%c'\n", (char)('a' + c->right));
    (void)fprintf(out, "evidence %s%s%s\n", counted ? "counted by " : "", counted ? by : "the machine model",
                  counted ? "; what is marked model, the machine model" : "");
    put_right(out, c, clues);
    for (size_t k = 0; k < c->choices; k++)
        if (k != c->right)
            put_wrong(out, c, clues, k);
}

eb_code eb_round_lesson(const eb_case *c, const eb_clues *clues, const char *by, eb_lesson **out, eb_status *status)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return eb_fail_memory(status, "a lesson", 1);
    (void)fputs("title Which switch is off?\nabout The counters of a kernel tell which of its switches are off.\n",
                file);
    put_step(file, c, clues, by);
    const bool written = fclose(file) == 0;
    const eb_code failed = written ? eb_lesson_parse("diagnosis/" EB_DIAGNOSIS ".lesson", text, out, status)
                                   : eb_fail_memory(status, "a lesson", size);
    free(text);
    return failed;
}

/* ---- what is shown ---- */

static void put_memory(const eb_evidence *e, const eb_machine *machine, eb_report *report)
{
    eb_memory memory = eb_memory_of_model(&e->plan, machine, &e->prediction);
    const eb_metrics *m = &e->metrics;
    memory.seconds = m->value[EB_METRIC_TIME];
    if (m->counted[EB_METRIC_L2])
        memory.read[EB_L2] = (eb_known){m->value[EB_METRIC_L2], true};
    if (m->counted[EB_METRIC_DRAM])
        memory.read[EB_DRAM] = (eb_known){m->value[EB_METRIC_DRAM], true};
    if (m->counted[EB_METRIC_L2_HITS])
        memory.hits[EB_L2] = (eb_known){m->value[EB_METRIC_L2_HITS], true};
    eb_report_memory(report, "Memory of this kernel", &memory);
}

static eb_code put_pipeline(const eb_evidence *e, const eb_machine *machine, eb_report *report, eb_status *status)
{
    const eb_modelled of = {.spec = e->spec, .machine = machine, .plan = e->plan, .prediction = e->prediction};
    eb_report *pictures = eb_report_new("model");
    if (!pictures)
        return eb_fail_memory(status, "a report", sizeof *pictures);
    eb_report_model(pictures, &of, EB_MODEL_PICTURES);
    (void)eb_report_hand_on(pictures, EB_F(pipeline),
                            "The pipeline of this kernel: a tile's first slices, by the model", report);
    eb_report_free(pictures);
    return EB_OK;
}

eb_code eb_round_report(const eb_case *c, const eb_witness *witness, eb_report **out, eb_status *status)
{
    const eb_evidence *shown = &c->evidence[c->right];
    *out = eb_report_new("diagnose");
    if (!*out)
        return eb_fail_memory(status, "a report", sizeof **out);
    eb_report_metrics(*out, &shown->metrics, &c->full.metrics, "counted");
    put_memory(shown, &witness->machine, *out);
    const eb_code failed = put_pipeline(shown, &witness->machine, *out, status);
    if (failed) {
        eb_report_free(*out);
        *out = NULL;
    }
    return failed;
}
