/* notes: what the log's lists say that panels know again. */
#ifndef EB_STORE_NOTES_H
#define EB_STORE_NOTES_H

#define EB_NO_RUNS "no runs in the log yet"

#endif
