// A game as the world of a match. Besides the state of the game's world, a state contains the inputs of its tick, which
// are the previous inputs of the next one.
#include "match/match_game.h"

#include "base/assert.h"
#include "base/varint.h"
#include "ecs/world_hash.h"
#include "game/game.h"
#include "game/players.h"
#include "match/component_hashes.h"
#include "match/desync.h"
#include "match/match_output.h"
#include "match/match_outside.h"
#include "poses/pose_corrections.h"
#include "snapshot/state.h"

#include <stdlib.h>
#include <string.h>

#define KEPT_TICKS 8u      // the host keeps the state of every such tick, for two seconds at 60 ticks per second
#define MAX_RECORDINGS 16u // of desyncs
#define PATH_BYTES 4096u

typedef struct slot_t {
  snapshot_o *state;
  player_inputs_t inputs;
  uint64_t tick;
  uint32_t parked_count; // pieces of code of `game` that had failed
  const game_o *game;
  bool is_known;
} slot_t;

// A failure of code in a tick that has not been confirmed.
typedef struct kept_report_t {
  uint64_t tick;
  script_report_t report;
} kept_report_t;

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
  uint64_t drawn_tick;     // tick of the poses that are stored in desc.corrections
  bool is_incomplete;      // the state is undefined, because the last tick required a result from outside
  match_output_t output;
  match_outside_t outside;
  ARRAY(kept_report_t) reports;
  desync_o *desync;
  uint32_t recording_count;
};

match_game_o *match_game_create(const match_game_desc_t *desc) {
  match_game_o *mg = alloc_object(sizeof *mg);
  shoal_assert(players_are_declared(desc->game), "the game declares no players");
  mg->desc = *desc;
  mg->game = desc->game;
  mg->tick = mg->requested_tick = world_tick(mg->game->world);
  mg->output = (match_output_t){.log = mg->game->desc.log, .audio = mg->game->desc.audio};
  mg->state = snapshot_create(&mg->memory);
  mg->desync = desync_create(&mg->memory);
  for (uint32_t i = 0; i < MATCH_SLOTS; ++i) {
    mg->slots[i].state = snapshot_create(&mg->memory);
    snapshot_take(mg->slots[i].state, mg->game->world, NULL);
  }
  mg->slots[0].tick = mg->tick;
  mg->slots[0].is_known = true;
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
  desync_destroy(mg->desync);
  shoal_assert(mg->memory.bytes == 0, "%zu bytes of the match's game were not freed", mg->memory.bytes);
  free(mg);
}

// --- ticks

static void save_state(void *context, uint32_t slot);

// The host never goes back: its slots contain the states from which a tick can run again after a desync. A peer that
// has become the host also has states of ticks that it had only predicted.
static void keep_state(match_game_o *mg) {
  for (uint32_t i = 0; i < MATCH_SLOTS; ++i)
    mg->slots[i].is_known &= mg->slots[i].tick < mg->tick;
  if (mg->tick % KEPT_TICKS == 0)
    save_state(mg, (uint32_t)(mg->tick / KEPT_TICKS % MATCH_SLOTS));
}

// Drops the reports of an earlier run of this tick and of later ones. Reports are in the order of ticks.
static void drop_reports(match_game_o *mg, uint64_t tick) {
  while (mg->reports.count > 0 && mg->reports.items[mg->reports.count - 1].tick >= tick)
    --mg->reports.count;
}

// Keeps the reports of a tick until it is confirmed.
static void keep_reports(match_game_o *mg, uint64_t tick) {
  kept_report_t kept = {.tick = tick};
  while (game_pop_reports(mg->game, &kept.report, 1) > 0)
    array_push(&mg->memory, &mg->reports, kept);
}

// Begins the corrections when the tick that was drawn has run again.
static void correct_poses(match_game_o *mg) {
  if (mg->desc.corrections && mg->tick == mg->drawn_tick && !mg->is_incomplete)
    pose_corrections_add(mg->desc.corrections, mg->game->world);
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
  match_outside_begin(&mg->outside, g, &mg->memory, record, mode);
  game_tick(g);
  mg->is_incomplete = !match_outside_end(&mg->outside, g, record, mode);
  if (mode != MATCH_RUN_HOST) {
    match_output_end(&mg->output);
    keep_reports(mg, record->tick);
  }
  if (is_repeated)
    g->requests = requests;
  else
    mg->requested_tick = record->tick;
  mg->tick = record->tick;
  *hash = match_hash_world(g->world);
  correct_poses(mg);
  if (mode == MATCH_RUN_HOST)
    keep_state(mg);
  return !mg->is_incomplete;
}

