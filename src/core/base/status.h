/* status: errors are values.
 *
 * A function that can fail returns an eb_code (0 is success) and, when it fails, leaves in the caller's eb_status one
 * sentence a person can act on: what failed, where (file, offset, row), what was expected, what was found. The status
 * is written only on failure. Nothing below src/main.c prints or exits.
 */
#pragma once

typedef enum eb_code {
    EB_OK = 0,
    EB_USAGE,       /* the command was typed wrongly */
    EB_BAD_FORMAT,  /* a file's bytes contradict its format */
    EB_BAD_VALUE,   /* NaN, Inf, FP16 overflow: a value no engine may be given */
    EB_IO,          /* the operating system refused: open, read, write, full disk */
    EB_EXISTS,      /* a file is there already, and nobody said that it may be replaced */
    EB_NO_MEMORY,   /* an allocation failed or would exceed the memory limit */
    EB_TOO_LARGE,   /* a size beyond what the program or a format can hold */
    EB_NO_DATASET,  /* a command needs a dataset and none is loaded */
    EB_NO_DEVICE,   /* the device is not here: exit status 3 */
    EB_NO_ENGINE,   /* no such engine, or it cannot run on this device: exit status 3 */
    EB_UNREACHABLE, /* no ε gives the wanted selectivity */
    EB_NOT_FOUND,   /* no such run, session, comparison */
    EB_CANCELLED,   /* the person interrupted the work: exit status 130 */
    EB_CHANGED,     /* the dataset's file is no longer what was loaded */
    EB_LOG,         /* the session log refused: foreign, newer, read-only, full */
    EB_INTERNAL,    /* a promise inside the program was broken */
} eb_code;

typedef struct eb_status {
    eb_code code;
    char message[768];
} eb_status;

/* The code's name as scripts see it in JSON: "bad-format", "no-device", … Never NULL. */
const char *eb_code_name(eb_code code);

/* Fills *status (may be NULL) with code and the formatted sentence; its value is code, so `return eb_fail(st, …)` reads
 * well. status->message may be among what is formatted: a sentence gets words in front. A macro, so that readers and
 * analysers see that what it returns is never EB_OK. */
#define eb_fail(status, code, ...) (eb_status_set((status), (code), __VA_ARGS__), (eb_code)(code))

/* "out of memory: WHAT needs N bytes" */
#define eb_fail_memory(status, what, bytes) (eb_status_set_memory((status), (what), (bytes)), (eb_code)EB_NO_MEMORY)

/* The one way on where nothing has to be undone: out of the function with the code of a call that failed. Where
 * something has, the code is kept in `failed`. */
#define EB_TRY(call)                                                                                                   \
    do {                                                                                                               \
        const eb_code eb_try_code = (call);                                                                            \
        if (eb_try_code != EB_OK)                                                                                      \
            return eb_try_code;                                                                                        \
    } while (0)

void eb_status_set(eb_status *status, eb_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));
void eb_status_set_memory(eb_status *status, const char *what, unsigned long long bytes);
