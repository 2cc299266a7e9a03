/* commands: the command exercise: lists the exercises, begins one, opens a person's file in the editor, checks it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/files/new_file.h"
#include "core/files/text_file.h"
#include "shell/commands/commands.h"
#include "shell/exercises/exercises.h"
#include "shell/exercises/try.h"
#include "shell/lessons/library.h"

enum { PATH_BYTES = 4096, NAME_BYTES = 64 };

/* ---- texts ---- */

static eb_code read_exercise(const eb_exercise *exercise, char **out, eb_status *status)
{
    char name[NAME_BYTES], path[PATH_BYTES];
    (void)snprintf(name, sizeof name, "exercises/%s.exercise", exercise->name);
    return eb_library_text(name, "an exercise", path, sizeof path, out, status);
}

/* What the exercise asks: the first line of its text, without the name. Returns buffer. */
static const char *asked_by(const char *text, char *buffer, size_t size)
{
    const size_t end = strcspn(text, "\n");
    const char *colon = memchr(text, ':', end);
    const char *begin = colon ? colon + 1 + strspn(colon + 1, " ") : text;
    (void)snprintf(buffer, size, "%.*s", (int)(text + end - begin), begin);
    return buffer;
}

/* ---- the log: an exercise counts as a lesson of one step ---- */

static const char *logged_name(const eb_exercise *exercise, char buffer[NAME_BYTES])
{
    (void)snprintf(buffer, NAME_BYTES, "exercise %s", exercise->name);
    return buffer;
}

static void log_result(eb_session *session, const eb_exercise *exercise, const eb_faults *faults)
{
    eb_status failure;
    char name[NAME_BYTES];
    const eb_lesson_answer given = {.lesson = logged_name(exercise, name),
                                    .step = 1,
                                    .question = exercise->form,
                                    .answer = faults->count ? faults->first : "no fault",
                                    .expected = "no fault",
                                    .correct = faults->count == 0};
    if (session->store && session->session_row > 0 &&
        eb_store_lesson_answer(session->store, session->session_row, &given, &failure))
        eb_session_log_failed(session, &failure);
}

/* ---- `exercise` ---- */

static eb_code put_exercise(const eb_session *session, const eb_exercise *exercise, eb_table *table, eb_status *status)
{
    char *text, asks[200], name[NAME_BYTES];
    const char *state = NULL;
    if (session->store) {
        eb_lesson_progress progress;
        EB_TRY(eb_store_lesson_progress(session->store, logged_name(exercise, name), &progress, status));
        state = progress.right ? "done" : progress.answered ? "begun" : "-";
    }
    EB_TRY(read_exercise(exercise, &text, status));
    EB_ROW(table, eb_text(exercise->name), eb_text(state), eb_text(asked_by(text, asks, sizeof asks)),
           eb_text(exercise->form));
    free(text);
    return EB_OK;
}

static eb_code list_exercises(const eb_session *session, eb_report *report, eb_status *status)
{
    eb_table *table =
        EB_TABLE(report, EB_F(exercises), "Exercises", EB_F(exercise), EB_F(done), EB_F(asks), EB_HIDDEN(form));
    for (size_t k = 0; k < EB_EXERCISES; k++)
        EB_TRY(put_exercise(session, eb_exercises[k], table, status));
    eb_report_note(report,
                   "`exercise edit swizzle.c` opens a file with one function in your editor ($VISUAL, $EDITOR), then "
                   "compiles and checks it");
    return EB_OK;
}

/* ---- `exercise NAME [FILE]` ---- */

static eb_code write_file(const char *path, const char *text, eb_status *status)
{
    eb_new_file *file;
    EB_TRY(eb_new_file_open(path, &file, status));
    if (fputs(text, eb_new_file_stream(file)) < 0) {
        eb_new_file_abandon(file);
        return eb_fail_writing(path, errno, status);
    }
    return eb_new_file_commit(file, status);
}

/* The file that a person edits if none is named: "swizzle.c". */
static const char *own_file(const eb_exercise *exercise, char buffer[NAME_BYTES])
{
    (void)snprintf(buffer, NAME_BYTES, "%s.c", exercise->name);
    return buffer;
}

