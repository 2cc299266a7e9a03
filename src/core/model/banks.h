/* banks: conflicts in shared memory: 32 banks of 4 bytes, of which a wavefront reads or writes each once.
 *
 * A warp's access is served in phases: ldmatrix and 16-byte pieces by 8 lanes, 8-byte pieces by 16, 4-byte pieces
 * by 32. A phase takes as many wavefronts as the bank with the most different words has of them; all but the first are
 * conflicts. Lanes that want the same word share it.
 */
#pragma once

#include "core/model/kernel.h"

typedef struct eb_bank_use {
    uint64_t phases, wavefronts, conflicts; /* conflicts = wavefronts − phases */
    unsigned worst;                         /* wavefronts of the worst phase */
} eb_bank_use;

#define EB_BANKS 32u

/* How many different words the `lanes` pieces of a phase want of each bank. */
void eb_bank_words(const uint32_t *address, unsigned lanes, unsigned bytes, unsigned words[EB_BANKS]);

/* Lanes that are served together. */
static inline unsigned eb_phase_lanes(unsigned bytes) { return EB_BANKS * 4 / bytes; }

/* Of one instruction: lanes name pieces of `bytes` at address[lane]. */
eb_bank_use eb_bank_use_of(const uint32_t *address, unsigned lanes, unsigned bytes);

/* Of all instructions of a block in one slice. */
eb_bank_use eb_access_use(const eb_kernel_plan *plan, const eb_shared_access *access);

/* Of all accesses, of those that the counters of the whole kernel see, of those by ldmatrix. */
typedef enum eb_which_accesses { EB_ALL_ACCESSES, EB_COUNTED_ACCESSES, EB_MATRIX_ACCESSES } eb_which_accesses;
eb_bank_use eb_slice_use(const eb_kernel_plan *plan, eb_which_accesses which);

/* Times that L2 is asked for each byte: an asynchronous copy of 128 bytes of a point (lanes next to each other) that
 * straddles two lines of shared memory is two requests (counted on an H200: fasted[paper,-alignment]). */
unsigned eb_asks_a_byte(const eb_kernel_plan *plan);
