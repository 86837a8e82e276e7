// Determines the options of the next game (seed, budgets, memory and checks) from the command line, the recording and
// the defaults.
#ifndef SHOAL_HOST_GAME_OPTIONS_H
#define SHOAL_HOST_GAME_OPTIONS_H

#include "game/game.h"
#include "match/match.h"

typedef struct host_o host_o;

game_desc_t game_options_build_desc(host_o *h);        // returns the description of the game in h->session.folder
bool game_options_should_watch_files(const host_o *h); // returns true if files are watched, as during development
// Returns the limits of scripts: the host's limits on a machine that has joined a match, otherwise the limits of the
// command line.
match_limits_t game_options_get_limits(const host_o *h);

#endif
