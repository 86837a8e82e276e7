// Encoding and decoding of journal records.
#include "journal/record.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/varint.h"

#include <string.h>

enum { KIND_MASK = 15, FLAG_TICK = 16, FLAG_INPUTS = 32, FLAG_HASH = 64, FLAG_ITEMS = 128 };
enum {
  CHANGE_VALUES = 1,
  CHANGE_PRESSED = 2,
  CHANGE_RELEASED = 4,
  CHANGE_POINTER = 8,
  CHANGE_MOTION = 16,
  CHANGES = 31
};

#define NARROW_PLAYERS 8u     // number of players whose index fits into the head of an item
#define FLAG_WIDE_PLAYER 128u // flag in an item's head: the next byte is the player's index
#define POINTER_BYTES 8u
#define HASH_BYTES 8u
#define MAX_PLAYER_BYTES (1u + 5u * VARINT_BYTES + PLAYER_MAX_ACTIONS + POINTER_BYTES)

_Static_assert(RECORD_HEAD_BYTES >= 1 + 3 * VARINT_BYTES + 2 + 2 * VARINT_BYTES + PLAYER_MAX * MAX_PLAYER_BYTES + 1 +
                                        RECORD_MAX_ITEMS * 7,
               "RECORD_HEAD_BYTES is too small");

// --- comparison

static bool is_pointer_equal(const player_input_t *a, const player_input_t *b) {
  return memcmp(&a->pointer_x, &b->pointer_x, sizeof(float)) == 0 &&
         memcmp(&a->pointer_y, &b->pointer_y, sizeof(float)) == 0;
}

static bool is_motion_equal(const player_input_t *a, const player_input_t *b) {
  return a->motion_x == b->motion_x && a->motion_y == b->motion_y;
}

bool player_input_equals(const player_input_t *a, const player_input_t *b) {
  return memcmp(a->values, b->values, sizeof a->values) == 0 && a->pressed == b->pressed &&
         a->released == b->released && is_pointer_equal(a, b) && is_motion_equal(a, b);
}

bool player_inputs_equal(const player_inputs_t *a, const player_inputs_t *b) {
  if (a->present != b->present)
    return false;
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    if ((a->present >> i & 1) && !player_input_equals(&a->players[i], &b->players[i]))
      return false;
  return true;
}

bool record_is_of_match(const record_t *record) {
  bool is_valid = (record->kind <= RECORD_END || record->kind == RECORD_SWITCH) &&
                  (record->kind == RECORD_TICK || record->item_count == 0);
  for (uint32_t i = 0; i < record->item_count; ++i)
    is_valid &= record->items[i].kind <= RECORD_ITEM_PARK || record->items[i].kind == RECORD_ITEM_ARRIVAL;
  return is_valid;
}

size_t record_get_item_bytes(const record_t *record) {
  size_t bytes = 0;
  for (uint32_t i = 0; i < record->item_count; ++i)
    bytes += record->items[i].size;
  return bytes;
}

size_t record_get_command_bytes(const record_t *record, uint32_t player) {
  size_t bytes = 0;
  for (uint32_t i = 0; i < record->item_count; ++i)
    if (record->items[i].kind == RECORD_ITEM_COMMAND && record->items[i].player == player)
      bytes += record->items[i].size;
  return bytes;
}

uint64_t record_hash_items(const record_t *record) {
  uint64_t hash = 0;
  for (uint32_t i = 0; i < record->item_count; ++i) {
    const record_item_t *item = &record->items[i];
    hash = hash_bytes(item->bytes, item->size, hash + item->kind + item->player * UINT64_C(16) + 1);
  }
  return hash;
}

// Returns true if masks of these players take one byte, because no player has a number above 8.
static bool is_narrow(player_mask_t present) {
  return present <= UINT8_MAX;
}

// --- writing

static uint64_t find_changed_values(const player_input_t *from, const player_input_t *to) {
  uint64_t changed = 0;
  for (uint32_t word = 0; word < PLAYER_MAX_ACTIONS / 8; ++word) {
    uint64_t a, b;
    memcpy(&a, from->values + word * 8, sizeof a);
    memcpy(&b, to->values + word * 8, sizeof b);
    for (uint32_t i = 0; a != b && i < 8; ++i)
      changed |= (uint64_t)(from->values[word * 8 + i] != to->values[word * 8 + i]) << (word * 8 + i);
  }
  return changed;
}

