// Proofs of snapshots: after each snapshot, a child process at low priority recovers the room from the snapshot before
// it, and compares the states. A difference means that a recovery of the room would not have led to the same state.
//
// A proof runs minutes of play again in seconds, and rooms that started together take their snapshots together.
// Therefore, only one room of a world proves a snapshot at a time on a machine. The remaining rooms wait, and then
// prove their newest snapshots.
#include "room/room_internal.h"

#include "base/program_path.h"
#include "ecs/world.h"
#include "match/component_hashes.h"
#include "process/signals.h"
#include "room/world_lock.h"

#include <stdio.h>
#include <string.h>

#define LIMIT_MS 120000 // maximum CPU time of a proof
#define RETRY_US 500000 // time between two attempts to take the lock for proofs
#define REST_US 1500000 // time after a proof in which the other rooms, including idle rooms, attempt to take the lock
#define CHILD_PIPE 3    // the child's end of the pipe (process/child.h)
#define MAX_NAMED 8u    // maximum number of components in a message
#define MAX_ARGUMENTS (21u + 2 * OPTIONS_MAX_PLUGINS)

// Message of the child to the room's process.
typedef struct proof_message_t {
  room_proof_t proof; // result of the proof; NONE: the proof was not possible
  char text[496];     // reason why the proof was not possible, or the difference
} proof_message_t;

// --- the room's process

void room_proof_begin(room_o *r) {
  bool has_base = r->claim.has_snapshot && !r->begins_anew;
  r->proof_number = has_base ? r->claim.snapshot : r->next - 1;
}

// Command line of the child. Ends with NULL.
typedef struct proof_command_t {
  const char *arguments[MAX_ARGUMENTS];
  uint32_t count;
} proof_command_t;

static void add_argument(proof_command_t *c, const char *name, const char *value) {
  c->arguments[c->count++] = name;
  if (value)
    c->arguments[c->count++] = value;
}

// Adds the options that affect how the game is loaded and how its scripts run.
static void add_game_options(proof_command_t *c, const options_t *o, char memory[24], char budget[24]) {
  for (uint32_t i = 0; i < o->plugin_count; ++i)
    add_argument(c, "--plugin", o->plugins[i]);
  (void)snprintf(memory, 24, "%llu", (unsigned long long)o->memory_mb);
  (void)snprintf(budget, 24, "%llu", (unsigned long long)o->budget_ms);
  if (o->memory_mb > 0)
    add_argument(c, "--memory", memory);
  if (o->has_budget)
    add_argument(c, "--budget", budget);
  if (o->trust)
    add_argument(c, "--trust", NULL);
}

static void end_proof(room_o *r) {
  r->is_proving = false;
  world_lock_release(r->lock_file, WORLD_LOCK_PROOF);
}

static void start_proof(room_o *r, uint64_t number) {
  char owner[24], snapshot[24], memory[24], budget[24], program[FILE_PATH_BYTES] = "";
  (void)program_path_find(NULL, program);
  (void)snprintf(owner, sizeof owner, "%lld", (long long)r->options->owner);
  (void)snprintf(snapshot, sizeof snapshot, "%llu", (unsigned long long)number);
  proof_command_t c = {.arguments = {program, "run", r->host->session.folder, "--headless", "--no-watch"}, .count = 5};
  add_argument(&c, "--room", r->name);
  add_argument(&c, "--db", r->options->db);
  add_argument(&c, "--owner", owner);
  add_argument(&c, "--prove", snapshot);
  add_argument(&c, "--fd", "3");
  add_game_options(&c, r->options, memory, budget);
  r->is_proving = child_begin_program(&r->proof_child, LIMIT_MS, c.arguments);
  if (!r->is_proving)
    end_proof(r);
}

static void finish_proof(room_o *r) {
  proof_message_t message = {0};
  log_o *log = r->host->session.log;
  unsigned long long number = r->proof_number;
  bool has_message = child_read(&r->proof_child, &message, sizeof message);
  message.text[sizeof message.text - 1] = '\0';
  child_end(&r->proof_child);
  end_proof(r);
  if (message.proof == ROOM_PROOF_FAILED)
    log_error(log, "room %s: the proof of the snapshot after record %llu has failed: %s", r->name, number,
              message.text);
  else if (message.proof == ROOM_PROOF_PASSED)
    log_info(log, "room %s: proved the snapshot after record %llu", r->name, number);
  else
    log_warn(log, "room %s: the snapshot after record %llu was not proved: %s", r->name, number,
             has_message ? message.text : "the process of the proof has ended early");
  if (message.proof != ROOM_PROOF_NONE)
    room_writer_add_proof(r->writer, r->proof_number, message.proof);
}

void room_proof_update(room_o *r, int64_t now_us) {
  uint64_t number = room_writer_get_status(r->writer).snapshot_number;
  if (r->is_proving) {
    r->proof_retry_us = now_us + REST_US;
    if (child_is_readable(&r->proof_child))
      finish_proof(r);
  } else if (number > r->proof_number && now_us >= r->proof_retry_us) {
    r->proof_retry_us = now_us + RETRY_US;
    if (!world_lock_take(r->lock_file, WORLD_LOCK_PROOF))
      return;
    r->proof_number = number;
    start_proof(r, number);
  }
}

