// Starts rooms, and commits their transactions. Each transaction of a room begins with an UPDATE that requires the
// fence and the serial of the claim, so that no transaction follows one that was lost.
#include "served/room_changes.h"
#include "served/room_rows.h"
#include "served/world_store_internal.h"

#include "base/assert.h"
#include "journal/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// --- starting

// Adds the room's row if it is missing.
static store_result_t add_room(world_store_o *s, const char *name, error_info_t *error) {
  int64_t count = 0;
  store_result_t result =
      store_query_number(s, "SELECT count(*) FROM room WHERE name = $1", STORE_VALUES(STORE_TEXT(name)), &count, error);
  if (result != STORE_DONE || count > 0)
    return result;
  return store_execute(s,
                       "INSERT INTO room (number, name, fence, serial, last, tick, players, state, seen, reason)"
                       " SELECT COALESCE(MAX(number), 0) + 1, $1, 0, 0, 0, 0, 0, 0, " STORE_NOW ", '' FROM room",
                       STORE_VALUES(STORE_TEXT(name)), NULL, error);
}

// Reads the number of the newest snapshot. Ignores a malformed number, which world_store_load_room reports, because a
// room must be started before its loss can be accepted.
static store_result_t read_newest_snapshot(world_store_o *s, room_claim_t *claim, error_info_t *error) {
  store_query_t query = {0};
  store_query_begin(s, &query,
                    "SELECT number FROM snapshot WHERE room = $1 AND number BETWEEN 0 AND $2"
                    " ORDER BY number DESC LIMIT 1",
                    STORE_VALUES(STORE_NUMBER(claim->number), STORE_NUMBER(RECORD_MAX_NUMBER)), error);
  if (store_next(s, &query, error))
    claim->has_snapshot = store_read_number(&query, 0, RECORD_MAX_NUMBER, &claim->snapshot);
  return store_query_end(&query);
}

static store_result_t read_claim(world_store_o *s, room_claim_t *claim, error_info_t *error) {
  store_query_t query = {0};
  uint64_t number = 0, fence = 0, serial = 0, state = 0, away_s = 0;
  store_query_begin(s, &query,
                    "SELECT number, fence, serial, last, tick, state, " STORE_NOW " - seen FROM room WHERE name = $1",
                    STORE_VALUES(STORE_TEXT(claim->name)), error);
  bool ok = store_next(s, &query, error) && store_read_number(&query, 0, INT64_MAX, &number) &&
            store_read_number(&query, 1, INT64_MAX, &fence) && store_read_number(&query, 2, INT64_MAX, &serial) &&
            store_read_number(&query, 3, RECORD_MAX_NUMBER, &claim->last) &&
            store_read_number(&query, 4, RECORD_MAX_NUMBER, &claim->tick) &&
            store_read_number(&query, 5, ROOM_STATE_COUNT - 1, &state) && store_read_bits(&query, 6, &away_s);
  claim->number = (int64_t)number;
  claim->fence = (int64_t)fence;
  claim->serial = (int64_t)serial;
  claim->state = (room_state_t)state;
  claim->away_s = (int64_t)away_s > 0 ? (int64_t)away_s : 0; // the system time may have been set back
  store_result_t result = store_query_end(&query);
  if (result == STORE_DONE && !ok)
    return store_fail(s, STORE_DAMAGED, error, "room %s: its row is malformed: restore a backup", claim->name);
  return result == STORE_DONE ? read_newest_snapshot(s, claim, error) : result;
}

// Creates the room if it is missing, and sets a new fence. The fence is at least the time, and therefore differs from
// the fences of starts that are missing in a promoted standby or a restored backup.
static store_result_t start_room(world_store_o *s, int64_t owner, room_claim_t *claim, error_info_t *error) {
  store_result_t result = store_require_owner(s, owner, error);
  if (result == STORE_DONE)
    result = add_room(s, claim->name, error);
  if (result == STORE_DONE)
    result = store_execute(s,
                           "UPDATE room SET fence = " STORE_NEXT("fence") ", serial = serial + 1, reason = ''"
                                                                          " WHERE name = $1",
                           STORE_VALUES(STORE_TEXT(claim->name)), NULL, error);
  return result == STORE_DONE ? read_claim(s, claim, error) : result;
}

store_result_t world_store_start_room(world_store_o *s, int64_t owner, const char *name, room_claim_t *out,
                                      error_info_t *error) {
  shoal_assert(name[0] && strlen(name) < ROOM_NAME_BYTES, "the room's name \"%s\" is empty or too long", name);
  *out = (room_claim_t){0};
  snprintf(out->name, sizeof out->name, "%s", name);
  store_result_t result = store_begin_write(s, error);
  return result == STORE_DONE ? store_end(s, start_room(s, owner, out, error), error) : result;
}

