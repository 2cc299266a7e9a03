/* Tests of a kernel's code: listings of PTX and SASS are read, their main loop is found and their instructions are
 * counted; programs that list SASS are missing, fail or answer nonsense. The listings are in tests/data/code. */

#include <sys/stat.h>
#include <unistd.h>

#include "core/files/text_file.h"
#include "core/report/find.h"
#include "shell/code/assembly.h"
#include "shell/code/disassemble.h"
#include "shell/code/kernel_code.h"
#include "tests/unit/test.h"

static char *text_of(const char *path)
{
    char *text;
    eb_status status = {.message = ""};
    if (eb_text_read(path, "a listing", &text, &status))
        fail_msg("%s", status.message);
    return text;
}

static eb_assembly read_listing(const char *text, bool sass)
{
    eb_assembly a;
    eb_status status = {.message = ""};
    if (eb_assembly_read(text, sass, &a, &status))
        fail_msg("%s", status.message);
    return a;
}

static eb_assembly read_file(const char *path, bool sass)
{
    char *text = text_of(path);
    const eb_assembly a = read_listing(text, sass);
    free(text);
    return a;
}

static size_t counted(const eb_assembly *a, bool loop, eb_instruction_kind kind)
{
    size_t count[EB_INSTRUCTION_KINDS];
    eb_assembly_count(a, loop ? a->loop_begin : 0, loop ? a->loop_end : a->count, count);
    return count[kind];
}

/* ---- reading ---- */

TEST(sass_is_read_with_its_lines_and_its_main_loop)
{
    char name[64];
    eb_assembly a = read_file("tests/data/code/loop.sass", true);
    assert_int_equal(a.count, 19); /* without NOPs */
    assert_string_equal(a.instruction[2].text, "@P0 BRA `(.L_x_1)");
    assert_int_equal(a.instruction[2].back, 2); /* forwards */
    assert_int_equal(a.instruction[5].back, 3);
    assert_int_equal(a.loop_begin, 7);
    assert_int_equal(a.loop_end, 16);
    assert_string_equal(a.instruction[7].label, ".L_x_3");
    assert_string_equal(eb_instruction_name(&a.instruction[12], name, sizeof name), "HMMA.16816.F32");
    assert_int_equal(a.files, 1);
    assert_int_equal(a.instruction[12].line, 47);
    assert_int_equal(counted(&a, true, EB_ON_TENSOR_CORES), 2);
    assert_int_equal(counted(&a, true, EB_FRAGMENT_LOAD), 2);
    assert_int_equal(counted(&a, true, EB_COPY_TO_SHARED), 0);
    assert_int_equal(counted(&a, false, EB_COPY_TO_SHARED), 1);
    assert_int_equal(counted(&a, true, EB_COPY_WAIT), 1);
    assert_int_equal(counted(&a, false, EB_COPY_WAIT), 2);
    assert_int_equal(counted(&a, true, EB_BARRIER), 1);
    assert_int_equal(counted(&a, false, EB_SHARED_LOAD), 0); /* @!PT never runs */
    assert_int_equal(counted(&a, true, EB_LOCAL_MEMORY), 1);
    assert_int_equal(counted(&a, false, EB_FLOATING), 1);
    eb_assembly_free(&a);
}

TEST(branches_to_addresses_make_loops_too)
{
    eb_assembly a = read_listing("        /*0000*/  MOV R1, R2 ;  /* 0x0000000000017a02 */\n"
                                 "                                /* 0x000fe40000000f00 */\n"
                                 "        /*0010*/  FFMA R1, R2, R3, R1 ;  /* 0x00 */\n"
                                 "        /*0020*/  @P0 BRA 0x10 ;  /* 0x00 */\n"
                                 "        /*0030*/  FFMA R1, R2, R3, R1 ;  /* 0x00 */\n",
                                 true);
    assert_int_equal(a.count, 4);
    assert_int_equal(a.loop_begin, 1);
    assert_int_equal(a.loop_end, 3);
    assert_int_equal(a.instruction[1].file, EB_NO_FILE);
    eb_assembly_free(&a);
}

