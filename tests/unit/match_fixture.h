// A world and a network for tests of matches. The world is a few integers that mix all inputs, so that a lost,
// duplicated or reordered edge or command changes its hash. It also counts presses, adds up the movements of mice, and
// checks the order of commands. A real game can play along with it, or replace it. Machines play over sealed sessions
// on a simulated network.
#ifndef SHOAL_TESTS_MATCH_FIXTURE_H
#define SHOAL_TESTS_MATCH_FIXTURE_H

#include "base/hash.h"
#include "base/random.h"
#include "link/link_sim.h"
#include "match/match.h"
#include "test.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICK_US 16667
#define ACTIONS 8u // number of actions of the model
#define MAX_ACTIONS 16u
#define MAX_MACHINES 33u
#define MAX_TICKS 4096u
#define RESULT_TICKS 97u // ticks between two external results

typedef struct model_state_t {
  uint64_t tick, mix;
  uint32_t presses[PLAYER_MAX][MAX_ACTIONS];
  uint32_t moved[PLAYER_MAX][2];                          // sums of the movements, modulo 2^32
  uint32_t incarnation[PLAYER_MAX], commands[PLAYER_MAX]; // number of each player's connection; its next command
  uint32_t wrong_commands;
  uint32_t restarts;
} model_state_t;

typedef struct model_command_t {
  uint32_t incarnation, sequence;
} model_command_t;

// Changed code of the model. A machine tries it for `trial_steps`. The machine with the index `refuser` - 1 refuses it,
// and the machine with the index `slow` - 1 never ends its trial.
typedef struct model_code_t {
  uint64_t value;
  uint32_t trial_steps, refuser, slow;
} model_code_t;

struct fixture_t;

typedef struct machine_t {
  struct fixture_t *fixture;
  uint32_t index;
  link_address_t address;
  link_t link;
  seal_o *seal;
  match_o *match;
  model_state_t state, slots[MATCH_SLOTS];
  uint8_t *snapshot;
  uint64_t hashes[128];    // mixed values after recent ticks
  model_state_t past[128]; // states after recent ticks
  uint32_t host_peer;      // number of the host in this machine's seal; 0: none
  uint32_t peers[MATCH_MAX_CONNECTIONS];
  bool is_on;                  // the machine takes part in the session
  uint32_t frame_ticks, phase; // the machine runs a frame every `frame_ticks` ticks
  bool is_slow;                // the machine confirms one tick per frame
  uint32_t incarnation, sequence;
  uint32_t presses[PLAYER_MAX][MAX_ACTIONS];
  uint32_t moved[PLAYER_MAX][2]; // expected sums in the host's world
  player_input_t held[PLAYER_MAX];
  match_world_t world; // replaces the model; `run` is NULL: the model is the world
  match_world_t game;  // game that runs the model's records, too; `run` is NULL: no game
  uint64_t confirmed;  // last tick that was confirmed
  bool is_counting;
  uint64_t plant_tick; // the state is damaged after this tick; 0: never
  model_code_t code, trial;
  uint64_t trial_end; // step at which the trial ends
  bool has_no_code;   // the machine does not accept changed code
  uint32_t reloads, refusals;
  uint32_t late_trials;
  match_event_t result; // the latest event RELOADED or REFUSED
  uint32_t refused, failed, desyncs, repaired, named, lost, rejoined, traces, compared;
  char lines[2][MATCH_LINE_BYTES]; // the last two lines that name a desync
  uint64_t line_ticks[2];
  char problem[128];
} machine_t;

