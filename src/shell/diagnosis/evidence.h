/* evidence: the metrics of a variant of the ablated kernel (EB_ABLATED) with some switches off: recorded on a GPU, by
 * the machine model, or counted now. */
#pragma once

#include "core/model/predict.h"
#include "shell/diagnosis/counted.h"
#include "shell/session.h"

/* A variant: the switches that are off. */
enum { EB_MOST_OFF = 2 };
typedef struct eb_variant {
    const char *off[EB_MOST_OFF]; /* names; borrowed */
    size_t count;                 /* 0: the full kernel */
} eb_variant;

/* Where evidence comes from. */
typedef struct eb_witness {
    const eb_session *session;
    eb_counted counted;
    eb_machine machine; /* the GPU that recorded, or the session's */
} eb_witness;

/* Free the witness in any case. */
eb_code eb_witness_open(const eb_session *session, eb_witness *out, eb_status *status);
void eb_witness_close(eb_witness *witness);

typedef struct eb_evidence {
    char spec[EB_SPEC_TEXT];
    size_t d;
    bool counted; /* most metrics are a GPU's, else all are the model's */
    eb_metrics metrics;
    eb_kernel_plan plan;
    eb_prediction prediction;
} eb_evidence;

/* The metrics of a variant at n = EB_COUNTED_N and d. recorded: those of the GPU, where it recorded the variant; what
 * it did not count comes from the model, as all does otherwise. */
eb_code eb_evidence_of(const eb_witness *witness, const eb_variant *variant, size_t d, bool recorded, eb_evidence *out,
                       eb_job *job, eb_status *status);

/* Replaces metrics of two variants of the same d by counters of the session's GPU, which runs both. The progress and
 * the log do not name the variants. *counted: false if the GPU's counters cannot be read; then nothing changes. */
eb_code eb_evidence_count(const eb_witness *witness, eb_evidence *one, eb_evidence *other, bool *counted, eb_job *job,
                          eb_status *status);
