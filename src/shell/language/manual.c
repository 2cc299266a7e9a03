#include "shell/language/manual.h"

#include <stdlib.h>
#include <string.h>

#include "shell/language/lists.h"
#include "shell/language/values.h"

/* SOURCE_WIDTH is small because escapes make lines of the manual's source longer. */
enum { PAGE_WIDTH = 78, SOURCE_WIDTH = 64 };

/* Width of UTF-8 text in columns. Every character of the texts here is one column wide. */
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

/* Writes text in lines of at most the page's width and indents all lines but the first. column: where the first line
 * begins. */
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

/* Writes text that may be broken; later lines are indented to the column where the text begins. */
static void flow(FILE *out, const char *text) { (void)fprintf(out, "\t%s\n", text); }

/* Takes the next part of *text, up to the separator, and advances *text. Heap; NULL: no part is left. */
static char *next_part(const char **text, const char *separator)
{
    const char *begin = *text, *end = begin ? strstr(begin, separator) : NULL;
    if (!begin || !*begin)
        return NULL;
    *text = end ? end + strlen(separator) : begin + strlen(begin);
    return strndup(begin, end ? (size_t)(end - begin) : strlen(begin));
}

enum { ABOUT = 500 }; /* bytes for the description of an argument */

/* Appends a text to the buffer, with "; " between. */
static void add(char buffer[ABOUT], const char *before, const char *text)
{
    const size_t used = strlen(buffer);
    (void)snprintf(buffer + used, ABOUT - used, "%s%s%s", used > 0 ? "; " : "", before, text);
}

/* Describes the values of an argument: "a whole number from 1 to 1000; default: as set". Leaves out types that the
 * argument's help names, such as engines and flags. */
static char *describe_value(const eb_argument *argument, char buffer[ABOUT])
{
    char expectation[200];
    const eb_argument meant = eb_argument_meant(argument);
    buffer[0] = '\0';
    if (argument->type > EB_ARG_FLAG || argument->type == EB_ARG_DATASET)
        add(buffer, "", eb_argument_expectation(&meant, expectation, sizeof expectation));
    if (argument->unit && argument->type != EB_ARG_RATE)
        (void)strncat(strncat(buffer, ", in ", ABOUT - strlen(buffer) - 1), argument->unit, ABOUT - strlen(buffer) - 1);
    if (argument->fallback)
        add(buffer, "default: ", argument->fallback);
    return buffer;
}

/* Column where texts beside names begin, at least two blanks after the names. */
enum { USUAL_WIDTH = 12 };
static size_t wider(size_t width, const char *name) { return strlen(name) + 4 > width ? strlen(name) + 4 : width; }

/* Writes a name and its help, and the values, if not "", on the next line. width: column where texts begin. */
static void describe(FILE *out, size_t width, const char *name, const char *help, const char *value)
{
    (void)fprintf(out, "  %-*s\t%s\n", (int)(width - 2), name, help);
    if (value[0])
        (void)fprintf(out, "%*s\t(%s)\n", (int)width, "", value);
}

static void put_notes(FILE *out, const char *title, const char *notes)
{
    if (notes)
        (void)fprintf(out, "\n%s\n", title);
    for (char *part; (part = next_part(&notes, "\n\n")); free(part)) {
        flow(out, part);
        if (*notes)
            (void)fputc('\n', out);
    }
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
    size_t size = 0, width = USUAL_WIDTH;
    FILE *out = open_memstream(&page, &size);
    if (!out)
        return NULL;
    char usage[400], about[ABOUT], *lists = eb_listing_note(command);
    const char *arguments = eb_command_usage(command, usage, sizeof usage) + strcspn(usage, " ");
    (void)fprintf(out, "%s\n\n  %.*s%s", command->summary, (int)(arguments - usage), usage, *arguments ? " " : "");
    flow(out, arguments + strspn(arguments, " "));
    if (command->argument[0].name)
        (void)fputs("\nArguments\n", out);
    for (size_t k = 0; k < eb_argument_count(command); k++)
        width = wider(width, command->argument[k].name);
    for (size_t k = 0; k < eb_argument_count(command); k++) {
        const eb_argument *argument = &command->argument[k];
        describe(out, width, argument->name, argument->help, describe_value(argument, about));
    }
    put_notes(out, "Notes", command->detail);
    (void)fputs(strchr(command->examples, '\n') ? "\nExamples\n" : "\nExample\n", out);
    const char *examples = command->examples;
    for (char *part; (part = next_part(&examples, "\n")); free(part))
        (void)fprintf(out, "  %s\n", part);
    put_notes(out, "Lists", lists);
    free(lists);
    return close_page(out, &page);
}