typedef struct fixture_t {
  uint64_t seed;
  random_t random;
  link_sim_o *sim;
  int64_t now_us;
  uint64_t ticks; // number of simulated steps
  machine_t machines[MAX_MACHINES];
  uint32_t count, host;
  uint32_t actions;
  uint32_t input_interval;  // mean ticks between the presses and releases of a player
  uint32_t motion_interval; // mean ticks between the movements of a player's mouse
  // Creates the game of a machine, which plays along with the model. NULL: none.
  match_world_t (*create_game)(void *context, uint32_t machine);
  // Called after each tick that the game of a machine has run. NULL: no check.
  void (*check_tick)(void *context, uint32_t machine, const record_t *record, match_run_t mode);
  void *game_context;
  uint64_t hashes[MAX_TICKS]; // hash of the host after each tick
  uint64_t models[MAX_TICKS]; // hash of the host's model after each tick
  uint32_t snapshot_bytes, stream_bytes;
  uint32_t max_players;     // maximum number of players in the match
  bool is_quiet;            // players make no inputs
  const char *const *names; // names of the machines; NULL: no names
  bool is_sharing;          // machines propose changes of the code
  bool has_bad_peer;
} fixture_t;

static inline uint32_t below(fixture_t *f, uint32_t count) {
  return random_u32(&f->random) % count;
}

static inline match_status_t fixture_status(fixture_t *f, uint32_t machine) {
  return match_get_status(f->machines[machine].match, f->now_us);
}

#define FIXTURE_FAIL(f, format, ...)                                                                                   \
  fail_msg("seed %llu, step %llu: " format, (unsigned long long)(f)->seed, (unsigned long long)(f)->ticks, __VA_ARGS__)

// --- the world

static inline uint64_t model_mix(uint64_t mix, uint64_t value) {
  mix = (mix ^ value) * UINT64_C(0x9e3779b97f4a7c15);
  return mix ^ mix >> 29;
}

static inline void model_run_item(model_state_t *s, const record_item_t *item) {
  model_command_t command;
  s->mix = model_mix(s->mix, item->kind + item->player * 16u + item->size * 1000u);
  if (item->kind == RECORD_ITEM_JOIN) {
    memset(s->presses[item->player], 0, sizeof s->presses[0]);
    s->incarnation[item->player] = s->commands[item->player] = 0;
  }
  if (item->kind != RECORD_ITEM_COMMAND)
    return;
  memcpy(&command, item->bytes, sizeof command);
  s->mix = model_mix(s->mix, command.sequence);
  if (command.incarnation > s->incarnation[item->player]) {
    s->incarnation[item->player] = command.incarnation;
    s->commands[item->player] = 0;
    memset(s->presses[item->player], 0, sizeof s->presses[0]);
  }
  bool is_next = command.incarnation == s->incarnation[item->player] && command.sequence == s->commands[item->player];
  s->wrong_commands += !is_next;
  ++s->commands[item->player];
}

static inline void model_run_player(model_state_t *s, uint32_t player, const player_input_t *input) {
  uint64_t words[PLAYER_MAX_ACTIONS / 8];
  memcpy(words, input->values, sizeof input->values);
  s->mix = model_mix(s->mix, player ^ words[0]);
  s->mix = model_mix(s->mix, words[1]);
  s->mix = model_mix(s->mix, (input->pressed << 32 ^ input->released) + (uint64_t)(int64_t)input->pointer_x);
  for (uint32_t i = 0; i < MAX_ACTIONS; ++i)
    s->presses[player][i] += (uint32_t)(input->pressed >> i & 1);
  s->moved[player][0] += (uint32_t)input->motion_x;
  s->moved[player][1] += (uint32_t)input->motion_y;
}

static inline bool model_check_result(machine_t *machine, record_t *record, match_run_t mode) {
  static const uint8_t result[] = "result from outside";
  bool has_result = false;
  for (uint32_t i = 0; i < record->item_count; ++i)
    has_result |= record->items[i].kind == RECORD_ITEM_RESULT;
  if (record->tick % RESULT_TICKS != 0 || has_result)
    return true;
  if (mode != MATCH_RUN_HOST)
    return false;
  record->items[record->item_count++] = (record_item_t){RECORD_ITEM_RESULT, 0, sizeof result, result};
  (void)machine;
  return true;
}

static inline uint64_t model_hash(const model_state_t *s) {
  return hash_bytes(s, sizeof *s, 1) | 1;
}

