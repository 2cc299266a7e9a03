/* rows: the rows that this rank owns of a join's table (owner.h): for rank 0, or to stay here. */
#pragma once

#include "core/ranks/server/asked.h"

/* Makes the rows and tells rank 0 how many entries each has. They stay until eb_served_give_rows sends them. */
eb_code eb_served_rows(const eb_asked_here *a, const eb_question *question, const eb_share *share, eb_status *status);
eb_code eb_served_give_rows(const eb_asked_here *a, eb_status *status);

/* Makes the rows and gives them to this rank's keeper. */
eb_code eb_served_keep(const eb_asked_here *a, eb_status *status);
