// What players of a served world own (owned/owned.h): arrives and leaves with them. Without the component `owned`, the
// functions do nothing. Call them between two ticks.
#ifndef SHOAL_GAME_PLAYER_ITEMS_H
#define SHOAL_GAME_PLAYER_ITEMS_H

#include "base/alloc.h"
#include "base/error.h"

typedef struct game_o game_o;

// Spawns what a player (1 to 32) brings: packed rows (store/item_rows.h). Logs what is dropped if `is_logged`. Returns
// true on success, or false if the rows are malformed.
bool player_items_arrive(game_o *g, uint32_t player, const uint8_t *bytes, size_t size, bool is_logged);
// Returns what a player owns as packed rows, allocated with `a`, and their size. Returns NULL with an error if the rows
// cannot be written.
uint8_t *player_items_pack(game_o *g, uint32_t player, allocator_t *a, size_t *size, error_info_t *error);
// Destroys what a player owns.
void player_items_leave(game_o *g, uint32_t player);
// Makes nobody the owner of the player's entities. A player may get the number of a former player.
void player_items_release(game_o *g, uint32_t player);

#endif
