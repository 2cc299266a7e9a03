#include "shell/lab/machine_report.h"

#include "core/model/power.h"

eb_value eb_source_of(const eb_machine *machine, eb_machine_limit limit)
{
    const char *name = eb_source_name(machine->source[limit]);
    return name ? eb_text(name) : eb_na();
}

/* TFLOPS at the highest clock by that many multiply-adds a clock and SM; n/a for 0. */
static eb_value tera(const eb_machine *m, eb_rate rate, double multiply_adds)
{
    return multiply_adds > 0 ? eb_real(2e-12 * multiply_adds * m->sms * eb_highest_clock(m, rate)) : eb_na();
}

static void report_sources(eb_report *report, const eb_machine *machines, size_t count)
{
    eb_table *table = EB_TABLE(report, EB_F(sources), "Where the limits are from", EB_F(name), EB_F(clock_from),
                               EB_F(dram_from), EB_F(l2_from), EB_F(mma_from), EB_F(wgmma_from), EB_F(power_from));
    for (size_t k = 0; k < count; k++) {
        const eb_machine *m = &machines[k];
        EB_ROW(table, eb_text(m->name), eb_source_of(m, EB_MACHINE_CLOCK), eb_source_of(m, EB_MACHINE_DRAM),
               eb_source_of(m, EB_MACHINE_L2), eb_source_of(m, EB_MACHINE_MMA),
               m->wgmma[EB_RATE_F16] > 0 ? eb_source_of(m, EB_MACHINE_WGMMA) : eb_na(),
               eb_source_of(m, EB_MACHINE_POWER));
    }
}

void eb_report_machines(eb_report *report, const eb_machine *machines, size_t count)
{
    eb_table *table = EB_TABLE(report, EB_F(devices), "GPUs that the model knows", EB_F(name), EB_F(gpu), EB_F(sms),
                               EB_F(clock_hz), EB_F(memory_bytes_s), EB_F(l2_bytes), EB_F(shared_bytes),
                               EB_F(mma_tflops), EB_F(wgmma_tflops), EB_F(f64_tflops), EB_F(verified));
    for (size_t k = 0; k < count; k++) {
        const eb_machine *m = &machines[k];
        EB_ROW(table, eb_text(m->name), eb_text(m->title), eb_real(m->sms), eb_real(m->clock_hz),
               eb_real(m->memory_bytes_s), eb_real(m->l2_bytes), eb_real(m->shared_bytes),
               tera(m, EB_RATE_F16, m->mma[EB_RATE_F16]), tera(m, EB_RATE_F16, m->wgmma[EB_RATE_F16]),
               tera(m, EB_RATE_F64, m->mma[EB_RATE_F64]), eb_bool(m->measured > 0));
    }
    report_sources(report, machines, count);
    eb_report_note(report, "verified: the model was checked against counters and times of such a GPU");
    eb_report_note(report, "`model devices on=%s` lists the limits of one GPU, and its rates by number type",
                   machines[0].name);
}

static void report_limits(eb_report *report, const eb_machine *m)
{
    const struct {
        const char *title, *unit;
        double value;
        eb_machine_limit limit;
    } row[] = {{"highest clock", "hertz", m->clock_hz, EB_MACHINE_CLOCK},
               {"while tensor cores multiply", "hertz", eb_highest_clock(m, EB_RATE_F16), EB_MACHINE_CLOCK},
               {"DRAM", "bytes/s", m->memory_bytes_s, EB_MACHINE_DRAM},
               {"L2", "bytes a clock", m->l2_bytes_clock, EB_MACHINE_L2},
               {"power of the board", "watts", m->power.limit_w, EB_MACHINE_POWER},
               {"to or from the host", "bytes/s", m->host_bytes_s, EB_MACHINE_HOST_LINK},
               {"to another GPU of the host", "bytes/s", m->peer_bytes_s, EB_MACHINE_PEER_LINK}};
    eb_table *table =
        EB_TABLE(report, EB_F(limits), "Limits", EB_F(limit_title), EB_F(value), EB_F(unit), EB_F(limit_from));
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++)
        EB_ROW(table, eb_text(row[k].title), row[k].value > 0 ? eb_real(row[k].value) : eb_na(), eb_text(row[k].unit),
               eb_source_of(m, row[k].limit));
}

void eb_report_rates(eb_report *report, const eb_machine *m)
{
    const bool power = m->power.limit_w > 0;
    EB_FIELDS(report, {EB_F(gpu), eb_text(m->title)}, {EB_F(clock_hz), eb_real(m->clock_hz)},
              {EB_F(verified), eb_bool(m->measured > 0)});
    eb_table *table = EB_TABLE(report, EB_F(rates), "Products by number type", EB_F(number_type), EB_F(mma_rate),
                               EB_F(wgmma_rate), EB_F(sustained_tflops));
    for (eb_rate k = 0; k < EB_RATES; k++) {
        const double kept_up = power ? eb_kept_up(m, k) : 0;
        EB_ROW(table, eb_text(eb_rate_title(k)), tera(m, k, m->mma[k]), tera(m, k, m->wgmma[k]),
               kept_up > 0 ? eb_real(1e-12 * kept_up) : eb_na());
    }
    report_limits(report, m);
    eb_report_note(report, "at the highest clock; mma.sync is from: %s%s%s", eb_source_name(m->source[EB_MACHINE_MMA]),
                   m->wgmma[EB_RATE_F16] > 0 ? ", wgmma and tcgen05 from: " : "",
                   m->wgmma[EB_RATE_F16] > 0 ? eb_source_name(m->source[EB_MACHINE_WGMMA]) : "");
    if (power)
        eb_report_note(report, "kept up: by products alone, for long, within the board's power");
    if (m->sheet_bytes_s > m->memory_bytes_s)
        eb_report_note(report, "the data sheet has %.0f GB/s for DRAM; %.0f is a copy's", 1e-9 * m->sheet_bytes_s,
                       1e-9 * m->memory_bytes_s);
}
