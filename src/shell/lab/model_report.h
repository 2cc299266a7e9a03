/* model_report: reports what the machine model predicts for a kernel, as tables and pictures beside measurements. */
#pragma once

#include "core/model/predict.h"
#include "core/report/report.h"
#include "store/store.h"

typedef struct eb_modelled {
    const char *spec;
    const eb_machine *machine;
    eb_kernel_plan plan;
    eb_prediction prediction;
    bool candidates_given; /* by the person, not by the plan */
    eb_measured measured;  /* run 0: no measurement */
    const char *published; /* why a paper's rates for it are others; NULL: none are published */
} eb_modelled;

/* Pictures come before tables. */
typedef enum eb_model_parts { EB_MODEL_PICTURES = 1, EB_MODEL_TABLES = 2, EB_MODEL_ALL = 3 } eb_model_parts;
void eb_report_model(eb_report *report, const eb_modelled *of, eb_model_parts parts);
/* The modelled GPU of that name. NULL: the session's GPU if the model knows it, else the first GPU that the model was
 * checked against. EB_NO_DEVICE for an unknown name. */
struct eb_session;
eb_code eb_model_machine(const struct eb_session *session, const char *name, const eb_machine *machines, size_t count,
                         const eb_machine **out, eb_status *status);
/* The same among the user's GPUs and those of the table. */
eb_code eb_model_gpu(const struct eb_session *session, const char *name, eb_machine *out, eb_status *status);
