/* Tests of kernels compiled at run time, as far as possible without a GPU: NVRTC needs only the sources inside the
 * program, compiled code is found again, and a cache that is damaged, contended or read-only gives the same code.
 * Without libnvrtc all tests but the first two are skipped. EPSBENCH_ALL_SUBSETS=1 compiles each kernel of FASTED's
 * ablations for both architectures, not three kernels. */

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/parallel.h"
#include "kernels/fasted/switches.h"
#include "kernels/jit/jit.h"
#include "kernels/jit/nvrtc.h"
#include "kernels/ladder/ladder.h"
#include "tests/unit/own_folder.h"
#include "tests/unit/test.h"

enum { PATH_BYTES = 512, NAME_BYTES = 128 };

#define BARE ((unsigned)EB_RESIDENCY)

/* The kernel of a set of switches; the caller owns the name. */
static eb_jit_kernel subset(unsigned set, char name[NAME_BYTES])
{
    (void)snprintf(name, NAME_BYTES, "eb::fasted_tiles<eb::fasted_shape<%uu, eb::output::hits>>", set);
    return (eb_jit_kernel){.source = "kernels/fasted/cuda/kernel.cuh", .name = name};
}

/* Returns the number of files in the cache; removes them if `removed`. */
static size_t files_in_cache(bool removed)
{
    char path[PATH_BYTES];
    DIR *cache = opendir("epsbench/kernels");
    size_t count = 0;
    for (const struct dirent *entry; cache && (entry = readdir(cache));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        (void)snprintf(path, sizeof path, "epsbench/kernels/%s", entry->d_name);
        if (removed)
            assert_int_equal(remove(path), 0);
    }
    if (cache)
        (void)closedir(cache);
    return count;
}

static void empty_folder(void)
{
    (void)files_in_cache(true);
    (void)rmdir("epsbench/kernels");
    (void)rmdir("epsbench");
    assert_int_equal(setenv("XDG_CACHE_HOME", folder, 1), 0);
}

static void skip_without_nvrtc(void)
{
    eb_status status;
    empty_folder();
    if (eb_jit_check("this", &status) != EB_OK)
        skip();
}

static void compile(const eb_jit_kernel *kernel, const char *architecture, eb_jit_code *out)
{
    eb_status status = {.message = ""};
    if (eb_jit_compile(kernel, architecture, out, &status))
        fail_msg("%s", status.message);
    assert_non_null(strstr(out->symbol, "fasted_tiles"));
    assert_true(out->size > 1000);
}

static void assert_found(const eb_jit_kernel *kernel, const char *architecture, const eb_jit_code *as)
{
    eb_jit_code found;
    assert_true(eb_jit_find(kernel, architecture, &found));
    assert_string_equal(found.symbol, as->symbol);
    assert_int_equal(found.size, as->size);
    assert_memory_equal(found.bytes, as->bytes, as->size);
    eb_jit_code_free(&found);
}

/* ---- without NVRTC ---- */

/* This test comes first: a process searches for the library only once. */
TEST(without_the_library_one_sentence_says_what_to_do)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        eb_status status = {.message = ""};
        eb_jit_code code;
        char name[NAME_BYTES], architecture[EB_JIT_ARCHITECTURE];
        const eb_jit_kernel kernel = subset(BARE, name);
        (void)setenv("EPSBENCH_NVRTC", "/there/is/none/libnvrtc.so", 1);
        _exit(eb_jit_check("fasted[paper,-swizzle]", &status) == EB_NO_ENGINE &&
                      strncmp(status.message, "fasted[paper,-swizzle] is compiled at run time", 46) == 0 &&
                      strstr(status.message, "libnvrtc.so") && strstr(status.message, "install") &&
                      eb_jit_architecture(9, 0, architecture, &status) == EB_NO_ENGINE &&
                      !eb_jit_find(&kernel, "sm_80", &code) &&
                      eb_jit_compile(&kernel, "sm_80", &code, &status) == EB_NO_ENGINE
                  ? 0
                  : 1);
    }
    int how = 0;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_int_equal(how, 0);
}

