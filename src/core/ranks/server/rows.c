#include "core/ranks/server/rows.h"

/* ---- making ---- */

static eb_code finish_rows(const eb_asked_here *a, eb_owner *owner, const eb_question *question, const eb_share *share,
                           eb_neighbours **out, eb_status *status)
{
    const eb_sink sink = eb_owner_sink(owner);
    EB_TRY(a->opened->run->join(a->opened->state, question, share, &sink, status));
    return eb_owner_finish(owner, a->job, out, status);
}

static eb_row_kind get_kind(const eb_asked_here *a)
{
    eb_row_kind kind = {.distance_bytes = (size_t)eb_unpack_u64(a->packet)};
    kind.unit = eb_unpack_f64(a->packet);
    kind.memory_limit = eb_unpack_u64(a->packet);
    return kind;
}

static eb_code make_rows(const eb_asked_here *a, const eb_question *question, const eb_share *share,
                         const eb_row_kind *kind, size_t least, eb_neighbours **out, eb_status *status)
{
    const eb_problem *problem = &a->opened->problem;
    eb_owner owner;
    const eb_owner_request request = {.transport = a->transport,
                                      .number = a->number,
                                      .n = problem->left->n,
                                      .others = problem->right->n,
                                      .self = eb_is_self_join(problem),
                                      .row_begin = share->row_begin,
                                      .row_end = share->row_end,
                                      .least = least,
                                      .threads = a->opened->context.threads,
                                      .kind = *kind};
    EB_TRY(eb_owner_begin(&request, &owner, status));
    eb_exchange_join(a->exchange, &owner);
    const eb_code failed = finish_rows(a, &owner, question, share, out, status);
    eb_exchange_leave(a->exchange);
    eb_owner_end(&owner);
    return failed;
}

/* ---- for rank 0 ---- */

static eb_code send_offsets(const eb_asked_here *a, const eb_neighbours *table, eb_status *status)
{
    for (size_t done = 0; done < table->rows; done += EB_VALUES_AT_ONCE) {
        const size_t now = table->rows - done < EB_VALUES_AT_ONCE ? table->rows - done : EB_VALUES_AT_ONCE;
        eb_packet packet = {.failed = false};
        eb_pack_u64(&packet, table->first_row + done);
        eb_pack(&packet, table->offsets + done + 1, now * sizeof *table->offsets);
        EB_TRY(eb_packet_send(a->transport, 0, EB_OFFSETS, a->number, &packet, status));
    }
    return EB_OK;
}

eb_code eb_served_rows(const eb_asked_here *a, const eb_question *question, const eb_share *share, eb_status *status)
{
    const eb_row_kind kind = get_kind(a);
    EB_TRY(make_rows(a, question, share, &kind, 0, a->table, status));
    return send_offsets(a, *a->table, status);
}

#define ENTRY_BYTES ((size_t)1 << 20)

static eb_code send_entries(const eb_asked_here *a, uint64_t which, const void *from, size_t bytes, eb_status *status)
{
    for (size_t done = 0; done < bytes; done += ENTRY_BYTES) {
        const size_t now = bytes - done < ENTRY_BYTES ? bytes - done : ENTRY_BYTES;
        eb_packet packet = {.failed = false};
        eb_pack_u64(&packet, which);
        eb_pack_u64(&packet, done);
        eb_pack(&packet, (const char *)from + done, now);
        EB_TRY(eb_packet_send(a->transport, 0, EB_ENTRIES, a->number, &packet, status));
        EB_TRY(eb_job_check(a->job, status));
    }
    return EB_OK;
}

eb_code eb_served_give_rows(const eb_asked_here *a, eb_status *status)
{
    eb_neighbours *table = *a->table;
    if (!table)
        return eb_fail(status, EB_INTERNAL, "rank 0 asks for rows that no join has made");
    const size_t entries = (size_t)table->offsets[table->rows];
    eb_code failed = send_entries(a, 0, table->columns, entries * sizeof *table->columns, status);
    if (!failed && table->kept)
        failed = send_entries(a, 1, table->any_distances, entries * eb_distances_width(table->kept), status);
    eb_neighbours_free(table);
    *a->table = NULL;
    return failed;
}

/* ---- to stay ---- */

static eb_code give_to_keeper(const eb_asked_here *a, const eb_neighbours *rows, eb_status *status)
{
    eb_kept told = {.size = 0};
    const size_t size = (size_t)eb_unpack_u64(a->packet);
    const unsigned char *order = eb_unpack_bytes(a->packet, size);
    if (!order || !a->keep)
        return eb_fail(status, EB_INTERNAL, "rank 0 asks for rows to be kept and %s",
                       order ? "this rank has no place for them" : "does not say how");
    if (rows->rows)
        EB_TRY(a->keep(order, size, rows, a->opened->context.threads, a->job, &told, status));
    eb_pack_u64(a->result, told.size);
    eb_pack(a->result, told.bytes, told.size);
    return EB_OK;
}

eb_code eb_served_keep(const eb_asked_here *a, eb_status *status)
{
    eb_question question;
    eb_share share;
    eb_neighbours *rows = NULL;
    eb_get_question(a, &question, &share);
    const eb_row_kind kind = get_kind(a);
    const size_t least = (size_t)eb_unpack_u64(a->packet);
    EB_TRY(make_rows(a, &question, &share, &kind, least, &rows, status));
    const eb_code failed = give_to_keeper(a, rows, status);
    eb_neighbours_free(rows);
    return failed;
}
