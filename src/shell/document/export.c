/* export: writes a session's document to a file, in the form of its ending. */
#include <string.h>
#include <strings.h>

#include "core/files/new_file.h"
#include "shell/document/document.h"

typedef eb_code put_document(const eb_document *document, FILE *out, eb_status *status);

/* NULL: the ending is not one of a document. */
static put_document *writer_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    if (!dot || dot == path || dot[-1] == '/')
        return NULL;
    return strcasecmp(dot, ".md") == 0 ? eb_document_markdown : strcasecmp(dot, ".html") == 0 ? eb_document_html : NULL;
}

bool eb_is_document(const char *path) { return writer_of(path) != NULL; }

static eb_code write_file(const eb_document *document, const char *path, eb_status *status)
{
    eb_new_file *file;
    EB_TRY(eb_new_file_open(path, &file, status));
    eb_code failed = writer_of(path)(document, eb_new_file_stream(file), status);
    if (!failed)
        return eb_new_file_commit(file, status);
    eb_new_file_abandon(file);
    return failed;
}

eb_code eb_document_export(eb_store *store, int64_t session, const char *path, const char *writer, uint64_t *commands,
                           eb_status *status)
{
    eb_past_session past;
    eb_document document = {0};
    eb_code failed = eb_store_past_session(store, session, &past, status);
    *commands = past.commands;
    if (!failed)
        failed = eb_document_make(&past, writer, &document, status);
    if (!failed)
        failed = write_file(&document, path, status);
    eb_document_free(&document);
    eb_past_session_free(&past);
    return failed;
}
