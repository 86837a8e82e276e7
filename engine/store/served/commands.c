// Statements on the rows of commands.
#include "served/commands.h"

#include "base/assert.h"
#include "served/world_store_internal.h"

#include <stdlib.h>
#include <string.h>

#define MAX_OFFERS 8u // maximum number of commands that a poll returns

static store_result_t fail_row(const world_store_o *s, error_info_t *error) {
  return store_fail(s, STORE_DAMAGED, error, "a row of the table command is malformed: restore a backup");
}

// --- the operator's program

store_result_t command_insert(world_store_o *s, command_t *c, error_info_t *error) {
  store_result_t result = store_query_number(s, "SELECT COALESCE(MAX(id), 0) + 1 FROM command", NULL, 0, &c->id, error);
  if (result == STORE_DONE)
    result = store_execute(s,
                           "INSERT INTO command (id, room, kind, data, author, at, taken, ok, result)"
                           " VALUES ($1, NULL, $2, $3, $4, " STORE_NOW ", 0, $5, $6)",
                           STORE_VALUES(STORE_NUMBER(c->id), STORE_TEXT(c->kind), STORE_TEXT(c->data),
                                        STORE_TEXT(c->author), STORE_NUMBER(c->is_ok), STORE_TEXT(c->result)),
                           NULL, error);
  if (result == STORE_DONE && c->room != 0)
    result = store_execute(s, "UPDATE command SET room = $1 WHERE id = $2",
                           STORE_VALUES(STORE_NUMBER(c->room), STORE_NUMBER(c->id)), NULL, error);
  if (result == STORE_DONE && c->is_done)
    result = store_execute(s, "UPDATE command SET done_at = at WHERE id = $1", STORE_VALUES(STORE_NUMBER(c->id)), NULL,
                           error);
  return result;
}

store_result_t command_add(world_store_o *s, command_t *c, error_info_t *error) {
  store_result_t result = store_begin_write(s, error);
  return result == STORE_DONE ? store_end(s, command_insert(s, c, error), error) : result;
}

store_result_t command_replace_result(world_store_o *s, const command_t *c, error_info_t *error) {
  return store_execute(s, "UPDATE command SET done_at = " STORE_NOW ", ok = $1, result = $2 WHERE id = $3",
                       STORE_VALUES(STORE_NUMBER(c->is_ok), STORE_TEXT(c->result), STORE_NUMBER(c->id)), NULL, error);
}

#define COLUMNS                                                                                                        \
  "id, COALESCE(room, 0), COALESCE((SELECT name FROM room WHERE number = command.room), ''), kind, author, " STORE_NOW \
  " - at, taken, CASE WHEN done_at IS NULL THEN 0 ELSE 1 END, ok, data, result"

static bool read_row(const store_query_t *query, command_t *out) {
  uint64_t id = 0, room = 0, age_s = 0, taken = 0, is_done = 0, is_ok = 0;
  bool ok = store_read_number(query, 0, INT64_MAX, &id) && store_read_number(query, 1, INT64_MAX, &room) &&
            store_read_text(query, 2, out->room_name, sizeof out->room_name) &&
            store_read_text(query, 3, out->kind, sizeof out->kind) &&
            store_read_text(query, 4, out->author, sizeof out->author) && store_read_bits(query, 5, &age_s) &&
            store_read_number(query, 6, INT64_MAX, &taken) && store_read_number(query, 7, 1, &is_done) &&
            store_read_number(query, 8, 1, &is_ok) && store_read_text(query, 9, out->data, sizeof out->data) &&
            store_read_text(query, 10, out->result, sizeof out->result);
  out->id = (int64_t)id;
  out->room = (int64_t)room;
  out->age_s = (int64_t)age_s > 0 ? (int64_t)age_s : 0; // the system time may have been set back
  out->is_taken = taken != 0;
  out->is_done = is_done != 0;
  out->is_ok = is_ok != 0;
  return ok;
}

store_result_t command_read(world_store_o *s, command_t *c, error_info_t *error) {
  store_query_t query = {0};
  store_query_begin(s, &query, "SELECT " COLUMNS " FROM command WHERE id = $1", STORE_VALUES(STORE_NUMBER(c->id)),
                    error);
  bool ok = store_next(s, &query, error) && read_row(&query, c);
  store_result_t result = store_query_end(&query);
  return result == STORE_DONE && !ok ? fail_row(s, error) : result;
}

store_result_t command_cancel(world_store_o *s, int64_t id, bool *is_cancelled, error_info_t *error) {
  int64_t changed = 0;
  store_result_t result =
      store_execute(s,
                    "UPDATE command SET done_at = " STORE_NOW ", result = 'cancelled: nothing took the command in time'"
                    " WHERE id = $1 AND taken = 0 AND done_at IS NULL",
                    STORE_VALUES(STORE_NUMBER(id)), &changed, error);
  *is_cancelled = changed > 0;
  return result;
}

store_result_t command_list(world_store_o *s, uint32_t count, void (*visit)(const command_t *c), error_info_t *error) {
  store_query_t query = {0};
  command_t *c = alloc_object(sizeof *c);
  bool ok = true;
  store_query_begin(s, &query,
                    "SELECT " COLUMNS " FROM command WHERE id > (SELECT COALESCE(MAX(id), 0) FROM command) - $1"
                    " ORDER BY id",
                    STORE_VALUES(STORE_NUMBER(count)), error);
  while (ok && store_next(s, &query, error)) {
    ok = read_row(&query, c);
    if (ok)
      visit(c);
  }
  free(c);
  store_result_t result = store_query_end(&query);
  return result == STORE_DONE && !ok ? fail_row(s, error) : result;
}