static eb_code begin(const eb_exercise *exercise, const char *path, eb_report *report, eb_status *status)
{
    char *text, asks[200], own[NAME_BYTES];
    path = path ? path : own_file(exercise, own);
    const bool there = access(path, F_OK) == 0;
    EB_TRY(read_exercise(exercise, &text, status));
    const eb_code failed = there ? EB_OK : write_file(path, text, status);
    if (!failed)
        EB_FIELDS(report, {EB_F(exercise), eb_text(exercise->name)},
                  {EB_F(asks), eb_text(asked_by(text, asks, sizeof asks))}, {EB_F(form), eb_text(exercise->form)},
                  {EB_F(file), eb_text(path)});
    free(text);
    if (!failed && there)
        eb_report_note(report, "%s was there already and stays as it is", path);
    if (!failed)
        eb_report_note(report,
                       "`exercise edit %s` opens it in your editor and then checks it; `exercise check %s` only "
                       "checks it",
                       path, path);
    return failed;
}

/* ---- `exercise edit FILE` ---- */

/* Writes the exercise's file if it is missing. */
static eb_code write_missing(const eb_exercise *exercise, const char *path, eb_status *status)
{
    char *text;
    if (access(path, F_OK) == 0)
        return EB_OK;
    EB_TRY(read_exercise(exercise, &text, status));
    const eb_code failed = write_file(path, text, status);
    free(text);
    return failed;
}

/* The exercise that a missing file is named after: "swizzle.c", "swizzle"; NULL: none. */
static const eb_exercise *named_after(const char *name)
{
    char own[NAME_BYTES];
    for (size_t k = 0; k < EB_EXERCISES; k++)
        if (strcmp(name, eb_exercises[k]->name) == 0 || strcmp(name, own_file(eb_exercises[k], own)) == 0)
            return eb_exercises[k];
    return NULL;
}

/* Asks the shell to open the editor and then to check the file. */
static eb_code ask_to_edit(eb_session *session, const char *path, eb_status *status)
{
    eb_request *request = &session->request;
    const char quote = strchr(path, '\'') ? '"' : '\'';
    const bool plain = path[strcspn(path, " \t;#=\"'")] == '\0';
    request->edit = strdup(path);
    if (plain ? asprintf(&request->then, "exercise check %s", path) < 0
              : asprintf(&request->then, "exercise check %c%s%c", quote, path, quote) < 0)
        request->then = NULL;
    if (request->edit && request->then)
        return EB_OK;
    eb_session_clear_request(session);
    return eb_fail_memory(status, "a path", strlen(path));
}

static eb_code edit(eb_session *session, const char *name, eb_status *status)
{
    char own[NAME_BYTES];
    if (!name)
        return eb_fail(status, EB_USAGE, "`exercise edit FILE` needs a file, such as swizzle.c");
    const eb_exercise *exercise = named_after(name);
    if (exercise)
        EB_TRY(write_missing(exercise, name = own_file(exercise, own), status));
    if (access(name, F_OK) != 0)
        return eb_fail(status, EB_NOT_FOUND, "%s: %s; `exercise %s FILE` writes a file to edit", name, strerror(errno),
                       eb_exercises[0]->name);
    return ask_to_edit(session, name, status);
}

/* ---- `exercise check FILE` ---- */

/* Table "compiler": the compiler's lines about the person's file, "PATH:LINE:COLUMN: KIND: TEXT". */
static void put_compiler(const char *says, const char *path, eb_report *report)
{
    eb_table *table = NULL;
    for (const char *at = strstr(says, path); at; at = strstr(at, path)) {
        char *end;
        at += strlen(path);
        if (*at != ':' && *at != '(')
            continue;
        const unsigned long line = strtoul(at + 1, &end, 10);
        const char *text = strstr(end, ": ");
        const size_t length = strcspn(end, "\n");
        if (line == 0 || !text || text > end + length)
            continue;
        char says_here[300];
        (void)snprintf(says_here, sizeof says_here, "%.*s", (int)(end + length - text) - 2, text + 2);
        if (!table)
            table = EB_TABLE(report, EB_F(compiler_lines), "The compiler says", EB_F(line_number), EB_F(compiler_says));
        EB_ROW(table, eb_uint(line), eb_text(says_here));
    }
}

