#include "ui/widgets/list_view.h"

#include <math.h>
#include <stdio.h>
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
static void put_cursor(eb_list *list, size_t row)
{
    for (size_t line = 0; row != EB_NO_TABLE_ROW && line < list->view.shown.table.rows; line++)
        if (list->view.shown.row[line] == row) {
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

static void append(char *text, const char *more)
{
    const size_t used = strlen(text);
    if (used + strlen(more) < EB_LIST_TEXT)
        memcpy(text + used, more, strlen(more) + 1);
}

/* Writes the usual columns that the table has. */
static void put_usual(const eb_list *list, char columns[EB_LIST_TEXT])
{
    const eb_column_set set = {list->table->columns, list->table->column};
    size_t column, length;
    columns[0] = '\0';
    for (const char *at = list->usual + strspn(list->usual, ", "); *at; at += length + strspn(at + length, ", ")) {
        length = strcspn(at, ", ");
        if (eb_column_find(set, at, length, &column, NULL))
            continue;
        append(columns, columns[0] ? "," : "");
        append(columns, set.column[column].key);
    }
}

/* Arranges anew; the cursor stays on its row, which its identity finds in a new table. */
static void arrange(eb_list *list, size_t row)
{
    if (!list->table)
        return;
    if (list->chosen[0])
        memcpy(list->view.columns, list->chosen, sizeof list->chosen);
    else
        put_usual(list, list->view.columns);
    eb_table_view_update(&list->view, list->table);
    put_cursor(list, list->identity ? row_of(list, list->at) : row);
    show_marks(list);
}

void eb_list_follow(eb_list *list, const eb_table *table, unsigned long count)
{
    if (table == list->table && count == list->seen)
        return;
    list->table = table;
    list->seen = count;
    eb_arranged_table_free(&list->view.shown); /* its texts belonged to the table before */
    if (table)
        arrange(list, EB_NO_TABLE_ROW);
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

/* ---- arranging ---- */

static void set(char part[EB_LIST_TEXT], const char *text)
{
    (void)snprintf(part, EB_LIST_TEXT, "%s", text ? text : "");
}

void eb_list_arrange(eb_list *list, const eb_arrangement *wanted)
{
    set(list->view.sort, wanted->sort);
    set(list->view.where, wanted->where);
    set(list->chosen, wanted->columns);
    list->view.cursor = 0;
    list->at = -1;
    arrange(list, EB_NO_TABLE_ROW);
}

bool eb_list_is_arranged(const eb_list *list) { return list->view.sort[0] || list->view.where[0] || list->chosen[0]; }

void eb_list_usual_columns(eb_list *list, const char *names)
{
    if (strncmp(list->usual, names, sizeof list->usual - 1) == 0)
        return;
    set(list->usual, names);
    list->table = NULL; /* eb_list_follow arranges anew */
}

/* ---- typing ---- */

static char *typed(eb_list *list) { return list->typing == EB_LIST_PICKS ? list->chosen : list->view.where; }

static void cut_last(char *text)
{
    size_t used = strlen(text);
    while (used > 0 && ((unsigned char)text[used - 1] & 0xC0) == 0x80)
        used--;
    text[used > 0 ? used - 1 : 0] = '\0';
}

/* Completes the name behind the last comma to a column's; without a name, to the first column that is not named. */
static void complete(eb_list *list)
{
    char *text = typed(list), *comma = strrchr(text, ',');
    const char *begun = comma ? comma + 1 : text;
    for (size_t c = 0; c < list->table->columns; c++) {
        const eb_column *column = &list->table->column[c];
        const char *name = eb_column_called(column);
        if (!column->title || strncmp(name, begun, strlen(begun)) != 0 || (!begun[0] && strstr(text, name)))
            continue;
        append(text, name + strlen(begun));
        return;
    }
}

static bool type(eb_list *list, eb_key key)
{
    const bool character = key.code == EB_KEY_CHARACTER && key.modifiers == 0;
    const size_t row = eb_list_row(list);
    char utf8[5] = "";
    if (character && key.character == EB_ESCAPE) {
        typed(list)[0] = '\0';
        list->typing = EB_LIST_MOVES;
    } else if (character && key.character == EB_ENTER) {
        list->typing = EB_LIST_MOVES;
    } else if (character && key.character == EB_TAB) {
        complete(list);
    } else if (key.code == EB_KEY_BACKSPACE || (character && (key.character == 8 || key.character == 127))) {
        char *text = typed(list);
        if (text[0] == '\0')
            list->typing = EB_LIST_MOVES;
        cut_last(text);
    } else if (character && key.character >= ' ' && key.character <= 0x10FFFF) {
        (void)eb_utf8_encode(key.character, utf8);
        append(typed(list), utf8);
    } else {
        return false; /* keys that move the cursor work while typing */
    }
    arrange(list, row);
    return true;
}

/* ---- keys ---- */

static void sort_next(eb_list *list, int step)
{
    const int places = (int)list->view.shown.table.columns + 1; /* + 1: the table's own order */
    eb_table_view_sort(&list->view, (list->view.sort_column + 1 + step + places) % places - 1, false);
}

/* The log lists newest first: reversing its own order sorts by the first column, which gives oldest first. */
static void reverse(eb_list *list)
{
    char *sort = list->view.sort;
    const size_t used = strlen(sort);
    if (used == 0)
        eb_table_view_sort(&list->view, 0, false);
    else if (sort[0] == '-')
        memmove(sort, sort + 1, used);
    else if (used + 1 < EB_LIST_TEXT) {
        memmove(sort + 1, sort, used + 1);
        sort[0] = '-';
    }
}

static bool command(eb_list *list, eb_key key)
{
    const size_t row = eb_list_row(list);
    if (eb_key_is(key, '/'))
        list->typing = EB_LIST_FILTERS;
    else if (eb_key_is(key, 'C'))
        list->typing = EB_LIST_PICKS;
    else if (eb_key_is(key, '<'))
        sort_next(list, -1);
    else if (eb_key_is(key, '>'))
        sort_next(list, 1);
    else if (eb_key_is(key, 'r'))
        reverse(list);
    else if (eb_key_is(key, EB_ESCAPE) && eb_list_is_arranged(list))
        list->view.sort[0] = list->view.where[0] = list->chosen[0] = '\0';
    else
        return false;
    arrange(list, row);
    return true;
}

const char *eb_list_sorted_by(const eb_list *list)
{
    const size_t column = list->view.shown.sorted_by;
    return list->table && column < list->table->columns ? list->table->column[column].title : NULL;
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
        if (list->view.shown.table.rows > 0)
            list->at = eb_list_at(list);
        return true;
    }
    const size_t row = eb_list_row(list);
    if (!eb_table_view_key(&list->view, list->table, key, table_area(area)))
        return false;
    if (key.code == EB_KEY_CLICK && key.y == table_area(area).y) /* on a title */
        put_cursor(list, row);
    show_marks(list);
    list->at = eb_list_at(list);
    return true;
}

/* ---- drawing ---- */

static int put_part(eb_canvas *canvas, eb_rect row, int x, const char *what, const char *text, bool typing)
{
    if (!typing && !text[0])
        return x;
    x += eb_put(canvas, row, x, row.y, EB_ROLE_DIM, what);
    x += eb_put(canvas, row, x, row.y, EB_ROLE_PROMPT, text);
    return typing ? x + eb_put(canvas, row, x, row.y, EB_ROLE_CURSOR, "_") : x;
}

/* The columns that can be chosen; "" unless a person begins to choose. */
static const char *offer(const eb_list *list, eb_status *status)
{
    eb_named_column *none;
    size_t count;
    if (list->typing != EB_LIST_PICKS || list->chosen[0])
        return "";
    (void)eb_columns_read((eb_column_set){list->table->columns, list->table->column}, "", false, &none, &count, status);
    return status->message;
}

/* Draws what a person should know at the end of the row: why a part is not followed, which columns can be chosen, or
 * that there are more. */
static void draw_remark(const eb_list *list, eb_canvas *canvas, eb_rect row, int x)
{
    static const char more[] = "←/→ more columns";
    const eb_table_view *view = &list->view;
    eb_status status = {0};
    if (view->wrong.message[0])
        (void)eb_put_short(canvas, row, x + 2, row.y, EB_ROLE_WARNING, view->wrong.message);
    else if (offer(list, &status)[0])
        (void)eb_put_short(canvas, row, x + 2, row.y, EB_ROLE_DIM, status.message);
    else if ((eb_table_view_is_cut(view, row.width) || view->left > 0) &&
             x + 2 + eb_text_width(more) <= row.x + row.width)
        (void)eb_put_right(canvas, row, row.x + row.width, row.y, EB_ROLE_HINT, more);
}

static void draw_title(const eb_list *list, eb_canvas *canvas, eb_rect row, const char *title)
{
    const eb_table_view *view = &list->view;
    int x = row.x + eb_put_short(canvas, row, row.x, row.y, EB_ROLE_TITLE, title);
    const size_t shown = view->shown.table.rows, all = list->table->rows;
    if (shown < all)
        x += eb_putf(canvas, row, x, row.y, EB_ROLE_DIM, ", %zu of %zu", shown, all);
    x = put_part(canvas, row, x, "  with ", view->where, list->typing == EB_LIST_FILTERS);
    x = put_part(canvas, row, x, "  by ", view->sort, false);
    x = put_part(canvas, row, x, "  columns ", list->chosen, list->typing == EB_LIST_PICKS);
    draw_remark(list, canvas, row, x);
}

void eb_list_draw(eb_list *list, eb_canvas *canvas, eb_rect area, const char *title, bool focused)
{
    if (eb_rect_empty(area) || !list->table)
        return;
    eb_rect body = table_area(area);
    if (body.y > area.y)
        draw_title(list, canvas, (eb_rect){area.x, area.y, area.width, 1}, title);
    eb_draw_table(canvas, body, &list->view, focused);
}
