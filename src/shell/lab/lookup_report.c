#include "shell/lab/lookup_report.h"

#include "core/model/lookup.h"

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

void eb_report_lookup(eb_report *report, const eb_machine *machine, unsigned m, unsigned threads)
{
    eb_report_field(report, "gpu", "GPU", EB_PLAIN, eb_text(machine->title));
    eb_report_field(report, "m", "subspaces m", EB_PLAIN, eb_uint(m));
    eb_report_field(report, "threads", "threads a block", EB_PLAIN, eb_uint(threads));
    eb_table *table = eb_report_table(report, "lookup", "Look-up tables in shared memory");
    EB_COLUMNS(table, {"formats", "formats", EB_IDENTITY}, {"entry_bytes", "bytes an entry", EB_PLAIN},
               {"table_bytes", "a table takes", EB_BYTES}, {"wavefronts", "wavefronts a look-up", EB_PLAIN},
               {"conflicts", "conflicts", EB_PLAIN}, {"gain", "look-ups faster than f32's", EB_RATIO},
               {"packed_wavefronts", "packed, for each query", EB_PLAIN}, {"blocks", "blocks an SM", EB_PLAIN},
               {"occupancy", "occupancy", EB_PERCENT}, {"limit", "held down by", EB_PLAIN});
    for (size_t k = 0; k < sizeof width / sizeof width[0]; k++)
        add_width(table, machine, m, threads, k);
    eb_report_note(report, "a look-up is a warp's: 32 lanes, a code each, all 256 equally likely; the mean of all ways "
                           "they can fall on 32 banks of 4 bytes, a word given once to all that want it");
    eb_report_note(report, "packed: the entries of several queries side by side in 4 bytes, so that one look-up serves "
                           "them all (`recall layout=packed`); the tables of them together take what f32's take");
    eb_report_note(report, "blocks are by shared memory and threads alone: the model knows nothing of registers here");
}
