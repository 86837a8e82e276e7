// Journal records: encoding against a naive model, size of quiet ticks, hostile bytes, and the log in memory.
#include "journal/record.h"
#include "journal/record_log.h"

#include "base/hash.h"
#include "base/random.h"
#include "test.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RECORDS 200u

typedef struct fixture_t {
  random_t random;
  bool is_narrow; // records as in earlier releases: players 1 to 8, and no item kind after COMPONENTS
  uint32_t players;
  record_t records[RECORDS]; // the naive model: complete records
  uint8_t contents[4096];    // random bytes that items point into
  uint8_t block[RECORDS * 4096];
  size_t ends[RECORDS]; // end of each record in the block
} fixture_t;

// The fixture is static: AddressSanitizer keeps freed blocks, which slow down the forks of later tests.
static fixture_t *clear_fixture(void) {
  static fixture_t fixture;
  memset(&fixture, 0, sizeof fixture);
  return &fixture;
}

static uint32_t below(fixture_t *f, uint32_t count) {
  return random_u32(&f->random) % count;
}

// Returns a random sum of movements. Sums wrap around, so any sum can follow any other sum.
static int32_t choose_motion(fixture_t *f) {
  static const int32_t extremes[] = {INT32_MIN, INT32_MAX, -1, 0, 1};
  return below(f, 2) ? extremes[below(f, 5)] : (int32_t)random_u32(&f->random);
}

// Variables fix the order of the random numbers, which C leaves open within an expression.
static uint64_t choose_edges(fixture_t *f) {
  if (below(f, 4))
    return 0;
  uint64_t edges = random_u32(&f->random);
  return edges << below(f, 33);
}

static void change_player(fixture_t *f, player_input_t *input) {
  input->pressed = choose_edges(f);
  input->released = choose_edges(f);
  if (below(f, 3) == 0)
    input->values[below(f, PLAYER_MAX_ACTIONS)] = (int8_t)((int32_t)below(f, 255) - 127);
  if (below(f, 50) == 0)
    for (uint32_t i = 0; i < PLAYER_MAX_ACTIONS; ++i)
      input->values[i] = (int8_t)((int32_t)below(f, 255) - 127);
  if (below(f, 8) == 0)
    input->pointer_x = (float)below(f, 1000) - 500.5f;
  if (below(f, 8) == 0)
    input->pointer_y = below(f, 2) ? -0.0f : 0.0f;
  if (below(f, 8) == 0)
    input->motion_x = choose_motion(f);
  if (below(f, 8) == 0)
    input->motion_y = choose_motion(f);
}

static void add_items(fixture_t *f, record_t *record) {
  uint32_t count = below(f, 6) ? 0 : below(f, 20) ? below(f, 4) : RECORD_MAX_ITEMS;
  for (uint32_t i = 0; i < count; ++i) {
    // Earlier releases had no kind after COMPONENTS.
    record_item_kind_t kind =
        (record_item_kind_t)(1 + below(f, f->is_narrow ? RECORD_ITEM_COMPONENTS : RECORD_ITEM_KIND_COUNT - 1));
    bool has_player = kind == RECORD_ITEM_COMMAND || kind == RECORD_ITEM_JOIN || kind == RECORD_ITEM_LEAVE ||
                      kind == RECORD_ITEM_ARRIVAL;
    uint32_t size = (below(f, 8) ? below(f, 20) : below(f, 120));
    uint8_t player = has_player ? (uint8_t)below(f, f->players) : 0;
    record->items[record->item_count++] = (record_item_t){kind, player, size, f->contents + below(f, 3900)};
  }
}

static void make_tick(fixture_t *f, const player_inputs_t *previous, uint64_t tick, record_t *out) {
  out->kind = RECORD_TICK;
  out->tick = tick;
  out->inputs = *previous;
  if (below(f, 10) == 0)
    out->inputs.present = random_u32(&f->random) & player_mask_first(f->players);
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    if (out->inputs.present >> i & 1)
      change_player(f, &out->inputs.players[i]);
    else
      out->inputs.players[i] = (player_input_t){0};
  }
  add_items(f, out);
  out->hash = below(f, 5) ? random_u32(&f->random) : 0;
}

