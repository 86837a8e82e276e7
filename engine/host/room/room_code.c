// Live code of a room: the room reads new code from the database, tries it with all machines of the match, and replaces
// the code with a record RELOAD. See design/0072-served-worlds.md.
//
// Codes are applied in the order of their numbers, also after a room was asleep, because a renamed field keeps its
// values only if no version is skipped.
#include "room/room_internal.h"

#include "base/interrupt.h"
#include "base/utf8.h"
#include "game/game.h"
#include "host/game_switch.h"
#include "match/component_hashes.h"
#include "match/match_link.h"
#include "match/source_bundle.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define TRIAL_PAUSE_NS 2000000 // pause between two polls of a trial

void room_code_begin(room_o *r) {
  r->code.reload = match_reload_create(r->host);
  r->code.callbacks = match_reload_get_code(r->code.reload, true);
}

void room_code_end(room_o *r) {
  match_reload_destroy(r->code.reload);
}

// Stores the result of a database operation if it is a failure. Returns true on success.
static bool note_result(room_o *r, store_result_t result) {
  r->code.failure = result == STORE_DONE ? r->code.failure : result;
  return result == STORE_DONE;
}

bool room_code_fail(room_o *r, const error_info_t *error) {
  return room_fail_with(r, r->code.failure == STORE_DONE ? STORE_DAMAGED : r->code.failure, error);
}

// --- starting

// Returns the sources of the release with the changes of a bundle, or NULL with a message.
static sources_o *apply_bundle(const room_o *r, const code_row_t *row, error_info_t *error) {
  error_info_t reason = {0};
  sources_o *sources = source_bundle_apply(match_reload_get_start(r->code.reload), row->bundle, row->size, &reason);
  if (!sources)
    error_set(error, "the live code %llu cannot be used: %s", (unsigned long long)row->number, reason.text);
  return sources;
}

bool room_code_start(room_o *r, const code_row_t *row, error_info_t *error) {
  sources_o *sources = match_reload_get_start(r->code.reload);
  if (row->number > 0)
    sources = apply_bundle(r, row, error);
  else
    sources_retain(sources);
  bool ok = sources && (game_switch_start_code(r->host, sources, r->code.reverses_renames) ||
                        error_set(error, "the live code %llu cannot start", (unsigned long long)row->number));
  sources_release(sources);
  if (ok) {
    r->code.number = row->number;
    r->code.may_reverse = row->number > 0; // only a RELOAD compares the names with the code before it
  }
  return ok;
}

// Starts the game with a code. `is_optional`: starts the release if the code is missing.
static bool load(room_o *r, uint64_t number, bool is_optional, error_info_t *error) {
  code_row_t row = {0};
  bool ok = number == 0 || note_result(r, code_rows_load(r->store, r->identity.sources, number, &row, error));
  if (ok && row.number != number && !is_optional)
    ok = error_set(error, "the database lacks the live code %llu, with which the room was stored: restore a backup",
                   (unsigned long long)number);
  if (ok && row.number != r->code.number)
    ok = room_code_start(r, &row, error);
  code_row_free(&row);
  return ok;
}

bool room_code_load(room_o *r, uint64_t number, error_info_t *error) {
  return load(r, number, false, error);
}

bool room_code_load_known(room_o *r, uint64_t number, error_info_t *error) {
  return load(r, number, true, error);
}

bool room_code_load_current(room_o *r, error_info_t *error) {
  uint64_t number = 0;
  return note_result(r, code_rows_get_current(r->store, r->identity.sources, &number, error)) &&
         load(r, number, false, error);
}

// --- trials

