#include "ui/desk.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/figure/figure.h"
#include "shell/background/messages.h"

/* The last report of one command, and how many reports it has returned. */
typedef struct entry {
    char *command;
    eb_report *report;
    unsigned long serial, count, stamp;
} entry;

/* A command that a panel wants to run. */
typedef struct asked {
    char *text;
    bool own;   /* from eb_desk_ask */
    bool shown; /* from eb_desk_show */
} asked;

struct eb_desk {
    eb_facts facts;
    eb_gpu_now gpu;

    entry *entry;
    size_t entries;
    unsigned long stamps;

    bool busy;
    char *running;
    eb_progress progress;
    eb_report *live;

    asked *queue;
    size_t queued;
    char *typed;

    eb_tone tone;
    char message[1024];
    unsigned long said, said_before; /* number of messages now, and when the last command began */
    eb_messages *messages;
};

eb_desk *eb_desk_new(void)
{
    eb_desk *desk = calloc(1, sizeof *desk);
    if (!desk)
        return NULL;
    desk->facts.eps = NAN;
    desk->gpu = (eb_gpu_now){NAN, NAN, NAN, NAN};
    desk->progress.phase = "";
    return desk;
}

void eb_desk_free(eb_desk *desk)
{
    if (!desk)
        return;
    for (size_t k = 0; k < desk->entries; k++) {
        free(desk->entry[k].command);
        eb_report_free(desk->entry[k].report);
    }
    free(desk->entry);
    free(desk->running);
    eb_report_free(desk->live);
    eb_desk_forget_commands(desk);
    free(desk->typed);
    free(desk);
}

const eb_facts *eb_desk_facts(const eb_desk *desk) { return &desk->facts; }

/* A new dataset clears a message from before it was loaded: that message is about other points. */
void eb_desk_set_facts(eb_desk *desk, const eb_facts *facts)
{
    const bool other_points = facts->dataset_serial != desk->facts.dataset_serial;
    desk->facts = *facts;
    if (other_points && desk->tone != EB_TONE_NOTE && desk->said == desk->said_before)
        eb_desk_say(desk, EB_TONE_NOTE, "%s", "");
}
const eb_gpu_now *eb_desk_gpu(const eb_desk *desk) { return &desk->gpu; }
void eb_desk_set_gpu(eb_desk *desk, const eb_gpu_now *now) { desk->gpu = *now; }

/* ---- reports ---- */

static entry *find_entry(const eb_desk *desk, const char *command)
{
    for (size_t k = 0; k < desk->entries; k++)
        if (strcmp(desk->entry[k].command, command) == 0)
            return &desk->entry[k];
    return NULL;
}

const eb_report *eb_desk_report(const eb_desk *desk, const char *command)
{
    const entry *found = find_entry(desk, command);
    return found ? found->report : NULL;
}

unsigned long eb_desk_report_serial(const eb_desk *desk, const char *command)
{
    const entry *found = find_entry(desk, command);
    return found ? found->serial : 0;
}

bool eb_desk_has_info(const eb_desk *desk)
{
    return eb_desk_report(desk, "info") && eb_desk_report_serial(desk, "info") == desk->facts.dataset_serial;
}

unsigned long eb_desk_report_count(const eb_desk *desk, const char *command)
{
    const entry *found = find_entry(desk, command);
    return found ? found->count : 0;
}

unsigned long eb_desk_report_stamp(const eb_desk *desk, const char *command)
{
    const entry *found = find_entry(desk, command);
    return found ? found->stamp : 0;
}

static bool is_listed(const char *commands, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = commands; (at = strstr(at, name)) != NULL; at += length)
        if ((at == commands || at[-1] == '|') && (at[length] == '|' || at[length] == '\0'))
            return true;
    return false;
}

const char *eb_desk_newest(const eb_desk *desk, const char *commands)
{
    const entry *newest = NULL;
    for (size_t k = 0; k < desk->entries; k++) {
        const entry *e = &desk->entry[k];
        if ((!newest || e->stamp > newest->stamp) && (!commands || is_listed(commands, e->command)) &&
            eb_figure_count(e->report) > 0)
            newest = e;
    }
    return newest ? newest->command : NULL;
}

static entry *add_entry(eb_desk *desk, const char *command)
{
    char *name = strdup(command);
    entry *grown = name ? realloc(desk->entry, (desk->entries + 1) * sizeof *grown) : NULL;
    if (!grown) {
        free(name);
        return NULL;
    }
    desk->entry = grown;
    grown[desk->entries] = (entry){.command = name};
    return &grown[desk->entries++];
}

