// Blocks of records, published so that a forked child can read them at any time.
#include "journal/journal.h"

#include "base/array.h"
#include "base/assert.h"
#include "journal/block.h"

#include <stdatomic.h>
#include <string.h>

#define MAX_RECORD_ITEMS (RECORD_MAX_ITEMS - 2u) // without the two samples

typedef struct block_t {
  uint32_t references; // journals that contain the block
  uint32_t size;       // of the complete records
  uint32_t capacity, record_count;
  uint64_t first_tick;
  uint8_t *bytes;
} block_t;

// Replaced as a whole, so that it is always consistent.
typedef struct block_list_t {
  uint32_t count;
  block_t *blocks[];
} block_list_t;

typedef struct pending_item_t {
  uint64_t tick;
  record_item_kind_t kind;
  uint32_t offset, size;
} pending_item_t;

struct journal_o {
  allocator_t *allocator;
  block_list_t *list;
  bool is_complete;     // the newest block is complete
  record_coder_t coder; // state after the last record of the newest block
  input_state_t sample; // likewise
  uint64_t number;      // of the last record
  uint64_t last_tick;
  ARRAY(pending_item_t) items;
  ARRAY(uint8_t) item_bytes;
};

// Orders the writes before and after the call for a child forked from a crashing process.
static void publish_writes(void) {
  atomic_thread_fence(memory_order_release);
}

// --- blocks

static size_t list_bytes(uint32_t count) {
  return sizeof(block_list_t) + count * sizeof(block_t *);
}

static block_t *get_newest(const journal_o *j) {
  return j->list->count > 0 ? j->list->blocks[j->list->count - 1] : NULL;
}

static block_t *create_block(allocator_t *a, uint64_t first_tick) {
  block_t *block = alloc_resize(a, NULL, 0, sizeof *block);
  *block = (block_t){.references = 1, .first_tick = first_tick};
  return block;
}

static void release_block(allocator_t *a, block_t *block) {
  if (--block->references > 0)
    return;
  alloc_resize(a, block->bytes, block->capacity, 0);
  alloc_resize(a, block, sizeof *block, 0);
}

// Keeps `count` blocks from `first` on, and adds `added`, which may be NULL.
static void replace_list(journal_o *j, uint32_t first, uint32_t count, block_t *added) {
  block_list_t *old = j->list, *list = alloc_resize(j->allocator, NULL, 0, list_bytes(count + (added != NULL)));
  shoal_assert(first + count <= old->count, "blocks %u … %u are out of range (count %u)", first, first + count,
               old->count);
  list->count = count + (added != NULL);
  memcpy(list->blocks, old->blocks + first, count * sizeof *list->blocks);
  if (added)
    list->blocks[count] = added;
  publish_writes();
  j->list = list;
  publish_writes();
  for (uint32_t i = 0; i < old->count; ++i)
    if (i < first || i >= first + count)
      release_block(j->allocator, old->blocks[i]);
  alloc_resize(j->allocator, old, list_bytes(old->count), 0);
}

// Grows a block like array_grow, but frees the old bytes only after the new ones are published.
static void reserve_bytes(journal_o *j, block_t *block, size_t size) {
  uint32_t capacity = block->capacity ? block->capacity : 64, old_capacity = block->capacity;
  uint8_t *old_bytes = block->bytes;
  shoal_assert(block->size + size < UINT32_MAX / 2, "%zu bytes are too many for a block", block->size + size);
  if (block->size + size <= block->capacity)
    return;
  while (capacity < block->size + size)
    capacity *= 2;
  uint8_t *bytes = alloc_resize(j->allocator, NULL, 0, capacity);
  if (block->size > 0)
    memcpy(bytes, old_bytes, block->size);
  publish_writes();
  block->bytes = bytes;
  block->capacity = capacity;
  publish_writes();
  alloc_resize(j->allocator, old_bytes, old_capacity, 0);
}

static block_t *copy_block(journal_o *j, const block_t *block) {
  block_t *copy = create_block(j->allocator, block->first_tick);
  reserve_bytes(j, copy, block->size);
  if (block->size > 0)
    memcpy(copy->bytes, block->bytes, block->size);
  copy->size = block->size;
  copy->record_count = block->record_count;
  return copy;
}

static void begin_block(journal_o *j, uint64_t first_tick) {
  replace_list(j, 0, j->list->count, create_block(j->allocator, first_tick));
  j->is_complete = false;
  j->coder = (record_coder_t){.has_large_items = true};
  memset(&j->sample, 0, sizeof j->sample);
}

// --- life cycle

