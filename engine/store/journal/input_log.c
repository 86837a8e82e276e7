// Shares blocks with the journal and with other logs, and searches them by tick.
#include "journal/input_log.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/limits.h"

#include <string.h>

typedef struct logged_result_t {
  uint64_t tick;
  external_result_t *result;
} logged_result_t;

// Frames of a pause, up to the record `last_number`, that lead to the state of `tick`. Without this entry, they would
// lead to the state of `tick` + 1.
typedef struct moved_frames_t {
  uint64_t tick, last_number;
} moved_frames_t;

// Array of blocks. Each change creates a new array, so that readers always find a consistent array.
typedef struct block_array_t {
  uint32_t count;
  block_t *blocks[];
} block_array_t;

struct input_log_o {
  allocator_t *allocator;
  block_array_t *array;
  // number of blocks when input_log_discard_idle_block last checked and kept the block before the newest block
  uint32_t checked_count;
  ARRAY(logged_result_t) results;
  ARRAY(moved_frames_t) moved_frames; // moved frames, sorted by tick
};

// --- blocks

static size_t array_bytes(uint32_t count) {
  return sizeof(block_array_t) + count * sizeof(block_t *);
}

// Keeps `count` blocks, starting at `first`, and appends `added` (may be NULL), taking over its reference.
static void replace_array(input_log_o *log, uint32_t first, uint32_t count, block_t *added) {
  block_array_t *old = log->array;
  block_array_t *array = alloc_resize(log->allocator, NULL, 0, array_bytes(count + (added != NULL)));
  shoal_assert(first + count <= old->count, "blocks %u … %u are out of range (count %u)", first, first + count,
               old->count);
  array->count = count + (added != NULL);
  memcpy(array->blocks, old->blocks + first, count * sizeof *array->blocks);
  if (added)
    array->blocks[count] = added;
  block_publish_writes();
  log->array = array;
  block_publish_writes();
  for (uint32_t i = 0; i < old->count; ++i)
    if (i < first || i >= first + count)
      block_release(log->allocator, old->blocks[i]);
  alloc_resize(log->allocator, old, array_bytes(old->count), 0);
}

void input_log_add_block(input_log_o *log, block_t *block) {
  uint32_t count = log->array->count;
  if (count == 0 || log->array->blocks[count - 1] != block)
    replace_array(log, 0, count, block_retain(block));
}

void input_log_keep_newest(input_log_o *log, uint32_t count) {
  if (count < log->array->count)
    replace_array(log, log->array->count - count, count, NULL);
}

uint32_t input_log_block_count(const input_log_o *log) {
  return log->array->count;
}

const block_t *input_log_get_block(const input_log_o *log, uint32_t i) {
  shoal_assert(i < log->array->count, "block %u is out of range (count %u)", i, log->array->count);
  return log->array->blocks[i];
}

// --- results

void input_log_add_result(input_log_o *log, uint64_t tick, external_result_t *result) {
  logged_result_t added = {tick, external_result_retain(result)};
  array_push(log->allocator, &log->results, added);
}

// Releases the results of all ticks outside [first, end).
static void keep_results(input_log_o *log, uint64_t first, uint64_t end) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < log->results.count; ++i)
    if (log->results.items[i].tick >= first && log->results.items[i].tick < end)
      log->results.items[count++] = log->results.items[i];
    else
      external_result_release(log->results.items[i].result);
  log->results.count = count;
}

// --- moved frames

// Returns the record number of the last moved frame, or 0 if no frames were moved to the tick.
static uint64_t get_last_moved(const input_log_o *log, uint64_t tick) {
  for (uint32_t i = log->moved_frames.count; i-- > 0 && log->moved_frames.items[i].tick >= tick;)
    if (log->moved_frames.items[i].tick == tick)
      return log->moved_frames.items[i].last_number;
  return 0;
}

// Removes the moved frames of all ticks outside [first, end).
static void keep_moved_frames(input_log_o *log, uint64_t first, uint64_t end) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < log->moved_frames.count; ++i)
    if (log->moved_frames.items[i].tick >= first && log->moved_frames.items[i].tick < end)
      log->moved_frames.items[count++] = log->moved_frames.items[i];
  log->moved_frames.count = count;
}

