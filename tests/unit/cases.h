/* cases: runs tests written as data. In tests/unit/cases/NAME, "= NAME" begins a case, which is a separate test, and "@
 * NAME" begins a block that cases use by name (a report, report_cases.h). Any other line is a step: a verb and its
 * fields, each after a tab. "| " begins a line of a longer text that belongs to the step above; "#" begins a comment.
 * \n, \t, \\ and \xHH stand for a character. The test defines the verbs. Header-only; includes cmocka. */
#pragma once

#include "tests/unit/test.h"

enum { CASE_FIELDS = 40, CASE_STEPS = 20000, CASE_BLOCKS = 600 };

typedef struct case_step {
    int line;
    size_t fields;                          /* number of fields after the verb */
    char *verb, *field[CASE_FIELDS], *text; /* text: the lines that begin with "| "; NULL: none */
} case_step;

typedef struct case_block {
    char *name;
    bool is_case;
    size_t first, steps;
} case_block;

typedef struct case_verb {
    const char *verb;
    size_t least; /* fewest fields */
    void (*run)(const case_step *step);
} case_verb;

static struct {
    const char *path;
    case_step step[CASE_STEPS];
    case_block block[CASE_BLOCKS];
    size_t steps, blocks;
    const case_verb *verbs;
    size_t verb_count;
    void (*begin)(void), (*end)(void); /* called around each case; NULL: none */
    const case_step *at;               /* the current step; NULL after a case has passed */
} case_file;

/* Replaces \n, \t, \\ and \xHH in place. */
static inline void case_unescape(char *text)
{
    char *to = text, *end;
    for (const char *from = text; *from; from++) {
        if (*from != '\\') {
            *to++ = *from;
        } else if (*++from == 'x') {
            const char hex[] = {from[1], from[2], '\0'};
            *to++ = (char)strtol(hex, &end, 16);
            assert_true(end == hex + 2);
            from += 2;
        } else {
            *to++ = *from;
            to[-1] = *from == 'n' ? '\n' : *from == 't' ? '\t' : *from;
        }
    }
    *to = '\0';
}

static inline void case_take_step(char *line, int number)
{
    assert_true(case_file.blocks > 0 && case_file.steps < CASE_STEPS);
    case_step *step = &case_file.step[case_file.steps++];
    *step = (case_step){.line = number, .verb = strsep(&line, "\t")};
    while (line) {
        assert_true(step->fields < CASE_FIELDS);
        step->field[step->fields] = strsep(&line, "\t");
        case_unescape(step->field[step->fields++]);
    }
    case_file.block[case_file.blocks - 1].steps++;
}

static inline void case_take_text(char *line)
{
    case_unescape(line);
    assert_true(case_file.steps > 0);
    char **text = &case_file.step[case_file.steps - 1].text;
    size_t before = *text ? strlen(*text) : 0;
    *text = realloc(*text, before + strlen(line) + 2);
    assert_non_null(*text);
    (void)sprintf(*text + before, "%s\n", line);
}

static inline void case_forget(void)
{
    for (size_t k = 0; k < case_file.steps; k++) {
        free(case_file.step[k].verb); /* the line that contains the fields */
        free(case_file.step[k].text);
    }
    for (size_t k = 0; k < case_file.blocks; k++)
        free(case_file.block[k].name);
    case_file.steps = case_file.blocks = 0;
}

/* Replaces the file read before. */
static inline void case_read(const char *name)
{
    static char path[256];
    size_t size = 0, length;
    (void)snprintf(path, sizeof path, "tests/unit/cases/%s", name);
    case_file.path = path;
    case_forget();
    FILE *in = fopen(path, "r");
    if (!in)
        fail_msg("%s is not there", path);
    char *line = NULL;
    for (int number = 1; getline(&line, &size, in) >= 0; number++) {
        length = strcspn(line, "\n");
        line[length] = '\0';
        if (line[0] == '|') {
            case_take_text(line + (line[1] == ' ' ? 2 : 1));
        } else if (line[0] == '=' || line[0] == '@') {
            assert_true(case_file.blocks < CASE_BLOCKS && line[1] == ' ');
            case_file.block[case_file.blocks++] =
                (case_block){.name = strdup(line + 2), .is_case = line[0] == '=', .first = case_file.steps};
        } else if (line[0] && line[0] != '#') {
            case_take_step(strdup(line), number);
        }
    }
    free(line);
    (void)fclose(in);
}

static inline const case_block *case_has_block(const char *name)
{
    for (size_t k = 0; k < case_file.blocks; k++)
        if (!case_file.block[k].is_case && strcmp(case_file.block[k].name, name) == 0)
            return &case_file.block[k];
    return NULL;
}

static inline const case_block *case_block_named(const char *name)
{
    const case_block *block = case_has_block(name);
    if (!block)
        fail_msg("%s has no block \"%s\"", case_file.path, name);
    return block;
}

/* The text of a block with the single step "text". */
__attribute__((unused)) static const char *case_text(const char *file, const char *name)
{
    if (!case_file.path || strcmp(strrchr(case_file.path, '/') + 1, file) != 0)
        case_read(file);
    const case_step *step = &case_file.step[case_block_named(name)->first];
    assert_string_equal(step->verb, "text");
    assert_non_null(step->text);
    return step->text;
}

static inline void case_do(const case_step *step, const case_verb *verbs, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(step->verb, verbs[k].verb) == 0) {
            if (step->fields < verbs[k].least)
                fail_msg("%s takes %zu fields", step->verb, verbs[k].least);
            verbs[k].run(step);
            return;
        }
    fail_msg("there is no verb \"%s\"", step->verb);
}

static inline void case_run(void **state)
{
    const case_block *block = *state;
    assert_true(block->steps > 0);
    if (case_file.begin)
        case_file.begin();
    for (size_t k = 0; k < block->steps; k++) {
        case_file.at = &case_file.step[block->first + k];
        case_do(case_file.at, case_file.verbs, case_file.verb_count);
    }
    case_file.at = NULL;
    if (case_file.end)
        case_file.end();
}

static inline int case_tell(void **state)
{
    (void)state;
    if (case_file.at)
        print_error("%s:%d: %s\n", case_file.path, case_file.at->line, case_file.at->verb);
    case_file.at = NULL;
    return 0;
}

/* Runs all cases of tests/unit/cases/NAME. */
static inline int case_run_all(const char *name, const case_verb *verbs, size_t count, void (*begin)(void),
                               void (*end)(void))
{
    static struct CMUnitTest tests[CASE_BLOCKS];
    size_t used = 0;
    case_read(name);
    case_file.verbs = verbs, case_file.verb_count = count, case_file.begin = begin, case_file.end = end;
    for (size_t k = 0; k < case_file.blocks; k++)
        if (case_file.block[k].is_case)
            tests[used++] =
                (struct CMUnitTest){case_file.block[k].name, case_run, NULL, case_tell, &case_file.block[k]};
    return _cmocka_run_group_tests(name, tests, used, NULL, NULL);
}

#define CASE_RUN_ALL(name, verbs, begin, end)                                                                          \
    case_run_all((name), (verbs), sizeof(verbs) / sizeof(verbs)[0], (begin), (end))