static void confirm_reports(match_game_o *mg, uint64_t tick) {
  uint32_t count = 0;
  for (; count < mg->reports.count && mg->reports.items[count].tick <= tick; ++count)
    if (mg->desc.report)
      mg->desc.report(mg->desc.context, &mg->reports.items[count].report);
  mg->reports.count -= count;
  if (count > 0)
    memmove(mg->reports.items, mg->reports.items + count, mg->reports.count * sizeof *mg->reports.items);
}

static void confirm_tick(void *context, uint64_t tick, uint64_t hash) {
  match_game_o *mg = context;
  match_output_confirm(&mg->output, tick);
  confirm_reports(mg, tick);
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
  mg->slots[slot].game = mg->game;
  mg->slots[slot].is_known = true;
}

// The edges of the inputs belong to the tick that has run: the next tick reads only their values.
static void restore_state(void *context, uint32_t slot) {
  match_game_o *mg = context;
  pose_corrections_t *corrections = mg->desc.corrections;
  if (corrections && !mg->is_incomplete && pose_corrections_store(corrections, mg->game->world))
    mg->drawn_tick = mg->tick;
  bool ok = snapshot_restore(mg->slots[slot].state, mg->game->world, NULL);
  (void)ok;
  shoal_assert(ok, "slot %u cannot be restored", slot);
  players_set_inputs(mg->game, &mg->slots[slot].inputs, NULL);
  mg->tick = mg->slots[slot].tick;
  mg->is_incomplete = false;
  if (corrections)
    pose_corrections_skip_spawned(corrections, mg->game->world);
  if (mg->slots[slot].game == mg->game) // later failures are forgotten until the state after them is restored again
    mg->game->parked.items.count = mg->slots[slot].parked_count;
}

// Another world is drawn, or a state that does not follow from the drawn one.
static void drop_corrections(match_game_o *mg) {
  mg->is_incomplete = false;
  if (mg->desc.corrections)
    pose_corrections_clear(mg->desc.corrections);
}

