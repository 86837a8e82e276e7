// `shoal sql FILE`: SQL over a save file, without a game.
#ifndef SHOAL_SAVES_SQL_COMMAND_H
#define SHOAL_SAVES_SQL_COMMAND_H

#include "start/options.h"

// Executes the statements, prints the results, sets the exit code and returns true. Returns false, without doing
// anything, if the options select a different command, or `sql` with a game as its target. If the target is a game and
// --write or --accept-edits is given, prints an error and returns true.
bool sql_command_try_run(const options_t *o, int *exit_code);

#endif
