#include "core/model/banks.h"

enum { WORD = 4, EXAMPLES = 64 };

/* Number of different words of a phase that are in `bank`. */
static unsigned words_in(unsigned bank, const uint32_t *word, unsigned words)
{
    unsigned different = 0;
    for (unsigned k = 0; k < words; k++) {
        bool seen = word[k] % EB_BANKS != bank;
        for (unsigned before = 0; before < k && !seen; before++)
            seen = word[before] == word[k];
        different += !seen;
    }
    return different;
}

void eb_bank_words(const uint32_t *address, unsigned lanes, unsigned bytes, unsigned words[EB_BANKS])
{
    uint32_t word[EB_BANKS];
    const unsigned each = bytes < WORD ? 1 : bytes / WORD;
    for (unsigned lane = 0; lane < lanes; lane++)
        for (unsigned k = 0; k < each; k++)
            word[lane * each + k] = address[lane] / WORD + k;
    for (unsigned bank = 0; bank < EB_BANKS; bank++)
        words[bank] = words_in(bank, word, lanes * each);
}

static unsigned wavefronts_of(const uint32_t *address, unsigned lanes, unsigned bytes)
{
    unsigned words[EB_BANKS], most = 1;
    eb_bank_words(address, lanes, bytes, words);
    for (unsigned bank = 0; bank < EB_BANKS; bank++)
        most = words[bank] > most ? words[bank] : most;
    return most;
}

eb_bank_use eb_bank_use_of(const uint32_t *address, unsigned lanes, unsigned bytes)
{
    eb_bank_use use = {0};
    const unsigned together = eb_phase_lanes(bytes);
    for (unsigned first = 0; first < lanes; first += together) {
        const unsigned here = lanes - first < together ? lanes - first : together;
        const unsigned wavefronts = wavefronts_of(address + first, here, bytes);
        use.phases++;
        use.wavefronts += wavefronts;
        use.conflicts += wavefronts - 1;
        use.worst = wavefronts > use.worst ? wavefronts : use.worst;
    }
    return use;
}

static void add(eb_bank_use *sum, eb_bank_use more)
{
    sum->phases += more.phases;
    sum->wavefronts += more.wavefronts;
    sum->conflicts += more.conflicts;
    sum->worst = more.worst > sum->worst ? more.worst : sum->worst;
}

eb_bank_use eb_access_use(const eb_kernel_plan *plan, const eb_shared_access *access)
{
    eb_bank_use sum = {0};
    const size_t seen = access->mean > 0 && access->instances > EXAMPLES ? EXAMPLES : access->instances;
    for (size_t k = 0; k < seen; k++) {
        uint32_t address[EB_WARP] = {0};
        access->addresses(plan, k, address);
        add(&sum, eb_bank_use_of(address, access->lanes, access->bytes));
    }
    if (access->mean > 0) {
        sum.phases = access->instances;
        sum.wavefronts = (uint64_t)((double)access->instances * access->mean + 0.5);
        sum.conflicts = sum.wavefronts - sum.phases;
    }
    return sum;
}

eb_bank_use eb_slice_use(const eb_kernel_plan *plan, eb_which_accesses which)
{
    eb_bank_use sum = {0};
    for (size_t k = 0; k < plan->accesses; k++) {
        const eb_shared_access *access = &plan->access[k];
        if (which == EB_ALL_ACCESSES || (which == EB_COUNTED_ACCESSES && access->counted) || access->matrix)
            add(&sum, eb_access_use(plan, access));
    }
    return sum;
}

unsigned eb_asks_a_byte(const eb_kernel_plan *plan)
{
    enum { LINE = 128 };
    for (size_t k = 0; k < plan->accesses; k++) {
        const eb_shared_access *copy = &plan->access[k];
        uint32_t address[EB_WARP], least = UINT32_MAX, most = 0;
        if (copy->loads || copy->counted)
            continue;
        copy->addresses(plan, 0, address);
        for (unsigned lane = 0; lane < LINE / copy->bytes; lane++) {
            least = address[lane] < least ? address[lane] : least;
            most = address[lane] > most ? address[lane] : most;
        }
        return most / LINE - least / LINE + 1;
    }
    return 1;
}
