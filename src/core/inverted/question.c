#include "core/inverted/question.h"

const char *eb_table_format_name(eb_table_format format)
{
    static const char *const names[EB_TABLE_FORMATS] =
        {[EB_TABLE_F32] = "f32",   [EB_TABLE_F16] = "f16",   [EB_TABLE_E5M3] = "e5m3", [EB_TABLE_E4M4] = "e4m4",
         [EB_TABLE_E4M3] = "e4m3", [EB_TABLE_E5M2] = "e5m2", [EB_TABLE_U8] = "u8"};
    return names[format];
}

size_t eb_table_entry_bytes(eb_table_format format)
{
    return format == EB_TABLE_F32 ? sizeof(float) : format == EB_TABLE_F16 ? sizeof(uint16_t) : 1;
}

const char *eb_table_layout_name(eb_table_layout layout)
{
    static const char *const names[EB_TABLE_LAYOUTS] =
        {[EB_LAYOUT_USUAL] = "usual", [EB_LAYOUT_PLAIN] = "plain", [EB_LAYOUT_PACKED] = "packed"};
    return names[layout];
}

/* A product decodes packed entries; it needs the largest exponent free. */
eb_code eb_inverted_check_packed(const eb_inverted_question *q, eb_status *status)
{
    if (eb_table_entry_bytes(q->lut) == sizeof(float))
        return eb_fail(status, EB_USAGE, "layout=packed puts several entries into 32 bits; an entry of lut=%s has 32",
                       eb_table_format_name(q->lut));
    if (q->f16_sums)
        return eb_fail(status, EB_USAGE, "layout=packed has FP32 sums; accumulate=f16 goes with layout=plain");
    if (q->lut != EB_TABLE_U8 && !(q->scale > 0 && q->scale <= EB_PACKED_SCALE))
        return eb_fail(status, EB_USAGE, "scale = %g; layout=packed expects one above 0 and up to %g", q->scale,
                       EB_PACKED_SCALE);
    return EB_OK;
}

eb_code eb_inverted_check_question(const eb_inverted_question *q, size_t nlist, eb_device_kind on, eb_status *status)
{
    if (q->k < 1)
        return eb_fail(status, EB_USAGE, "k = 0: there has to be one neighbour to find");
    if (q->refine > 0 && q->refine < q->k)
        return eb_fail(status, EB_USAGE, "refine = %zu; expected 0, or k = %zu or more", q->refine, q->k);
    if (q->nprobe < 1 || q->nprobe > nlist)
        return eb_fail(status, EB_USAGE, "nprobe = %zu; expected 1 to %zu, the number of lists", q->nprobe, nlist);
    if (q->lut == EB_TABLE_U8 && q->f16_sums)
        return eb_fail(status, EB_USAGE, "accumulate=f16 adds floats; u8 tables are added as integers");
    if (!(q->scale >= 0 && q->scale <= 1e30))
        return eb_fail(status, EB_USAGE, "scale = %g; expected 0 to 1e30", q->scale);
    if (on == EB_DEVICE_CPU && (q->layout != EB_LAYOUT_USUAL || q->pad))
        return eb_fail(status, EB_NO_DEVICE,
                       "layout and pad apply to tables in a GPU's shared memory; the device is a CPU");
    return q->layout == EB_LAYOUT_PACKED ? eb_inverted_check_packed(q, status) : EB_OK;
}

uint64_t eb_inverted_gpu_bytes(uint64_t places, size_t d, const eb_inverted_shape *shape)
{
    const uint64_t codes = (shape->m + EB_CODES_AT_ONCE - 1) / EB_CODES_AT_ONCE * EB_CODES_AT_ONCE,
                   found = places > EB_LEAST_FOUND ? places : EB_LEAST_FOUND;
    return places * (codes + sizeof(uint32_t)) + found * sizeof(uint64_t) +
           (shape->nlist + EB_BOOK_ENTRIES) * d * sizeof(float);
}
