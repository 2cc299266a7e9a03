#include "core/study/ablate.h"

#include <stdio.h>
#include <string.h>

/* ---- the digest of a neighbour table ---- */

typedef struct digest {
    bool known; /* false: the table did not fit */
    uint64_t value;
} digest;

/* An odd multiplier carries every bit upwards, the shift brings them down again: each step is a bijection of the
 * digest, so that two tables that differ in one word only never end up alike. */
static uint64_t stir(uint64_t value, uint64_t word)
{
    value = (value ^ word) * 0x9e3779b97f4a7c15u;
    return value ^ value >> 32;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static eb_code take_table(void *context, eb_neighbours *batch, eb_status *status)
{
    (void)status;
    digest *d = context;
    for (size_t r = 0; r < batch->rows; r++) {
        d->value = stir(d->value, batch->offsets[r + 1] - batch->offsets[r]);
        for (uint64_t k = batch->offsets[r]; k < batch->offsets[r + 1]; k++)
            d->value = stir(stir(d->value, batch->columns[k]), bits_of(batch->distances[k]));
    }
    eb_neighbours_free(batch);
    return EB_OK;
}

/* In one piece: a join in batches may run another variant's kernel (a row range has no symmetric half). */
static eb_code digest_of(const eb_measure_request *q, uint64_t pairs, eb_job *job, digest *out, eb_status *status)
{
    eb_timing timing = eb_timing_none();
    eb_join_result result = {.pairs = 0};
    eb_join_plan plan = {.eps = q->eps,
                         .distances = true,
                         .whole = true,
                         .memory_limit = q->table_limit,
                         .expected_pairs = pairs,
                         .phase = "comparing results"};
    void *state = NULL;
    *out = (digest){.known = false};
    eb_job_phase(job, plan.phase, q->dataset->n);
    eb_code failed = q->engine->open(q->device, q->dataset, &q->options, job, &timing, &state, status);
    if (!failed)
        failed = eb_join_run(q->engine, state, q->dataset->n, &q->options, &plan, take_table, out, job, &timing,
                             &result, status);
    q->engine->close(state);
    if (!failed && result.pairs != pairs)
        failed = eb_fail(status, EB_INTERNAL, "%s counted %llu pairs and found %llu", q->engine->name,
                         (unsigned long long)pairs, (unsigned long long)result.pairs);
    out->known = !failed;
    return failed == EB_NO_MEMORY ? EB_OK : failed;
}

/* ---- the variants ---- */

uint32_t eb_ablation_switches(uint32_t preset)
{
    return preset == EB_PRESET_BEST ? EB_PRESET_BEST & ~EB_PRESET_PAPER : preset;
}

const char *eb_switch_names(uint32_t set, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t k = 0; k < eb_switch_count() && used < size; k++) {
        if (!(set & eb_switch_at(k)->bit))
            continue;
        (void)snprintf(buffer + used, size - used, "%s%s", used ? ", " : "", eb_switch_at(k)->name);
        used = strlen(buffer);
    }
    return buffer;
}

eb_code eb_ablation_only(const char *names, uint32_t *out, eb_status *status)
{
    char known[256];
    uint32_t set = 0;
    for (const char *name = names;; name++) {
        size_t length = strcspn(name, ","), k = 0;
        while (k < eb_switch_count() &&
               (strlen(eb_switch_at(k)->name) != length || memcmp(eb_switch_at(k)->name, name, length) != 0))
            k++;
        if (k == eb_switch_count())
            return eb_fail(status, EB_USAGE, "no switch \"%.*s\"; there are: %s", (int)length, name,
                           eb_switch_names(EB_PRESET_BEST, known, sizeof known));
        set |= eb_switch_at(k)->bit;
        name += length;
        if (*name == '\0')
            break;
    }
    *out = set;
    return EB_OK;
}

static eb_code fail_different(const eb_ablation *a, const eb_variant *v, eb_status *status)
{
    char without[128];
    unsigned long long found = v->run.pairs, expected = a->variant[0].run.pairs;
    eb_switch_names(a->preset & ~v->switches, without, sizeof without);
    if (found != expected)
        return eb_fail(
            status, EB_INTERNAL,
            "%s without %s found %llu pairs, and %llu with everything on; the switches must not change results",
            v->run.engine->name, without, found, expected);
    return eb_fail(
        status, EB_INTERNAL,
        "%s without %s found the same number of pairs as with everything on, but other neighbours or distances; "
        "the switches must not change results",
        v->run.engine->name, without);
}

static eb_code compare(const eb_ablation *a, eb_variant *v, digest baseline, digest found, eb_status *status)
{
    if (v->run.pairs != a->variant[0].run.pairs || (baseline.known && found.known && found.value != baseline.value)) {
        v->sameness = EB_DIFFERENT;
        return fail_different(a, v, status);
    }
    v->sameness = baseline.known && found.known ? EB_IDENTICAL : EB_SAME_COUNT;
    return EB_OK;
}

/* Measures a->variant[a->done], whose switches are set. The first is the baseline. */
static eb_code run_variant(eb_ablation *a, eb_measure_request q, digest *baseline, const eb_run_observer *observer,
                           eb_job *job, eb_status *status)
{
    eb_variant *v = &a->variant[a->done++];
    digest found = {.known = false};
    q.options.switches = v->switches;
    q.mode = EB_RUN_COUNT;
    eb_code failed = eb_measure(&q, observer, job, &v->run, status);
    if (!failed)
        failed = digest_of(&q, v->run.pairs, job, &found, status);
    if (failed)
        return failed;
    if (!v->left_out)
        *baseline = found;
    return compare(a, v, *baseline, found, status);
}

eb_code eb_ablate(const eb_measure_request *request, uint32_t preset, uint32_t left_out,
                  const eb_run_observer *observer, eb_job *job, eb_ablation *out, eb_status *status)
{
    char wrong[160], possible[160];
    const eb_switch *chosen[EB_MAX_VARIANTS] = {NULL}; /* [0] is the baseline's: none */
    *out = (eb_ablation){.preset = preset, .wanted = 1};
    if (left_out & ~eb_ablation_switches(preset))
        return eb_fail(status, EB_USAGE, "%s cannot be left out of preset %s, only %s",
                       eb_switch_names(left_out & ~eb_ablation_switches(preset), wrong, sizeof wrong),
                       preset == EB_PRESET_BEST ? "best" : "paper",
                       eb_switch_names(eb_ablation_switches(preset), possible, sizeof possible));
    for (size_t k = 0; k < eb_switch_count(); k++)
        if (left_out & eb_switch_at(k)->bit)
            chosen[out->wanted++] = eb_switch_at(k);
    digest baseline = {.known = false};
    eb_code failed = EB_OK;
    for (size_t k = 0; k < out->wanted && !failed; k++) {
        out->variant[k].left_out = chosen[k];
        out->variant[k].switches = chosen[k] ? eb_without(preset, chosen[k]->bit) : preset;
        failed = run_variant(out, *request, &baseline, observer, job, status);
    }
    return failed;
}

void eb_ablation_free(eb_ablation *ablation)
{
    for (size_t k = 0; k < ablation->done; k++)
        eb_run_free(&ablation->variant[k].run);
    ablation->done = 0;
}
