#include "shell/script.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files/text_file.h"
#include "shell/output.h"

/* Bytes; a longer line is refused. */
enum { LONGEST_LINE = 1 << 20, READ_SIZE = 1 << 16 };

typedef struct line_reader {
    eb_shell *shell;
    int fd;
    const char *name;
    char *buffer; /* [begin, end) has not been returned yet */
    size_t begin, end, capacity;
    bool at_end;
    unsigned long line; /* number of the last returned line, from 1 */
} line_reader;

/* Moves the rest of the buffer to its front and makes room for READ_SIZE bytes after it. */
static eb_code make_room(line_reader *reader, eb_status *status)
{
    if (reader->begin > 0)
        memmove(reader->buffer, reader->buffer + reader->begin, reader->end - reader->begin);
    reader->end -= reader->begin;
    reader->begin = 0;
    if (reader->end > LONGEST_LINE)
        return eb_fail(status, EB_BAD_FORMAT, "%s:%lu: a line of more than %d bytes; expected commands", reader->name,
                       reader->line + 1, (int)LONGEST_LINE);
    size_t wanted = reader->end + READ_SIZE + 1;
    if (wanted <= reader->capacity)
        return EB_OK;
    char *grown = realloc(reader->buffer, wanted);
    if (!grown)
        return eb_fail_memory(status, "a line of the script", wanted);
    reader->buffer = grown;
    reader->capacity = wanted;
    return EB_OK;
}

/* Reads more bytes, or sets at_end. */
static eb_code read_more(line_reader *reader, eb_status *status)
{
    EB_TRY(make_room(reader, status));
    if (!eb_shell_wait(reader->shell, reader->fd, -1.0))
        return eb_fail(status, EB_CANCELLED, "interrupted");
    ssize_t got = read(reader->fd, reader->buffer + reader->end, READ_SIZE);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return EB_OK;
    if (got < 0)
        return eb_fail(status, EB_IO, "cannot read %s: %s", reader->name, strerror(errno));
    reader->end += (size_t)got;
    reader->at_end = got == 0;
    return EB_OK;
}

/* *line: the next line without its newline, valid until the next call; NULL at the end. */
static eb_code next_line(line_reader *reader, const char **line, eb_status *status)
{
    size_t looked = 0;
    for (;;) {
        char *from = reader->buffer + reader->begin;
        size_t length = reader->end - reader->begin;
        char *newline = memchr(from + looked, '\n', length - looked);
        if (newline || (reader->at_end && length > 0)) {
            size_t line_length = newline ? (size_t)(newline - from) : length;
            from[line_length] = '\0'; /* make_room reserves a byte for a last line without newline */
            reader->begin += newline ? line_length + 1 : line_length;
            reader->line++;
            if (strlen(from) != line_length)
                return eb_fail(status, EB_BAD_FORMAT, "%s:%lu: a NUL byte at column %zu; expected text", reader->name,
                               reader->line, strlen(from) + 1);
            *line = from;
            return EB_OK;
        }
        if (reader->at_end) {
            *line = NULL;
            return EB_OK;
        }
        looked = length;
        EB_TRY(read_more(reader, status));
    }
}

static eb_code show_failure(eb_shell *shell, const char *name, const eb_status *failure)
{
    if (failure->code != EB_CANCELLED)
        eb_output_error(shell, name, failure);
    return failure->code;
}

/* In step mode, waits for the person before a line that is neither empty nor a comment. */
static eb_code wait_for_turn(eb_shell *shell, const eb_origin *origin, const char *line)
{
    char sentence[400];
    const char *text = line + strspn(line, " \t\r");
    if (!shell->stepping || *text == '\0' || *text == '#')
        return EB_OK;
    (void)snprintf(sentence, sizeof sentence, "%s:%lu: %.300s", origin->name, origin->line, text);
    return eb_shell_pause(shell, sentence);
}

eb_code eb_script_run(eb_shell *shell, int fd, const char *name, eb_line_runner *run)
{
    line_reader reader = {.shell = shell, .fd = fd, .name = name};
    eb_code first = EB_OK;
    eb_status failure;
    reader.capacity = READ_SIZE + 1;
    reader.buffer = malloc(reader.capacity);
    if (!reader.buffer) {
        (void)eb_fail_memory(&failure, "the script's lines", reader.capacity);
        return show_failure(shell, "script", &failure);
    }
    while (!shell->quitting) {
        const char *line = NULL;
        if (next_line(&reader, &line, &failure)) {
            eb_code failed = show_failure(shell, "script", &failure);
            first = first ? first : failed;
            break;
        }
        if (!line)
            break;
        if (reader.line == 1 && strncmp(line, "\xEF\xBB\xBF", 3) == 0)
            line += 3; /* a byte order mark */
        eb_origin origin = {name, reader.line};
        eb_code failed = wait_for_turn(shell, &origin, line);
        if (!failed)
            failed = run(shell, line, &origin);
        first = first ? first : failed;
        if (failed == EB_CANCELLED || (failed && !shell->keep_going))
            break;
    }
    free(reader.buffer);
    return first;
}

/* Opens a regular file; with `pipes` also a pipe, as in `-f <(…)`. O_NONBLOCK, so that signals are handled while the
 * pipe has no writer yet. */
static eb_code open_script(const char *path, bool pipes, int *fd, eb_status *status)
{
    struct stat about;
    if (!pipes || (stat(path, &about) == 0 && !S_ISFIFO(about.st_mode) && !S_ISCHR(about.st_mode)))
        return eb_text_open(path, path, "a script", EB_SCRIPT_BYTES, fd, status);
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    return *fd < 0 ? eb_fail(status, EB_IO, "cannot open %s: %s", path, strerror(errno)) : EB_OK;
}

eb_code eb_script_run_file(eb_shell *shell, const char *path, bool pipes, eb_line_runner *run)
{
    if (strcmp(path, "-") == 0)
        return eb_script_run(shell, STDIN_FILENO, "stdin", run);
    eb_status failure;
    int fd;
    if (open_script(path, pipes, &fd, &failure))
        return show_failure(shell, "script", &failure);
    eb_code failed = eb_script_run(shell, fd, path, run);
    (void)close(fd);
    return failed;
}
