/* commands: the list of commands. A program registers it before it parses or runs any command. */
#pragma once

/* Calls eb_commands_set with every command. */
void eb_register_commands(void);