/* Table "printed": the first lines that the function printed. */
static void put_printed(const char *printed, eb_report *report)
{
    enum { MOST_LINES = 8, MOST_BYTES = 120 };
    eb_table *table = EB_TABLE(report, EB_F(printed), "Your function printed", EB_F(printed));
    const char *at = printed;
    for (int line = 0; *at && line < MOST_LINES; line++) {
        char text[MOST_BYTES + 1];
        const size_t length = strcspn(at, "\n");
        (void)snprintf(text, sizeof text, "%.*s", (int)(length < MOST_BYTES ? length : MOST_BYTES), at);
        EB_ROW(table, eb_text(text));
        at += length + (at[length] == '\n');
    }
    if (*at)
        eb_report_note(report, "it printed more; the first lines are shown");
}

static eb_code report_values(eb_session *session, const eb_exercise *exercise, const eb_tried *tried, eb_report *report,
                             eb_status *status)
{
    eb_faults faults = {.count = 0};
    eb_report *seen = eb_report_new("exercise"); /* faults stand before the pictures that the check adds */
    if (!seen)
        return eb_fail_memory(status, "a report", sizeof *seen);
    faults.table = EB_TABLE(seen, EB_F(faults), "What is wrong", EB_F(fault));
    eb_code failed = exercise->check(exercise, tried->value, report, &faults, status);
    if (!failed && !eb_report_ok(seen))
        failed = eb_fail_memory(status, "a report", sizeof *seen);
    if (!failed) {
        eb_report_field(report, EB_F(correct), eb_bool(faults.count == 0));
        if (faults.count > 0) {
            (void)eb_report_hand_on(seen, EB_F(faults), NULL, report);
            eb_report_conclude(report, "Not yet: %s", faults.first);
            if (faults.count > faults.table->rows)
                eb_report_note(report, "%zu faults in all; the first are shown", faults.count);
        }
        log_result(session, exercise, &faults);
    }
    eb_report_free(seen);
    return failed;
}

static eb_code report_tried(eb_session *session, const eb_exercise *exercise, const char *path, const eb_tried *tried,
                            eb_report *report, eb_status *status)
{
    if (tried->value)
        EB_TRY(report_values(session, exercise, tried, report, status));
    else
        eb_report_field(report, EB_F(correct), eb_bool(false));
    if (tried->compiler)
        put_compiler(tried->compiler, path, report);
    if (tried->printed)
        put_printed(tried->printed, report);
    if (!tried->value)
        eb_report_conclude(report, "Not yet: %s", tried->sentence);
    return EB_OK;
}

static eb_code try_file(eb_session *session, const eb_exercise *exercise, const char *path, eb_report *report,
                        eb_job *job, eb_status *status)
{
    eb_device device;
    eb_tried tried;
    EB_TRY(eb_session_device(session, &device, status));
    if (device.kind == EB_DEVICE_CUDA)
        EB_TRY(eb_try_on_gpu(exercise, path, device.index, &tried, job, status));
    else
        EB_TRY(eb_try_on_cpu(exercise, path, &tried, job, status));
    EB_FIELDS(report, {EB_F(exercise), eb_text(exercise->name)}, {EB_F(device), eb_text(device.name)});
    const eb_code failed = report_tried(session, exercise, path, &tried, report, status);
    eb_tried_free(&tried);
    return failed;
}

static eb_code check(eb_session *session, const char *name, eb_report *report, eb_job *job, eb_status *status)
{
    char *text;
    if (!name)
        return eb_fail(status, EB_USAGE, "`exercise check FILE` needs a file");
    EB_TRY(eb_text_read(name, "a file of C", &text, status));
    const eb_exercise *exercise = eb_exercise_of(text);
    free(text);
    if (!exercise)
        return eb_fail(status, EB_USAGE, "%s: expected a function of an exercise, as %s; `exercise` lists them", name,
                       eb_exercises[0]->form);
    char *path = realpath(name, NULL);
    if (!path)
        return eb_fail(status, EB_IO, "%s: %s", name, strerror(errno));
    const eb_code failed = try_file(session, exercise, path, report, job, status);
    free(path);
    return failed;
}

eb_code eb_cmd_exercise(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    const char *what = eb_call_text(call, "exercise"), *file = eb_call_text(call, "file");
    if (!what)
        return list_exercises(session, report, status);
    if (strcmp(what, "edit") == 0)
        return edit(session, file, status);
    if (strcmp(what, "check") == 0)
        return check(session, file, report, job, status);
    const eb_exercise *exercise = eb_exercise_find(what);
    if (!exercise)
        return eb_fail(status, EB_USAGE, "no exercise \"%.80s\"; `exercise` lists them", what);
    return begin(exercise, file, report, status);
}