// --- the room

store_result_t commands_poll(world_store_o *s, const room_claim_t *claim, room_answers_t *answers,
                             error_info_t *error) {
  store_query_t query = {0};
  command_offer_t offer = {0};
  uint64_t id = 0, taken = 0;
  store_query_begin(s, &query,
                    "SELECT id, taken, kind, data FROM command WHERE done_at IS NULL AND room = $1 AND taken < $2"
                    " ORDER BY id LIMIT $3",
                    STORE_VALUES(STORE_NUMBER(claim->number), STORE_NUMBER(claim->fence), STORE_NUMBER(MAX_OFFERS)),
                    error);
  // Skips malformed rows, which must not end the room
  while (store_next(s, &query, error))
    if (store_read_number(&query, 0, INT64_MAX, &id) && store_read_number(&query, 1, INT64_MAX, &taken) &&
        store_read_text(&query, 2, offer.kind, sizeof offer.kind) &&
        store_read_text(&query, 3, offer.data, sizeof offer.data)) {
      offer.id = (int64_t)id;
      offer.is_lost = taken != 0;
      room_answers_add(answers, ROOM_ANSWER_COMMAND, &offer, sizeof offer);
    }
  return store_query_end(&query);
}

store_result_t command_taken_apply(world_store_o *s, const room_claim_t *claim, const uint8_t *bytes, size_t size,
                                   room_answers_t *answers, error_info_t *error) {
  command_take_t take;
  int64_t changed = 0;
  (void)size;
  shoal_assert(size == sizeof take, "a change of %zu bytes", size);
  memcpy(&take, bytes, sizeof take);
  store_result_t result =
      store_execute(s, "UPDATE command SET taken = $1 WHERE id = $2 AND taken = 0 AND done_at IS NULL",
                    STORE_VALUES(STORE_NUMBER(claim->fence), STORE_NUMBER(take.id)), &changed, error);
  if (result == STORE_DONE && changed > 0)
    room_answers_add(answers, ROOM_ANSWER_COMMAND_TAKEN, &take, sizeof take);
  return result;
}

static store_result_t store_done(world_store_o *s, int64_t id, bool is_ok, const char *text, error_info_t *error) {
  return store_execute(
      s, "UPDATE command SET done_at = " STORE_NOW ", ok = $1, result = $2 WHERE id = $3 AND done_at IS NULL",
      STORE_VALUES(STORE_NUMBER(is_ok), STORE_TEXT(text), STORE_NUMBER(id)), NULL, error);
}

store_result_t command_done_apply(world_store_o *s, const room_claim_t *claim, const uint8_t *bytes, size_t size,
                                  room_answers_t *answers, error_info_t *error) {
  command_done_t done;
  char text[COMMAND_RESULT_BYTES];
  size_t length = size - sizeof done;
  (void)claim;
  (void)answers;
  shoal_assert(size >= sizeof done && length < sizeof text, "a change of %zu bytes", size);
  memcpy(&done, bytes, sizeof done);
  memcpy(text, bytes + sizeof done, length);
  text[length] = '\0';
  return store_done(s, done.id, done.is_ok, text, error);
}

// --- the owner of the world

static store_result_t take(world_store_o *s, int64_t owner, command_t *c, error_info_t *error) {
  store_query_t query = {0};
  store_result_t result = store_execute(s,
                                        "UPDATE command SET done_at = " STORE_NOW ", result = $1"
                                        " WHERE done_at IS NULL AND room IS NULL AND taken > 0 AND taken < $2",
                                        STORE_VALUES(STORE_TEXT(COMMAND_LOST_TEXT), STORE_NUMBER(owner)), NULL, error);
  if (result != STORE_DONE)
    return result;
  bool ok = true;
  store_query_begin(s, &query,
                    "SELECT " COLUMNS " FROM command WHERE done_at IS NULL AND room IS NULL AND taken = 0"
                    " ORDER BY id LIMIT 1",
                    NULL, 0, error);
  if (store_next(s, &query, error))
    ok = read_row(&query, c);
  result = store_query_end(&query);
  if (result == STORE_DONE && !ok)
    return fail_row(s, error);
  return result != STORE_DONE || c->id == 0
             ? result
             : store_execute(s, "UPDATE command SET taken = $1 WHERE id = $2",
                             STORE_VALUES(STORE_NUMBER(owner), STORE_NUMBER(c->id)), NULL, error);
}

store_result_t command_take_of_world(world_store_o *s, int64_t owner, command_t *c, error_info_t *error) {
  int64_t count = 0;
  *c = (command_t){0};
  store_result_t result = store_query_number(s, "SELECT count(*) FROM command WHERE done_at IS NULL AND room IS NULL",
                                             NULL, 0, &count, error);
  if (result != STORE_DONE || count == 0)
    return result;
  result = store_begin_write(s, error);
  return result == STORE_DONE ? store_end(s, take(s, owner, c, error), error) : result;
}

store_result_t command_finish(world_store_o *s, const command_t *c, error_info_t *error) {
  return store_done(s, c->id, c->is_ok, c->result, error);
}

store_result_t command_list_waiting_rooms(world_store_o *s, void (*visit)(void *context, const char *room),
                                          void *context, error_info_t *error) {
  store_query_t query = {0};
  char name[ROOM_NAME_BYTES];
  store_query_begin(s, &query,
                    "SELECT DISTINCT name FROM room JOIN command ON command.room = room.number"
                    " WHERE command.done_at IS NULL AND command.taken = 0",
                    NULL, 0, error);
  while (store_next(s, &query, error))
    if (store_read_text(&query, 0, name, sizeof name))
      visit(context, name);
  return store_query_end(&query);
}