// Writes the difference of two sums, which wrap around, as a zigzag varint. Returns the size.
static size_t write_motion(int32_t from, int32_t to, uint8_t *out) {
  uint32_t difference = (uint32_t)to - (uint32_t)from, sign = difference >> 31 ? UINT32_MAX : 0;
  return varint_write(difference << 1 ^ sign, out);
}

// Writes the changes since the player's previous input, `from`. Returns the number of bytes, or 0 if nothing has
// changed.
static size_t write_player(const player_input_t *from, const player_input_t *to, uint8_t *out) {
  uint64_t values = find_changed_values(from, to);
  size_t at = 1;
  out[0] = (uint8_t)((values ? CHANGE_VALUES : 0) | (to->pressed ? CHANGE_PRESSED : 0) |
                     (to->released ? CHANGE_RELEASED : 0) | (is_pointer_equal(from, to) ? 0 : CHANGE_POINTER) |
                     (is_motion_equal(from, to) ? 0 : CHANGE_MOTION));
  if (values)
    at += varint_write(values, out + at);
  for (; values; values &= values - 1)
    out[at++] = (uint8_t)to->values[__builtin_ctzll(values)];
  if (to->pressed)
    at += varint_write(to->pressed, out + at);
  if (to->released)
    at += varint_write(to->released, out + at);
  if (out[0] & CHANGE_POINTER) {
    memcpy(out + at, &to->pointer_x, sizeof(float));
    memcpy(out + at + sizeof(float), &to->pointer_y, sizeof(float));
    at += POINTER_BYTES;
  }
  if (out[0] & CHANGE_MOTION) {
    at += write_motion(from->motion_x, to->motion_x, out + at);
    at += write_motion(from->motion_y, to->motion_y, out + at);
  }
  return out[0] ? at : 0;
}

// Writes a mask of players in the form that `present` determines.
static size_t write_mask(player_mask_t mask, player_mask_t present, uint8_t *out) {
  if (!is_narrow(present))
    return varint_write(mask, out);
  out[0] = (uint8_t)mask;
  return 1;
}

// Writes the change of the players that are present. Returns the number of bytes, or 0 if nothing has changed.
static size_t write_present(player_mask_t from, player_mask_t to, uint8_t *out) {
  size_t at = 1;
  if (from == to)
    return 0;
  out[0] = 0;
  if (!is_narrow(from) || is_narrow(to))
    return at + write_mask(to, from, out + at);
  out[at++] = (uint8_t)from;
  return at + varint_write(to, out + at);
}

static size_t write_inputs(const player_inputs_t *from, const player_inputs_t *to, uint8_t *out) {
  static const player_input_t absent;
  uint8_t players[PLAYER_MAX * MAX_PLAYER_BYTES];
  player_mask_t changed = 0;
  size_t size = 0, at = write_present(from->present, to->present, out);
  for (player_mask_t left = to->present; left; left &= left - 1) {
    uint32_t i = (uint32_t)__builtin_ctz(left);
    const player_input_t *before = from->present >> i & 1 ? &from->players[i] : &absent;
    size_t player_size = write_player(before, &to->players[i], players + size);
    changed |= player_size > 0 ? player_mask_of(i) : 0;
    size += player_size;
  }
  if (at == 0 && !changed)
    return 0;
  at += write_mask(changed, to->present, out + at);
  memcpy(out + at, players, size);
  return at + size;
}

static size_t write_items(const record_t *record, uint8_t *out) {
  size_t at = 1;
  out[0] = (uint8_t)record->item_count;
  for (uint32_t i = 0; i < record->item_count; ++i) {
    const record_item_t *item = &record->items[i];
    bool is_wide = item->player >= NARROW_PLAYERS;
    out[at++] = (uint8_t)(item->kind | (is_wide ? FLAG_WIDE_PLAYER : (uint32_t)item->player << 4));
    if (is_wide)
      out[at++] = item->player;
    at += varint_write(item->size, out + at);
    if (item->size > 0)
      memcpy(out + at, item->bytes, item->size);
    at += item->size;
  }
  return at;
}

