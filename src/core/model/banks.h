/* banks: counts bank conflicts in shared memory: 32 banks of 4 bytes; a wavefront reads or writes one word of each
 * bank.
 *
 * A warp's access is served in phases: 8 lanes for ldmatrix and 16-byte pieces, 16 lanes for 8-byte pieces, 32 for
 * 4-byte pieces and less. A phase takes as many wavefronts as the bank with the most different words has words; all but
 * the first are conflicts. Lanes that want the same word share it.
 */
#pragma once

#include "core/model/kernel.h"

typedef struct eb_bank_use {
    uint64_t phases, wavefronts, conflicts; /* conflicts = wavefronts − phases */
    unsigned worst;                         /* wavefronts of the worst phase */
} eb_bank_use;

#define EB_BANKS 32u

/* For each bank, the number of different words that the `lanes` pieces of a phase want. */
void eb_bank_words(const uint32_t *address, unsigned lanes, unsigned bytes, unsigned words[EB_BANKS]);

/* Lanes served together in a phase. */
static inline unsigned eb_phase_lanes(unsigned bytes) { return EB_BANKS * 4 / (bytes < 4 ? 4 : bytes); }

/* Use by one instruction: lanes access pieces of `bytes` at address[lane]. */
eb_bank_use eb_bank_use_of(const uint32_t *address, unsigned lanes, unsigned bytes);

/* Use by all instructions of a block in one slice. */
eb_bank_use eb_access_use(const eb_kernel_plan *plan, const eb_shared_access *access);

/* all accesses; those that the whole kernel's hardware counters see; those by ldmatrix */
typedef enum eb_which_accesses { EB_ALL_ACCESSES, EB_COUNTED_ACCESSES, EB_MATRIX_ACCESSES } eb_which_accesses;
eb_bank_use eb_slice_use(const eb_kernel_plan *plan, eb_which_accesses which);

/* How often L2 is asked for each byte: an asynchronous copy of 128 bytes of a point (neighbouring lanes) that straddles
 * two lines of shared memory makes two requests (counted on an H200: fasted[paper,-alignment]). */
unsigned eb_asks_a_byte(const eb_kernel_plan *plan);
