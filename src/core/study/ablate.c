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
            d->value = stir(stir(d->value, batch->columns[k]), bits_of(eb_neighbours_distance(batch, k)));
    }
    eb_neighbours_free(batch);
    return EB_OK;
}

/* In one piece: a join in batches may run another variant's kernel (a row range has no symmetric half). */
static eb_code digest_of(const eb_measure_request *q, uint64_t pairs, eb_job *job, digest *out, eb_status *status)
{
    eb_opened opened;
    eb_join_result result = {.pairs = 0};
    eb_join_plan plan = {.question.eps = q->eps,
                         .distances = EB_DISTANCES_F64,
                         .whole = true,
                         .memory_limit = q->memory.tables,
                         .expected_pairs = pairs,
                         .phase = "comparing results"};
    *out = (digest){.known = false};
    eb_job_phase(job, plan.phase, q->problem.left->n);
    EB_TRY(eb_problem_open(q->setup, &q->problem, job, &opened, status));
    eb_code failed = eb_join_run(&opened, &plan, take_table, out, &result, status);
    eb_problem_close(&opened);
    if (!failed && result.pairs != pairs)
        failed = eb_fail(status, EB_INTERNAL, "%s counted %llu pairs and found %llu", q->setup->spec,
                         (unsigned long long)pairs, (unsigned long long)result.pairs);
    out->known = !failed;
    return failed == EB_NO_MEMORY ? EB_OK : failed;
}

/* ---- the variants ---- */

const char *eb_flags_off(const eb_options *from, const eb_options *to, const eb_option *but, char *buffer, size_t size)
{
    const eb_option_list *list = from->list;
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t k = 0; k < list->count && used < size; k++) {
        const eb_option *flag = &list->option[k];
        if (flag == but || flag->type != EB_OPTION_FLAG || !from->value[k] || to->value[k])
            continue;
        (void)snprintf(buffer + used, size - used, "%s%s", used ? ", " : "", flag->name);
        used = strlen(buffer);
    }
    return buffer;
}

static bool is_among(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)) != NULL; at += length)
        if ((at == names || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

/* Whether every name between the commas is one of the flags'. */
static bool are_names_of(const char *names, const eb_option *const *flag, size_t count)
{
    for (const char *at = names; at;) {
        size_t length = strcspn(at, ","), k = 0;
        while (k < count && (strncmp(flag[k]->name, at, length) != 0 || flag[k]->name[length] != '\0'))
            k++;
        if (k == count)
            return false;
        at = at[length] ? at + length + 1 : NULL;
    }
    return true;
}

/* The flags to leave out, one after another; *count of them. */
static eb_code choose_flags(const eb_setup *setup, const char *only, const eb_option **flag, size_t *count,
                            eb_status *status)
{
    const eb_option_list *list = setup->options.list;
    char possible[EB_OPTIONS_TEXT] = "";
    size_t found = 0;
    for (size_t k = 0; k < list->count; k++) {
        const eb_option *option = &list->option[k];
        size_t used = strlen(possible);
        if (!(option->devices & 1u << setup->device.kind) || !eb_option_is_added(&setup->options, option))
            continue;
        (void)snprintf(possible + used, sizeof possible - used, "%s%s", used ? ", " : "", option->name);
        if (!only || is_among(only, option->name))
            flag[found++] = option;
    }
    *count = found;
    if (possible[0] == '\0')
        return eb_fail(status, EB_NO_ENGINE, "%s has no switches to leave out on %s", setup->spec, setup->device.name);
    if (only && !are_names_of(only, flag, found))
        return eb_fail(status, EB_USAGE, "%s cannot be left out of %s, only %s", only, setup->spec, possible);
    return EB_OK;
}

static eb_code fail_different(const eb_ablation *a, const eb_variant *v, eb_status *status)
{
    const eb_variant *all = &a->variant[0];
    char without[EB_OPTIONS_TEXT];
    unsigned long long found = v->run.pairs, expected = all->run.pairs;
    (void)eb_flags_off(&all->setup.options, &v->setup.options, NULL, without, sizeof without);
    if (found != expected)
        return eb_fail(
            status, EB_INTERNAL,
            "%s without %s found %llu pairs, and %llu with everything on; the switches must not change results",
            v->setup.engine->name, without, found, expected);
    return eb_fail(
        status, EB_INTERNAL,
        "%s without %s found the same number of pairs as with everything on, but other neighbours or distances; "
        "the switches must not change results",
        v->setup.engine->name, without);
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

/* Measures a->variant[a->done], whose setup is made. The first is the baseline. */
static eb_code run_variant(eb_ablation *a, eb_measure_request q, digest *baseline, const eb_run_observer *observer,
                           eb_job *job, eb_status *status)
{
    eb_forecast_run(q.forecast, a->done);
    eb_variant *v = &a->variant[a->done++];
    digest found = {.known = false};
    q.setup = &v->setup;
    q.mode = EB_RUN_COUNT;
    EB_TRY(eb_measure(&q, observer, job, &v->run, status));
    EB_TRY(digest_of(&q, v->run.pairs, job, &found, status));
    if (!v->left_out)
        *baseline = found;
    return compare(a, v, *baseline, found, status);
}

static eb_code make_variant(const eb_setup *all, const eb_option *flag, eb_variant *out, eb_status *status)
{
    *out = (eb_variant){.left_out = flag, .setup = *all};
    if (!flag)
        return EB_OK;
    eb_options options = all->options;
    eb_options_leave_out(&options, flag);
    return eb_setup_change(&out->setup, &options, status);
}

eb_code eb_ablate(const eb_measure_request *request, const char *only, const eb_run_observer *observer, eb_job *job,
                  eb_ablation *out, eb_status *status)
{
    const eb_option *flag[EB_MOST_VARIANTS] = {NULL}; /* [0] is the baseline's: none */
    digest baseline = {.known = false};
    size_t flags = 0;
    out->wanted = out->done = 0;
    eb_code failed = choose_flags(request->setup, only, flag + 1, &flags, status);
    out->wanted = failed ? 0 : flags + 1;
    eb_measure_request q = *request;
    eb_forecast forecast;
    q.forecast = &forecast;
    eb_forecast_begin(&forecast, job, "variant", out->wanted, q.trials);
    if (out->wanted > 0 && q.warm_up != EB_WARM_UP_NONE)
        eb_forecast_look(&forecast, 0, q.setup, &q.problem, q.eps);
    eb_forecast_announce(&forecast);
    for (size_t k = 0; k < out->wanted && !failed; k++) {
        failed = make_variant(request->setup, flag[k], &out->variant[k], status);
        if (!failed)
            failed = run_variant(out, q, &baseline, observer, job, status);
    }
    eb_forecast_end(&forecast);
    return failed;
}

void eb_ablation_free(eb_ablation *ablation)
{
    for (size_t k = 0; k < ablation->done; k++)
        eb_run_free(&ablation->variant[k].run);
    ablation->done = 0;
}