// Writes the content that is specific to the record's kind, and sets its flags. Returns the number of bytes written.
static size_t write_content(const record_coder_t *coder, const record_t *record, uint8_t *out, uint8_t *flags) {
  bool is_timed = record->kind == RECORD_TICK || record->kind == RECORD_FRAME;
  size_t at = 0, size;
  if (is_timed && record->tick != coder->tick + 1)
    *flags |= FLAG_TICK;
  if ((*flags & FLAG_TICK) || record->kind == RECORD_ITEMS || record->kind == RECORD_BACK)
    at += varint_write(record->tick, out);
  if (record->kind == RECORD_TICK && (size = write_inputs(&coder->inputs, &record->inputs, out + at)) > 0) {
    *flags |= FLAG_INPUTS;
    at += size;
  }
  if (record->kind == RECORD_TICK && record->hash != 0) {
    *flags |= FLAG_HASH;
    at += varint_write(record->hash, out + at);
  }
  if (record->kind == RECORD_RELOAD) {
    memcpy(out + at, &record->hash, HASH_BYTES);
    at += HASH_BYTES;
  }
  return at;
}

// Stores the inputs for the next record, without edges, which belong to one tick, and without absent players.
static void store_inputs(record_coder_t *coder, const player_inputs_t *inputs) {
  if (!inputs->present && !coder->inputs.present)
    return;
  coder->inputs.present = inputs->present;
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    player_input_t *kept = &coder->inputs.players[i];
    if (inputs->present >> i & 1) {
      *kept = inputs->players[i];
      kept->pressed = kept->released = 0;
    } else {
      *kept = (player_input_t){0};
    }
  }
}

void record_coder_start(record_coder_t *coder, uint64_t number, uint64_t tick, const player_inputs_t *inputs) {
  *coder = (record_coder_t){.number = number, .tick = tick};
  store_inputs(coder, inputs);
}

static void advance(record_coder_t *coder, const record_t *record) {
  coder->number = record->number;
  if (record->kind == RECORD_TICK) {
    coder->tick = record->tick;
    store_inputs(coder, &record->inputs);
  } else if (record->kind == RECORD_FRAME) {
    coder->tick = record->tick - 1;
  } else if (record->kind == RECORD_BACK) {
    coder->tick -= record->tick < coder->tick ? record->tick : coder->tick;
  }
}

static uint32_t get_max_item_bytes(const record_coder_t *coder) {
  return coder->has_large_items ? UINT32_MAX : RECORD_MAX_ITEM_BYTES;
}

size_t record_write(record_coder_t *coder, const record_t *record, uint8_t *out, size_t capacity) {
  uint8_t large[RECORD_MAX_BYTES], flags = (uint8_t)record->kind;
  size_t at = 1, item_bytes = record_get_item_bytes(record), needed = RECORD_HEAD_BYTES + item_bytes;
  shoal_assert(coder->number == 0 || record->number == coder->number + 1, "records of a block must be consecutive");
  shoal_assert(record->item_count <= RECORD_MAX_ITEMS && item_bytes <= get_max_item_bytes(coder),
               "the record has %u items, which are too many or too large", record->item_count);
  shoal_assert(needed <= capacity || needed <= sizeof large, "%zu bytes are too few for a record", capacity);
  uint8_t *to = needed <= capacity ? out : large;
  if (coder->number == 0)
    at += varint_write(record->number, to + at);
  at += write_content(coder, record, to + at, &flags);
  if (record->item_count > 0) {
    flags |= FLAG_ITEMS;
    at += write_items(record, to + at);
  }
  to[0] = flags;
  if (at > capacity)
    return 0;
  if (to != out)
    memcpy(out, to, at);
  advance(coder, record);
  return at;
}

// --- reading

// The part of a block that is not read yet. `is_valid` becomes false at the first malformed value or read past the end.
typedef struct reader_t {
  const uint8_t *bytes;
  size_t size;
  bool is_valid;
} reader_t;

static const uint8_t *take_bytes(reader_t *r, uint64_t size) {
  const uint8_t *bytes = r->bytes;
  r->is_valid &= size <= r->size;
  if (!r->is_valid)
    return NULL;
  r->bytes += size;
  r->size -= size;
  return bytes;
}

static uint8_t take_byte(reader_t *r) {
  const uint8_t *byte = take_bytes(r, 1);
  return byte ? *byte : 0;
}

