/* test: the header of every unit test. TEST(NAME) { … } defines a test; RUN_TESTS at the file's end defines main, which
 * runs the tests in their order. Header-only. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_TESTS = 80 };

static struct CMUnitTest tests_here[MOST_TESTS];
static int lines_here[MOST_TESTS];
static size_t tests_found;

/* Inserts the test by line, because constructors run in any order. */
__attribute__((unused)) static void test_add(struct CMUnitTest test, int line)
{
    size_t k = tests_found++;
    if (k == MOST_TESTS)
        abort();
    for (; k > 0 && lines_here[k - 1] > line; k--) {
        tests_here[k] = tests_here[k - 1];
        lines_here[k] = lines_here[k - 1];
    }
    tests_here[k] = test;
    lines_here[k] = line;
}

/* set_up and tear_down are called before and after this test; NULL: none. */
#define TEST_WITH(name, set_up, tear_down)                                                                             \
    static void name(void **state);                                                                                    \
    __attribute__((constructor)) static void name##_is_a_test(void)                                                    \
    {                                                                                                                  \
        test_add((struct CMUnitTest){#name, name, set_up, tear_down, NULL}, __LINE__);                                 \
    }                                                                                                                  \
    static void name(__attribute__((unused)) void **state)

#define TEST(name) TEST_WITH(name, NULL, NULL)

/* set_up and tear_down are called once around all tests. */
#define RUN_TESTS_WITH(set_up, tear_down)                                                                              \
    int main(void) { return _cmocka_run_group_tests(__FILE__, tests_here, tests_found, set_up, tear_down); }

#define RUN_TESTS RUN_TESTS_WITH(NULL, NULL)
