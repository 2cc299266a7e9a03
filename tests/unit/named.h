/* named: fields that the table of fields has not, and keys as scripts type them. */
#pragma once

#include "core/report/fields.h"

#define EB_NAMED(...) (&(const eb_column){__VA_ARGS__})
#define EB_KEY(name) EB_NAMED(.key = name)
