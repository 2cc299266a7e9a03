/* invitation: the first screen, shown while no dataset is loaded: what the program does, and datasets to begin with. */
#pragma once

#include "ui/panels/panel.h"
#include "ui/widgets/list_view.h"

typedef struct eb_invitation {
    eb_list list;
    bool asked; /* `datasets` was run */
} eb_invitation;

void eb_invitation_shown(eb_invitation *invitation, eb_desk *desk);
void eb_invitation_draw(eb_invitation *invitation, const eb_desk *desk, eb_canvas *canvas, eb_rect area);

/* Enter loads the dataset at the cursor. */
bool eb_invitation_key(eb_invitation *invitation, eb_desk *desk, eb_key key, eb_rect area);
