#include "core/files/file_id.h"

#include <fcntl.h>
#include <sys/stat.h>

static int64_t nanoseconds(struct statx_timestamp moment)
{
    return moment.tv_sec * INT64_C(1000000000) + (int64_t)moment.tv_nsec;
}

static bool ask(int fd, const char *path, int flags, eb_file_id *out)
{
    struct statx about;
    *out = (eb_file_id){.inode = 0};
    if (statx(fd, path, flags, STATX_BASIC_STATS | STATX_BTIME, &about) != 0)
        return false;
    *out = (eb_file_id){.device = (uint64_t)about.stx_dev_major << 32 | about.stx_dev_minor,
                        .inode = about.stx_ino,
                        .born_ns = about.stx_mask & STATX_BTIME ? nanoseconds(about.stx_btime) : 0,
                        .changed_ns = nanoseconds(about.stx_mtime),
                        .bytes = about.stx_size};
    return true;
}

bool eb_file_id_of(const char *path, eb_file_id *out) { return ask(AT_FDCWD, path, 0, out); }

bool eb_file_id_of_fd(int fd, eb_file_id *out) { return ask(fd, "", AT_EMPTY_PATH, out); }

bool eb_same_file(const eb_file_id *a, const eb_file_id *b)
{
    return a->inode != 0 && a->inode == b->inode && a->device == b->device && a->born_ns == b->born_ns;
}

bool eb_file_unchanged(const eb_file_id *before, const eb_file_id *now)
{
    return eb_same_file(before, now) && before->changed_ns == now->changed_ns && before->bytes == now->bytes;
}
