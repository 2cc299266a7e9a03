#include "shell/language/manual.h"

#include <stdlib.h>
#include <string.h>

#include "shell/language/values.h"

/* The manual's source is counted in bytes, escapes included: it gets some room. */
enum { PAGE_WIDTH = 78, SOURCE_WIDTH = 64 };

/* Columns that UTF-8 text takes: every character of the table is one column wide. */
static size_t columns_of(const char *text, size_t length)
{
    size_t columns = 0;
    for (size_t k = 0; k < length; k++)
        columns += ((unsigned char)text[k] & 0xC0u) != 0x80u;
    return columns;
}

typedef struct page_style {
    FILE *out;
    size_t width;
    void (*put)(FILE *out, const char *word, size_t length);
} page_style;

/* Writes text in lines of at most the page's width, each after the first indented. `column` is where the first line
 * stands already. */
static void wrap_on(const page_style *page, const char *text, size_t indent, size_t column)
{
    bool first = true;
    while (*text) {
        size_t length = strcspn(text, " "), width = columns_of(text, length);
        if (!first && column + 1 + width > page->width) {
            (void)fprintf(page->out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            (void)fputc(' ', page->out);
            column++;
        }
        page->put(page->out, text, length);
        column += width;
        first = false;
        text += length + strspn(text + length, " ");
    }
    (void)fputc('\n', page->out);
}

static void put_plain(FILE *out, const char *word, size_t length) { (void)fwrite(word, 1, length, out); }

/* Text that may be broken, to go on below where it begins. */
static void flow(FILE *out, const char *text) { (void)fprintf(out, "\t%s\n", text); }

enum { ABOUT = 500 }; /* bytes that hold what is to be known of any argument */

/* ": a whole number from 1 to 1000 (default: as set)": what to know of an argument beyond its help. What its name says
 * goes without saying: that an engine is an engine, that a flag is on or off. */
static const char *describe_value(const eb_argument *argument, char buffer[ABOUT])
{
    char expectation[200];
    const bool plain = argument->type <= EB_ARG_FLAG, unit = argument->unit && *argument->unit;
    const eb_argument meant = eb_argument_meant(argument);
    (void)snprintf(buffer, ABOUT, "%s%s%s%s%s%s%s", plain ? "" : ": ",
                   plain ? "" : eb_argument_expectation(&meant, expectation, sizeof expectation), unit ? ", in " : "",
                   unit ? argument->unit : "", argument->fallback ? " (default: " : "",
                   argument->fallback ? argument->fallback : "", argument->fallback ? ")" : "");
    return buffer;
}

/* Where the texts beside names begin: two blanks at least are between. */
enum { USUAL_WIDTH = 12 };
static size_t wider(size_t width, const char *name) { return strlen(name) + 4 > width ? strlen(name) + 4 : width; }

/* width: where the text begins. */
static void describe(FILE *out, size_t width, const char *name, const char *help, const char *value)
{
    (void)fprintf(out, "  %-*s\t%s%s\n", (int)(width - 2), name, help, value);
}

/* ---- help pages ---- */

static char *close_page(FILE *out, char **page)
{
    bool failed = ferror(out) != 0;
    if (fclose(out) == 0 && !failed)
        return *page;
    free(*page);
    return NULL;
}

char *eb_manual_broken(const char *page)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    const page_style style = {out, PAGE_WIDTH, put_plain};
    bool lost = false;
    if (!out)
        return NULL;
    while (*page) {
        size_t length = strcspn(page, "\n"), before = strcspn(page, "\t\n");
        char *broken = before < length ? strndup(page + before + 1, length - before - 1) : NULL;
        (void)fwrite(page, 1, before, out);
        if (broken)
            wrap_on(&style, broken, columns_of(page, before), columns_of(page, before));
        else
            (void)fputc('\n', out);
        lost = lost || (before < length && !broken);
        free(broken);
        page += length + (page[length] == '\n');
    }
    text = close_page(out, &text);
    if (lost) {
        free(text);
        text = NULL;
    }
    return text;
}

char *eb_manual_page(const eb_command *command)
{
    char *page = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&page, &size);
    if (!out)
        return NULL;
    char usage[400], about[ABOUT];
    const char *arguments = eb_command_usage(command, usage, sizeof usage) + strcspn(usage, " ");
    (void)fprintf(out, "%.*s%s", (int)(arguments - usage), usage, *arguments ? " " : "");
    flow(out, arguments + strspn(arguments, " "));
    flow(out, command->summary);
    if (command->detail) {
        (void)fputc('\n', out);
        flow(out, command->detail);
    }
    if (command->argument[0].name)
        (void)fputc('\n', out);
    size_t width = USUAL_WIDTH;
    for (size_t k = 0; k < eb_argument_count(command); k++)
        width = wider(width, command->argument[k].name);
    for (size_t k = 0; k < eb_argument_count(command); k++) {
        const eb_argument *argument = &command->argument[k];
        describe(out, width, argument->name, argument->help, describe_value(argument, about));
    }
    (void)fprintf(out, "\nExample: %s\n", command->example);
    return close_page(out, &page);
}