journal_o *journal_create(allocator_t *a) {
  shoal_assert(a, "allocator must not be NULL");
  journal_o *j = alloc_resize(a, NULL, 0, sizeof *j);
  memset(j, 0, sizeof *j);
  j->allocator = a;
  j->list = alloc_resize(a, NULL, 0, list_bytes(0));
  j->list->count = 0;
  return j;
}

void journal_destroy(journal_o *j) {
  if (!j)
    return;
  for (uint32_t i = 0; i < j->list->count; ++i)
    release_block(j->allocator, j->list->blocks[i]);
  alloc_resize(j->allocator, j->list, list_bytes(j->list->count), 0);
  array_free(j->allocator, &j->items);
  array_free(j->allocator, &j->item_bytes);
  alloc_resize(j->allocator, j, sizeof *j, 0);
}

// The copy shares all blocks but the one to which records may still be added.
journal_o *journal_copy(const journal_o *j) {
  journal_o *copy = journal_create(j->allocator);
  block_list_t *list = alloc_resize(j->allocator, copy->list, list_bytes(0), list_bytes(j->list->count));
  list->count = j->list->count;
  for (uint32_t i = 0; i < list->count; ++i) {
    block_t *block = j->list->blocks[i];
    bool is_open = i + 1 == list->count && !j->is_complete;
    list->blocks[i] = is_open ? copy_block(copy, block) : block;
    block->references += !is_open;
  }
  copy->list = list;
  copy->is_complete = true;
  copy->number = j->number;
  copy->last_tick = j->last_tick;
  return copy;
}

// --- adding

static void append_record(journal_o *j, record_t *record) {
  uint8_t small[RECORD_MAX_BYTES];
  block_t *block = get_newest(j);
  size_t needed = RECORD_HEAD_BYTES + record_get_item_bytes(record);
  bool is_small = needed <= sizeof small;
  record->number = ++j->number;
  if (!is_small)
    reserve_bytes(j, block, needed);
  size_t size = record_write(&j->coder, record, is_small ? small : block->bytes + block->size, needed);
  if (is_small) {
    reserve_bytes(j, block, size);
    memcpy(block->bytes + block->size, small, size);
  }
  publish_writes();
  block->size += (uint32_t)size;
  ++block->record_count;
}

static void append_items(journal_o *j, record_t *record) {
  if (record->item_count == 0)
    return;
  record->kind = RECORD_ITEMS;
  if (!get_newest(j) || j->is_complete)
    begin_block(j, record->tick);
  append_record(j, record);
  record->item_count = 0;
}

// Moves the pending items to `record`, and to ITEMS records before it if they belong to other ticks or are too many.
static void take_items(journal_o *j, uint64_t tick, record_t *record) {
  record->item_count = 0;
  record->inputs.present = 0;
  for (uint32_t i = 0; i < j->items.count; ++i) {
    const pending_item_t *item = &j->items.items[i];
    uint64_t item_tick = item->tick == JOURNAL_NEXT_TICK ? tick : item->tick;
    if (record->item_count == MAX_RECORD_ITEMS || (record->item_count > 0 && record->tick != item_tick))
      append_items(j, record);
    record->tick = item_tick;
    record->items[record->item_count++] =
        (record_item_t){item->kind, 0, item->size, j->item_bytes.items + item->offset};
  }
  if (record->item_count > 0 && record->tick != tick)
    append_items(j, record);
}

// The items of `record` point to `item_bytes` until then.
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

// Begins a block if one is due. Call before the items are taken: all records of a call belong to the same block, or the
// recorder, which writes the newest block, would lose one.
static void begin_due_block(journal_o *j, uint64_t tick) {
  if (journal_block_is_due(j))
    begin_block(j, j->items.count > 0 && j->items.items[0].tick < tick ? j->items.items[0].tick : tick);
}

// Adds a TICK or FRAME.
static void add_input(journal_o *j, record_kind_t kind, uint64_t tick, const input_state_t *previous,
                      const input_state_t *input, uint64_t hash) {
  record_t record;
  uint8_t previous_bytes[SAMPLE_MAX_BYTES], bytes[SAMPLE_MAX_BYTES];
  shoal_assert(previous && input && tick > 0, "the samples must not be NULL, and ticks start at 1");
  begin_due_block(j, tick);
  take_items(j, tick, &record);
  if (tick <= j->coder.tick)
    begin_block(j, tick);
  record.kind = kind;
  record.tick = tick;
  record.hash = hash;
  add_sample(&record, RECORD_ITEM_PREVIOUS, &j->sample, previous, previous_bytes);
  add_sample(&record, RECORD_ITEM_SAMPLE, previous, input, bytes);
  append_record(j, &record);
  j->sample = *input;
  clear_items(j);
}

