#include "shell/lessons/play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/lessons/code.h"

/* Sets :by, which says who measured. */
static eb_code say_who_measured(eb_play *play, eb_status *status)
{
    char by[256] = "this GPU";
    if (play->where == EB_LESSON_ON_CPU) {
        EB_TRY(eb_recorded_read(play->lesson->path, &play->recorded, status));
        (void)eb_recorded_by(&play->recorded, by, sizeof by);
    }
    return eb_evaluator_set(play->values, "by", eb_text(by), status);
}

eb_code eb_play_new(const eb_session *outer, eb_lesson *lesson, eb_play **out, eb_status *status)
{
    eb_play *play = calloc(1, sizeof *play);
    *out = NULL;
    if (!play) {
        eb_lesson_free(lesson);
        return eb_fail_memory(status, "a lesson", sizeof *play);
    }
    play->lesson = lesson;
    play->session = eb_session_beside(outer);
    play->ran = calloc(lesson->lines + 1, sizeof *play->ran);
    eb_code failed =
        play->session && play->ran ? eb_evaluator_new(&play->values, status) : eb_fail_memory(status, "a session", 1);
    if (failed) {
        eb_play_free(play);
        return failed;
    }
    play->where = strncmp(outer->settings.device, "cuda", 4) == 0 ? EB_LESSON_ON_GPU : EB_LESSON_ON_CPU;
    failed = say_who_measured(play, status);
    if (failed)
        eb_play_free(play);
    else
        *out = play;
    return failed;
}

void eb_play_free(eb_play *play)
{
    if (!play)
        return;
    for (size_t k = 0; play->ran && k < play->lesson->lines; k++)
        free(play->ran[k]);
    free(play->ran);
    eb_lesson_free(play->lesson);
    eb_session_free(play->session);
    eb_evaluator_free(play->values);
    eb_report_free(play->last);
    eb_report_free(play->shown);
    eb_report_free(play->wrong);
    eb_recorded_free(&play->recorded);
    free(play);
}

eb_code eb_play_at_line(const eb_play_scene *s, const eb_lesson_line *line, eb_code failed)
{
    if (!failed || failed == EB_CANCELLED || !s->status)
        return failed;
    return eb_fail(s->status, failed, "%.300s:%zu: %.440s", s->play->lesson->path, line->number, s->status->message);
}

/* ---- running commands ---- */

static bool is_asked(const eb_request *r)
{
    return r->quit || r->script || r->source || r->pause || r->repeat || r->dump || r->panel;
}

/* EB_USAGE for a command that only the prompt can carry out or that writes a file. */
static eb_code check_command(const eb_call *call, eb_status *status)
{
    const eb_command *command = call->command;
    bool fits = !(command->flags & EB_IMMEDIATE) || strcmp(command->name, "set") == 0;
    for (size_t k = 0; k < EB_MAX_ARGUMENTS && command->argument[k].name; k++)
        fits = fits && !eb_call_writes(call, k);
    return fits ? EB_OK : eb_fail(status, EB_USAGE, "%s is no command for a lesson", command->name);
}

/* The lesson's session uses the outer session's log while a command runs. */
static void lend_log(const eb_play_scene *s)
{
    eb_session *inner = s->play->session;
    if (s->play->unlogged)
        return;
    inner->store = s->outer->store;
    inner->session_row = s->outer->session_row;
    inner->command_row = s->outer->command_row;
    inner->live = s->outer->live;
}

static void take_log_back(const eb_play_scene *s)
{
    eb_session *inner = s->play->session;
    if (s->play->unlogged)
        return;
    if (s->outer->store && !inner->store) {
        s->outer->store = NULL;
        memcpy(s->outer->log_warning, inner->log_warning, sizeof inner->log_warning);
    }
    inner->store = NULL;
    inner->command_row = 0;
    inner->live = NULL;
}

static eb_code run_call(const eb_play_scene *s, const eb_call *call)
{
    eb_play *play = s->play;
    EB_TRY(check_command(call, s->status));
    if (call->command->flags & EB_NEEDS_DATASET)
        EB_TRY(eb_session_check_dataset(play->session, s->status));
    eb_report_free(play->last);
    play->last = eb_report_new(call->command->name);
    if (!play->last)
        return eb_fail_memory(s->status, "a report", sizeof *play->last);
    lend_log(s);
    eb_code failed = call->command->handler(play->session, call, play->last, s->job, s->status);
    take_log_back(s);
    if (!failed && is_asked(&play->session->request))
        failed = eb_fail(s->status, EB_USAGE, "%s is no command for a lesson", call->command->name);
    eb_session_clear_request(play->session);
    return failed ? failed : eb_evaluator_take(play->values, play->last, s->status);
}

