// Converts the entities that players own to packed rows, and back.
#include "game/player_items.h"

#include "game/game.h"
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

bool player_items_arrive(game_o *g, uint32_t player, const uint8_t *bytes, size_t size, bool is_logged) {
  error_info_t error;
  arrival_t arrival = {g, player};
  if (!g->owned)
    return true;
  owned_release(g->world, player);
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

void player_items_leave(game_o *g, uint32_t player) {
  if (g->owned)
    owned_destroy_group(g->world, player);
}

void player_items_release(game_o *g, uint32_t player) {
  if (g->owned)
    owned_release(g->world, player);
}
