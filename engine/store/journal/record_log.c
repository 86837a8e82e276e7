// Circular buffer of records.
#include "journal/record_log.h"

#include "base/assert.h"

#include <string.h>

typedef struct slot_t {
  uint64_t number; // number of the record; 0 if the slot is empty
  uint64_t tick, hash;
  uint64_t items_at; // position in the items buffer; positions only increase
  uint32_t item_count, item_bytes;
  record_kind_t kind;
  player_mask_t present;
} slot_t;

// Form of an item in the buffer: kind (1), player (1), size (2), bytes.
#define ITEM_HEAD_BYTES 4u

struct record_log_o {
  allocator_t *memory;
  slot_t *slots;
  player_input_t *inputs; // `max_players` inputs for each slot: the inputs of the present players, in order
  uint8_t *items;
  uint64_t items_end; // position after the last item
  uint32_t capacity, max_players, item_capacity;
};

static size_t get_input_bytes(const record_log_o *log) {
  return (size_t)log->capacity * log->max_players * sizeof *log->inputs;
}

record_log_o *record_log_create(allocator_t *a, uint32_t capacity, uint32_t max_players, uint32_t item_bytes) {
  record_log_o *log = alloc_resize(a, NULL, 0, sizeof *log);
  shoal_assert(capacity > 0 && (capacity & (capacity - 1)) == 0, "capacity %u is not a power of two", capacity);
  *log = (record_log_o){.memory = a, .capacity = capacity, .max_players = max_players};
  log->item_capacity = item_bytes + ITEM_HEAD_BYTES * RECORD_MAX_ITEMS;
  log->slots = alloc_aligned(a, capacity * sizeof *log->slots);
  log->inputs = max_players > 0 ? alloc_aligned(a, get_input_bytes(log)) : NULL;
  log->items = alloc_resize(a, NULL, 0, log->item_capacity);
  return log;
}

void record_log_destroy(record_log_o *log) {
  if (!log)
    return;
  if (log->inputs)
    alloc_free_aligned(log->memory, log->inputs, get_input_bytes(log));
  alloc_free_aligned(log->memory, log->slots, log->capacity * sizeof *log->slots);
  alloc_resize(log->memory, log->items, log->item_capacity, 0);
  alloc_resize(log->memory, log, sizeof *log, 0);
}

static slot_t *find_slot(const record_log_o *log, uint64_t number) {
  return &log->slots[number & (log->capacity - 1)];
}

// Reserves contiguous bytes for the items of a record. Returns their position.
static uint64_t reserve_items(record_log_o *log, uint32_t size) {
  uint64_t offset = log->items_end % log->item_capacity;
  if (offset + size > log->item_capacity)
    log->items_end += log->item_capacity - offset;
  log->items_end += size;
  return log->items_end - size;
}

static void store_items(record_log_o *log, slot_t *slot, const record_t *record) {
  slot->item_count = record->item_count;
  slot->item_bytes = (uint32_t)record_get_item_bytes(record) + record->item_count * ITEM_HEAD_BYTES;
  slot->items_at = reserve_items(log, slot->item_bytes);
  uint8_t *to = log->items + slot->items_at % log->item_capacity;
  for (uint32_t i = 0; i < record->item_count; ++i) {
    const record_item_t *item = &record->items[i];
    uint8_t head[ITEM_HEAD_BYTES] = {(uint8_t)item->kind, item->player, (uint8_t)item->size,
                                     (uint8_t)(item->size >> 8)};
    memcpy(to, head, sizeof head);
    if (item->size > 0)
      memcpy(to + sizeof head, item->bytes, item->size);
    to += sizeof head + item->size;
  }
}

static player_input_t *find_inputs(const record_log_o *log, const slot_t *slot) {
  return log->inputs + (size_t)(slot - log->slots) * log->max_players;
}

static void store_inputs(record_log_o *log, slot_t *slot, const player_inputs_t *inputs) {
  uint32_t count = 0;
  shoal_assert((uint32_t)__builtin_popcount(inputs->present) <= log->max_players, "the record has more than %u players",
               log->max_players);
  slot->present = 0;
  for (player_mask_t left = inputs->present; left && count < log->max_players; left &= left - 1) {
    slot->present |= left & -left;
    find_inputs(log, slot)[count++] = inputs->players[__builtin_ctz(left)];
  }
}

static void load_inputs(const record_log_o *log, const slot_t *slot, player_inputs_t *out) {
  uint32_t count = 0;
  memset(out, 0, sizeof *out);
  out->present = slot->present;
  for (player_mask_t left = slot->present; left; left &= left - 1)
    out->players[__builtin_ctz(left)] = find_inputs(log, slot)[count++];
}

void record_log_add(record_log_o *log, const record_t *record) {
  slot_t *slot = find_slot(log, record->number);
  shoal_assert(record->number > 0, "record numbers start at 1");
  slot->number = record->number;
  slot->tick = record->tick;
  slot->hash = record->hash;
  slot->kind = record->kind;
  store_inputs(log, slot, &record->inputs);
  slot->item_count = 0;
  if (record->item_count > 0)
    store_items(log, slot, record);
}

bool record_log_has(const record_log_o *log, uint64_t number) {
  const slot_t *slot = find_slot(log, number);
  return number > 0 && slot->number == number &&
         (slot->item_count == 0 || log->items_end - slot->items_at <= log->item_capacity);
}

bool record_log_get(const record_log_o *log, uint64_t number, record_t *out) {
  const slot_t *slot = find_slot(log, number);
  if (!record_log_has(log, number))
    return false;
  out->number = number;
  out->kind = slot->kind;
  out->tick = slot->tick;
  out->hash = slot->hash;
  load_inputs(log, slot, &out->inputs);
  out->item_count = slot->item_count;
  const uint8_t *from = log->items + slot->items_at % log->item_capacity;
  for (uint32_t i = 0; i < slot->item_count; ++i) {
    record_item_t item = {(record_item_kind_t)from[0], from[1], (uint16_t)(from[2] | from[3] << 8),
                          from + ITEM_HEAD_BYTES};
    out->items[i] = item;
    from += ITEM_HEAD_BYTES + item.size;
  }
  return true;
}

bool record_log_start_coder(const record_log_o *log, uint64_t number, record_coder_t *out) {
  const slot_t *slot = find_slot(log, number);
  if (number == 0 || slot->number != number)
    return false;
  player_inputs_t inputs;
  load_inputs(log, slot, &inputs);
  record_coder_start(out, number, slot->tick, &inputs);
  return true;
}

bool record_log_has_room(const record_log_o *log, uint64_t from, uint64_t to, size_t item_bytes) {
  // A record that does not fit at the end of the buffer leaves a gap there.
  uint64_t end = log->items_end + item_bytes + RECORD_MAX_ITEM_BYTES + 2 * ITEM_HEAD_BYTES * RECORD_MAX_ITEMS;
  for (uint64_t number = from; number < to; ++number) {
    const slot_t *slot = find_slot(log, number);
    if (slot->number == number && slot->item_count > 0 && end - slot->items_at > log->item_capacity)
      return false;
  }
  return true;
}

void record_log_clear(record_log_o *log) {
  for (uint32_t i = 0; i < log->capacity; ++i)
    log->slots[i].number = 0;
}
