/* Tests of `exact` on the GPU: every way and the automatic choice give the exact result bit for bit (hostile_checks.h).
 * Needs a GPU. */
#include "hostile_checks.h"
#include "kernels/exact/choose.h"

static char specs[EB_MOST_WAYS + 1][40];

/* Options within a way. */
static const char *const choices[] = {"exact[way=int8,axes=127]", "exact[way=int8,axes=255]"};

static void add_all(test_list *list)
{
    const eb_way *way = NULL;
    for (size_t k = 0; k == 0 || (way = eb_way_at(EB_DEVICE_CUDA, k - 1)) != NULL; k++) {
        (void)snprintf(specs[k], sizeof specs[k], "exact[way=%s]", way ? way->name : "auto");
        add_test(list, "hostile_points", specs[k], hostile_points_of_all_types, specs[k]);
        add_test(list, "small_cases", specs[k], small_cases_at_random, specs[k]);
    }
    for (size_t k = 0; k < sizeof choices / sizeof choices[0]; k++) {
        add_test(list, "hostile_points", choices[k], hostile_points_of_all_types, choices[k]);
        add_test(list, "small_cases", choices[k], small_cases_at_random, choices[k]);
    }
}

int main(int argc, char **argv) { return run_suite(argc, argv, "exact on the GPU", add_all); }
