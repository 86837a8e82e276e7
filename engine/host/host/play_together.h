// Matches that are started from the menu. They run with the options that --host and --join would set, until the program
// returns to the menu.
#ifndef SHOAL_HOST_PLAY_TOGETHER_H
#define SHOAL_HOST_PLAY_TOGETHER_H

#include "base/error.h"

#include <stdbool.h>

typedef struct host_o host_o;

// Sets the options of the requested match, whose game has been selected but not loaded yet. Returns true on success, or
// false with a message if a command-line option cannot be combined with a match.
bool play_together_set_options(host_o *h, error_info_t *error);
// Restores the options of the command line. Does nothing if the menu has not begun a match.
void play_together_restore_options(host_o *h);

// Requests that the machine leaves the match. A match that was started from the menu returns to the menu, which shows
// `message`: a line for players and, after '\n', a line for developers; "": no message. Otherwise, the program ends,
// and `message` is ignored.
void play_together_leave(host_o *h, const char *message);
// Returns true if a return to the menu that started the match is requested.
bool play_together_is_leaving(const host_o *h);

#endif
