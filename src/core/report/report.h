/* report: the result of every command: fields, records, tables, series and notes, each value with its unit. Renderers
 * (text, JSON, CSV, Markdown, a panel) draw a report; nothing else prints.
 *
 * A report is an ordered list of items. Scripts see keys in JSON ("kernel_s", units in the key); people see titles. A
 * record and a series may share a key. Unknown values are EB_NA: "n/a" in text, null in JSON, never 0. Items, columns
 * and fields without a title (NULL) are for programs only. Strings are copied. The functions that build a report return
 * no errors: the report remembers a failed allocation, and eb_report_ok reports it at the end.
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
        const char *text; /* inside a report: the report's copy */
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

/* How people see a table: as a table, or as a picture (draw/plots/table_picture.h). */
typedef enum eb_look { EB_AS_TABLE, EB_AS_TIMELINE, EB_AS_MEMORY, EB_AS_CODE } eb_look;

typedef struct eb_table {
    size_t columns, rows, row_capacity;
    eb_column *column;
    eb_value *cell; /* row-major, rows × columns */
    bool turned;    /* shown transposed: a line for each column, the rows side by side; for two rows also the ratio */
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
    eb_series_shape shape; /* EB_BARS: a histogram, x are bin centres; EB_POINTS: unordered, not joined; EB_HEAT: a cell
                              for each x and y with a value z */
    char *x_key, *y_key;   /* names of the arrays in JSON: "eps", "selectivity" */
    char *x_title, *y_title;
    eb_unit x_unit, y_unit;
    bool x_log, y_log; /* logarithmic axes */
    size_t points;
    double *x, *y;      /* [points]; NAN: unknown */
    double *low, *high; /* confidence band, [points] each, or NULL */
    char *mark;  /* [points] letters, or NULL. EB_POINTS: the point's group; EB_LINE: the point's line, lines one after
                    the other; EB_HEAT: why there is no z */
    char *names; /* what letters stand for, a line each: "a fasted\n"; NULL: unknown */
    char *z_key, *z_title; /* EB_HEAT */
    double *z;             /* EB_HEAT: [points]; NAN: unknown */
    eb_unit z_unit;
    bool modelled; /* EB_POINTS: a capital letter is what a model says of the small letter's point, and is drawn hollow
                    */
    bool in_turns; /* EB_HEAT: z is the position of the cell in time, from 1; screens may animate it */
    double under, over; /* EB_BARS: mass outside the axis; NAN: not applicable */
} eb_series;

typedef struct eb_item {
    eb_item_kind kind;
    char *key, *title;
    bool page; /* the item begins a page: text and Markdown draw a rule before it */
    union {
        eb_field field; /* key/title as in the item */
        eb_record record;
        eb_table table;
        eb_series series;
    } as;
} eb_item;

typedef struct eb_report {
    char *command; /* "tune" */
    char *dataset; /* the name of its points, for captions of pictures; NULL: unknown, or none */
    size_t items;
    eb_item **item; /* pointers, so that items keep their addresses while others are added */
    size_t notes;
    char **note;
    char *raw;        /* text to show unchanged (help pages, exported scripts); usually NULL */
    char *flow;       /* the raw text in a form that can be wrapped (eb_report_flow); NULL: none */
    char *conclusion; /* the answer in one sentence; NULL: none */
    bool out_of_memory;
} eb_report;

eb_report *eb_report_new(const char *command); /* NULL: out of memory */
void eb_report_free(eb_report *report);        /* NULL is fine */
bool eb_report_ok(const eb_report *report);

/* Each of these functions accepts NULL and failed reports: it does nothing and returns NULL. */
void eb_report_field(eb_report *report, const eb_column *field, eb_value value);
eb_record *eb_report_record(eb_report *report, const eb_column *key, const char *title);
void eb_record_field(eb_record *record, const eb_column *field, eb_value value);
eb_table *eb_report_table(eb_report *report, const eb_column *key, const char *title);
eb_table *eb_table_of(eb_report *report, const eb_column *key, const char *title, const eb_column *const *columns,
                      size_t count);
void eb_table_column(eb_table *table, const eb_column *column); /* before the first row */
void eb_table_columns(eb_table *table, const eb_column *const *columns, size_t count);
void eb_table_row(eb_table *table, const eb_value *cells, size_t count); /* count must equal the columns */

