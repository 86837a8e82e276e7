// The singleton shoal.room of a game with served rooms (world/room.lua): the room's name, the time for which it slept,
// the accounts of the players, and the number of the newest item (owned/owned.h).
#ifndef SHOAL_GAME_ROOM_STATE_H
#define SHOAL_GAME_ROOM_STATE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct game_o game_o;

// Makes the world the room `name`. `number`: number of the room's newest item. Unless `away_s` is 0, the next tick
// emits the event `woken` with this number of seconds. Call between two ticks. Does nothing if the game declares no
// rooms.
void room_state_set(game_o *g, const char *name, int64_t number, double away_s);
// Returns true if the world is a room.
bool room_state_is_room(const game_o *g);
// Emits `woken` if the room has been woken since the last tick. Call at the start of a tick.
void room_state_emit_woken(game_o *g);
// Sets the number of a player's account; 0: none. Players are numbered from 1. Does nothing in a world that is not a
// room.
void room_state_set_account(game_o *g, uint32_t player, int64_t account);
// Returns the number of a player's account; 0: none.
int64_t room_state_get_account(const game_o *g, uint32_t player);

#endif