static store_result_t fail_room(world_store_o *s, int64_t owner, const char *name, const char *reason,
                                error_info_t *error) {
  store_result_t result = store_require_owner(s, owner, error);
  if (result == STORE_DONE)
    result = add_room(s, name, error);
  if (result == STORE_DONE)
    result = store_execute(s, "UPDATE room SET reason = $1 WHERE name = $2",
                           STORE_VALUES(STORE_TEXT(reason), STORE_TEXT(name)), NULL, error);
  return result;
}

store_result_t world_store_fail_room(world_store_o *s, int64_t owner, const char *name, const char *reason,
                                     error_info_t *error) {
  char text[ROOM_REASON_BYTES];
  snprintf(text, sizeof text, "%s", reason);
  store_result_t result = store_begin_write(s, error);
  return result == STORE_DONE ? store_end(s, fail_room(s, owner, name, text, error), error) : result;
}

// --- checking the claim

// Explains why no row has the fence and the serial of the claim. Returns STORE_DONE if the reason is that the last
// commit, whose outcome was unknown, has succeeded.
static store_result_t explain_mismatch(world_store_o *s, const room_claim_t *claim, error_info_t *error) {
  int64_t fence = 0, serial = 0;
  store_result_t result = store_query_number(s, "SELECT fence FROM room WHERE name = $1",
                                             STORE_VALUES(STORE_TEXT(claim->name)), &fence, error);
  if (result == STORE_DONE)
    result = store_query_number(s, "SELECT serial FROM room WHERE name = $1", STORE_VALUES(STORE_TEXT(claim->name)),
                                &serial, error);
  if (result == STORE_DONE && claim->is_uncertain && fence == claim->fence && serial == claim->serial + 1)
    return STORE_DONE;
  if (result == STORE_DONE && fence <= claim->fence && serial < claim->serial)
    return store_fail(s, STORE_LOST, error,
                      "room %s: the database lacks commits of this process, such as a standby that did not have them:"
                      " this process must end",
                      claim->name);
  if (result == STORE_DONE)
    return store_fail(s, STORE_LOST, error,
                      "room %s: a different process has started it (start %" PRId64 ", this process: %" PRId64
                      "): this process must end",
                      claim->name, fence, claim->fence);
  return result;
}

store_result_t store_advance_room(world_store_o *s, const room_claim_t *claim, uint64_t last, uint64_t tick,
                                  room_state_t state, uint32_t players, bool *is_done, error_info_t *error) {
  int64_t changed = 0;
  store_result_t result = store_execute(
      s,
      "UPDATE room SET serial = serial + 1, last = $1, tick = $2, players = $3, state = $4, seen = " STORE_NOW
      " WHERE name = $5 AND fence = $6 AND serial = $7",
      STORE_VALUES(STORE_NUMBER(last), STORE_NUMBER(tick), STORE_NUMBER(players), STORE_NUMBER(state),
                   STORE_TEXT(claim->name), STORE_NUMBER(claim->fence), STORE_NUMBER(claim->serial)),
      &changed, error);
  if (result != STORE_DONE || changed > 0)
    return result;
  result = explain_mismatch(s, claim, error);
  *is_done = result == STORE_DONE;
  return result;
}

// --- committing

static store_result_t remove_journal(world_store_o *s, const room_claim_t *claim, error_info_t *error) {
  return store_execute(s, "DELETE FROM journal WHERE room = $1", STORE_VALUES(STORE_NUMBER(claim->number)), NULL,
                       error);
}

static store_result_t remove_all(world_store_o *s, const room_claim_t *claim, error_info_t *error) {
  store_result_t result = remove_journal(s, claim, error);
  if (result == STORE_DONE)
    result = store_execute(s, "DELETE FROM snapshot WHERE room = $1", STORE_VALUES(STORE_NUMBER(claim->number)), NULL,
                           error);
  return result;
}

static store_result_t add_block(world_store_o *s, const room_claim_t *claim, const room_block_t *block,
                                error_info_t *error) {
  return store_execute(s, "INSERT INTO journal (room, first, last, body, checksum) VALUES ($1, $2, $3, $4, $5)",
                       STORE_VALUES(STORE_NUMBER(claim->number), STORE_NUMBER(block->first), STORE_NUMBER(block->last),
                                    STORE_BLOB(block->bytes, block->size),
                                    STORE_NUMBER(room_block_hash(claim->number, block))),
                       NULL, error);
}

