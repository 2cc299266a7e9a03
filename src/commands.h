/* commands: the list of commands (commands.c), which a program hands to the shell's language before it uses any. */
#ifndef EB_COMMANDS_H
#define EB_COMMANDS_H

/* Calls eb_commands_set with every command. */
void eb_register_commands(void);

#endif
