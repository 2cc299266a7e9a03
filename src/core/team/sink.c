#include "core/team/sink.h"

#include <stdlib.h>
#include <string.h>

static eb_code pass_hits(void *context, unsigned thread, const eb_hit *hits, size_t count, eb_status *status)
{
    const eb_team_sink *own = context;
    const eb_sink *to = own->rows->to;
    return to->hits(to->context, own->first_thread + thread, hits, count, status);
}

/* What a member shows the others: first its rows, then where the rows of all begin. */
typedef struct shown {
    size_t first_row, rows;
    const uint64_t *offsets;
    eb_row_places places;
    eb_code failed;
} shown;

/* Joins the offsets of all members' rows, and asks the sink for the places of all. */
static eb_code place_all(eb_team_rows *of, const shown *all, unsigned members, eb_row_places *out, eb_status *status)
{
    size_t rows = 0, at = 0;
    uint64_t before = 0;
    for (unsigned k = 0; k < members; k++) {
        if (all[k].first_row != all[0].first_row + rows)
            return eb_fail(status, EB_INTERNAL, "a member of the team has rows from %zu on; expected %zu",
                           all[k].first_row, all[0].first_row + rows);
        rows += all[k].rows;
    }
    uint64_t *offsets = malloc((rows + 1) * sizeof *offsets);
    if (!offsets)
        return eb_fail_memory(status, "the offsets of a team's rows", (rows + 1) * sizeof *offsets);
    for (unsigned k = 0; k < members; k++) {
        for (size_t r = 0; r < all[k].rows; r++)
            offsets[at++] = before + all[k].offsets[r];
        before += all[k].offsets[all[k].rows];
    }
    offsets[at] = before;
    const eb_code failed = of->to->place(of->to->context, all[0].first_row, rows, offsets, out, status);
    free(offsets);
    return failed;
}

static eb_code pass_place(void *context, size_t first_row, size_t rows, const uint64_t *offsets, eb_row_places *out,
                          eb_status *status)
{
    const eb_team_sink *own = context;
    eb_team_rows *of = own->rows;
    const unsigned members = eb_meeting_members(of->meeting);
    shown mine = {.first_row = first_row, .rows = rows, .offsets = offsets}, all[EB_MOST_MEMBERS];
    EB_TRY(eb_meeting_show(of->meeting, own->member, &mine, sizeof mine, all, status));
    uint64_t before = 0;
    for (unsigned k = 0; k < own->member; k++)
        before += all[k].offsets[all[k].rows];
    if (own->member == 0) {
        atomic_store(&of->filling, members);
        mine.failed = place_all(of, all, members, &mine.places, status);
    }
    const eb_code own_failure = mine.failed;
    EB_TRY(eb_meeting_show(of->meeting, own->member, &mine, sizeof mine, all, status));
    if (all[0].failed)
        return own_failure ? own_failure : eb_fail(status, EB_CANCELLED, "another member of the team has left");
    *out = all[0].places;
    if (out->columns)
        out->columns += before;
    if (out->distances)
        out->distances = (unsigned char *)out->distances + before * out->distance_bytes;
    return EB_OK;
}

static eb_code pass_placed(void *context, eb_status *status)
{
    const eb_team_sink *own = context;
    eb_team_rows *of = own->rows;
    return atomic_fetch_sub(&of->filling, 1) == 1 ? of->to->placed(of->to->context, status) : EB_OK;
}

eb_sink eb_team_sink_of(eb_team_rows *rows, unsigned member, unsigned first_thread, eb_team_sink *own)
{
    *own = (eb_team_sink){.rows = rows, .member = member, .first_thread = first_thread};
    return (eb_sink){.context = own, .hits = pass_hits, .place = pass_place, .placed = pass_placed};
}
