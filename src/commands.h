/* commands: the list of commands (commands.c), which a program hands to the shell's language before it uses any. */
#pragma once

/* Calls eb_commands_set with every command. */
void eb_register_commands(void);
