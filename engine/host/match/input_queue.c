// Merges a peer's inputs into the host's ticks.
#include "match/input_queue.h"

void input_queue_init(input_queue_t *q, allocator_t *a, player_mask_t players) {
  *q = (input_queue_t){.players = players, .next = 1, .received = 1};
  q->log = record_log_create(a, INPUT_QUEUE_RECORDS, (uint32_t)__builtin_popcount(players),
                             INPUT_QUEUE_RECORDS * INPUT_QUEUE_MAX_ITEM_BYTES);
}

void input_queue_fini(input_queue_t *q) {
  record_log_destroy(q->log);
  q->log = NULL;
}

static bool is_valid(const input_queue_t *q, const record_t *record) {
  bool valid = record->kind == RECORD_TICK && (record->inputs.present & ~q->players) == 0 &&
               (record->hash == 0 || record->item_count > 0) && record->item_count <= INPUT_QUEUE_MAX_ITEMS &&
               record_get_item_bytes(record) <= INPUT_QUEUE_MAX_ITEM_BYTES;
  for (uint32_t i = 0; i < record->item_count && valid; ++i)
    valid = record->items[i].kind == RECORD_ITEM_COMMAND && (q->players >> record->items[i].player & 1) &&
            record_get_command_bytes(record, record->items[i].player) <= PLAYER_ACTION_BYTES;
  return valid;
}

bool input_queue_add(input_queue_t *q, const record_t *record, uint64_t tick) {
  if (!is_valid(q, record))
    return false;
  bool is_near = record->number >= q->received && record->number < q->next + INPUT_QUEUE_RECORDS &&
                 record->tick <= tick + INPUT_QUEUE_RECORDS;
  if (!is_near || record_log_has(q->log, record->number))
    return true;
  record_log_add(q->log, record);
  q->late += record->tick <= tick;
  q->newest = record->number > q->newest ? record->number : q->newest;
  while (q->received <= q->newest && record_log_has(q->log, q->received))
    ++q->received;
  return true;
}

// Returns true if the record's edges and commands fit into the tick: none of the edges is already set, and no limit is
// exceeded.
static bool can_merge(const input_queue_t *q, const record_t *record, const record_t *out, item_limits_t end) {
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    const player_input_t *input = &record->inputs.players[i], *merged = &out->inputs.players[i];
    if ((q->players >> i & 1) && ((input->pressed & merged->pressed) | (input->released & merged->released)))
      return false;
    if ((q->players >> i & 1) && record->item_count > 0 &&
        record_get_command_bytes(out, i) + record_get_command_bytes(record, i) > PLAYER_ACTION_BYTES)
      return false;
  }
  return out->item_count + record->item_count <= end.items &&
         record_get_item_bytes(out) + record_get_item_bytes(record) <= end.bytes;
}

item_limits_t input_queue_limit(const record_t *record, item_limits_t end) {
  uint32_t items = record->item_count + INPUT_QUEUE_TICK_ITEMS;
  uint32_t bytes = (uint32_t)record_get_item_bytes(record) + INPUT_QUEUE_TICK_ITEM_BYTES;
  return (item_limits_t){items < end.items ? items : end.items, bytes < end.bytes ? bytes : end.bytes};
}

static void merge(const input_queue_t *q, const record_t *record, record_t *out) {
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    if (q->players >> i & 1) {
      out->inputs.players[i].pressed |= record->inputs.players[i].pressed;
      out->inputs.players[i].released |= record->inputs.players[i].released;
    }
  }
  for (uint32_t i = 0; i < record->item_count; ++i)
    out->items[out->item_count++] = record->items[i];
}

static void find_held(input_queue_t *q, uint64_t tick, record_t *scratch) {
  uint64_t oldest = q->newest >= INPUT_QUEUE_RECORDS ? q->newest - INPUT_QUEUE_RECORDS + 1 : 1;
  for (uint64_t number = q->held_number >= oldest ? q->held_number + 1 : oldest; number <= q->newest; ++number) {
    if (!record_log_get(q->log, number, scratch) || scratch->tick > tick)
      continue;
    q->held_number = number;
    q->held_tick = tick;
    q->held = scratch->inputs;
  }
}

void input_queue_take(input_queue_t *q, uint64_t max_age, uint64_t started, item_limits_t end, record_t *out) {
  record_t record;
  player_inputs_t earlier = q->held;
  end = input_queue_limit(out, end);
  find_held(q, out->tick, &record);
  bool is_held = q->held_number > 0 && out->tick - q->held_tick <= max_age;
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    if (!(q->players >> i & 1))
      continue;
    player_input_t *input = &out->inputs.players[i];
    *input = is_held ? q->held.players[i] : (player_input_t){0};
    player_input_clear_edges(input);
    player_input_set_motion(input, &earlier.players[i], &q->held.players[i]);
  }
  for (; q->next < q->received; ++q->next) {
    if (!record_log_get(q->log, q->next, &record) || record.tick > out->tick)
      return;
    if (record.hash < started)
      record.item_count = 0;
    if (!can_merge(q, &record, out, end))
      return;
    merge(q, &record, out);
  }
}