// Removes all snapshots except the two latest, and the records before them.
static store_result_t trim(world_store_o *s, const room_claim_t *claim, error_info_t *error) {
  store_result_t result = store_execute(
      s,
      "DELETE FROM snapshot WHERE room = $1 AND number < (SELECT MIN(number) FROM (SELECT number FROM snapshot"
      " WHERE room = $2 ORDER BY number DESC LIMIT 2) AS kept)",
      STORE_VALUES(STORE_NUMBER(claim->number), STORE_NUMBER(claim->number)), NULL, error);
  if (result == STORE_DONE)
    result = store_execute(
        s, "DELETE FROM journal WHERE room = $1 AND last <= (SELECT MIN(number) FROM snapshot WHERE room = $2)",
        STORE_VALUES(STORE_NUMBER(claim->number), STORE_NUMBER(claim->number)), NULL, error);
  return result;
}

static store_result_t add_snapshot(world_store_o *s, const room_claim_t *claim, const room_snapshot_t *snapshot,
                                   error_info_t *error) {
  // A room without new records may write the snapshot of the same record again.
  store_result_t result =
      store_execute(s, "DELETE FROM snapshot WHERE room = $1 AND number = $2",
                    STORE_VALUES(STORE_NUMBER(claim->number), STORE_NUMBER(snapshot->number)), NULL, error);
  if (result == STORE_DONE)
    result = store_execute(
        s,
        "INSERT INTO snapshot (room, number, tick, hash, engine, base, proof, head, body, checksum, code)"
        " VALUES ($1, $2, $3, $4, $5, $6, 0, $7, $8, $9, $10)",
        STORE_VALUES(STORE_NUMBER(claim->number), STORE_NUMBER(snapshot->number), STORE_NUMBER(snapshot->tick),
                     STORE_NUMBER(snapshot->hash), STORE_TEXT(s->engine), STORE_NUMBER(s->base),
                     STORE_BLOB(snapshot->head, snapshot->head_size), STORE_BLOB(snapshot->state, snapshot->state_size),
                     STORE_NUMBER(room_snapshot_hash(claim->number, snapshot, s->engine, s->base)),
                     STORE_NUMBER(snapshot->code)),
        NULL, error);
  return result == STORE_DONE ? trim(s, claim, error) : result;
}

static store_result_t add_save(world_store_o *s, const room_claim_t *claim, const room_save_t *save,
                               error_info_t *error) {
  store_result_t result =
      store_execute(s, "DELETE FROM save WHERE room = $1", STORE_VALUES(STORE_NUMBER(claim->number)), NULL, error);
  if (result == STORE_DONE)
    result = store_execute(
        s,
        "INSERT INTO save (room, number, tick, engine, base, body, checksum, code)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        STORE_VALUES(STORE_NUMBER(claim->number), STORE_NUMBER(save->number), STORE_NUMBER(save->tick),
                     STORE_TEXT(s->engine), STORE_NUMBER(s->base), STORE_BLOB(save->bytes, save->size),
                     STORE_NUMBER(room_save_hash(claim->number, save, s->engine, s->base)), STORE_NUMBER(save->code)),
        NULL, error);
  return result;
}

static store_result_t write_rows(world_store_o *s, const room_claim_t *claim, const room_commit_t *commit,
                                 error_info_t *error) {
  store_result_t result = commit->begins_anew ? remove_all(s, claim, error) : STORE_DONE;
  for (uint32_t i = 0; result == STORE_DONE && i < commit->block_count; ++i)
    result = add_block(s, claim, &commit->blocks[i], error);
  if (result == STORE_DONE && commit->snapshot)
    result = add_snapshot(s, claim, commit->snapshot, error);
  if (result == STORE_DONE && commit->save)
    result = add_save(s, claim, commit->save, error);
  if (result == STORE_DONE && commit->proof != ROOM_PROOF_NONE)
    result = store_execute(
        s, "UPDATE snapshot SET proof = $1 WHERE room = $2 AND number = $3",
        STORE_VALUES(STORE_NUMBER(commit->proof), STORE_NUMBER(claim->number), STORE_NUMBER(commit->checked_snapshot)),
        NULL, error);
  return result;
}

