#include "shell/code/kernel_code.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/jit/jit.h"
#include "shell/code/assembly.h"
#include "shell/code/disassemble.h"

enum { NAME_BYTES = 64, MADE_BYTES = 400, PLACE_BYTES = 160, LINE_BYTES = 240 };

static const char *language(bool sass) { return sass ? "SASS" : "PTX"; }

/* ---- how many of each kind ---- */

static const char *const does[EB_INSTRUCTION_KINDS] = {
    [EB_ON_TENSOR_CORES] = "multiply on tensor cores",
    [EB_FRAGMENT_LOAD] = "load fragments from shared memory",
    [EB_COPY_TO_SHARED] = "copy to shared memory",
    [EB_COPY_WAIT] = "wait for copies and products",
    [EB_BARRIER] = "wait for the block's other warps",
    [EB_SHARED_LOAD] = "load from shared memory",
    [EB_SHARED_STORE] = "store to shared memory",
    [EB_GLOBAL_LOAD] = "load from global memory",
    [EB_GLOBAL_STORE] = "store to global memory, atomics",
    [EB_LOCAL_MEMORY] = "spill registers, use local memory",
    [EB_FLOATING] = "other floating-point arithmetic",
    [EB_BRANCH] = "branch",
    [EB_REST] = "integers, addresses, moves",
};

/* Instructions of each kind in the main loop and in the kernel. */
typedef struct kinds_of {
    size_t loop[EB_INSTRUCTION_KINDS], all[EB_INSTRUCTION_KINDS];
} kinds_of;

static void put_kinds(const kinds_of *kinds, bool sass, eb_report *report)
{
    eb_table *table = EB_TABLE(report, EB_F(instruction_kinds), "What the instructions do", EB_F(does),
                               EB_F(instruction_names), EB_F(in_loop), EB_F(in_kernel));
    for (size_t k = 0; k < EB_INSTRUCTION_KINDS; k++)
        if (kinds->all[k] > 0 || (k == EB_LOCAL_MEMORY && sass)) /* that nothing is spilled is worth a line */
            EB_ROW(table, eb_text(does[k]), eb_text(eb_instruction_names((eb_instruction_kind)k, sass)),
                   eb_uint(kinds->loop[k]), eb_uint(kinds->all[k]));
}

static void conclude(const eb_assembly *a, const kinds_of *kinds, bool sass, eb_report *report)
{
    const size_t *loop = kinds->loop;
    const bool tensor = loop[EB_ON_TENSOR_CORES] > 0;
    const char *spilled = !sass                             ? ""
                          : kinds->all[EB_LOCAL_MEMORY] > 0 ? "; local memory is used"
                                                            : "; no register is spilled";
    if (a->loop_end == a->loop_begin)
        eb_report_conclude(report, "The kernel has %zu instructions and no loop that multiplies%s", a->count, spilled);
    else
        eb_report_conclude(
            report,
            "The main loop has %zu of %zu instructions: %zu %s, %zu loads from shared memory, %zu from global%s",
            a->loop_end - a->loop_begin, a->count, loop[tensor ? EB_ON_TENSOR_CORES : EB_FLOATING],
            tensor ? "products on tensor cores" : "of floating-point arithmetic",
            loop[EB_FRAGMENT_LOAD] + loop[EB_SHARED_LOAD], loop[EB_GLOBAL_LOAD], spilled);
}

/* ---- CUDA lines ---- */

/* "mma.cuh:129"; NULL: unknown. Returns buffer. */
static const char *place_of(const eb_assembly *a, const eb_instruction *at, char buffer[PLACE_BYTES])
{
    if (at->file == EB_NO_FILE || at->line == 0)
        return NULL;
    const char *path = a->file[at->file], *slash = strrchr(path, '/');
    (void)snprintf(buffer, PLACE_BYTES, "%.120s:%u", slash ? slash + 1 : path, at->line);
    return buffer;
}

/* Line `number` of a text; NULL: it has fewer. */
static const char *line_of(const char *text, unsigned number)
{
    for (; text && number > 1; number--) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return text;
}

/* The text of a source line; "": unknown. */
static const char *source_line(const char *path, unsigned number, char buffer[LINE_BYTES])
{
    const char *text = line_of(eb_jit_source(path), number);
    (void)snprintf(buffer, LINE_BYTES, "%.*s", text ? (int)strcspn(text, "\n") : 0, text ? text : "");
    return buffer;
}

/* True if a statement can go on in the line after this one. */
static bool goes_on(const char *line)
{
    static const char *const heads[] = {"for (", "if (", "while (", "else", "#", "/*", "template", "case "};
    size_t length = strcspn(line, "\n");
    const char *begin = line + strspn(line, " ");
    while (length > 0 && line[length - 1] == ' ')
        length--;
    for (size_t k = 0; k < sizeof heads / sizeof heads[0]; k++)
        if (strncmp(begin, heads[k], strlen(heads[k])) == 0)
            return false;
    return length > 0 && !strchr(";{}:/", line[length - 1]);
}

