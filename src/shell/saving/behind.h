/* behind: writes parts by two threads of its own, so that the next batch of rows is joined while the last one is
 * written, and a part is completed (its checksums, and all of it on the disk) while the next one is written. Between
 * eb_behind_begin and eb_behind_end only these threads use the folder. Private to shell/saving. */
#pragma once

#include "io/parts/parts.h"
#include "shell/session.h"

typedef struct eb_behind eb_behind;

typedef struct eb_behind_part {
    size_t first, end;
} eb_behind_part;

/* Both are borrowed. */
eb_code eb_behind_begin(eb_parts *parts, const eb_session *session, eb_behind **out, eb_status *status);

/* Takes the part's next rows, as soon as those before are written. The first rows of a part open it, the last ones
 * complete it, unless the points have changed meanwhile. Fails with the first failure of the thread. */
eb_code eb_behind_rows(eb_behind *behind, const eb_behind_part *part, eb_neighbours *batch, eb_status *status);

/* Waits for all, abandons a part that is not completed, and frees. *written: completed parts. */
eb_code eb_behind_end(eb_behind *behind, size_t *written, eb_status *status);
