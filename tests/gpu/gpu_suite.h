/* gpu_suite: the main of a GPU test program: lists, selects and runs its tests. Header-only.
 * PROGRAM [--list] [NAME…]: runs all tests, or those whose names contain a NAME; --list only prints the names.
 * With EPSBENCH_GPU_SMALL set, tests use small datasets only, so that a test under compute-sanitizer takes seconds. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/engine/spec.h"
#include "engines.h"
#include "kernels/device/cuda.h"

static eb_device gpus[8], cpu;
static size_t gpu_count;
static bool small; /* EPSBENCH_GPU_SMALL */

enum { MOST_GPU_TESTS = 128 };

typedef struct test_list {
    struct CMUnitTest test[MOST_GPU_TESTS];
    char name[MOST_GPU_TESTS][EB_SPEC_TEXT + 80]; /* names of tests with a parameter */
    size_t count;
} test_list;

/* The test's name is `what` if the parameter is NULL, else "what:of". */
static inline void add_test(test_list *list, const char *what, const char *of, CMUnitTestFunction function,
                            const void *parameter)
{
    size_t k = list->count++;
    if (k >= MOST_GPU_TESTS)
        abort();
    (void)snprintf(list->name[k], sizeof list->name[k], "%.70s%s%.*s", what, of ? ":" : "", (int)EB_SPEC_TEXT,
                   of ? of : "");
    list->test[k] = (struct CMUnitTest){.name = list->name[k],
                                        .test_func = function,
                                        .initial_state = (void *)(uintptr_t)parameter};
}

#define ADD_TEST(list, function) add_test(list, #function, NULL, function, NULL)

/* Keeps the tests whose names contain one of the words. If a word equals a name, it selects that test alone. Keeps all
 * if there are no words. */
static inline void keep_wanted(test_list *list, char *const *words, int count)
{
    size_t kept = 0;
    for (size_t k = 0; k < list->count; k++) {
        bool wanted = count == 0;
        for (int w = 0; w < count && !wanted; w++) {
            bool exact = false;
            for (size_t other = 0; other < list->count; other++)
                exact |= strcmp(list->name[other], words[w]) == 0;
            wanted = exact ? strcmp(list->name[k], words[w]) == 0 : strstr(list->name[k], words[w]) != NULL;
        }
        if (wanted)
            list->test[kept++] = list->test[k];
    }
    list->count = kept;
}

/* Succeeds without tests if no test has a wanted name: the names may belong to another program. */
static inline int run_suite(int argc, char **argv, const char *name, void (*add_all)(test_list *))
{
    static test_list list;
    eb_status status;
    bool only_list = argc > 1 && strcmp(argv[1], "--list") == 0;
    const char *wish = getenv("EPSBENCH_GPU_SMALL");
    small = wish && wish[0] != '\0';
    eb_register_engines();
    add_all(&list);
    keep_wanted(&list, argv + 1 + only_list, argc - 1 - only_list);
    for (size_t k = 0; only_list && k < list.count; k++)
        (void)puts(list.test[k].name);
    if (only_list || list.count == 0)
        return 0;
    eb_device_cpu(&cpu);
    if (eb_cuda_devices(gpus, sizeof gpus / sizeof gpus[0], &gpu_count, &status) != EB_OK) {
        (void)fprintf(stderr, "%s: %s\n", name, status.message);
        return 3;
    }
    return _cmocka_run_group_tests(name, list.test, list.count, NULL, NULL);
}

/* ---- engines by their specs ---- */

static inline eb_code find_test_device(void *context, const char *name, eb_device *out, eb_status *status)
{
    (void)context;
    if (strcmp(name, "cpu") == 0) {
        *out = cpu;
        return EB_OK;
    }
    eb_device_named named;
    EB_TRY(eb_device_name_parse(name, &named, status));
    for (size_t k = 0; k < gpu_count && k < sizeof gpus / sizeof gpus[0]; k++)
        if (gpus[k].index == named.member[0]) {
            *out = gpus[k];
            if (named.members > 1) {
                out->members = named.members;
                memcpy(out->member, named.member, sizeof out->member);
                (void)eb_device_name_write(&named, out->name);
            }
            return EB_OK;
        }
    return eb_fail(status, EB_NO_DEVICE, "no device %s", name);
}

/* "fasted[paper]", on the first GPU unless the spec says otherwise. */
static inline eb_setup setup_of(const char *text)
{
    eb_status status = {.message = ""};
    eb_spec spec;
    eb_setup setup;
    eb_code failed = eb_spec_parse(text, NULL, &spec, &status);
    if (!failed)
        failed = eb_setup_make(&spec, "cuda:0", find_test_device, NULL, &setup, &status);
    if (failed)
        fail_msg("%s: %s", text, status.message);
    setup.resources.threads = 2;
    return setup;
}