void input_log_move_frames(input_log_o *log, uint64_t tick, uint64_t last_number) {
  input_log_reader_t reader;
  logged_input_t item;
  input_log_begin(&reader, log, tick + 1);
  if (!input_log_next(&reader, &item) || !item.paused)
    return;
  keep_moved_frames(log, 0, tick);
  array_push(log->allocator, &log->moved_frames, ((moved_frames_t){tick, last_number}));
}

bool input_log_has_moved_frames(const input_log_o *log, uint64_t tick) {
  return get_last_moved(log, tick) > 0;
}

// --- life cycle

input_log_o *input_log_create(allocator_t *a) {
  input_log_o *log = alloc_resize(a, NULL, 0, sizeof *log);
  *log = (input_log_o){.allocator = a, .array = alloc_resize(a, NULL, 0, array_bytes(0))};
  log->array->count = 0;
  return log;
}

void input_log_destroy(input_log_o *log) {
  if (!log)
    return;
  input_log_keep_newest(log, 0);
  keep_results(log, 0, 0);
  alloc_resize(log->allocator, log->array, array_bytes(0), 0);
  array_free(log->allocator, &log->results);
  array_free(log->allocator, &log->moved_frames);
  alloc_resize(log->allocator, log, sizeof *log, 0);
}

input_log_o *input_log_copy(const input_log_o *log) {
  input_log_o *copy = input_log_create(log->allocator);
  uint32_t count = log->array->count;
  copy->array = alloc_resize(copy->allocator, copy->array, array_bytes(0), array_bytes(count));
  copy->array->count = count;
  for (uint32_t i = 0; i < count; ++i) {
    block_t *block = log->array->blocks[i];
    copy->array->blocks[i] =
        block->is_open ? block_copy_before(copy->allocator, block, BLOCK_UNKNOWN_TICK, 0) : block_retain(block);
  }
  for (uint32_t i = 0; i < log->moved_frames.count; ++i)
    array_push(copy->allocator, &copy->moved_frames, log->moved_frames.items[i]);
  for (uint32_t i = 0; i < log->results.count; ++i)
    input_log_add_result(copy, log->results.items[i].tick, log->results.items[i].result);
  return copy;
}

// --- discarding

static uint64_t get_first_number(const block_t *block) {
  block_reader_t reader;
  block_reader_begin(&reader, block->bytes, block->size);
  return block_reader_next(&reader) ? reader.record.number : UINT64_MAX;
}

void input_log_discard_from(input_log_o *log, uint64_t tick) {
  block_t **blocks = log->array->blocks;
  uint32_t count = log->array->count;
  uint64_t last_moved = get_last_moved(log, tick - 1);
  while (count > 0 && blocks[count - 1]->first_tick >= tick && get_first_number(blocks[count - 1]) > last_moved)
    --count;
  if (count > 0)
    replace_array(log, 0, count - 1, block_copy_before(log->allocator, blocks[count - 1], tick, last_moved));
  else
    input_log_keep_newest(log, 0);
  keep_results(log, 0, tick);
  keep_moved_frames(log, 0, tick);
}

void input_log_discard_before(input_log_o *log, uint64_t tick) {
  uint32_t first = 0, count = log->array->count;
  for (uint32_t i = 1; i < count; ++i) {
    uint64_t first_tick = log->array->blocks[i]->first_tick;
    if (first_tick < tick)
      first = i;
    else if (first_tick != BLOCK_UNKNOWN_TICK)
      break;
  }
  if (first == 0)
    return;
  input_log_keep_newest(log, count - first);
  keep_results(log, tick, UINT64_MAX);
  keep_moved_frames(log, tick - 1, UINT64_MAX); // the inputs of `tick` - 1 do not lead to `tick`
}

// --- reading

uint64_t input_log_last_tick(const input_log_o *log) {
  for (uint32_t i = log->array->count; i-- > 0;)
    if (log->array->blocks[i]->last_tick > 0)
      return log->array->blocks[i]->last_tick;
  return 0;
}

external_result_t *input_log_find_result(const input_log_o *log, uint64_t tick, external_kind_t kind, const char *key) {
  external_result_t *found = NULL;
  for (uint32_t i = log->results.count; i-- > 0 && log->results.items[i].tick >= tick;) {
    const logged_result_t *entry = &log->results.items[i];
    if (entry->tick == tick && entry->result->kind == kind && strcmp(entry->result->key, key) == 0)
      found = entry->result; // the tick's first result
  }
  return found ? external_result_retain(found) : NULL;
}