/* ---- engines ---- */

/* ": paper or best (default: best)", "; in paper or best; needs async-copy". */
static const char *describe_option(const eb_option *option, char buffer[ABOUT])
{
    static const char *const where[] = {[EB_ON_CPU] = "; on the CPU", [EB_ON_CUDA] = "; on CUDA devices"};
    const eb_argument argument = eb_option_argument(option);
    const eb_argument presets = {.type = EB_ARG_CHOICE, .choices = option->presets};
    char in[200] = "", published[80] = "";
    size_t used = strlen(describe_value(&argument, buffer));
    if (option->presets)
        (void)eb_argument_expectation(&presets, in, sizeof in);
    if (option->published_tflops > 0)
        (void)snprintf(published, sizeof published, "; published without it: %.4g TFLOPS", option->published_tflops);
    (void)snprintf(buffer + used, ABOUT - used, "%s%s%s%s%s%s",
                   !option->presets ? ""
                   : in[0]          ? "; in "
                                    : "; in no preset",
                   in, option->needs ? "; needs " : "", option->needs ? option->needs : "", published,
                   option->devices < EB_ON_ALL ? where[option->devices] : "");
    return buffer;
}

static const char *const exactness_words[] = {
    [EB_TRUTH] = "Computes the FP64 truth, bit for bit.",
    [EB_CERTIFIED] = "Finds exactly the truth's pairs, by another way.",
    [EB_APPROXIMATE] = "Approximates: pairs near ε may differ from the truth's.",
};

static const char device_help[] = "where it runs: cpu or cuda:N (default: the session's device, else the one it has)";

/* How its options may be given, from what it has. */
static void put_example(FILE *out, const eb_engine *engine)
{
    const eb_option *first = engine->options.count > 0 ? &engine->options.option[0] : NULL;
    char item[64];
    if (!first)
        (void)snprintf(item, sizeof item, "device=%s", engine->on[EB_DEVICE_CPU].summary ? "cpu" : "cuda:0");
    else if (first->type == EB_ARG_FLAG)
        (void)snprintf(item, sizeof item, "-%s", first->name);
    else if (first->type == EB_ARG_INTEGER)
        (void)snprintf(item, sizeof item, "%s=%s", first->name, first->fallback);
    else
        (void)eb_choice_at(first->choices, 0, item, sizeof item);
    (void)fprintf(out, "join %s[%s] S=64", engine->name, item);
}

char *eb_manual_engine_page(const eb_engine *engine)
{
    static const char *const kinds[] = {[EB_DEVICE_CPU] = "cpu", [EB_DEVICE_CUDA] = "cuda"};
    char *page = NULL, about[ABOUT];
    size_t size = 0, width = USUAL_WIDTH;
    FILE *out = open_memstream(&page, &size);
    if (!out)
        return NULL;
    for (size_t k = 0; k < engine->options.count; k++)
        width = wider(width, engine->options.option[k].name);
    (void)fprintf(out, "%s[ITEM,…]\n\t%s. %s\n\n", engine->name, engine->title, exactness_words[engine->exactness]);
    if (engine->about) {
        flow(out, engine->about);
        (void)fputc('\n', out);
    }
    for (size_t k = 0; k < EB_DEVICE_KINDS; k++)
        if (engine->on[k].summary)
            describe(out, width, kinds[k], engine->on[k].summary, engine->on[k].run ? "" : "; not in this build");
    (void)fputs("\nAn ITEM is OPTION=VALUE, a choice's value, or +FLAG or -FLAG:\n\n", out);
    for (size_t k = 0; k < engine->options.count; k++) {
        const eb_option *option = &engine->options.option[k];
        describe(out, width, option->name, option->help, describe_option(option, about));
    }
    describe(out, width, "device", device_help, "");
    (void)fprintf(out, "\nA default for the session: set %s.OPTION=VALUE\nExample: ", engine->name);
    put_example(out, engine);
    (void)fputc('\n', out);
    return close_page(out, &page);
}

/* ---- the glossary ---- */

static void describe_term(FILE *out, const eb_term *term)
{
    (void)fprintf(out, "%s\n    ", term->name);
    flow(out, term->means);
}

char *eb_manual_term_page(const eb_term *term)
{
    char *page = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&page, &size);
    if (!out)
        return NULL;
    if (term)
        describe_term(out, term);
    for (size_t k = 0; !term && k < eb_term_count(); k++)
        describe_term(out, eb_term_at(k));
    return close_page(out, &page);
}