static void make_records(fixture_t *f, uint64_t seed) {
  static const player_inputs_t none;
  const player_inputs_t *previous = &none;
  uint64_t first = 1 + seed * 1000, tick = seed * 7;
  random_seed(&f->random, seed);
  f->players = f->is_narrow || seed % 8 != 1 ? 8 : PLAYER_MAX;
  memset(f->records, 0, sizeof f->records);
  for (size_t i = 0; i < sizeof f->contents; ++i)
    f->contents[i] = (uint8_t)random_u32(&f->random);
  for (uint32_t i = 0; i < RECORDS; ++i) {
    record_t *record = &f->records[i];
    record->number = first + i;
    if (below(f, 10) == 0) {
      record->kind = (record_kind_t)(RECORD_PAUSE + below(f, RECORD_KIND_COUNT - RECORD_PAUSE));
      record->hash = record->kind == RECORD_RELOAD ? random_u32(&f->random) : 0;
      record->tick = record->kind == RECORD_FRAME                                  ? tick + 1
                     : record->kind == RECORD_ITEMS || record->kind == RECORD_BACK ? below(f, 200)
                                                                                   : 0;
      if (record->kind >= RECORD_FRAME)
        add_items(f, record);
    } else {
      tick += below(f, 20) ? 1 : 1 + below(f, 1000);
      make_tick(f, previous, tick, record);
      previous = &record->inputs;
    }
  }
}

static void assert_record_equal(const record_t *a, const record_t *b) {
  assert_int_equal(a->number, b->number);
  assert_int_equal(a->kind, b->kind);
  assert_int_equal(a->tick, b->tick);
  assert_int_equal(a->hash, b->hash);
  assert_true(player_inputs_equal(&a->inputs, &b->inputs));
  assert_int_equal(a->item_count, b->item_count);
  for (uint32_t i = 0; i < a->item_count; ++i) {
    assert_int_equal(a->items[i].kind, b->items[i].kind);
    assert_int_equal(a->items[i].player, b->items[i].player);
    assert_int_equal(a->items[i].size, b->items[i].size);
    if (a->items[i].size > 0)
      assert_memory_equal(a->items[i].bytes, b->items[i].bytes, a->items[i].size);
  }
  assert_int_equal(record_hash_items(a), record_hash_items(b));
}

static void write_block(fixture_t *f) {
  record_coder_t coder = {0};
  size_t at = 0;
  for (uint32_t i = 0; i < RECORDS; ++i) {
    size_t size = record_write(&coder, &f->records[i], f->block + at, sizeof f->block - at);
    assert_in_range(size, 1, RECORD_MAX_BYTES);
    f->ends[i] = at += size;
  }
}

TEST(records_round_trip_against_complete_copies) {
  fixture_t *f = clear_fixture();
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    record_coder_t coder = {0};
    record_t record;
    make_records(f, seed);
    write_block(f);
    for (uint32_t i = 0; i < RECORDS; ++i) {
      size_t at = i == 0 ? 0 : f->ends[i - 1];
      assert_int_equal(record_read(&coder, f->block + at, f->ends[RECORDS - 1] - at, &record), f->ends[i] - at);
      assert_record_equal(&record, &f->records[i]);
    }
  }
}

// These bytes are part of the format: recordings of earlier releases contain them.
TEST(records_of_players_1_to_8_have_the_bytes_of_earlier_releases) {
  fixture_t *f = clear_fixture();
  uint64_t hash = 0;
  f->is_narrow = true;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    make_records(f, seed);
    write_block(f);
    hash = hash_bytes(f->block, f->ends[RECORDS - 1], hash);
  }
  assert_int_equal(hash, UINT64_C(0x49f8c8180fdf1d3c));
}

TEST(quiet_tick_takes_a_byte_and_its_hash) {
  record_coder_t coder = {0};
  uint8_t out[RECORD_MAX_BYTES];
  record_t record = {.number = 5, .kind = RECORD_TICK, .tick = 9, .hash = 77, .inputs.present = 15};
  record.inputs.players[1].values[3] = 127;
  assert_in_range(record_write(&coder, &record, out, sizeof out), 5, 15);
  record.number = 6;
  record.tick = 10;
  assert_int_equal(record_write(&coder, &record, out, sizeof out), 2);
}

