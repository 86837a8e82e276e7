// What players of a served world own (owned/owned.h): arrives and leaves with them. Without the component `owned`, the
// functions do nothing. Call them between two ticks.
#ifndef SHOAL_GAME_PLAYER_ITEMS_H
#define SHOAL_GAME_PLAYER_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct game_o game_o;

// Spawns what a player (1 to 32) brings: packed rows (store/item_rows.h). Logs what is dropped if `is_logged`. Returns
// true on success, or false if the rows are malformed.
bool player_items_arrive(game_o *g, uint32_t player, const uint8_t *bytes, size_t size, bool is_logged);
// Destroys what a player owns.
void player_items_leave(game_o *g, uint32_t player);
// Makes nobody the owner of the player's entities. A player may get the number of a former player.
void player_items_release(game_o *g, uint32_t player);

#endif
