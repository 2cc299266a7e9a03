#include "shell/code/assembly.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- kinds ---- */

/* An instruction is of the first kind that has a beginning of its name, in this order. */
typedef struct kind_names {
    eb_instruction_kind kind;
    const char *sass, *ptx;         /* beginnings, a blank after each */
    const char *sass_say, *ptx_say; /* for people */
} kind_names;

static const kind_names kinds[] = {
    {EB_ON_TENSOR_CORES, "HMMA HGMMA IMMA IGMMA DMMA QMMA QGMMA OMMA BMMA UTCHMMA UTCQMMA ",
     "mma. wgmma.mma_async tcgen05.mma ", "HMMA, HGMMA", "mma.sync, wgmma"},
    {EB_FRAGMENT_LOAD, "LDSM ", "ldmatrix ", "LDSM", "ldmatrix"},
    {EB_COPY_WAIT, "LDGDEPBAR DEPBAR ARRIVES SYNCS WARPGROUP FENCE ",
     "cp.async.wait cp.async.commit cp.async.mbarrier cp.async.bulk.wait cp.async.bulk.commit mbarrier. wgmma. fence. ",
     "DEPBAR, SYNCS", "cp.async.wait_group, mbarrier"},
    {EB_COPY_TO_SHARED, "LDGSTS UTMALDG UBLKCP ", "cp.async ", "LDGSTS, UTMALDG", "cp.async"},
    {EB_BARRIER, "BAR B2B UCGABAR ", "bar. barrier. ", "BAR", "bar.sync"},
    {EB_SHARED_LOAD, "LDS ", "ld.shared ld.volatile.shared ", "LDS", "ld.shared"},
    {EB_SHARED_STORE, "STS ATOMS ", "st.shared st.volatile.shared atom.shared red.shared ", "STS", "st.shared"},
    {EB_LOCAL_MEMORY, "STL LDL ", "ld.local st.local ", "STL, LDL", "ld.local, st.local"},
    {EB_GLOBAL_LOAD, "LDG LD ", "ld.global ld.volatile.global ", "LDG", "ld.global"},
    {EB_GLOBAL_STORE, "STG ST RED REDG ATOM ATOMG ", "st.global red. atom. ", "STG, RED, ATOM", "st.global, red, atom"},
    {EB_FLOATING, "FFMA FADD FMUL FSETP FSET FMNMX FSEL HFMA2 HADD2 HMUL2 HSETP2 DFMA DADD DMUL DSETP MUFU ", "",
     "FFMA, FADD", "fma, add.f32"},
    {EB_BRANCH, "BRA BRX JMP EXIT RET CALL BSSY BSYNC BREAK WARPSYNC NANOSLEEP ", "bra brx ret exit call ", "BRA, EXIT",
     "bra, ret"},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

const char *eb_instruction_names(eb_instruction_kind kind, bool sass)
{
    for (size_t k = 0; k < KINDS; k++)
        if (kinds[k].kind == kind)
            return sass ? kinds[k].sass_say : kinds[k].ptx_say;
    return "";
}

/* The instruction behind its predicate, "@P0 ". */
static const char *after_predicate(const char *text)
{
    if (text[0] == '@') {
        text += strcspn(text, " ");
        text += strspn(text, " ");
    }
    return text;
}

/* True if the name begins with one of the words. A word of SASS ends where the name's first part does. */
static bool begins_with(const char *name, const char *words, bool sass)
{
    for (const char *at = words; *at; at += strcspn(at, " ") + 1) {
        const size_t length = strcspn(at, " ");
        if (strncmp(name, at, length) == 0 && (!sass || !isalnum((unsigned char)name[length])))
            return true;
    }
    return false;
}

/* PTX names the type last: "fma.rn.f32". */
static bool is_floating_ptx(const char *name)
{
    const size_t length = strcspn(name, " ");
    for (const char *at = name; (at = memchr(at, '.', (size_t)(name + length - at))); at++)
        if ((at[1] == 'f' || strncmp(at + 1, "bf", 2) == 0) && isdigit((unsigned char)at[at[1] == 'f' ? 2 : 3]))
            return strncmp(name, "mov", 3) != 0 && strncmp(name, "ld", 2) != 0;
    return false;
}

static eb_instruction_kind kind_of(const char *text, bool sass)
{
    const char *name = after_predicate(text);
    if (strncmp(text, "@!PT ", 5) == 0) /* never runs: a gap that the assembler wants */
        return EB_REST;
    for (size_t k = 0; k < KINDS; k++)
        if (begins_with(name, sass ? kinds[k].sass : kinds[k].ptx, sass))
            return kinds[k].kind;
    return !sass && is_floating_ptx(name) ? EB_FLOATING : EB_REST;
}

const char *eb_instruction_name(const eb_instruction *instruction, char *buffer, size_t size)
{
    const char *name = after_predicate(instruction->text);
    (void)snprintf(buffer, size, "%.*s", (int)strcspn(name, " "), name);
    return buffer;
}

/* ---- reading ---- */

typedef struct named_place {
    const char *name;
    size_t at; /* index of the instruction after it */
} named_place;

typedef struct reading {
    bool sass;
    eb_assembly *out;
    size_t room;
    named_place *label;
    size_t labels, labels_room;
    size_t file; /* of the instructions to come */
    unsigned line;
    char **ptx_file; /* SASS: NULL. PTX: the paths by their numbers, which come last */
} reading;

static size_t more_room(size_t room) { return room ? 2 * room : 64; }

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    return text;
}

