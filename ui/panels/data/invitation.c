#include "ui/panels/data/invitation.h"

#include "core/report/find.h"

enum { HEAD = 3, FOOT = 4, LIST_LEAST = 5 };

static const char about[] =
    "All pairs of points at most \xCE\xB5 apart: choose \xCE\xB5 by the neighbours wanted, find the pairs, and see "
    "which pairs FP16 tensor cores get wrong.";

static const eb_hint steps[] = {
    {"load FILE", "your own points; `help load` knows the formats, Tab completes"},
    {"tune S=64", "the \xCE\xB5 at which a point has 64 others within it, on average"},
    {"compare S=64", "FASTED beside the exact result: time, overlap, errors; then F5"},
    {"precision S=64", "is BF16 or INT8 enough for these points? predicted, measured"},
    {"lesson", "why FASTED is fast, and how exact it is; no GPU needed"},
    {"help", "all commands; F1: keys"},
};

static const eb_table *sets_of(const eb_desk *desk)
{
    return eb_report_find_table(eb_desk_report(desk, "datasets"), EB_F(datasets));
}

static void follow(eb_invitation *invitation, const eb_desk *desk)
{
    eb_list_follow(&invitation->list, sets_of(desk), eb_desk_report_count(desk, "datasets"));
}

void eb_invitation_shown(eb_invitation *invitation, eb_desk *desk)
{
    if (invitation->asked || eb_desk_busy(desk))
        return;
    invitation->asked = true;
    eb_desk_ask(desk, "datasets");
}

static eb_rect below(eb_rect area, int rows)
{
    rows = rows < area.height ? rows : area.height;
    return (eb_rect){area.x, area.y + rows, area.width, area.height - rows};
}

static void draw_steps(eb_canvas *canvas, eb_rect area)
{
    enum { KEYS = 16 };
    for (size_t k = 0; k < sizeof steps / sizeof steps[0] && (int)k < area.height; k++) {
        int y = area.y + (int)k;
        (void)eb_put(canvas, area, area.x, y, EB_ROLE_KEY, steps[k].keys);
        eb_rect row = {area.x + KEYS, y, area.width > KEYS ? area.width - KEYS : 0, 1};
        (void)eb_put_short(canvas, row, row.x, y, EB_ROLE_HINT, steps[k].does);
    }
}

/* The list gets the rows that the texts leave; in a small area it gets all rows. */
void eb_invitation_draw(eb_invitation *invitation, const eb_desk *desk, eb_canvas *canvas, eb_rect area)
{
    follow(invitation, desk);
    if (area.height >= HEAD + LIST_LEAST) {
        (void)eb_put_wrapped(canvas, (eb_rect){area.x, area.y, area.width, HEAD - 1}, EB_ROLE_TEXT, about);
        area = below(area, HEAD);
    }
    if (area.height >= FOOT + 1 + LIST_LEAST) {
        int lines = invitation->list.table ? (int)invitation->list.table->rows + 2 : LIST_LEAST;
        int most = area.height - FOOT - 1;
        eb_rect list = area;
        list.height = lines < most ? lines : most;
        draw_steps(canvas, below(area, list.height + 1));
        area = list;
    }
    if (invitation->list.table)
        eb_list_draw(&invitation->list, canvas, area, "To begin with", true);
}

static void load(eb_invitation *invitation, eb_desk *desk)
{
    size_t row = eb_list_row(&invitation->list);
    if (!invitation->list.table || row == EB_NO_TABLE_ROW)
        return;
    eb_value line = eb_table_value(invitation->list.table, row, EB_F(line));
    if (line.kind == EB_TEXT)
        eb_desk_run(desk, "%s", line.as.text);
}

bool eb_invitation_key(eb_invitation *invitation, eb_desk *desk, eb_key key, eb_rect area)
{
    follow(invitation, desk);
    if (eb_list_key(&invitation->list, key, area))
        return true;
    if (!eb_key_is(key, EB_ENTER))
        return false;
    load(invitation, desk);
    return true;
}
