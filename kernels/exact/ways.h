/* ways: those that there are on each kind of device, and what one costs before it is opened where nobody else says. */
#ifndef EB_KERNELS_EXACT_WAYS_H
#define EB_KERNELS_EXACT_WAYS_H

#include "core/engine/way.h"

#define EB_WAYS "auto|boxes|integers|fp16|int8|ref64"
#define EB_MOST_WAYS 6u

/* NULL beyond the last. The last one suits all points. */
const eb_way *eb_way_at(eb_device_kind kind, size_t index);

#endif
