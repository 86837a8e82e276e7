// Input of past ticks in memory: journal/journal.h, and samples: journal/block.h.
#include "base/random.h"
#include "journal/block.h"
#include "journal/journal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TICKS 500

typedef struct log_fixture_t {
  allocator_t memory;
  journal_o *h;
  random_t random;
  input_state_t samples[TICKS + 1]; // indexed by tick
} log_fixture_t;

static int setup(void **state) {
  log_fixture_t *e = calloc(1, sizeof *e);
  e->h = journal_create(&e->memory);
  random_seed(&e->random, 8);
  for (uint32_t i = 1; i <= TICKS; ++i) {
    e->samples[i] = e->samples[i - 1];
    if (random_u32(&e->random) % 3 == 0)
      e->samples[i].keys[random_u32(&e->random) % INPUT_KEYS] ^= 1;
    if (random_u32(&e->random) % 2 == 0)
      e->samples[i].mouse_x += 1.5f;
  }
  *state = e;
  return 0;
}

static int teardown(void **state) {
  log_fixture_t *e = *state;
  journal_destroy(e->h);
  assert_int_equal(e->memory.blocks, 0);
  free(e);
  return 0;
}

static void log_ticks(log_fixture_t *e, uint32_t from, uint32_t to) {
  if (journal_last_tick(e->h) >= from)
    journal_discard_from(e->h, from);
  for (uint32_t i = from; i <= to; ++i)
    journal_add_tick(e->h, i, &e->samples[i - 1], &e->samples[i], 0);
}

static void assert_logged_tick(log_fixture_t *e, const journal_o *h, uint32_t tick) {
  journal_input_t x;
  assert_true(journal_get_input(h, tick, 0, &x));
  assert_false(x.paused);
  assert_memory_equal(&x.previous_input, &e->samples[tick - 1], sizeof x.previous_input);
  assert_memory_equal(&x.input, &e->samples[tick], sizeof x.input);
  assert_false(journal_get_input(h, tick, 1, &x));
}

static void journal_returns_the_input_of_any_tick(void **state) {
  log_fixture_t *e = *state;
  journal_input_t x;
  log_ticks(e, 1, TICKS);
  for (uint32_t i = TICKS; i > 0; --i)
    assert_logged_tick(e, e->h, i);
  assert_int_equal(journal_last_tick(e->h), TICKS);
  assert_false(journal_get_input(e->h, 0, 0, &x));
  assert_false(journal_get_input(e->h, TICKS + 1, 0, &x));
}

static void paused_frames_precede_their_tick(void **state) {
  log_fixture_t *e = *state;
  journal_input_t x;
  input_state_t pressed = e->samples[100];
  pressed.keys[9] ^= 1;
  log_ticks(e, 1, 100);
  journal_add_frame(e->h, 101, &e->samples[100], &pressed);
  journal_add_tick(e->h, 101, &pressed, &e->samples[101], 0);
  assert_true(journal_get_input(e->h, 101, 0, &x));
  assert_true(x.paused);
  assert_memory_equal(&x.input, &pressed, sizeof pressed);
  assert_true(journal_get_input(e->h, 101, 1, &x));
  assert_false(x.paused);
  assert_memory_equal(&x.previous_input, &pressed, sizeof pressed);
  assert_false(journal_get_input(e->h, 101, 2, &x));
  assert_logged_tick(e, e->h, 100);
}

static void discarding_later_ticks_does_not_change_a_copy(void **state) {
  log_fixture_t *e = *state;
  log_ticks(e, 1, 300);
  journal_o *kept = journal_copy(e->h);
  e->samples[150].keys[3] ^= 1;
  log_ticks(e, 150, 200);
  for (uint32_t i = 1; i <= 200; ++i)
    assert_logged_tick(e, e->h, i);
  assert_int_equal(journal_last_tick(e->h), 200);
  assert_int_equal(journal_last_tick(kept), 300);
  for (uint32_t i = 152; i <= 300; ++i)
    assert_logged_tick(e, kept, i);
  journal_destroy(kept);
}

static void oldest_ticks_can_be_discarded(void **state) {
  log_fixture_t *e = *state;
  journal_input_t x;
  log_ticks(e, 1, TICKS);
  size_t bytes = e->memory.bytes;
  journal_discard_before(e->h, 400);
  assert_true(e->memory.bytes < bytes);
  assert_false(journal_get_input(e->h, 100, 0, &x));
  for (uint32_t i = 400; i <= TICKS; ++i)
    assert_logged_tick(e, e->h, i);
}

