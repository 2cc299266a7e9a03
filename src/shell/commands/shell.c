/* shell: the shell's own commands: settings, help, screen, replay, scripts, watch and quit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/find.h"
#include "draw/lists/columns.h"
#include "kernels/device/cuda.h"
#include "shell/commands/commands.h"
#include "shell/config.h"
#include "shell/defaults.h"
#include "shell/language/manual.h"
#include "shell/language/values.h"

/* ---- settings ---- */

static eb_code set_device(eb_settings *settings, const eb_session *session, const char *name, eb_status *status)
{
    eb_device_named named;
    eb_device device = {.kind = EB_DEVICE_CPU};
    EB_TRY(eb_device_name_parse(name, &named, status));
    bool seen = named.kind == EB_DEVICE_CUDA && named.members == 1 && !named.all && eb_cuda_seen(named.member[0]);
    if (seen) /* starting CUDA takes longer than typing, so it is left to the first use */
        (void)eb_device_name_write(&named, device.name);
    else
        EB_TRY(eb_session_find_device(session, name, &device, status));
    memcpy(settings->device, device.name, sizeof settings->device);
    if (session->dataset) /* without points, loading starts CUDA */
        eb_session_wake_device(session);
    return EB_OK;
}

/* Shows the session's default of the engine option that an argument of `set` stands for. */
static void show_option(const eb_settings *settings, const eb_argument *argument, eb_report *report)
{
    const eb_engine *engine;
    const eb_option *option = eb_argument_option(argument, &engine);
    eb_spec spec;
    char text[EB_OPTIONS_TEXT];
    if (!option || eb_spec_parse(engine->name, &settings->engines, &spec, NULL))
        return;
    if (option->type == EB_ARG_PRESET)
        (void)eb_options_preset(&spec.options, text, sizeof text);
    else
        (void)eb_choice_at(option->choices, eb_option_choice(&spec.options, option->name), text, sizeof text);
    eb_report_field(report, &(eb_column){argument->name, argument->name, EB_PLAIN}, eb_text(text));
}

static void show_settings(const eb_settings *settings, const eb_command *command, eb_report *report)
{
    EB_FIELDS(report, {EB_F(device), eb_text(settings->device)}, {EB_F(threads), eb_uint(settings->threads)},
              {EB_F(trials), eb_uint(settings->trials)}, {EB_F(seed), eb_uint(settings->seed)});
    for (size_t k = 0; k < EB_MAX_ARGUMENTS && command->argument[k].name; k++)
        if (command->argument[k].type == EB_ARG_OPTION)
            show_option(settings, &command->argument[k], report);
    char theme[16];
    (void)eb_choice_at(EB_THEMES, settings->theme, theme, sizeof theme);
    EB_FIELDS(report, {EB_F(memory_bytes), eb_uint(settings->memory_limit)}, {EB_F(theme), eb_text(theme)});
    if (strcmp(settings->log_columns, EB_LOG_COLUMNS) != 0)
        eb_report_field(report, EB_F(log_columns), eb_text(settings->log_columns));
    if (settings->gpu_memory_limit)
        eb_report_field(report, EB_F(gpu_memory_bytes), eb_uint(settings->gpu_memory_limit));
    if (settings->holding != EB_HOLD_AUTO) {
        char holding[16];
        (void)eb_choice_at(EB_HOLDINGS, settings->holding, holding, sizeof holding);
        eb_report_field(report, EB_F(ranks_hold), eb_text(holding));
    }
    for (size_t k = 0; k < eb_engine_count(); k++) {
        const char *items = eb_engine_defaults_of(&settings->engines, eb_engine_at(k));
        if (items[0] != '\0')
            eb_report_field(report, &(eb_column){eb_engine_at(k)->name, eb_engine_at(k)->name, EB_PLAIN},
                            eb_text(items));
    }
}

/* Makes the options in ENGINE[ITEM],… the engines' defaults. */
static eb_code set_defaults(eb_settings *settings, const char *specs, eb_status *status)
{
    char spec[EB_SPEC_TEXT];
    while (specs) {
        const eb_engine *engine;
        EB_TRY(eb_spec_next(&specs, spec, sizeof spec, status));
        const size_t name = strcspn(spec, "[");
        EB_TRY(eb_engine_find(spec, name, &engine, status));
        spec[strlen(spec) - 1] = '\0'; /* the bracket */
        EB_TRY(eb_engine_defaults_take(&settings->engines, engine, spec + name + 1, status));
    }
    return EB_OK;
}

