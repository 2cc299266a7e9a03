/* make: makes the parts of a session's document from what the log has. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/report/find.h"
#include "shell/commands/run_report.h"
#include "shell/conclude/words.h"
#include "shell/document/document.h"

void eb_document_free(eb_document *document)
{
    for (size_t k = 0; k < document->parts; k++) {
        eb_part *part = &document->part[k];
        free(part->heading);
        free(part->remark);
        free(part->lines);
        free(part->answer);
        eb_report_free(part->report);
    }
    free(document->part);
    free(document->title);
    free(document->summary);
    free(document->writer);
    *document = (eb_document){0};
}

/* ---- texts and parts ---- */

static char *text_of(eb_document *document, const char *format, ...) __attribute__((format(printf, 2, 3)));

static char *text_of(eb_document *document, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    const int length = vasprintf(&text, format, args);
    va_end(args);
    document->out_of_memory |= length < 0;
    return length < 0 ? NULL : text;
}

/* A part with an empty report; NULL: out of memory. It is valid until the next part. */
static eb_part *add_part(eb_document *document, unsigned level, const char *heading)
{
    eb_report *report = eb_report_new("session");
    if (!report || !eb_array_grow(&document->part, document->parts, &document->room, sizeof *document->part, 16)) {
        eb_report_free(report);
        document->out_of_memory = true;
        return NULL;
    }
    eb_part *part = &document->part[document->parts++];
    *part = (eb_part){.level = level, .report = report};
    part->heading = text_of(document, "%s", heading);
    return part;
}

/* ---- machine and data ---- */

static void add_machine(eb_document *document, eb_report *facts)
{
    static const eb_column *const fields[] =
        EB_LIST(EB_F(session), EB_F(started), EB_F(ended), EB_F(state), EB_F(version), EB_F(commit), EB_F(compiler),
                EB_F(flags), EB_F(host));
    eb_part *part = add_part(document, 2, "Machine and program");
    for (size_t k = 0; part && k < sizeof fields / sizeof fields[0]; k++)
        eb_report_field(part->report, fields[k], eb_report_find_field(facts, fields[k]));
    if (part && !eb_report_hand_on(facts, EB_F(devices), NULL, part->report))
        eb_report_note(part->report, "the log of this session names no device");
}

static void add_data(eb_document *document, eb_report *facts)
{
    const eb_table *datasets = eb_report_find_table(facts, EB_F(datasets));
    eb_part *part = datasets ? add_part(document, 2, "Data") : NULL;
    if (!part)
        return;
    if (datasets->rows == 1)
        for (size_t c = 0; c < datasets->columns; c++)
            eb_report_field(part->report, &datasets->column[c], datasets->cell[c]);
    else
        (void)eb_report_hand_on(facts, EB_F(datasets), NULL, part->report);
}

/* ---- commands ---- */

static bool is_ok(const eb_past_command *command) { return strcmp(command->outcome, "ok") == 0; }

/* The conclusion; of a command without one, its outcome unless that is "ok". */
static char *answer_of(eb_document *document, const eb_past_command *command)
{
    if (command->message)
        return text_of(document, "%s: %s", command->outcome, command->message);
    if (eb_report_conclusion(command->report))
        return text_of(document, "%s", eb_report_conclusion(command->report));
    return is_ok(command) ? NULL : text_of(document, "%s", command->outcome);
}

static void add_overview(eb_document *document, const eb_past_session *past)
{
    eb_part *part = add_part(document, 2, "Commands");
    eb_table *table =
        part ? EB_TABLE(part->report, EB_F(lines), "", EB_F(number), EB_F(command), EB_F(took_s), EB_F(says)) : NULL;
    for (size_t k = 0; table && k < past->commands; k++) {
        char *answer = answer_of(document, &past->command[k]);
        EB_ROW(table, eb_uint(k + 1), eb_text(past->command[k].text), eb_real(past->command[k].duration_s),
               eb_text(answer ? answer : ""));
        free(answer);
    }
}

static void add_command(eb_document *document, eb_past_command *command, unsigned number)
{
    eb_part *part = add_part(document, 3, command->text);
    if (!part)
        return;
    eb_report_free(part->report);
    part->report = command->report;
    command->report = NULL;
    part->number = number;
    part->failed = command->message != NULL;
    part->answer =
        answer_of(document,
                  &(eb_past_command){.outcome = command->outcome, .message = command->message, .report = part->report});
    const char *source = command->kept || command->message           ? ""
                         : part->report->items + part->report->notes ? ", from the log's tables"
                                                                     : ", of which the log kept no report";
    part->remark = isnan(command->duration_s)
                       ? text_of(document, "%s%s", command->started, source)
                       : text_of(document, "%s, took %s%s", command->started, EB_TIME(command->duration_s), source);
}

/* ---- what concerns several commands ---- */

