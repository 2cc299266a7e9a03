#include "core/files/new_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files/file_id.h"

/* The name of an unfinished file, which no person would choose: BEGINS, hexadecimal DIGITS, ENDS. */
#define BEGINS ".epsbench-"
#define DIGITS 16
#define ENDS ".part"
#define NAME_SIZE (sizeof BEGINS ENDS + DIGITS)

enum { ATTEMPTS = 100, MOST_LINKS = 40 };

struct eb_new_file {
    char *path;      /* as given, for messages */
    char *target;    /* the path with links followed */
    char *folder;    /* of the target */
    char *partial;   /* temporary name; NULL: the file has no name yet */
    FILE *stream;    /* open on the unfinished file */
    eb_file_id old;  /* the file to replace; inode 0: none */
    mode_t old_mode; /* of the file to replace */
    gid_t old_group;
};

eb_code eb_fail_writing(const char *path, int error, eb_status *status)
{
    return eb_fail(status, EB_IO, "%s: cannot write: %s", path, strerror(error));
}

/* ---- unfinished files of killed processes ---- */

static bool is_ours(const char *name)
{
    return strlen(name) == NAME_SIZE - 1 && strncmp(name, BEGINS, sizeof BEGINS - 1) == 0 &&
           strspn(name + sizeof BEGINS - 1, "0123456789abcdef") == DIGITS &&
           strcmp(name + sizeof BEGINS - 1 + DIGITS, ENDS) == 0;
}

/* A writer holds a lock on its file as long as it lives. If the file cannot be locked, it is not removed. */
static void remove_if_nobodys(int folder, const char *name)
{
    struct stat opened, named;
    const int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int fd = openat(folder, name, O_RDWR | flags); /* on NFS an exclusive lock needs write access */
    if (fd < 0)
        fd = openat(folder, name, O_RDONLY | flags);
    if (fd < 0)
        return;
    if (fstat(fd, &opened) == 0 && S_ISREG(opened.st_mode) && opened.st_uid == geteuid() &&
        flock(fd, LOCK_EX | LOCK_NB) == 0 && fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
        named.st_dev == opened.st_dev && named.st_ino == opened.st_ino)
        (void)unlinkat(folder, name, 0);
    (void)close(fd);
}

static void sweep(const char *folder)
{
    DIR *entries = opendir(folder);
    if (!entries)
        return; /* a folder may be writable but not readable */
    for (const struct dirent *entry; (entry = readdir(entries));)
        if (is_ours(entry->d_name))
            remove_if_nobodys(dirfd(entries), entry->d_name);
    (void)closedir(entries);
}

/* ---- creating the unfinished file ---- */

static char *name_in(const char *folder)
{
    char *name;
    uint64_t salt;
    if (getrandom(&salt, sizeof salt, 0) != (ssize_t)sizeof salt)
        return NULL;
    return asprintf(&name, "%s/" BEGINS "%016" PRIx64 ENDS, folder, salt) < 0 ? NULL : name;
}

/* −1 with errno: the file system does not support it, or the file could not be named later. */
static int create_unnamed(const char *folder)
{
    if (access("/proc/self/fd", X_OK) != 0)
        return -1;
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (fd >= 0)
        (void)flock(fd, LOCK_EX | LOCK_NB); /* before it gets a name, so that it is locked whenever it has one */
    return fd;
}

/* mkstemp is not used, because only open() applies the umask to the file's mode without a race. Another process that
 * sweeps the folder may see the file before it is locked, and removes it; then another name is tried. */
static int create_named(const char *folder, char **out)
{
    struct stat about;
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        char *name = name_in(folder);
        int fd = name ? open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
        if (fd < 0 && errno != EEXIST) {
            free(name);
            return -1;
        }
        bool taken = fd < 0 || (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) || fstat(fd, &about) != 0 ||
                     about.st_nlink == 0;
        if (!taken) {
            *out = name;
            return fd;
        }
        if (fd >= 0)
            (void)close(fd);
        free(name);
    }
    errno = EEXIST;
    return -1;
}

