// Applies the items of a record before its tick, and converts results and stops of the tick to items.
#include "match/match_tick.h"

#include "base/assert.h"
#include "game/game.h"
#include "game/operator_events.h"
#include "game/player_items.h"
#include "game/players.h"
#include "game/room_state.h"
#include "match/input_queue.h"
#include "match/match_refusal.h"
#include "store/item_rows.h"

#include <stdio.h>
#include <string.h>

// Factor by which a peer's script budget exceeds the host's. The host's watchdog decides which code is stopped. A
// peer's watchdog stops only endless loops that did not occur on the host: such a loop is a desync.
#define PEER_BUDGET_FACTOR 20u

_Static_assert(PLAYER_MAX *(MATCH_TOKEN_BYTES + PLAYER_NAME_BYTES) + MATCH_TICK_ITEM_BYTES +
                           INPUT_QUEUE_TICK_ITEM_BYTES <=
                       RECORD_MAX_ITEM_BYTES &&
                   2 * PLAYER_MAX + MATCH_TICK_ITEMS + INPUT_QUEUE_TICK_ITEMS <= RECORD_MAX_ITEMS,
               "the joins, the tick's items and the commands of one machine do not fit into a record");
_Static_assert(ITEM_ROWS_MAX_BYTES + MATCH_TOKEN_BYTES + PLAYER_NAME_BYTES + 2 * EXTERNAL_MATCH_RESULTS +
                       MATCH_TICK_PARK_BYTES <=
                   RECORD_MAX_ITEM_BYTES,
               "an arrival, its join and the stopped code of a tick do not fit into a record");

// --- reading

static void add_command(game_o *g, const record_t *record, const record_item_t *item) {
  if (!players_add_actions(g, item->player, item->bytes, item->size))
    log_warn(g->desc.log, "match: player %u sent too many actions in tick %llu", item->player + 1u,
             (unsigned long long)record->tick);
}

static bool has_item(const record_t *record, record_item_kind_t kind, uint32_t player) {
  for (uint32_t i = 0; i < record->item_count; ++i)
    if (record->items[i].kind == kind && record->items[i].player == player)
      return true;
  return false;
}

// Adds the player of a JOIN item, which contains the digest of the player's token or, in a room, the visit, then the
// name.
static void add_player(game_o *g, const record_t *record, const record_item_t *item) {
  size_t start = item->size < MATCH_TOKEN_BYTES ? item->size : MATCH_TOKEN_BYTES;
  match_visit_t visit = {0};
  memcpy(&visit, item->bytes, start < sizeof visit ? 0 : sizeof visit);
  room_state_set_account(g, item->player + 1u, visit.account);
  players_add(g, item->player + 1u, (const char *)item->bytes + start, item->size - start, record->inputs.present);
  if (!has_item(record, RECORD_ITEM_ARRIVAL, item->player))
    player_items_release(g, item->player + 1u);
}

static void remove_player(game_o *g, uint32_t player) {
  room_state_set_account(g, player, 0);
  player_items_leave(g, player);
}

static bool park_piece(game_o *g, const record_item_t *item, bool is_logged) {
  parked_item_t parked;
  if (!parked_item_read(item, &parked))
    return false;
  if (is_logged)
    log_warn(g->desc.log, "match: %s has stopped %s: %.*s", match_host_title(room_state_is_room(g)), parked.name,
             (int)parked.message_bytes, parked.message);
  return vm_park_piece(g->vm, parked.name, true, NULL);
}

static bool add_to_log(game_o *g, allocator_t *a, const record_item_t *item, input_log_o **log) {
  external_result_t *result = external_result_read(item);
  if (!result)
    return false;
  *log = *log ? *log : input_log_create(a);
  input_log_add_result(*log, world_tick(g->world) + 1, result);
  external_result_release(result);
  return true;
}

// Applies the items to the next tick. Returns a log with their results, created with `a`, or NULL if there are no
// results. Logs malformed items. `is_first`: true if the tick runs for the first time, so parked code is logged as
// well.
static input_log_o *apply_items(game_o *g, allocator_t *a, const record_t *record, bool is_first) {
  input_log_o *log = NULL;
  for (uint32_t i = 0; i < record->item_count; ++i) {
    const record_item_t *item = &record->items[i];
    bool is_valid = true;
    if (item->kind == RECORD_ITEM_COMMAND)
      add_command(g, record, item);
    else if (item->kind == RECORD_ITEM_ARRIVAL)
      is_valid = player_items_arrive(g, item->player + 1u, item->bytes, item->size,
                                     has_item(record, RECORD_ITEM_JOIN, item->player), is_first);
    else if (item->kind == RECORD_ITEM_JOIN)
      add_player(g, record, item);
    else if (item->kind == RECORD_ITEM_LEAVE)
      remove_player(g, item->player + 1u);
    else if (item->kind == RECORD_ITEM_RESULT)
      is_valid = operator_name_apply(g, item) || add_to_log(g, a, item, &log);
    else if (item->kind == RECORD_ITEM_PARK)
      is_valid = park_piece(g, item, is_first);
    if (!is_valid)
      log_warn(g->desc.log, "match: %s has sent a malformed result or an unknown piece of code in tick %llu",
               match_host_title(room_state_is_room(g)), (unsigned long long)record->tick);
  }
  return log;
}

