// The singleton shoal.room of a game with served rooms (world/room.lua): the room's name, the time for which it slept,
// the accounts of the players, the number of the newest item (owned/owned.h), and the parts of an arrival
// (player_items.h).
#ifndef SHOAL_GAME_ROOM_STATE_H
#define SHOAL_GAME_ROOM_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct game_o game_o;

// Sets the room's name, and numbers new items with the room's `number` (owned_set_room). Unless `away_s` is 0, the next
// tick emits the event `woken` with this number of seconds. Call between two ticks. Does nothing without served rooms.
void room_state_set(game_o *g, const char *name, int64_t number, double away_s);
// Returns true if the world is a room.
bool room_state_is_room(const game_o *g);
// Emits `woken` if the room has been woken since the last tick. Call at the start of a tick.
void room_state_emit_woken(game_o *g);
// Sets the number of a player's account; 0: no account. Players are numbered from 1. Does nothing in a world that is
// not a room.
void room_state_set_account(game_o *g, uint32_t player, int64_t account);
// Set the text that keeps the parts of an arrival between ticks, or append to it. Do nothing in a game without rooms.
void room_state_set_parts(game_o *g, const char *text, size_t size);
void room_state_add_parts(game_o *g, const char *text, size_t size);
// Returns the text of the parts of an arrival, and stores its size. Borrowed until a string is added to the world.
const char *room_state_get_parts(const game_o *g, size_t *size);
// Returns the number of a player's account, or 0 if the player has no account.
int64_t room_state_get_account(const game_o *g, uint32_t player);

#endif
