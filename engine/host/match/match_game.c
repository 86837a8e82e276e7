// A game as the world of a match. Besides the state of the game's world, a state contains the inputs of its tick, which
// are the previous inputs of the next one.
#include "match/match_game.h"

#include "base/assert.h"
#include "base/varint.h"
#include "ecs/world_hash.h"
#include "game/game.h"
#include "game/players.h"
#include "match/component_hashes.h"
#include "match/match_output.h"
#include "match/match_outside.h"
#include "snapshot/state.h"

#include <stdlib.h>
#include <string.h>

#define HASHED_TICKS 64u // ticks whose component hashes the host keeps, a power of two

typedef struct slot_t {
  snapshot_o *state;
  player_inputs_t inputs;
  uint64_t tick;
  uint32_t parked_count; // pieces of code that had failed
} slot_t;

// A failure of code in a tick that has not been confirmed.
typedef struct kept_report_t {
  uint64_t tick;
  script_report_t report;
} kept_report_t;

typedef struct hashed_tick_t {
  uint64_t tick;
  size_t size;
  uint8_t bytes[MATCH_MAX_HASHES_BYTES];
} hashed_tick_t;

struct match_game_o {
  allocator_t memory;
  match_game_desc_t desc;
  game_o *game;
  slot_t slots[MATCH_SLOTS];
  snapshot_o *state; // scratch
  uint8_t *sent;     // bytes of the last snapshot written
  size_t sent_size;
  uint64_t tick;           // of the match; a restart resets only the tick of the world
  uint64_t requested_tick; // latest tick whose requests the program has received
  match_output_t output;
  hashed_tick_t *hashed_ticks;
  match_outside_t outside;
  ARRAY(kept_report_t) reports;
};

match_game_o *match_game_create(const match_game_desc_t *desc) {
  match_game_o *mg = alloc_object(sizeof *mg);
  shoal_assert(players_are_declared(desc->game), "the game declares no players");
  mg->desc = *desc;
  mg->game = desc->game;
  mg->tick = mg->requested_tick = world_tick(mg->game->world);
  mg->output = (match_output_t){.log = mg->game->desc.log, .audio = mg->game->desc.audio};
  mg->state = snapshot_create(&mg->memory);
  mg->hashed_ticks = alloc_resize(&mg->memory, NULL, 0, HASHED_TICKS * sizeof *mg->hashed_ticks);
  memset(mg->hashed_ticks, 0, HASHED_TICKS * sizeof *mg->hashed_ticks);
  for (uint32_t i = 0; i < MATCH_SLOTS; ++i) {
    mg->slots[i].state = snapshot_create(&mg->memory);
    snapshot_take(mg->slots[i].state, mg->game->world, NULL);
  }
  players_set_match(mg->game, true);
  players_set_inputs(mg->game, &(player_inputs_t){0}, NULL);
  return mg;
}

void match_game_destroy(match_game_o *mg) {
  if (!mg)
    return;
  players_set_match(mg->game, false);
  match_output_drop(&mg->output);
  for (uint32_t i = 0; i < MATCH_SLOTS; ++i)
    snapshot_release(mg->slots[i].state);
  snapshot_release(mg->state);
  alloc_resize(&mg->memory, mg->sent, mg->sent_size, 0);
  array_free(&mg->memory, &mg->reports);
  alloc_resize(&mg->memory, mg->hashed_ticks, HASHED_TICKS * sizeof *mg->hashed_ticks, 0);
  shoal_assert(mg->memory.bytes == 0, "%zu bytes of the match's game were not freed", mg->memory.bytes);
  free(mg);
}

// --- ticks

// Returns the hash of the world, which is never 0 (see match_world_t).
static uint64_t hash_state(const game_o *g) {
  uint64_t hash = world_hash(g->world);
  return hash ? hash : 1;
}

static void store_hashes(match_game_o *mg) {
  hashed_tick_t *hashed = &mg->hashed_ticks[mg->tick % HASHED_TICKS];
  hashed->tick = mg->tick;
  hashed->size = component_hashes_write(mg->game->world, hashed->bytes, sizeof hashed->bytes);
}