static eb_code run_commands(const eb_play_scene *s, const char *text)
{
    for (const char *at = text, *rest = text; *at != '\0'; at = rest) {
        eb_call *call = NULL;
        eb_code failed = eb_parse_at(text, at, &rest, &call, s->status);
        if (!failed && call)
            failed = run_call(s, call);
        eb_call_free(call);
        EB_TRY(failed);
    }
    return EB_OK;
}

/* ---- texts with numbers in them ---- */

eb_code eb_play_expand(const eb_play_scene *s, const eb_lesson_line *line, char **out)
{
    return eb_play_at_line(s, line, eb_fill_in_text(s->play->values, line->text, out, s->job, s->status));
}

static eb_code put_line_as(const eb_play_scene *s, eb_record *record, const eb_lesson_line *line,
                           const eb_column *field)
{
    char *text;
    EB_TRY(eb_play_expand(s, line, &text));
    eb_record_field(record, field, eb_text(text));
    free(text);
    return EB_OK;
}

eb_code eb_play_paragraph(const eb_play_scene *s, eb_record *record, size_t first, size_t end, eb_lesson_word word,
                          const eb_column *field)
{
    char *paragraph = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&paragraph, &size);
    if (!out)
        return eb_fail_memory(s->status, "a text", 1);
    eb_code failed = EB_OK;
    bool any = false;
    for (size_t k = first; k < end && !failed; k++) {
        const eb_lesson_line *line = &s->play->lesson->line[k];
        if (line->word != word || !(line->where & s->play->where))
            continue;
        (void)fputs(any ? " " : "", out);
        failed = eb_play_at_line(s, line, eb_fill_in(s->play->values, line->text, out, s->job, s->status));
        any = true;
    }
    if (fclose(out) != 0 && !failed)
        failed = eb_fail_memory(s->status, "a text", 1);
    if (!failed && any)
        eb_record_field(record, field, eb_text(paragraph));
    free(paragraph);
    return failed;
}

/* ---- run, take, show, code ---- */

static eb_code take_value(const eb_play_scene *s, const eb_lesson_line *line)
{
    eb_value value;
    EB_TRY(eb_evaluator_get(s->play->values, line->text, &value, s->job, s->status));
    if (value.kind == EB_NA && line->where != EB_LESSON_ON_GPU)
        return eb_fail(s->status, EB_USAGE, "%s has no value: %.200s", line->name, line->text);
    if (s->play->recording && line->where == EB_LESSON_ON_GPU)
        EB_TRY(eb_recorded_add(s->play->recording, s->play->lesson->name, s->play->step + 1, line->name, value,
                               s->status));
    return eb_evaluator_set(s->play->values, line->name, value, s->status);
}

/* True if another line of the step takes this value on the session's device. */
static bool is_taken_here(const eb_play *play, const eb_lesson_line *line)
{
    const eb_lesson_step *step = eb_play_current(play);
    for (size_t k = step->first; k < step->end; k++) {
        const eb_lesson_line *other = &play->lesson->line[k];
        if (other->word == EB_LESSON_TAKE && (other->where & play->where) && strcmp(other->name, line->name) == 0)
            return true;
    }
    return false;
}

/* Without a GPU, gives a value of a `gpu take` line what a GPU recorded, or NULL. */
static eb_code take_recorded(const eb_play_scene *s, const eb_lesson_line *line)
{
    const eb_play *play = s->play;
    if (line->word != EB_LESSON_TAKE || line->where != EB_LESSON_ON_GPU || is_taken_here(play, line))
        return EB_OK;
    return eb_evaluator_set(play->values, line->name,
                            eb_recorded_find(&play->recorded, play->lesson->name, play->step + 1, line->name),
                            s->status);
}

/* Shows a copy of a field of the last report. False: the report has no such field. */
static bool show_field(const eb_play_scene *s, const eb_lesson_line *line)
{
    for (size_t k = 0; k < s->play->last->items; k++) {
        const eb_item *item = s->play->last->item[k];
        if (item->kind != EB_FIELD || !item->title || strcmp(item->key, line->name) != 0)
            continue;
        const eb_column field = {item->key, item->title, item->as.field.unit};
        eb_record_field(eb_report_record(s->report, &field, line->text), &field, item->as.field.value);
        return true;
    }
    return false;
}

