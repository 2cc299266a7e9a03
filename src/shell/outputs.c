#include "shell/outputs.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "shell/language/values.h"

/* The next output file among the call's arguments, from *index on; NULL: no more. */
static const char *next_output(const eb_call *call, size_t *index)
{
    for (; *index < eb_argument_count(call->command); ++*index)
        if (eb_call_writes(call, *index))
            return call->value[(*index)++].text;
    return NULL;
}

static bool wrote_it(const eb_session *session, const eb_file_id *file)
{
    for (size_t k = session->written_count; k-- > 0;)
        if (eb_file_unchanged(&session->written[k], file))
            return true;
    return false;
}

/* JSON output is read by a program, so that no question is asked, even at a prompt. */
static bool can_ask(const eb_shell *shell)
{
    return shell->ask && (shell->display || shell->session->settings.mode != EB_MODE_JSON);
}

static eb_code ask(eb_shell *shell, const char *path, eb_status *status)
{
    char question[512];
    if (!can_ask(shell))
        return eb_fail(status, EB_EXISTS,
                       "%s: exists already, and this session did not write it; add the word force to replace it", path);
    (void)snprintf(question, sizeof question, "%.400s exists already, and this session did not write it. Replace it?",
                   path);
    if (shell->ask(shell, question))
        return EB_OK;
    return shell->interrupted ? eb_fail(status, EB_CANCELLED, "interrupted")
                              : eb_fail(status, EB_EXISTS, "%s: stays as it was; nothing was written", path);
}

static eb_code permit(eb_shell *shell, const char *path, bool force, eb_status *status)
{
    static const char *const what[EB_LOADED_FILES] = {"dataset", "queries", "true neighbours"};
    const eb_session *session = shell->session;
    struct stat about;
    eb_file_id there;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || !eb_file_id_of(path, &there))
        return EB_OK; /* a new file, or no regular one: the writer reports that */
    eb_file_id loaded[EB_LOADED_FILES];
    eb_session_loaded_files(session, loaded);
    for (size_t k = 0; k < EB_LOADED_FILES; k++)
        if (eb_same_file(&loaded[k], &there))
            return eb_fail(status, EB_EXISTS, "%s: is the file of the loaded %s; it is never written over", path,
                           what[k]);
    return force || wrote_it(session, &there) ? EB_OK : ask(shell, path, status);
}

eb_code eb_outputs_permit(eb_shell *shell, const eb_call *call, eb_status *status)
{
    size_t index = 0;
    for (const char *path; (path = next_output(call, &index));)
        EB_TRY(permit(shell, path, eb_call_flag(call, "force"), status));
    return EB_OK;
}

/* When out of memory a file is forgotten; the only effect is a question before it is replaced. */
void eb_outputs_remember(eb_session *session, const eb_call *call)
{
    size_t index = 0;
    for (const char *path; (path = next_output(call, &index));) {
        eb_file_id *grown = realloc(session->written, (session->written_count + 1) * sizeof *grown);
        if (!grown)
            return;
        session->written = grown;
        if (eb_file_id_of(path, &grown[session->written_count]))
            session->written_count++;
    }
}