// Drops the reports of an earlier run of this tick and of later ones.
static void drop_reports(match_game_o *mg, uint64_t tick) {
  uint32_t kept_count = 0;
  for (uint32_t i = 0; i < mg->reports.count; ++i)
    if (mg->reports.items[i].tick < tick)
      mg->reports.items[kept_count++] = mg->reports.items[i];
  mg->reports.count = kept_count;
}

// Keeps the reports of a tick until it is confirmed.
static void keep_reports(match_game_o *mg, uint64_t tick) {
  kept_report_t kept = {.tick = tick};
  while (game_pop_reports(mg->game, &kept.report, 1) > 0)
    array_push(&mg->memory, &mg->reports, kept);
}

static bool run_tick(void *context, record_t *record, match_run_t mode, uint64_t *hash) {
  match_game_o *mg = context;
  game_o *g = mg->game;
  bool is_repeated = record->tick <= mg->requested_tick;
  script_requests_t requests = g->requests;
  for (uint32_t i = 0; i < record->item_count; ++i)
    if (record->items[i].kind == RECORD_ITEM_COMMAND &&
        !players_add_actions(g, record->items[i].player, record->items[i].bytes, record->items[i].size))
      log_warn(g->desc.log, "match: player %u sent too many actions in tick %llu", record->items[i].player + 1u,
               (unsigned long long)record->tick);
  players_set_inputs(g, &record->inputs, NULL);
  if (mode != MATCH_RUN_HOST) {
    drop_reports(mg, record->tick);
    match_output_begin(&mg->output, record->tick);
  }
  match_outside_begin(&mg->outside, g, record, mode);
  game_tick(g);
  bool is_complete = match_outside_end(&mg->outside, g, record, mode);
  if (mode != MATCH_RUN_HOST) {
    match_output_end(&mg->output);
    keep_reports(mg, record->tick);
  }
  if (is_repeated)
    g->requests = requests;
  else
    mg->requested_tick = record->tick;
  mg->tick = record->tick;
  *hash = hash_state(g);
  if (mode == MATCH_RUN_HOST)
    store_hashes(mg);
  return is_complete;
}

static void confirm_tick(void *context, uint64_t tick, uint64_t hash) {
  match_game_o *mg = context;
  match_output_confirm(&mg->output, tick);
  for (uint32_t i = 0; mg->desc.report && i < mg->reports.count && mg->reports.items[i].tick <= tick; ++i)
    mg->desc.report(mg->desc.context, &mg->reports.items[i].report);
  uint32_t later_count = 0;
  for (uint32_t i = 0; i < mg->reports.count; ++i)
    if (mg->reports.items[i].tick > tick)
      mg->reports.items[later_count++] = mg->reports.items[i];
  mg->reports.count = later_count;
  if (mg->desc.confirm)
    mg->desc.confirm(mg->desc.context, tick, hash);
}

// --- states

static void save_state(void *context, uint32_t slot) {
  match_game_o *mg = context;
  bool ok = snapshot_take(mg->slots[slot].state, mg->game->world, NULL);
  (void)ok;
  shoal_assert(ok, "the state of tick %llu cannot be taken", (unsigned long long)world_tick(mg->game->world));
  mg->slots[slot].inputs = mg->game->input.players;
  mg->slots[slot].tick = mg->tick;
  mg->slots[slot].parked_count = mg->game->parked.items.count;
}

// The edges of the inputs belong to the tick that has run: the next tick reads only their values.
static void restore_state(void *context, uint32_t slot) {
  match_game_o *mg = context;
  bool ok = snapshot_restore(mg->slots[slot].state, mg->game->world, NULL);
  (void)ok;
  shoal_assert(ok, "slot %u cannot be restored", slot);
  players_set_inputs(mg->game, &mg->slots[slot].inputs, NULL);
  mg->tick = mg->slots[slot].tick;
  if (mg->game->parked.items.count > mg->slots[slot].parked_count)
    mg->game->parked.items.count = mg->slots[slot].parked_count; // failures of ticks that did not happen
}

static void restart_game(match_game_o *mg) {
  // All machines have the same state here, and therefore start the next game with the same seed.
  uint64_t seed = world_hash(mg->game->world);
  mg->game = mg->desc.restart(mg->desc.context, seed);
  players_set_match(mg->game, true);
  players_set_inputs(mg->game, &(player_inputs_t){0}, NULL);
  players_set_inputs(mg->game, &(player_inputs_t){0}, NULL); // also the previous ones
}