static void add_item(journal_o *j, const pending_item_t *item, const void *head, const void *bytes, size_t size) {
  uint32_t head_size = item->size;
  shoal_assert(j->item_bytes.count + size < UINT32_MAX / 2, "%zu bytes of items are too many", size);
  array_push(j->allocator, &j->items, *item);
  pending_item_t *added = &j->items.items[j->items.count - 1];
  added->offset = j->item_bytes.count;
  added->size = head_size + (uint32_t)size;
  array_reserve(j->allocator, &j->item_bytes, j->item_bytes.count + added->size);
  if (head_size > 0)
    memcpy(j->item_bytes.items + added->offset, head, head_size);
  if (size > 0)
    memcpy(j->item_bytes.items + added->offset + head_size, bytes, size);
  j->item_bytes.count += added->size;
}

void journal_add_item(journal_o *j, uint64_t tick, record_item_kind_t kind, const void *bytes, size_t size) {
  add_item(j, &(pending_item_t){.tick = tick, .kind = kind}, "", bytes, size);
}

void journal_add_result(journal_o *j, uint64_t tick, const external_result_t *result) {
  uint8_t head[EXTERNAL_RESULT_HEAD_BYTES];
  size_t size = external_result_write_head(result, head);
  add_item(j, &(pending_item_t){.tick = tick, .kind = RECORD_ITEM_RESULT, .size = (uint32_t)size}, head, result->bytes,
           result->size);
}

void journal_add_park(journal_o *j, uint64_t tick, const parked_t *parked, uint64_t code) {
  uint8_t head[PARKED_ITEM_HEAD_BYTES];
  journal_add_item(j, tick, RECORD_ITEM_PARK, head, parked_item_write_head(parked, code, head));
}

void journal_add_tick(journal_o *j, uint64_t tick, const input_state_t *previous, const input_state_t *input,
                      uint64_t hash) {
  add_input(j, RECORD_TICK, tick, previous, input, hash);
  j->last_tick = tick;
}

void journal_add_frame(journal_o *j, uint64_t next_tick, const input_state_t *previous, const input_state_t *input) {
  add_input(j, RECORD_FRAME, next_tick, previous, input, 0);
}

bool journal_has_items(const journal_o *j) {
  return j->items.count > 0;
}

void journal_flush_items(journal_o *j) {
  record_t record;
  take_items(j, 0, &record);
  append_items(j, &record); // those of tick 0
  clear_items(j);
}

void journal_add_action(journal_o *j, record_kind_t kind, uint64_t value) {
  record_t record = {.kind = kind};
  shoal_assert(kind != RECORD_TICK && kind != RECORD_FRAME && kind != RECORD_ITEMS, "use another function");
  begin_due_block(j, JOURNAL_UNKNOWN_TICK);
  journal_flush_items(j);
  *(kind == RECORD_RELOAD ? &record.hash : &record.tick) = value;
  append_record(j, &record);
}

bool journal_block_is_due(const journal_o *j) {
  const block_t *newest = get_newest(j);
  return !newest || j->is_complete || newest->record_count >= JOURNAL_BLOCK_RECORDS ||
         newest->size > JOURNAL_BLOCK_BYTES;
}

void journal_end_block(journal_o *j) {
  j->is_complete = true;
}

// --- discarding

static void discard_items_from(journal_o *j, uint64_t tick) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < j->items.count; ++i)
    if (j->items.items[i].tick < tick)
      j->items.items[count++] = j->items.items[i];
  j->items.count = count;
}

// Ends the newest block before its first record of `tick` or a later tick.
static void truncate_newest(journal_o *j, uint64_t tick) {
  block_t *block = get_newest(j);
  block_reader_t reader;
  uint32_t size = 0, record_count = 0;
  block_reader_begin(&reader, block->bytes, block->size);
  while (block_reader_next(&reader) && reader.record.tick < tick) {
    size = (uint32_t)reader.position;
    ++record_count;
    j->coder = reader.coder;
    j->sample = reader.input;
  }
  if (block->references > 1) {
    block_t *copy = copy_block(j, block);
    replace_list(j, 0, j->list->count - 1, copy);
    block = copy;
  }
  block->size = size;
  block->record_count = record_count;
  j->is_complete = false;
}

void journal_discard_from(journal_o *j, uint64_t tick) {
  uint32_t count = j->list->count;
  discard_items_from(j, tick);
  while (count > 0 && j->list->blocks[count - 1]->first_tick >= tick)
    --count;
  if (count < j->list->count)
    replace_list(j, 0, count, NULL);
  if (count > 0)
    truncate_newest(j, tick);
  else
    j->coder = (record_coder_t){0};
  j->number = j->coder.number;
  j->last_tick = count > 0 ? tick - 1 : 0;
}