/* Several fields in one call: EB_FIELDS(report, {EB_F(n), eb_uint(n)}, {EB_F(d), eb_uint(d)}). */
typedef struct eb_told {
    const eb_column *field;
    eb_value value;
} eb_told;
void eb_report_fields(eb_report *report, const eb_told *told, size_t count);
void eb_record_fields(eb_record *record, const eb_told *told, size_t count);
#define EB_TOLD(...) (const eb_told[]){__VA_ARGS__}, sizeof((const eb_told[]){__VA_ARGS__}) / sizeof(eb_told)
#define EB_FIELDS(report, ...) eb_report_fields((report), EB_TOLD(__VA_ARGS__))
#define EB_RECORD_FIELDS(record, ...) eb_record_fields((record), EB_TOLD(__VA_ARGS__))

/* Columns and cells in one call: EB_COLUMNS(table, EB_F(eps), EB_F(kernel_s)), EB_ROW(table, cell, cell). EB_TABLE
 * makes a table with its columns. */
#define EB_LISTED(...)                                                                                                 \
    (const eb_column *const[]){__VA_ARGS__}, sizeof((const eb_column *const[]){__VA_ARGS__}) / sizeof(eb_column *)
#define EB_COLUMNS(table, ...) eb_table_columns((table), EB_LISTED(__VA_ARGS__))
#define EB_TABLE(report, key, title, ...) eb_table_of((report), (key), (title), EB_LISTED(__VA_ARGS__))
#define EB_ROW(table, ...)                                                                                             \
    eb_table_row((table), (const eb_value[]){__VA_ARGS__}, sizeof((const eb_value[]){__VA_ARGS__}) / sizeof(eb_value))
void eb_table_turn(eb_table *table); /* shows a table of few rows and many columns transposed; the data are unchanged */
void eb_table_draw(eb_table *table, eb_look look); /* shows a table as a picture; the data are unchanged */

/* Takes the titles of all columns but the named ones ("eps,n"), so that people see only those. False: a name is not a
 * column of the table, or none is given. */
bool eb_table_show_only(eb_table *table, const char *names);

/* Moves the items with this key, except fields, to the end of another report, with a new title (NULL: the old one).
 * False: there is none, or out of memory. */
bool eb_report_hand_on(eb_report *from, const eb_column *key, const char *title, eb_report *to);

/* Moves the first item with this key. */
bool eb_report_hand_on_first(eb_report *from, const eb_column *key, eb_report *to);

/* Moves all items to the end of another report, in their order. */
void eb_report_hand_on_all(eb_report *from, eb_report *to);

/* Changes the key of the items from `first` on, none of which may be a field. */
void eb_report_rename(eb_report *report, size_t first, const eb_column *key);

void eb_report_page(eb_report *report); /* the last item begins a page */

/* Copies the arrays; low and high may be NULL. */
eb_series *eb_report_series(eb_report *report, const eb_column *key, const char *title, eb_series_shape shape,
                            size_t points, const double *x, const double *y, const double *low, const double *high);

/* Makes a series without points; eb_series_add appends one. z: only for EB_HEAT. mark 0: none; either all points of a
 * series have a mark or none has. */
eb_series *eb_report_dots(eb_report *report, const eb_column *key, const char *title, eb_series_shape shape);
void eb_series_add(eb_series *series, double x, double y, double z, char mark);

void eb_series_marks(eb_series *series, const char *mark);           /* copies one letter for each point */
void eb_series_name(eb_series *series, char mark, const char *name); /* what a letter stands for, in a legend */
void eb_series_modelled(eb_series *series);                          /* capital letters are a model's points */
char eb_series_model_of(char mark);                                  /* the model's letter of a small one */
/* True if the point is a model's; *beside: the point that it is about, SIZE_MAX if the series lacks it. */
bool eb_series_is_model(const eb_series *series, size_t point, size_t *beside);
/* What the letter stands for, a model's letter as the small one; the letter itself if nothing says. Returns buffer. */
char *eb_series_letter(const eb_series *series, char mark, char *buffer, size_t size);
void eb_series_heat(eb_series *series, const eb_column *field); /* key, title and unit of z */
void eb_series_turns(eb_series *series);
void eb_series_axes(eb_series *series, const eb_column *x, bool x_log, const eb_column *y, bool y_log);
void eb_report_note(eb_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds the note "warning: …" before all notes that are not warnings, so that a screen with room for one note shows it.
 */
void eb_report_warn(eb_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
void eb_report_raw(eb_report *report, const char *text);
void eb_report_dataset(eb_report *report, const char *name); /* NULL: none */

/* Sets the report's answer, which is shown last: one plain sentence without a full stop (subject, verb, one fact). It
 * replaces an earlier one; an empty text removes it. */
void eb_report_conclude(eb_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets the raw text, and the same text for wrapping to any width: a tab in a line of `flow` marks the column at which
 * its continuation lines begin; the tab itself takes no column. */
void eb_report_flow(eb_report *report, const char *text, const char *flow);

/* True if a note begins with "warning: ". */
bool eb_is_warning(const char *note);