// External input is stored with the tick in which it was recorded.
static void external_input_is_found_by_tick_kind_and_key(void **state) {
  log_fixture_t *e = *state;
  for (uint32_t i = 1; i <= 10; ++i) {
    log_ticks(e, i, i);
    external_result_t *a = external_result_create(EXTERNAL_SCENE, i % 2 ? "odd" : "even", true, &i, sizeof i);
    journal_add_result(e->h, i, a);
    external_result_release(a);
  }
  journal_flush_items(e->h);
  journal_o *copy = journal_copy(e->h);
  external_result_t *a = journal_find_result(copy, 7, EXTERNAL_SCENE, "odd");
  assert_int_equal(a->bytes[0], 7);
  external_result_release(a);
  assert_null(journal_find_result(copy, 7, EXTERNAL_SCENE, "even"));
  assert_null(journal_find_result(copy, 7, EXTERNAL_SAVE, "odd"));
  log_ticks(e, 5, 6); // replaces ticks 5 and 6
  assert_null(journal_find_result(e->h, 7, EXTERNAL_SCENE, "odd"));
  assert_null(journal_find_result(e->h, 5, EXTERNAL_SCENE, "odd"));
  assert_non_null(a = journal_find_result(e->h, 4, EXTERNAL_SCENE, "even"));
  external_result_release(a);
  journal_destroy(copy);
}

// More items of a tick than a record can contain, and a block that grows far beyond its limit.
static void items_of_a_tick_may_be_many_and_large(void **state) {
  log_fixture_t *e = *state;
  const size_t size = 3 << 20;
  char key[16], *large = calloc(1, size);
  memset(large, 'x', size);
  log_ticks(e, 1, 5);
  for (uint32_t i = 0; i < 300; ++i) {
    snprintf(key, sizeof key, "%u", i);
    external_result_t *a = external_result_create(EXTERNAL_ASSET, key, i % 2, large, i == 200 ? size : i);
    journal_add_result(e->h, 5 + i / 150, a);
    external_result_release(a);
  }
  log_ticks(e, 6, 200);
  for (uint32_t i = 0; i < 300; ++i) {
    snprintf(key, sizeof key, "%u", i);
    external_result_t *a = journal_find_result(e->h, 5 + i / 150, EXTERNAL_ASSET, key);
    assert_non_null(a);
    assert_int_equal(a->size, i == 200 ? size : i);
    assert_int_equal(a->found, i % 2);
    external_result_release(a);
    assert_null(journal_find_result(e->h, 6 - i / 150, EXTERNAL_ASSET, key));
  }
  for (uint32_t i = 1; i <= 200; ++i)
    assert_logged_tick(e, e->h, i);
  free(large);
}

// The recorder writes the newest block when it is due, so a block must not begin in the middle of a call.
static void all_records_of_a_call_belong_to_the_same_block(void **state) {
  log_fixture_t *e = *state;
  for (uint32_t i = 1; i <= TICKS; ++i) {
    bool is_due = journal_block_is_due(e->h);
    uint32_t count = journal_block_count(e->h);
    journal_add_item(e->h, JOURNAL_NEXT_TICK, RECORD_ITEM_RESULT, "x", 1);
    if (i % JOURNAL_BLOCK_RECORDS == 0) // the item of the action fills the block
      journal_add_action(e->h, RECORD_CONSOLE, 0);
    else
      journal_add_tick(e->h, i, &e->samples[i - 1], &e->samples[i], 0);
    assert_int_equal(journal_block_count(e->h), count + is_due);
  }
}

static void parked_pieces_are_found_by_tick(void **state) {
  log_fixture_t *e = *state;
  parked_item_t piece;
  log_ticks(e, 1, 10);
  journal_add_park(e->h, 10, &(parked_t){.name = "a/body", .stopped = true}, 77);
  journal_add_park(e->h, 10, &(parked_t){.name = "b/body"}, 78);
  for (uint32_t round = 0; round < 2; ++round) { // while they wait for the next record, and afterwards
    assert_true(journal_get_parked(e->h, 10, 0, &piece));
    assert_string_equal(piece.name, "a/body");
    assert_true(piece.stopped && piece.code == 77);
    assert_true(journal_get_parked(e->h, 10, 1, &piece));
    assert_string_equal(piece.name, "b/body");
    assert_true(!piece.stopped && piece.code == 78);
    assert_false(journal_get_parked(e->h, 10, 2, &piece));
    assert_false(journal_get_parked(e->h, 9, 0, &piece));
    log_ticks(e, 11, 100);
  }
}