// Runs the tick of the game, and mixes its hash into `hash`.
static inline bool game_run_record(machine_t *machine, record_t *record, match_run_t mode, uint64_t *hash) {
  uint64_t game_hash;
  if (!machine->game.run)
    return true;
  bool ok = machine->game.run(machine->game.context, record, mode, &game_hash);
  *hash = model_mix(*hash, game_hash) | 1;
  if (ok && machine->fixture->check_tick)
    machine->fixture->check_tick(machine->fixture->game_context, machine->index, record, mode);
  return ok;
}

static inline bool model_run(void *context, record_t *record, match_run_t mode, uint64_t *hash) {
  machine_t *machine = context;
  model_state_t *s = &machine->state;
  if (record->tick != s->tick + 1)
    FIXTURE_FAIL(machine->fixture, "tick %llu follows tick %llu", (unsigned long long)record->tick,
                 (unsigned long long)s->tick);
  ++s->tick;
  s->mix = model_mix(s->mix, machine->code.value);
  if (!model_check_result(machine, record, mode))
    return false;
  for (uint32_t i = 0; i < record->item_count; ++i)
    model_run_item(s, &record->items[i]);
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    if (record->inputs.present >> i & 1)
      model_run_player(s, i, &record->inputs.players[i]);
  if (s->tick == machine->plant_tick)
    s->mix ^= 1;
  uint64_t model = *hash = model_hash(s);
  machine->hashes[s->tick % 128] = s->mix;
  machine->past[s->tick % 128] = *s;
  if (!game_run_record(machine, record, mode, hash))
    return false;
  if (mode == MATCH_RUN_HOST && s->tick < MAX_TICKS) {
    machine->fixture->hashes[s->tick] = *hash;
    machine->fixture->models[s->tick] = model;
  }
  return true;
}

static inline void model_save(void *context, uint32_t slot) {
  machine_t *machine = context;
  machine->slots[slot] = machine->state;
  if (machine->game.save)
    machine->game.save(machine->game.context, slot);
}

static inline void model_restore(void *context, uint32_t slot) {
  machine_t *machine = context;
  machine->state = machine->slots[slot];
  if (machine->game.restore)
    machine->game.restore(machine->game.context, slot);
}

static inline void model_apply(void *context, const record_t *record) {
  machine_t *machine = context;
  machine->state.restarts += record->kind == RECORD_RESTART || record->kind == RECORD_SWITCH;
  machine->state.mix += machine->index; // stands for a game whose settings differ between the machines
}

// The game's snapshot follows the model's.
static inline size_t model_write_snapshot(void *context, const uint8_t **bytes) {
  machine_t *machine = context;
  const uint8_t *game = NULL;
  size_t size = machine->fixture->snapshot_bytes, game_size = 0;
  if (machine->game.run)
    game_size = machine->game.write_snapshot(machine->game.context, &game);
  machine->snapshot = realloc(machine->snapshot, size + game_size);
  memcpy(machine->snapshot, &machine->state, sizeof machine->state);
  if (game_size > 0)
    memcpy(machine->snapshot + size, game, game_size);
  *bytes = machine->snapshot;
  return size + game_size;
}

static inline bool model_read_snapshot(void *context, const uint8_t *bytes, size_t size, uint64_t *hash,
                                       error_info_t *error) {
  machine_t *machine = context;
  size_t model_size = machine->fixture->snapshot_bytes;
  uint64_t game_hash;
  if (size < model_size || (size > model_size && !machine->game.run))
    return error_set(error, "a snapshot of %zu bytes", size);
  memcpy(&machine->state, bytes, sizeof machine->state);
  *hash = model_hash(&machine->state);
  if (!machine->game.run)
    return true;
  bool ok =
      machine->game.read_snapshot(machine->game.context, bytes + model_size, size - model_size, &game_hash, error);
  *hash = model_mix(*hash, game_hash) | 1;
  return ok;
}

static inline uint64_t model_code_hash(void *context) {
  const machine_t *machine = context;
  return machine->code.value + 1;
}