static eb_code set_log_columns(eb_settings *settings, const char *names, eb_status *status)
{
    enum { MOST = 64 };
    eb_column column[MOST];
    size_t count;
    const eb_column *const *columns = eb_store_run_columns(&count);
    for (size_t k = 0; k < count && k < MOST; k++)
        column[k] = *columns[k];
    if (!names)
        return EB_OK;
    const eb_column_set set = {count < MOST ? count : MOST, column};
    eb_named_column *named;
    EB_TRY(eb_columns_read(set, names, false, &named, &count, status));
    free(named);
    if (strlen(names) >= sizeof settings->log_columns)
        return eb_fail(status, EB_USAGE, "log_columns: expected at most %zu characters, found %zu",
                       sizeof settings->log_columns - 1, strlen(names));
    memcpy(settings->log_columns, names, strlen(names) + 1);
    return EB_OK;
}

static eb_code keep_settings(const eb_call *call, eb_report *report, eb_status *status)
{
    char path[4096];
    EB_TRY(eb_config_keep(call, path, sizeof path, status));
    eb_report_note(report, "kept in %s", path);
    return EB_OK;
}

eb_code eb_cmd_set(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)job;
    eb_settings settings = session->settings; /* all are changed, or none */
    const char *device = eb_call_text(call, "device");
    if (device)
        EB_TRY(set_device(&settings, session, device, status));
    EB_TRY(set_defaults(&settings, eb_call_text(call, "preset"), status));
    EB_TRY(set_defaults(&settings, eb_call_text(call, "tensor"), status));
    EB_TRY(set_defaults(&settings, eb_call_text(call, "default"), status));
    EB_TRY(set_log_columns(&settings, eb_call_text(call, "log_columns"), status));
    settings.theme = (eb_theme)eb_call_choice(call, "theme", settings.theme);
    settings.threads = (unsigned)eb_call_integer(call, "threads", settings.threads);
    settings.trials = (unsigned)eb_call_integer(call, "trials", settings.trials);
    settings.seed = (uint64_t)eb_call_integer(call, "seed", (int64_t)settings.seed);
    settings.memory_limit = eb_call_size(call, "memory", settings.memory_limit);
    settings.gpu_memory_limit = eb_call_size(call, "gpu_memory", settings.gpu_memory_limit);
    settings.holding = (eb_holding)eb_call_choice(call, "ranks_hold", settings.holding);
    if (eb_call_flag(call, "keep"))
        EB_TRY(keep_settings(call, report, status));
    session->settings = settings;
    show_settings(&settings, call->command, report);
    return EB_OK;
}

eb_code eb_cmd_timer(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)job, (void)status;
    if (eb_call_has(call, "state"))
        session->settings.timer = eb_call_choice(call, "state", 0) == 0;
    eb_report_field(report, EB_F(timer), eb_bool(session->settings.timer));
    return EB_OK;
}

eb_code eb_cmd_mode(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    char mode[16];
    (void)job, (void)status;
    session->settings.mode = (eb_mode)eb_call_choice(call, "form", session->settings.mode);
    (void)eb_choice_at(call->command->argument[0].choices, session->settings.mode, mode, sizeof mode);
    eb_report_field(report, EB_F(mode), eb_text(mode));
    return EB_OK;
}

eb_code eb_cmd_echo(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)session, (void)job, (void)status;
    eb_report_raw(report, eb_call_text(call, "text"));
    return EB_OK;
}

/* ---- help ---- */

