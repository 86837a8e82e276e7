// Passes the records of each tick, snapshots, and a save at the end to the database. Pauses the match while the
// database does not answer, because a crash must not undo more than MAX_WAITING_US.
#include "room/room_internal.h"

#include "base/files.h"
#include "base/now.h"
#include "game/players.h"
#include "saves/game_saves.h"

#include <stdio.h>
#include <string.h>

#define MAX_WAITING_US 2000000
#define FLUSH_MS 10000 // maximum time for the last commit
#define FLUSH_STEP_MS 250
// Limits for the time and the work since the last snapshot: a recovery repeats this work.
#define SNAPSHOT_US (INT64_C(300) * 1000000)
#define SNAPSHOT_CPU_NS (INT64_C(10) * 1000000000)
#define SNAPSHOT_BYTES (UINT64_C(4) << 20)

static uint32_t count_players(const match_status_t *status) {
  return (uint32_t)__builtin_popcount(status->present);
}

static bool add_snapshot(room_o *r, int64_t now_us, bool begins_anew);

// Adds the new records. Records from a RELOAD on need different code than the snapshot before them, so they are
// committed together with a new snapshot: they wait until the writer has committed the previous snapshot.
static void add_records(room_o *r, int64_t now_us) {
  record_t record;
  bool has_reload = false, is_held = false;
  while (match_get_record(r->match, r->next, &record)) {
    if (record.kind == RECORD_RELOAD) {
      room_accounts_note_reload(r, now_us);
      is_held = room_writer_get_status(r->writer).is_snapshot_pending;
      if (is_held)
        break;
      room_code_note_reload(r);
      room_writer_hold_records(r->writer);
      has_reload = true;
    }
    room_change_t changes[PLAYER_MAX + 2];
    uint32_t count = room_accounts_list_changes(r, &record, changes);
    count += room_chronicle_get_change(r, &record, &changes[count]);
    count += room_commands_list_changes(r, &record, &changes[count]);
    room_writer_add_with_changes(r->writer, &record, changes, count);
    room_chronicle_forget_rows(r, &record);
    ++r->next;
  }
  r->held_us = !is_held ? 0 : r->held_us != 0 ? r->held_us : now_us;
  if (has_reload)
    add_snapshot(r, now_us, false);
}

// Returns true if the database can store a state of this size. Otherwise, the room continues with its last snapshot and
// the following records, or ends if it has no snapshot or begins anew. Logs once that the state is too large for the
// database or for joining machines.
static bool check_size(room_o *r, size_t state_bytes, bool begins_anew) {
  char text[160];
  size_t max = state_bytes > ROOM_MAX_RAW_BYTES ? ROOM_MAX_RAW_BYTES : MATCH_GAME_MAX_STATE_BYTES;
  if (state_bytes <= max)
    return true;
  (void)snprintf(text, sizeof text, "the state has %zu MB, but %s at most %zu MB: remove entities", state_bytes >> 20,
                 max == ROOM_MAX_RAW_BYTES ? "the database stores" : "machines that join receive", max >> 20);
  bool has_snapshot = r->claim.has_snapshot || room_writer_get_status(r->writer).snapshot_number > 0;
  if (max == ROOM_MAX_RAW_BYTES && (begins_anew || !has_snapshot))
    return room_fail(r, ROOM_EXIT_DAMAGED, text);
  if (!r->has_reported_size)
    log_error(r->host->session.log, "room %s: %s", r->name, text);
  r->has_reported_size = true;
  return max != ROOM_MAX_RAW_BYTES;
}

// Adds a snapshot of the current state. Returns true on success, or false if the writer still compresses the previous
// snapshot, or the state is too large.
static bool add_snapshot(room_o *r, int64_t now_us, bool begins_anew) {
  match_snapshot_t snapshot;
  match_take_snapshot(r->match, &snapshot);
  bool fits = check_size(r, snapshot.state_bytes, begins_anew);
  bool ok = fits && room_writer_add_snapshot(r->writer, &(room_writer_snapshot_t){.tick = snapshot.tick,
                                                                                  .hash = r->hash,
                                                                                  .head = snapshot.head,
                                                                                  .head_size = snapshot.head_bytes,
                                                                                  .state = snapshot.state,
                                                                                  .state_size = snapshot.state_bytes,
                                                                                  .begins_anew = begins_anew,
                                                                                  .number = snapshot.next - 1});
  if (fits && !ok)
    return false;
  r->code.needs_snapshot = false;
  r->snapshot_us = now_us;
  r->snapshot_cpu_ns = 0;
  r->snapshot_bytes = room_writer_get_status(r->writer).bytes;
  r->snapshot_next = snapshot.next;
  r->recovered_bytes = 0;
  return fits;
}

void room_begin_journal(room_o *r) {
  r->snapshot_next = match_get_status(r->match, 0).next_number;
  // A room that begins anew needs no records: its snapshot includes the records that the recovery has added to change
  // the code.
  r->next = r->begins_anew ? r->snapshot_next : r->claim.last + 1;
  r->snapshot_us = room_now_us() - (int64_t)r->recovered_ticks * r->tick_us;
  r->is_paused = match_get_status(r->match, 0).is_paused; // true if the room has ended while it was paused
  if (r->begins_anew || !r->claim.has_snapshot)
    add_snapshot(r, room_now_us(), r->begins_anew);
  else
    add_records(r, room_now_us());
}

static int64_t get_snapshot_us(const room_o *r) {
  return r->options->snapshot_s > 0 ? (int64_t)r->options->snapshot_s * 1000000 : SNAPSHOT_US;
}

