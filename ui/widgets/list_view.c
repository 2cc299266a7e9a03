#include "ui/widgets/list_view.h"

#include <math.h>
#include <string.h>

#include "core/report/find.h"
#include "draw/utf8.h"
#include "ui/desk.h"

void eb_list_init(eb_list *list, const eb_column *identity)
{
    *list = (eb_list){.identity = identity, .at = -1, .marked = {-1, -1}};
    eb_table_view_init(&list->view);
}

void eb_list_free(eb_list *list) { eb_table_view_free(&list->view); }

/* ---- rows and their identities ---- */

static int64_t identity_of(const eb_list *list, size_t row)
{
    if (!list->table || !list->identity || row == EB_NO_TABLE_ROW)
        return -1;
    double number = eb_number_at(list->table, row, list->identity);
    return number >= 0 && number < 0x1p53 ? (int64_t)number : -1;
}

static size_t row_of(const eb_list *list, int64_t identity)
{
    for (size_t row = 0; identity >= 0 && row < list->table->rows; row++)
        if (identity_of(list, row) == identity)
            return row;
    return EB_NO_TABLE_ROW;
}

/* Puts the cursor back on its row, unless the filter hides the row. */
static void put_cursor(eb_list *list)
{
    size_t row = row_of(list, list->at);
    for (size_t line = 0; row != EB_NO_TABLE_ROW && line < list->view.lines; line++)
        if (list->view.order[line] == row) {
            list->view.cursor = line;
            return;
        }
}

static void show_marks(eb_list *list)
{
    for (size_t k = 0; k < 2; k++)
        list->view.marked[k] = list->table ? row_of(list, list->marked[k]) : EB_NO_TABLE_ROW;
}

size_t eb_list_row(const eb_list *list) { return list->table ? eb_table_view_row(&list->view) : EB_NO_TABLE_ROW; }

int64_t eb_list_at(const eb_list *list) { return identity_of(list, eb_list_row(list)); }

/* Sorts and filters anew; the cursor stays on its row. */
static void arrange(eb_list *list)
{
    if (!list->table)
        return;
    eb_table_view_update(&list->view, list->table);
    put_cursor(list);
    show_marks(list);
}

void eb_list_follow(eb_list *list, const eb_table *table, unsigned long count)
{
    if (table == list->table && count == list->seen)
        return;
    list->table = table;
    list->seen = count;
    if (table)
        arrange(list);
    else
        show_marks(list);
}

void eb_list_mark(eb_list *list)
{
    int64_t at = eb_list_at(list);
    if (at < 0)
        return;
    if (list->marked[1] == at) {
        list->marked[1] = -1;
    } else if (list->marked[0] == at || (list->marked[0] >= 0 && list->marked[1] >= 0)) {
        bool here = list->marked[0] == at;
        list->marked[0] = list->marked[1];
        list->marked[1] = here ? -1 : at;
    } else {
        list->marked[list->marked[0] < 0 ? 0 : 1] = at;
    }
    show_marks(list);
}

/* ---- keys ---- */

/* Appends the character to the filter, if there is room. */
static void append(eb_list *list, uint32_t c)
{
    char *filter = list->view.filter, utf8[4];
    size_t used = strlen(filter), length = eb_utf8_encode(c, utf8);
    if (used + length >= sizeof list->view.filter)
        return;
    memcpy(filter + used, utf8, length);
    filter[used + length] = '\0';
}

static void cut_last(char *text)
{
    size_t used = strlen(text);
    while (used > 0 && ((unsigned char)text[used - 1] & 0xC0) == 0x80)
        used--;
    text[used > 0 ? used - 1 : 0] = '\0';
}

static bool type(eb_list *list, eb_key key)
{
    bool character = key.code == EB_KEY_CHARACTER && key.modifiers == 0;
    if (character && key.character == EB_ESCAPE) {
        list->typing = false;
        list->view.filter[0] = '\0';
    } else if (character && (key.character == EB_ENTER || key.character == EB_TAB)) {
        list->typing = false;
        return true;
    } else if (key.code == EB_KEY_BACKSPACE || (character && (key.character == 8 || key.character == 127))) {
        if (list->view.filter[0] == '\0')
            list->typing = false;
        cut_last(list->view.filter);
    } else if (character && key.character >= ' ' && key.character <= 0x10FFFF) {
        append(list, key.character);
    } else {
        return false; /* keys that move the cursor work while typing */
    }
    arrange(list);
    return true;
}

static void sort_by(eb_list *list, int step)
{
    int columns = (int)list->table->columns, places = columns + 1; /* + 1: the table's own order */
    list->view.sort_column = (list->view.sort_column + 1 + step + places) % places - 1;
    list->view.descending = false;
    arrange(list);
}

static void reverse(eb_list *list)
{
    if (list->view.sort_column < 0) {
        list->view.sort_column = 0; /* the log lists newest first: this gives oldest first */
        list->view.descending = false;
    } else {
        list->view.descending = !list->view.descending;
    }
    arrange(list);
}

static bool command(eb_list *list, eb_key key)
{
    if (eb_key_is(key, '/'))
        list->typing = true;
    else if (eb_key_is(key, '<'))
        sort_by(list, -1);
    else if (eb_key_is(key, '>'))
        sort_by(list, 1);
    else if (eb_key_is(key, 'r'))
        reverse(list);
    else if (eb_key_is(key, EB_ESCAPE) && list->view.filter[0]) {
        list->view.filter[0] = '\0';
        arrange(list);
    } else
        return false;
    return true;
}

const char *eb_list_sorted_by(const eb_list *list)
{
    int column = list->view.sort_column;
    return list->table && column >= 0 && (size_t)column < list->table->columns ? list->table->column[column].title
                                                                               : NULL;
}

static eb_rect table_area(eb_rect area)
{
    if (area.height < 3)
        return area;
    return (eb_rect){area.x, area.y + 1, area.width, area.height - 1};
}

bool eb_list_key(eb_list *list, eb_key key, eb_rect area)
{
    if (!list->table)
        return false;
    if (list->typing ? type(list, key) : command(list, key)) {
        if (list->view.lines > 0)
            list->at = eb_list_at(list);
        return true;
    }
    if (!eb_table_view_key(&list->view, list->table, key, table_area(area)))
        return false;
    show_marks(list);
    list->at = eb_list_at(list);
    return true;
}

/* ---- drawing ---- */

static void draw_title(const eb_list *list, eb_canvas *canvas, eb_rect row, const char *title)
{
    int x = row.x + eb_put_short(canvas, row, row.x, row.y, EB_ROLE_TITLE, title);
    size_t shown = list->view.lines, all = list->table->rows;
    if (shown < all)
        x += eb_putf(canvas, row, x, row.y, EB_ROLE_DIM, ", %zu of %zu", shown, all);
    if (!list->typing && !list->view.filter[0])
        return;
    x += eb_put(canvas, row, x, row.y, EB_ROLE_DIM, "  with ");
    x += eb_put(canvas, row, x, row.y, EB_ROLE_PROMPT, list->view.filter);
    if (list->typing)
        (void)eb_put(canvas, row, x, row.y, EB_ROLE_CURSOR, "_");
}

void eb_list_draw(eb_list *list, eb_canvas *canvas, eb_rect area, const char *title, bool focused)
{
    if (eb_rect_empty(area) || !list->table)
        return;
    eb_rect body = table_area(area);
    if (body.y > area.y)
        draw_title(list, canvas, (eb_rect){area.x, area.y, area.width, 1}, title);
    eb_draw_table(canvas, body, list->table, &list->view, focused);
}
