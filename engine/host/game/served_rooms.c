// Names and order of the rooms of a served world.
#include "game/served_rooms.h"

#include <stdio.h>
#include <string.h>

static served_room_t create_room(const served_kind_t *kind, uint32_t number, uint32_t index) {
  served_room_t room = {.index = index, .players = kind->players, .kind = kind};
  if (kind->count > 0)
    (void)snprintf(room.name, sizeof room.name, "%s-%u", kind->name, number & 0xffu);
  else
    (void)snprintf(room.name, sizeof room.name, "%s", kind->name);
  return room;
}

uint32_t served_rooms_list(const vm_game_t *config, served_room_t out[SERVED_MAX_ROOMS]) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < config->kind_count; ++i) {
    const served_kind_t *kind = &config->kinds[i];
    uint32_t copies = kind->count > 0 ? kind->count : 1;
    for (uint32_t number = 1; number <= copies && count < SERVED_MAX_ROOMS; ++number, ++count)
      out[count] = create_room(kind, number, count);
  }
  return count;
}

bool served_rooms_find(const vm_game_t *config, const char *name, served_room_t *out) {
  served_room_t rooms[SERVED_MAX_ROOMS];
  uint32_t count = served_rooms_list(config, rooms);
  for (uint32_t i = 0; i < count; ++i) {
    if (strcmp(rooms[i].name, name) == 0) {
      *out = rooms[i];
      return true;
    }
  }
  return false;
}

uint32_t served_rooms_max_players(const vm_game_t *config) {
  uint32_t max = config->max_players;
  for (uint32_t i = 0; i < config->kind_count; ++i)
    max = config->kinds[i].players > max ? config->kinds[i].players : max;
  return max;
}
