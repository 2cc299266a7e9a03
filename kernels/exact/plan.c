/* plan: describes the kernel of the way that exact's option `way` names to the machine model (core/model/kernel.h), and
 * says which way is assumed where the option leaves it to the points. */
#include <string.h>

#include "core/model/kernel.h"
#include "kernels/exact/choose.h"

typedef eb_code plan_of_way(const eb_options *, size_t, size_t, const eb_machine *, eb_kernel_plan *, eb_status *);

plan_of_way eb_exact_plan, eb_boxes_plan, eb_integers_plan, eb_certified_plan, eb_quantised_plan, eb_ref64_plan;

const char *eb_exact_assume(eb_options *, eb_dtype);

eb_code eb_exact_plan(const eb_options *options, size_t n, size_t d, const eb_machine *machine, eb_kernel_plan *out,
                      eb_status *status)
{
    static const struct {
        const char *way;
        plan_of_way *plan;
    } plans[] = {{"boxes", eb_boxes_plan},
                 {"integers", eb_integers_plan},
                 {"fp16", eb_certified_plan},
                 {"int8", eb_quantised_plan},
                 {"ref64", eb_ref64_plan}};
    char wanted[16] = "";
    (void)eb_choice_at(EB_WAYS, eb_option_choice(options, "way"), wanted, sizeof wanted);
    for (size_t k = 0; k < sizeof plans / sizeof plans[0]; k++)
        if (strcmp(wanted, plans[k].way) == 0)
            return plans[k].plan(options, n, d, machine, out, status);
    return eb_fail(status, EB_NO_ENGINE,
                   "exact chooses its way by the points; name one for the model, as in exact[way=fp16]: boxes, "
                   "integers, fp16, int8 or ref64");
}

const char *eb_exact_assume(eb_options *options, eb_dtype dtype)
{
    const bool bytes = dtype == EB_U8 || dtype == EB_I8;
    char wanted[16] = "";
    (void)eb_choice_at(EB_WAYS, eb_option_choice(options, "way"), wanted, sizeof wanted);
    if (strcmp(wanted, "auto") != 0 || eb_options_take(options, bytes ? "way=integers" : "way=fp16", NULL))
        return NULL;
    return bytes ? "integers are multiplied, the way for whole numbers that fit a byte"
                 : "FP16 rules pairs out and FP64 decides the rest. Points in few dimensions, and clusters, take a "
                   "fraction of that";
}
