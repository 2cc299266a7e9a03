/* engines: one line for each engine, in the order in which lists show them. Each engine has a folder in kernels/. */
#define EB_ENGINES(X)                                                                                                  \
    X(fasted)                                                                                                          \
    X(tensor)                                                                                                          \
    X(exact)                                                                                                           \
    X(ref64)                                                                                                           \
    X(ego)                                                                                                             \
    X(hilbert)                                                                                                         \
    X(ivfpq)                                                                                                           \
    X(ted)                                                                                                             \
    X(ted_index)                                                                                                       \
    X(mistic)                                                                                                          \
    X(gds)                                                                                                             \
    X(wmma_ref)                                                                                                        \
    X(wmma)

#include "engines.h"

#define DECLARE(name) extern const eb_engine eb_engine_##name;
EB_ENGINES(DECLARE)

#define ADDRESS(name) &eb_engine_##name,
static const eb_engine *const engines[] = {EB_ENGINES(ADDRESS)};

void eb_register_engines(void) { eb_registry_set(engines, sizeof engines / sizeof engines[0]); }
