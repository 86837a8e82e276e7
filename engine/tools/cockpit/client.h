// Command-line client: `shoal ask PORT [--all] "SELECT …"` and `shoal attach PORT` talk to a running game.
#ifndef SHOAL_COCKPIT_CLIENT_H
#define SHOAL_COCKPIT_CLIENT_H

#include <stdbool.h>

// Returns false if the arguments are not a client command. Otherwise runs it and sets *exit_code: 0 (success), 1 (the
// request failed) or 2 (bad arguments or no connection).
bool client_run_command(int argc, char **argv, int *exit_code);

#endif
