#include "shell/lab/memory_report.h"

#include <math.h>
#include <string.h>

#include "core/report/find.h"

eb_memory eb_memory_unknown(void)
{
    eb_memory m = {.seconds = NAN};
    for (int k = 0; k < EB_LEVELS; k++) {
        m.read[k] = m.written[k] = m.hits[k] = (eb_known){NAN, false};
        m.peak[k] = NAN;
    }
    return m;
}

/* Bytes that the kernel loads from shared memory: all blocks, k-slices and tiles. */
static double loaded_bytes(const eb_kernel_plan *plan, const eb_prediction *p)
{
    double bytes = 0;
    for (size_t k = 0; k < plan->accesses; k++)
        if (plan->access[k].loads)
            bytes += (double)(plan->access[k].instances * plan->access[k].lanes * plan->access[k].bytes);
    return bytes * p->slices * p->tiles * plan->blocks;
}

eb_memory eb_memory_of_model(const eb_kernel_plan *plan, const eb_machine *machine, const eb_prediction *prediction)
{
    eb_memory m = eb_memory_unknown();
    m.to_tensor_cores = plan->warpgroups;
    m.seconds = prediction->kernel_s;
    if (plan->accesses > 0)
        m.read[EB_SHARED].value = loaded_bytes(plan, prediction);
    m.read[EB_L1].value = m.read[EB_L2].value = prediction->cache.l2_bytes;
    m.read[EB_DRAM].value = prediction->cache.dram_bytes;
    m.hits[EB_L2].value = prediction->cache.hit_rate;
    m.peak[EB_SHARED] = m.peak[EB_L1] = eb_shared_bytes_s(machine, prediction->clock_hz);
    m.peak[EB_L2] = machine->l2_bytes_clock * prediction->clock_hz;
    m.peak[EB_DRAM] = machine->memory_bytes_s;
    return m;
}

static double counted_value(const eb_table *counters, const char *metric)
{
    for (size_t r = 0; r < counters->rows; r++)
        if (strcmp(eb_text_at(counters, r, EB_F(metric)), metric) == 0)
            return eb_number_at(counters, r, EB_F(value));
    return NAN;
}

static bool take(eb_known *known, const eb_table *counters, const char *metric)
{
    const double value = counted_value(counters, metric);
    if (!isnan(value))
        *known = (eb_known){value, true};
    return !isnan(value);
}

size_t eb_memory_take_counters(eb_memory *memory, const eb_table *counters)
{
    if (!counters)
        return 0;
    (void)take(&memory->written[EB_L2], counters, "l1_to_l2_bytes");
    (void)take(&memory->written[EB_DRAM], counters, "l2_to_dram_bytes");
    (void)take(&memory->hits[EB_L1], counters, "l1_hit_rate");
    (void)take(&memory->hits[EB_L2], counters, "l2_hit_rate");
    return (size_t)take(&memory->read[EB_L2], counters, "l2_to_l1_bytes") +
           take(&memory->read[EB_DRAM], counters, "dram_to_l2_bytes");
}

static eb_value source_of(eb_known known)
{
    return isnan(known.value) ? eb_na() : eb_text(known.counted ? "counted" : "model");
}

void eb_report_memory(eb_report *report, const char *title, const eb_memory *m)
{
    static const char *const key[EB_LEVELS] = {"registers", "shared", "l1", "l2", "dram"};
    const char *const name[EB_LEVELS] = {m->to_tensor_cores ? "tensor cores" : "registers", "shared", "L1", "L2",
                                         "DRAM"};
    bool known = false;
    for (int k = 0; k < EB_LEVELS; k++)
        known = known || !isnan(m->read[k].value);
    if (!known)
        return;
    eb_table *table = EB_TABLE(report, EB_F(memory), title, EB_HIDDEN(level), EB_HIDDEN(title), EB_HIDDEN(bytes),
                               EB_F(bytes_s), EB_F(peak_bytes_s), EB_HIDDEN(source), EB_F(written_bytes),
                               EB_F(written_bytes_s), EB_F(written_source), EB_HIDDEN(hit_rate), EB_F(hit_source));
    for (int k = 0; k < EB_LEVELS; k++)
        EB_ROW(table, eb_text(key[k]), eb_text(name[k]), eb_real(m->read[k].value),
               eb_real(m->read[k].value / m->seconds), eb_real(m->peak[k]), source_of(m->read[k]),
               eb_real(m->written[k].value), eb_real(m->written[k].value / m->seconds), source_of(m->written[k]),
               eb_real(m->hits[k].value), source_of(m->hits[k]));
    eb_table_draw(table, EB_AS_MEMORY);
}