/* SASS gives a statement of several lines, such as inline assembly, the last of them: this is the first. */
static unsigned statement_of(const char *path, unsigned number)
{
    const char *text = eb_jit_source(path), *before;
    while (text && number > 1 && (before = line_of(text, number - 1)) && goes_on(before))
        number--;
    return number;
}

static void go_to_statements(eb_assembly *a)
{
    for (size_t k = 0; k < a->count; k++)
        if (a->instruction[k].file != EB_NO_FILE)
            a->instruction[k].line = statement_of(a->file[a->instruction[k].file], a->instruction[k].line);
}

static bool is_same_line(const eb_instruction *a, const eb_instruction *b)
{
    return a->file == b->file && a->line == b->line;
}

/* True if an instruction before k, from begin on, is of the same line and, unless line_only, has the same name. */
static bool is_repeated(const eb_assembly *a, size_t begin, size_t k, bool line_only)
{
    char own[NAME_BYTES], other[NAME_BYTES];
    const eb_instruction *at = &a->instruction[k];
    (void)eb_instruction_name(at, own, sizeof own);
    for (size_t e = begin; e < k; e++)
        if (is_same_line(&a->instruction[e], at) &&
            (line_only || strcmp(eb_instruction_name(&a->instruction[e], other, sizeof other), own) == 0))
            return true;
    return false;
}

static bool is_named(const eb_instruction *at) { return at->kind != EB_REST && at->kind != EB_BRANCH; }

static size_t count_named(const eb_assembly *a, size_t begin, size_t end, size_t first)
{
    char own[NAME_BYTES], other[NAME_BYTES];
    size_t count = 0;
    (void)eb_instruction_name(&a->instruction[first], own, sizeof own);
    for (size_t e = begin; e < end; e++)
        count += is_same_line(&a->instruction[e], &a->instruction[first]) &&
                 strcmp(eb_instruction_name(&a->instruction[e], other, sizeof other), own) == 0;
    return count;
}

/* "64 HMMA.16816.F32, 3 others": what the line of instruction `first` became in [begin, end). */
static void say_made(const eb_assembly *a, size_t begin, size_t end, size_t first, char out[MADE_BYTES])
{
    char name[NAME_BYTES];
    size_t used = 0, others = 0;
    out[0] = '\0';
    for (size_t k = first; k < end && used < MADE_BYTES; k++) {
        const eb_instruction *at = &a->instruction[k];
        if (!is_same_line(at, &a->instruction[first]))
            continue;
        if (!is_named(at))
            others++;
        else if (!is_repeated(a, begin, k, false))
            used += (size_t)snprintf(out + used, MADE_BYTES - used, "%s%zu %s", used ? ", " : "",
                                     count_named(a, begin, end, k), eb_instruction_name(at, name, sizeof name));
    }
    if (others > 0 && used < MADE_BYTES)
        (void)snprintf(out + used, MADE_BYTES - used, "%s%zu other%s", used ? ", " : "", others,
                       others == 1 ? "" : "s");
}

typedef struct made_line {
    const eb_assembly *assembly;
    size_t first; /* the line's first instruction */
    bool own;     /* of the kernel's own file */
} made_line;

