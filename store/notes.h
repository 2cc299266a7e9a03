/* notes: what the log's lists say that panels know again. */
#pragma once

#define EB_NO_RUNS "no runs in the log yet"
