// Recorded device input of each tick: time/input_log.h.
#include "base/random.h"
#include "time/input_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TICKS 500

typedef struct log_fixture_t {
  allocator_t memory;
  input_log_o *h;
  random_t random;
  input_state_t samples[TICKS + 1]; // indexed by tick
} log_fixture_t;

static int setup(void **state) {
  log_fixture_t *e = calloc(1, sizeof *e);
  e->h = input_log_create(&e->memory);
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
  input_log_destroy(e->h);
  assert_int_equal(e->memory.blocks, 0);
  free(e);
  return 0;
}

static void log_ticks(log_fixture_t *e, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i <= to; ++i)
    input_log_add_tick(e->h, i, &e->samples[i - 1], &e->samples[i]);
}

static void assert_logged_tick(log_fixture_t *e, const input_log_o *h, uint32_t tick) {
  input_log_item_t x;
  assert_true(input_log_get_item(h, tick, 0, &x));
  assert_false(x.paused);
  assert_memory_equal(&x.previous_input, &e->samples[tick - 1], sizeof x.previous_input);
  assert_memory_equal(&x.input, &e->samples[tick], sizeof x.input);
  assert_false(input_log_get_item(h, tick, 1, &x));
}

static void input_log_returns_any_tick(void **state) {
  log_fixture_t *e = *state;
  input_log_item_t x;
  log_ticks(e, 1, TICKS);
  for (uint32_t i = TICKS; i > 0; --i)
    assert_logged_tick(e, e->h, i);
  assert_int_equal(input_log_last_tick(e->h), TICKS);
  assert_false(input_log_get_item(e->h, 0, 0, &x));
  assert_false(input_log_get_item(e->h, TICKS + 1, 0, &x));
}

static void paused_frames_are_logged_before_their_tick_if_input_changed(void **state) {
  log_fixture_t *e = *state;
  input_log_item_t x;
  input_state_t pressed = e->samples[100];
  pressed.keys[9] ^= 1;
  log_ticks(e, 1, 100);
  input_log_add_paused(e->h, 101, &e->samples[100], &e->samples[100]);
  input_log_add_paused(e->h, 101, &e->samples[100], &pressed);
  input_log_add_paused(e->h, 101, &pressed, &pressed);
  input_log_add_tick(e->h, 101, &pressed, &e->samples[101]);
  assert_true(input_log_get_item(e->h, 101, 0, &x));
  assert_true(x.paused);
  assert_memory_equal(&x.input, &pressed, sizeof pressed);
  assert_true(input_log_get_item(e->h, 101, 1, &x));
  assert_false(x.paused);
  assert_memory_equal(&x.previous_input, &pressed, sizeof pressed);
  assert_false(input_log_get_item(e->h, 101, 2, &x));
  assert_logged_tick(e, e->h, 100);
}

static void logging_an_earlier_tick_replaces_later_input(void **state) {
  log_fixture_t *e = *state;
  log_ticks(e, 1, 300);
  input_log_o *kept = input_log_copy(e->h);
  e->samples[150].keys[3] ^= 1;
  log_ticks(e, 150, 200);
  for (uint32_t i = 1; i <= 200; ++i)
    assert_logged_tick(e, e->h, i);
  assert_int_equal(input_log_last_tick(e->h), 200);
  assert_int_equal(input_log_last_tick(kept), 300);
  for (uint32_t i = 152; i <= 300; ++i)
    assert_logged_tick(e, kept, i);
  input_log_destroy(kept);
}

static void oldest_ticks_of_the_input_log_can_be_dropped(void **state) {
  log_fixture_t *e = *state;
  input_log_item_t x;
  log_ticks(e, 1, TICKS);
  size_t bytes = e->memory.bytes;
  input_log_discard_before(e->h, 400);
  assert_true(e->memory.bytes < bytes);
  assert_false(input_log_get_item(e->h, 100, 0, &x));
  for (uint32_t i = 400; i <= TICKS; ++i)
    assert_logged_tick(e, e->h, i);
}

// External input is stored with the tick in which it was recorded.
static void external_input_is_found_by_tick_kind_and_key(void **state) {
  log_fixture_t *e = *state;
  log_ticks(e, 1, 10);
  for (uint64_t i = 1; i <= 10; ++i) {
    external_result_t *a = external_result_create(EXTERNAL_SCENE, i % 2 ? "odd" : "even", true, &i, sizeof i);
    input_log_add_result(e->h, i, a);
    external_result_release(a);
  }
  input_log_o *copy = input_log_copy(e->h);
  external_result_t *a = input_log_find_result(copy, 7, EXTERNAL_SCENE, "odd");
  assert_int_equal(a->bytes[0], 7);
  external_result_release(a);
  assert_null(input_log_find_result(copy, 7, EXTERNAL_SCENE, "even"));
  assert_null(input_log_find_result(copy, 7, EXTERNAL_SAVE, "odd"));
  log_ticks(e, 5, 6); // replaces ticks 5 and 6
  assert_null(input_log_find_result(e->h, 7, EXTERNAL_SCENE, "odd"));
  assert_null(input_log_find_result(e->h, 5, EXTERNAL_SCENE, "odd"));
  assert_non_null(a = input_log_find_result(e->h, 4, EXTERNAL_SCENE, "even"));
  external_result_release(a);
  input_log_discard_before(e->h, 4);
  assert_null(input_log_find_result(e->h, 3, EXTERNAL_SCENE, "odd"));
  input_log_destroy(copy);
}

static void input_samples_round_trip_and_random_bytes_are_read_safely(void **state) {
  log_fixture_t *e = *state;
  uint8_t bytes[SAMPLE_MAX_BYTES];
  input_state_t zeros = {.wheel = 0}, wild, got;
  for (size_t i = 0; i < sizeof wild; ++i)
    ((uint8_t *)&wild)[i] = (uint8_t)(random_u32(&e->random) | 1);
  size_t size = sample_encode_difference(&zeros, &wild, bytes);
  assert_true(size <= sizeof bytes);
  memset(&got, 0, sizeof got);
  assert_int_equal(sample_apply_difference(&got, bytes, size), size);
  assert_memory_equal(&got, &wild, sizeof got);
  for (size_t cut = 0; cut < size; cut += 11)
    assert_int_equal(sample_apply_difference(&got, bytes, cut), 0);
  for (uint32_t i = 0; i < 2000; ++i) {
    for (size_t k = 0; k < sizeof bytes; ++k)
      bytes[k] = (uint8_t)random_u32(&e->random);
    sample_apply_difference(&got, bytes, sizeof bytes);
  }
}

int input_log_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(input_log_returns_any_tick, setup, teardown),
      cmocka_unit_test_setup_teardown(paused_frames_are_logged_before_their_tick_if_input_changed, setup, teardown),
      cmocka_unit_test_setup_teardown(logging_an_earlier_tick_replaces_later_input, setup, teardown),
      cmocka_unit_test_setup_teardown(oldest_ticks_of_the_input_log_can_be_dropped, setup, teardown),
      cmocka_unit_test_setup_teardown(external_input_is_found_by_tick_kind_and_key, setup, teardown),
      cmocka_unit_test_setup_teardown(input_samples_round_trip_and_random_bytes_are_read_safely, setup, teardown),
  };
  return cmocka_run_group_tests_name("input_log", tests, NULL, NULL);
}