// At a speed of up to 60 pixels per tick, a movement takes at most two bytes per axis.
TEST(movement_of_a_mouse_takes_at_most_four_bytes) {
  record_coder_t coder = {0};
  uint8_t out[RECORD_MAX_BYTES];
  record_t record = {.number = 5, .kind = RECORD_TICK, .tick = 9, .hash = 77, .inputs.present = 1};
  record.inputs.players[0].motion_x = INT32_MAX;
  record_write(&coder, &record, out, sizeof out);
  for (int32_t i = 0; i < 100; ++i) {
    ++record.number;
    ++record.tick;
    player_input_add_motion(&record.inputs.players[0], 60 * PLAYER_MOTION_UNITS, i * -38);
    assert_in_range(record_write(&coder, &record, out, sizeof out), 5, 8);
  }
}

TEST(record_beyond_the_capacity_leaves_the_coder_unchanged) {
  fixture_t *f = clear_fixture();
  make_records(f, 3);
  write_block(f);
  record_coder_t coder = {0};
  for (uint32_t i = 0; i < RECORDS; ++i) {
    size_t at = i == 0 ? 0 : f->ends[i - 1];
    uint8_t out[RECORD_MAX_BYTES];
    record_coder_t before = coder;
    for (size_t capacity = 0; capacity < f->ends[i] - at; capacity += 1 + capacity / 8)
      assert_int_equal(record_write(&coder, &f->records[i], out, capacity), 0);
    assert_memory_equal(&coder, &before, sizeof coder);
    assert_int_equal(record_write(&coder, &f->records[i], out, f->ends[i] - at), f->ends[i] - at);
    assert_memory_equal(out, f->block + at, f->ends[i] - at);
  }
}

// Reads a block and writes it again. Returns the number of records; fails if accepted bytes are not canonical.
static uint32_t read_block(const uint8_t *block, size_t size) {
  record_coder_t reader = {0}, writer = {0};
  record_t record;
  uint32_t count = 0;
  for (size_t at = 0, read; at < size; at += read, ++count) {
    uint8_t out[RECORD_MAX_BYTES];
    size_t left = size - at < RECORD_MAX_BYTES ? size - at : RECORD_MAX_BYTES;
    uint8_t *exact = malloc(left); // an exact size, so that AddressSanitizer catches reads past the end
    memcpy(exact, block + at, left);
    read = record_read(&reader, exact, left, &record);
    if (read > 0) {
      assert_int_equal(record_write(&writer, &record, out, sizeof out), read);
      assert_memory_equal(out, exact, read);
    }
    free(exact);
    if (read == 0)
      return count;
  }
  return count;
}

TEST(accepted_bytes_are_canonical_after_any_change) {
  fixture_t *f = clear_fixture();
  uint32_t accepted = 0, tries = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    make_records(f, seed);
    write_block(f);
    size_t size = f->ends[20];
    for (uint32_t i = 0; i < 300; ++i, ++tries) {
      size_t at = below(f, (uint32_t)size);
      uint8_t before = f->block[at];
      f->block[at] = (uint8_t)(i % 2 ? before ^ 1u << below(f, 8) : below(f, 256));
      accepted += read_block(f->block, size) == 21;
      f->block[at] = before;
    }
    for (size_t cut = 0; cut < f->ends[3]; ++cut)
      assert_true(read_block(f->block, cut) <= 3);
  }
  assert_in_range(accepted, 1, tries - 1);
}

static void assert_rejected(const uint8_t *bytes, size_t size) {
  record_coder_t coder = {0};
  record_t record;
  assert_int_equal(record_read(&coder, bytes, size, &record), 0);
  assert_int_equal(coder.number, 0);
}
#define ASSERT_REJECTED(...) assert_rejected((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