static void apply_record(void *context, const record_t *record) {
  match_game_o *mg = context;
  if (record->kind == RECORD_RESTART && mg->desc.restart)
    restart_game(mg);
  else // another machine has sent the record, so it must not end this one; a desync and its repair follow
    log_error(mg->game->desc.log, "match: records of kind %d are not supported", (int)record->kind);
}

// A snapshot begins with a record of the tick and its inputs, after the size of both.
static size_t write_snapshot(void *context, const uint8_t **bytes) {
  match_game_o *mg = context;
  uint8_t head[RECORD_MAX_BYTES + VARINT_BYTES];
  record_coder_t coder = {0};
  record_t record = {.number = 1, .kind = RECORD_TICK, .tick = mg->tick, .inputs = mg->game->input.players};
  uint8_t inputs[RECORD_MAX_BYTES];
  size_t inputs_size = record_write(&coder, &record, inputs, sizeof inputs), state_size = 0;
  size_t head_size = varint_write(inputs_size, head);
  memcpy(head + head_size, inputs, inputs_size);
  head_size += inputs_size;
  snapshot_take(mg->state, mg->game->world, NULL);
  const void *state = snapshot_bytes(mg->state, &state_size);
  mg->sent = alloc_resize(&mg->memory, mg->sent, mg->sent_size, head_size + state_size);
  mg->sent_size = head_size + state_size;
  memcpy(mg->sent, head, head_size);
  memcpy(mg->sent + head_size, state, state_size);
  *bytes = mg->sent;
  return mg->sent_size;
}

static bool read_snapshot(void *context, const uint8_t *bytes, size_t size, uint64_t *hash, error_info_t *error) {
  match_game_o *mg = context;
  uint64_t head_size = 0;
  record_coder_t coder = {0};
  record_t record;
  size_t at = varint_read(bytes, size, &head_size);
  if (at == 0 || head_size > size - at || record_read(&coder, bytes + at, head_size, &record) != head_size ||
      record.kind != RECORD_TICK)
    return error_set(error, "the head of the snapshot is malformed");
  at += head_size;
  snapshot_o *received = snapshot_create_from_bytes(&mg->memory, bytes + at, size - at);
  bool ok = snapshot_restore(received, mg->game->world, error);
  snapshot_release(received);
  if (!ok)
    return false;
  players_set_inputs(mg->game, &record.inputs, NULL);
  match_output_drop(&mg->output);
  mg->reports.count = 0;
  mg->tick = mg->requested_tick = record.tick;
  *hash = hash_state(mg->game);
  return true;
}

// --- component hashes

// A peer asks for a tick that it has just confirmed, whose state is in a slot unless the state is the current one.
static size_t hash_slot(match_game_o *mg, uint64_t tick, uint8_t *out) {
  uint64_t current = mg->tick;
  uint32_t slot = (uint32_t)(tick % MATCH_SLOTS);
  if (tick != current && (mg->slots[slot].tick != tick || mg->slots[current % MATCH_SLOTS].tick != current))
    return 0;
  if (tick != current)
    restore_state(mg, slot);
  size_t size = component_hashes_write(mg->game->world, out, MATCH_MAX_HASHES_BYTES);
  if (tick != current)
    restore_state(mg, (uint32_t)(current % MATCH_SLOTS));
  return size;
}

static size_t hash_components(void *context, uint64_t tick, uint8_t *out) {
  match_game_o *mg = context;
  const hashed_tick_t *hashed = &mg->hashed_ticks[tick % HASHED_TICKS];
  if (hashed->tick != tick)
    return hash_slot(mg, tick, out);
  memcpy(out, hashed->bytes, hashed->size);
  return hashed->size;
}

match_world_t match_game_get_world(match_game_o *mg) {
  return (match_world_t){.context = mg,
                         .run = run_tick,
                         .save = save_state,
                         .restore = restore_state,
                         .apply = apply_record,
                         .write_snapshot = write_snapshot,
                         .read_snapshot = read_snapshot,
                         .confirm = confirm_tick,
                         .hash_components = hash_components};
}