/* Index of a file's path, which is added if it is new; EB_NO_FILE: out of memory. */
static size_t file_of(eb_assembly *a, const char *path)
{
    for (size_t k = 0; k < a->files; k++)
        if (strcmp(a->file[k], path) == 0)
            return k;
    char **grown = realloc(a->file, (a->files + 1) * sizeof *grown);
    char *own = strdup(path);
    if (grown)
        a->file = grown;
    if (!grown || !own) {
        free(own);
        return EB_NO_FILE;
    }
    a->file[a->files] = own;
    return a->files++;
}

static bool add_label(reading *r, const char *name)
{
    if (r->labels == r->labels_room) {
        named_place *grown = realloc(r->label, more_room(r->labels_room) * sizeof *grown);
        if (!grown)
            return false;
        r->label = grown;
        r->labels_room = more_room(r->labels_room);
    }
    r->label[r->labels++] = (named_place){name, r->out->count};
    return true;
}

/* A list of more than four registers, "{%f1, … %f128}", loses its middle: it is longer than a line. */
static void shorten_lists(char *text)
{
    enum { SHORT = 40 };
    for (char *open = strchr(text, '{'); open; open = strchr(open + 1, '{')) {
        char *close = strchr(open, '}'), *last = close;
        char *first = close ? memchr(open, ',', (size_t)(close - open)) : NULL;
        while (last && last > open && *last != ',')
            last--;
        if (!first || close - open <= SHORT)
            continue;
        memcpy(first, ", ..", 4);
        memmove(first + 4, last, strlen(last) + 1);
    }
}

/* One blank for several blanks and tabs. */
static void single_blanks(char *text)
{
    char *to = text;
    for (const char *at = text; *at; at++)
        if (!isspace((unsigned char)*at))
            *to++ = *at;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    *to = '\0';
}

static bool add_instruction(reading *r, char *text, size_t address)
{
    single_blanks(text);
    const char *name = after_predicate(text);
    if (strncmp(name, "NOP", 3) == 0 && !isalnum((unsigned char)name[3]))
        return true;
    if (r->out->count == r->room) {
        eb_instruction *grown = realloc(r->out->instruction, more_room(r->room) * sizeof *grown);
        if (!grown)
            return false;
        r->out->instruction = grown;
        r->room = more_room(r->room);
    }
    shorten_lists(text);
    r->out->instruction[r->out->count] = (eb_instruction){.text = text,
                                                          .kind = kind_of(text, r->sass),
                                                          .file = r->file,
                                                          .line = r->line,
                                                          .back = r->out->count,
                                                          .address = address};
    r->out->count++;
    return true;
}

/* ---- SASS ---- */

/* "//## File "PATH", line 12" */
static void take_place(reading *r, const char *line)
{
    const char *path = strchr(line, '"'), *end = path ? strchr(path + 1, '"') : NULL;
    const char *number = end ? strstr(end, "line ") : NULL;
    if (!number)
        return;
    char *own = strndup(path + 1, (size_t)(end - path - 1));
    r->file = own ? file_of(r->out, own) : EB_NO_FILE;
    r->line = (unsigned)strtoul(number + 5, NULL, 10);
    free(own);
}