static void restart_game(match_game_o *mg) {
  // All machines have the same state here, and therefore start the next game with the same seed.
  uint64_t seed = world_hash(mg->game->world);
  for (uint32_t i = 0; i < MATCH_SLOTS; ++i)
    mg->slots[i].is_known = false;
  desync_clear(mg->desync);
  drop_corrections(mg);
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

void match_game_set_game(match_game_o *mg, game_o *game) {
  mg->game = game;
  for (uint32_t i = 0; i < MATCH_SLOTS; ++i)
    mg->slots[i].is_known = false; // states of the previous code cannot be restored
  desync_clear(mg->desync);
  drop_corrections(mg);
}

// A snapshot begins with a record of the tick and its inputs, after the size of both.
static size_t write_state(match_game_o *mg, uint64_t tick, const player_inputs_t *inputs, const snapshot_o *s,
                          const uint8_t **bytes) {
  uint8_t head[RECORD_MAX_BYTES + VARINT_BYTES];
  record_coder_t coder = {0};
  record_t record = {.number = 1, .kind = RECORD_TICK, .tick = tick, .inputs = *inputs};
  uint8_t coded[RECORD_MAX_BYTES];
  size_t coded_size = record_write(&coder, &record, coded, sizeof coded), state_size = 0;
  size_t head_size = varint_write(coded_size, head);
  memcpy(head + head_size, coded, coded_size);
  head_size += coded_size;
  const void *state = snapshot_bytes(s, &state_size);
  mg->sent = alloc_resize(&mg->memory, mg->sent, mg->sent_size, head_size + state_size);
  mg->sent_size = head_size + state_size;
  memcpy(mg->sent, head, head_size);
  memcpy(mg->sent + head_size, state, state_size);
  *bytes = mg->sent;
  return mg->sent_size;
}

static size_t write_snapshot(void *context, const uint8_t **bytes) {
  match_game_o *mg = context;
  snapshot_take(mg->state, mg->game->world, NULL);
  return write_state(mg, mg->tick, &mg->game->input.players, mg->state, bytes);
}

// Reads the head of a snapshot. Returns its size; 0 if it is malformed.
static size_t read_head(const uint8_t *bytes, size_t size, record_t *out) {
  uint64_t record_size = 0;
  record_coder_t coder = {0};
  size_t at = varint_read(bytes, size, &record_size);
  if (at == 0 || record_size > size - at || record_read(&coder, bytes + at, record_size, out) != record_size ||
      out->kind != RECORD_TICK)
    return 0;
  return at + record_size;
}

static bool read_snapshot(void *context, const uint8_t *bytes, size_t size, uint64_t *hash, error_info_t *error) {
  match_game_o *mg = context;
  record_t record;
  size_t at = read_head(bytes, size, &record);
  if (at == 0)
    return error_set(error, "the head of the snapshot is malformed");
  snapshot_o *received = snapshot_create_from_bytes(&mg->memory, bytes + at, size - at);
  bool ok = snapshot_restore(received, mg->game->world, error);
  snapshot_release(received);
  if (!ok)
    return false;
  players_set_inputs(mg->game, &record.inputs, NULL);
  match_output_drop(&mg->output);
  drop_corrections(mg);
  mg->reports.count = 0;
  mg->tick = mg->requested_tick = record.tick;
  *hash = match_hash_world(mg->game->world);
  return true;
}

// --- desyncs

// Returns the latest state before a tick that is kept, or NULL. The host keeps every KEPT_TICKS-th state.
static const slot_t *find_start(const match_game_o *mg, uint64_t tick) {
  const slot_t *found = NULL;
  for (uint32_t i = 0; i < MATCH_SLOTS; ++i)
    if (mg->slots[i].is_known && mg->slots[i].tick < tick && mg->slots[i].tick + KEPT_TICKS >= tick &&
        (!found || mg->slots[i].tick > found->tick))
      found = &mg->slots[i];
  return found;
}

// Returns the state after a tick that this machine has run before, or NULL.
static const snapshot_o *find_end(const match_game_o *mg, uint64_t tick) {
  for (uint32_t i = 0; i < MATCH_SLOTS; ++i)
    if (mg->slots[i].is_known && mg->slots[i].tick == tick)
      return mg->slots[i].state;
  return NULL;
}

static void report_pending(match_game_o *mg) {
  script_report_t report;
  while (mg->desc.report && game_pop_reports(mg->game, &report, 1) > 0)
    mg->desc.report(mg->desc.context, &report);
}

static size_t trace_tick(void *context, const match_o *m, uint64_t tick, uint64_t hash, const uint8_t *other,
                         size_t other_size, uint8_t *out) {
  match_game_o *mg = context;
  char path[PATH_BYTES] = "";
  const slot_t *start = find_start(mg, tick);
  player_inputs_t inputs = mg->game->input.players;
  if (!start || !snapshot_take(mg->state, mg->game->world, NULL))
    return 0;
  uint32_t parked_count = mg->game->parked.items.count;
  report_pending(mg); // of ticks that have run
  recorder_o *recorder = NULL;
  if (mg->desc.create_recorder && mg->recording_count < MAX_RECORDINGS)
    recorder = mg->desc.create_recorder(mg->desc.context, &mg->memory, tick, path, sizeof path);
  mg->recording_count += recorder != NULL;
  desync_start_t from = {.tick = start->tick, .state = start->state, .inputs = &start->inputs};
  desync_trace_desc_t desc = {.game = mg->game,
                              .match = m,
                              .tick = tick,
                              .hash = hash,
                              .end = tick == mg->tick ? mg->state : find_end(mg, tick),
                              .other = other,
                              .other_size = other_size,
                              .recorder = recorder,
                              .path = path};
  size_t size = desync_trace(mg->desync, &from, &desc, out);
  recorder_destroy(recorder);
  bool ok = snapshot_restore(mg->state, mg->game->world, NULL);
  (void)ok;
  shoal_assert(ok, "the state of tick %llu cannot be restored", (unsigned long long)mg->tick);
  players_set_inputs(mg->game, &inputs, NULL);
  script_report_t repeated;
  while (game_pop_reports(mg->game, &repeated, 1) > 0) {
  }
  mg->game->parked.items.count = parked_count;
  return size;
}

static size_t write_traced(void *context, uint64_t tick, const uint8_t **bytes) {
  match_game_o *mg = context;
  const player_inputs_t *inputs;
  const snapshot_o *state = desync_get_state(mg->desync, tick, &inputs);
  return state ? write_state(mg, tick, inputs, state, bytes) : 0;
}

static size_t find_difference(void *context, const match_o *m, uint64_t tick, const uint8_t *report, size_t report_size,
                              const uint8_t *bytes, size_t size, uint8_t *out) {
  match_game_o *mg = context;
  record_t record;
  size_t head_size = size > 0 ? read_head(bytes, size, &record) : 0;
  snapshot_o *host =
      head_size > 0 ? snapshot_create_from_bytes(&mg->memory, bytes + head_size, size - head_size) : NULL;
  size_t found = desync_find(mg->desync, mg->game, m, tick, report, report_size, host, out);
  snapshot_release(host);
  return found;
}

static bool describe_difference(void *context, uint64_t tick, const uint8_t *finding, size_t size, char *out) {
  match_game_o *mg = context;
  return desync_describe(mg->desync, mg->game, tick, finding, size, out);
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
                         .trace = trace_tick,
                         .write_traced = write_traced,
                         .find = find_difference,
                         .describe = describe_difference,
                         .code = mg->desc.code};
}