static inline bool model_begin_trial(void *context, const uint8_t *bytes, size_t size, bool is_complete,
                                     uint32_t proposer, error_info_t *reason) {
  (void)proposer;
  machine_t *machine = context;
  (void)is_complete;
  if (size < sizeof machine->trial)
    return error_set(reason, "malformed");
  memcpy(&machine->trial, bytes, sizeof machine->trial);
  machine->trial_end = machine->fixture->ticks + machine->trial.trial_steps;
  return true;
}

static inline match_trial_t model_poll_trial(void *context, uint64_t *hash, error_info_t *reason) {
  machine_t *machine = context;
  *hash = machine->trial.value + 1;
  if (machine->trial.refuser == machine->index + 1) {
    error_set(reason, "The change has an error.\nsystems/a.lua:3: unknown name");
    return MATCH_TRIAL_FAILED;
  }
  return machine->fixture->ticks < machine->trial_end || machine->trial.slow == machine->index + 1 ? MATCH_TRIAL_RUNNING
                                                                                                   : MATCH_TRIAL_PASSED;
}

static inline void model_end_trial(void *context) {
  machine_t *machine = context;
  machine->trial = (model_code_t){0};
}

static inline bool model_replace_code(void *context, error_info_t *reason) {
  machine_t *machine = context;
  (void)reason;
  machine->code = (model_code_t){.value = machine->trial.value};
  return true;
}

static inline size_t model_write_changes(void *context, const uint8_t **bytes) {
  machine_t *machine = context;
  *bytes = (const uint8_t *)&machine->code;
  return sizeof machine->code;
}

// Writes a report or a finding: the mixed value after the tick. The machine must have the record of the tick.
static inline size_t model_trace(void *context, const match_o *m, uint64_t tick, uint64_t hash, const uint8_t *other,
                                 size_t other_size, uint8_t *out) {
  machine_t *machine = context;
  record_t record;
  (void)hash, (void)other;
  if (!match_find_record(m, tick, &record) || record.tick != tick)
    FIXTURE_FAIL(machine->fixture, "no record of tick %llu", (unsigned long long)tick);
  ++machine->traces;
  machine->compared += other_size == sizeof(uint64_t);
  memcpy(out, &machine->hashes[tick % 128], sizeof(uint64_t));
  return sizeof(uint64_t);
}

static inline size_t model_write_traced(void *context, uint64_t tick, const uint8_t **bytes) {
  machine_t *machine = context;
  if (machine->past[tick % 128].tick != tick)
    return 0;
  memcpy(machine->snapshot, &machine->past[tick % 128], sizeof machine->state);
  *bytes = machine->snapshot;
  return machine->fixture->snapshot_bytes;
}

static inline size_t model_find(void *context, const match_o *m, uint64_t tick, const uint8_t *report,
                                size_t report_size, const uint8_t *snapshot, size_t snapshot_size, uint8_t *out) {
  machine_t *machine = context;
  model_state_t host;
  (void)m, (void)report;
  assert_int_equal(report_size, sizeof(uint64_t));
  assert_int_equal(snapshot_size, machine->fixture->snapshot_bytes);
  memcpy(&host, snapshot, sizeof host);
  assert_int_equal(host.tick, tick);
  memcpy(out, &machine->hashes[tick % 128], sizeof(uint64_t));
  memcpy(out + sizeof(uint64_t), &host.mix, sizeof host.mix);
  return 2 * sizeof(uint64_t);
}

static inline bool model_describe(void *context, uint64_t tick, const uint8_t *finding, size_t size, char *out) {
  uint64_t mixes[2];
  (void)context, (void)tick;
  if (size != sizeof mixes)
    return false;
  memcpy(mixes, finding, sizeof mixes);
  snprintf(out, MATCH_LINE_BYTES, "mix %llx and %llx", (unsigned long long)mixes[1], (unsigned long long)mixes[0]);
  return true;
}