/* Hides the columns that a `show` line does not name, in the items from `first` on. */
static eb_code hide_columns(const eb_play_scene *s, const eb_lesson_line *line, size_t first)
{
    for (size_t k = first; line->columns && k < s->report->items; k++) {
        eb_item *item = s->report->item[k];
        if (item->kind != EB_TABLE || !eb_table_show_only(&item->as.table, line->columns))
            return eb_fail(s->status, EB_USAGE, "%s of %s has no such columns: %s", line->name, s->play->last->command,
                           line->columns);
    }
    return EB_OK;
}

static eb_code show_item(const eb_play_scene *s, const eb_lesson_line *line)
{
    const size_t first = s->report->items;
    if (s->play->last && (eb_report_hand_on(s->play->last, &(eb_column){.key = line->name}, line->text, s->report) ||
                          show_field(s, line)))
        return hide_columns(s, line, first);
    if (!s->play->last)
        return eb_fail(s->status, EB_USAGE, "nothing ran that could show %s", line->name);
    return eb_fail(s->status, EB_USAGE, "%s has nothing to show that is called %s", s->play->last->command, line->name);
}

static eb_code run_line(const eb_play_scene *s, const eb_lesson_line *line)
{
    char **ran = &s->play->ran[line - s->play->lesson->line], *text;
    EB_TRY(eb_play_at_line(s, line, eb_fill_in_command(s->play->values, line->text, &text, s->job, s->status)));
    free(*ran);
    *ran = text;
    return eb_play_at_line(s, line, run_commands(s, text));
}

static eb_code do_line(const eb_play_scene *s, const eb_lesson_line *line)
{
    switch (line->word) {
    case EB_LESSON_RUN: return run_line(s, line);
    case EB_LESSON_TAKE: return eb_play_at_line(s, line, take_value(s, line));
    case EB_LESSON_SHOW: return eb_play_at_line(s, line, show_item(s, line));
    case EB_LESSON_CODE:
        eb_report_note(s->report,
                       "`lesson code=ptx` shows what the compiler makes of the kernel, `lesson code=sass` what "
                       "the GPU runs");
        return eb_play_at_line(s, line, eb_code_show(line->name, line->text, NULL, s->report, s->status));
    default: return EB_OK;
    }
}

eb_code eb_play_do(const eb_play_scene *s, size_t first, size_t end)
{
    for (size_t k = first; k < end; k++) {
        const eb_lesson_line *line = &s->play->lesson->line[k];
        EB_TRY(line->where & s->play->where ? do_line(s, line) : take_recorded(s, line));
    }
    return EB_OK;
}

/* ---- the question ---- */

const eb_lesson_step *eb_play_current(const eb_play *play) { return &play->lesson->step[play->step]; }

const eb_lesson_line *eb_play_line(const eb_play *play, eb_lesson_word word, char letter)
{
    const eb_lesson_step *step = eb_play_current(play);
    for (size_t k = step->first; k < step->end; k++) {
        const eb_lesson_line *line = &play->lesson->line[k];
        if (line->word == word && (line->where & play->where) && (!letter || line->name[0] == letter))
            return line;
    }
    return NULL;
}

eb_code eb_play_put_choice(const eb_play_scene *s, eb_record *record, const eb_column *field, const char *answer)
{
    const eb_lesson_line *choice = eb_play_line(s->play, EB_LESSON_CHOICE, answer[0]);
    char *text, *whole = NULL;
    if (!choice) {
        eb_record_field(record, field, eb_text(answer));
        return EB_OK;
    }
    EB_TRY(eb_play_expand(s, choice, &text));
    const bool made = asprintf(&whole, "%s: %s", answer, text) >= 0;
    eb_record_field(record, field, eb_text(made ? whole : answer));
    if (made)
        free(whole);
    free(text);
    return EB_OK;
}

static eb_code put_choices(const eb_play_scene *s, eb_record *record)
{
    const eb_lesson_step *step = eb_play_current(s->play);
    for (size_t k = step->first; k < step->end; k++) {
        const eb_lesson_line *line = &s->play->lesson->line[k];
        if (line->word == EB_LESSON_CHOICE && (line->where & s->play->where))
            EB_TRY(put_line_as(s, record, line, &(eb_column){line->name, line->name, EB_IDENTITY}));
    }
    return EB_OK;
}

static void put_how(const eb_play *play, eb_record *record)
{
    char how[160];
    const bool choice = eb_play_line(play, EB_LESSON_CHOICE, 0) != NULL;
    (void)snprintf(how, sizeof how, "`answer %s`, or %s alone, %s%s%s", choice ? "a" : "NUMBER",
                   choice ? "the letter" : "the number",
                   play->tries > 0 ? "is your second try" : "predicts; then it runs",
                   eb_play_line(play, EB_LESSON_HINT, 0) ? "; `hint` helps" : "",
                   play->tries > 0 ? "; `answer` alone tells" : "");
    eb_record_field(record, EB_F(how), eb_text(how));
}

