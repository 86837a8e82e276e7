// The reload transaction: a new VM is built from disk beside the running one, checked, and swapped in between two ticks; or refused
// whole, and the old code goes on. The world is kept either way.
#ifndef SHOAL_HOST_RELOAD_H
#define SHOAL_HOST_RELOAD_H

#include "host/game.h"

// False with the report filled: nothing has changed then. Call between two ticks only.
bool reload_game(game_o *g, script_report_t *report);

#endif
