// Collects the items of the next record, and appends records to the open block.
#include "journal/journal.h"

#include "base/array.h"
#include "base/assert.h"

#include <string.h>

#define MAX_RECORD_ITEMS (RECORD_MAX_ITEMS - 2u) // maximum number of items besides the two samples

typedef struct pending_item_t {
  record_item_kind_t kind;
  uint32_t offset, size;
} pending_item_t;

struct journal_o {
  allocator_t *allocator;
  ARRAY(input_log_o *) logs;
  journal_on_block_t on_block;
  void *context;
  block_t *block;        // the open block; NULL: the next record begins a block
  uint32_t record_count; // number of records in the open block
  record_coder_t coder;  // state after the last record of the open block
  input_state_t sample;  // sample of the last record of the open block
  uint64_t number;       // number of the last record
  ARRAY(pending_item_t) items;
  ARRAY(uint8_t) item_bytes;
};

// --- life cycle

journal_o *journal_create(allocator_t *a) {
  shoal_assert(a, "a must not be NULL");
  journal_o *j = alloc_resize(a, NULL, 0, sizeof *j);
  memset(j, 0, sizeof *j);
  j->allocator = a;
  return j;
}

void journal_destroy(journal_o *j) {
  if (!j)
    return;
  journal_end_block(j);
  array_free(j->allocator, &j->logs);
  array_free(j->allocator, &j->items);
  array_free(j->allocator, &j->item_bytes);
  alloc_resize(j->allocator, j, sizeof *j, 0);
}

allocator_t *journal_allocator(const journal_o *j) {
  return j->allocator;
}

void journal_attach(journal_o *j, input_log_o *log) {
  journal_end_block(j);
  array_push(j->allocator, &j->logs, log);
}

void journal_detach(journal_o *j, const input_log_o *log) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < j->logs.count; ++i)
    if (j->logs.items[i] != log)
      j->logs.items[count++] = j->logs.items[i];
  j->logs.count = count;
}

void journal_set_on_block(journal_o *j, journal_on_block_t on_block, void *context) {
  j->on_block = on_block;
  j->context = context;
}

static bool has_clients(const journal_o *j) {
  return j->logs.count > 0 || j->on_block;
}

uint64_t journal_last_number(const journal_o *j) {
  return j->number;
}

// --- blocks

bool journal_block_is_due(const journal_o *j) {
  return !j->block || j->record_count >= JOURNAL_BLOCK_RECORDS || j->block->size > JOURNAL_BLOCK_BYTES;
}

void journal_end_block(journal_o *j) {
  if (!j->block)
    return;
  j->block->is_open = false;
  if (j->on_block)
    j->on_block(j->context, j->block->bytes, j->block->size);
  block_release(j->allocator, j->block);
  j->block = NULL;
}

static void add_block_to_logs(journal_o *j) {
  for (uint32_t i = 0; i < j->logs.count; ++i)
    input_log_add_block(j->logs.items[i], j->block);
}

static void begin_block(journal_o *j, bool begins_with_input) {
  journal_end_block(j);
  j->block = block_create(j->allocator);
  j->block->is_open = true;
  j->block->begins_with_input = begins_with_input;
  j->record_count = 0;
  j->coder = (record_coder_t){.has_large_items = true};
  memset(&j->sample, 0, sizeof j->sample);
  add_block_to_logs(j);
}

// --- adding

static void append_record(journal_o *j, record_t *record) {
  uint8_t small[RECORD_MAX_BYTES];
  block_t *block = j->block;
  size_t needed = RECORD_HEAD_BYTES + record_get_item_bytes(record);
  bool is_small = needed <= sizeof small;
  record->number = ++j->number;
  if (!is_small)
    block_reserve(j->allocator, block, needed);
  size_t size = record_write(&j->coder, record, is_small ? small : block->bytes + block->size, needed);
  if (is_small) {
    block_reserve(j->allocator, block, size);
    memcpy(block->bytes + block->size, small, size);
  }
  block_publish_writes();
  block->size += (uint32_t)size;
  ++j->record_count;
}

static void append_items(journal_o *j, record_t *record) {
  if (record->item_count == 0)
    return;
  record->kind = RECORD_ITEMS;
  append_record(j, record);
  record->item_count = 0;
}

// Moves the pending items to `record`, and to ITEMS records before it if one record cannot hold them all.
static void take_items(journal_o *j, uint64_t tick, record_t *record) {
  record->tick = tick;
  record->item_count = 0;
  record->inputs.present = 0;
  for (uint32_t i = 0; i < j->items.count; ++i) {
    const pending_item_t *item = &j->items.items[i];
    if (record->item_count == MAX_RECORD_ITEMS)
      append_items(j, record);
    record->items[record->item_count++] =
        (record_item_t){item->kind, 0, item->size, j->item_bytes.items + item->offset};
  }
}

