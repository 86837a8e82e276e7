// Reads and writes the versions of a world's code.
#include "served/code_rows.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/hash.h"
#include "served/world_store_internal.h"

#include <stdio.h>
#include <string.h>

// --- releases

store_result_t code_rows_set_release(world_store_o *s, const code_release_t *release, error_info_t *error) {
  return store_execute(
      s,
      "INSERT INTO release (base, folder, options) VALUES ($1, $2, $3)"
      " ON CONFLICT (base) DO UPDATE SET folder = excluded.folder, options = excluded.options",
      STORE_VALUES(STORE_NUMBER(release->base), STORE_TEXT(release->folder), STORE_TEXT(release->options)), NULL,
      error);
}

store_result_t code_rows_get_release(world_store_o *s, code_release_t *out, error_info_t *error) {
  store_query_t query = {0};
  *out = (code_release_t){0};
  store_query_begin(
      s, &query,
      "SELECT release.base, release.folder, release.options FROM release JOIN world ON world.base = release.base", NULL,
      0, error);
  bool has_row = store_next(s, &query, error);
  bool ok = has_row && store_read_bits(&query, 0, &out->base) &&
            store_read_text(&query, 1, out->folder, sizeof out->folder) &&
            store_read_text(&query, 2, out->options, sizeof out->options);
  store_result_t result = store_query_end(&query);
  if (result == STORE_DONE && !ok)
    return store_fail(s, STORE_DAMAGED, error,
                      has_row ? "the row of the release is malformed: restore a backup"
                              : "the world has never been served: start it with ./shoal serve GAME");
  return result;
}

// --- codes

#define COLUMNS                                                                                                        \
  "code.number, code.base, code.former, " STORE_NOW " - code.at, code.author, code.note, code.bundle, code.checksum"

static uint64_t hash_row(const code_row_t *row) {
  uint64_t numbers[] = {row->number, row->base, row->former};
  return hash_bytes(row->bundle, row->size, hash_bytes(numbers, sizeof numbers, 1));
}

void code_row_free(code_row_t *row) {
  alloc_resize(&row->memory, row->bundle, row->size, 0);
  *row = (code_row_t){.memory = row->memory};
}

// Reads the current row. Returns true on success, or false if the row is malformed.
static bool read_row(const store_query_t *query, code_row_t *out) {
  uint64_t age_s = 0, checksum = 0;
  const uint8_t *bytes = NULL;
  size_t size = 0;
  code_row_t row = {.memory = out->memory};
  bool ok = store_read_number(query, 0, INT64_MAX, &row.number) && store_read_bits(query, 1, &row.base) &&
            store_read_number(query, 2, INT64_MAX, &row.former) && store_read_bits(query, 3, &age_s) &&
            store_read_text(query, 4, row.author, sizeof row.author) &&
            store_read_text(query, 5, row.note, sizeof row.note) &&
            store_read_blob(query, 6, CODE_MAX_BUNDLE_BYTES, &bytes, &size) && store_read_bits(query, 7, &checksum);
  row.age_s = (int64_t)age_s > 0 ? (int64_t)age_s : 0; // the system time may have been set back
  row.bundle = (uint8_t *)bytes;
  row.size = size;
  if (!ok || size == 0 || checksum != hash_row(&row))
    return false;
  row.bundle = alloc_resize(&row.memory, NULL, 0, size);
  memcpy(row.bundle, bytes, size);
  *out = row;
  return true;
}

static store_result_t load(world_store_o *s, const char *sql, uint64_t base, uint64_t number, code_row_t *out,
                           error_info_t *error) {
  store_query_t query = {0};
  code_row_free(out);
  store_query_begin(s, &query, sql, STORE_VALUES(STORE_NUMBER(base), STORE_NUMBER(number)), error);
  bool ok = !store_next(s, &query, error) || read_row(&query, out);
  store_result_t result = store_query_end(&query);
  if (result == STORE_DONE && !ok)
    result = store_fail(s, STORE_DAMAGED, error, "a row of the live code is malformed: restore a backup");
  return result;
}

store_result_t code_rows_load(world_store_o *s, uint64_t base, uint64_t number, code_row_t *out, error_info_t *error) {
  return load(s, "SELECT " COLUMNS " FROM code WHERE base = $1 AND number = $2", base, number, out, error);
}

store_result_t code_rows_load_next(world_store_o *s, uint64_t base, uint64_t number, code_row_t *out,
                                   error_info_t *error) {
  return load(s, "SELECT " COLUMNS " FROM code WHERE base = $1 AND number > $2 ORDER BY number LIMIT 1", base, number,
              out, error);
}

store_result_t code_rows_get_current(world_store_o *s, uint64_t base, uint64_t *number, error_info_t *error) {
  int64_t current = 0;
  store_result_t result = store_query_number(s, "SELECT COALESCE(MAX(number), 0) FROM code WHERE base = $1",
                                             STORE_VALUES(STORE_NUMBER(base)), &current, error);
  *number = (uint64_t)current;
  return result;
}

int64_t code_rows_get_key(uint64_t base, uint64_t number) {
  return (int64_t)(number > 0 ? number : base);
}