void eb_desk_take_report(eb_desk *desk, eb_report *report)
{
    if (!report)
        return;
    entry *mine = find_entry(desk, report->command);
    if (!mine)
        mine = add_entry(desk, report->command);
    if (!mine) {
        eb_desk_say(desk, EB_TONE_ERROR, "out of memory: the report of %s is lost", report->command);
        eb_report_free(report);
        return;
    }
    eb_report_free(mine->report);
    mine->report = report;
    mine->serial = desk->facts.dataset_serial;
    mine->count++;
    mine->stamp = ++desk->stamps;
}

/* ---- the running command ---- */

bool eb_desk_busy(const eb_desk *desk) { return desk->busy; }
const char *eb_desk_running(const eb_desk *desk) { return desk->busy && desk->running ? desk->running : ""; }
const eb_progress *eb_desk_progress(const eb_desk *desk) { return &desk->progress; }
const eb_report *eb_desk_live(const eb_desk *desk) { return desk->live; }

void eb_desk_set_running(eb_desk *desk, const char *text)
{
    free(desk->running);
    desk->running = text ? strdup(text) : NULL; /* out of memory: the command runs without a name on the screen */
    if (text && !desk->busy)
        desk->said_before = desk->said;
    desk->busy = text != NULL;
    desk->progress = (eb_progress){.phase = ""};
    eb_desk_take_live(desk, NULL);
}

void eb_desk_set_progress(eb_desk *desk, const eb_progress *progress) { desk->progress = *progress; }

void eb_desk_take_live(eb_desk *desk, eb_report *report)
{
    eb_report_free(desk->live);
    desk->live = report;
}

/* ---- commands of panels ---- */

static void say_lost(eb_desk *desk) { eb_desk_say(desk, EB_TONE_ERROR, "out of memory: a command is lost"); }

__attribute__((format(printf, 3, 0))) static void add_command(eb_desk *desk, asked how, const char *format,
                                                              va_list arguments)
{
    char *text = NULL;
    int length = vasprintf(&text, format, arguments);
    asked *grown = length < 0 ? NULL : realloc(desk->queue, (desk->queued + 1) * sizeof *grown);
    if (!grown) {
        if (length >= 0)
            free(text);
        say_lost(desk);
        return;
    }
    desk->queue = grown;
    grown[desk->queued++] = (asked){text, how.own, how.shown};
}

void eb_desk_run(eb_desk *desk, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_command(desk, (asked){.own = false}, format, arguments);
    va_end(arguments);
}

void eb_desk_ask(eb_desk *desk, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_command(desk, (asked){.own = true}, format, arguments);
    va_end(arguments);
}

void eb_desk_show(eb_desk *desk, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_command(desk, (asked){.shown = true}, format, arguments);
    va_end(arguments);
}

bool eb_desk_next_is_shown(const eb_desk *desk) { return desk->queued > 0 && desk->queue[0].shown; }
bool eb_desk_next_is_own(const eb_desk *desk) { return desk->queued > 0 && desk->queue[0].own; }

char *eb_desk_next_command(eb_desk *desk)
{
    if (desk->queued == 0)
        return NULL;
    char *first = desk->queue[0].text;
    desk->queued--;
    memmove(desk->queue, desk->queue + 1, desk->queued * sizeof *desk->queue);
    return first;
}

void eb_desk_forget_commands(eb_desk *desk)
{
    for (size_t k = 0; k < desk->queued; k++)
        free(desk->queue[k].text);
    free(desk->queue);
    desk->queue = NULL;
    desk->queued = 0;
}

void eb_desk_type(eb_desk *desk, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        say_lost(desk);
        return;
    }
    free(desk->typed);
    desk->typed = text;
}

char *eb_desk_typed(eb_desk *desk)
{
    char *typed = desk->typed;
    desk->typed = NULL;
    return typed;
}

void eb_desk_say(eb_desk *desk, eb_tone tone, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(desk->message, sizeof desk->message, format, arguments);
    va_end(arguments);
    desk->tone = tone;
    desk->said++;
    eb_messages_add(desk->messages,
                    tone == EB_TONE_ERROR     ? "error"
                    : tone == EB_TONE_WARNING ? "warning"
                                              : "note",
                    desk->message);
}

void eb_desk_look_away(eb_desk *desk)
{
    if (desk->tone == EB_TONE_NOTE || desk->tone == EB_TONE_GOOD)
        eb_desk_say(desk, EB_TONE_NOTE, "%s", "");
}

unsigned long eb_desk_said(const eb_desk *desk) { return desk->said; }
void eb_desk_keep(eb_desk *desk, eb_messages *messages) { desk->messages = messages; }

const char *eb_desk_message(const eb_desk *desk, eb_tone *tone)
{
    if (tone)
        *tone = desk->tone;
    return desk->message;
}