static int64_t get_snapshot_cpu_ns(const room_o *r) {
  return r->options->snapshot_cpu_ms > 0 ? (int64_t)r->options->snapshot_cpu_ms * NS_PER_MS : SNAPSHOT_CPU_NS;
}

static uint64_t get_snapshot_bytes(const room_o *r) {
  return r->options->snapshot_bytes > 0 ? r->options->snapshot_bytes : SNAPSHOT_BYTES;
}

static bool is_snapshot_due(const room_o *r, int64_t now_us, const room_writer_status_t *status) {
  bool has_all = r->next == match_get_status(r->match, 0).next_number; // false while a RELOAD waits for a snapshot
  return has_all && r->next > r->snapshot_next && !r->is_paused &&
         (r->code.needs_snapshot || now_us - r->snapshot_us >= get_snapshot_us(r) ||
          r->snapshot_cpu_ns >= get_snapshot_cpu_ns(r) ||
          r->recovered_bytes + status->bytes - r->snapshot_bytes >= get_snapshot_bytes(r));
}

// Returns the time for which the oldest record has waited for its commit. The writer lacks the records from a RELOAD on
// while they wait for the previous snapshot.
static int64_t get_waiting_us(const room_o *r, int64_t now_us, const room_writer_status_t *status) {
  int64_t held_us = r->held_us != 0 ? now_us - r->held_us : 0;
  return held_us > status->waiting_us ? held_us : status->waiting_us;
}

// Pauses the match once a record has waited for its commit for more than MAX_WAITING_US, and resumes it once all
// records are committed.
static void update_pause(room_o *r, int64_t now_us, const room_writer_status_t *status) {
  log_o *log = r->host->session.log;
  error_info_t error = {0};
  if (!r->is_paused && get_waiting_us(r, now_us, status) > MAX_WAITING_US) {
    r->is_paused = true;
    match_add_record(r->match, now_us, RECORD_PAUSE);
    room_writer_get_error(r->writer, &error);
    log_warn(log, "room %s pauses until the database answers%s%s", r->name, error.text[0] ? ": " : "", error.text);
  } else if (r->is_paused && status->waiting_us == 0 && r->held_us == 0) {
    r->is_paused = false;
    match_add_record(r->match, now_us, RECORD_RESUME);
    log_info(log, "room %s resumes: the database answers", r->name);
  }
}

void room_update_journal(room_o *r, int64_t now_us) {
  error_info_t error = {0};
  room_writer_status_t status = room_writer_get_status(r->writer);
  if (status.state == ROOM_WRITER_LOST || status.state == ROOM_WRITER_DAMAGED) {
    room_writer_get_error(r->writer, &error);
    room_fail_with(r, status.state == ROOM_WRITER_LOST ? STORE_LOST : STORE_DAMAGED, &error);
    return;
  }
  room_beat_print_hashes(r, status.acked_tick);
  update_pause(r, now_us, &status);
  add_records(r, now_us);
  room_chronicle_update(r, now_us, status.acked_number);
  match_status_t match = match_get_status(r->match, now_us);
  room_writer_set_state(r->writer, ROOM_STATE_RUNNING, count_players(&match));
  if (is_snapshot_due(r, now_us, &status))
    add_snapshot(r, now_us, false);
}

// Adds a save, from which a different version of the engine or of the game can continue.
static bool add_save(room_o *r, error_info_t *error) {
  char path[sizeof r->world_path + ROOM_NAME_BYTES + 16];
  allocator_t memory = {0};
  size_t size = 0;
  (void)snprintf(path, sizeof path, "%s.%s.save", r->world_path, r->name);
  bool ok = game_saves_write(&r->host->session, path, error);
  char *bytes = ok ? file_read_limited(&memory, path, ROOM_MAX_STATE_BYTES, &size, error) : NULL;
  if (bytes)
    room_writer_add_save(r->writer, r->tick, bytes, size);
  file_free(&memory, bytes, size);
  remove(path);
  return bytes != NULL;
}

// Waits until everything is committed, for at most FLUSH_MS. Continues to write beats, because the supervisor kills a
// silent room.
static store_result_t flush(room_o *r) {
  int64_t end_us = room_now_us() + FLUSH_MS * INT64_C(1000);
  store_result_t result;
  do {
    result = room_writer_flush(r->writer, FLUSH_STEP_MS);
    room_beat_update(r, room_now_us());
  } while (result == STORE_FAILED && room_now_us() < end_us);
  return result;
}

void room_sleep(room_o *r) {
  error_info_t error = {0};
  int64_t now_us = room_now_us();
  room_accounts_end(r);
  add_records(r, now_us);
  store_result_t result = flush(r); // completes a pending snapshot, too
  if (result == STORE_DONE) {
    add_records(r, now_us); // a RELOAD may have waited for that snapshot
    room_accounts_release_claims(r);
    room_commands_end(r); // all records with effects of commands are committed
    add_snapshot(r, now_us, false);
    if (!add_save(r, &error))
      log_error(r->host->session.log, "room %s: cannot write the save, which only a different version needs: %s",
                r->name, error.text);
    room_writer_set_state(r->writer, ROOM_STATE_SLEEPING, 0);
    result = flush(r);
    room_beat_print_hashes(r, room_writer_get_status(r->writer).acked_tick);
  }
  if (result != STORE_DONE) {
    room_writer_get_error(r->writer, &error);
    r->is_ending = false; // the room does not sleep: it ends with a failure
    room_fail_with(r, result, &error);
  } else {
    log_info(r->host->session.log, "room %s sleeps at tick %llu", r->name, (unsigned long long)r->tick);
  }
}