/* Notes each engine whose time on the CPU is that of an emulation. */
static void note_emulations(const eb_table *runs, eb_report *report)
{
    for (size_t k = 0; k < runs->rows; k++) {
        eb_setup setup = {.device = {.kind = EB_DEVICE_CPU, .name = "cpu"}};
        bool again = !eb_device_named_cpu(eb_text_at(runs, k, EB_F(device)));
        (void)snprintf(setup.spec, sizeof setup.spec, "%s", eb_text_at(runs, k, EB_F(spec)));
        for (size_t before = 0; before < k && !again; before++)
            again = strcmp(eb_text_at(runs, before, EB_F(spec)), setup.spec) == 0;
        if (!again && eb_engine_find(setup.spec, strcspn(setup.spec, "["), &setup.engine, NULL) == EB_OK)
            (void)eb_note_emulation(report, &setup);
    }
}

static void add_runs(eb_document *document, eb_report *facts)
{
    eb_part *part = eb_report_find_table(facts, EB_F(runs)) ? add_part(document, 2, "Runs compared") : NULL;
    if (!part)
        return;
    part->bars = true;
    note_emulations(eb_report_find_table(facts, EB_F(runs)), part->report);
    (void)eb_report_hand_on(facts, EB_F(runs), NULL, part->report);
    (void)eb_report_hand_on(facts, EB_F(accuracies), NULL, part->report);
    eb_report_note(part->report, "kernels: distances and hits alone; end to end: from loaded points to the result, all "
                                 "parts; medians of the trials");
}

/* A curve marks the targets beside it, so they are beside it only if all are of its points. */
static void add_radii(eb_document *document, eb_report *facts, bool one_dataset)
{
    const bool curves = eb_report_find_series(facts, EB_F(curve)), targets = eb_report_find_table(facts, EB_F(targets));
    eb_part *part = curves || targets ? add_part(document, 2, "ε and selectivity") : NULL;
    if (!part)
        return;
    (void)eb_report_hand_on(facts, EB_F(targets), NULL, part->report);
    if (curves && targets && !one_dataset)
        part = add_part(document, 3, "S(ε)");
    if (part)
        (void)eb_report_hand_on(facts, EB_F(curve), NULL, part->report);
}

static void add_notes(eb_document *document, eb_report *facts)
{
    eb_part *part = eb_report_find_table(facts, EB_F(notes)) ? add_part(document, 2, "Notes") : NULL;
    if (part)
        (void)eb_report_hand_on(facts, EB_F(notes), NULL, part->report);
}

/* The lines that succeeded, as `replay` runs them. */
static char *lines_of(eb_document *document, const eb_past_session *past)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    for (size_t k = 0; out && k < past->commands; k++)
        if (is_ok(&past->command[k]))
            (void)fprintf(out, "%s\n", past->command[k].text);
    if (out && fclose(out) == 0)
        return text;
    document->out_of_memory = true;
    return NULL;
}

static void add_repeat(eb_document *document, const eb_past_session *past, int64_t session)
{
    eb_part *part = add_part(document, 2, "Repeat it");
    if (!part)
        return;
    part->lines = lines_of(document, past);
    part->remark = text_of(document,
                           "`replay %lld` runs these lines again where this log is. Elsewhere, save them to a file and "
                           "run `epsbench -f FILE`.",
                           (long long)session);
}

/* ---- the document ---- */

static char *title_of(eb_document *document, const eb_report *facts)
{
    const eb_table *datasets = eb_report_find_table(facts, EB_F(datasets));
    const char *started = eb_text_of(facts, EB_F(started));
    char what[300] = "epsbench";
    if (datasets)
        (void)snprintf(what, sizeof what, datasets->rows > 1 ? "%.250s and %zu more" : "%.250s",
                       eb_text_at(datasets, 0, EB_F(dataset)), datasets->rows - 1);
    return text_of(document, "%s, %.10s", what, started);
}

eb_code eb_document_make(eb_past_session *past, const char *writer, eb_document *out, eb_status *status)
{
    eb_report *facts = past->facts;
    *out = (eb_document){0};
    out->writer = text_of(out, "%s", writer);
    out->title = title_of(out, facts);
    out->summary = eb_document_summary(facts);
    const int64_t session = (int64_t)eb_number_of(facts, EB_F(session));
    const eb_table *datasets = eb_report_find_table(facts, EB_F(datasets));
    const bool one_dataset = datasets && datasets->rows == 1;
    add_machine(out, facts);
    add_data(out, facts);
    add_overview(out, past);
    for (size_t k = 0; k < past->commands; k++)
        add_command(out, &past->command[k], (unsigned)k + 1);
    add_runs(out, facts);
    add_radii(out, facts, one_dataset);
    add_notes(out, facts);
    add_repeat(out, past, session);
    return out->out_of_memory || !out->summary ? eb_fail_memory(status, "a session's report", 1) : EB_OK;
}
