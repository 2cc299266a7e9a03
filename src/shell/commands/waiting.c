/* waiting: the commands `queue` and `messages`. They run on the terminal's thread, which owns queue and messages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/background/messages.h"
#include "shell/background/queue.h"
#include "shell/commands/commands.h"

static eb_code drop(const eb_session *session, const eb_call *call, eb_report *report, eb_status *status)
{
    int64_t number = eb_call_integer(call, "drop", 0);
    if (!session->queue || !eb_queue_drop(session->queue, (unsigned)number))
        return eb_fail(status, EB_NOT_FOUND, "no waiting line has number %lld; `queue` lists them", (long long)number);
    eb_report_note(report, "line %lld is dropped", (long long)number);
    return EB_OK;
}

static void list(const eb_queue *queue, eb_report *report)
{
    eb_table *table = EB_TABLE(report, EB_F(waiting), "Waiting, the next first", EB_F(number), EB_F(waiting_line),
                               EB_F(device), EB_F(trials), EB_HIDDEN(seed), EB_HIDDEN(threads));
    for (const eb_waiting *line = queue ? queue->first : NULL; line; line = line->next)
        EB_ROW(table, eb_uint(line->number), eb_text(line->text), eb_text(line->settings.device),
               eb_uint(line->settings.trials), eb_uint(line->settings.seed), eb_uint(line->settings.threads));
}

eb_code eb_cmd_queue(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)job;
    eb_queue *queue = session->queue;
    if (eb_call_has(call, "drop"))
        EB_TRY(drop(session, call, report, status));
    if (eb_call_flag(call, "clear") && queue)
        eb_report_note(report, "%zu waiting lines are dropped", eb_queue_clear(queue));
    list(queue, report);
    if (!queue)
        eb_report_note(report, "commands run one after another; only the workbench has a queue");
    else if (!queue->first)
        eb_report_note(report, "no line waits; a line waits if it is entered while a command runs");
    else
        eb_report_note(report, "`queue drop=N` drops one, `queue clear` all");
    return EB_OK;
}

/* Programs get the messages as a table, people as text with a line for each. */
eb_code eb_cmd_messages(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)job;
    const eb_messages *messages = session->messages;
    size_t all = eb_messages_count(messages), limit = (size_t)eb_call_integer(call, "limit", 50);
    size_t count = all < limit ? all : limit;
    eb_table *table = EB_TABLE(report, EB_F(messages), NULL, EB_F(at), EB_F(kind), EB_F(text));
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t k = 0; k < count && out; k++) {
        const eb_message m = eb_messages_at(messages, k);
        const bool note = strcmp(m.kind, "note") == 0;
        EB_ROW(table, eb_text(m.at), eb_text(m.kind), eb_text(m.text));
        (void)fprintf(out, "%s  %s%s%s\n", m.at, note ? "" : m.kind, note ? "" : ": ", m.text);
    }
    if (!out || fclose(out) != 0)
        return eb_fail_memory(status, "the messages", 4096);
    if (count > 0)
        eb_report_raw(report, text);
    else
        eb_report_note(report, "there are no messages yet");
    free(text);
    return EB_OK;
}