// --- writing

static void add_item(match_items_t *items, record_t *record, record_item_kind_t kind, const void *head,
                     size_t head_size, const void *bytes, size_t size) {
  shoal_assert(record->item_count < RECORD_MAX_ITEMS && items->size + head_size + size <= sizeof items->bytes,
               "the record of tick %llu is full", (unsigned long long)record->tick);
  uint8_t *out = items->bytes + items->size;
  memcpy(out, head, head_size);
  if (size > 0)
    memcpy(out + head_size, bytes, size);
  items->size += head_size + size;
  record->items[record->item_count++] = (record_item_t){kind, 0, (uint32_t)(head_size + size), out};
}

static void add_result(match_items_t *items, record_t *record, const external_result_t *result) {
  uint8_t head[EXTERNAL_RESULT_HEAD_BYTES];
  size_t head_size = external_result_write_head(result, head);
  add_item(items, record, RECORD_ITEM_RESULT, head, head_size, result->bytes, result->size);
}

static void add_park(match_items_t *items, const game_o *g, record_t *record, const parked_t *parked) {
  uint8_t head[PARKED_ITEM_HEAD_BYTES];
  size_t head_size = parked_item_write_head(parked, sources_hash(vm_sources(g->vm)), head);
  size_t message = strlen(parked->error.text);
  add_item(items, record, RECORD_ITEM_PARK, head, head_size, parked->error.text,
           message < MATCH_TICK_MAX_MESSAGE_BYTES ? message : MATCH_TICK_MAX_MESSAGE_BYTES);
}

// Returns true if the watchdog has stopped a system or function since the list of parked code had `parked_count`
// entries.
static bool was_stopped(const game_o *g, uint32_t parked_count) {
  for (uint32_t i = parked_count; i < g->parked.items.count; ++i)
    if (g->parked.items.items[i].stopped && !g->parked.items.items[i].drawing)
      return true;
  return false;
}

static void add_items(match_items_t *items, const game_o *g, record_t *record, uint32_t parked_count) {
  const external_result_t *result;
  for (uint32_t i = 0; g->desc.external && (result = external_get_match_result(g->desc.external, i)); ++i)
    add_result(items, record, result);
  for (uint32_t i = parked_count, count = 0; i < g->parked.items.count && count < MATCH_TICK_MAX_PARKS; ++i) {
    const parked_t *parked = &g->parked.items.items[i];
    if (parked->stopped && !parked->drawing && parked_is_recorded(parked, true))
      add_park(items, g, record, parked), ++count;
  }
}

// Returns the space that the record's items leave for results, in bytes.
static size_t get_result_bytes(const record_t *record) {
  size_t used = record_get_item_bytes(record) + 2 * EXTERNAL_MATCH_RESULTS + MATCH_TICK_PARK_BYTES;
  return used < RECORD_MAX_ITEM_BYTES ? RECORD_MAX_ITEM_BYTES - used : 0;
}

static void limit_results(external_o *external, const record_t *record) {
  size_t bytes = get_result_bytes(record);
  external_limit_match_bytes(external, bytes < EXTERNAL_MATCH_BYTES ? bytes : EXTERNAL_MATCH_BYTES);
}

bool match_tick_fits(const record_t *record, const external_result_t *given) {
  return strlen(given->key) + given->size + EXTERNAL_RESULT_HEAD_BYTES <= get_result_bytes(record);
}

// --- running

bool match_tick_run(match_items_t *items, game_o *g, allocator_t *a, record_t *record, match_run_t mode) {
  bool is_host = mode == MATCH_RUN_HOST;
  items->size = 0;
  if (is_host && items->given)
    add_result(items, record, items->given);
  if (is_host && g->desc.external)
    limit_results(g->desc.external, record);
  input_log_o *results = apply_items(g, a, record, true);
  uint32_t parked_count = g->parked.items.count;
  vm_set_budget_factor(g->vm, mode == MATCH_RUN_CONFIRMED ? PEER_BUDGET_FACTOR : 1);
  game_run(
      g, GAME_TICK,
      &(game_io_t){.players = &record->inputs, .source = is_host ? EXTERNAL_HOST : EXTERNAL_PEER, .results = results});
  vm_set_budget_factor(g->vm, 1);
  input_log_destroy(results);
  if (is_host)
    add_items(items, g, record, parked_count);
  bool has_missed = g->desc.external && external_has_missed(g->desc.external);
  return mode != MATCH_RUN_PREDICTED || (!has_missed && !was_stopped(g, parked_count));
}

void match_tick_run_again(game_o *g, allocator_t *a, const record_t *record) {
  input_log_o *results = apply_items(g, a, record, false);
  game_run(g, GAME_TICK,
           &(game_io_t){
               .players = &record->inputs, .source = EXTERNAL_PEER, .results = results, .outputs = GAME_OUTPUTS_DROP});
  input_log_destroy(results);
}
