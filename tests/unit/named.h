/* named: fields that are missing from the table of fields, and keys as typed in scripts. */
#pragma once

#include "core/report/fields.h"

#define EB_NAMED(...) (&(const eb_column){__VA_ARGS__})
#define EB_KEY(name) EB_NAMED(.key = name)
