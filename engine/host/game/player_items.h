// The entities that players of a served world own (owned/owned.h): spawned when their player arrives, and destroyed
// when the player leaves. The functions do nothing if the world lacks the component `owned`. Call them between two
// ticks.
#ifndef SHOAL_GAME_PLAYER_ITEMS_H
#define SHOAL_GAME_PLAYER_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct game_o game_o;

// Spawns the entities that a player (1 to 32) brings as packed rows (store/item_rows.h). If the rows are larger than an
// item of a record, each call but the last passes a part of them with `joins` = false. The parts are state of the world
// (game/room_state.h), so that snapshots contain them, and a new arrival replaces an incomplete arrival. Logs
// dropped values if `is_logged` is true. Returns true on success, or false if the rows are malformed.
bool player_items_arrive(game_o *g, uint32_t player, const uint8_t *bytes, size_t size, bool joins, bool is_logged);
// Destroys the entities that a player owns.
void player_items_leave(game_o *g, uint32_t player);
// Removes the owner of the player's entities, because a new player may get this number.
void player_items_release(game_o *g, uint32_t player);

#endif