static eb_code open_stream(const char *path, int fd, FILE **out, eb_status *status)
{
    *out = fdopen(fd, "w+b");
    if (*out)
        return EB_OK;
    int error = errno;
    (void)close(fd);
    return eb_fail_writing(path, error, status);
}

/* *partial: the file's temporary name, or NULL. */
static eb_code create(const char *path, const char *folder, char **partial, FILE **out, eb_status *status)
{
    *partial = NULL;
    int fd = create_unnamed(folder);
    if (fd < 0)
        fd = create_named(folder, partial);
    if (fd < 0)
        return eb_fail(status, EB_IO, "%s: cannot create a file in %s: %s", path, folder, strerror(errno));
    return open_stream(path, fd, out, status);
}

eb_code eb_new_file_scratch(const eb_new_file *file, FILE **out, eb_status *status)
{
    char *partial;
    eb_code failed = create(file->path, file->folder, &partial, out, status);
    if (partial)
        (void)unlink(partial);
    free(partial);
    return failed;
}

/* ---- the target ---- */

/* The path to which the link `path` leads if the link's text is `text`; heap. */
static char *linked(const char *path, const char *text)
{
    char *joined;
    const char *slash = strrchr(path, '/');
    int folder = text[0] == '/' || !slash ? 0 : (int)(slash - path) + 1;
    return asprintf(&joined, "%.*s%s", folder, path, text) < 0 ? NULL : joined;
}

/* Follows links, also if the last one leads to no file yet. NULL: out of memory. */
static char *follow(const char *path)
{
    char text[PATH_MAX], *at = strdup(path);
    for (unsigned links = 0; at && links < MOST_LINKS; links++) {
        ssize_t length = readlink(at, text, sizeof text - 1);
        if (length < 0)
            break;
        text[length] = '\0';
        char *next = linked(at, text);
        free(at);
        at = next;
    }
    return at;
}

static bool is_own_output(const struct stat *there)
{
    struct stat own;
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        if (fstat(fd, &own) == 0 && own.st_dev == there->st_dev && own.st_ino == there->st_ino)
            return true;
    return false;
}

/* Fails unless the file that has the name already may be replaced. */
static eb_code check_old(eb_new_file *file, const struct stat *there, eb_status *status)
{
    if (!S_ISREG(there->st_mode))
        return eb_fail(status, EB_IO, "%s: is %s, not a regular file; nothing was written", file->path,
                       S_ISDIR(there->st_mode) ? "a folder" : "a device or pipe");
    if (is_own_output(there))
        return eb_fail(status, EB_IO, "%s: is where this program's output goes; nothing was written", file->path);
    if (!eb_file_id_of(file->target, &file->old) || file->old.inode != there->st_ino)
        return eb_fail(status, EB_IO, "%s: is an open file that has no name; nothing was written", file->path);
    if (access(file->target, W_OK) != 0)
        return eb_fail(status, EB_IO, "%s: cannot replace the file there: %s", file->path, strerror(errno));
    return EB_OK;
}

static eb_code find_target(eb_new_file *file, eb_status *status)
{
    struct stat there;
    if (file->path[0] == '\0')
        return eb_fail(status, EB_USAGE, "no file named: expected where to write");
    bool found = stat(file->path, &there) == 0;
    if (!found && errno != ENOENT)
        return eb_fail(status, EB_IO, "%s: cannot write there: %s", file->path, strerror(errno));
    file->target = follow(file->path);
    if (!file->target)
        return eb_fail_memory(status, "a file's name", strlen(file->path) + 1);
    if (found) {
        EB_TRY(check_old(file, &there, status));
        file->old_mode = there.st_mode & 0777;
        file->old_group = there.st_gid;
    }
    const char *slash = strrchr(file->target, '/');
    size_t folder = slash ? (size_t)(slash - file->target) : 0;
    file->folder = slash ? strndup(file->target, folder ? folder : 1) : strdup(".");
    return file->folder ? EB_OK : eb_fail_memory(status, "a folder's name", folder);
}

eb_code eb_new_file_open(const char *path, eb_new_file **out, eb_status *status)
{
    eb_new_file *file = calloc(1, sizeof *file);
    if (!file || !(file->path = strdup(path))) {
        free(file);
        return eb_fail_memory(status, "a file", sizeof *file + strlen(path));
    }
    eb_code failed = find_target(file, status);
    if (!failed) {
        sweep(file->folder);
        failed = create(path, file->folder, &file->partial, &file->stream, status);
    }
    if (failed)
        eb_new_file_abandon(file);
    else
        *out = file;
    return failed;
}

