// Converts the entities that players own to packed rows, and back.
#include "game/player_items.h"

#include "base/alloc.h"
#include "game/game.h"
#include "game/room_state.h"
#include "owned/owned.h"
#include "store/item_rows.h"
#include "store/map_objects.h"

typedef struct arrival_t {
  const game_o *game;
  uint32_t player;
} arrival_t;

static void log_dropped(void *context, const char *line) {
  const arrival_t *arrival = context;
  log_warn(arrival->game->desc.log, "entities of player %u: %s", arrival->player, line);
}

static bool import_rows(game_o *g, uint32_t player, const uint8_t *bytes, size_t size, bool is_logged) {
  error_info_t error;
  arrival_t arrival = {g, player};
  json_t *rows = item_rows_unpack(bytes, size, &error);
  if (!rows)
    return false;
  item_rows_import(
      g->world, rows,
      &(item_rows_import_t){.player = player, .report = is_logged ? log_dropped : NULL, .context = &arrival});
  map_objects_fill(g->world);
  json_decref(rows);
  return true;
}

// --- arrivals in parts

// Stores a part in the world as text, two letters per byte, because saves contain only UTF-8. The first part of an
// arrival replaces the text, and later parts are appended.
static void keep_part(game_o *g, const uint8_t *bytes, size_t size) {
  char text[2 * ITEM_ROWS_MAX_BYTES];
  size_t count = size - 1 < ITEM_ROWS_MAX_BYTES ? size - 1 : ITEM_ROWS_MAX_BYTES;
  for (size_t i = 0; i < count; ++i) {
    text[2 * i] = (char)('a' + bytes[1 + i] / 16);
    text[2 * i + 1] = (char)('a' + bytes[1 + i] % 16);
  }
  if (bytes[0] == ITEM_ROWS_FIRST_PART)
    room_state_set_parts(g, text, 2 * count);
  else
    room_state_add_parts(g, text, 2 * count);
}

// Imports the rows whose parts are complete, and removes the parts.
static bool import_parts(game_o *g, uint32_t player, bool is_logged) {
  allocator_t memory = {0};
  size_t length = 0;
  const char *text = room_state_get_parts(g, &length);
  uint8_t *bytes = alloc_resize(&memory, NULL, 0, length / 2 + 1);
  for (size_t i = 0; i < length / 2; ++i)
    bytes[i] = (uint8_t)((text[2 * i] - 'a') * 16 + (text[2 * i + 1] - 'a'));
  room_state_set_parts(g, "", 0);
  bool ok = import_rows(g, player, bytes, length / 2, is_logged);
  alloc_resize(&memory, bytes, length / 2 + 1, 0);
  return ok;
}

bool player_items_arrive(game_o *g, uint32_t player, const uint8_t *bytes, size_t size, bool joins, bool is_logged) {
  bool is_part = size > 0 && (bytes[0] == ITEM_ROWS_FIRST_PART || bytes[0] == ITEM_ROWS_NEXT_PART);
  if (!g->owned)
    return true;
  if (is_part)
    keep_part(g, bytes, size);
  if (!joins)
    return is_part;
  owned_release(g->world, player);
  return is_part ? import_parts(g, player, is_logged) : import_rows(g, player, bytes, size, is_logged);
}

void player_items_leave(game_o *g, uint32_t player) {
  if (g->owned)
    owned_destroy_group(g->world, player);
}

void player_items_release(game_o *g, uint32_t player) {
  if (g->owned)
    owned_release(g->world, player);
}