TEST(sources_are_there_under_the_names_they_are_included_by)
{
    static const char *const some[] = {"kernels/fasted/cuda/kernel.cuh", "kernels/parts/mma.cuh", "stdint.h",
                                       "type_traits"};
    eb_jit_sources sources;
    eb_jit_sources_list(&sources);
    for (size_t k = 0; k < sizeof some / sizeof some[0]; k++) {
        size_t at = 0;
        while (at < sources.count && strcmp(sources.name[at], some[k]) != 0)
            at++;
        assert_true(at < sources.count);
        assert_true(strlen(sources.text[at]) > 20);
    }
}

/* ---- with NVRTC ---- */

TEST(two_processes_may_race)
{
    pid_t child[2];
    char name[NAME_BYTES], place[PATH_BYTES];
    skip_without_nvrtc();
    const eb_jit_kernel kernel = subset(BARE, name);
    for (size_t k = 0; k < 2; k++) {
        child[k] = fork();
        assert_true(child[k] >= 0);
        if (child[k] == 0) {
            eb_jit_code code;
            _exit(eb_jit_compile(&kernel, "sm_80", &code, NULL) == EB_OK ? 0 : 1);
        }
    }
    for (size_t k = 0; k < 2; k++) {
        int how = 0;
        assert_int_equal(waitpid(child[k], &how, 0), child[k]);
        assert_int_equal(how, 0);
    }
    eb_jit_code code;
    assert_true(eb_jit_find(&kernel, "sm_80", &code));
    assert_true(eb_jit_place(&kernel, "sm_80", place, sizeof place));
    assert_int_equal(access(place, R_OK), 0);
    assert_int_equal(files_in_cache(false), 1); /* no partial file is left */
    eb_jit_code_free(&code);
}

TEST(what_was_compiled_is_found_again)
{
    static const char *const architectures[] = {"sm_80", "sm_90a"};
    char name[NAME_BYTES];
    eb_jit_code code, again;
    skip_without_nvrtc();
    const eb_jit_kernel kernel = subset(BARE, name);
    for (size_t k = 0; k < 2; k++) {
        assert_false(eb_jit_find(&kernel, architectures[k], &code));
        compile(&kernel, architectures[k], &code);
        assert_memory_equal(code.bytes, "\177ELF", 4);
        assert_found(&kernel, architectures[k], &code);
        compile(&kernel, architectures[k], &again); /* replaces the damaged file; names inside may be random */
        assert_int_equal(again.size, code.size);
        assert_found(&kernel, architectures[k], &again);
        eb_jit_code_free(&again);
        eb_jit_code_free(&code);
    }
    char other[NAME_BYTES];
    const eb_jit_kernel another = subset(BARE | EB_TILE_ORDER, other);
    assert_false(eb_jit_find(&another, "sm_80", &code));
    const eb_jit_kernel checked = {kernel.source, kernel.name, "static_assert(true);"};
    assert_false(eb_jit_find(&checked, "sm_80", &code));
}