FILE *eb_new_file_stream(const eb_new_file *file) { return file->stream; }

/* ---- committing ---- */

static eb_code flush(eb_new_file *file, eb_status *status)
{
    errno = 0;
    if (fflush(file->stream) != 0 || ferror(file->stream))
        return errno ? eb_fail_writing(file->path, errno, status)
                     : eb_fail(status, EB_IO, "%s: an earlier write failed", file->path);
    if (fsync(fileno(file->stream)) != 0 && errno != EINVAL) /* EINVAL: this kind of file cannot be synced */
        return eb_fail_writing(file->path, errno, status);
    return EB_OK;
}

/* Gives the file another name. Fails with EEXIST if the name is taken. */
static int add_name(const eb_new_file *file, const char *name)
{
    char unnamed[64];
    (void)snprintf(unnamed, sizeof unnamed, "/proc/self/fd/%d", fileno(file->stream));
    return file->partial ? link(file->partial, name) : linkat(AT_FDCWD, unnamed, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

static eb_code fail_other(const eb_new_file *file, eb_status *status)
{
    return eb_fail(status, EB_EXISTS, "%s: another process wrote this file meanwhile; nothing was written", file->path);
}

static eb_code become(const eb_new_file *file, eb_status *status)
{
    return rename(file->partial, file->target) == 0
               ? EB_OK
               : eb_fail(status, EB_IO, "%s: cannot put the finished file there: %s", file->path, strerror(errno));
}

static eb_code appear(eb_new_file *file, eb_status *status)
{
    if (add_name(file, file->target) == 0)
        return EB_OK; /* eb_new_file_abandon removes the temporary name */
    if (errno == EEXIST)
        return fail_other(file, status);
    if (file->partial && (errno == EPERM || errno == EOPNOTSUPP)) /* a file system without hard links */
        return become(file, status);
    return eb_fail(status, EB_IO, "%s: cannot put the finished file there: %s", file->path, strerror(errno));
}

static eb_code replace(eb_new_file *file, eb_status *status)
{
    int fd = fileno(file->stream);
    char *name = file->partial ? NULL : name_in(file->folder);
    if (name && add_name(file, name) == 0)
        file->partial = name;
    else
        free(name);
    if (!file->partial)
        return eb_fail(status, EB_IO, "%s: cannot name a file in %s: %s", file->path, file->folder, strerror(errno));
    bool regrouped = fchown(fd, (uid_t)-1, file->old_group) == 0;
    mode_t mode = regrouped ? file->old_mode : file->old_mode & ~(mode_t)S_IRWXG; /* another group gets no rights */
    if (fchmod(fd, mode) != 0)
        return eb_fail(status, EB_IO, "%s: cannot keep the mode: %s", file->path, strerror(errno));
    return become(file, status);
}

static eb_code take_name(eb_new_file *file, eb_status *status)
{
    eb_file_id now;
    if (!eb_file_id_of(file->target, &now))
        return appear(file, status);
    return eb_file_unchanged(&file->old, &now) ? replace(file, status) : fail_other(file, status);
}

/* Syncs the folder, so that the name survives a crash too. A folder that cannot be read cannot be synced, which is no
 * error. */
static void sync_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)fsync(fd);
    (void)close(fd);
}

eb_code eb_new_file_commit(eb_new_file *file, eb_status *status)
{
    eb_code failed = flush(file, status);
    if (!failed)
        failed = take_name(file, status);
    if (!failed)
        sync_folder(file->folder);
    eb_new_file_abandon(file);
    return failed;
}

void eb_new_file_abandon(eb_new_file *file)
{
    if (!file)
        return;
    if (file->partial)
        (void)unlink(file->partial); /* fails harmlessly after a rename to the target */
    if (file->stream)
        (void)fclose(file->stream);
    free(file->partial);
    free(file->folder);
    free(file->target);
    free(file->path);
    free(file);
}