TEST(invalid_records_are_rejected) {
  record_coder_t coder = {0};
  record_t record;
  enum { TICK = RECORD_TICK | 16, INPUTS = TICK | 32, HASH = TICK | 64, ITEMS = TICK | 128 };
  assert_int_equal(record_read(&coder, (const uint8_t[]){TICK, 1, 2}, 3, &record), 3); // a tick without inputs
  ASSERT_REJECTED(0, 1);                                                               // no kind
  ASSERT_REJECTED(RECORD_KIND_COUNT, 1);                                               // unknown kind
  ASSERT_REJECTED(RECORD_PAUSE, 0);                                                    // number 0
  ASSERT_REJECTED(RECORD_PAUSE | 32, 1, 1);                                            // a pause with inputs
  ASSERT_REJECTED(RECORD_SWITCH | 128, 1, 1);                                          // a switch with items
  ASSERT_REJECTED(RECORD_PAUSE | 16, 1, 3);                                            // a pause with a tick
  ASSERT_REJECTED(RECORD_FRAME | 64, 1, 3);                                            // a frame with a hash
  ASSERT_REJECTED(RECORD_FRAME | 16, 1, 0);                                            // a frame before tick 0
  ASSERT_REJECTED(RECORD_RELOAD, 1, 1, 2, 3, 4, 5, 6, 7);                              // truncated hash
  ASSERT_REJECTED(TICK, 1, 1);                                                         // tick 1 with a longer encoding
  ASSERT_REJECTED(TICK, 0x81, 0x00, 2);                                                // number with a longer encoding
  ASSERT_REJECTED(TICK, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f);                  // tick above the maximum
  ASSERT_REJECTED(RECORD_BACK, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f);           // tick above the maximum
  ASSERT_REJECTED(INPUTS, 1, 2, 0, 0, 0);                                              // players unchanged
  ASSERT_REJECTED(INPUTS, 1, 2, 1, 1, 1, 5);                                           // input of an absent player
  ASSERT_REJECTED(INPUTS, 1, 2, 0, 1, 2, 1, 1, 5);                                     // input of an absent player
  ASSERT_REJECTED(INPUTS, 1, 2, 0, 1, 1, 1, 1, 0);                                     // value unchanged
  ASSERT_REJECTED(INPUTS, 1, 2, 0, 1, 1, 1, 1, 0x80);                                  // value -128
  ASSERT_REJECTED(INPUTS, 1, 2, 0, 1, 1, 2, 0);                                        // empty mask of edges
  ASSERT_REJECTED(INPUTS, 1, 2, 0, 1, 1, 8, 0, 0, 0xc0, 0x7f, 0, 0, 0, 0);             // pointer NaN
  ASSERT_REJECTED(INPUTS, 1, 2, 0, 1, 1, 16, 0, 0);                                    // sums unchanged
  ASSERT_REJECTED(INPUTS, 1, 2, 0, 1, 1, 16, 5);                                       // truncated sums
  ASSERT_REJECTED(INPUTS, 1, 2, 0, 1, 1, 16, 0x80, 0x80, 0x80, 0x80, 0x10, 0);         // a sum of 33 bits
  ASSERT_REJECTED(INPUTS, 1, 2, 0, 1, 1, 32, 1, 1);                                    // unknown change
  ASSERT_REJECTED(ITEMS, 1, 2, 0);                                                     // empty list of items
  ASSERT_REJECTED(ITEMS, 1, 2, 1, RECORD_ITEM_KIND_COUNT, 0);                          // unknown kind of item
  ASSERT_REJECTED(INPUTS, 1, 2, 0, 0, 5, 1, 1, 1, 5);                            // players 1 and 3 in the wide form
  ASSERT_REJECTED(INPUTS, 1, 2, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x10, 1, 1, 1, 5); // player 33
  ASSERT_REJECTED(ITEMS, 1, 2, 1, RECORD_ITEM_COMMAND | 8 << 4, 7, 0);           // player 8 in the wide form
  ASSERT_REJECTED(ITEMS, 1, 2, 1, RECORD_ITEM_COMMAND | 8 << 4, 32, 0);          // player 33
  ASSERT_REJECTED(ITEMS, 1, 2, 1, RECORD_ITEM_COMMAND | 9 << 4, 9, 0);           // player in both forms
  ASSERT_REJECTED(ITEMS, 1, 2, 1, RECORD_ITEM_RESULT | 1 << 4, 0);               // result of a player
  ASSERT_REJECTED(ITEMS, 1, 2, 1, RECORD_ITEM_COMMAND, 5, 'a');                  // item past the end
  ASSERT_REJECTED(HASH, 1, 2, 0);                                                // hash 0
}

TEST(only_match_records_are_accepted_in_a_match) {
  record_t record = {.kind = RECORD_TICK, .item_count = 1, .items = {{.kind = RECORD_ITEM_PARK}}};
  assert_true(record_is_of_match(&record));
  record.items[0].kind = RECORD_ITEM_SAMPLE;
  assert_false(record_is_of_match(&record));
  record.item_count = 0;
  for (record.kind = RECORD_TICK; record.kind < RECORD_KIND_COUNT; ++record.kind)
    assert_int_equal(record_is_of_match(&record), record.kind <= RECORD_END || record.kind == RECORD_SWITCH);
  record = (record_t){.kind = RECORD_PAUSE, .item_count = 1, .items = {{.kind = RECORD_ITEM_PARK}}};
  assert_false(record_is_of_match(&record)); // only ticks have items
}