static inline void model_confirm(void *context, uint64_t tick, uint64_t hash) {
  machine_t *machine = context;
  fixture_t *f = machine->fixture;
  if (tick <= machine->confirmed && machine->is_counting && machine->plant_tick == 0 && machine->repaired == 0)
    FIXTURE_FAIL(f, "machine %u: tick %llu is confirmed after %llu", machine->index, (unsigned long long)tick,
                 (unsigned long long)machine->confirmed);
  machine->confirmed = tick;
  machine->is_counting = true;
  if (machine->game.confirm)
    machine->game.confirm(machine->game.context, tick, hash);
  if (!f->has_bad_peer && machine->plant_tick == 0 && tick < MAX_TICKS && machine->state.restarts == 0 &&
      hash != f->hashes[tick])
    FIXTURE_FAIL(f, "machine %u: tick %llu is confirmed with another hash", machine->index, (unsigned long long)tick);
}

// --- machines

static inline bool model_has_time(void *context) {
  return !((const machine_t *)context)->is_slow;
}

static inline match_o *machine_create_match(machine_t *machine, match_role_t role, uint32_t players) {
  uint8_t secret[SEAL_KEY_BYTES];
  memset(secret, (int)(machine->index + machine->fixture->seed * 16), sizeof secret);
  match_world_t model = {.context = machine,
                         .run = model_run,
                         .save = model_save,
                         .restore = model_restore,
                         .apply = model_apply,
                         .write_snapshot = model_write_snapshot,
                         .read_snapshot = model_read_snapshot,
                         .confirm = model_confirm,
                         .trace = model_trace,
                         .write_traced = model_write_traced,
                         .find = model_find,
                         .describe = model_describe,
                         .code = {.context = machine,
                                  .get_hash = model_code_hash,
                                  .begin_trial = machine->has_no_code ? NULL : model_begin_trial,
                                  .poll_trial = model_poll_trial,
                                  .end_trial = model_end_trial,
                                  .replace = model_replace_code,
                                  .write_changes = model_write_changes}};
  match_desc_t desc = {
      .role = role,
      .world = machine->world.run ? machine->world : model,
      .tick_us = TICK_US,
      .game_hash = 42,
      .secret = secret,
      .name = machine->fixture->names ? machine->fixture->names[machine->index] : NULL,
      .local_players = players,
      .max_players = machine->fixture->max_players,
      .log_records = 4096,
      .stream_bytes = machine->fixture->stream_bytes,
      .has_time = model_has_time,
      .time_context = machine,
  };
  return match_create(&desc, machine->state.tick, machine->fixture->now_us);
}

// Starts a machine. `world`: its world; NULL: the model.
static inline void machine_start_world(fixture_t *f, match_role_t role, uint32_t players, const match_world_t *world) {
  machine_t *machine = &f->machines[f->count];
  *machine = (machine_t){.fixture = f, .index = f->count, .frame_ticks = 1, .is_on = true};
  if (world)
    machine->world = *world;
  if (f->create_game)
    machine->game = f->create_game(f->game_context, machine->index);
  ++f->count;
  machine->address = link_address_from_ipv4(0x0a000001 + machine->index, 1);
  machine->link = link_sim_add(f->sim, &machine->address);
  machine->snapshot = calloc(1, f->snapshot_bytes);
  machine->seal = seal_create(
      &(seal_desc_t){.link = machine->link, .is_host = true, .max_peers = MATCH_MAX_CONNECTIONS + SEAL_MAX_WAITING},
      NULL);
  machine->match = machine_create_match(machine, role, players);
}

static inline void machine_start(fixture_t *f, match_role_t role, uint32_t players) {
  machine_start_world(f, role, players, NULL);
}

static inline void machine_join(machine_t *machine) {
  fixture_t *f = machine->fixture;
  uint8_t request[MATCH_REQUEST_BYTES];
  match_write_request(machine->match, request);
  machine->host_peer =
      seal_join(machine->seal, f->now_us, &f->machines[f->host].address, NULL, request, sizeof request, NULL);
}

static inline void machine_stop(machine_t *machine) {
  match_destroy(machine->match);
  seal_destroy(machine->seal);
  free(machine->snapshot);
}