/* Puts a wrong try of before. */
static eb_code put_wrong_try(const eb_play_scene *s)
{
    if (s->play->tries == 0)
        return EB_OK;
    return eb_play_put_choice(s, eb_report_record(s->report, EB_F(again), "Not so; a second try"), EB_F(own_answer),
                              s->play->wrong_try);
}

static eb_code put_question(const eb_play_scene *s, bool given)
{
    const eb_play *play = s->play;
    const eb_lesson_step *step = eb_play_current(play);
    char title[200];
    (void)snprintf(title, sizeof title, "%s, step %zu of %zu: %s", play->lesson->name, play->step + 1,
                   play->lesson->steps, step->title);
    eb_record *record = eb_report_record(s->report, EB_F(question), title);
    EB_RECORD_FIELDS(record, {EB_HIDDEN(lesson), eb_text(play->lesson->name)},
                     {EB_HIDDEN(step), eb_uint(play->step + 1)}, {EB_HIDDEN(steps), eb_uint(play->lesson->steps)});
    EB_TRY(eb_play_paragraph(s, record, step->first, step->ask, EB_LESSON_SAY, EB_F_IF(given, given)));
    EB_TRY(put_line_as(s, record, &play->lesson->line[step->ask], EB_F(question)));
    EB_TRY(put_choices(s, record));
    put_how(play, record);
    return EB_OK;
}

eb_code eb_play_ask(eb_play *play, eb_session *outer, size_t step, const eb_lesson_place *kept, eb_report *report,
                    eb_job *job, eb_status *status)
{
    eb_play_scene s = {play, outer, report, job, status};
    play->step = step;
    play->hinted = kept && kept->hinted;
    play->tries = kept ? kept->tries : 0;
    (void)snprintf(play->wrong_try, sizeof play->wrong_try, "%s", kept ? kept->answer : "");
    eb_report_free(play->shown);
    play->shown = NULL;
    if (step >= play->lesson->steps)
        return EB_OK;
    EB_TRY(eb_play_do(&s, eb_play_current(play)->first, eb_play_current(play)->ask));
    EB_TRY(put_wrong_try(&s));
    return put_question(&s, true);
}

eb_code eb_play_catch_up(eb_play *play, eb_session *outer, size_t step, eb_job *job, eb_status *status)
{
    eb_report *unseen = eb_report_new("lesson");
    eb_play_scene s = {play, outer, unseen, job, status};
    eb_code failed = unseen ? EB_OK : eb_fail_memory(status, "a report", sizeof *unseen);
    play->unlogged = true;
    for (play->step = 0; play->step < step && !failed; play->step++)
        failed = eb_play_do(&s, eb_play_current(play)->first, eb_play_current(play)->end);
    play->unlogged = false;
    eb_report_free(unseen);
    return failed;
}

eb_code eb_play_remind(eb_play *play, eb_report *report, eb_job *job, eb_status *status)
{
    eb_play_scene s = {play, NULL, report, job, status};
    if (play->step >= play->lesson->steps)
        return EB_OK;
    EB_TRY(put_wrong_try(&s));
    return put_question(&s, true);
}

eb_code eb_play_repeat(eb_play *play, eb_report *report, eb_job *job, eb_status *status)
{
    return put_question(&(eb_play_scene){play, NULL, report, job, status}, false);
}

eb_code eb_play_hint(eb_play *play, eb_report *report, eb_job *job, eb_status *status)
{
    eb_play_scene s = {play, NULL, report, job, status};
    if (play->step >= play->lesson->steps || !eb_play_line(play, EB_LESSON_HINT, 0))
        return eb_fail(status, EB_NOT_FOUND, "this step has no hint");
    play->hinted = true;
    eb_record *record = eb_report_record(report, EB_F(hint), "A hint");
    return eb_play_paragraph(&s, record, eb_play_current(play)->first, eb_play_current(play)->end, EB_LESSON_HINT,
                             EB_F(hint));
}

void eb_play_stay(eb_session *session)
{
    const eb_play *play = session->play;
    eb_lesson_place place = {.step = play->step < play->lesson->steps ? play->before + play->step + 1 : 0,
                             .tries = play->tries,
                             .hinted = play->hinted};
    eb_status failure;
    (void)snprintf(place.lesson, sizeof place.lesson, "%s", play->lesson->name);
    if (session->store && session->session_row > 0 &&
        eb_store_lesson_stay(session->store, session->session_row, &place, &failure))
        eb_session_log_failed(session, &failure);
}
