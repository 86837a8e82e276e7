// The rooms of a served world, as the table serve of game.lua declares them. Rooms have a fixed order: sorted by the
// name in game.lua, then by number. The port of a room therefore changes only with game.lua.
#ifndef SHOAL_GAME_SERVED_ROOMS_H
#define SHOAL_GAME_SERVED_ROOMS_H

#include "script/game_config.h"

#define SERVED_ROOM_BYTES (SERVED_KIND_BYTES + 4u) // maximum size of a room's name, such as "mine-12", including '\0'

typedef struct served_room_t {
  char name[SERVED_ROOM_BYTES];
  uint32_t index;   // position in the order of the rooms, from 0
  uint32_t players; // maximum number of players
  const served_kind_t *kind;
} served_room_t;

// Writes all rooms in their order to `out`. `config` must outlive them. Returns the number of rooms.
uint32_t served_rooms_list(const vm_game_t *config, served_room_t out[SERVED_MAX_ROOMS]);
// Finds the room with this name, such as "mine-2", and returns true. Returns false if the game declares no such room.
bool served_rooms_find(const vm_game_t *config, const char *name, served_room_t *out);

// Returns the maximum number of players in any room of the world, at least the maximum of a match.
uint32_t served_rooms_max_players(const vm_game_t *config);

#endif
