// The other end, for a terminal: `shoal ask PORT "SELECT …"` and `shoal attach PORT`, to a game that runs.
#ifndef SHOAL_COCKPIT_CLIENT_H
#define SHOAL_COCKPIT_CLIENT_H

#include <stdbool.h>

// False: the words are for somebody else. Otherwise all is done, and *exit_code is 0, 1 (refused by the game) or 2.
bool client_answers(int argc, char **argv, int *exit_code);

#endif