void journal_discard_before(journal_o *j, uint64_t tick) {
  uint32_t first = 0;
  while (first + 1 < j->list->count && j->list->blocks[first + 1]->first_tick < tick)
    ++first;
  if (first > 0)
    replace_list(j, first, j->list->count - first, NULL);
}

void journal_keep_newest(journal_o *j, uint32_t blocks) {
  if (j->list->count > blocks)
    replace_list(j, j->list->count - blocks, blocks, NULL);
}

// --- reading

uint32_t journal_block_count(const journal_o *j) {
  return j->list->count;
}

journal_block_t journal_get_block(const journal_o *j, uint32_t i) {
  shoal_assert(i < j->list->count, "block %u is out of range (count %u)", i, j->list->count);
  const block_t *block = j->list->blocks[i];
  return (journal_block_t){.bytes = block->bytes, .size = block->size, .first_tick = block->first_tick};
}

uint64_t journal_last_tick(const journal_o *j) {
  return j->last_tick;
}

// Iterates over all records up to a tick, from the block with the first one that may belong to it.
typedef struct scan_t {
  const journal_o *journal;
  uint64_t tick;
  uint32_t next_block;
  block_reader_t reader;
} scan_t;

static void begin_scan(scan_t *s, const journal_o *j, uint64_t tick) {
  s->journal = j;
  s->tick = tick;
  s->next_block = j->list->count;
  while (s->next_block > 0 && j->list->blocks[--s->next_block]->first_tick >= tick) {
  }
  block_reader_begin(&s->reader, NULL, 0);
}

// Advances to the next record that belongs to the tick.
static bool scan_next(scan_t *s) {
  for (;;) {
    while (block_reader_next(&s->reader)) {
      const record_t *record = &s->reader.record;
      if (record->tick == s->tick)
        return true;
      if (record->tick > s->tick && record->kind != RECORD_ITEMS)
        return false;
    }
    if (s->next_block == s->journal->list->count)
      return false;
    const block_t *block = s->journal->list->blocks[s->next_block++];
    block_reader_begin(&s->reader, block->bytes, block->size);
  }
}

bool journal_get_input(const journal_o *j, uint64_t tick, uint32_t i, journal_input_t *out) {
  scan_t scan;
  begin_scan(&scan, j, tick);
  while (scan_next(&scan)) {
    if (scan.reader.record.kind == RECORD_ITEMS || i-- > 0)
      continue;
    out->paused = scan.reader.record.kind == RECORD_FRAME;
    out->previous_input = scan.reader.previous_input;
    out->input = scan.reader.input;
    return true;
  }
  return false;
}

// A search for an item of a tick: the result of a request or, without a key, the one at index `i`.
typedef struct search_t {
  record_item_kind_t kind;
  external_kind_t result_kind;
  const char *key;
  uint32_t i;
} search_t;

static bool is_found(search_t *search, const record_item_t *item) {
  if (search->key)
    return external_result_matches(item, search->result_kind, search->key);
  return item->kind == search->kind && search->i-- == 0;
}

// Stores the item, which is borrowed until the journal changes.
static bool find_item(const journal_o *j, uint64_t tick, search_t *search, record_item_t *out) {
  scan_t scan;
  begin_scan(&scan, j, tick);
  while (scan_next(&scan)) {
    for (uint32_t i = 0; i < scan.reader.record.item_count; ++i) {
      *out = scan.reader.record.items[i];
      if (is_found(search, out))
        return true;
    }
  }
  for (uint32_t i = 0; i < j->items.count; ++i) {
    const pending_item_t *item = &j->items.items[i];
    *out = (record_item_t){item->kind, 0, item->size, j->item_bytes.items + item->offset};
    if (item->tick == tick && is_found(search, out))
      return true;
  }
  return false;
}

external_result_t *journal_find_result(const journal_o *j, uint64_t tick, external_kind_t kind, const char *key) {
  search_t search = {.result_kind = kind, .key = key};
  record_item_t item;
  return find_item(j, tick, &search, &item) ? external_result_read(&item) : NULL;
}

bool journal_get_parked(const journal_o *j, uint64_t tick, uint32_t i, parked_item_t *out) {
  search_t search = {.kind = RECORD_ITEM_PARK, .i = i};
  record_item_t item;
  return find_item(j, tick, &search, &item) && parked_item_read(&item, out);
}