bool room_code_try(room_o *r, const uint8_t *bundle, size_t size, uint64_t *hash, error_info_t *error) {
  const match_code_t *code = &r->code.callbacks;
  int64_t end_us = room_now_us() + MATCH_OWNED_TRIAL_US;
  if (!code->begin_trial(code->context, bundle, size, true, PLAYER_MAX, error))
    return false;
  for (match_trial_t result; (result = code->poll_trial(code->context, hash, error)) != MATCH_TRIAL_PASSED;) {
    if (result == MATCH_TRIAL_FAILED)
      return false;
    if (interrupt_is_exit_requested() || room_now_us() > end_us)
      return !note_result(r, STORE_FAILED) &&
             error_set(error, "The changed code was not tried.\nthe machine was too slow: try again");
    nanosleep(&(struct timespec){.tv_nsec = TRIAL_PAUSE_NS}, NULL);
    room_beat_update(r, room_now_us());
  }
  return true;
}

// --- refusals

static void note_refusal(room_o *r, uint64_t number, const char *reason) {
  log_error(r->host->session.log, "room %s refuses the live code %llu: %s", r->name, (unsigned long long)number,
            reason);
  r->code.refused = number;
  size_t size = strlen(reason), max = sizeof r->code.reason - 1;
  size = size > max ? utf8_character_start(reason, max) : size;
  memcpy(r->code.reason, reason, size);
  r->code.reason[size] = '\0';
}

// Reports the code that the room runs, and the code that it has refused, to the supervisor. The supervisor sends
// players with rows of the refused code to different rooms.
static void report(const room_o *r) {
  char line[64];
  (void)snprintf(line, sizeof line, "code %llu %llu", (unsigned long long)r->code.number,
                 (unsigned long long)r->code.refused);
  room_beat_write_line(r, line);
}

static void store_refusal(room_o *r) {
  report(r);
  code_refusal_t refusal = {.number = r->code.refused};
  memcpy(refusal.reason, r->code.reason, sizeof refusal.reason);
  room_writer_add_change(r->writer, ROOM_CHANGE_CODE, &refusal, sizeof refusal);
}

// --- catching up

// Notes that the room has changed to a code. `reversed`: number of renames that the change has reversed. A room that
// has refused a code in between has not compared the new code with the code before it.
static void note_code(room_o *r, uint64_t number, uint32_t reversed) {
  r->code.may_reverse = reversed > 0 || r->code.refused > r->code.number;
  r->code.number = number;
}

// Replaces the code of the host, which has no connections, and adds a record RELOAD.
static bool apply_code(room_o *r, const code_row_t *row, error_info_t *reason) {
  const match_code_t *code = &r->code.callbacks;
  uint64_t hash = 0;
  bool ok = room_code_try(r, row->bundle, row->size, &hash, reason) && code->replace(code->context, reason);
  code->end_trial(code->context);
  if (!ok)
    return false;
  match_add_reload(r->match, room_now_us(), hash);
  note_code(r, row->number, match_reload_get_news(r->code.reload)->migration.reversed);
  r->hash = match_hash_world(r->host->session.game->world);
  return true;
}

bool room_code_catch_up(room_o *r) {
  code_row_t row = {0};
  error_info_t error = {0};
  store_result_t result;
  uint64_t last = r->code.number;
  while ((result = code_rows_load_next(r->store, r->identity.sources, last, &row, &error)) == STORE_DONE &&
         row.number > 0) {
    error_info_t reason = {0};
    last = row.number;
    r->code.failure = STORE_DONE;
    if (apply_code(r, &row, &reason)) {
      log_info(r->host->session.log, "room %s: runs the live code %llu", r->name, (unsigned long long)row.number);
      continue;
    }
    if (interrupt_is_exit_requested())
      break;
    if (r->code.failure != STORE_DONE) { // the next start tries the code again
      code_row_free(&row);
      return room_fail_with(r, r->code.failure, &reason);
    }
    note_refusal(r, row.number, reason.text); // the writer stores the refusal
  }
  code_row_free(&row);
  return result == STORE_DONE || room_fail_with(r, result, &error);
}

// --- recovery

static bool read_first_record(const room_block_t *block, record_t *out) {
  record_coder_t coder = {0};
  return record_read(&coder, block->bytes, block->size, out) > 0;
}