TEST(block_that_follows_a_record_is_a_difference_from_it) {
  fixture_t *f = clear_fixture();
  allocator_t memory = {0};
  record_coder_t writer, reader;
  record_t record;
  uint8_t out[RECORD_MAX_BYTES];
  record_log_o *log = record_log_create(&memory, 64, PLAYER_MAX, RECORD_MAX_ITEM_BYTES);
  make_records(f, 5);
  write_block(f);
  for (uint32_t i = 0; i + 1 < RECORDS; ++i) {
    const record_t *next = &f->records[i + 1];
    assert_false(record_log_start_coder(log, f->records[i].number, &writer));
    record_log_add(log, &f->records[i]);
    if (f->records[i].kind == RECORD_TICK && next->kind == RECORD_TICK) {
      assert_true(record_log_start_coder(log, f->records[i].number, &writer));
      reader = writer;
      size_t size = record_write(&writer, next, out, sizeof out);
      assert_int_equal(size, f->ends[i + 1] - f->ends[i]);
      assert_memory_equal(out, f->block + f->ends[i], size);
      assert_int_equal(record_read(&reader, out, size, &record), size);
      assert_record_equal(&record, next);
    }
  }
  assert_false(record_log_start_coder(log, f->records[0].number, &writer));
  assert_false(record_log_start_coder(log, 0, &writer));
  record_log_destroy(log);
}

TEST(log_keeps_the_latest_records) {
  fixture_t *f = clear_fixture();
  allocator_t memory = {0};
  record_t record;
  record_log_o *log = record_log_create(&memory, 64, PLAYER_MAX, RECORD_MAX_ITEM_BYTES);
  uint64_t calls = memory.calls;
  make_records(f, 9);
  for (uint32_t i = 0; i < RECORDS; ++i) {
    record_log_add(log, &f->records[i]);
    for (uint32_t k = i > 70 ? i - 70 : 0; k < RECORDS; ++k) {
      bool has = record_log_get(log, f->records[k].number, &record);
      assert_int_equal(has, record_log_has(log, f->records[k].number));
      if (k > i || k + 64 <= i || (k == i))
        assert_int_equal(has, k == i);
      else if (f->records[k].item_count == 0)
        assert_true(has);
      if (has)
        assert_record_equal(&record, &f->records[k]);
    }
  }
  assert_false(record_log_get(log, 0, &record));
  record_log_clear(log);
  assert_false(record_log_has(log, f->records[RECORDS - 1].number));
  assert_int_equal(memory.calls, calls);
  record_log_destroy(log);
  assert_int_equal(memory.bytes, 0);
}

TEST(log_with_free_capacity_keeps_the_requested_records) {
  fixture_t *f = clear_fixture();
  allocator_t memory = {0};
  record_log_o *log = record_log_create(&memory, 64, PLAYER_MAX, 2 * RECORD_MAX_ITEM_BYTES);
  uint32_t kept = 0, overwritten = 0;
  make_records(f, 9);
  for (uint32_t i = 0; i < RECORDS; ++i)
    for (f->records[i].item_count = 0; f->records[i].item_count < i % 4;)
      f->records[i].items[f->records[i].item_count++] =
          (record_item_t){RECORD_ITEM_COMMAND, 0, below(f, 1000), f->contents};
  for (uint32_t i = 1; i < RECORDS; ++i) {
    uint32_t first = i > 60 ? i - 60 : 0;
    uint64_t to = f->records[i - 1].number + 1;
    for (uint32_t k = 0; k < i; ++k) // starts at the latest record before the missing records
      first = k >= first && !record_log_has(log, f->records[k].number) ? k + 1 : first;
    bool has_room = record_log_has_room(log, f->records[first].number, to, record_get_item_bytes(&f->records[i]));
    record_log_add(log, &f->records[i]);
    for (uint32_t k = first; k < i; ++k) {
      bool has = record_log_has(log, f->records[k].number);
      assert_true(has || !has_room);
      kept += has && has_room;
      overwritten += !has;
    }
    assert_true(record_log_has_room(log, to, to, RECORD_MAX_ITEM_BYTES));
  }
  assert_true(kept > 20 && overwritten > 20);
  record_log_destroy(log);
}
