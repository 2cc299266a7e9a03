/* The program of a module's unit tests: runs the named part, the main of tests/unit/NAME.c. EB_PARTS lists them:
 * X(NAME) … A part runs in a process of its own, so that none sees what another left; tests/run starts as many as there
 * are cores. */
#include <stdio.h>
#include <string.h>

#ifdef EB_WITH_ENGINES
#include "engines.h"
#endif
#ifdef EB_WITH_COMMANDS
#include "commands.h"
#endif

#define X(name) int name(void);
EB_PARTS
#undef X

static const struct {
    const char *name;
    int (*run)(void);
} parts[] = {
#define X(name) {#name, name},
    EB_PARTS
#undef X
};

enum { PARTS = sizeof parts / sizeof *parts };

int main(int argc, char **argv)
{
#ifdef EB_WITH_ENGINES
    eb_register_engines();
#endif
#ifdef EB_WITH_COMMANDS
    eb_register_commands();
#endif
    for (size_t k = 0; argc == 2 && k < PARTS; k++)
        if (strcmp(argv[1], parts[k].name) == 0)
            return parts[k].run();
    fprintf(stderr, "usage: %s PART, one of:\n", argv[0]);
    for (size_t k = 0; k < PARTS; k++)
        fprintf(stderr, "    %s\n", parts[k].name);
    return 2;
}