/* A table for each group, in the order of the command table. */
static void list_commands(eb_report *report)
{
    eb_table *table = NULL;
    const char *group = "";
    for (size_t k = 0; k < eb_command_count(); k++) {
        const eb_command *command = eb_command_at(k);
        if (strcmp(command->group, group) != 0) {
            char key[32];
            group = command->group;
            (void)snprintf(key, sizeof key, "%s", group);
            for (char *c = key; *c; c++)
                *c = (char)(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c);
            table = EB_TABLE(report, &(eb_column){.key = key}, group, EB_F(command), EB_F(summary));
        }
        EB_ROW(table, eb_text(command->name), eb_text(command->summary));
    }
    eb_report_note(report, "`help COMMAND` or `help ENGINE` explains one, `help TERM` a word on the screen (`help "
                           "terms`: all words); `help WORD` searches for any other word; names may be shortened to a "
                           "unique prefix");
}

/* Makes the help page of a topic, whose abbreviation the parser has resolved. False: there is no such topic. *page is
 * NULL if out of memory. */
static bool find_page(const char *topic, char **page)
{
    const eb_command *command;
    const eb_engine *engine;
    const eb_term *term = eb_term_find(topic);
    if (strcmp(topic, EB_TERMS) == 0)
        *page = eb_manual_term_page(NULL);
    else if (eb_command_find(topic, &command, NULL) == EB_OK && strcmp(command->name, topic) == 0)
        *page = eb_manual_page(command);
    else if (eb_engine_find(topic, strlen(topic), &engine, NULL) == EB_OK && strcmp(engine->name, topic) == 0)
        *page = eb_manual_engine_page(engine);
    else if (term)
        *page = eb_manual_term_page(term);
    else
        return false;
    return true;
}

eb_code eb_cmd_help(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)job;
    const char *topic = eb_call_has(call, "topic") ? eb_call_text(call, "topic") : "";
    char *page = NULL;
    if (strcmp(topic, EB_ALL) == 0 || (!topic[0] && session->settings.mode != EB_MODE_TEXT)) {
        list_commands(report); /* programs get the whole list */
        return EB_OK;
    }
    if (!topic[0])
        page = eb_manual_overview();
    else if (!find_page(topic, &page))
        return eb_help_search(topic, report, status);
    char *broken = page ? eb_manual_broken(page) : NULL;
    if (broken)
        eb_report_flow(report, broken, page);
    free(page);
    free(broken);
    return broken ? EB_OK : eb_fail_memory(status, "a help page", 4096);
}

/* ---- requests to the workbench's screen ---- */

static eb_code ask(const char *text, char **request, eb_status *status)
{
    *request = strdup(text);
    return *request ? EB_OK : eb_fail_memory(status, "a request", strlen(text) + 1);
}

eb_code eb_cmd_dump(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)report, (void)job;
    return ask(eb_call_text(call, "file"), &session->request.dump, status);
}

eb_code eb_cmd_panel(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)report, (void)job;
    return ask(eb_call_text(call, "name"), &session->request.panel, status);
}

/* ---- replay, scripts, watch, quit ---- */

eb_code eb_cmd_replay(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)job;
    int64_t number = eb_call_integer(call, "session", 0);
    if (!session->store)
        return eb_fail(status, EB_LOG, "there is no session log here, so nothing to replay");
    eb_request *request = &session->request;
    EB_TRY(eb_store_commands(session->store, number, &request->script, &request->script_count, status));
    EB_FIELDS(report, {EB_F(session), eb_int(number)}, {EB_F(commands), eb_uint(request->script_count)});
    return EB_OK;
}

eb_code eb_cmd_source(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)report, (void)job;
    const char *file = eb_call_text(call, "file");
    if (strcmp(file, "-") == 0)
        return eb_fail(status, EB_USAGE, "source reads a file; the standard input is read by `epsbench -f -`");
    session->request.step = eb_call_flag(call, "step");
    return ask(file, &session->request.source, status);
}

eb_code eb_cmd_pause(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)report, (void)job;
    return ask(eb_call_has(call, "text") ? eb_call_text(call, "text") : "paused", &session->request.pause, status);
}

eb_code eb_cmd_watch(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)report, (void)job;
    EB_TRY(ask(eb_call_text(call, "command"), &session->request.repeat, status));
    session->request.repeat_s = eb_call_number(call, "seconds", 1.0);
    session->request.repeat_times = (uint64_t)eb_call_integer(call, "times", 0);
    return EB_OK;
}

eb_code eb_cmd_quit(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)call, (void)report, (void)job, (void)status;
    session->request.quit = true;
    return EB_OK;
}
