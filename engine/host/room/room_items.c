// Checks items that an operator has edited: spawns them for a player in a new world with the world's current code, and
// exports them again. The process writes nothing to the database.
#include "room/room_items.h"

#include "base/files.h"
#include "game/game.h"
#include "owned/owned.h"
#include "room/room_internal.h"
#include "served/owned_rows.h"
#include "store/item_parked.h"

#include <stdio.h>
#include <string.h>

#define PLAYER PLAYER_MAX // player who owns the items in this process; the game's start may give entities to players

static void report_line(void *context, const char *line) {
  (void)context;
  room_trial_report(ROOM_TRIAL_REFUSED, "%s", line);
}

// Adds the parked values and visits of the given rows, which the world does not store, to the exported rows.
static void add_parked(json_t *rows, const json_t *given, const json_t *parked) {
  size_t i;
  json_t *old;
  json_array_foreach(given, i, old) {
    int64_t item = json_integer_value(json_object_get(old, "item")), visit = item_parked_get_visit(old);
    json_t *row = item > 0 ? owned_rows_find(rows, item) : NULL;
    json_t *added = item > 0 ? item_parked_add(row, old, parked) : NULL;
    if (added && !row)
      json_array_append(rows, added);
    if (row && visit != 0)
      item_parked_set_visit(row, visit);
    json_decref(added);
  }
}

// Packs the rows of the player's group, with the parked values of the import. Returns the packed rows, or NULL after
// reporting why the rows are refused.
static uint8_t *pack_group(world_o *w, const json_t *given, const json_t *parked, allocator_t *memory, size_t *size) {
  error_info_t error = {0};
  if (owned_exceeds_limit(w, PLAYER)) {
    room_trial_report(ROOM_TRIAL_REFUSED, "too many items with the children of their assemblages (at most %u)",
                      OWNED_MAX_ENTITIES);
    return NULL;
  }
  json_t *rows = item_rows_export(w, PLAYER, NULL, &error);
  if (rows)
    add_parked(rows, given, parked);
  uint8_t *bytes = rows ? item_rows_pack(rows, memory, size, &error) : NULL;
  if (!bytes)
    room_trial_report(ROOM_TRIAL_REFUSED, "%s", error.text);
  else if (json_array_size(rows) < json_array_size(given))
    room_trial_report(ROOM_TRIAL_REFUSED, "%zu of %zu items would not belong to the player",
                      json_array_size(given) - json_array_size(rows), json_array_size(given));
  else {
    json_decref(rows);
    return bytes;
  }
  json_decref(rows);
  alloc_resize(memory, bytes, *size, 0);
  return NULL;
}

static void write_result(const room_o *r, const uint8_t *rows, size_t size) {
  error_info_t error = {0};
  if (!file_write(r->options->check_items, rows, size, &error))
    room_trial_report(ROOM_TRIAL_REFUSED, "%s", error.text);
}

static void check(room_o *r, json_t *rows, int64_t first) {
  world_o *w = r->host->session.game->world;
  allocator_t memory = {0};
  size_t size = 0;
  json_t *copy = json_deep_copy(rows), *parked = json_object();
  owned_release(w, PLAYER);
  owned_set_next_item(w, first);
  const item_rows_import_t desc = {.player = PLAYER, .report = report_line, .parked = parked};
  if (item_rows_import_edited(w, copy, &desc)) {
    uint8_t *packed = pack_group(w, rows, parked, &memory, &size);
    if (packed)
      write_result(r, packed, size);
    alloc_resize(&memory, packed, size, 0);
  }
  json_decref(parked);
  json_decref(copy);
}

static bool open_world(room_o *r, error_info_t *error) {
  world_store_desc_t desc = {.path = r->options->db, .engine = r->engine};
  return world_store_open(&desc, &r->store, error) == STORE_DONE;
}

int room_check_items(room_o *r) {
  allocator_t memory = {0};
  error_info_t error = {0};
  json_error_t problem;
  size_t size = 0;
  char *file = file_read(&memory, r->options->check_items, &size, &error);
  json_t *input = file ? json_loadb(file, size, JSON_ALLOW_NUL, &problem) : NULL;
  if (file && !input)
    error_set(&error, "%s: %s", r->options->check_items, problem.text);
  if (!input || !open_world(r, &error) || !room_trial_check_release(r, &error))
    room_trial_report(ROOM_TRIAL_REFUSED, "%s", error.text);
  else if (room_code_load_current(r, &error))
    check(r, json_object_get(input, "rows"), json_integer_value(json_object_get(input, "first")));
  else
    room_trial_report(ROOM_TRIAL_REFUSED, "the world's code cannot start: %s", error.text);
  room_trial_report(ROOM_TRIAL_END, "%s", "");
  json_decref(input);
  file_free(&memory, file, size);
  return 0;
}
