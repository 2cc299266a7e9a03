#include "shell/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/new_file.h"
#include "core/files/state_path.h"
#include "core/files/text_file.h"

/* EB_USAGE if a line of the config file has another command than `set`; other commands belong into scripts. */
static eb_code check_line(const char *text, const eb_origin *origin, eb_status *status)
{
    for (const char *at = text, *rest = text; *at != '\0'; at = rest) {
        eb_call *call = NULL;
        if (eb_parse_at(text, at, &rest, &call, NULL))
            return EB_OK; /* running the line reports the syntax error */
        bool fits = !call || strcmp(call->command->name, "set") == 0;
        const char *name = call ? call->command->name : "";
        eb_call_free(call);
        if (!fits)
            return eb_fail(status, EB_USAGE, "%s:%lu: expected `set` lines only, found %s", origin->name, origin->line,
                           name);
    }
    return EB_OK;
}

static eb_code run_line(eb_shell *shell, const char *text, const eb_origin *origin, eb_status *status)
{
    EB_TRY(check_line(text, origin, status));
    return eb_shell_run(shell, text, origin);
}

static void run_lines(eb_shell *shell, FILE *file, const char *path)
{
    char *line = NULL;
    size_t size = 0;
    eb_origin origin = {path, 0};
    eb_status failure = {.message = ""};
    bool fine = true;
    while (fine && !shell->quitting && getline(&line, &size, file) >= 0) {
        origin.line++;
        fine = run_line(shell, line, &origin, &failure) == EB_OK;
    }
    if (ferror(file))
        (void)eb_fail(&failure, EB_IO, "cannot read %s: %s", path, strerror(errno));
    if (failure.message[0])
        (void)fputs(failure.message, shell->err);
    free(line);
}

/* Cuts the captured error output to its first line, without the program's name. NULL if it is empty. */
static char *sentence_of(char *said)
{
    static const char program[] = "epsbench: ";
    if (!said || said[0] == '\0') {
        free(said);
        return NULL;
    }
    said[strcspn(said, "\n")] = '\0';
    if (strncmp(said, program, sizeof program - 1) == 0)
        memmove(said, said + sizeof program - 1, strlen(said) - (sizeof program - 1) + 1);
    return said;
}

/* Abbreviates the home folder in a path to "~", in place, because a message has one line of the screen at most. */
static const char *shortened(char *path)
{
    const char *home = getenv("HOME");
    size_t length = home ? strlen(home) : 0;
    if (length < 2 || strncmp(path, home, length) != 0 || path[length] != '/')
        return path;
    path[length - 1] = '~';
    return path + length - 1;
}

char *eb_config_run(eb_shell *shell)
{
    char path[4096], shown[sizeof path], *said = NULL;
    size_t size = 0;
    FILE *file, *err = shell->err;
    eb_status unread;
    if (!eb_config_path("config", path, sizeof path))
        return NULL;
    memcpy(shown, path, sizeof shown);
    const char *name = shortened(shown);
    if (eb_text_stream(path, name, "settings", EB_SETTINGS_BYTES, &file, &unread))
        return errno == ENOENT || errno == ENOTDIR ? NULL : strdup(unread.message);
    FILE *capture = open_memstream(&said, &size);
    if (!capture) {
        (void)fclose(file);
        return strdup("out of memory: the config file was not read");
    }
    shell->err = capture;
    shell->quiet = true;
    run_lines(shell, file, name);
    shell->quiet = false;
    shell->err = err;
    (void)fclose(capture);
    (void)fclose(file);
    return sentence_of(said);
}

/* ---- `set … keep` ---- */

static bool is_given(const eb_call *call, const eb_argument *argument)
{
    return strcmp(argument->name, "keep") != 0 && eb_call_has(call, argument->name);
}

/* True if a line of the file sets exactly the settings that the call sets. */
static bool sets_the_same(const char *line, const eb_call *call)
{
    const char *rest;
    eb_call *before = NULL;
    if (eb_parse(line, &rest, &before, NULL) || !before)
        return false;
    bool same = before->command == call->command && rest[strspn(rest, " \t\n;")] == '\0';
    for (size_t k = 0; k < EB_MAX_ARGUMENTS && call->command->argument[k].name; k++)
        same &= is_given(before, &call->command->argument[k]) == is_given(call, &call->command->argument[k]);
    eb_call_free(before);
    return same;
}

/* Writes the call as typed, without its word `keep`. */
static void put_call(const char *text, FILE *out)
{
    while (*text) {
        size_t blank = strspn(text, " \t"), length = strcspn(text + blank, " \t");
        const char *word = text + blank;
        if (!(length == 4 && strncmp(word, "keep", 4) == 0) && strncmp(word, "keep=", 5) != 0)
            (void)fwrite(text, 1, blank + length, out);
        text = word + length;
    }
    (void)fputc('\n', out);
}

static eb_code copy_others(const char *path, const eb_call *call, FILE *out, eb_status *status)
{
    FILE *file;
    char *line = NULL;
    size_t size = 0;
    eb_code unread = eb_text_stream(path, path, "settings", EB_SETTINGS_BYTES, &file, status);
    if (unread)
        return errno == ENOENT ? EB_OK : unread;
    while (getline(&line, &size, file) >= 0)
        if (!sets_the_same(line, call)) {
            (void)fputs(line, out);
            if (!strchr(line, '\n'))
                (void)fputc('\n', out);
        }
    eb_code failed = ferror(file) ? eb_fail(status, EB_IO, "cannot read %s: %s", path, strerror(errno)) : EB_OK;
    free(line);
    (void)fclose(file);
    return failed;
}

eb_code eb_config_keep(const eb_call *call, char *path, size_t size, eb_status *status)
{
    eb_new_file *file;
    if (!eb_config_path("config", path, size))
        return eb_fail(status, EB_IO, "there is no place for a config file: neither XDG_CONFIG_HOME nor HOME is set");
    if (eb_make_folders(path))
        return eb_fail(status, EB_IO, "%s: cannot make its folder: %s", path, strerror(errno));
    EB_TRY(eb_new_file_open(path, &file, status));
    eb_code failed = copy_others(path, call, eb_new_file_stream(file), status);
    if (failed) {
        eb_new_file_abandon(file);
        return failed;
    }
    put_call(call->text, eb_new_file_stream(file));
    return eb_new_file_commit(file, status);
}
