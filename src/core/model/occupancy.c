#include "core/model/occupancy.h"

static unsigned up_to(unsigned x, unsigned step) { return (x + step - 1) / step * step; }

static unsigned times(double room, double each) { return each > 0 ? (unsigned)(room / each) : 0; }

eb_occupancy eb_occupancy_of(const eb_kernel_plan *plan, const eb_machine *machine)
{
    const unsigned warps = plan->threads / EB_WARP;
    const unsigned shared = up_to(plan->shared_bytes + (unsigned)machine->reserved_bytes, 128);
    eb_occupancy of = {
        .by_registers = plan->registers
                            ? times(machine->registers, (double)up_to(plan->registers * EB_WARP, 256) * warps)
                            : times(machine->blocks, 1),
        .by_shared = plan->shared_bytes > machine->block_shared_bytes ? 0 : times(machine->shared_bytes, shared),
        .by_threads = times(machine->threads, plan->threads),
        .by_blocks = (unsigned)machine->blocks,
    };
    const struct {
        unsigned blocks;
        const char *what;
    } bound[] = {{of.by_shared, "shared memory"},
                 {of.by_registers, "registers"},
                 {of.by_threads, "threads"},
                 {of.by_blocks, "blocks"},
                 {plan->most_resident ? plan->most_resident : of.by_blocks, "the kernel's own bound"}};
    of.blocks = bound[0].blocks;
    of.limit = bound[0].what;
    for (size_t k = 1; k < sizeof bound / sizeof bound[0]; k++)
        if (bound[k].blocks < of.blocks) {
            of.blocks = bound[k].blocks;
            of.limit = bound[k].what;
        }
    of.workers = (unsigned)machine->sms * of.blocks / plan->blocks;
    of.share = of.blocks * warps / (machine->threads / EB_WARP);
    return of;
}