static inline void machine_drop(machine_t *machine, uint32_t peer, bool keep) {
  match_disconnect(machine->match, machine->fixture->now_us, peer, keep);
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i)
    machine->peers[i] = machine->peers[i] == peer ? 0 : machine->peers[i];
  machine->host_peer = machine->host_peer == peer ? 0 : machine->host_peer;
}

static inline void machine_accept(machine_t *machine, const seal_event_t *event) {
  fixture_t *f = machine->fixture;
  uint8_t reply[MATCH_REPLY_BYTES];
  match_refusal_t refusal;
  if (match_accept(machine->match, f->now_us, event->peer, event->bytes, event->size, reply, &refusal))
    seal_accept(machine->seal, f->now_us, event->peer, reply, sizeof reply);
  else
    seal_refuse(machine->seal, f->now_us, event->peer, "", 0);
}

static inline void machine_connect(machine_t *machine, const seal_event_t *event) {
  error_info_t error = {0};
  if (!match_connect(machine->match, machine->fixture->now_us, event->peer, event->bytes, event->size, &error)) {
    seal_close(machine->seal, machine->fixture->now_us, event->peer, 0);
    return;
  }
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i) {
    if (machine->peers[i] == 0) {
      machine->peers[i] = event->peer;
      break;
    }
  }
  ++machine->incarnation;
  machine->is_counting = false; // the snapshot may be older than the confirmed tick
  machine->sequence = 0;
  memset(machine->presses, 0, sizeof machine->presses);
}

static inline void machine_handle(machine_t *machine, const seal_event_t *event) {
  fixture_t *f = machine->fixture;
  error_info_t error = {0};
  switch (event->kind) {
  case SEAL_EVENT_REQUEST: machine_accept(machine, event); return;
  case SEAL_EVENT_CONNECTED: machine_connect(machine, event); return;
  case SEAL_EVENT_DATA:
    if (!match_read(machine->match, f->now_us, event->peer, event->sequence, event->bytes, event->size, &error)) {
      snprintf(machine->problem, sizeof machine->problem, "%.120s", error.text);
      machine->failed += strcmp(error.text, "the peer is not connected") != 0;
      seal_close(machine->seal, f->now_us, event->peer, 0);
      machine_drop(machine, event->peer, true);
    }
    return;
  case SEAL_EVENT_REFUSED:
    ++machine->refused;
    machine->host_peer = 0;
    return;
  case SEAL_EVENT_CLOSED:
  case SEAL_EVENT_TIMEOUT: machine_drop(machine, event->peer, true); return;
  default: return;
  }
}

static inline void machine_count_events(machine_t *machine) {
  match_event_t event;
  while (match_pop_event(machine->match, &event)) {
    // Reports of peers have no hash and are not counted.
    machine->desyncs += event.kind == MATCH_EVENT_DESYNC && event.host_hash != 0;
    machine->repaired += event.kind == MATCH_EVENT_REPAIRED;
    if (event.kind == MATCH_EVENT_NAMED) {
      machine->line_ticks[machine->named % 2] = event.tick;
      snprintf(machine->lines[machine->named++ % 2], MATCH_LINE_BYTES, "%s", match_get_line(machine->match, &event));
    }
    machine->lost += event.kind == MATCH_EVENT_LOST;
    machine->rejoined += event.kind == MATCH_EVENT_REJOINED;
    machine->reloads += event.kind == MATCH_EVENT_RELOADED;
    machine->refusals += event.kind == MATCH_EVENT_REFUSED;
    machine->late_trials += event.is_late;
    if (event.kind == MATCH_EVENT_RELOADED || event.kind == MATCH_EVENT_REFUSED)
      machine->result = event;
  }
}

static inline void machine_send(machine_t *machine) {
  fixture_t *f = machine->fixture;
  uint8_t out[SEAL_PAYLOAD_BYTES];
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i) {
    uint32_t peer = machine->peers[i];
    bool has_work = peer != 0;
    for (uint32_t k = 0; k < 50 && has_work; ++k) {
      uint64_t number = seal_get_next_sequence(machine->seal, peer);
      size_t size = number ? match_write(machine->match, f->now_us, peer, number, out) : 0;
      has_work = size > 0 && seal_send(machine->seal, f->now_us, peer, out, size) &&
                 match_has_work(machine->match, f->now_us, peer);
    }
  }
}

