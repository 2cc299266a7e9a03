/* Ranks that share questions on one GPU, as threads of one process: all answers are those of one rank, bit for bit. */
#include "core/ranks/ranks.h"
#include "gpu_points.h"
#include "tests/unit/company.h"

static const char *const specs[] =
    {"fasted", "fasted[paper]", "ref64",  "exact", "exact[way=boxes]",  "exact[way=int8]",
     "wmma",   "ted",           "mistic", "gds",   "tensor[type=e4m3]", "exact[way=integers]"};

static void answers_of_ranks_are_those_of_one(void **state)
{
    const sample *s = &samples[0];
    (void)state;
    company_gpu = &gpus[0];
    eb_dataset ds;
    float *rows = make(s, &ds);
    const eb_problem problem = eb_self_join(&ds);
    for (size_t k = 0; k < sizeof specs / sizeof specs[0]; k++)
        for (unsigned ranks = 2; ranks <= 5; ranks += 3) {
            answers alone, together;
            company c;
            eb_spec spec;
            eb_setup setup;
            eb_status status;
            if (eb_spec_parse(specs[k], NULL, &spec, &status) ||
                eb_setup_make(&spec, gpus[0].name, find_ours, NULL, &setup, &status)) {
                print_message("%s: %s\n", specs[k], status.message);
                continue;
            }
            eb_opened probe;
            if (eb_problem_open(&setup, &problem, NULL, &probe, &status)) {
                print_message("%s: %s\n", specs[k], status.message);
                continue;
            }
            const eb_question question = {.eps = s->eps};
            const eb_share whole = eb_share_whole(&problem);
            uint64_t entries;
            const eb_code refused = eb_ask_count(&probe, &question, &whole, &entries, &status);
            eb_problem_close(&probe);
            if (refused) {
                print_message("%s: %s\n", specs[k], status.message);
                continue;
            }
            ask_problem(specs[k], &problem, s->eps, &alone);
            begin_company(&c, ranks);
            ask_problem(specs[k], &problem, s->eps, &together);
            end_company(&c);
            expect_same(&alone, &together, &problem, specs[k], ranks);
            free_answers(&alone);
            free_answers(&together);
            print_message("%s, %u ranks: same\n", specs[k], ranks);
        }
    free(rows);
}

static void add_all(test_list *list) { ADD_TEST(list, answers_of_ranks_are_those_of_one); }

int main(int argc, char **argv) { return run_suite(argc, argv, "gpu_ranks", add_all); }