void input_log_begin(input_log_reader_t *r, const input_log_o *log, uint64_t tick) {
  r->log = log;
  r->tick = tick;
  r->frame_count = 0;
  r->has_ended = false;
  r->next_block = log->array->count;
  while (r->next_block > 0 && log->array->blocks[--r->next_block]->first_tick >= tick) {
  }
  block_reader_begin(&r->block, NULL, 0);
}

// Returns true if the record leads to the state of the reader's tick.
static bool is_of_tick(const input_log_reader_t *r) {
  const record_t *record = &r->block.record;
  bool is_moved = record->kind != RECORD_TICK && record->number <= get_last_moved(r->log, record->tick - 1);
  return block_reader_has_tick(&r->block) && record->tick - is_moved == r->tick;
}

// Advances to the next record that leads to the state of the reader's tick. Returns true on success, or false if the
// log contains no further record for the tick.
static bool read_next(input_log_reader_t *r) {
  for (;;) {
    while (block_reader_next(&r->block)) {
      if (is_of_tick(r))
        return true;
      if (r->block.record.kind == RECORD_TICK && r->block.record.tick > r->tick)
        return false;
    }
    if (r->next_block == r->log->array->count)
      return false;
    const block_t *block = r->log->array->blocks[r->next_block++];
    block_reader_begin(&r->block, block->bytes, block->size);
  }
}

static bool has_input(const block_reader_t *r) {
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): if only padding differs, the frame merely runs again
  bool found = memcmp(&r->previous_input, &r->input, sizeof r->input) != 0;
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    found |= r->input.actions[i].size > 0;
  return found;
}

// Returns true if the block contains only frames, and these frames have no input, external results or parked items.
static bool is_idle(const block_t *block) {
  block_reader_t r;
  bool result = true;
  for (block_reader_begin(&r, block->bytes, block->size); result && block_reader_next(&r);) {
    for (uint32_t i = 0; i < r.record.item_count; ++i)
      result &= r.record.items[i].kind == RECORD_ITEM_PREVIOUS || r.record.items[i].kind == RECORD_ITEM_SAMPLE;
    result &= r.record.kind == RECORD_FRAME && !has_input(&r);
  }
  return result;
}

void input_log_discard_idle_block(input_log_o *log) {
  uint32_t count = log->array->count;
  if (count < 3 || count == log->checked_count || log->array->blocks[count - 2]->last_tick != 0)
    return;
  if (is_idle(log->array->blocks[count - 2]))
    replace_array(log, 0, count - 2, block_retain(log->array->blocks[count - 1]));
  else
    log->checked_count = count; // prevents reading the block again in every frame
}

bool input_log_next(input_log_reader_t *r, logged_input_t *out) {
  while (!r->has_ended && read_next(r)) {
    out->paused = r->block.record.kind == RECORD_FRAME;
    bool is_skipped = out->paused && (!has_input(&r->block) || r->frame_count++ >= INPUT_LOG_MAX_FRAMES);
    if (r->block.record.kind == RECORD_ITEMS || is_skipped)
      continue;
    r->has_ended = !out->paused && !input_log_has_moved_frames(r->log, r->tick);
    out->previous_input = r->block.previous_input;
    out->input = r->block.input;
    return true;
  }
  return false;
}

bool input_log_get_tick(const input_log_o *log, uint64_t tick, logged_input_t *out) {
  input_log_reader_t reader;
  input_log_begin(&reader, log, tick);
  while (input_log_next(&reader, out))
    if (!out->paused)
      return true;
  return false;
}

bool input_log_get_parked(const input_log_o *log, uint64_t tick, uint32_t i, parked_item_t *out) {
  input_log_reader_t reader;
  input_log_begin(&reader, log, tick);
  while (read_next(&reader)) {
    const record_t *record = &reader.block.record;
    for (uint32_t k = 0; k < record->item_count; ++k)
      if (record->items[k].kind == RECORD_ITEM_PARK && i-- == 0)
        return parked_item_read(&record->items[k], out);
  }
  return false;
}
