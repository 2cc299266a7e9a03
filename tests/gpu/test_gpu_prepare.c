/* Tests that engine tensor's points on a GPU have the CPU's bits: the frame, every operand where it belongs, norms,
 * steps, counts and refusals, for every number type and preparation. Operands are encoded here a second time. Needs a
 * GPU. */
#include "way_checks.h"

#include "kernels/tensor/cpu/distance.h"
#include "tests/gpu/prepare_probe.h"

extern const eb_engine eb_engine_tensor;

enum { PADDING = 3, SLICE_BYTES = 128, MOST_TOLD = 3 };

/* ---- points ---- */

static double gaussian(size_t i, size_t k)
{
    double sum = 0;
    for (size_t t = 0; t < 12; t++)
        sum += (double)uniform(i, k * 12 + t);
    return sum - 6;
}
static double shifted(size_t i, size_t k) { return 5 + (double)(k % 3) + gaussian(i, k); }
static double moved_away(size_t i, size_t k) { return -0.25 + 0.5 * gaussian(i + 1000000, k); }
/* Magnitudes 2^-1070 … 2^100 and zeros; FP32 has subnormals and zeros of the small ones. */
static double wild(size_t i, size_t k)
{
    const uint64_t r = mix(i * 977 + k);
    return r % 7 == 0 ? 0 : (r & 8 ? -1 : 1) * ldexp(1 + (double)uniform(i, k), (int)(r / 16 % 1171) - 1070);
}
static double some_wild(size_t i, size_t k)
{
    const uint64_t r = mix(i * 977 + k);
    return r % 7 == 0 ? 0 : (r & 8 ? -1 : 1) * ldexp(1 + (double)uniform(i, k), (int)(r / 16 % 36) - 30);
}
static double huge(size_t i, size_t k) { return gaussian(i, k) * 0x1p1014; }
static double zero(size_t i, size_t k) { return 0 * (double)(i + k); }
static double bytes(size_t i, size_t k) { return (double)(mix(i * 131 + k) % 218); }
static double quarters(size_t i, size_t k) { return 0.25 * ((double)(mix(i * 131 + k) % 201) - 100); }
static double shorts(size_t i, size_t k) { return (double)(mix(i * 131 + k) % 60001) - 30000; }
static double beyond_half(size_t i, size_t k)
{
    return (i == 203 && k == 5) || (i == 57 && k == 16) ? -70000 : gaussian(i, k);
}

typedef struct some_points {
    const char *name;
    double (*value)(size_t, size_t);
    eb_dtype dtype;
    size_t n, d;
    double (*other)(size_t, size_t); /* values of the right set, of 2n + 7 points; NULL: a self-join */
} some_points;

static const some_points sets[] = {
    {"one dimension", shifted, EB_F32, 33, 1, NULL},
    {"two dimensions", moved_away, EB_F16, 33, 2, shifted},
    {"wild", wild, EB_F64, 33, 17, NULL},
    {"zeros", zero, EB_F32, 33, 3, NULL},
    {"one point", shifted, EB_F64, 1, 64, NULL},
    {"overflow", beyond_half, EB_F32, 300, 17, NULL},
    {"shifted", shifted, EB_F32, 700, 64, NULL},
    {"shifted, FP64", shifted, EB_F64, 33, 129, NULL},
    {"shifted, FP16", shifted, EB_F16, 33, 300, NULL},
    {"two sets", shifted, EB_F32, 150, 129, moved_away},
    {"two sets of bytes", bytes, EB_U8, 40, 128, bytes},
    {"wild, FP32", wild, EB_F32, 700, 3, NULL},
    {"some wild", some_wild, EB_F64, 700, 2, NULL},
    {"huge", huge, EB_F64, 33, 17, NULL},
    {"bytes", bytes, EB_U8, 700, 128, NULL},
    {"quarters", quarters, EB_F32, 33, 64, NULL},
    {"signed bytes", quarters, EB_I8, 33, 17, NULL},
    {"shorts", shorts, EB_I16, 33, 300, NULL},
    {"integers", shorts, EB_I32, 33, 17, NULL},
    {"deep", shifted, EB_F32, 3, 9003, NULL},
};
enum { SETS = sizeof sets / sizeof sets[0], SMALL_SETS = 5 };

/* ---- what differs ---- */

static size_t differences;
static const char *at_set, *at_rung;

static bool tell(void) { return differences++ < MOST_TOLD; }

