// A game as the world of a match, and the lobby before it. A state consists of the world's state and the players'
// state (players_state_t).
#include "migrate/state_migrate.h"
#include "match/match_game.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/file_path.h"
#include "base/varint.h"
#include "ecs/world_hash.h"
#include "game/game.h"
#include "game/players.h"
#include "match/component_hashes.h"
#include "match/desync.h"
#include "match/match_output.h"
#include "match/match_tick.h"
#include "poses/pose_corrections.h"
#include "snapshot/state.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define KEPT_TICKS 8u      // the host keeps every eighth state, for two seconds at 60 ticks per second
#define MAX_RECORDINGS 16u // maximum number of desync recordings
#define COMPRESSION_LEVEL 1

typedef struct slot_t {
  snapshot_o *state;
  players_state_t players;
  uint64_t tick;
  uint32_t parked_count; // number of parked systems and functions of `game`
  const game_o *game;
  bool is_known;
} slot_t;

struct match_game_o {
  allocator_t memory;
  match_game_desc_t desc;
  game_o *game;
  bool is_in_lobby; // `game` is the lobby of the match
  slot_t slots[MATCH_SLOTS];
  snapshot_o *state; // scratch buffer
  uint8_t *sent;     // encoded form of the most recent snapshot
  size_t sent_capacity;
  uint64_t tick;       // tick of the match; a restart resets only the world's tick
  uint64_t drawn_tick; // tick of the poses in desc.corrections
  bool is_incomplete;  // true if the state is undefined: the last tick lacked an external result
  match_output_t output;
  match_items_t items;
  ARRAY(external_result_t *) waiting_results; // results of match_game_add_result that no record contains yet
  desync_o *desync;
  uint32_t recording_count;
};

match_game_o *match_game_create(const match_game_desc_t *desc) {
  match_game_o *mg = alloc_object(sizeof *mg);
  shoal_assert(players_are_declared(desc->game), "the game declares no players");
  mg->desc = *desc;
  mg->desc.max_state_bytes = desc->max_state_bytes ? desc->max_state_bytes : MATCH_GAME_MAX_STATE_BYTES;
  mg->game = desc->game;
  mg->tick = world_tick(mg->game->world);
  mg->output = (match_output_t){.memory = &mg->memory, .log = mg->game->desc.log, .audio = mg->game->desc.audio};
  mg->state = snapshot_create(&mg->memory);
  mg->desync = desync_create(&mg->memory);
  for (uint32_t i = 0; i < MATCH_SLOTS; ++i) {
    mg->slots[i].state = snapshot_create(&mg->memory);
    if (!desc->keeps_no_states)
      snapshot_take(mg->slots[i].state, mg->game->world, NULL);
  }
  mg->slots[0].tick = mg->tick;
  mg->slots[0].is_known = !desc->keeps_no_states;
  players_set_match(mg->game, true);
  players_set_inputs(mg->game, &(player_inputs_t){0}, NULL);
  return mg;
}

void match_game_destroy(match_game_o *mg) {
  if (!mg)
    return;
  players_set_match(mg->game, false);
  match_output_fini(&mg->output);
  for (uint32_t i = 0; i < mg->waiting_results.count; ++i)
    external_result_release(mg->waiting_results.items[i]);
  array_free(&mg->memory, &mg->waiting_results);
  for (uint32_t i = 0; i < MATCH_SLOTS; ++i)
    snapshot_release(mg->slots[i].state);
  snapshot_release(mg->state);
  alloc_resize(&mg->memory, mg->sent, mg->sent_capacity, 0);
  desync_destroy(mg->desync);
  shoal_assert(mg->memory.bytes == 0, "%zu bytes of the match's game were not freed", mg->memory.bytes);
  free(mg);
}

// --- ticks

static void save_state(void *context, uint32_t slot);

// Keeps every KEPT_TICKS-th state of the host, so that a tick can run again after a desync. The host does not need
// these slots for rollbacks. Drops states of later ticks, which a peer may have predicted before it became the host.
static void keep_state(match_game_o *mg) {
  for (uint32_t i = 0; i < MATCH_SLOTS; ++i)
    mg->slots[i].is_known &= mg->slots[i].tick < mg->tick;
  if (mg->tick % KEPT_TICKS == 0)
    save_state(mg, (uint32_t)(mg->tick / KEPT_TICKS % MATCH_SLOTS));
}

// Adds the pose corrections once the drawn tick has run again.
static void correct_poses(match_game_o *mg) {
  if (mg->desc.corrections && mg->tick == mg->drawn_tick && !mg->is_incomplete)
    pose_corrections_add(mg->desc.corrections, mg->game->world);
}