TEST(the_main_loop_is_the_innermost_one_with_products)
{
    eb_assembly a = read_listing(".L_1:\n/*0000*/ HMMA R1 ;\n.L_2:\n/*0010*/ HMMA R1 ;\n/*0020*/ BRA `(.L_2) ;\n"
                                 ".L_3:\n/*0030*/ FADD R1 ;\n/*0040*/ BRA `(.L_3) ;\n/*0050*/ BRA `(.L_1) ;\n",
                                 true);
    assert_int_equal(a.loop_begin, 1);
    assert_int_equal(a.loop_end, 3);
    eb_assembly_free(&a);
}

TEST(ptx_is_read_statement_by_statement)
{
    eb_assembly a = read_file("tests/data/code/loop.ptx", false);
    assert_int_equal(a.count, 15);
    assert_string_equal(a.instruction[0].text, "ld.param.u64 %rd1, [ladder_small_param_0]");
    assert_int_equal(a.instruction[4].back, 3); /* each wait has a loop of its own */
    assert_int_equal(a.instruction[6].back, 5);
    assert_int_equal(a.loop_begin, 2);
    assert_int_equal(a.loop_end, 13);
    assert_string_equal(
        a.instruction[8].text,
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, ..,%f13}, {%r1,%r2}, {%r3}, {%f1,%f2}");
    assert_int_equal(a.files, 2);
    assert_string_equal(a.file[a.instruction[8].file], "/any/kernels/ladder/fasted.cuh");
    assert_int_equal(a.instruction[2].line, 28);
    assert_string_equal(a.file[a.instruction[3].file], "/any/kernels/parts/wgmma.cuh");
    assert_int_equal(counted(&a, true, EB_ON_TENSOR_CORES), 1);
    assert_int_equal(counted(&a, true, EB_COPY_TO_SHARED), 1);
    assert_int_equal(counted(&a, true, EB_COPY_WAIT), 2);
    assert_int_equal(counted(&a, true, EB_BARRIER), 1);
    assert_int_equal(counted(&a, true, EB_FLOATING), 1);
    assert_int_equal(counted(&a, true, EB_BRANCH), 3);
    assert_int_equal(counted(&a, false, EB_GLOBAL_STORE), 1);
    eb_assembly_free(&a);
}

TEST(a_text_without_instructions_is_refused)
{
    static const char *const texts[] = {"",         "\n\n", "nvdisasm fatal: not a cubin", "/*zz*/ HMMA R1 ;",
                                        "/*0000*/", ".L_1:"};
    eb_assembly a;
    eb_status status;
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
        assert_int_equal(eb_assembly_read(texts[k], true, &a, &status), EB_BAD_FORMAT);
    assert_int_equal(eb_assembly_read("// nothing\n.version 9.0\n", false, &a, &status), EB_BAD_FORMAT);
}

TEST(strange_listings_are_read_as_far_as_they_go)
{
    static const char *const texts[] =
        {"/*0000*/ BRA ;\n/*0010*/ BRA `( ;\n/*0020*/ BRA 0x ;\n/*0030*/ BRA 0xffffffffffffffffff ;",
         "//## File \"x\n/*0000*/ HMMA ;\n//## File \"x\" line\n/*0010*/ @P0 ;",
         "/*ffffffffffffffffffff*/ HMMA {a,b ;\n/*0*/ HMMA } ;"};
    static const char *const ptx[] = {".loc\n.loc 99999999999 1\nmma.sync {;\n.file\n.file 5 \"\nbra;",
                                      "a:b:c: bra b; bra a", "@ ;\n@%p bra ;",
                                      ".file 255 \"x\"\n.loc 255 4294967295\nret;"};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        eb_assembly a = read_listing(texts[k], true);
        eb_assembly_free(&a);
    }
    for (size_t k = 0; k < sizeof ptx / sizeof ptx[0]; k++) {
        eb_assembly a = read_listing(ptx[k], false);
        eb_assembly_free(&a);
    }
}

/* ---- the report ---- */

static eb_report *shown(bool sass, bool whole)
{
    char *text = text_of(sass ? "tests/data/code/loop.sass" : "tests/data/code/loop.ptx");
    eb_report *report = eb_report_new("model");
    eb_status status = {.message = ""};
    const eb_code_asked asked = {.title = "ladder_small",
                                 .file = "kernels/ladder/fasted.cuh",
                                 .name = "ladder_small",
                                 .compute = 9,
                                 .sass = sass,
                                 .whole = whole};
    if (eb_kernel_code_show(&asked, "sm_90a", text, report, &status))
        fail_msg("%s", status.message);
    free(text);
    return report;
}