/* A label, "NAME:"; or an address in C comments and an instruction that ends with a semicolon. */
static bool take_sass(reading *r, char *line)
{
    char *end;
    line = trim(line);
    if (strncmp(line, "//##", 4) == 0) {
        take_place(r, line);
        return true;
    }
    const size_t length = strlen(line);
    if (line[0] == '.' && length > 0 && line[length - 1] == ':') {
        line[length - 1] = '\0';
        return add_label(r, line);
    }
    if (strncmp(line, "/*", 2) != 0 || !isxdigit((unsigned char)line[2]))
        return true;
    const size_t address = strtoul(line + 2, &end, 16);
    char *stop = strchr(end, ';');
    if (strncmp(end, "*/", 2) != 0 || !stop)
        return true;
    *stop = '\0';
    char *text = trim(end + 2);
    return text[0] == '\0' || add_instruction(r, text, address);
}

/* ---- PTX ---- */

enum { MOST_PTX_FILES = 256 };

/* ".file 1 "PATH"" stands at the end of the text, ".loc 1 12 5" before the instructions of line 12. */
static void take_directive(reading *r, char *text)
{
    char *end;
    if (strncmp(text, ".loc", 4) == 0) {
        const size_t file = strtoul(text + 4, &end, 10);
        r->file = file < MOST_PTX_FILES ? file : EB_NO_FILE;
        r->line = (unsigned)strtoul(end, NULL, 10);
    } else if (strncmp(text, ".file", 5) == 0) {
        const size_t file = strtoul(text + 5, &end, 10);
        char *path = strchr(end, '"'), *stop = path ? strchr(path + 1, '"') : NULL;
        if (file < MOST_PTX_FILES && stop) {
            *stop = '\0';
            r->ptx_file[file] = path + 1;
        }
    }
}

/* Cuts a label, "$L__BB0_2:", off the statement's begin. *label NULL: there is none. */
static char *cut_label(char *text, char **label)
{
    size_t length = 0;
    *label = NULL;
    while (isalnum((unsigned char)text[length]) || (text[length] && strchr("$_%", text[length])))
        length++;
    if (length == 0 || text[length] != ':' || text[length + 1] == ':')
        return text;
    text[length] = '\0';
    *label = text;
    return trim(text + length + 1);
}

static bool take_statement(reading *r, char *text, bool ended)
{
    char *name;
    text = trim(text);
    while (*text == '{' || *text == '}')
        text = trim(text + 1);
    for (text = cut_label(text, &name); name; text = cut_label(text, &name))
        if (!add_label(r, name))
            return false;
    if (*text == '.')
        take_directive(r, text);
    else if (*text && ended && (isalpha((unsigned char)*text) || *text == '@'))
        return add_instruction(r, text, 0);
    return true;
}

/* Statements end with semicolons; a line may hold several. */
static bool take_ptx(reading *r, char *line)
{
    char *comment = strstr(line, "//");
    if (comment)
        *comment = '\0';
    for (char *end; (end = strchr(line, ';')); line = end + 1) {
        *end = '\0';
        if (!take_statement(r, line, true))
            return false;
    }
    return take_statement(r, line, false);
}

/* Replaces the numbers of PTX's files by indices into the list of files that are used. */
static void name_ptx_files(reading *r)
{
    for (size_t k = 0; k < r->out->count; k++) {
        eb_instruction *at = &r->out->instruction[k];
        const char *path = at->file < MOST_PTX_FILES ? r->ptx_file[at->file] : NULL;
        at->file = path ? file_of(r->out, path) : EB_NO_FILE;
    }
}

/* ---- loops ---- */

/* What a branch names: "`(.L_x_1)", "0x530", "$L__BB0_2". */
static void find_goals(reading *r)
{
    for (size_t k = 0; k < r->out->count; k++) {
        eb_instruction *at = &r->out->instruction[k];
        const char *name = after_predicate(at->text), *last = strrchr(name, ' ');
        if (last && (strncmp(name, "BRA", 3) == 0 || strncmp(name, "bra", 3) == 0))
            at->goal = last + 1;
    }
}

static bool is_label(const char *goal, const char *name)
{
    const size_t length = strlen(name);
    goal += strncmp(goal, "`(", 2) == 0 ? 2 : 0;
    return strncmp(goal, name, length) == 0 && (goal[length] == '\0' || goal[length] == ')');
}

/* Of labels with the same name, which inline assembly makes, the nearest one is meant. */
static size_t goal_by_label(const reading *r, size_t branch)
{
    size_t best = SIZE_MAX, nearest = SIZE_MAX;
    for (size_t k = 0; k < r->labels; k++) {
        const size_t at = r->label[k].at, away = at > branch ? at - branch : branch - at;
        if (is_label(r->out->instruction[branch].goal, r->label[k].name) && away < nearest) {
            nearest = away;
            best = at;
        }
    }
    return best;
}