// --- playing

// Returns a movement of up to 200 / PLAYER_MOTION_UNITS pixels, or rarely any number.
static inline int32_t choose_motion(fixture_t *f) {
  return below(f, 100) == 0 ? (int32_t)random_u32(&f->random) : (int32_t)below(f, 401) - 200;
}

static inline void machine_move(machine_t *machine, uint32_t player, player_input_t *input) {
  fixture_t *f = machine->fixture;
  input->motion_x = input->motion_y = 0;
  if (fixture_status(f, machine->index).is_paused || below(f, f->motion_interval) != 0)
    return;
  input->motion_x = choose_motion(f);
  input->motion_y = below(f, 2) ? choose_motion(f) : 0;
  machine->moved[player][0] += (uint32_t)input->motion_x;
  machine->moved[player][1] += (uint32_t)input->motion_y;
}

static inline void machine_play_player(machine_t *machine, uint32_t local, uint32_t player) {
  fixture_t *f = machine->fixture;
  player_input_t *held = &machine->held[local];
  model_command_t command = {machine->incarnation, machine->sequence};
  held->pressed = held->released = 0;
  bool is_burst = f->ticks / 64 % 8 == machine->index; // presses one action repeatedly
  uint32_t action = is_burst ? 0 : below(f, f->actions);
  if (below(f, is_burst ? 2 : f->input_interval) == 0) {
    uint64_t *edges = held->values[action] ? &held->released : &held->pressed;
    held->values[action] = held->values[action] ? 0 : 127;
    *edges = UINT64_C(1) << action;
  }
  if (below(f, 30) == 0)
    held->pointer_x = (float)below(f, 1000);
  machine_move(machine, player, held);
  if (match_add_input(machine->match, local, held) && held->pressed)
    ++machine->presses[player][action];
  if (local == 0 && below(f, 20) == 0 && match_add_command(machine->match, 0, &command, sizeof command))
    ++machine->sequence;
}

// Proposes a random change of the code. On average, a machine refuses one in four proposals.
static inline void machine_propose(machine_t *machine) {
  fixture_t *f = machine->fixture;
  model_code_t code = {below(f, 1u << 30), below(f, 20), below(f, 4) ? 0 : 1 + below(f, f->count), 0};
  match_propose_code(machine->match, (const uint8_t *)&code, sizeof code);
}

static inline void machine_play(machine_t *machine) {
  fixture_t *f = machine->fixture;
  match_status_t status = match_get_status(machine->match, f->now_us);
  model_command_t command = {machine->incarnation, 0};
  uint32_t local = 0;
  if (f->is_quiet || status.is_lost || !status.is_playing || status.players == 0 ||
      (status.present & status.players) != status.players)
    return;
  if (machine->sequence == 0) { // starts to count presses for each player of this connection
    machine->sequence = 1;
    memcpy(machine->moved, f->machines[f->host].state.moved, sizeof machine->moved);
    for (uint32_t i = 0; i < PLAYER_MAX; ++i)
      if (status.players >> i & 1)
        assert_true(match_add_command(machine->match, local++, &command, sizeof command));
    return;
  }
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    if (status.players >> i & 1)
      machine_play_player(machine, local++, i);
  if (f->is_sharing && below(f, 60) == 0)
    machine_propose(machine);
}

// --- checks

