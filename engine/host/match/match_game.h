// The world of a match that is a game: ticks of a game that declares players, their states and their hashes.
#ifndef SHOAL_MATCH_MATCH_GAME_H
#define SHOAL_MATCH_MATCH_GAME_H

#include "match/match.h"

typedef struct game_o game_o;
typedef struct match_game_o match_game_o;

// `game`: borrowed; must have started, and must declare players. Allocates and touches the memory of all slots, so that
// the first ticks of the match do not wait for pages.
match_game_o *match_game_create(game_o *game);
void match_game_destroy(match_game_o *mg); // accepts NULL

// Restarts, reloads, parked code and results from outside (files, plugins) are not part of records yet: do not call
// match_add_record with RECORD_RESTART or RECORD_RELOAD.
//
// Returns the callbacks for match_create, valid until match_game_destroy. The prints, log lines and sounds of a tick
// appear when it runs for the first time, predicted or not.
match_world_t match_game_get_world(match_game_o *mg);

#endif
