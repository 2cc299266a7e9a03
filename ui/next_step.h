/* next_step: what one would type next on the way from points to an answer: ε, then what FP16 makes of it, then how far
 * off. */
#ifndef EB_UI_NEXT_STEP_H
#define EB_UI_NEXT_STEP_H

#include "ui/desk.h"
#include "ui/widgets/hints.h"

/* With the panel in front; a hint without keys: there is no dataset, or all of it was seen. */
eb_hint eb_next_step(const eb_desk *desk, const char *panel, char *buffer, size_t size);

#endif
