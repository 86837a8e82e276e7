// Writes the singleton shoal.room, and emits the event `woken`. From FIELD_ACCOUNTS on, its fields are the accounts of
// players 1 to 32. FIELD_ITEMS belongs to owned/owned.c.
#include "game/room_state.h"

#include "base/alloc.h"
#include "components/builtin.h"
#include "ecs/event.h"
#include "game/game.h"
#include "owned/owned.h"
#include "platform/player_input.h"

#include <string.h>

#define ROOM_SINGLETON "shoal.room"

enum { FIELD_NAME, FIELD_AWAY, FIELD_ACCOUNTS, FIELD_ITEMS = FIELD_ACCOUNTS + PLAYER_MAX, FIELD_PARTS };

static manager_o *find_singleton(const game_o *g) {
  manager_o *manager = world_find_manager(g->world, ROOM_SINGLETON);
  return manager && manager->count > 0 ? manager : NULL;
}

void room_state_set(game_o *g, const char *name, int64_t number, double away_s) {
  manager_o *room = find_singleton(g);
  if (!room)
    return;
  columns_set(&room->columns, 0, FIELD_NAME, strings_intern(world_strings(g->world), name));
  columns_set(&room->columns, 0, FIELD_AWAY, away_s);
  owned_set_room(g->world, number);
}

bool room_state_is_room(const game_o *g) {
  const manager_o *room = find_singleton(g);
  return room && columns_get(&room->columns, 0, FIELD_NAME) != 0;
}

void room_state_emit_woken(game_o *g) {
  manager_o *room = find_singleton(g);
  double away_s = room ? columns_get(&room->columns, 0, FIELD_AWAY) : 0;
  if (away_s == 0)
    return;
  const event_o *woken = builtin_find_event(g->world, "woken");
  if (woken)
    world_set_event_field(g->world, world_emit_event(g->world, woken->id), 0, away_s);
  columns_set(&room->columns, 0, FIELD_AWAY, 0);
}

// Returns the singleton, or NULL if the world is not a room.
static manager_o *find_room(const game_o *g) {
  manager_o *room = find_singleton(g);
  return room && columns_get(&room->columns, 0, FIELD_NAME) != 0 ? room : NULL;
}

void room_state_set_account(game_o *g, uint32_t player, int64_t account) {
  manager_o *room = find_room(g);
  if (room)
    columns_set(&room->columns, 0, FIELD_ACCOUNTS + player - 1, (double)account);
}

int64_t room_state_get_account(const game_o *g, uint32_t player) {
  manager_o *room = find_room(g);
  return room ? (int64_t)columns_get(&room->columns, 0, FIELD_ACCOUNTS + player - 1) : 0;
}

void room_state_set_parts(game_o *g, const char *text, size_t size) {
  manager_o *room = find_singleton(g);
  if (room)
    columns_set(&room->columns, 0, FIELD_PARTS, strings_intern_bytes(world_strings(g->world), text, size));
}

const char *room_state_get_parts(const game_o *g, size_t *size) {
  manager_o *room = find_singleton(g);
  uint32_t id = room ? (uint32_t)columns_get(&room->columns, 0, FIELD_PARTS) : 0;
  *size = strings_length(world_strings(g->world), id);
  return strings_text(world_strings(g->world), id);
}

void room_state_add_parts(game_o *g, const char *text, size_t size) {
  allocator_t memory = {0};
  size_t former = 0;
  const char *begin = room_state_get_parts(g, &former);
  char *joined = alloc_resize(&memory, NULL, 0, former + size + 1);
  memcpy(joined, begin, former);
  memcpy(joined + former, text, size);
  room_state_set_parts(g, joined, former + size);
  alloc_resize(&memory, joined, former + size + 1, 0);
}