// Compares the confirmed state with the host's state after the same tick.
static inline void machine_check(machine_t *machine) {
  fixture_t *f = machine->fixture;
  match_status_t status = match_get_status(machine->match, f->now_us);
  if (machine->world.run || machine->plant_tick || status.tick == 0 || status.tick >= MAX_TICKS ||
      status.tick < status.predicted_tick - 12)
    return;
  const model_state_t *s = status.predicted_tick == status.tick ? &machine->state : &machine->slots[status.slot];
  if (s->tick != status.tick || s->wrong_commands > 0)
    FIXTURE_FAIL(f, "machine %u: state of tick %llu, confirmed %llu, %u wrong commands", machine->index,
                 (unsigned long long)s->tick, (unsigned long long)status.tick, s->wrong_commands);
  if (s->restarts == 0 && f->models[s->tick] != model_hash(s))
    FIXTURE_FAIL(f, "machine %u: wrong state after tick %llu", machine->index, (unsigned long long)s->tick);
  if (!f->has_bad_peer && (machine->desyncs > 0 || machine->failed > 0))
    FIXTURE_FAIL(f, "machine %u: %u desyncs, %s", machine->index, machine->desyncs, machine->problem);
}

// Checks that the host's world has every press, movement and command of a machine that is connected.
static inline void machine_check_counts(machine_t *machine) {
  fixture_t *f = machine->fixture;
  const model_state_t *s = &f->machines[f->host].state;
  match_status_t status = match_get_status(machine->match, f->now_us);
  uint32_t first = PLAYER_MAX;
  if (machine->sequence == 0)
    return;
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    if (!(status.players >> i & 1))
      continue;
    first = i < first ? i : first;
    for (uint32_t k = 0; k < f->actions; ++k)
      if (s->presses[i][k] != machine->presses[i][k])
        FIXTURE_FAIL(f, "machine %u, player %u: %u of %u presses of action %u", machine->index, i + 1, s->presses[i][k],
                     machine->presses[i][k], k);
  }
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    if ((status.players >> i & 1) && memcmp(s->moved[i], machine->moved[i], sizeof s->moved[i]) != 0)
      FIXTURE_FAIL(f, "machine %u, player %u: moved by %d, %d of %d, %d", machine->index, i + 1,
                   (int32_t)s->moved[i][0], (int32_t)s->moved[i][1], (int32_t)machine->moved[i][0],
                   (int32_t)machine->moved[i][1]);
  if (s->commands[first] != machine->sequence)
    FIXTURE_FAIL(f, "machine %u: %u of %u commands", machine->index, s->commands[first], machine->sequence);
}

// --- the session

static inline void machine_run(machine_t *machine) {
  fixture_t *f = machine->fixture;
  seal_event_t event;
  while (seal_poll(machine->seal, f->now_us, &event))
    machine_handle(machine, &event);
  machine_play(machine);
  match_update(machine->match, f->now_us);
  machine_count_events(machine);
  machine_check(machine);
  machine_send(machine);
}

static inline void fixture_step(fixture_t *f) {
  int64_t start_us = f->now_us;
  for (uint32_t i = 0; i < f->count; ++i) {
    machine_t *machine = &f->machines[i];
    f->now_us = start_us + i * (TICK_US / MAX_MACHINES);
    if (machine->is_on && (f->ticks + machine->phase) % machine->frame_ticks == 0)
      machine_run(machine);
  }
  f->now_us = start_us + TICK_US;
  ++f->ticks;
}

static inline void fixture_run(fixture_t *f, uint32_t ticks) {
  for (uint32_t i = 0; i < ticks; ++i)
    fixture_step(f);
}

static inline fixture_t *fixture_create(uint64_t seed, const char *conditions) {
  fixture_t *f = calloc(1, sizeof *f);
  link_sim_conditions_t c;
  error_info_t error = {0};
  if (!link_sim_parse(conditions, &c, &error))
    fail_msg("%s", error.text);
  f->seed = seed;
  random_seed(&f->random, seed);
  f->sim = link_sim_create(seed, &c);
  f->now_us = 1000000;
  f->actions = ACTIONS;
  f->input_interval = 6;
  f->motion_interval = 3;
  f->snapshot_bytes = sizeof(model_state_t) + 2000;
  f->stream_bytes = STREAM_MIN_BUFFER_BYTES;
  f->max_players = PLAYER_MAX_LOBBY;
  return f;
}

static inline void fixture_free(fixture_t *f) {
  for (uint32_t i = 0; i < f->count; ++i)
    machine_stop(&f->machines[i]);
  link_sim_destroy(f->sim);
  free(f);
}

#endif
