/* ivecs: writes .ivecs: for each row an int32 count and as many int32 ids, as in the TEXMEX ground-truth files. Rows
 * differ in length. */
#include "io/save/format.h"

static eb_code write_rows(eb_saver *saver, const eb_neighbours *batch, size_t begin, size_t end, eb_status *status)
{
    for (size_t r = begin; r < end; r++) {
        uint32_t count = (uint32_t)(batch->offsets[r + 1] - batch->offsets[r]); /* at most n, below 2³¹ */
        EB_TRY(eb_save_write(saver, saver->file, &count, sizeof count, status));
        EB_TRY(eb_save_write(saver, saver->file, batch->columns + batch->offsets[r], count * sizeof *batch->columns,
                             status));
    }
    return EB_OK;
}

const eb_save_format eb_save_ivecs = {.rows = write_rows};
