#include "core/engine/pass.h"

#include <stdlib.h>
#include <string.h>

eb_code eb_pass_part(const eb_distance_pass *whole, unsigned part, unsigned parts, eb_distance_pass *out,
                     eb_status *status)
{
    const unsigned before = whole->parts ? whole->parts : 1;
    const size_t edges = whole->edges ? whole->edges : 1;
    *out = *whole;
    out->part = whole->part * parts + part;
    out->parts = before * parts;
    out->pairs = calloc(edges, sizeof *out->pairs);
    out->kept = calloc(edges, sizeof *out->kept);
    return out->pairs && out->kept ? EB_OK : eb_fail_memory(status, "a pass's intervals", edges * sizeof *out->kept);
}

void eb_pass_part_free(eb_distance_pass *part)
{
    if (part->kept)
        eb_pass_drop(part);
    free(part->pairs);
    free(part->kept);
    part->pairs = NULL;
    part->kept = NULL;
}

void eb_pass_clear(eb_distance_pass *whole)
{
    for (size_t k = 0; k < whole->edges; k++) {
        whole->kept[k] = NULL;
        whole->pairs[k] = 0;
    }
}

static eb_code append(eb_distance_pass *to, size_t k, eb_distance_pass *part, eb_status *status)
{
    const size_t room = (size_t)(to->pairs[k] + part->pairs[k]);
    if (!to->kept[k] && part->kept[k]) {
        to->kept[k] = part->kept[k];
        part->kept[k] = NULL;
        return EB_OK;
    }
    double *all = realloc(to->kept[k], (room ? room : 1) * sizeof *all);
    if (!all)
        return eb_fail_memory(status, "the distances inside the brackets", room * sizeof *all);
    if (part->kept[k])
        memcpy(all + to->pairs[k], part->kept[k], (size_t)part->pairs[k] * sizeof *all);
    to->kept[k] = all;
    return EB_OK;
}

eb_code eb_pass_add(eb_distance_pass *whole, eb_distance_pass *part, eb_status *status)
{
    for (size_t k = 0; k < whole->edges; k++) {
        if (whole->keep[k])
            EB_TRY(append(whole, k, part, status));
        whole->pairs[k] += part->pairs[k];
    }
    return EB_OK;
}

eb_code eb_pass_ask_part(const eb_implementation *run, void *state, eb_distance_pass *whole, unsigned part,
                         unsigned parts, eb_status *status)
{
    eb_distance_pass own;
    eb_code failed = eb_pass_part(whole, part, parts, &own, status);
    failed = failed ? failed : run->histogram(state, &own, status);
    failed = failed ? failed : eb_pass_add(whole, &own, status);
    eb_pass_part_free(&own);
    return failed;
}

void eb_pass_drop(eb_distance_pass *whole)
{
    for (size_t k = 0; k < whole->edges; k++) {
        free(whole->kept[k]);
        whole->kept[k] = NULL;
    }
}
