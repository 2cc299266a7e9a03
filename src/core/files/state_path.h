/* state_path: where what is kept between sessions lies: the log, the history, the report of a crash. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* $XDG_STATE_HOME/epsbench/NAME, under ~/.local/state when that is unset; relative paths are ignored, as XDG has it.
 * False: there is no such place, or it does not fit. */
bool eb_state_path(const char *name, char *buffer, size_t size);

/* The same for what a person wrote for us: $XDG_CONFIG_HOME/epsbench/NAME, under ~/.config. */
bool eb_config_path(const char *name, char *buffer, size_t size);

/* The same for what can be measured anew: $XDG_CACHE_HOME/epsbench/NAME, under ~/.cache. */
bool eb_cache_path(const char *name, char *buffer, size_t size);

/* The same for what a person added to us: $XDG_DATA_HOME/epsbench/NAME, under ~/.local/share. */
bool eb_data_path(const char *name, char *buffer, size_t size);

/* Makes the folders above a file, for their owner only. Returns the bytes of the first that cannot be made (errno says
 * why), 0: all are there. Changes path meanwhile; calls nothing that a signal handler may not. */
size_t eb_make_folders(char *path);
