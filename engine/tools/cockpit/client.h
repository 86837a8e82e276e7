// Command-line client: `shoal ask PORT [--all] "SELECT …"` and `shoal attach PORT` talk to a running game.
#ifndef SHOAL_COCKPIT_CLIENT_H
#define SHOAL_COCKPIT_CLIENT_H

#include <stdbool.h>

// If the arguments are a client command, runs it, sets *exit_code to 0 (success), 1 (the request failed) or 2 (invalid
// arguments, no connection or no answer), and returns true. Otherwise, returns false.
bool client_run_command(int argc, char **argv, int *exit_code);

#endif