static size_t goal_by_address(const eb_assembly *a, const char *goal)
{
    char *end;
    const size_t address = strtoul(goal, &end, 16);
    for (size_t k = 0; end > goal + 2 && k < a->count; k++)
        if (a->instruction[k].address >= address)
            return k;
    return SIZE_MAX;
}

static void find_branches_back(reading *r)
{
    find_goals(r);
    for (size_t k = 0; k < r->labels; k++)
        if (r->label[k].at < r->out->count)
            r->out->instruction[r->label[k].at].label = r->label[k].name;
    for (size_t k = 0; k < r->out->count; k++) {
        eb_instruction *at = &r->out->instruction[k];
        if (!at->goal)
            continue;
        const bool number = strncmp(at->goal, "0x", 2) == 0;
        const size_t goal = number ? goal_by_address(r->out, at->goal) : goal_by_label(r, k);
        at->back = goal < k ? goal : k;
    }
}

typedef struct range {
    size_t begin, end, products;
} range;

static range loop_at(const eb_assembly *a, size_t branch, eb_instruction_kind products)
{
    range loop = {a->instruction[branch].back, branch + 1, 0};
    for (size_t k = loop.begin; k < loop.end; k++)
        loop.products += a->instruction[k].kind == products;
    return loop;
}

static bool is_within(range inner, range outer)
{
    return inner.begin >= outer.begin && inner.end <= outer.end && inner.end - inner.begin < outer.end - outer.begin;
}

static bool holds_a_loop(const eb_assembly *a, range outer, eb_instruction_kind products)
{
    for (size_t k = outer.begin; k < outer.end; k++)
        if (a->instruction[k].back < k) {
            const range inner = loop_at(a, k, products);
            if (inner.products > 0 && is_within(inner, outer))
                return true;
        }
    return false;
}

/* Products are those of tensor cores, in a kernel that has them. */
static void find_main_loop(eb_assembly *a)
{
    size_t all[EB_INSTRUCTION_KINDS];
    range best = {0, 0, 0};
    eb_assembly_count(a, 0, a->count, all);
    const eb_instruction_kind products = all[EB_ON_TENSOR_CORES] > 0 ? EB_ON_TENSOR_CORES : EB_FLOATING;
    for (size_t k = 0; k < a->count; k++) {
        if (a->instruction[k].back == k)
            continue;
        const range loop = loop_at(a, k, products);
        const bool more = loop.products > best.products,
                   shorter = loop.products == best.products && loop.end - loop.begin < best.end - best.begin;
        if (loop.products > 0 && (more || shorter) && !holds_a_loop(a, loop, products))
            best = loop;
    }
    a->loop_begin = best.begin;
    a->loop_end = best.end;
}

void eb_assembly_count(const eb_assembly *assembly, size_t begin, size_t end, size_t out[EB_INSTRUCTION_KINDS])
{
    memset(out, 0, EB_INSTRUCTION_KINDS * sizeof *out);
    for (size_t k = begin; k < end; k++)
        out[assembly->instruction[k].kind]++;
}

/* ---- the whole ---- */

void eb_assembly_free(eb_assembly *assembly)
{
    for (size_t k = 0; k < assembly->files; k++)
        free(assembly->file[k]);
    free(assembly->file);
    free(assembly->instruction);
    free(assembly->copy);
    *assembly = (eb_assembly){.copy = NULL};
}

static bool read_lines(reading *r)
{
    for (char *line = r->out->copy, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (!(r->sass ? take_sass(r, line) : take_ptx(r, line)))
            return false;
    }
    return true;
}

eb_code eb_assembly_read(const char *text, bool sass, eb_assembly *out, eb_status *status)
{
    char *ptx_file[MOST_PTX_FILES] = {NULL};
    reading r = {.sass = sass, .out = out, .file = EB_NO_FILE, .ptx_file = ptx_file};
    *out = (eb_assembly){.copy = strdup(text)};
    eb_code failed = EB_OK;
    if (!out->copy || !read_lines(&r))
        failed = eb_fail_memory(status, "a kernel's listing", strlen(text));
    else if (out->count == 0)
        failed =
            eb_fail(status, EB_BAD_FORMAT, "expected a listing of %s, found no instruction", sass ? "SASS" : "PTX");
    if (!failed) {
        if (!sass)
            name_ptx_files(&r);
        find_branches_back(&r);
        find_main_loop(out);
    } else {
        eb_assembly_free(out);
    }
    free(r.label);
    return failed;
}