// Reads a varint. Returns its value. For a non-canonical varint (leading zeros, or more than 64 bits), returns 0 and
// invalidates the reader.
static uint64_t take_varint(reader_t *r) {
  uint64_t value = 0;
  size_t size = r->is_valid ? varint_read_shortest(r->bytes, r->size, &value) : 0;
  r->is_valid &= size > 0;
  return take_bytes(r, size) ? value : 0;
}

// Reads a mask or hash. The value 0 makes the reader invalid.
static uint64_t take_mask(reader_t *r) {
  uint64_t mask = take_varint(r);
  r->is_valid &= mask != 0;
  return r->is_valid ? mask : 0;
}

static void read_values(reader_t *r, player_input_t *input) {
  for (uint64_t mask = take_mask(r); mask && r->is_valid; mask &= mask - 1) {
    int8_t *value = &input->values[__builtin_ctzll(mask)], read = (int8_t)take_byte(r);
    r->is_valid &= read != *value && read != INT8_MIN;
    *value = read;
  }
}

static void read_pointer(reader_t *r, player_input_t *input) {
  player_input_t before = *input;
  const uint8_t *bytes = take_bytes(r, POINTER_BYTES);
  if (!bytes)
    return;
  memcpy(&input->pointer_x, bytes, sizeof(float));
  memcpy(&input->pointer_y, bytes + sizeof(float), sizeof(float));
  r->is_valid &= !is_pointer_equal(&before, input);
  // Rejects NaN and infinity: subtracting them from themselves gives NaN, and comparisons with NaN are false
  r->is_valid &= input->pointer_x - input->pointer_x == 0 && input->pointer_y - input->pointer_y == 0;
}

static int32_t read_motion(reader_t *r, int32_t from) {
  uint64_t coded = take_varint(r);
  r->is_valid &= coded <= UINT32_MAX;
  uint32_t difference = (uint32_t)coded >> 1 ^ (coded & 1 ? UINT32_MAX : 0);
  return (int32_t)((uint32_t)from + difference);
}

static void read_motions(reader_t *r, player_input_t *input) {
  player_input_t before = *input;
  input->motion_x = read_motion(r, input->motion_x);
  input->motion_y = read_motion(r, input->motion_y);
  r->is_valid &= !is_motion_equal(&before, input);
}

static void read_player(reader_t *r, player_input_t *input) {
  uint8_t changes = take_byte(r);
  r->is_valid &= changes != 0 && (changes & ~CHANGES) == 0;
  if (changes & CHANGE_VALUES)
    read_values(r, input);
  if (changes & CHANGE_PRESSED)
    input->pressed = take_mask(r);
  if (changes & CHANGE_RELEASED)
    input->released = take_mask(r);
  if (changes & CHANGE_POINTER)
    read_pointer(r, input);
  if (changes & CHANGE_MOTION)
    read_motions(r, input);
}

static void set_present(player_inputs_t *inputs, player_mask_t present) {
  inputs->present = present;
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    if (!(present >> i & 1))
      inputs->players[i] = (player_input_t){0};
}

static player_mask_t read_varint_mask(reader_t *r) {
  uint64_t mask = take_varint(r);
  r->is_valid &= mask <= UINT32_MAX;
  return (player_mask_t)mask;
}

static player_mask_t read_mask(reader_t *r, player_mask_t present) {
  return is_narrow(present) ? take_byte(r) : read_varint_mask(r);
}

static player_mask_t read_present(reader_t *r, player_mask_t from) {
  player_mask_t present = read_mask(r, from);
  if (!is_narrow(from) || present != from) {
    r->is_valid &= present != from;
    return present;
  }
  present = read_varint_mask(r);
  r->is_valid &= !is_narrow(present);
  return present;
}

static void read_inputs(reader_t *r, player_inputs_t *inputs) {
  player_mask_t changed = read_mask(r, inputs->present);
  if (changed == 0) {
    set_present(inputs, read_present(r, inputs->present));
    changed = read_mask(r, inputs->present);
  }
  r->is_valid &= (changed & ~inputs->present) == 0;
  for (uint32_t i = 0; i < PLAYER_MAX && r->is_valid; ++i)
    if (changed >> i & 1)
      read_player(r, &inputs->players[i]);
}

