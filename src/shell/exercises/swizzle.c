/* swizzle: checks a function that places the 16-byte chunks of a row of 128 bytes. */
#include <stdio.h>

#include "core/model/banks.h"
#include "shell/exercises/exercise.h"

enum { ROWS = 128, CHUNKS = 8, CHUNK_BYTES = 16, ROW_BYTES = CHUNKS * CHUNK_BYTES, TOGETHER = 8, WORD_BYTES = 4 };

/* Each place of each row is taken once. */
static void find_places(const uint32_t *place, eb_faults *f)
{
    for (unsigned row = 0; row < ROWS; row++) {
        const uint32_t *here = place + (size_t)row * CHUNKS;
        for (unsigned c = 0; c < CHUNKS; c++) {
            if (here[c] >= CHUNKS)
                eb_fault(f, "swizzle(%u, %u) is %u, but a row has the places 0 to 7", row, c, here[c]);
            for (unsigned before = 0; before < c; before++)
                if (here[c] < CHUNKS && here[before] == here[c])
                    eb_fault(f, "row %u puts chunks %u and %u in the same place, %u", row, before, c, here[c]);
        }
    }
}

/* The phase in which ldmatrix reads a chunk of 8 rows, the first of which is `first`. */
static void addresses_of(const uint32_t *place, unsigned first, unsigned chunk, uint32_t address[TOGETHER])
{
    for (unsigned r = 0; r < TOGETHER; r++)
        address[r] = (first + r) * ROW_BYTES + place[(first + r) * CHUNKS + chunk] * CHUNK_BYTES;
}

static void find_conflict(const uint32_t *place, unsigned first, unsigned chunk, eb_faults *f)
{
    for (unsigned a = first; a < first + TOGETHER; a++)
        for (unsigned b = a + 1; b < first + TOGETHER; b++) {
            const uint32_t here = place[a * CHUNKS + chunk];
            if (here != place[b * CHUNKS + chunk])
                continue;
            const unsigned bank = here * CHUNK_BYTES / WORD_BYTES % EB_BANKS;
            eb_fault(f, "rows %u and %u put chunk %u in banks %u to %u", a, b, chunk, bank,
                     bank + CHUNK_BYTES / WORD_BYTES - 1);
            return;
        }
}

/* Map "bank_map", as `model` draws it: one phase for each chunk of the first 8 rows. */
static void draw_banks(const uint32_t *place, eb_report *report)
{
    eb_series *series = eb_report_dots(report, EB_F(bank_map),
                                       "Words read from each bank: phase p reads chunk p of rows 0 to 7", EB_HEAT);
    eb_series_axes(series, EB_F(bank), false, EB_F(phase), false);
    eb_series_heat(series, EB_F(words));
    for (unsigned chunk = 0; chunk < CHUNKS; chunk++) {
        uint32_t address[TOGETHER];
        unsigned words[EB_BANKS];
        addresses_of(place, 0, chunk, address);
        eb_bank_words(address, TOGETHER, CHUNK_BYTES, words);
        for (unsigned bank = 0; bank < EB_BANKS; bank++)
            eb_series_add(series, bank, chunk, words[bank], 0);
    }
}

static eb_code check(const eb_exercise *exercise, const uint32_t *place, eb_report *report, eb_faults *f,
                     eb_status *status)
{
    eb_bank_use all = {0};
    (void)exercise, (void)status;
    find_places(place, f);
    for (unsigned first = 0; first < ROWS; first += TOGETHER)
        for (unsigned chunk = 0; chunk < CHUNKS; chunk++) {
            uint32_t address[TOGETHER];
            addresses_of(place, first, chunk, address);
            const eb_bank_use use = eb_bank_use_of(address, TOGETHER, CHUNK_BYTES);
            all.phases += use.phases;
            all.wavefronts += use.wavefronts;
            all.conflicts += use.conflicts;
            if (use.conflicts > 0)
                find_conflict(place, first, chunk, f);
        }
    EB_FIELDS(report, {EB_F(phases), eb_uint(all.phases)}, {EB_F(wavefronts), eb_uint(all.wavefronts)},
              {EB_F(conflicts), eb_uint(all.conflicts)});
    draw_banks(place, report);
    if (f->count == 0)
        eb_report_conclude(report, "Your swizzle is right: ldmatrix reads 8 rows in one wavefront, without a bank "
                                   "conflict");
    return EB_OK;
}

const eb_exercise eb_exercise_swizzle = {.name = "swizzle",
                                         .form = "unsigned swizzle(unsigned row, unsigned chunk)",
                                         .values = (size_t)ROWS * CHUNKS,
                                         .side = CHUNKS,
                                         .more = "",
                                         .check = check};