// Removes the pending items and their bytes, which the items of the appended record point to.
static void clear_items(journal_o *j) {
  j->items.count = 0;
  if (j->item_bytes.count > JOURNAL_BLOCK_BYTES)
    array_free(j->allocator, &j->item_bytes);
  j->item_bytes.count = 0;
}

static void add_sample(record_t *record, record_item_kind_t kind, const input_state_t *from, const input_state_t *to,
                       uint8_t *bytes) {
  size_t size = sample_write_difference(from, to, bytes);
  if (size > 0)
    record->items[record->item_count++] = (record_item_t){kind, 0, (uint32_t)size, bytes};
}

// Adds a TICK or FRAME. Begins a new block for a tick that is not later than the previous tick, so that the ticks of a
// block increase, even across a BACK. A log can then discard the latest records.
static void add_input(journal_o *j, record_kind_t kind, uint64_t tick, const input_state_t *previous,
                      const input_state_t *input, uint64_t hash) {
  record_t record;
  uint8_t previous_bytes[SAMPLE_MAX_BYTES], bytes[SAMPLE_MAX_BYTES];
  shoal_assert(previous && input && tick > 0, "previous and input must not be NULL, and ticks start at 1");
  if (!has_clients(j))
    return;
  if (journal_block_is_due(j) || tick <= j->coder.tick || tick <= j->block->last_tick)
    begin_block(j, true);
  add_block_to_logs(j); // adds the open block again to logs that have discarded it
  if (j->block->first_tick == BLOCK_UNKNOWN_TICK)
    j->block->first_tick = tick;
  take_items(j, tick, &record);
  record.kind = kind;
  record.hash = hash;
  add_sample(&record, RECORD_ITEM_PREVIOUS, &j->sample, previous, previous_bytes);
  add_sample(&record, RECORD_ITEM_SAMPLE, previous, input, bytes);
  append_record(j, &record);
  j->sample = *input;
  clear_items(j);
}

void journal_add_tick(journal_o *j, uint64_t tick, const input_state_t *previous, const input_state_t *input,
                      uint64_t hash) {
  add_input(j, RECORD_TICK, tick, previous, input, hash);
  if (j->block)
    j->block->last_tick = tick;
}

void journal_add_frame(journal_o *j, uint64_t next_tick, const input_state_t *previous, const input_state_t *input) {
  add_input(j, RECORD_FRAME, next_tick, previous, input, 0);
}

static void add_item(journal_o *j, record_item_kind_t kind, const void *head, size_t head_size, const void *bytes,
                     size_t size) {
  pending_item_t item = {kind, j->item_bytes.count, (uint32_t)(head_size + size)};
  shoal_assert(j->item_bytes.count + size < UINT32_MAX / 2, "%zu bytes of items are too many", size);
  if (!has_clients(j))
    return;
  array_push(j->allocator, &j->items, item);
  array_reserve(j->allocator, &j->item_bytes, item.offset + item.size);
  if (head_size > 0)
    memcpy(j->item_bytes.items + item.offset, head, head_size);
  if (size > 0)
    memcpy(j->item_bytes.items + item.offset + head_size, bytes, size);
  j->item_bytes.count += item.size;
}

void journal_add_item(journal_o *j, record_item_kind_t kind, const void *bytes, size_t size) {
  add_item(j, kind, NULL, 0, bytes, size);
}

void journal_add_result(journal_o *j, const external_result_t *result) {
  uint8_t head[EXTERNAL_RESULT_HEAD_BYTES];
  add_item(j, RECORD_ITEM_RESULT, head, external_result_write_head(result, head), result->bytes, result->size);
}

void journal_add_park(journal_o *j, const parked_t *parked, uint64_t code) {
  uint8_t head[PARKED_ITEM_HEAD_BYTES];
  add_item(j, RECORD_ITEM_PARK, head, parked_item_write_head(parked, code, head), parked->error.text,
           strlen(parked->error.text));
}

void journal_flush_items(journal_o *j) {
  record_t record;
  if (j->items.count == 0)
    return;
  if (journal_block_is_due(j))
    begin_block(j, false);
  take_items(j, 0, &record);
  append_items(j, &record);
  clear_items(j);
}

void journal_add_action(journal_o *j, record_kind_t kind, uint64_t value) {
  record_t record = {.kind = kind};
  shoal_assert(kind != RECORD_TICK && kind != RECORD_FRAME && kind != RECORD_ITEMS, "use another function");
  if (!has_clients(j))
    return;
  if (journal_block_is_due(j))
    begin_block(j, false);
  journal_flush_items(j);
  *(kind == RECORD_RELOAD ? &record.hash : &record.tick) = value;
  append_record(j, &record);
}

void journal_add_rewind(journal_o *j, uint64_t ticks, uint64_t tick) {
  journal_add_action(j, RECORD_BACK, ticks);
  if (j->block && tick < j->block->rewound_to)
    j->block->rewound_to = tick;
}