// Asserts what the comments of room_commit_t require. Returns the number of the last record after the commit.
static uint64_t check_commit(const room_claim_t *claim, const room_commit_t *commit) {
  const room_snapshot_t *snapshot = commit->snapshot;
  uint64_t last = commit->begins_anew ? snapshot->number : claim->last;
  shoal_assert(!commit->begins_anew || last >= claim->last, "room %s begins anew before record %" PRIu64, claim->name,
               claim->last);
  for (uint32_t i = 0; i < commit->block_count; ++i) {
    const room_block_t *block = &commit->blocks[i];
    shoal_assert(block->first == last + 1 && block->last >= block->first && block->size > 0,
                 "room %s: block %" PRIu64 " to %" PRIu64 " after record %" PRIu64, claim->name, block->first,
                 block->last, last);
    last = block->last;
  }
  shoal_assert(claim->has_snapshot || snapshot, "the first commit of room %s needs a snapshot", claim->name);
  shoal_assert(!snapshot || (snapshot->number <= last && snapshot->head_size <= ROOM_MAX_HEAD_BYTES &&
                             snapshot->state_size <= ROOM_MAX_STATE_BYTES),
               "room %s: a snapshot after the last record, or too large", claim->name);
  shoal_assert(!snapshot || !claim->has_snapshot || commit->begins_anew || snapshot->number >= claim->snapshot,
               "room %s: snapshot %" PRIu64 " is older than the newest", claim->name, snapshot->number);
  shoal_assert(commit->change_count == 0 || commit->answers, "room %s: changes without a list of answers", claim->name);
  shoal_assert(!commit->save || commit->save->size <= ROOM_MAX_STATE_BYTES, "the save of room %s is too large",
               claim->name);
  shoal_assert(commit->state != ROOM_STATE_NEW, "a commit of room %s without a state", claim->name);
  return last;
}

static store_result_t commit_room(world_store_o *s, const room_claim_t *claim, const room_commit_t *commit,
                                  uint64_t last, error_info_t *error) {
  bool is_done = false;
  store_result_t result =
      store_advance_room(s, claim, last, commit->tick, commit->state, commit->players, &is_done, error);
  if (result != STORE_DONE || is_done) // if the last attempt has succeeded, its answers are valid
    return result;
  result = room_changes_apply(s, claim, commit, error);
  return result == STORE_DONE ? write_rows(s, claim, commit, error) : result;
}

store_result_t store_end_room(world_store_o *s, room_claim_t *claim, store_result_t result, uint64_t last,
                              uint64_t tick, room_state_t state, error_info_t *error) {
  bool reaches_commit = result == STORE_DONE;
  result = store_end(s, result, error);
  claim->is_uncertain |= reaches_commit && result != STORE_DONE;
  if (result != STORE_DONE)
    return result;
  claim->is_uncertain = false;
  ++claim->serial;
  claim->last = last;
  claim->tick = tick;
  claim->state = state;
  return result;
}

store_result_t world_store_commit(world_store_o *s, room_claim_t *claim, const room_commit_t *commit,
                                  error_info_t *error) {
  uint64_t last = check_commit(claim, commit);
  store_result_t result = store_begin_write(s, error);
  if (result != STORE_DONE)
    return result;
  result = commit_room(s, claim, commit, last, error);
  result = store_end_room(s, claim, result, last, commit->tick, commit->state, error);
  if (result == STORE_DONE && commit->snapshot) {
    claim->has_snapshot = true;
    claim->snapshot = commit->snapshot->number;
  }
  return result;
}

// --- accepting a loss

static store_result_t cut(world_store_o *s, const room_claim_t *claim, const room_image_t *image, error_info_t *error) {
  bool is_done = false;
  store_result_t result = store_advance_room(s, claim, image->last, image->tick, ROOM_STATE_CUT, 0, &is_done, error);
  if (result != STORE_DONE || is_done)
    return result;
  result = store_execute(s, "DELETE FROM snapshot WHERE room = $1 AND number <> $2",
                         STORE_VALUES(STORE_NUMBER(claim->number), STORE_NUMBER(image->snapshot.number)), NULL, error);
  // Any column of a malformed row may be wrong, so that a condition could miss it.
  if (result == STORE_DONE)
    result = remove_journal(s, claim, error);
  for (uint32_t i = 0; result == STORE_DONE && i < image->block_count; ++i)
    result = add_block(s, claim, &image->blocks[i], error);
  return result;
}

store_result_t world_store_cut_room(world_store_o *s, room_claim_t *claim, const room_image_t *image,
                                    error_info_t *error) {
  shoal_assert(image->has_snapshot, "room %s: an image without a snapshot", claim->name);
  store_result_t result = store_begin_write(s, error);
  if (result != STORE_DONE)
    return result;
  result = cut(s, claim, image, error);
  result = store_end_room(s, claim, result, image->last, image->tick, ROOM_STATE_CUT, error);
  if (result == STORE_DONE)
    claim->snapshot = image->snapshot.number;
  return result;
}