/* ---- mdoc ---- */

/* A word of text: backslashes escaped, and guarded where, at the start of a line, it would be a request. */
static void put_mdoc(FILE *out, const char *word, size_t length)
{
    if (length > 0 && (word[0] == '.' || word[0] == '\''))
        (void)fputs("\\&", out);
    for (size_t k = 0; k < length; k++) {
        if (word[k] == '\\')
            (void)fputs("\\e", out);
        else
            (void)fputc(word[k], out);
    }
}

static void mdoc_text(FILE *out, const char *text) { put_mdoc(out, text, strlen(text)); }

/* Sentences, each on a line of its own as mdoc wants it. */
static void mdoc_sentences(FILE *out, const char *text)
{
    const page_style page = {out, SOURCE_WIDTH, put_mdoc};
    while (*text) {
        const char *end = strstr(text, ". ");
        size_t length = end ? (size_t)(end - text) + 1 : strlen(text);
        char *sentence = strndup(text, length);
        if (!sentence)
            return;
        wrap_on(&page, sentence, 0, 0);
        free(sentence);
        text += length + strspn(text + length, " ");
    }
}

static void mdoc_item(FILE *out, const char *name, const char *help, const char *value)
{
    const page_style page = {out, SOURCE_WIDTH, put_mdoc};
    char *text = NULL;
    (void)fprintf(out, ".It Ar %s\n", name);
    if (asprintf(&text, "%s%s.", help, value) >= 0) {
        wrap_on(&page, text, 0, 0);
        free(text);
    }
}

static void mdoc_command(FILE *out, const eb_command *command)
{
    char usage[400], about[ABOUT];
    (void)eb_command_usage(command, usage, sizeof usage);
    (void)fprintf(out, ".It Ic ");
    mdoc_text(out, usage);
    (void)fputc('\n', out);
    mdoc_text(out, command->summary);
    (void)fputs(".\n", out);
    if (command->detail)
        mdoc_sentences(out, command->detail);
    if (command->argument[0].name) {
        (void)fputs(".Bl -tag -width queries -compact\n", out);
        for (size_t k = 0; k < eb_argument_count(command); k++) {
            const eb_argument *argument = &command->argument[k];
            mdoc_item(out, argument->name, argument->help, describe_value(argument, about));
        }
        (void)fputs(".El\n", out);
    }
    (void)fputs("Example:\n.Dl ", out);
    mdoc_text(out, command->example);
    (void)fputc('\n', out);
}

void eb_manual_commands(FILE *out)
{
    const char *group = "";
    for (size_t k = 0; k < eb_command_count(); k++) {
        const eb_command *command = eb_command_at(k);
        if (strcmp(command->group, group) != 0) {
            (void)fprintf(out, "%s.Ss %s\n.Bl -tag -width Ds\n", *group ? ".El\n" : "", command->group);
            group = command->group;
        }
        mdoc_command(out, command);
    }
    (void)fputs(".El\n", out);
}

void eb_manual_engines(FILE *out)
{
    static const char *const where[] = {[EB_DEVICE_CPU] = "On the CPU", [EB_DEVICE_CUDA] = "On CUDA devices"};
    char about[ABOUT];
    (void)fputs(".Bl -tag -width Ds\n", out);
    for (size_t k = 0; k < eb_engine_count(); k++) {
        const eb_engine *engine = eb_engine_at(k);
        (void)fprintf(out, ".It Cm %s\n%s.\n", engine->name, engine->title);
        for (size_t kind = 0; kind < EB_DEVICE_KINDS; kind++) {
            if (!engine->on[kind].summary)
                continue;
            (void)snprintf(about, sizeof about, "%s: %s.", where[kind], engine->on[kind].summary);
            mdoc_sentences(out, about);
        }
        mdoc_sentences(out, exactness_words[engine->exactness]);
        if (engine->about)
            mdoc_sentences(out, engine->about);
        if (engine->options.count > 0)
            (void)fputs(".Bl -tag -width early-test -compact\n", out);
        for (size_t o = 0; o < engine->options.count; o++) {
            const eb_option *option = &engine->options.option[o];
            mdoc_item(out, option->name, option->help, describe_option(option, about));
        }
        if (engine->options.count > 0)
            (void)fputs(".El\n", out);
    }
    (void)fputs(".El\n", out);
}

void eb_manual_terms(FILE *out)
{
    (void)fputs(".Bl -tag -width Ds\n", out);
    for (size_t k = 0; k < eb_term_count(); k++) {
        (void)fputs(".It ", out);
        mdoc_text(out, eb_term_at(k)->name);
        (void)fputc('\n', out);
        mdoc_sentences(out, eb_term_at(k)->means);
    }
    (void)fputs(".El\n", out);
}
