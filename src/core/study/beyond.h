/* beyond: the pairs nearest to ε that no engine's table holds: one more pass of the reference, as far beyond ε as the
 * farthest of those that are known lies from it, its rows looked at as they come and not kept.
 */
#ifndef EB_CORE_STUDY_BEYOND_H
#define EB_CORE_STUDY_BEYOND_H

#include "core/study/compare.h"

/* Offers them to accuracy[k].boundary of each engine that was compared, and says how many lie at ε and how far the
 * next distance is (.ties, .beyond); dist_fast is left for eb_boundary_complete. Where pairs tie at ε it looks a part
 * of ε farther. `room`: of each list. Where the tables at that ε would not fit the memory, the lists stay as they are.
 */
eb_code eb_look_beyond(const eb_compare_request *request, eb_comparison *comparison, size_t room, eb_job *job,
                       eb_status *status);

#endif
