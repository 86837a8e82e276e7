// The start of a room: recovers the match from a snapshot and the records after it, continues from a save that a
// different version has written, or begins a new match.
#include "room/room_internal.h"

#include "base/files.h"
#include "base/interrupt.h"
#include "game/players.h"
#include "game/room_state.h"
#include "host/failures.h"
#include "host/game_options.h"
#include "match/component_hashes.h"
#include "owned/owned.h"
#include "saves/game_saves.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <zstd.h>

static void confirm_tick(void *context, uint64_t tick, uint64_t hash) {
  room_o *r = context;
  r->tick = tick;
  r->hash = hash;
  r->hashes[tick % ROOM_HASHES].tick = tick;
  r->hashes[tick % ROOM_HASHES].hash = hash;
  room_proof_note_tick(r, tick);
  room_chronicle_note_tick(r, tick);
  if (!r->writer) { // a recovery runs only committed ticks
    room_beat_print_hashes(r, tick);
    room_accounts_note_recovered_tick(r, tick);
  }
  if (r->options->hash_every == 0 || tick % r->options->hash_every != 0)
    return;
  printf("tick %llu hash %016llx\n", (unsigned long long)tick, (unsigned long long)hash);
  fflush(stdout);
}

static void report_failure(void *context, const script_report_t *report) {
  room_o *r = context;
  failures_report(r->host, ERROR_CARD_RUN, report);
  if (r->options->try_code)
    room_trial_note_failure(r, report);
}

// Creates the match. `next`: number of its first record, for a host.
static void create_match(room_o *r, match_role_t role, uint64_t next) {
  game_o *g = r->host->session.game;
  uint8_t secret[SEAL_KEY_BYTES];
  randombytes_buf(secret, sizeof secret);
  r->game = match_game_create(&(match_game_desc_t){.game = g,
                                                   .code = r->code.callbacks,
                                                   .max_state_bytes = ROOM_MAX_RAW_BYTES,
                                                   .confirm = confirm_tick,
                                                   .report = report_failure,
                                                   .measure = room_beat_measure_tick,
                                                   .keeps_no_states = !r->options->trace_desyncs,
                                                   .context = r});
  match_reload_set_game(r->code.reload, r->game);
  match_world_t world = match_game_get_world(r->game);
  if (!r->options->trace_desyncs) { // a client that reports false desyncs would cost the room many ticks
    world.trace = NULL;
    world.write_traced = NULL;
    world.find = NULL;
    world.describe = NULL;
  }
  r->tick_us = 1000000 / g->config.tick_rate;
  r->match = match_create(&(match_desc_t){.role = role,
                                          .world = world,
                                          .limits = game_options_get_limits(r->host),
                                          .tick_us = r->tick_us,
                                          .secret = secret,
                                          .max_players = r->max_players,
                                          .owns_code = true,
                                          .has_accounts = true,
                                          .leaves = room_accounts_note_leaving,
                                          .leave_context = r,
                                          .max_snapshot_bytes = ROOM_MAX_RAW_BYTES,
                                          .first_number = next},
                          world_tick(g->world), room_now_us());
  sodium_memzero(secret, sizeof secret);
}

// --- recovery

uint8_t *room_read_state(const room_snapshot_t *s, allocator_t *memory, size_t *size) {
  unsigned long long bytes = ZSTD_getFrameContentSize(s->state, s->state_size); // errors exceed all valid sizes
  uint8_t *state = bytes > 0 && bytes <= ROOM_MAX_RAW_BYTES ? alloc_resize(memory, NULL, 0, bytes) : NULL;
  if (state && ZSTD_decompress(state, bytes, s->state, s->state_size) == bytes) {
    *size = bytes;
    return state;
  }
  if (state)
    alloc_resize(memory, state, bytes, 0);
  return NULL;
}

// Counts and logs the ticks for which match_recover_block has reported a different hash than the record. A trial of
// changed code only counts them. The room continues with its own result.
static void report_differences(room_o *r) {
  match_event_t event;
  while (match_pop_event(r->match, &event)) {
    if (event.kind != MATCH_EVENT_DESYNC)
      continue;
    ++r->differences;
    if (!r->options->try_code) // changed code may have a different result
      log_error(r->host->session.log,
                "room %s: the recovery differs from the record in tick %llu (hash %06llx instead of %06llx); the room "
                "continues with the recovered state",
                r->name, (unsigned long long)event.tick, (unsigned long long)event.own_hash,
                (unsigned long long)event.host_hash);
  }
}