bool room_code_is_reload(const room_block_t *block) {
  record_t record;
  return read_first_record(block, &record) && record.kind == RECORD_RELOAD;
}

bool room_code_prepare(room_o *r, const room_block_t *block, error_info_t *error) {
  record_t record;
  code_row_t row = {0};
  if (!read_first_record(block, &record) || record.kind != RECORD_RELOAD)
    return true;
  uint64_t last = r->code.number, hash = 0;
  bool found = false, ok = true;
  while (!found && ok) {
    ok = note_result(r, code_rows_load_next(r->store, r->identity.sources, last, &row, error)) && row.number > 0;
    last = row.number;
    // Skips codes that the room has refused: their hashes differ from the record's hash.
    found = ok && room_code_try(r, row.bundle, row.size, &hash, error) && hash == record.hash;
  }
  code_row_free(&row);
  if (!found && r->code.failure != STORE_DONE)
    return false;
  if (!found)
    return error_set(error, "record %llu needs live code that the database lacks: restore a backup",
                     (unsigned long long)record.number);
  r->code.failure = STORE_DONE;
  match_recover_code(r->match, hash);
  r->code.number = last;
  r->code.may_reverse = true;
  return true;
}

// --- running

void room_code_watch(room_o *r) {
  room_writer_set_code(r->writer, r->code.number);
  if (r->code.refused > 0)
    store_refusal(r);
}

void room_code_note_refusal(room_o *r, const char *reason) {
  note_refusal(r, r->code.proposed, reason);
  store_refusal(r);
  r->code.proposed = 0;
}

void room_code_note_late(room_o *r) {
  log_warn(r->host->session.log,
           "room %s: the live code %llu was not tried, because the machine was too slow: trying again", r->name,
           (unsigned long long)r->code.proposed);
  r->code.proposed = 0;
}

void room_code_note_reload(room_o *r) {
  if (r->code.proposed > 0) {
    note_code(r, r->code.proposed, match_reload_get_news(r->code.reload)->migration.reversed);
    r->code.proposed = 0;
    r->hash = match_hash_world(r->host->session.game->world);
    log_info(r->host->session.log, "room %s: runs the live code %llu from tick %llu on", r->name,
             (unsigned long long)r->code.number, (unsigned long long)r->tick + 1);
    report(r);
  }
  room_writer_set_code(r->writer, r->code.number);
  if (r->link)
    match_link_set_shares_code(r->link, match_reload_has_changed(r->code.reload));
}

// Proposes the changes between the running code and a row. Without changes, only the number is stored.
static bool propose(room_o *r, const code_row_t *row, error_info_t *error) {
  allocator_t memory = {0};
  uint32_t count = 0;
  size_t size = 0;
  uint8_t *bytes = NULL;
  sources_o *target = apply_bundle(r, row, error);
  bool ok = target && sources_seal(target, error);
  if (ok)
    bytes = source_bundle_write(&memory, r->host->session.game->desc.sources, target, &size, &count, error);
  ok = bytes &&
       (count == 0 || match_propose_code(r->match, bytes, size) || error_set(error, "the match cannot try the code"));
  source_bundle_free(&memory, bytes, size);
  sources_release(target);
  if (ok && count == 0) {
    note_code(r, row->number, 0);
    room_writer_set_code(r->writer, row->number);
    r->code.needs_snapshot = true;
    report(r);
  } else if (ok) {
    r->code.proposed = row->number;
  }
  return ok;
}

void room_code_take(room_o *r, const void *bytes, size_t size) {
  error_info_t reason = {0};
  code_row_t row = {.bundle = (uint8_t *)bytes + sizeof row.number, .size = size - sizeof row.number};
  memcpy(&row.number, bytes, sizeof row.number);
  // Each poll repeats the answer until the database contains the room's new code, or its refusal.
  if (r->code.proposed > 0 || row.number <= r->code.number || row.number <= r->code.refused ||
      propose(r, &row, &reason))
    return;
  note_refusal(r, row.number, reason.text);
  store_refusal(r);
}
