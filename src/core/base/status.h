/* status: error codes and error messages as return values.
 *
 * A function that can fail returns an eb_code (0 is success). On failure it also writes one sentence to the caller's
 * eb_status that a person can act on: what failed, where (file, offset, row), what was expected, what was found. On
 * success the status is not written. Nothing below src/main.c prints or exits.
 */
#pragma once

typedef enum eb_code {
    EB_OK = 0,
    EB_USAGE,       /* the command was typed wrongly */
    EB_BAD_FORMAT,  /* a file's bytes contradict its format */
    EB_BAD_VALUE,   /* NaN, Inf, FP16 overflow: a value that no engine accepts */
    EB_IO,          /* the operating system refused: open, read, write, full disk */
    EB_EXISTS,      /* a file exists already and may not be replaced */
    EB_NO_MEMORY,   /* an allocation failed or would exceed the memory limit */
    EB_TOO_LARGE,   /* a size beyond what the program or a format can hold */
    EB_NO_DATASET,  /* a command needs a dataset and none is loaded */
    EB_NO_DEVICE,   /* this machine lacks the device: exit status 3 */
    EB_NO_ENGINE,   /* no such engine, or it cannot run on this device: exit status 3 */
    EB_UNREACHABLE, /* no ε gives the wanted selectivity */
    EB_NOT_FOUND,   /* no such run, session, comparison */
    EB_CANCELLED,   /* the person interrupted the work: exit status 130 */
    EB_CHANGED,     /* the dataset's file changed after it was loaded */
    EB_LOG,         /* the session log cannot be used: foreign, newer, read-only, full */
    EB_INTERNAL,    /* a promise inside the program was broken */
} eb_code;

typedef struct eb_status {
    eb_code code;
    char message[768];
} eb_status;

/* The code's name as scripts see it in JSON: "bad-format", "no-device", … Never NULL. */
const char *eb_code_name(eb_code code);

/* Writes code and the formatted sentence to *status (may be NULL) and evaluates to code: `return eb_fail(status, …);`.
 * status->message may be an argument, to put words before it. A macro shows analysers that the value is never EB_OK. */
#define eb_fail(status, code, ...) (eb_status_set((status), (code), __VA_ARGS__), (eb_code)(code))

/* "out of memory: WHAT needs N bytes" */
#define eb_fail_memory(status, what, bytes) (eb_status_set_memory((status), (what), (bytes)), (eb_code)EB_NO_MEMORY)

/* Returns from the function with the code of a call that failed, where nothing has to be undone. Where something has,
 * functions keep the code in `failed`. */
#define EB_TRY(call)                                                                                                   \
    do {                                                                                                               \
        const eb_code eb_try_code = (call);                                                                            \
        if (eb_try_code != EB_OK)                                                                                      \
            return eb_try_code;                                                                                        \
    } while (0)

void eb_status_set(eb_status *status, eb_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));
void eb_status_set_memory(eb_status *status, const char *what, unsigned long long bytes);
