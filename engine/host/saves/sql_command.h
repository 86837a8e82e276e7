// `shoal sql FILE`: SQL over a save file, without a game.
#ifndef SHOAL_SAVES_SQL_COMMAND_H
#define SHOAL_SAVES_SQL_COMMAND_H

#include "start/options.h"

// Executes the statements, prints the results and sets the exit code. Returns false if the options select another
// command, or `sql` with a game as its target; with a game and --write, prints an error instead.
bool sql_command_try_run(const options_t *o, int *exit_code);

#endif
