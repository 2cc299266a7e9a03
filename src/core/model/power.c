#include "core/model/power.h"

#include <math.h>

double eb_highest_clock(const eb_machine *machine, eb_rate rate)
{
    return rate != EB_RATE_F64 && machine->tensor_clock_hz > 0 ? machine->tensor_clock_hz : machine->clock_hz;
}

static double highest_of(const eb_machine *machine, const eb_exertion *load)
{
    return load->cores ? machine->clock_hz : eb_highest_clock(machine, load->rate);
}

static double seconds_at(const eb_exertion *load, double clock_hz)
{
    return fmax(load->clocks / clock_hz, load->dram_s);
}

double eb_power_at(const eb_machine *machine, const eb_exertion *load, double clock_hz)
{
    const eb_power *p = &machine->power;
    const double of_chip = clock_hz / eb_highest_clock(machine, EB_RATE_F16); /* V² */
    const double joules = of_chip * 1e-12 * (p->product_pj[load->rate] * load->flops + p->l2_pj * load->l2_bytes) +
                          1e-12 * p->dram_pj * load->dram_bytes;
    return p->idle_w + of_chip * 1e-9 * p->sm_nj * machine->sms * clock_hz + joules / seconds_at(load, clock_hz);
}

/* What a board may draw on average during the run; `resting` is its share of a rested board's extra power. */
static double may_draw(const eb_power *p, double resting) { return p->limit_w * (1 + p->rested * resting); }

/* The share of a rested board's extra power that a kernel of that time has at the clock; 0 and 1: for long, at first.
 */
typedef enum extra { FOR_LONG, FOR_THE_RUN, AT_FIRST } extra;

static double power_left(const eb_machine *machine, const eb_exertion *load, double clock_hz, extra of)
{
    const double resting = of == FOR_THE_RUN ? exp(-seconds_at(load, clock_hz) / machine->power.rested_s)
                           : of == AT_FIRST  ? 1
                                             : 0;
    return may_draw(&machine->power, resting) - eb_power_at(machine, load, clock_hz);
}

static double highest_within(const eb_machine *machine, const eb_exertion *load, extra of)
{
    enum { HALVINGS = 40 };
    double high = highest_of(machine, load), low = high / 4; /* no board is held below that */
    if (!(machine->power.limit_w > 0) || power_left(machine, load, high, of) >= 0)
        return high;
    for (int k = 0; k < HALVINGS; k++) {
        const double middle = (low + high) / 2;
        *(power_left(machine, load, middle, of) >= 0 ? &low : &high) = middle;
    }
    return low;
}

eb_likely eb_clock_under(const eb_machine *machine, const eb_exertion *load)
{
    return (eb_likely){.low = highest_within(machine, load, FOR_LONG),
                       .likely = highest_within(machine, load, FOR_THE_RUN),
                       .high = highest_within(machine, load, AT_FIRST)};
}

double eb_kept_up(const eb_machine *machine, eb_rate rate)
{
    const double products = machine->wgmma[rate] > 0 ? machine->wgmma[rate] : machine->mma[rate];
    const double flops_clock = 2 * products * machine->sms;
    const eb_exertion load = {.rate = rate, .flops = flops_clock, .clocks = 1};
    return flops_clock * eb_clock_under(machine, &load).low;
}