// Returns true if items of this kind belong to a player.
static bool has_player(record_item_kind_t kind) {
  return kind == RECORD_ITEM_COMMAND || kind == RECORD_ITEM_JOIN || kind == RECORD_ITEM_LEAVE ||
         kind == RECORD_ITEM_ARRIVAL;
}

static void read_items(reader_t *r, uint32_t max_bytes, record_t *out) {
  uint64_t total = 0;
  uint32_t count = take_byte(r);
  r->is_valid &= count > 0 && count <= RECORD_MAX_ITEMS;
  for (uint32_t i = 0; i < count && r->is_valid; ++i) {
    uint8_t head = take_byte(r), player = head >> 4;
    if (head & FLAG_WIDE_PLAYER) {
      r->is_valid &= head >> 4 == FLAG_WIDE_PLAYER >> 4;
      player = take_byte(r);
      r->is_valid &= player >= NARROW_PLAYERS;
    }
    uint64_t size = take_varint(r);
    record_item_t item = {(record_item_kind_t)(head & KIND_MASK), player, (uint32_t)size, NULL};
    r->is_valid &= item.kind > RECORD_ITEM_NONE && item.kind < RECORD_ITEM_KIND_COUNT && item.player < PLAYER_MAX;
    r->is_valid &= has_player(item.kind) || item.player == 0;
    r->is_valid &= size <= max_bytes && (total += size) <= max_bytes;
    item.bytes = take_bytes(r, size);
    out->items[out->item_count++] = item;
  }
}

// Returns the tick of a TICK or FRAME: the previous tick plus 1 or, with FLAG_TICK, the encoded tick. The encoded tick
// must be greater than this sum or, in the first record of a block, merely different.
static uint64_t read_tick(const record_coder_t *coder, reader_t *r, uint8_t flags, bool is_first) {
  uint64_t tick = coder->tick + 1;
  if (flags & FLAG_TICK) {
    tick = take_varint(r);
    r->is_valid &= is_first ? tick != coder->tick + 1 : tick > coder->tick + 1;
  }
  return tick;
}

static void read_content(const record_coder_t *coder, reader_t *r, uint8_t flags, record_t *out) {
  bool is_timed = out->kind == RECORD_TICK || out->kind == RECORD_FRAME;
  uint8_t allowed = out->kind == RECORD_TICK    ? FLAG_TICK | FLAG_INPUTS | FLAG_HASH | FLAG_ITEMS
                    : out->kind == RECORD_FRAME ? FLAG_TICK | FLAG_ITEMS
                                                : FLAG_ITEMS;
  r->is_valid &= (flags & ~allowed) == 0;
  if (is_timed)
    out->tick = read_tick(coder, r, flags, coder->number == 0);
  if (out->kind == RECORD_ITEMS || out->kind == RECORD_BACK)
    out->tick = take_varint(r);
  r->is_valid &= out->tick <= RECORD_MAX_NUMBER && (out->kind != RECORD_FRAME || out->tick > 0);
  if (out->kind == RECORD_TICK)
    out->inputs = coder->inputs;
  else
    memset(&out->inputs, 0, sizeof out->inputs);
  if (flags & FLAG_INPUTS)
    read_inputs(r, &out->inputs);
  if (flags & FLAG_HASH)
    out->hash = take_mask(r);
  const uint8_t *hash = out->kind == RECORD_RELOAD ? take_bytes(r, HASH_BYTES) : NULL;
  if (hash)
    memcpy(&out->hash, hash, HASH_BYTES);
  if (flags & FLAG_ITEMS)
    read_items(r, get_max_item_bytes(coder), out);
}

size_t record_read(record_coder_t *coder, const uint8_t *in, size_t size, record_t *out) {
  reader_t r = {in, size, true};
  uint8_t head = take_byte(&r);
  out->kind = (record_kind_t)(head & KIND_MASK);
  out->number = coder->number == 0 ? take_varint(&r) : coder->number + 1;
  out->tick = out->hash = 0;
  out->item_count = 0;
  r.is_valid &= out->kind > RECORD_NONE && out->kind < RECORD_KIND_COUNT;
  r.is_valid &= out->number > 0 && out->number <= RECORD_MAX_NUMBER;
  if (r.is_valid)
    read_content(coder, &r, head & (uint8_t)~KIND_MASK, out);
  if (!r.is_valid)
    return 0;
  advance(coder, out);
  return size - r.size;
}
