// Reads the snapshot and the records of a room, and checks each row. The first malformed or missing row is reported or,
// if its loss is accepted, ends the image.
#include "served/room_rows.h"
#include "served/world_store_internal.h"

#include "base/array.h"
#include "journal/record.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define MAX_BLOCK_BYTES (512u << 20)

// State of a load.
typedef struct load_t {
  world_store_o *store;
  const room_load_desc_t *desc;
  room_image_t *out;
  int64_t room;        // number of the room
  uint64_t last, tick; // numbers in the room's row
  record_t record;     // most recently decoded record; a member, because it is too large for the stack
} load_t;

// --- memory

static const uint8_t *copy_bytes(allocator_t *memory, const uint8_t *bytes, size_t size) {
  uint8_t *copy = alloc_resize(memory, NULL, 0, size);
  if (size)
    memcpy(copy, bytes, size);
  return copy;
}

static void free_bytes(allocator_t *memory, const uint8_t *bytes, size_t size) {
  alloc_resize(memory, (void *)bytes, size, 0);
}

static void free_snapshot(room_image_t *image) {
  free_bytes(&image->memory, image->snapshot.head, image->snapshot.head_size);
  free_bytes(&image->memory, image->snapshot.state, image->snapshot.state_size);
  image->snapshot = (room_snapshot_t){0};
  image->has_snapshot = false;
}

void room_image_free(room_image_t *image) {
  free_snapshot(image);
  for (uint32_t i = 0; i < image->block_count; ++i)
    free_bytes(&image->memory, image->blocks[i].bytes, image->blocks[i].size);
  alloc_resize(&image->memory, image->blocks, image->block_capacity * sizeof *image->blocks, 0);
  *image = (room_image_t){.memory = image->memory};
}

// --- losses

// Reports a malformed or missing row. Returns STORE_DONE if the image may end before it, or STORE_DAMAGED with an error
// otherwise.
__attribute__((format(printf, 3, 4))) static store_result_t lose(load_t *load, error_info_t *error, const char *format,
                                                                 ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  error_info_t loss = {0};
  if (!load->desc->accept_loss)
    return store_fail(load->store, STORE_DAMAGED, error,
                      "room %s: %s: restore a backup, or use --accept-loss %s, which discards it and what follows",
                      load->desc->name, text, load->desc->name);
  store_fail(load->store, STORE_DAMAGED, &loss, "room %s: %s", load->desc->name, text);
  if (!load->out->has_loss)
    load->out->loss = loss;
  load->out->has_loss = true;
  return STORE_DONE;
}

// --- snapshots

static bool is_frame(const uint8_t *bytes, size_t size) {
  unsigned long long content = ZSTD_getFrameContentSize(bytes, size);
  return content != ZSTD_CONTENTSIZE_ERROR && content != ZSTD_CONTENTSIZE_UNKNOWN &&
         ZSTD_findFrameCompressedSize(bytes, size) == size;
}

// Reads the snapshot of the current row. Returns true on success, or false if the row is malformed.
static bool read_snapshot(load_t *load, const store_query_t *query) {
  room_image_t *out = load->out;
  room_snapshot_t row = {0};
  uint64_t checksum = 0;
  bool ok = store_read_number(query, 0, RECORD_MAX_NUMBER, &row.number) &&
            store_read_number(query, 1, RECORD_MAX_NUMBER, &row.tick) && store_read_bits(query, 2, &row.hash) &&
            store_read_text(query, 3, out->engine, sizeof out->engine) && store_read_bits(query, 4, &out->base) &&
            store_read_blob(query, 5, ROOM_MAX_HEAD_BYTES, &row.head, &row.head_size) &&
            store_read_blob(query, 6, ROOM_MAX_STATE_BYTES, &row.state, &row.state_size) &&
            store_read_bits(query, 7, &checksum) && store_read_number(query, 8, INT64_MAX, &row.code);
  if (!ok || checksum != room_snapshot_hash(load->room, &row, out->engine, out->base) || row.number > load->last ||
      !is_frame(row.state, row.state_size))
    return false;
  out->snapshot = row;
  out->snapshot.head = copy_bytes(&out->memory, row.head, row.head_size);
  out->snapshot.state = copy_bytes(&out->memory, row.state, row.state_size);
  out->has_snapshot = true;
  out->last = row.number;
  out->tick = row.tick;
  return true;
}

static store_result_t require_empty_room(load_t *load, error_info_t *error) {
  int64_t blocks = 0;
  store_result_t result = store_query_number(load->store, "SELECT count(*) FROM journal WHERE room = $1",
                                             STORE_VALUES(STORE_NUMBER(load->room)), &blocks, error);
  if (result != STORE_DONE || (blocks == 0 && load->last == 0))
    return result;
  return store_fail(load->store, STORE_DAMAGED, error, "room %s: its snapshots are missing: restore a backup",
                    load->desc->name);
}