static int by_place(const void *left, const void *right)
{
    const made_line *l = left, *r = right;
    const eb_instruction *a = &l->assembly->instruction[l->first], *b = &r->assembly->instruction[r->first];
    if (l->own != r->own)
        return l->own ? -1 : 1;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

static bool ends_with(const char *path, const char *name)
{
    const size_t length = strlen(path), own = strlen(name);
    return own <= length && strcmp(path + length - own, name) == 0;
}

/* One line for each CUDA line that has instructions in [begin, end). */
static eb_code put_cuda(const eb_assembly *a, const eb_code_asked *asked, size_t begin, size_t end, eb_report *report,
                        eb_status *status)
{
    char place[PLACE_BYTES], text[LINE_BYTES], made[MADE_BYTES];
    size_t count = 0;
    made_line *line = calloc(end - begin + 1, sizeof *line);
    if (!line)
        return eb_fail_memory(status, "a kernel's lines", (end - begin) * sizeof *line);
    for (size_t k = begin; k < end; k++)
        if (a->instruction[k].file != EB_NO_FILE && a->instruction[k].line > 0 && !is_repeated(a, begin, k, true))
            line[count++] = (made_line){a, k, ends_with(a->file[a->instruction[k].file], asked->file)};
    qsort(line, count, sizeof *line, by_place);
    eb_table *table = count > 0
                          ? EB_TABLE(report, EB_F(cuda),
                                     end - begin < a->count ? "CUDA lines, and the main loop's instructions of each"
                                                            : "CUDA lines, and the instructions of each",
                                     EB_F(source), EB_F(text), EB_F(made))
                          : NULL;
    for (size_t k = 0; k < count; k++) {
        const eb_instruction *at = &a->instruction[line[k].first];
        say_made(a, begin, end, line[k].first, made);
        EB_ROW(table, eb_text(place_of(a, at, place)), eb_text(source_line(a->file[at->file], at->line, text)),
               eb_text(made));
    }
    if (table)
        eb_table_draw(table, EB_AS_CODE);
    else
        eb_report_note(report, "the listing tells no CUDA lines; nvdisasm of the CUDA Toolkit tells them");
    free(line);
    return EB_OK;
}

/* ---- the listing ---- */

static void put_listing(const eb_assembly *a, const eb_code_asked *asked, size_t begin, size_t end, eb_report *report)
{
    char place[PLACE_BYTES], title[200], label[104], text[LINE_BYTES];
    const bool loop = end - begin < a->count;
    (void)snprintf(title, sizeof title, "%s of %.80s, %s: %zu instructions", language(asked->sass), asked->title,
                   loop ? "its main loop" : "the whole kernel", end - begin);
    eb_table *table = EB_TABLE(report, EB_F(assembly), title, EB_F(source), EB_F(text));
    for (size_t k = begin; k < end; k++) {
        const eb_instruction *at = &a->instruction[k];
        if (at->label) {
            (void)snprintf(label, sizeof label, "%.100s:", at->label);
            EB_ROW(table, eb_na(), eb_text(label));
        }
        (void)snprintf(text, sizeof text, "    %s", at->text);
        EB_ROW(table, eb_text(place_of(a, at, place)), eb_text(text));
    }
    eb_table_draw(table, EB_AS_CODE);
    if (loop)
        eb_report_note(report, "add `whole` for the whole kernel: %zu instructions", a->count);
}

eb_code eb_kernel_code_show(const eb_code_asked *asked, const char *architecture, const char *listing,
                            eb_report *report, eb_status *status)
{
    eb_assembly a;
    kinds_of kinds;
    EB_TRY(eb_assembly_read(listing, asked->sass, &a, status));
    go_to_statements(&a);
    const bool loop = a.loop_end > a.loop_begin;
    const size_t begin = loop ? a.loop_begin : 0, end = loop ? a.loop_end : a.count;
    EB_FIELDS(report, {EB_F(kernel), eb_text(asked->title)}, {EB_F(architecture), eb_text(architecture)});
    eb_assembly_count(&a, a.loop_begin, a.loop_end, kinds.loop);
    eb_assembly_count(&a, 0, a.count, kinds.all);
    put_kinds(&kinds, asked->sass, report);
    const eb_code failed = put_cuda(&a, asked, begin, end, report, status);
    put_listing(&a, asked, asked->whole ? 0 : begin, asked->whole ? a.count : end, report);
    conclude(&a, &kinds, asked->sass, report);
    eb_assembly_free(&a);
    return failed;
}

/* ---- compiling ---- */

/* "sm_90a" for SASS, "compute_90a" for PTX. */
static eb_code find_target(const eb_code_asked *asked, char target[2 * EB_JIT_ARCHITECTURE], eb_status *status)
{
    char chip[EB_JIT_ARCHITECTURE];
    const int major = (int)asked->compute, minor = (int)lround(10 * (asked->compute - major));
    EB_TRY(eb_jit_check(asked->title, status));
    EB_TRY(eb_jit_architecture(major, minor, chip, status));
    const bool known = strncmp(chip, "sm_", 3) == 0;
    if (asked->sass && !known)
        return eb_fail(
            status, EB_NO_ENGINE,
            "NVRTC here compiles nothing for sm_%d%d, whose SASS is asked for; code=ptx shows PTX, which every "
            "GPU's driver compiles",
            major, minor);
    (void)snprintf(target, 2 * (size_t)EB_JIT_ARCHITECTURE, "%s%s", asked->sass || !known ? "" : "compute_",
                   asked->sass || !known ? chip : chip + 3);
    return EB_OK;
}

eb_code eb_kernel_code(const eb_code_asked *asked, eb_report *report, eb_job *job, eb_status *status)
{
    const eb_jit_kernel kernel = {.source = asked->file, .name = asked->name};
    char target[2 * EB_JIT_ARCHITECTURE];
    char *sass = NULL;
    eb_jit_code code;
    EB_TRY(find_target(asked, target, status));
    eb_code failed = EB_OK;
    eb_job_phase(job, "compiling the kernel", 0);
    EB_TRY(eb_jit_compile_lines(&kernel, target, &code, status));
    if (asked->sass)
        failed = eb_disassemble(code.bytes, code.size, &sass, job, status);
    if (!failed)
        failed = eb_kernel_code_show(asked, target, sass ? sass : (const char *)code.bytes, report, status);
    free(sass);
    eb_jit_code_free(&code);
    return failed;
}
