// Exports the entities of players who leave a room, before the record with their LEAVE, and imports the entities of
// players who join, with the record of their JOIN.
#include "room/room_internal.h"

#include "game/players.h"
#include "owned/owned.h"

#include <string.h>

void room_owned_export(room_o *r, player_mask_t players, json_t *out[PLAYER_MAX]) {
  uint32_t given = 0; // count of newly given numbers: all machines number the groups in this order
  error_info_t error = {0};
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    out[i] = NULL;
    if (!(players >> i & 1))
      continue;
    out[i] = item_rows_export(r->host->session.game->world, i + 1, &given, &error);
    if (!out[i])
      log_error(r->host->session.log,
                "room %s: %s leaves, but what the player owns cannot be stored: %s: the former rows "
                "stay",
                r->name, players_get_info(r->host->session.game, i + 1).name, error.text);
  }
}

void room_owned_list_items(room_o *r, const owned_items_t *items, room_departure_t *d) {
  // Accounts, indexed by the player's number; 0: no player, or a player who is not in the room
  int64_t accounts[PLAYER_MAX + 1] = {0};
  uint32_t count = 0;
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    accounts[i + 1] = match_get_visit(r->match, i).account;
  d->items = alloc_resize(&r->memory, NULL, 0, items->count * sizeof *d->items);
  for (uint32_t i = 0; i < items->count; ++i) {
    uint32_t player = items->items[i].player;
    int64_t account = player <= PLAYER_MAX ? accounts[player] : 0;
    if (account != d->leave.account)
      d->items[count++] = (account_item_t){items->items[i].item, account};
  }
  d->items = alloc_resize(&r->memory, d->items, items->count * sizeof *d->items, count * sizeof *d->items);
  d->leave.item_count = count;
  d->leave.has_items = true;
}

void room_owned_free_departure(room_o *r, room_departure_t *d) {
  json_decref(d->rows);
  d->rows = NULL;
  d->items = alloc_resize(&r->memory, d->items, d->leave.item_count * sizeof *d->items, 0);
}

// Notes with which code the rows of a visit are imported. Replaces an earlier visit of the account, or a visit whose
// players are not in the room.
static void note_import(room_o *r, const match_visit_t *visit) {
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i) {
    match_visit_t *other = &r->imports[i].visit;
    if (other->account != visit->account && other->account != 0 && match_is_visited_by(r->match, other))
      continue;
    *other = *visit;
    r->imports[i].code = code_rows_get_key(r->identity.sources, r->code.number);
    return;
  }
}

static int64_t find_import(const room_o *r, const account_leave_t *leave) {
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i)
    if (r->imports[i].visit.account == leave->account && r->imports[i].visit.session == leave->session)
      return r->imports[i].code;
  return 0;
}

void room_owned_arrive(room_o *r, const match_visit_t *visit, const uint8_t *rows, size_t size) {
  note_import(r, visit);
  player_mask_t players = match_find_arriving(r->match, visit);
  if (players != 0)
    match_set_arrival(r->match, (uint32_t)__builtin_ctz(players), rows, size);
}

static void log_lost_row(const room_o *r, const room_departure_t *d, const json_t *row, const char *reason) {
  const char *assemblage = json_string_value(json_object_get(row, "assemblage"));
  log_error(r->host->session.log, "room %s: %s (account %lld) has left without item %lld (%.128s): %s", r->name,
            d->name, (long long)d->leave.account, (long long)json_integer_value(json_object_get(row, "item")),
            assemblage && assemblage[0] ? assemblage : "no assemblage", reason);
}

void room_owned_write_departure(room_o *r, const room_departure_t *d, room_stored_t *out) {
  allocator_t memory = {0};
  error_info_t error = {0};
  size_t size = 0;
  const char *reason;
  for (json_t *row; d->rows && (row = item_rows_take_unstorable(d->rows, &reason)) != NULL; json_decref(row))
    log_lost_row(r, d, row, reason);
  uint8_t *rows = d->rows ? item_rows_pack(d->rows, &memory, &size, &error) : NULL;
  size_t items = d->leave.item_count * sizeof *d->items;
  account_leave_t leave = d->leave;
  if (sizeof d->leave + items + size > ROOM_CHANGE_MAX_BYTES) {
    items = 0; // only the parked values of items that the player has given away or put down are lost
    leave.has_items = false;
  }
  out->bytes = alloc_resize(&r->memory, out->bytes, out->size, sizeof d->leave + items + size);
  out->size = sizeof d->leave + items + size;
  leave.code = code_rows_get_key(r->identity.sources, r->code.number);
  leave.imported = find_import(r, &leave);
  leave.item_count = (uint32_t)(items / sizeof *d->items);
  memcpy(out->bytes, &leave, sizeof leave);
  if (items > 0)
    memcpy(out->bytes + sizeof leave, d->items, items);
  if (rows)
    memcpy(out->bytes + sizeof leave + items, rows, size);
  alloc_resize(&memory, rows, size, 0);
}

void room_owned_free(room_o *r) {
  for (uint32_t i = 0; i < r->departure_count; ++i)
    room_owned_free_departure(r, &r->departures[i]);
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    alloc_resize(&r->memory, r->stored[i].bytes, r->stored[i].size, 0);
}
