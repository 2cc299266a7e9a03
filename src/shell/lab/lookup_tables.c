/* lookup_tables: `numbers tables`: look-up tables of 4, 2 and 1 bytes an entry in a GPU's shared memory, by the machine
 * model. */
#include <stdlib.h>

#include "core/files/state_path.h"
#include "core/model/lookup.h"
#include "core/model/machine.h"
#include "shell/conclude/words.h"
#include "shell/lab/lookup_tables.h"
#include "shell/lab/model_report.h"

enum { ENTRIES = 256, WORD = 4 };

static const struct {
    const char *formats;
    unsigned bytes;
} width[] = {{"f32", 4}, {"f16", 2}, {"e5m3, e4m4, e4m3, e5m2, u8", 1}};

static void add_width(eb_table *table, const eb_machine *machine, unsigned m, unsigned threads, size_t k)
{
    const unsigned bytes = width[k].bytes;
    const eb_occupancy occupancy = eb_lookup_occupancy(machine, m, bytes, threads);
    const double wavefronts = eb_lookup_wavefronts(bytes);
    EB_ROW(table, eb_text(width[k].formats), eb_uint(bytes), eb_uint((uint64_t)m * ENTRIES * bytes),
           eb_real(wavefronts), eb_real(wavefronts - 1), eb_real(eb_lookup_wavefronts(width[0].bytes) / wavefronts),
           bytes < WORD ? eb_real(eb_lookup_wavefronts(WORD) * bytes / WORD) : eb_na(), eb_uint(occupancy.blocks),
           eb_real(occupancy.share), eb_text(occupancy.limit));
}

/* Look-up tables for m subspaces, read by blocks of `threads` threads. */
static void report_lookup(eb_report *report, const eb_machine *machine, unsigned m, unsigned threads)
{
    EB_FIELDS(report, {EB_F(gpu), eb_text(machine->title)}, {EB_F(m), eb_uint(m)},
              {EB_F(block_threads), eb_uint(threads)});
    eb_table *table = EB_TABLE(report, EB_F(lookup), "Look-up tables in shared memory", EB_F(formats),
                               EB_F(entry_bytes), EB_F(table_bytes), EB_F(lookup_wavefronts), EB_F(conflicts),
                               EB_F(gain), EB_F(packed_wavefronts), EB_F(blocks), EB_F(occupancy), EB_F(limit));
    for (size_t k = 0; k < sizeof width / sizeof width[0]; k++)
        add_width(table, machine, m, threads, k);
    eb_report_note(report,
                   "a look-up is that of a warp: 32 lanes read one code each, all 256 codes equally likely, from "
                   "32 banks of 4 bytes; lanes that read the same word share it; the wavefronts are the mean");
    eb_report_note(report, "packed: the entries of several queries lie side by side in 4 bytes, so that one look-up "
                           "serves all of them (`recall layout=packed`); their tables together take as much as f32's");
    eb_report_conclude(report, "By bank conflicts, look-ups in tables of a byte are %s times as fast as in FP32's",
                       EB_NUMBER(eb_lookup_wavefronts(WORD) / eb_lookup_wavefronts(1)));
    eb_report_note(report, "blocks an SM: limited by shared memory and threads; registers are not modelled here");
}

enum { USUAL_M = 64, USUAL_THREADS = 256 };

eb_code eb_report_lookup_tables(const eb_session *session, const eb_call *call, eb_report *report, eb_status *status)
{
    char path[4096];
    eb_machine *machines;
    const eb_machine *machine;
    size_t count;
    EB_TRY(eb_machines(eb_config_path("gpus", path, sizeof path) ? path : NULL, &machines, &count, status));
    const eb_code failed = eb_model_machine(session, eb_call_text(call, "on"), machines, count, &machine, status);
    if (!failed)
        report_lookup(report, machine, (unsigned)eb_call_integer(call, "m", USUAL_M),
                      (unsigned)eb_call_integer(call, "threads", USUAL_THREADS));
    free(machines);
    return failed;
}