// Returns true if the recovery ends before a block: at the tick `end`, or at a RELOAD.
static bool is_end(room_o *r, const room_image_t *image, const room_block_t *block, uint64_t end) {
  bool precedes_next = !image->has_next || block->first <= image->next_number;
  r->has_stopped = r->stops_at_reload && precedes_next && room_code_is_reload(block);
  return r->has_stopped || r->tick >= end;
}

static bool run_block(room_o *r, const room_block_t *block, error_info_t *error) {
  bool ok = room_code_prepare(r, block, error) &&
            match_recover_block(r->match, room_now_us(), block->bytes, block->size, error);
  report_differences(r);
  return ok;
}

bool room_recover_until(room_o *r, const room_image_t *image, uint64_t end, error_info_t *error) {
  allocator_t memory = {0};
  size_t size = 0;
  uint8_t *state = room_read_state(&image->snapshot, &memory, &size);
  if (!state)
    return error_set(error, "the state of the snapshot is malformed");
  bool ok = room_code_load(r, image->snapshot.code, error);
  if (ok) {
    create_match(r, MATCH_PEER, 0);
    r->printed_tick = image->snapshot.tick; // a room that woke has changed the state after this tick
    ok = match_recover_begin(r->match, room_now_us(), image->snapshot.head, image->snapshot.head_size, state, size,
                             error);
  }
  if (ok) // final result if no record follows the snapshot
    r->hash = match_hash_world(r->host->session.game->world);
  alloc_resize(&memory, state, size, 0);
  for (uint32_t i = 0; i < image->block_count && ok && !is_end(r, image, &image->blocks[i], end) && !r->is_ending;
       ++i) {
    ok = run_block(r, &image->blocks[i], error);
    room_beat_update(r, room_now_us());
    r->is_ending |= interrupt_is_exit_requested();
  }
  return ok;
}

static bool recover(room_o *r, const room_image_t *image) {
  error_info_t error = {0};
  uint8_t secret[SEAL_KEY_BYTES];
  int64_t start_us = room_now_us();
  if (!room_recover_until(r, image, UINT64_MAX, &error))
    return room_code_fail(r, &error);
  if (r->is_ending)
    return false;
  randombytes_buf(secret, sizeof secret);
  match_continue_as_host(r->match, room_now_us(), secret);
  sodium_memzero(secret, sizeof secret);
  r->host->session.game->requests = (script_requests_t){0}; // these took effect before the crash, unlike kept moves
  r->tick = match_get_status(r->match, 0).tick;
  r->recovered_ticks = r->tick - image->snapshot.tick;
  for (uint32_t i = 0; i < image->block_count; ++i)
    r->recovered_bytes += image->blocks[i].size;
  room_accounts_end_recovery(r);
  printf("recovered: %s tick %llu hash %016llx\n", r->name, (unsigned long long)r->tick, (unsigned long long)r->hash);
  fflush(stdout);
  log_info(r->host->session.log, "room %s: recovered %llu ticks after the snapshot in %.0f ms", r->name,
           (unsigned long long)r->recovered_ticks, (double)(room_now_us() - start_us) / 1000);
  return true;
}

// --- versions

// Writes the save to a file and loads it. The match then begins anew, after the last record of the former version.
static bool load_save(room_o *r, const room_save_t *save) {
  char path[sizeof r->world_path + ROOM_NAME_BYTES + 16];
  error_info_t error = {0};
  (void)snprintf(path, sizeof path, "%s.%s.save", r->world_path, r->name);
  bool ok = room_code_load_known(r, save->code, &error) && file_write(path, save->bytes, save->size, &error) &&
            game_saves_load(&r->host->session, path, &error);
  remove(path);
  if (!ok)
    return room_code_fail(r, &error);
  room_state_set(r->host->session.game, r->name, r->claim.number, (double)r->claim.away_s);
  if (save->number != r->claim.last)
    owned_skip_lost_items(r->host->session.game->world);
  create_match(r, MATCH_HOST, r->claim.last + 1);
  r->begins_anew = true;
  log_info(r->host->session.log, "room %s: continues from the save of tick %llu, which a different version has written",
           r->name, (unsigned long long)save->tick);
  return room_code_catch_up(r);
}

