/* report: what every command returns: fields, records, tables, series and notes, each value with its unit. Renderers
 * (text, JSON, CSV, Markdown, a panel) draw a report; nothing else prints.
 *
 * A report is an ordered list of items. Keys are what scripts see in JSON ("kernel_s", units in the key); titles are
 * what people see. A record and a series may share a key. Unknown values are EB_NA: "n/a" in text, null in JSON, never
 * 0. What has no title (NULL), an item, a column or a record's field, is for programs: people do not see it. Strings
 * are copied. Building a report never fails in the caller's face: a failed allocation is remembered and eb_report_ok
 * says so at the end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/report/fields.h"

typedef enum eb_value_kind { EB_NA, EB_BOOL, EB_INTEGER, EB_UNSIGNED, EB_REAL, EB_TEXT } eb_value_kind;

typedef struct eb_value {
    eb_value_kind kind;
    union {
        bool boolean;
        int64_t integer;
        uint64_t u64;
        double real;
        const char *text; /* the report's copy once inside a report */
    } as;
} eb_value;

static inline eb_value eb_na(void) { return (eb_value){.kind = EB_NA}; }
static inline eb_value eb_bool(bool b) { return (eb_value){.kind = EB_BOOL, .as.boolean = b}; }
static inline eb_value eb_int(int64_t i) { return (eb_value){.kind = EB_INTEGER, .as.integer = i}; }
static inline eb_value eb_uint(uint64_t u) { return (eb_value){.kind = EB_UNSIGNED, .as.u64 = u}; }
eb_value eb_real(double x);         /* NaN and ±Inf become EB_NA */
eb_value eb_text(const char *text); /* NULL becomes EB_NA */

typedef enum eb_item_kind { EB_FIELD, EB_RECORD, EB_TABLE, EB_SERIES } eb_item_kind;

typedef struct eb_field {
    char *key, *title;
    eb_unit unit;
    eb_value value;
} eb_field;

/* What people see of a table: itself, or a picture of it (draw/plots/table_picture.h). */
typedef enum eb_look { EB_AS_TABLE, EB_AS_TIMELINE, EB_AS_MEMORY } eb_look;

typedef struct eb_table {
    size_t columns, rows, row_capacity;
    eb_column *column;
    eb_value *cell; /* row-major, rows × columns */
    bool turned;    /* people see a line for each column and, side by side, the rows; of two rows the ratio too */
    eb_look look;
    struct eb_report *report;
} eb_table;

typedef struct eb_record {
    size_t fields;
    eb_field *field;
    struct eb_report *report;
} eb_record;

typedef enum eb_series_shape { EB_LINE, EB_BARS, EB_POINTS, EB_HEAT } eb_series_shape;

typedef struct eb_series {
    eb_series_shape shape; /* EB_BARS: a histogram, x are bin centres; EB_POINTS: in no order, not joined; EB_HEAT: a
                              cell for each x and y, and what it is worth, z */
    char *x_key, *y_key;   /* names of the arrays in JSON: "eps", "selectivity" */
    char *x_title, *y_title;
    bool x_log, y_log; /* axes to draw with */
    size_t points;
    double *x, *y;      /* [points]; NAN: unknown */
    double *low, *high; /* confidence band, [points] each, or NULL */
    char *mark; /* [points] a letter each; NULL: none. EB_POINTS: what it belongs to; EB_LINE: which line it is on, all
                   of one together; EB_HEAT: why there is no z */
    char *z_key, *z_title; /* EB_HEAT */
    double *z;             /* EB_HEAT: [points]; NAN: unknown */
    eb_unit z_unit;
    bool in_turns;      /* EB_HEAT: z counts from 1 in what order cells have their turn; screens may show it in time */
    double under, over; /* EB_BARS: mass outside the axis; NAN: does not apply */
} eb_series;

typedef struct eb_item {
    eb_item_kind kind;
    char *key, *title;
    bool page; /* it begins a page: text and Markdown have a rule before it */
    union {
        eb_field field; /* key/title as in the item */
        eb_record record;
        eb_table table;
        eb_series series;
    } as;
} eb_item;

typedef struct eb_report {
    char *command; /* "tune" */
    size_t items;
    eb_item **item; /* pointers: an item stays where it is while others are added */
    size_t notes;
    char **note;
    char *raw;        /* text to show as it is (help pages, exported scripts); NULL usually */
    char *flow;       /* the same for whoever knows how wide it is shown; NULL: raw is all there is */
    char *conclusion; /* the answer in one sentence; NULL: the report needs none (find.h: eb_report_conclusion) */
    bool out_of_memory;
} eb_report;