static void malformed_items_are_rejected(void **state) {
  (void)state;
  static const uint8_t results[][7] = {{0x80, 1, 'k'}, {0x80 | 77, 1, 'k'}, {0x84, 2, 'k', 0}, {0x84, 200, 'k'}};
  static const uint8_t parks[][12] = {{0}, {0x85, 'a', 0, 'b'}, {0x8c, 'a'}};
  for (size_t i = 0; i < sizeof results / sizeof *results; ++i)
    assert_null(external_result_read(&(record_item_t){RECORD_ITEM_RESULT, 0, sizeof *results, results[i]}));
  for (size_t i = 0; i < sizeof parks / sizeof *parks; ++i)
    assert_false(parked_item_read(&(record_item_t){RECORD_ITEM_PARK, 0, sizeof *parks, parks[i]}, &(parked_item_t){0}));
  assert_null(external_result_read(&(record_item_t){RECORD_ITEM_RESULT, 0, 1, results[0]}));
  assert_false(parked_item_read(&(record_item_t){RECORD_ITEM_PARK, 0, 0, NULL}, &(parked_item_t){0}));
}

static void samples_round_trip_and_random_bytes_are_read_safely(void **state) {
  log_fixture_t *e = *state;
  uint8_t bytes[SAMPLE_MAX_BYTES], again[SAMPLE_MAX_BYTES];
  input_state_t zeros = {.wheel = 0}, wild, got;
  uint32_t accepted = 0;
  memset(&zeros, 0, sizeof zeros);
  for (size_t i = 0; i < sizeof wild; ++i)
    ((uint8_t *)&wild)[i] = (uint8_t)(random_u32(&e->random) | 1);
  size_t size = sample_write_difference(&zeros, &wild, bytes);
  assert_true(size <= sizeof bytes);
  got = zeros;
  assert_true(sample_apply_difference(&got, bytes, size));
  assert_memory_equal(&got, &wild, sizeof got);
  assert_int_equal(sample_write_difference(&wild, &wild, bytes), 0);
  for (uint32_t i = 0; i < 20000; ++i) {
    size = 1 + random_u32(&e->random) % 8;
    for (size_t k = 0; k < size; ++k)
      bytes[k] = (uint8_t)(random_u32(&e->random) >> random_u32(&e->random) % 8);
    got = zeros;
    got.has_players = 1; // all bytes count
    input_state_t before = got;
    if (!sample_apply_difference(&got, bytes, size))
      continue;
    ++accepted;
    assert_int_equal(sample_write_difference(&before, &got, again), size); // the encoding is canonical
    assert_memory_equal(again, bytes, size);
  }
  assert_in_range(accepted, 100, 19900);
}

int journal_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(journal_returns_the_input_of_any_tick, setup, teardown),
      cmocka_unit_test_setup_teardown(paused_frames_precede_their_tick, setup, teardown),
      cmocka_unit_test_setup_teardown(discarding_later_ticks_does_not_change_a_copy, setup, teardown),
      cmocka_unit_test_setup_teardown(oldest_ticks_can_be_discarded, setup, teardown),
      cmocka_unit_test_setup_teardown(external_input_is_found_by_tick_kind_and_key, setup, teardown),
      cmocka_unit_test_setup_teardown(items_of_a_tick_may_be_many_and_large, setup, teardown),
      cmocka_unit_test_setup_teardown(all_records_of_a_call_belong_to_the_same_block, setup, teardown),
      cmocka_unit_test_setup_teardown(parked_pieces_are_found_by_tick, setup, teardown),
      cmocka_unit_test_setup_teardown(malformed_items_are_rejected, setup, teardown),
      cmocka_unit_test_setup_teardown(samples_round_trip_and_random_bytes_are_read_safely, setup, teardown),
  };
  return cmocka_run_group_tests_name("journal", tests, NULL, NULL);
}