void room_proof_end(room_o *r) {
  if (!r->is_proving)
    return;
  child_kill(&r->proof_child);
  end_proof(r);
}

// --- the child

static void answer(room_proof_t proof, const char *text) {
  proof_message_t message = {.proof = proof};
  (void)snprintf(message.text, sizeof message.text, "%.490s", text);
  child_write(CHILD_PIPE, &message, sizeof message);
}

void room_proof_note_tick(room_o *r, uint64_t tick) {
  if (tick == r->proof_tick)
    r->proof_hashes_size =
        component_hashes_write(r->host->session.game->world, r->proof_hashes, sizeof r->proof_hashes);
}

// Replaces the state with the snapshot to prove, and names the components that differ from the recovered state.
static void describe_difference(room_o *r, const room_snapshot_t *snapshot, char *out, size_t bytes) {
  uint8_t hashes[MATCH_MAX_HASHES_BYTES];
  allocator_t memory = {0};
  uint64_t hash;
  size_t size = 0, at = 0;
  uint32_t named = 0;
  match_world_t world = match_game_get_world(r->game);
  uint8_t *state = room_read_state(snapshot, &memory, &size);
  bool ok = state && world.read_snapshot(world.context, state, size, &hash, NULL);
  alloc_resize(&memory, state, size, 0);
  at += (size_t)snprintf(out, bytes, "tick %llu differs", (unsigned long long)snapshot->tick);
  if (!ok)
    return;
  world_o *w = r->host->session.game->world;
  size_t hashes_size = component_hashes_write(w, hashes, sizeof hashes);
  for (uint32_t i = 1; i <= world_manager_count(w) && at < bytes; ++i) {
    const char *name = world_manager(w, i)->schema.name;
    if (component_hashes_differ(r->proof_hashes, r->proof_hashes_size, hashes, hashes_size, name) &&
        named++ < MAX_NAMED)
      at += (size_t)snprintf(out + at, bytes - at, "%s %s", named == 1 ? " in" : ",", name);
  }
}

// Compares the recovered state with the snapshot to prove, and writes the result to the pipe. If the recovery has
// stopped at a RELOAD, checks only the records before it.
static void compare(room_o *r, const room_image_t *image) {
  char text[496];
  error_info_t error = {0};
  room_image_t newest = {0};
  uint64_t slot = image->next_tick % ROOM_HASHES;
  bool has_tick = r->hashes[slot].tick == image->next_tick;
  if (r->has_stopped) { // the records before the RELOAD are proved
    (void)snprintf(text, sizeof text, "the recovery differs from the records before the reload after tick %llu",
                   (unsigned long long)r->tick);
    answer(r->differences > 0 ? ROOM_PROOF_FAILED : ROOM_PROOF_PASSED, r->differences > 0 ? text : "");
    return;
  }
  if (has_tick && r->hashes[slot].hash == image->next_hash) {
    answer(ROOM_PROOF_PASSED, "");
    return;
  }
  if (!has_tick) {
    answer(ROOM_PROOF_NONE, "the records do not contain its tick");
    return;
  }
  (void)snprintf(text, sizeof text, "tick %llu differs", (unsigned long long)image->next_tick);
  if (world_store_load_room(r->store, &(room_load_desc_t){.name = r->name}, &newest, &error) == STORE_DONE &&
      newest.snapshot.number == r->options->prove)
    describe_difference(r, &newest.snapshot, text, sizeof text);
  room_image_free(&newest);
  answer(ROOM_PROOF_FAILED, text);
}

int room_prove(room_o *r) {
  error_info_t error = {0};
  room_image_t image = {0};
  process_lower_priority(PROCESS_PRIORITY_LOWEST);
  signals_end_with_parent(); // a killed room has released its lock
  store_result_t result = world_store_open(
      &(world_store_desc_t){.path = r->options->db, .engine = r->engine, .base = r->base}, &r->store, &error);
  if (result == STORE_DONE)
    result = world_store_load_room(r->store, &(room_load_desc_t){.name = r->name, .previous = true}, &image, &error);
  if (result != STORE_DONE) {
    answer(ROOM_PROOF_NONE, error.text);
  } else if (!image.has_next || image.next_number != r->options->prove) {
    answer(ROOM_PROOF_NONE, "a later snapshot has replaced it");
  } else if (strcmp(image.engine, r->engine) != 0 || image.base != r->base) {
    answer(ROOM_PROOF_NONE, "a different version has written the snapshot before it");
  } else {
    r->proof_tick = image.next_tick;
    r->stops_at_reload = true;
    if (room_recover_until(r, &image, image.next_tick, &error))
      compare(r, &image);
    else
      answer(r->code.failure == STORE_DONE ? ROOM_PROOF_FAILED : ROOM_PROOF_NONE, error.text);
  }
  room_image_free(&image);
  return 0;
}
