/* Ranks that share questions on one GPU, as threads of one process: all answers are those of one rank, bit for bit. */
#include "core/ranks/ranks.h"
#include "gpu_points.h"
#include "tests/unit/company.h"

static const char *const specs[] =
    {"fasted", "fasted[paper]", "ref64",  "exact", "exact[way=boxes]",  "exact[way=int8]",
     "wmma",   "ted",           "mistic", "gds",   "tensor[type=e4m3]", "exact[way=integers]"};

/* Of engines that give the truth and join two sets. */
static const char *const in_blocks[] = {"ref64", "exact", "exact[way=int8]", "exact[way=fp16]", "exact[way=integers]"};

/* Why the engine does not answer for these points; "": it does. */
static const char *refusal(const char *spec, const eb_problem *problem, double eps)
{
    static eb_status status;
    eb_spec parsed;
    eb_setup setup;
    eb_opened probe;
    const eb_question question = {.eps = eps};
    const eb_share whole = eb_share_whole(problem);
    uint64_t entries;
    if (eb_spec_parse(spec, NULL, &parsed, &status) ||
        eb_setup_make(&parsed, gpus[0].name, find_ours, NULL, &setup, &status) ||
        eb_problem_open(&setup, problem, NULL, &probe, &status))
        return status.message;
    const eb_code refused = eb_ask_count(&probe, &question, &whole, &entries, &status);
    eb_problem_close(&probe);
    return refused ? status.message : "";
}

static void expect_ranks_agree(const char *spec, const eb_problem *problem, double eps, eb_holding holding)
{
    const char *why = refusal(spec, problem, eps);
    if (why[0]) {
        print_message("%s: %s\n", spec, why);
        return;
    }
    for (unsigned ranks = 2; ranks <= 5; ranks += 3) {
        answers alone, together;
        company c;
        ask_problem(spec, problem, eps, &alone);
        begin_company(&c, ranks);
        company_holding = holding;
        ask_problem(spec, problem, eps, &together);
        company_holding = EB_HOLD_AUTO;
        end_company(&c);
        expect_same(&alone, &together, problem, spec, ranks);
        free_answers(&alone);
        free_answers(&together);
        print_message("%s, %u ranks%s: same\n", spec, ranks, holding == EB_HOLD_BLOCKS ? " with blocks" : "");
    }
}

static void answers_of_ranks_are_those_of_one(void **state)
{
    const sample *s = &samples[0];
    (void)state;
    company_gpu = &gpus[0];
    eb_dataset ds;
    float *rows = make(s, &ds);
    const eb_problem problem = eb_self_join(&ds);
    for (size_t k = 0; k < sizeof specs / sizeof specs[0]; k++)
        expect_ranks_agree(specs[k], &problem, s->eps, EB_HOLD_AUTO);
    for (size_t k = 0; k < sizeof in_blocks / sizeof in_blocks[0]; k++)
        expect_ranks_agree(in_blocks[k], &problem, s->eps, EB_HOLD_BLOCKS);
    free(rows);
}

static void add_all(test_list *list) { ADD_TEST(list, answers_of_ranks_are_those_of_one); }

int main(int argc, char **argv) { return run_suite(argc, argv, "gpu_ranks", add_all); }
