/* editor: readline as both faces of the program use it, the plain prompt and the workbench: how words end, completion
 * from the command table, the history.
 */
#ifndef EB_SHELL_EDITOR_H
#define EB_SHELL_EDITOR_H

/* Once, before the first line: signals and the window's size are left to us. */
void eb_editor_open(void);
/* Writes the history and lets go of what completion holds. */
void eb_editor_close(void);

#endif