store_result_t code_rows_list(world_store_o *s, uint64_t base, code_list_t *out, error_info_t *error) {
  store_query_t query = {0};
  uint64_t number = 0;
  bool ok = true;
  out->count = 0;
  store_query_begin(s, &query, "SELECT number FROM code WHERE base = $1 ORDER BY number",
                    STORE_VALUES(STORE_NUMBER(base)), error);
  while (ok && store_next(s, &query, error)) {
    ok = store_read_number(&query, 0, INT64_MAX, &number);
    array_push(&out->memory, out, number);
  }
  store_result_t result = store_query_end(&query);
  return result == STORE_DONE && !ok
             ? store_fail(s, STORE_DAMAGED, error, "a row of the live code is malformed: restore a backup")
             : result;
}

void code_list_free(code_list_t *list) {
  array_free(&list->memory, list);
}

int32_t code_list_find(const code_list_t *list, uint64_t base, int64_t key) {
  if (key == code_rows_get_key(base, 0))
    return 0;
  for (uint32_t i = 0; i < list->count; ++i)
    if (key == code_rows_get_key(base, list->items[i]))
      return (int32_t)i + 1;
  return -1;
}

static store_result_t add(world_store_o *s, const code_row_t *row, uint64_t current, uint64_t *number,
                          error_info_t *error) {
  uint64_t newest = 0;
  int64_t last = 0;
  code_row_t added = *row;
  store_result_t result = code_rows_get_current(s, row->base, &newest, error);
  if (result == STORE_DONE && newest != current)
    return store_fail(s, STORE_LOST, error, "a different reload has stored code %llu in the meantime: reload again",
                      (unsigned long long)newest);
  if (result == STORE_DONE)
    result = store_query_number(s, "SELECT COALESCE(MAX(number), 0) FROM code", NULL, 0, &last, error);
  if (result != STORE_DONE)
    return result;
  *number = added.number = (uint64_t)last + 1;
  return store_execute(s,
                       "INSERT INTO code (number, base, former, at, author, note, bundle, checksum)"
                       " VALUES ($1, $2, $3, " STORE_NOW ", $4, $5, $6, $7)",
                       STORE_VALUES(STORE_NUMBER(added.number), STORE_NUMBER(added.base), STORE_NUMBER(added.former),
                                    STORE_TEXT(added.author), STORE_TEXT(added.note),
                                    STORE_BLOB(added.bundle, added.size), STORE_NUMBER(hash_row(&added))),
                       NULL, error);
}

store_result_t code_rows_add(world_store_o *s, const code_row_t *row, uint64_t current, uint64_t *number,
                             error_info_t *error) {
  shoal_assert(row->size > 0 && row->size <= CODE_MAX_BUNDLE_BYTES, "a bundle of %zu bytes", row->size);
  store_result_t result = store_begin_write(s, error);
  return result == STORE_DONE ? store_end(s, add(s, row, current, number, error), error) : result;
}

// --- changes and answers

store_result_t code_refusal_apply(world_store_o *s, const room_claim_t *claim, const uint8_t *bytes, size_t size,
                                  room_answers_t *answers, error_info_t *error) {
  code_refusal_t refusal;
  (void)answers;
  (void)size;
  shoal_assert(size == sizeof refusal, "a refusal of %zu bytes", size);
  memcpy(&refusal, bytes, sizeof refusal);
  return store_execute(
      s,
      "INSERT INTO code_refusal (room, number, reason) VALUES ($1, $2, $3)"
      " ON CONFLICT (room) DO UPDATE SET number = excluded.number, reason = excluded.reason",
      STORE_VALUES(STORE_NUMBER(claim->number), STORE_NUMBER(refusal.number), STORE_TEXT(refusal.reason)), NULL, error);
}

store_result_t code_poll_next(world_store_o *s, const room_claim_t *claim, room_answers_t *answers,
                              error_info_t *error) {
  store_query_t query = {0};
  code_row_t row = {0};
  // A room without a snapshot starts with the current code.
  store_query_begin(s, &query,
                    "SELECT " COLUMNS " FROM code JOIN world ON world.base = code.base WHERE code.number >"
                    " COALESCE((SELECT snapshot.code FROM snapshot WHERE snapshot.room = $1"
                    "  ORDER BY snapshot.number DESC LIMIT 1), 9223372036854775807) AND code.number >"
                    " COALESCE((SELECT code_refusal.number FROM code_refusal WHERE code_refusal.room = $1), 0)"
                    " ORDER BY code.number LIMIT 1",
                    STORE_VALUES(STORE_NUMBER(claim->number)), error);
  bool ok = !store_next(s, &query, error) || read_row(&query, &row);
  store_result_t result = store_query_end(&query);
  if (row.number > 0) {
    uint8_t *bytes = alloc_resize(&row.memory, NULL, 0, sizeof row.number + row.size);
    memcpy(bytes, &row.number, sizeof row.number);
    memcpy(bytes + sizeof row.number, row.bundle, row.size);
    room_answers_add(answers, ROOM_ANSWER_CODE, bytes, sizeof row.number + row.size);
    alloc_resize(&row.memory, bytes, sizeof row.number + row.size, 0);
  }
  code_row_free(&row);
  return ok ? result : STORE_DAMAGED;
}