// Reads the first snapshot of the image: the newest snapshot or, with `previous`, the snapshot before it. If the loss
// of malformed snapshots is accepted, reads the newest valid snapshot.
static store_result_t read_first_snapshot(load_t *load, error_info_t *error) {
  store_query_t query = {0};
  store_result_t loss = STORE_DONE;
  room_image_t *out = load->out;
  uint32_t rows = 0;
  store_query_begin(load->store, &query,
                    "SELECT number, tick, hash, engine, base, head, body, checksum, code FROM snapshot WHERE room = $1"
                    " ORDER BY number DESC LIMIT 2",
                    STORE_VALUES(STORE_NUMBER(load->room)), error);
  while (loss == STORE_DONE && (rows == 0 || load->desc->previous || !out->has_snapshot) &&
         store_next(load->store, &query, error)) {
    if (out->has_snapshot) { // the newest snapshot, which the image must reach
      out->has_next = true;
      out->next_number = out->snapshot.number;
      out->next_tick = out->snapshot.tick;
      out->next_hash = out->snapshot.hash;
      free_snapshot(out);
    }
    if (!read_snapshot(load, &query))
      loss = lose(load, error, "snapshot %" PRId64 " is malformed", store_read_cell(&query, 0).number);
    ++rows;
  }
  store_result_t result = store_query_end(&query);
  if (result != STORE_DONE || loss != STORE_DONE)
    return result != STORE_DONE ? result : loss;
  if (rows == 0)
    return require_empty_room(load, error);
  if (!out->has_snapshot)
    return store_fail(load->store, STORE_DAMAGED, error, "room %s: no snapshot can be read: restore a backup",
                      load->desc->name);
  if (load->desc->previous && !out->has_next)
    room_image_free(out); // the room has only one snapshot
  return STORE_DONE;
}

// --- records

// Decodes a block. Returns true if it consists of exactly the records that its row lists, which a match can contain.
// `tick` receives the tick of its last TICK.
static bool check_records(load_t *load, const room_block_t *block, uint64_t *tick) {
  record_coder_t coder = {0};
  uint64_t expected = block->first;
  for (size_t at = 0, read; at < block->size; at += read) {
    read = record_read(&coder, block->bytes + at, block->size - at, &load->record);
    if (read == 0 || load->record.number != expected++ || !record_is_of_match(&load->record))
      return false;
    if (load->record.kind == RECORD_TICK)
      *tick = load->record.tick;
  }
  return expected == block->last + 1;
}

// Adds the block of the current row to the image. `ends` receives true if the image ends before it.
static store_result_t read_block(load_t *load, const store_query_t *query, bool *ends, error_info_t *error) {
  room_block_t block = {0};
  room_image_t *out = load->out;
  uint64_t checksum = 0, tick = out->tick, expected = out->last + 1;
  bool has_numbers = store_read_number(query, 0, RECORD_MAX_NUMBER, &block.first) &&
                     store_read_number(query, 1, RECORD_MAX_NUMBER, &block.last) && block.first <= block.last;
  *ends = true;
  if (has_numbers && block.first > expected)
    return lose(load, error, "records %" PRIu64 " to %" PRIu64 " are missing", expected, block.first - 1);
  if (has_numbers && block.first < expected)
    return lose(load, error, "records %" PRIu64 " to %" PRIu64 " exist twice", block.first,
                block.last < expected ? block.last : expected - 1);
  bool ok = has_numbers && block.last <= load->last &&
            store_read_blob(query, 2, MAX_BLOCK_BYTES, &block.bytes, &block.size) &&
            store_read_bits(query, 3, &checksum) && checksum == room_block_hash(load->room, &block) &&
            check_records(load, &block, &tick);
  if (!ok)
    return lose(load, error, "the block of the records from %" PRIu64 " is malformed", expected);
  *ends = false;
  out->last = block.last;
  out->tick = tick;
  block.bytes = copy_bytes(&out->memory, block.bytes, block.size);
  if (out->block_count == out->block_capacity)
    out->blocks = array_grow(&out->memory, out->blocks, &out->block_capacity, out->block_count + 1, sizeof block);
  out->blocks[out->block_count++] = block;
  return STORE_DONE;
}

static store_result_t read_blocks(load_t *load, error_info_t *error) {
  store_query_t query = {0};
  store_result_t loss = STORE_DONE;
  bool ends = false;
  store_query_begin(load->store, &query,
                    "SELECT first, last, body, checksum FROM journal WHERE room = $1 AND last > $2 ORDER BY first",
                    STORE_VALUES(STORE_NUMBER(load->room), STORE_NUMBER(load->out->snapshot.number)), error);
  while (!ends && loss == STORE_DONE && store_next(load->store, &query, error))
    loss = read_block(load, &query, &ends, error);
  store_result_t result = store_query_end(&query);
  return result != STORE_DONE ? result : loss;
}