static void differ(const char *what, size_t row, size_t place, uint64_t expected, uint64_t found)
{
    if (tell())
        print_error("%s, tensor[%s]: %s, row %zu, place %zu: expected 0x%llx, found 0x%llx\n", at_set, at_rung, what,
                    row, place, (unsigned long long)expected, (unsigned long long)found);
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* NaN equals NaN. FP32 numbers are compared as doubles. */
static void compare(const char *what, size_t row, double expected, double found)
{
    if (bits_of(expected) != bits_of(found) && !(isnan(expected) && isnan(found)))
        differ(what, row, 0, bits_of(expected), bits_of(found));
}

/* ---- operands, encoded from the formats' definition ---- */

static uint64_t encoded(double value, int exponent_bits, int fraction_bits)
{
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const uint64_t sign = (uint64_t)(signbit(value) != 0) << (exponent_bits + fraction_bits);
    if (value == 0)
        return sign;
    const int exponent = ilogb(value);
    if (exponent < 1 - bias)
        return sign | (uint64_t)ldexp(fabs(value), fraction_bits + bias - 1);
    const uint64_t field = (uint64_t)(exponent + bias), one = UINT64_C(1) << fraction_bits;
    return sign | field << fraction_bits | ((uint64_t)ldexp(fabs(value), fraction_bits - exponent) - one);
}

static uint64_t operand_of(eb_number number, double value)
{
    switch (number) {
    case EB_F16_NUMBER: return encoded(value, 5, 10);
    case EB_BF16: return encoded(value, 8, 7);
    case EB_TF32: return encoded(value, 8, 23);
    case EB_E4M3_NUMBER: return encoded(value, 4, 3);
    case EB_E5M2_NUMBER: return encoded(value, 5, 2);
    case EB_S8: return (uint8_t)(int8_t)value;
    default: return bits_of(value);
    }
}

/* ---- the CPU's points ---- */

typedef struct reference {
    eb_rung rung;
    eb_frame frame;
    eb_chain chain;
    double debias;
    eb_rounding_row row;
    uint64_t beyond, moved; /* unless points were refused */
    bool refused;
    size_t row_bytes;
    unsigned char *operands[2]; /* [row_bytes] of the row, of its column */
} reference;

static size_t up_to(size_t x, size_t to) { return (x + to - 1) / to * to; }

static size_t products_of(const reference *r)
{
    const size_t d = r->frame.d;
    return eb_rung_is_float(&r->rung)                      ? r->chain.length
           : r->rung.number == EB_S8 && r->rung.parts == 2 ? 2 * up_to(d, SLICE_BYTES) + d
                                                           : d;
}

static void open_reference(reference *r, const eb_problem *problem)
{
    eb_status status = {.message = ""};
    const eb_dataset *right = eb_is_self_join(problem) ? NULL : problem->right;
    if (eb_frame_find(&r->rung, problem->left, right, 2, NULL, &r->frame, &status) ||
        (r->rung.debiased && eb_debias_factor(&r->frame, problem->right, &r->debias, &status)) ||
        eb_rounding_row_make(r->frame.d, &r->row, &status))
        fail_msg("%s", status.message);
    if (eb_rung_is_float(&r->rung))
        r->chain = eb_chain_of(&r->rung.adder, r->rung.promote, r->rung.parts, r->frame.d);
    r->row_bytes = up_to(products_of(r) * eb_number_type_of(r->rung.number)->bytes, SLICE_BYTES);
    for (int side = 0; side < 2; side++)
        r->operands[side] = malloc(r->row_bytes);
    assert_true(r->operands[0] && r->operands[1]);
}

static void close_reference(reference *r)
{
    eb_frame_free(&r->frame);
    free(r->row.y);
    free(r->operands[0]);
    free(r->operands[1]);
}

static void put_operand(reference *r, int side, size_t place, double value)
{
    const size_t size = eb_number_type_of(r->rung.number)->bytes;
    const uint64_t operand = operand_of(r->rung.number, value);
    memcpy(r->operands[side] + place * size, &operand, size);
}

static void put_chain(reference *r, int side)
{
    for (const eb_section *s = r->chain.section; s < r->chain.section + r->chain.sections; s++)
        for (size_t place = s->begin; place < s->begin + s->length; place++) {
            const eb_chain_term term = eb_chain_term_at(&r->chain, s, place);
            const size_t k = r->chain.adder.halved ? place - s->begin : term.dimension; /* stored order */
            if (k < r->frame.d)
                put_operand(r, side, place, r->row.part[term.part[side]][k]);
        }
}

static void put_operands(reference *r, int side)
{
    static const unsigned slices[2][3] = {{0, 0, 1}, {0, 1, 0}};
    const size_t d = r->frame.d, runs = r->rung.number == EB_S8 && r->rung.parts == 2 ? 3 : 1;
    memset(r->operands[side], 0, r->row_bytes);
    if (eb_rung_is_float(&r->rung)) {
        put_chain(r, side);
        return;
    }
    for (size_t run = 0; run < runs; run++)
        for (size_t k = 0; k < d; k++)
            put_operand(r, side, run * up_to(d, SLICE_BYTES) + k,
                        r->rung.number == EB_S8 ? r->row.part[slices[side][run]][k] : r->row.y[k]);
}

/* Makes the point r->row; an error is its refusal. */
static eb_code make_row(reference *r, const eb_dataset *from, size_t row, size_t point, eb_status *status)
{
    eb_frame_apply(&r->frame, from, row, r->row.y);
    eb_round_row(&r->frame, &r->row);
    if (r->row.beyond > 0 && !eb_number_type_of(r->rung.number)->saturates)
        return eb_round_refuse(&r->frame, "tensor", from, point, r->row.y, status);
    r->row.point.debias = -r->debias * r->row.moved2;
    r->beyond += r->row.beyond;
    r->moved += r->row.moved2 > 0;
    return EB_OK;
}

/* ---- comparing ---- */

static void compare_facts(const reference *r, const eb_prepare_facts *facts)
{
    const eb_frame *frame = &r->frame, *found = &facts->frame;
    const bool sizes = r->rung.exponent != EB_EXPONENT_NONE || (r->rung.number == EB_S8 && !r->rung.step_a_point);
    if (found->power != frame->power)
        differ("power", 0, 0, (uint64_t)frame->power, (uint64_t)found->power);
    for (size_t k = 0; frame->centre && k < frame->d; k++)
        compare("centre", k, frame->centre[k], found->centre[k]);
    compare("the centre's length", 0, frame->centre_length, found->centre_length);
    if (sizes) {
        compare("greatest", 0, frame->greatest, found->greatest);
        compare("least", 0, frame->least, found->least);
    }
    compare("unit", 0, eb_rounding_unit(frame), facts->unit);
    compare("debias", 0, r->debias, facts->debias);
    if (facts->row_bytes != r->row_bytes || facts->products != products_of(r))
        differ("bytes of a row", 0, 0, r->row_bytes, facts->row_bytes);
}

static void compare_bytes(const char *what, size_t row, const unsigned char *expected, const unsigned char *found,
                          size_t bytes)
{
    for (size_t k = 0; memcmp(expected, found, bytes) != 0 && k < bytes; k++)
        if (expected[k] != found[k]) {
            differ(what, row, k, expected[k], found[k]);
            return;
        }
}

static void compare_row(reference *r, const eb_prepared_points *found, size_t row)
{
    const double norm = eb_norm_of(&r->rung, r->debias, &r->row, r->frame.d);
    put_operands(r, 0);
    compare_bytes("operands", row, r->operands[0], found->rows + row * r->row_bytes, r->row_bytes);
    put_operands(r, 1);
    if (found->columns)
        compare_bytes("columns", row, r->operands[1], found->columns + row * r->row_bytes, r->row_bytes);
    if (found->norm)
        compare("norm", row, norm, (double)found->norm[row]);
    if (found->square)
        compare("square", row, norm, found->square[row]);
    if (found->step)
        compare("step", row, r->row.step, (double)found->step[row]);
}

static void compare_padding(reference *r, const eb_prepared_points *found, size_t row)
{
    memset(r->operands[0], 0, r->row_bytes);
    compare_bytes("padding", row, r->operands[0], found->rows + row * r->row_bytes, r->row_bytes);
    if (found->columns)
        compare_bytes("columns' padding", row, r->operands[0], found->columns + row * r->row_bytes, r->row_bytes);
    compare("norms' padding", row, 0, found->norm ? (double)found->norm[row] : 0);
    compare("squares' padding", row, 0, found->square ? found->square[row] : 0);
    compare("steps' padding", row, 0, found->step ? (double)found->step[row] : 0);
}

static eb_prepared_points room_for(const reference *r, size_t padded)
{
    const eb_rung *rung = &r->rung;
    const bool one_step = rung->number == EB_S8 && !rung->step_a_point, single = eb_rung_is_float(rung);
    return (eb_prepared_points){.rows = malloc(padded * r->row_bytes),
                                .columns = rung->parts > 1 ? malloc(padded * r->row_bytes) : NULL,
                                .norm = single || rung->step_a_point ? malloc(padded * sizeof(float)) : NULL,
                                .step = rung->step_a_point ? malloc(padded * sizeof(float)) : NULL,
                                .square = one_step ? malloc(padded * sizeof(double)) : NULL};
}

static void free_room(eb_prepared_points *room)
{
    free(room->rows);
    free(room->columns);
    free(room->norm);
    free(room->step);
    free(room->square);
}

/* Loads rows [first, first + count) on the GPU and compares them from row `skipped` on. False: they were refused. */
static bool compare_load(reference *r, eb_prepare_probe *probe, const eb_dataset *from, const uint32_t *number,
                         size_t first, size_t count, size_t skipped)
{
    eb_status expected = {.message = ""}, status = {.message = ""};
    eb_prepared_points found = room_for(r, count + PADDING);
    uint64_t beyond = 0, moved = 0;
    eb_code refused = EB_OK;
    const eb_code failed =
        test_prepare_load(probe, from, number, first, count, count + PADDING, &found, &beyond, &moved, &status);
    for (size_t k = skipped; k < count && !refused; k++) {
        refused = make_row(r, from, first + k, number ? number[first + k] : first + k, &expected);
        if (!refused && !failed)
            compare_row(r, &found, k);
    }
    for (size_t k = count; k < count + PADDING && !refused && !failed; k++)
        compare_padding(r, &found, k);
    if ((refused != failed || strcmp(expected.message, status.message) != 0) && tell())
        print_error("%s, tensor[%s]: expected \"%s\", found \"%s\"\n", at_set, at_rung, expected.message,
                    status.message);
    r->refused |= refused;
    if (!r->refused && skipped == 0 && beyond != r->beyond)
        differ("coordinates beyond", 0, 0, r->beyond, beyond);
    if (!r->refused && skipped == 0 && moved != r->moved)
        differ("points moved", 0, 0, r->moved, moved);
    free_room(&found);
    return !refused;
}

/* Some rows, all rows, the right set, and rows of a set that is not the problem's. */
static void compare_loads(reference *r, eb_prepare_probe *probe, const eb_problem *problem)
{
    const eb_dataset *left = problem->left;
    eb_dataset other = *left;
    uint32_t *number = malloc(left->n * sizeof *number);
    assert_non_null(number);
    for (size_t k = 0; k < left->n; k++)
        number[k] = (uint32_t)(2 * k + 1000);
    other.rows += left->n / 2 * left->stride;
    other.n -= left->n / 2;
    if (compare_load(r, probe, left, NULL, left->n / 3, left->n - left->n / 3, 0) &&
        compare_load(r, probe, left, NULL, 0, left->n, 0) &&
        (eb_is_self_join(problem) || compare_load(r, probe, problem->right, NULL, 0, problem->right->n, 0)))
        (void)compare_load(r, probe, &other, number, 0, other.n, 0);
    else
        (void)compare_load(r, probe, left, number, 0, left->n, 0);
    free(number);
}

static eb_context context_with(eb_figures *figures)
{
    return (eb_context){.device = &gpus[0], .devices = 1, .threads = 2, .figures = figures};
}

static void open_both(reference *r, const eb_problem *problem, const eb_context *context, eb_prepare_probe **probe)
{
    eb_status status = {.message = ""};
    eb_prepare_facts facts;
    open_reference(r, problem);
    if (test_prepare_open(&r->rung, problem, context, probe, &facts, &status))
        fail_msg("%s, tensor[%s]: %s", at_set, at_rung, status.message);
    compare_facts(r, &facts);
}

static void compare_preparation(const eb_rung *rung, const eb_problem *problem)
{
    eb_figures figures = {0};
    const eb_context context = context_with(&figures);
    reference r = {.rung = *rung};
    eb_prepare_probe *probe = NULL;
    open_both(&r, problem, &context, &probe);
    compare_loads(&r, probe, problem);
    test_prepare_close(probe);
    close_reference(&r);
}

/* ---- rungs ---- */

static const char *const preparations[] = {
    "centre=none",
    "centre=mean",
    "exponent=max",
    "exponent=auto",
    "rotate=hadamard",
    "step=point",
    "debias=on",
    "sums=f16,exponent=auto",
    "path=mma,exponent=max",
    "centre=mean,exponent=max,rotate=hadamard,debias=on",
    "centre=mean,rotate=hadamard,step=point,debias=on",
    "sums=f16,path=mma,exponent=max,centre=mean,rotate=hadamard",
};
enum { PREPARATIONS = sizeof preparations / sizeof preparations[0], MOST_PARTS = 3 };

static const char *const types[] = {"f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "f64"};

/* False: the options exclude each other. */
static bool take_rung(const char *type, int parts, size_t preparation, char text[128], eb_rung *out)
{
    eb_options options;
    eb_status status = {.message = ""};
    (void)snprintf(text, 128, "type=%s,parts=%d,%s", type, parts, preparations[preparation]);
    eb_options_default(&eb_engine_tensor.options, &options);
    assert_int_equal(eb_options_take(&options, text, &status), EB_OK);
    return eb_rung_of(&options, out, &status) == EB_OK;
}

static size_t compare_rungs(const char *type, const eb_problem *problem)
{
    size_t taken = 0;
    for (int parts = 1; parts <= MOST_PARTS; parts++)
        for (size_t k = 0; k < PREPARATIONS; k++) {
            char text[128];
            eb_rung rung;
            if (!take_rung(type, parts, k, text, &rung))
                continue;
            at_rung = text;
            for (int norms = 0; norms < (k == 0 && parts == 1 ? 3 : 1); norms++) {
                rung.norms = (eb_fasted_norms)norms;
                compare_preparation(&rung, problem);
            }
            taken++;
        }
    return taken;
}

static void points_have_the_cpus_bits(void **state)
{
    const char *type = *state;
    differences = 0;
    for (size_t k = 0; k < (small ? SMALL_SETS : SETS); k++) {
        const some_points *set = &sets[k];
        eb_dataset left, right;
        unsigned char *mine = make_points(set->value, set->dtype, 0, set->n, set->d, &left), *others = NULL;
        eb_problem problem = eb_self_join(&left);
        if (set->other) {
            others = make_points(set->other, set->dtype, 0, 2 * set->n + 7, set->d, &right);
            problem.right = &right;
        }
        at_set = set->name;
        assert_true(compare_rungs(type, &problem) >= 5);
        free(mine);
        free(others);
    }
    if (differences > 0)
        fail_msg("%zu differences", differences);
}

/* More points than are on the device at once, in several batches. */
static void larger_sets_stream(void **state)
{
    enum { N = 600000, D = 64, LOADED = 140000, COMPARED = 12000 };
    (void)state;
    if (small)
        skip();
    static const char *const of[] = {"f16", "s8", "s8"};
    static const size_t preparation[] = {11, 0, 10};
    eb_dataset ds;
    double *values = malloc(sizeof *values * N * D);
    assert_non_null(values);
    for (size_t k = 0; k < (size_t)N * D; k++)
        values[k] = 3 + (double)(mix(k) >> 11) * 0x1p-53;
    ds = (eb_dataset){.n = N,
                      .d = D,
                      .dtype = EB_F64,
                      .rows = (const unsigned char *)values,
                      .stride = sizeof *values * D};
    const eb_problem problem = eb_self_join(&ds);
    differences = 0;
    at_set = "many";
    for (size_t k = 0; k < 3; k++) {
        char text[128];
        eb_figures figures = {0};
        const eb_context context = context_with(&figures);
        reference r = {.debias = 0};
        eb_prepare_probe *probe = NULL;
        assert_true(take_rung(of[k], 1, preparation[k], text, &r.rung));
        at_rung = text;
        open_both(&r, &problem, &context, &probe);
        (void)compare_load(&r, probe, &ds, NULL, N - LOADED, LOADED, LOADED - COMPARED);
        test_prepare_close(probe);
        close_reference(&r);
    }
    free(values);
    if (differences > 0)
        fail_msg("%zu differences", differences);
}

static void add_all(test_list *list)
{
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++)
        add_test(list, "points_have_the_cpus_bits", types[k], points_have_the_cpus_bits, types[k]);
    ADD_TEST(list, larger_sets_stream);
}

int main(int argc, char **argv) { return run_suite(argc, argv, "gpu_prepare", add_all); }
