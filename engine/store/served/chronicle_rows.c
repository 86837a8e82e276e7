// Adds and removes rows of the chronicle.
#include "served/chronicle_rows.h"
#include "served/world_store_internal.h"

#include "base/assert.h"

#include <string.h>

// --- encoding

typedef struct row_head_t {
  int64_t account, keep_s;
  uint32_t event_bytes, data_bytes; // sizes of the strings, with the '\0'
} row_head_t;

static void append(chronicle_rows_t *rows, const void *bytes, size_t size) {
  if (rows->size + size > rows->capacity) {
    size_t capacity = rows->size + size > 2 * rows->capacity ? rows->size + size : 2 * rows->capacity;
    rows->bytes = alloc_resize(&rows->memory, rows->bytes, rows->capacity, capacity);
    rows->capacity = capacity;
  }
  if (size > 0)
    memcpy(rows->bytes + rows->size, bytes, size);
  rows->size += size;
}

void chronicle_rows_begin(chronicle_rows_t *rows, uint64_t tick) {
  rows->size = rows->count = 0;
  append(rows, &tick, sizeof tick);
}

void chronicle_rows_add(chronicle_rows_t *rows, const char *event, int64_t account, int64_t keep_s, const char *data,
                        size_t size) {
  shoal_assert(rows->count < CHRONICLE_MAX_ROWS && size <= CHRONICLE_MAX_ROW_BYTES,
               "row %u of the event %s has %zu bytes", rows->count, event, size);
  row_head_t head = {account, keep_s, (uint32_t)strlen(event) + 1, (uint32_t)size + 1};
  append(rows, &head, sizeof head);
  append(rows, event, head.event_bytes);
  append(rows, data, size);
  append(rows, "", 1);
  ++rows->count;
}

void chronicle_rows_free(chronicle_rows_t *rows) {
  alloc_resize(&rows->memory, rows->bytes, rows->capacity, 0);
  *rows = (chronicle_rows_t){.memory = rows->memory};
}

// --- the rows of a room

static store_result_t add_row(world_store_o *s, const room_claim_t *claim, uint64_t tick, uint32_t ordinal,
                              const row_head_t *head, const char *event, const char *data, error_info_t *error) {
  return store_execute(s,
                       "INSERT INTO chronicle (room, fence, tick, ordinal, event, account, at, expires, data)"
                       " VALUES ($1, $2, $3, $4, $5, $6, " STORE_NOW ", " STORE_NOW " + $7, $8)",
                       STORE_VALUES(STORE_NUMBER(claim->number), STORE_NUMBER(claim->fence), STORE_NUMBER(tick),
                                    STORE_NUMBER(ordinal), STORE_TEXT(event),
                                    head->account ? STORE_NUMBER(head->account) : STORE_NULL,
                                    head->keep_s ? STORE_NUMBER(head->keep_s) : STORE_NULL, STORE_TEXT(data)),
                       NULL, error);
}

store_result_t chronicle_apply(world_store_o *s, const room_claim_t *claim, const uint8_t *bytes, size_t size,
                               room_answers_t *answers, error_info_t *error) {
  uint64_t tick;
  row_head_t head;
  store_result_t result = STORE_DONE;
  (void)answers;
  memcpy(&tick, bytes, sizeof tick);
  size_t at = sizeof tick;
  for (uint32_t ordinal = 0; result == STORE_DONE && at < size; ++ordinal) {
    memcpy(&head, bytes + at, sizeof head);
    const char *event = (const char *)bytes + at + sizeof head, *data = event + head.event_bytes;
    at += sizeof head + head.event_bytes + head.data_bytes;
    result = add_row(s, claim, tick, ordinal, &head, event, data, error);
  }
  return result;
}

// --- expired rows

store_result_t chronicle_prepare_days(world_store_o *s, int64_t owner, const chronicle_view_t *views, uint32_t count,
                                      error_info_t *error) {
  if (!s->driver->prepare_days)
    return STORE_DONE;
  store_result_t result = store_begin_write(s, error);
  if (result != STORE_DONE)
    return result;
  result = store_require_owner(s, owner, error);
  for (uint32_t i = 0; result == STORE_DONE && i < count; ++i)
    if (views[i].keep_s > 0)
      result = s->driver->prepare_days(s, views[i].keep_s, error);
  return store_end(s, result, error);
}

store_result_t chronicle_remove_expired(world_store_o *s, int64_t owner, uint32_t *removed, error_info_t *error) {
  int64_t changed = 0;
  store_result_t result = store_begin_write(s, error);
  *removed = 0;
  if (result != STORE_DONE)
    return result;
  result = store_require_owner(s, owner, error);
  if (result == STORE_DONE)
    result = s->driver->remove_expired(s, &changed, error);
  result = store_end(s, result, error);
  *removed = result == STORE_DONE ? (uint32_t)changed : 0;
  return result;
}