/* The row of the CUDA line whose text contains `part`. */
static const char *made_of(const eb_report *report, const char *part)
{
    const eb_table *cuda = eb_report_find_table(report, EB_F(cuda));
    assert_non_null(cuda);
    for (size_t r = 0; r < cuda->rows; r++)
        if (strstr(eb_text_at(cuda, r, EB_F(text)), part))
            return eb_text_at(cuda, r, EB_F(made));
    fail_msg("no line has %s", part);
    return NULL;
}

TEST(cuda_lines_say_what_they_have_become)
{
    eb_report *report = shown(true, false);
    assert_string_equal(made_of(report, "mma.sync.aligned"), "2 HMMA.16816.F32"); /* line 47 ends the statement */
    assert_string_equal(made_of(report, "ldmatrix.sync"), "2 LDSM.16.M88.4, 1 other");
    assert_string_equal(made_of(report, "__syncthreads"), "1 BAR.SYNC.DEFER_BLOCKING");
    assert_int_equal(eb_report_find_table(report, EB_F(assembly))->rows, 10); /* and a label */
    assert_string_equal(report->conclusion,
                        "The main loop has 9 of 19 instructions: 2 products on tensor cores, 2 loads from "
                        "shared memory, 0 from global; local memory is used");
    eb_report_free(report);
    report = shown(true, true);
    assert_int_equal(eb_report_find_table(report, EB_F(assembly))->rows, 24); /* 19, and labels */
    eb_report_free(report);
    report = shown(false, false);
    assert_string_equal(made_of(report, "mma.sync.aligned"), "1 mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
    eb_report_free(report);
}

/* ---- programs that list SASS ---- */

static char place[] = "/tmp/epsbench-code-XXXXXX";

static void put_program(const char *name, const char *text)
{
    char path[200];
    (void)snprintf(path, sizeof path, "%s/%s", place, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fprintf(file, "#!/bin/sh\n%s\n", text);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
}

static void drop_program(const char *name)
{
    char path[200];
    (void)snprintf(path, sizeof path, "%s/%s", place, name);
    assert_int_equal(unlink(path), 0);
}

static eb_code disassemble(char **sass, eb_status *status)
{
    return eb_disassemble((const unsigned char *)"kernel", 6, sass, NULL, status);
}

TEST(sass_comes_from_programs_in_the_path)
{
    char *sass, path[4200];
    eb_status status = {.message = ""};
    assert_non_null(mkdtemp(place));
    (void)snprintf(path, sizeof path, "%s:%s", place, getenv("PATH"));
    assert_int_equal(setenv("PATH", path, 1), 0);
    put_program("nvdisasm", "test \"$1 $2\" = '-c -g' && printf 'got '; cat \"$3\"");
    assert_int_equal(disassemble(&sass, &status), EB_OK);
    assert_string_equal(sass, "got kernel");
    free(sass);
    put_program("nvdisasm", "echo 'nvdisasm fatal: unknown chip'; exit 1");
    assert_int_equal(disassemble(&sass, &status), EB_IO);
    assert_string_equal(status.message, "nvdisasm cannot list the kernel: nvdisasm fatal: unknown chip");
    assert_null(sass);
    put_program("nvdisasm", "kill -9 $$");
    assert_int_equal(disassemble(&sass, &status), EB_IO);
    drop_program("nvdisasm");
    assert_int_equal(setenv("PATH", place, 1), 0);
    assert_int_equal(setenv("CUDA_HOME", "nowhere", 1), 0);
    assert_int_equal(unsetenv("CUDA_PATH"), 0);
    put_program("cuobjdump", "echo \"$1 $2\"");
    if (access("/usr/local/cuda/bin/nvdisasm", X_OK) != 0) {
        assert_int_equal(disassemble(&sass, &status), EB_OK);
        assert_string_equal(sass, "-sass kernel.cubin\n");
        free(sass);
    }
    drop_program("cuobjdump");
    if (access("/usr/local/cuda/bin/nvdisasm", X_OK) != 0 && access("/usr/local/cuda/bin/cuobjdump", X_OK) != 0) {
        assert_int_equal(disassemble(&sass, &status), EB_NO_ENGINE);
        assert_non_null(strstr(status.message, "nvdisasm, which is missing: install"));
    }
    assert_int_equal(rmdir(place), 0);
}

RUN_TESTS