static void measure(const match_game_o *mg, bool begins) {
  if (mg->desc.measure)
    mg->desc.measure(mg->desc.context, begins);
}

void match_game_add_result(match_game_o *mg, external_result_t *result) {
  shoal_assert(strlen(result->key) + result->size <= MATCH_TICK_MAX_GIVEN_BYTES, "a result of %zu bytes is too large",
               result->size);
  array_push(&mg->memory, &mg->waiting_results, external_result_retain(result));
}

uint32_t match_game_count_waiting_results(const match_game_o *mg) {
  return mg->waiting_results.count;
}

// Runs a tick of the host, whose record receives the first waiting result if it has space.
static void run_host_tick(match_game_o *mg, record_t *record) {
  bool has_result = mg->waiting_results.count > 0 && match_tick_fits(record, mg->waiting_results.items[0]);
  mg->items.given = has_result ? mg->waiting_results.items[0] : NULL;
  match_tick_run(&mg->items, mg->game, &mg->memory, record, MATCH_RUN_HOST);
  mg->items.given = NULL;
  if (!has_result)
    return;
  external_result_release(mg->waiting_results.items[0]);
  --mg->waiting_results.count;
  memmove(mg->waiting_results.items, mg->waiting_results.items + 1,
          mg->waiting_results.count * sizeof *mg->waiting_results.items);
}

static bool has_move(const script_move_t *moves, uint32_t count, uint32_t player) {
  while (count > 0 && moves[count - 1].player != player)
    --count;
  return count > 0;
}

// Runs a tick of the host. Scripts can read the moves that the tick has requested, so the tick begins without the moves
// of earlier ticks in the same update: a recovery or a peer would otherwise have a different result. The first move of
// each player remains.
static void run_host_tick_alone(match_game_o *mg, record_t *record) {
  script_requests_t *requests = &mg->game->requests;
  script_move_t moves[PLAYER_MAX];
  uint32_t count = requests->move_count;
  memcpy(moves, requests->moves, count * sizeof *moves);
  requests->move_count = 0;
  run_host_tick(mg, record);
  for (uint32_t i = 0; i < requests->move_count && count < PLAYER_MAX; ++i)
    if (!has_move(moves, count, requests->moves[i].player))
      moves[count++] = requests->moves[i];
  memcpy(requests->moves, moves, count * sizeof *moves);
  requests->move_count = count;
}

static bool run_tick(void *context, record_t *record, match_run_t mode, uint64_t *hash) {
  match_game_o *mg = context;
  game_o *g = mg->game;
  bool is_host = mode == MATCH_RUN_HOST;
  if (is_host)
    match_output_drop(&mg->output); // drops outputs that were predicted before this machine became the host
  else
    match_output_begin(&mg->output, record->tick, g);
  measure(mg, true);
  if (is_host)
    run_host_tick_alone(mg, record);
  mg->is_incomplete = !is_host && !match_tick_run(&mg->items, g, &mg->memory, record, mode);
  measure(mg, false);
  if (!is_host)
    match_output_end(&mg->output, record->tick, g);
  mg->tick = record->tick;
  *hash = match_hash_world(g->world);
  correct_poses(mg);
  if (is_host)
    keep_state(mg);
  return !mg->is_incomplete;
}

static void confirm_tick(void *context, uint64_t tick, uint64_t hash) {
  match_game_o *mg = context;
  uint32_t count;
  const script_report_t *reports = match_output_confirm(&mg->output, tick, mg->game, &count);
  for (uint32_t i = 0; i < count && mg->desc.report; ++i)
    mg->desc.report(mg->desc.context, &reports[i]);
  if (mg->desc.confirm)
    mg->desc.confirm(mg->desc.context, tick, hash);
}

// --- states

static void save_state(void *context, uint32_t slot) {
  match_game_o *mg = context;
  if (mg->desc.keeps_no_states)
    return;
  bool ok = snapshot_take(mg->slots[slot].state, mg->game->world, NULL);
  (void)ok;
  shoal_assert(ok, "the state of tick %llu cannot be taken", (unsigned long long)world_tick(mg->game->world));
  players_get_state(mg->game, &mg->slots[slot].players);
  mg->slots[slot].tick = mg->tick;
  mg->slots[slot].parked_count = mg->game->parked.items.count;
  mg->slots[slot].game = mg->game;
  mg->slots[slot].is_known = true;
}

