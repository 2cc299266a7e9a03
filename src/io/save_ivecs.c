/* .ivecs: per row an int32 count and that many int32 ids, as in the TEXMEX ground-truth files. Rows differ in
 * length. */
#include "io/save_format.h"

static eb_code write_rows(eb_saver *saver, const eb_neighbours *batch, size_t begin, size_t end, eb_status *status)
{
    for (size_t r = begin; r < end; r++) {
        uint32_t count = (uint32_t)(batch->offsets[r + 1] - batch->offsets[r]); /* at most n, below 2³¹ */
        eb_code code = eb_save_write(saver, saver->file, &count, sizeof count, status);
        if (code == EB_OK)
            code = eb_save_write(saver, saver->file, batch->columns + batch->offsets[r], count * sizeof *batch->columns,
                                 status);
        if (code != EB_OK)
            return code;
    }
    return EB_OK;
}

const eb_save_format eb_save_ivecs = {.extension = ".ivecs", .rows = write_rows};
