/* invitation: what the first screen shows as long as nothing is loaded: what can be done here, and the sets to begin
 * with.
 */
#pragma once

#include "ui/panels/panel.h"
#include "ui/widgets/list_view.h"

typedef struct eb_invitation {
    eb_list list;
    bool asked; /* for `datasets` */
} eb_invitation;

void eb_invitation_shown(eb_invitation *invitation, eb_desk *desk);
void eb_invitation_draw(eb_invitation *invitation, const eb_desk *desk, eb_canvas *canvas, eb_rect area);

/* Enter loads what the cursor is on. */
bool eb_invitation_key(eb_invitation *invitation, eb_desk *desk, eb_key key, eb_rect area);