const snapshot_o *match_game_get_confirmed(const match_game_o *mg, const match_status_t *status) {
  const slot_t *slot = &mg->slots[status->slot];
  if (status->predicted_tick == status->tick)
    return NULL;
  shoal_assert(slot->is_known && slot->tick == status->tick, "the state of the confirmed tick %llu is not kept",
               (unsigned long long)status->tick);
  return slot->state;
}

// Restores the state and the players of a slot. The presses and releases in the restored input have already taken
// effect, so the next tick reads only the held values.
static void restore_state(void *context, uint32_t slot) {
  match_game_o *mg = context;
  pose_corrections_t *corrections = mg->desc.corrections;
  shoal_assert(!mg->desc.keeps_no_states, "the match keeps no state to restore");
  if (corrections && !mg->is_incomplete && pose_corrections_store(corrections, mg->game->world))
    mg->drawn_tick = mg->tick;
  bool ok = state_restore_with_kept(mg->slots[slot].state, mg->game->world, NULL);
  (void)ok;
  shoal_assert(ok, "slot %u cannot be restored", slot);
  players_set_state(mg->game, &mg->slots[slot].players);
  mg->tick = mg->slots[slot].tick;
  mg->is_incomplete = false;
  if (corrections)
    pose_corrections_skip_spawned(corrections, mg->game->world);
  if (mg->slots[slot].game == mg->game) // drops the failures that followed this state
    mg->game->parked.items.count = mg->slots[slot].parked_count;
}

// Drops the pose corrections: the next drawn state does not follow from the current one.
static void drop_corrections(match_game_o *mg) {
  mg->is_incomplete = false;
  if (mg->desc.corrections)
    pose_corrections_clear(mg->desc.corrections);
}

// Makes `game` the world of the match, and drops the states of the previous game.
static void begin_game(match_game_o *mg, game_o *game) {
  for (uint32_t i = 0; i < MATCH_SLOTS; ++i)
    mg->slots[i].is_known = false;
  desync_clear(mg->desync);
  drop_corrections(mg);
  mg->game = game;
  players_set_match(mg->game, true);
  players_set_inputs(mg->game, &(player_inputs_t){0}, NULL);
  players_set_inputs(mg->game, &(player_inputs_t){0}, NULL); // a second call also clears the previous inputs
}

// Replaces the game with the lobby, or the lobby with the game. Returns true on success, or false if the new game could
// not start.
static bool enter(match_game_o *mg, bool is_lobby, uint64_t seed) {
  game_o *game = mg->desc.enter ? mg->desc.enter(mg->desc.context, is_lobby, seed) : mg->game;
  if (game == mg->game)
    return false;
  mg->is_in_lobby = is_lobby;
  begin_game(mg, game);
  for (uint32_t i = 0; i < MATCH_SLOTS && !mg->desc.keeps_no_states;
       ++i) // allocates the memory of the slots now, not during the first ticks
    snapshot_take(mg->slots[i].state, game->world, NULL);
  return true;
}

void match_game_restart(match_game_o *mg) {
  if (mg->desc.restart && !mg->is_in_lobby)
    begin_game(mg, mg->desc.restart(mg->desc.context, mg->game->desc.seed));
}

bool match_game_enter_lobby(match_game_o *mg) {
  shoal_assert(mg->tick == 0 && !mg->is_in_lobby, "tick %llu of the match has run", (unsigned long long)mg->tick);
  return enter(mg, true, mg->game->desc.seed);
}

bool match_game_is_in_lobby(const match_game_o *mg) {
  return mg->is_in_lobby;
}

static void apply_record(void *context, const record_t *record) {
  match_game_o *mg = context;
  // All machines have the same state at this point, and therefore compute the same seed for the next game.
  uint64_t seed = world_hash(mg->game->world);
  if (record->kind == RECORD_RESTART && mg->desc.restart)
    begin_game(mg, mg->desc.restart(mg->desc.context, seed));
  else if (record->kind == RECORD_SWITCH && mg->is_in_lobby)
    enter(mg, false, seed);
  else // a record from the network must not end this program; a desync and its repair follow
    log_error(mg->game->desc.log, "match: records of kind %d are not supported", (int)record->kind);
}

void match_game_set_game(match_game_o *mg, game_o *game) {
  mg->game = game;
  for (uint32_t i = 0; i < MATCH_SLOTS; ++i)
    mg->slots[i].is_known = false; // states of the previous code cannot be restored
  desync_clear(mg->desync);
  drop_corrections(mg);
}

// The first byte of a snapshot.
enum { SNAPSHOT_LOBBY = 1, SNAPSHOT_PLAIN = 2, SNAPSHOT_FLAGS = 3 };