/* ---- `help` without a topic ---- */

static const struct {
    const char *use, *commands;
} uses[] = {{"Tune ε", "load info tune join"},
            {"Precision", "precision compare accuracy explain"},
            {"Learn", "lesson model ablate"}};
enum { USES = sizeof uses / sizeof uses[0], USE_WIDTH = 11, NAME_WIDTH = 11 };

/* True if the name is one of "a b c". */
static bool has_name(const char *names, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)); at += length)
        if ((at == names || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static bool is_in_a_use(const char *name)
{
    for (size_t k = 0; k < USES; k++)
        if (has_name(uses[k].commands, name))
            return true;
    return false;
}

static void put_heading(FILE *out, const char *heading)
{
    (void)fprintf(out, "%s%*s", heading, USE_WIDTH - (int)columns_of(heading, strlen(heading)), "");
}

char *eb_manual_overview(void)
{
    char *page = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&page, &size);
    if (!out)
        return NULL;
    for (size_t k = 0; k < USES; k++) {
        const char *names = uses[k].commands, *heading = uses[k].use;
        const eb_command *command;
        for (char *name; (name = next_part(&names, " ")); free(name)) {
            put_heading(out, heading);
            heading = "";
            if (eb_command_find(name, &command, NULL) == EB_OK)
                (void)fprintf(out, "%-*s\t%s\n", NAME_WIDTH, name, command->summary);
        }
        (void)fputc('\n', out);
    }
    const char *group = "";
    for (size_t k = 0; k < eb_command_count(); k++) {
        const eb_command *command = eb_command_at(k);
        const bool begins = strcmp(command->group, group) != 0;
        if (begins && k > 0)
            (void)fputc('\n', out);
        if (begins)
            put_heading(out, command->group);
        if (begins)
            (void)fputc('\t', out);
        group = command->group;
        if (!is_in_a_use(command->name))
            (void)fprintf(out, "%s ", command->name);
    }
    (void)fputs("\n", out);
    flow(out, "`help COMMAND` explains one, `help all` lists all with a line each.");
    return close_page(out, &page);
}

/* ---- engines ---- */

/* Describes an option: "on in paper and best; needs async-copy", "paper or best; default: best". */
static const char *describe_option(const eb_option *option, char buffer[ABOUT])
{
    const eb_argument argument = eb_option_argument(option);
    char preset[64], published[48];
    (void)describe_value(&argument, buffer);
    if (option->presets && !option->presets[0])
        add(buffer, "", "on in no preset");
    for (size_t k = 0; option->presets && option->presets[0] && eb_choice_at(option->presets, k, preset, sizeof preset);
         k++) {
        const size_t used = strlen(buffer);
        (void)snprintf(buffer + used, ABOUT - used, "%s%s", k > 0 ? " and " : "on in ", preset);
    }
    if (option->needs)
        add(buffer, "needs ", option->needs);
    (void)snprintf(published, sizeof published, "%.4g TFLOPS without it", option->published_tflops);
    if (option->published_tflops > 0)
        add(buffer, "paper: ", published);
    return buffer;
}

static const char *const exactness_words[] = {
    [EB_TRUTH] = "Computes the FP64 truth, bit for bit.",
    [EB_CERTIFIED] = "Finds exactly the truth's pairs, in another way.",
    [EB_APPROXIMATE] = "Approximates: pairs near ε may differ from the truth's.",
};

static const char *const device_names[] = {[EB_DEVICE_CPU] = "cpu", [EB_DEVICE_CUDA] = "cuda"};

/* Heading for an option's devices; "" if the engine has only one kind of device. */
static const char *devices_of(const eb_engine *engine, const eb_option *option)
{
    static const char *const names[] =
        {[EB_ON_CPU] = " on the CPU only", [EB_ON_CUDA] = " on a GPU only", [EB_ON_ALL] = " on CPU and GPU"};
    return engine->on[EB_DEVICE_CPU].summary && engine->on[EB_DEVICE_CUDA].summary ? names[option->devices] : "";
}

/* Shows the syntax of options with the first option. */
static void put_examples(FILE *out, const eb_engine *engine)
{
    const eb_option *first = engine->options.count > 0 ? &engine->options.option[0] : NULL;
    char value[64] = "";
    if (!first) {
        (void)fprintf(out, "\nExample\n  join %s[device=%s] S=64\n", engine->name,
                      engine->on[EB_DEVICE_CPU].summary ? "cpu" : "cuda:0");
        return;
    }
    if (first->type == EB_ARG_FLAG)
        (void)snprintf(value, sizeof value, "off");
    else if (first->type == EB_ARG_INTEGER)
        (void)snprintf(value, sizeof value, "%s", first->fallback);
    else
        (void)eb_choice_at(first->choices, 0, value, sizeof value);
    (void)fprintf(out, "\nExamples\n  join %s[%s=%s] S=64\n  set %s.%s=%s   # a default for the session\n",
                  engine->name, first->name, value, engine->name, first->name, value);
}

char *eb_manual_engine_page(const eb_engine *engine)
{
    char *page = NULL, about[ABOUT];
    const char *head = NULL;
    size_t size = 0, width = USUAL_WIDTH;
    FILE *out = open_memstream(&page, &size);
    if (!out)
        return NULL;
    for (size_t k = 0; k < engine->options.count; k++)
        width = wider(width, engine->options.option[k].name);
    (void)fprintf(out, "%s\n%s\n\n  %s[ITEM,…]\n", engine->title, exactness_words[engine->exactness], engine->name);
    put_notes(out, "Notes", engine->about);
    (void)fputs("\nDevices\n", out);
    for (size_t k = 0; k < EB_DEVICE_KINDS; k++)
        if (engine->on[k].summary)
            describe(out, width, device_names[k], engine->on[k].summary, engine->on[k].run ? "" : "not in this build");
    for (size_t k = 0; k < engine->options.count; k++) {
        const eb_option *option = &engine->options.option[k];
        const char *devices = devices_of(engine, option);
        if (devices != head)
            (void)fprintf(out, "\nOptions%s\n", devices);
        head = devices;
        describe(out, width, option->name, option->help, describe_option(option, about));
    }
    (void)fputs("\nItems\n", out);
    flow(out, "An ITEM is OPTION=VALUE, the value of a choice, or +FLAG or -FLAG. Every engine takes device=cpu or "
              "device=cuda:N; without it, the engine runs on the session's device, else on the only kind of device "
              "that it has.");
    put_examples(out, engine);
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

/* Writes a word. Escapes backslashes, and a first character that would make the line a request. */
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

/* Begins a new line for each sentence, as mdoc requires. */
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
    if (asprintf(&text, "%s%s%s%s.", help, value[0] ? " (" : "", value, value[0] ? ")" : "") >= 0) {
        wrap_on(&page, text, 0, 0);
        free(text);
    }
}

static void mdoc_paragraphs(FILE *out, const char *text)
{
    for (char *part; (part = next_part(&text, "\n\n")); free(part)) {
        mdoc_sentences(out, part);
        if (*text)
            (void)fputs(".Pp\n", out);
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
    mdoc_paragraphs(out, command->detail);
    if (command->argument[0].name) {
        (void)fputs(".Bl -tag -width queries -compact\n", out);
        for (size_t k = 0; k < eb_argument_count(command); k++) {
            const eb_argument *argument = &command->argument[k];
            mdoc_item(out, argument->name, argument->help, describe_value(argument, about));
        }
        (void)fputs(".El\n", out);
    }
    (void)fputs(strchr(command->examples, '\n') ? "Examples:\n" : "Example:\n", out);
    const char *examples = command->examples;
    for (char *part; (part = next_part(&examples, "\n")); free(part)) {
        (void)fputs(".Dl ", out);
        mdoc_text(out, part);
        (void)fputc('\n', out);
    }
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
    static const char *const where[] = {[EB_DEVICE_CPU] = "On the CPU", [EB_DEVICE_CUDA] = "On a GPU"};
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
        mdoc_paragraphs(out, engine->about);
        if (engine->options.count > 0)
            (void)fputs(".Bl -tag -width early-test -compact\n", out);
        for (size_t o = 0; o < engine->options.count; o++) {
            const eb_option *option = &engine->options.option[o];
            const char *devices = devices_of(engine, option);
            (void)describe_option(option, about);
            if (devices[0])
                add(about, "", devices + 1);
            mdoc_item(out, option->name, option->help, about);
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
