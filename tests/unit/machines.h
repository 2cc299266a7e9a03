/* machines: the GPUs that the machine model knows, for tests of the model; `begin` and `end` are a group's set-up and
 * tear-down. */
#pragma once

#include "core/engine/spec.h"
#include "core/model/predict.h"
#include "tests/unit/test.h"

static eb_machine *machines;
static size_t machine_count;

static int begin(void **state)
{
    (void)state;
    eb_status status;
    return eb_machines(NULL, &machines, &machine_count, &status) != EB_OK;
}

static int end(void **state)
{
    (void)state;
    free(machines);
    return 0;
}