// Writes a snapshot. It begins with a head: SNAPSHOT_LOBBY if the match is in the lobby and SNAPSHOT_PLAIN if
// `is_plain` (1 byte), size (varint) and record of the tick with its inputs, and name and colour of each player who
// takes part (player_info_t). The state follows, as a zstd frame unless `is_plain`.
static size_t write_state(match_game_o *mg, uint64_t tick, const players_state_t *players, const snapshot_o *s,
                          bool is_plain, const uint8_t **bytes) {
  uint8_t head[1 + VARINT_BYTES + RECORD_MAX_BYTES + sizeof players->infos] = {
      (uint8_t)((mg->is_in_lobby ? SNAPSHOT_LOBBY : 0) | (is_plain ? SNAPSHOT_PLAIN : 0))};
  record_coder_t coder = {0};
  record_t record = {.number = 1, .kind = RECORD_TICK, .tick = tick, .inputs = players->inputs};
  uint8_t coded[RECORD_MAX_BYTES];
  size_t coded_size = record_write(&coder, &record, coded, sizeof coded), state_size = 0;
  size_t head_size = 1 + varint_write(coded_size, head + 1);
  memcpy(head + head_size, coded, coded_size);
  head_size += coded_size;
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    if (!(players->inputs.present >> i & 1))
      continue;
    memcpy(head + head_size, &players->infos[i], sizeof players->infos[i]);
    head_size += sizeof players->infos[i];
  }
  const void *state = snapshot_bytes(s, &state_size);
  size_t capacity = head_size + (is_plain ? state_size : ZSTD_compressBound(state_size));
  mg->sent = alloc_resize(&mg->memory, mg->sent, mg->sent_capacity, capacity);
  mg->sent_capacity = capacity;
  memcpy(mg->sent, head, head_size);
  *bytes = mg->sent;
  if (is_plain) {
    memcpy(mg->sent + head_size, state, state_size);
    return head_size + state_size;
  }
  size_t size = ZSTD_compress(mg->sent + head_size, capacity - head_size, state, state_size, COMPRESSION_LEVEL);
  shoal_assert(!ZSTD_isError(size), "a state of %zu bytes cannot be compressed: %s", state_size,
               ZSTD_getErrorName(size));
  return head_size + size;
}

static size_t write_current_state(match_game_o *mg, bool is_plain, const uint8_t **bytes) {
  players_state_t players;
  players_get_state(mg->game, &players);
  snapshot_take(mg->state, mg->game->world, NULL);
  return write_state(mg, mg->tick, &players, mg->state, is_plain, bytes);
}

static size_t write_snapshot(void *context, const uint8_t **bytes) {
  return write_current_state(context, false, bytes);
}

static size_t copy_snapshot(void *context, const uint8_t **bytes) {
  return write_current_state(context, true, bytes);
}

typedef struct state_head_t {
  bool is_in_lobby, is_plain;
  uint64_t tick;
  players_state_t players;
} state_head_t;

// Reads the players' names and colours. Returns the offset after them, or 0 if the data is truncated.
static size_t read_infos(const uint8_t *bytes, size_t size, size_t at, players_state_t *out) {
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    if (!(out->inputs.present >> i & 1))
      continue;
    if (size - at < sizeof out->infos[i])
      return 0;
    memcpy(&out->infos[i], bytes + at, sizeof out->infos[i]);
    at += sizeof out->infos[i];
  }
  return at;
}

// Reads the head of a snapshot. Returns its size, or 0 if it is malformed.
static size_t read_head(const uint8_t *bytes, size_t size, state_head_t *out) {
  record_t record;
  uint64_t record_size = 0;
  record_coder_t coder = {0};
  size_t at = 1, read = size > 1 && bytes[0] <= SNAPSHOT_FLAGS ? varint_read(bytes + 1, size - 1, &record_size) : 0;
  at += read;
  if (read == 0 || record_size > size - at || record_read(&coder, bytes + at, record_size, &record) != record_size ||
      record.kind != RECORD_TICK)
    return 0;
  at += record_size;
  *out = (state_head_t){.is_in_lobby = bytes[0] & SNAPSHOT_LOBBY,
                        .is_plain = bytes[0] & SNAPSHOT_PLAIN,
                        .tick = record.tick,
                        .players.inputs = record.inputs};
  return read_infos(bytes, size, at, &out->players);
}