// Checks that the image ends with the last record and tick in the room's row. After an accepted loss, clears `has_next`
// instead if the image ends before the next snapshot.
static store_result_t check_end(load_t *load, error_info_t *error) {
  room_image_t *out = load->out;
  if (out->has_loss) {
    out->has_next &= out->next_number <= out->last;
    return STORE_DONE;
  }
  if (out->last < load->last)
    return lose(load, error, "records %" PRIu64 " to %" PRIu64 " are missing", out->last + 1, load->last);
  if (out->tick != load->tick)
    return lose(load, error, "record %" PRIu64 " belongs to tick %" PRIu64 ", but the room is at tick %" PRIu64,
                out->last, out->tick, load->tick);
  return STORE_DONE;
}

// --- loading

// Reads the room's row. `exists` receives false if the room has never been started.
static store_result_t read_room(load_t *load, bool *exists, error_info_t *error) {
  store_query_t query = {0};
  uint64_t number = 0;
  store_query_begin(load->store, &query, "SELECT number, last, tick FROM room WHERE name = $1",
                    STORE_VALUES(STORE_TEXT(load->desc->name)), error);
  *exists = store_next(load->store, &query, error);
  bool ok = !*exists || (store_read_number(&query, 0, INT64_MAX, &number) &&
                         store_read_number(&query, 1, RECORD_MAX_NUMBER, &load->last) &&
                         store_read_number(&query, 2, RECORD_MAX_NUMBER, &load->tick));
  load->room = (int64_t)number;
  store_result_t result = store_query_end(&query);
  if (result == STORE_DONE && !ok)
    return store_fail(load->store, STORE_DAMAGED, error, "room %s: its row is malformed: restore a backup",
                      load->desc->name);
  return result;
}

static store_result_t load_room(load_t *load, error_info_t *error) {
  bool exists = false;
  store_result_t result = read_room(load, &exists, error);
  if (result == STORE_DONE && exists)
    result = read_first_snapshot(load, error);
  if (result == STORE_DONE && load->out->has_snapshot)
    result = read_blocks(load, error);
  if (result == STORE_DONE && load->out->has_snapshot)
    result = check_end(load, error);
  return result;
}

store_result_t world_store_load_room(world_store_o *s, const room_load_desc_t *desc, room_image_t *out,
                                     error_info_t *error) {
  load_t *load = alloc_object(sizeof *load);
  *load = (load_t){.store = s, .desc = desc, .out = out};
  room_image_free(out);
  store_result_t result = store_begin_read(s, error);
  if (result == STORE_DONE)
    result = store_end(s, load_room(load, error), error);
  if (result != STORE_DONE)
    room_image_free(out);
  free(load);
  return result;
}

// --- saves

void room_save_image_free(room_save_image_t *image) {
  free_bytes(&image->memory, image->save.bytes, image->save.size);
  *image = (room_save_image_t){.memory = image->memory};
}

static bool read_save(const store_query_t *query, room_save_image_t *out) {
  room_save_t row = {0};
  uint64_t room = 0, checksum = 0;
  bool ok = store_read_number(query, 0, INT64_MAX, &room) &&
            store_read_number(query, 1, RECORD_MAX_NUMBER, &row.number) &&
            store_read_number(query, 2, RECORD_MAX_NUMBER, &row.tick) &&
            store_read_text(query, 3, out->engine, sizeof out->engine) && store_read_bits(query, 4, &out->base) &&
            store_read_blob(query, 5, ROOM_MAX_STATE_BYTES, &row.bytes, &row.size) &&
            store_read_bits(query, 6, &checksum) && store_read_number(query, 7, INT64_MAX, &row.code) &&
            checksum == room_save_hash((int64_t)room, &row, out->engine, out->base);
  if (!ok)
    return false;
  out->save = row;
  out->save.bytes = copy_bytes(&out->memory, row.bytes, row.size);
  out->has_save = true;
  return true;
}

store_result_t world_store_load_save(world_store_o *s, const char *name, room_save_image_t *out, error_info_t *error) {
  store_query_t query = {0};
  room_save_image_free(out);
  store_query_begin(s, &query,
                    "SELECT save.room, save.number, save.tick, engine, base, body, checksum, save.code FROM save"
                    " JOIN room ON room.number = save.room WHERE room.name = $1",
                    STORE_VALUES(STORE_TEXT(name)), error);
  bool ok = !store_next(s, &query, error) || read_save(&query, out);
  store_result_t result = store_query_end(&query);
  if (result == STORE_DONE && !ok)
    result = store_fail(s, STORE_DAMAGED, error, "room %s: its save is malformed: restore a backup", name);
  if (result != STORE_DONE)
    room_save_image_free(out);
  return result;
}