// Continues from the save of a different version if it contains the last committed record, or with --accept-loss.
static bool load_other_version(room_o *r, const room_image_t *image) {
  char text[1024];
  error_info_t error = {0};
  room_save_image_t save = {0};
  store_result_t result = world_store_load_save(r->store, r->name, &save, &error);
  bool is_current = save.has_save && (save.save.number == r->claim.last || r->options->accept_loss), ok = false;
  if (result != STORE_DONE) {
    room_fail_with(r, result, &error);
  } else if (!is_current) {
    (void)snprintf(text, sizeof text,
                   "a different version has written the room (%s, files %016llx), and %s: run that version, and end "
                   "it with SIGTERM, which writes a save%s",
                   image->engine, (unsigned long long)image->base,
                   save.has_save ? "its save is older than the last record" : "there is no save",
                   save.has_save ? ", or use the old save with --accept-loss" : "");
    room_fail(r, ROOM_EXIT_DAMAGED, text);
  } else {
    ok = load_save(r, &save.save);
  }
  room_save_image_free(&save);
  return ok;
}

// --- start

// Removes the rows after the end of the image, as --accept-loss permits.
static bool cut_loss(room_o *r, const room_image_t *image) {
  error_info_t error = {0};
  if (!image->has_loss)
    return true;
  log_warn(r->host->session.log, "room %s: --accept-loss drops the rows after record %llu: %s", r->name,
           (unsigned long long)image->last, image->loss.text);
  store_result_t result = world_store_cut_room(r->store, &r->claim, image, &error);
  return result == STORE_DONE || room_fail_with(r, result, &error);
}

bool room_begin_match(room_o *r) {
  char chunk[192], result[256];
  script_report_t report = {0};
  error_info_t error = {0};
  if (!room_code_load_current(r, &error))
    return room_code_fail(r, &error);
  game_o *g = r->host->session.game;
  room_state_set(g, r->name, r->claim.number, 0);
  (void)snprintf(chunk, sizeof chunk, "world.scene(\"%s\")", r->scene);
  if (r->scene[0] && !vm_exec(g->vm, chunk, "serve", result, sizeof result, &report)) {
    failures_report(r->host, ERROR_CARD_START, &report);
    return room_fail(r, ROOM_EXIT_DAMAGED, report.message);
  }
  create_match(r, MATCH_HOST, 1);
  return true;
}

// Emits the event woken in the next tick. This change of the state is not in a record, so the room begins anew with a
// snapshot.
static void wake(room_o *r) {
  room_state_set(r->host->session.game, r->name, r->claim.number, (double)(r->claim.away_s > 0 ? r->claim.away_s : 1));
  match_note_changed_world(r->match);
  r->hash = match_hash_world(r->host->session.game->world);
  r->begins_anew = true;
}

// Skips the numbers that the lost records may have given to items, because other rooms may have these items now. No
// record contains this change of the state, so the room begins anew with a snapshot.
static void skip_lost_items(room_o *r) {
  owned_skip_lost_items(r->host->session.game->world);
  match_note_changed_world(r->match);
  r->hash = match_hash_world(r->host->session.game->world);
  r->begins_anew = true;
}

static bool load_image(room_o *r, const room_image_t *image) {
  if (!image->has_snapshot)
    return room_begin_match(r);
  if (strcmp(image->engine, r->engine) != 0 || image->base != r->base)
    return load_other_version(r, image);
  if (!cut_loss(r, image) || !recover(r, image) || !room_code_catch_up(r))
    return false;
  if (r->claim.state == ROOM_STATE_CUT) // the process that has accepted the loss may have crashed since
    skip_lost_items(r);
  if (r->claim.state == ROOM_STATE_SLEEPING)
    wake(r);
  return true;
}

bool room_load(room_o *r) {
  error_info_t error = {0};
  room_image_t image = {0};
  store_result_t result = world_store_load_room(
      r->store, &(room_load_desc_t){.name = r->name, .accept_loss = r->options->accept_loss}, &image, &error);
  bool ok = result == STORE_DONE ? load_image(r, &image) : room_fail_with(r, result, &error);
  room_image_free(&image);
  return ok;
}