// Reads the state of a snapshot. Returns the state, or NULL if the snapshot is malformed or the state is too large.
static snapshot_o *read_state(match_game_o *mg, const state_head_t *head, const uint8_t *bytes, size_t size) {
  // zstd's error values exceed all valid sizes
  unsigned long long state_size = head->is_plain ? size : ZSTD_getFrameContentSize(bytes, size);
  if (state_size == 0 || state_size > mg->desc.max_state_bytes)
    return NULL;
  snapshot_o *s = snapshot_create(&mg->memory);
  void *out = snapshot_reserve(s, state_size);
  if (head->is_plain)
    memcpy(out, bytes, size);
  if (head->is_plain || ZSTD_decompress(out, state_size, bytes, size) == state_size)
    return s;
  snapshot_release(s);
  return NULL;
}

static bool read_snapshot(void *context, const uint8_t *bytes, size_t size, uint64_t *hash, error_info_t *error) {
  match_game_o *mg = context;
  state_head_t head;
  size_t at = read_head(bytes, size, &head);
  if (at == 0)
    return error_set(error, "the head of the snapshot is malformed");
  snapshot_o *received = read_state(mg, &head, bytes + at, size - at);
  if (!received)
    return error_set(error, "the state of the snapshot is malformed");
  if (head.is_in_lobby != mg->is_in_lobby && !enter(mg, head.is_in_lobby, mg->game->desc.seed)) {
    snapshot_release(received);
    return error_set(error, head.is_in_lobby ? "the lobby cannot start" : "the game cannot start");
  }
  bool ok = state_restore_with_kept(received, mg->game->world, error);
  snapshot_release(received);
  if (!ok)
    return false;
  players_set_state(mg->game, &head.players);
  match_output_drop(&mg->output);
  drop_corrections(mg);
  mg->tick = head.tick;
  *hash = match_hash_world(mg->game->world);
  return true;
}

// --- desyncs

// Returns the latest kept state, at most KEPT_TICKS ticks before a tick, or NULL if no such state is kept. The host
// keeps every KEPT_TICKS-th state.
static const slot_t *find_start(const match_game_o *mg, uint64_t tick) {
  const slot_t *found = NULL;
  for (uint32_t i = 0; i < MATCH_SLOTS; ++i)
    if (mg->slots[i].is_known && mg->slots[i].tick < tick && mg->slots[i].tick + KEPT_TICKS >= tick &&
        (!found || mg->slots[i].tick > found->tick))
      found = &mg->slots[i];
  return found;
}

// Returns the state after a tick that this machine has already run, or NULL if it is not kept.
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
  char path[FILE_PATH_BYTES] = "";
  const slot_t *start = find_start(mg, tick);
  players_state_t players;
  players_get_state(mg->game, &players);
  if (!start || !snapshot_take(mg->state, mg->game->world, NULL))
    return 0;
  uint32_t parked_count = mg->game->parked.items.count;
  report_pending(mg); // reports the failures of ticks that have already run
  journal_o *journal = journal_create(&mg->memory);
  recorder_o *recorder = NULL;
  if (mg->desc.create_recorder && mg->recording_count < MAX_RECORDINGS)
    recorder = mg->desc.create_recorder(mg->desc.context, journal, tick, path, sizeof path);
  mg->recording_count += recorder != NULL;
  desync_start_t from = {.tick = start->tick, .state = start->state, .players = &start->players};
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
  journal_destroy(journal);
  bool ok = state_restore_with_kept(mg->state, mg->game->world, NULL);
  (void)ok;
  shoal_assert(ok, "the state of tick %llu cannot be restored", (unsigned long long)mg->tick);
  players_set_state(mg->game, &players);
  script_report_t repeated;
  while (game_pop_reports(mg->game, &repeated, 1) > 0) {
  }
  mg->game->parked.items.count = parked_count;
  return size;
}

static size_t write_traced(void *context, uint64_t tick, const uint8_t **bytes) {
  match_game_o *mg = context;
  const players_state_t *players;
  const snapshot_o *state = desync_get_state(mg->desync, tick, &players);
  return state ? write_state(mg, tick, players, state, false, bytes) : 0;
}

static size_t find_difference(void *context, const match_o *m, uint64_t tick, const uint8_t *report, size_t report_size,
                              const uint8_t *bytes, size_t size, uint8_t *out) {
  match_game_o *mg = context;
  state_head_t head;
  size_t head_size = size > 0 ? read_head(bytes, size, &head) : 0;
  snapshot_o *host = head_size > 0 && head.is_in_lobby == mg->is_in_lobby
                         ? read_state(mg, &head, bytes + head_size, size - head_size)
                         : NULL;
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
                         .copy_snapshot = copy_snapshot,
                         .read_snapshot = read_snapshot,
                         .confirm = confirm_tick,
                         .trace = trace_tick,
                         .write_traced = write_traced,
                         .find = find_difference,
                         .describe = describe_difference,
                         .code = mg->desc.code};
}
