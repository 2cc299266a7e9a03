#include "shell/saving/saving.h"

eb_code eb_saving_end_part(saving *s, eb_code failed, eb_status *status)
{
    if (!failed)
        failed = eb_session_check_dataset(s->session, status);
    if (!failed)
        failed = eb_part_close(s->part, status);
    else
        eb_part_abandon(s->part);
    s->part = NULL;
    s->written += !failed;
    return failed;
}