eb_report *eb_report_new(const char *command); /* NULL: out of memory */
void eb_report_free(eb_report *report);        /* NULL is fine */
bool eb_report_ok(const eb_report *report);

/* Each of these copes with NULL or a failed report by doing nothing and returning a harmless object. */
void eb_report_field(eb_report *report, const eb_column *field, eb_value value);
eb_record *eb_report_record(eb_report *report, const eb_column *key, const char *title);
void eb_record_field(eb_record *record, const eb_column *field, eb_value value);
eb_table *eb_report_table(eb_report *report, const eb_column *key, const char *title);
eb_table *eb_table_of(eb_report *report, const eb_column *key, const char *title, const eb_column *const *columns,
                      size_t count);
void eb_table_column(eb_table *table, const eb_column *column); /* before the first row */
void eb_table_columns(eb_table *table, const eb_column *const *columns, size_t count);
void eb_table_row(eb_table *table, const eb_value *cells, size_t count); /* count must equal the columns */

/* Some at once: EB_FIELDS(report, {EB_F(n), eb_uint(n)}, {EB_F(d), eb_uint(d)}). */
typedef struct eb_told {
    const eb_column *field;
    eb_value value;
} eb_told;
void eb_report_fields(eb_report *report, const eb_told *told, size_t count);
void eb_record_fields(eb_record *record, const eb_told *told, size_t count);
#define EB_TOLD(...) (const eb_told[]){__VA_ARGS__}, sizeof((const eb_told[]){__VA_ARGS__}) / sizeof(eb_told)
#define EB_FIELDS(report, ...) eb_report_fields((report), EB_TOLD(__VA_ARGS__))
#define EB_RECORD_FIELDS(record, ...) eb_record_fields((record), EB_TOLD(__VA_ARGS__))

/* The same written out: EB_COLUMNS(table, EB_F(eps), EB_F(kernel_s)), EB_ROW(table, cell, cell). EB_TABLE: a
 * table with its columns. */
#define EB_LISTED(...)                                                                                                 \
    (const eb_column *const[]){__VA_ARGS__}, sizeof((const eb_column *const[]){__VA_ARGS__}) / sizeof(eb_column *)
#define EB_COLUMNS(table, ...) eb_table_columns((table), EB_LISTED(__VA_ARGS__))
#define EB_TABLE(report, key, title, ...) eb_table_of((report), (key), (title), EB_LISTED(__VA_ARGS__))
#define EB_ROW(table, ...)                                                                                             \
    eb_table_row((table), (const eb_value[]){__VA_ARGS__}, sizeof((const eb_value[]){__VA_ARGS__}) / sizeof(eb_value))
void eb_table_turn(eb_table *table); /* few rows of many columns, better read side by side; data stay as they are */
void eb_table_draw(eb_table *table, eb_look look); /* a picture, likewise */

/* Hands the items of that key on to another report, at its end, under another title (NULL: theirs). Fields stay. False:
 * there is none. */
bool eb_report_hand_on(eb_report *from, const eb_column *key, const char *title, eb_report *to);

/* Items from `first` on, none of them fields, are known by another key. */
void eb_report_rename(eb_report *report, size_t first, const eb_column *key);

void eb_report_page(eb_report *report); /* the item that was added last begins a page */

/* Copies the arrays; low/high may be NULL. */
eb_series *eb_report_series(eb_report *report, const eb_column *key, const char *title, eb_series_shape shape,
                            size_t points, const double *x, const double *y, const double *low, const double *high);

/* A series without points, and one more at the end of it: z for EB_HEAT, mark 0: none. A series' points are alike. */
eb_series *eb_report_dots(eb_report *report, const eb_column *key, const char *title, eb_series_shape shape);
void eb_series_add(eb_series *series, double x, double y, double z, char mark);

void eb_series_marks(eb_series *series, const char *mark);      /* copies as many letters as there are points */
void eb_series_heat(eb_series *series, const eb_column *field); /* what z is */
void eb_series_turns(eb_series *series);
void eb_series_axes(eb_series *series, const eb_column *x, bool x_log, const eb_column *y, bool y_log);
void eb_report_note(eb_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A note that screens with room for one must not leave out: "warning: …", before all that are none. */
void eb_report_warn(eb_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
void eb_report_raw(eb_report *report, const char *text);

/* The report's answer, one plain sentence without a full stop, shown last: subject, verb, one fact. The last one given
 * stays; an empty one takes it away. */
void eb_report_conclude(eb_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Raw text, and as it flows: a line with a tab is broken where it is too wide, to go on below the tab, which is no
 * column itself. */
void eb_report_flow(eb_report *report, const char *text, const char *flow);

/* Whether a note begins as warnings do. */
bool eb_is_warning(const char *note);
