#include "kernels/tensor/rung.h"

#include "core/engine/option.h"

enum { PROMOTE_BY_TYPE = -1, PROMOTE_FP8 = 128, PROMOTE_STEP = 32 };

/* The number types in the order of the option `type`. */
static const eb_number numbers[] = {EB_F16_NUMBER,  EB_BF16, EB_TF32,      EB_E4M3_NUMBER,
                                    EB_E5M2_NUMBER, EB_S8,   EB_F64_NUMBER};

static bool is_fp8(eb_number number) { return number == EB_E4M3_NUMBER || number == EB_E5M2_NUMBER; }

static eb_code check_parts(const eb_rung *rung, eb_status *status)
{
    const char *title = eb_number_type_of(rung->number)->title;
    if (rung->parts > 1 && (is_fp8(rung->number) || rung->number == EB_F64_NUMBER))
        return eb_fail(status, EB_USAGE, "coordinates in %s have one part; parts=%u is for f16, bf16, tf32 and s8",
                       title, rung->parts);
    if (rung->parts > 2 && rung->number == EB_S8)
        return eb_fail(status, EB_USAGE, "type=s8 has at most two slices; take parts=2");
    return EB_OK;
}

static eb_code check_preparation(const eb_rung *rung, eb_status *status)
{
    const char *title = eb_number_type_of(rung->number)->title;
    if (rung->number == EB_S8 && rung->exponent != EB_EXPONENT_NONE)
        return eb_fail(status, EB_USAGE, "type=s8 has a step instead of an exponent; leave out exponent=");
    if (rung->number != EB_S8 && rung->step_a_point)
        return eb_fail(status, EB_USAGE, "step=point is for type=s8; %s has exponents of its own", title);
    if (rung->promote % PROMOTE_STEP != 0)
        return eb_fail(status, EB_USAGE, "promote=%u: expected a multiple of %d coordinates, or 0", rung->promote,
                       PROMOTE_STEP);
    return EB_OK;
}

eb_number eb_rung_number(const eb_options *options) { return numbers[eb_option_choice(options, "type")]; }

eb_code eb_rung_of(const eb_options *options, eb_rung *out, eb_status *status)
{
    return eb_rung_on(options, (eb_core)eb_option_choice(options, "core"), out, status);
}

eb_code eb_rung_on(const eb_options *options, eb_core core, eb_rung *out, eb_status *status)
{
    const eb_sums sums = (eb_sums)eb_option_choice(options, "sums");
    const eb_path path = (eb_path)eb_option_choice(options, "path");
    const int32_t promote = eb_option_number(options, "promote");
    *out = (eb_rung){.number = eb_rung_number(options),
                     .parts = (unsigned)eb_option_number(options, "parts"),
                     .centred = eb_option_choice(options, "centre") == 1,
                     .exponent = (eb_exponent)eb_option_choice(options, "exponent"),
                     .step_a_point = eb_option_choice(options, "step") == 1,
                     .rotated = eb_option_choice(options, "rotate") == 1,
                     .debiased = eb_option_choice(options, "debias") == 1};
    const char *title = eb_number_type_of(out->number)->title;
    if (!eb_rung_is_float(out) && (sums != EB_SUMS_F32 || promote > 0))
        return eb_fail(status, EB_USAGE, "%s has sums of its own type; leave out %s", title,
                       sums != EB_SUMS_F32 ? "sums=" : "promote=");
    if (eb_rung_is_float(out))
        EB_TRY(eb_adder_of(out->number, sums, path, core, &out->adder, status));
    if (eb_rung_is_float(out) && promote != PROMOTE_BY_TYPE)
        out->promote = (unsigned)promote;
    else if (is_fp8(out->number) && !(out->adder.halved && sums == EB_SUMS_F32))
        out->promote = PROMOTE_FP8;
    EB_TRY(check_parts(out, status));
    return check_preparation(out, status);
}