static void put(const char *place, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(place, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

TEST(a_damaged_file_is_compiled_anew)
{
    char name[NAME_BYTES], place[PATH_BYTES], elsewhere[PATH_BYTES];
    static unsigned char whole[1 << 20];
    eb_jit_code code, damaged;
    skip_without_nvrtc();
    const eb_jit_kernel kernel = subset(BARE, name);
    compile(&kernel, "sm_80", &code);
    assert_true(eb_jit_place(&kernel, "sm_80", place, sizeof place));
    FILE *file = fopen(place, "rb");
    assert_non_null(file);
    const size_t size = fread(whole, 1, sizeof whole, file);
    assert_int_equal(fclose(file), 0);
    assert_true(size > code.size && size < sizeof whole);

    const size_t lengths[] = {0, 1, 31, 32, 33, 40, size / 2, size - 1};
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        put(place, whole, lengths[k]);
        assert_false(eb_jit_find(&kernel, "sm_80", &damaged));
    }
    for (size_t at = 0; at < size; at += at < 256 ? 1 : 997) {
        whole[at] ^= 0x10;
        put(place, whole, size);
        assert_false(eb_jit_find(&kernel, "sm_80", &damaged));
        whole[at] ^= 0x10;
    }
    /* A file with another kernel's name. */
    assert_true(eb_jit_place(&kernel, "sm_90a", elsewhere, sizeof elsewhere));
    put(elsewhere, whole, size);
    assert_false(eb_jit_find(&kernel, "sm_90a", &damaged));
    /* No file, and a pipe without a writer. */
    assert_int_equal(unlink(elsewhere) | mkfifo(elsewhere, 0600), 0);
    assert_false(eb_jit_find(&kernel, "sm_90a", &damaged));
    assert_int_equal(unlink(elsewhere) | mkdir(elsewhere, 0700), 0);
    assert_false(eb_jit_find(&kernel, "sm_90a", &damaged));
    compile(&kernel, "sm_90a", &damaged);
    eb_jit_code_free(&damaged);

    put(place, whole, size / 2);
    compile(&kernel, "sm_80", &damaged);
    assert_found(&kernel, "sm_80", &damaged);
    eb_jit_code_free(&damaged);
    eb_jit_code_free(&code);
}

TEST(a_cache_that_cannot_be_written_costs_time_only)
{
    char name[NAME_BYTES], none[PATH_BYTES];
    eb_jit_code code;
    skip_without_nvrtc();
    const eb_jit_kernel kernel = subset(BARE, name);
    put("file", (const unsigned char *)"x", 1);
    (void)snprintf(none, sizeof none, "%s/file", folder);
    assert_int_equal(setenv("XDG_CACHE_HOME", none, 1), 0); /* a path below a file */
    compile(&kernel, "sm_80", &code);
    eb_jit_code_free(&code);
    assert_false(eb_jit_find(&kernel, "sm_80", &code));
    assert_int_equal(unlink("file"), 0);
    char home[PATH_BYTES] = "";
    (void)snprintf(home, sizeof home, "%s", getenv("HOME") ? getenv("HOME") : "");
    assert_int_equal(unsetenv("XDG_CACHE_HOME") | unsetenv("HOME"), 0);
    compile(&kernel, "sm_80", &code);
    eb_jit_code_free(&code);
    assert_int_equal(setenv("HOME", home, 1), 0);
}

TEST(what_nvrtc_refuses_is_said)
{
    eb_status status = {.message = ""};
    eb_jit_code code;
    char name[NAME_BYTES];
    skip_without_nvrtc();
    eb_jit_kernel kernel = subset(BARE, name);
    kernel.checks = "static_assert(sizeof(eb::fasted_arguments) == 1, \"as the host has it\");";
    assert_int_equal(eb_jit_compile(&kernel, "sm_80", &code, &status), EB_INTERNAL);
    assert_non_null(strstr(status.message, "as the host has it"));
    assert_null(code.symbol);
    kernel = subset(EB_PIPELINE, name); /* without asynchronous copies */
    assert_int_equal(eb_jit_compile(&kernel, "sm_80", &code, &status), EB_INTERNAL);
    assert_non_null(strstr(status.message, "a pipeline needs asynchronous copies"));
    kernel.source = "kernels/there/is/none.cuh";
    assert_int_equal(eb_jit_compile(&kernel, "sm_80", &code, &status), EB_INTERNAL);
}

TEST(architectures_are_the_chips)
{
    char name[NAME_BYTES], architecture[EB_JIT_ARCHITECTURE];
    eb_jit_code code;
    skip_without_nvrtc();
    assert_int_equal(eb_jit_architecture(8, 0, architecture, NULL), EB_OK);
    assert_string_equal(architecture, "sm_80");
    assert_int_equal(eb_jit_architecture(9, 0, architecture, NULL), EB_OK);
    assert_string_equal(architecture, "sm_90a");
    assert_int_equal(eb_jit_architecture(99, 9, architecture, NULL), EB_OK);
    assert_string_equal(architecture, "compute_80");
    const eb_jit_kernel kernel = subset(BARE, name);
    compile(&kernel, architecture, &code); /* PTX is text */
    assert_non_null(strstr((const char *)code.bytes, ".target sm_80"));
    assert_int_equal(code.bytes[code.size - 1], '\0');
    eb_jit_code_free(&code);
}

/* ---- all kernels ---- */

/* Copies are synchronous, asynchronous or pipelined; four switches are on or off; and the shape of a warp tile
 * varies. */
static unsigned kernel_number(size_t k)
{
    static const unsigned copies[] = {0, EB_ASYNC_COPY, EB_ASYNC_COPY | EB_PIPELINE},
                          multiplied[] = {0, EB_WARP_TILE, EB_WARP_TILE | EB_REGISTER_REUSE},
                          free_ones[] = {EB_TILE_ORDER, EB_BLOCK_TILE, EB_SWIZZLE, EB_ALIGNMENT};
    unsigned set = EB_RESIDENCY | multiplied[k / 16 % 3] | copies[k / 48];
    for (size_t bit = 0; bit < 4; bit++)
        set |= k >> bit & 1 ? free_ones[bit] : 0u;
    return set;
}

typedef struct compiling {
    const char *architecture;
    size_t step;
} compiling;

static eb_code compile_task(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const compiling *c = context;
    char name[NAME_BYTES];
    eb_jit_code code;
    (void)thread;
    const eb_jit_kernel kernel = subset(kernel_number(task * c->step), name);
    EB_TRY(eb_jit_compile(&kernel, c->architecture, &code, status));
    eb_jit_code_free(&code);
    if (!eb_jit_find(&kernel, c->architecture, &code))
        return eb_fail(status, EB_INTERNAL, "%s is not kept", name);
    eb_jit_code_free(&code);
    return EB_OK;
}

TEST(subsets_compile_on_several_threads)
{
    eb_status status = {.message = ""};
    skip_without_nvrtc();
    const bool all = getenv("EPSBENCH_ALL_SUBSETS") != NULL;
    compiling c = {.architecture = "sm_80", .step = all ? 1 : 67};
    for (size_t k = 0; k < (all ? 2u : 1u); k++, c.architecture = "sm_90a")
        if (eb_parallel(2, 143 / c.step + 1, compile_task, &c, NULL, &status))
            fail_msg("%s", status.message);
    empty_folder();
}

TEST(every_rung_of_the_ladder_compiles)
{
    eb_status status = {.message = ""};
    skip_without_nvrtc();
    for (size_t r = 0; r < EB_RUNGS; r++) {
        char name[64];
        eb_jit_code code;
        (void)snprintf(name, sizeof name, "ladder_%s", eb_ladder[r].name);
        const eb_jit_kernel kernel = {eb_ladder[r].source, name, NULL};
        if (eb_jit_compile(&kernel, eb_ladder[r].architecture == 90 ? "sm_90a" : "sm_80", &code, &status))
            fail_msg("%s: %s", name, status.message);
        eb_jit_code_free(&code);
    }
    empty_folder();
}

/* Code for a person to read: PTX ends with a 0 and has lines; those lines are in the program. */
TEST(code_to_be_read_has_the_lines_of_the_sources)
{
    static const struct {
        const char *source, *name, *architecture, *has;
    } wanted[] = {
        {"kernels/ladder/fasted.cuh", "ladder_fasted", "compute_80", "mma.sync"},
        {"kernels/fasted/cuda/kernel.cuh", "eb::fasted_tiles<eb::fasted_shape<511u, eb::output::hits>>", "compute_80",
         "mma.sync"},
        {"kernels/fasted/cuda/warpgroup.cuh", NULL, "compute_90a", "wgmma.mma_async"},
    };
    eb_status status = {.message = ""};
    char best[NAME_BYTES];
    skip_without_nvrtc();
    (void)snprintf(best, sizeof best, "eb::fasted_warpgroups<eb::warpgroup_shape<%uu, eb::output::hits>>",
                   (unsigned)EB_PRESET_BEST);
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++) {
        const eb_jit_kernel kernel = {wanted[k].source, wanted[k].name ? wanted[k].name : best, NULL};
        eb_jit_code code;
        if (eb_jit_compile_lines(&kernel, wanted[k].architecture, &code, &status))
            fail_msg("%s: %s", kernel.name, status.message);
        const char *text = (const char *)code.bytes;
        assert_int_equal(text[code.size - 1], '\0');
        assert_non_null(strstr(text, wanted[k].has));
        assert_non_null(strstr(text, ".loc"));
        eb_jit_code_free(&code);
    }
    empty_folder();
}

TEST(a_source_is_found_by_its_path)
{
    const char *text = eb_jit_source("/any/where/kernels/parts/mma.cuh");
    assert_non_null(text);
    assert_ptr_equal(eb_jit_source("kernels/parts/mma.cuh"), text);
    assert_null(eb_jit_source("/any/where/nokernels/parts/mma.cuh"));
    assert_null(eb_jit_source("mma.cuh"));
    assert_null(eb_jit_source(""));
}

RUN_TESTS_WITH(make_folder, remove_folder)
