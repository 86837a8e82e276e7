// Lists the rooms of a world.
#include "served/world_store_internal.h"

#include "base/array.h"
#include "journal/record.h"

#include <string.h>

static const char LIST[] =
    "SELECT name, room.number, fence, serial, last, room.tick, players, state, " STORE_NOW " - seen, reason,"
    " (SELECT count(*) FROM snapshot WHERE snapshot.room = room.number),"
    " COALESCE((SELECT MAX(number) FROM snapshot WHERE snapshot.room = room.number), 0),"
    " COALESCE((SELECT tick FROM snapshot WHERE snapshot.room = room.number ORDER BY number DESC LIMIT 1), 0),"
    " COALESCE((SELECT proof FROM snapshot WHERE snapshot.room = room.number AND proof <> 0"
    "  ORDER BY number DESC LIMIT 1), 0),"
    " COALESCE((SELECT SUM(LENGTH(body)) FROM journal WHERE journal.room = room.number), 0),"
    " COALESCE((SELECT SUM(LENGTH(body)) FROM snapshot WHERE snapshot.room = room.number), 0),"
    " (SELECT count(*) FROM save WHERE save.room = room.number),"
    " COALESCE((SELECT number FROM save WHERE save.room = room.number), 0),"
    " COALESCE((SELECT base FROM save WHERE save.room = room.number), 0),"
    " COALESCE((SELECT engine FROM save WHERE save.room = room.number), ''),"
    " COALESCE((SELECT code FROM snapshot WHERE snapshot.room = room.number ORDER BY number DESC LIMIT 1), 0),"
    " COALESCE((SELECT code_refusal.number FROM code_refusal WHERE code_refusal.room = room.number), 0),"
    " COALESCE((SELECT code_refusal.reason FROM code_refusal WHERE code_refusal.room = room.number), ''),"
    " " STORE_NOW " - fence"
    " FROM room ORDER BY name";

void room_list_free(room_list_t *list) {
  array_free(&list->memory, list);
}

// Reads the current row. Returns true on success, or false if the row is malformed.
static bool read_status(const store_query_t *query, room_status_t *out) {
  uint64_t number = 0, fence = 0, serial = 0, players = 0, state = 0, seen_s = 0, snapshots = 0, proof = 0, saves = 0,
           started_s = 0;
  *out = (room_status_t){0};
  bool ok = store_read_text(query, 0, out->name, sizeof out->name) && store_read_number(query, 1, INT64_MAX, &number) &&
            store_read_number(query, 2, INT64_MAX, &fence) && store_read_number(query, 3, INT64_MAX, &serial) &&
            store_read_number(query, 4, RECORD_MAX_NUMBER, &out->last) &&
            store_read_number(query, 5, RECORD_MAX_NUMBER, &out->tick) &&
            store_read_number(query, 6, UINT32_MAX, &players) &&
            store_read_number(query, 7, ROOM_STATE_COUNT - 1, &state) && store_read_bits(query, 8, &seen_s) &&
            store_read_text(query, 9, out->reason, sizeof out->reason) &&
            store_read_number(query, 10, UINT32_MAX, &snapshots) &&
            store_read_number(query, 11, RECORD_MAX_NUMBER, &out->snapshot_number) &&
            store_read_number(query, 12, RECORD_MAX_NUMBER, &out->snapshot_tick) &&
            store_read_number(query, 13, ROOM_PROOF_FAILED, &proof) &&
            store_read_number(query, 14, INT64_MAX, &out->journal_bytes) &&
            store_read_number(query, 15, INT64_MAX, &out->snapshot_bytes) && store_read_number(query, 16, 1, &saves) &&
            store_read_number(query, 17, RECORD_MAX_NUMBER, &out->save_number) &&
            store_read_bits(query, 18, &out->save_base) &&
            store_read_text(query, 19, out->save_engine, sizeof out->save_engine) &&
            store_read_number(query, 20, INT64_MAX, &out->code) &&
            store_read_number(query, 21, INT64_MAX, &out->refused_code) &&
            store_read_text(query, 22, out->refusal_reason, sizeof out->refusal_reason) &&
            store_read_bits(query, 23, &started_s);
  out->number = (int64_t)number;
  out->fence = (int64_t)fence;
  out->serial = (int64_t)serial;
  out->players = (uint32_t)players;
  out->state = (room_state_t)state;
  out->seen_s = (int64_t)seen_s > 0 ? (int64_t)seen_s : 0; // the system time may have been set back
  out->started_s = (int64_t)started_s > 0 ? (int64_t)started_s : 0;
  out->snapshots = (uint32_t)snapshots;
  out->proof = (room_proof_t)proof;
  out->has_save = saves > 0;
  return ok;
}

store_result_t world_store_list_rooms(world_store_o *s, room_list_t *out, error_info_t *error) {
  store_query_t query = {0};
  room_status_t row;
  bool ok = true;
  out->count = 0;
  store_query_begin(s, &query, LIST, NULL, 0, error);
  while (ok && store_next(s, &query, error)) {
    ok = read_status(&query, &row);
    array_push(&out->memory, out, row);
  }
  store_result_t result = store_query_end(&query);
  if (result == STORE_DONE && !ok)
    return store_fail(s, STORE_DAMAGED, error, "the row of room %s is malformed: restore a backup", row.name);
  return result;
}
