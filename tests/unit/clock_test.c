// The fixed step: time goes in as it comes, whole ticks come out, and none is lost or invented.
#include "platform/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void the_first_frame_has_one_tick(void **state) {
  (void)state;
  frame_clock_t c;
  clock_init(&c, 60);
  assert_int_equal(clock_advance(&c, 1234.5), 1);
  assert_int_equal(clock_advance(&c, 1234.5), 0);
}

static void an_hour_of_uneven_frames_gives_exactly_its_ticks(void **state) {
  (void)state;
  frame_clock_t c;
  clock_init(&c, 60);
  uint64_t ticks = clock_advance(&c, 10.0);
  double now_s = 10.0;
  uint32_t frames = 0;
  for (; now_s < 3610.0; ++frames) {
    now_s += frames % 3 == 0 ? 0.004 : frames % 3 == 1 ? 0.0101 : 0.0333;
    ticks += clock_advance(&c, now_s);
  }
  assert_true(frames > 200000);
  assert_int_equal(ticks, 1 + (uint64_t)((now_s - 10.0) * 60.0));
  assert_int_equal(c.given_up, 0);
}

static void a_slow_machine_gives_up_ticks_and_stays_in_the_present(void **state) {
  (void)state;
  frame_clock_t c;
  clock_init(&c, 60);
  clock_advance(&c, 0.0);
  assert_int_equal(clock_advance(&c, 0.5), CLOCK_MAX_CATCH_UP);
  assert_int_equal(c.given_up, 30 - CLOCK_MAX_CATCH_UP);
  assert_int_equal(clock_advance(&c, 0.5), 0);
  assert_int_equal(clock_advance(&c, 0.5 + 1.0 / 60.0 + 1e-6), 1);
}

static void alpha_stays_below_one(void **state) {
  (void)state;
  frame_clock_t c;
  clock_init(&c, 60);
  clock_advance(&c, 0.0);
  for (int64_t i = 1; i < 200000; ++i) {
    clock_advance(&c, (double)i * 0.001234567);
    float alpha = clock_alpha(&c);
    assert_true(alpha >= 0.0f && alpha < 1.0f);
  }
  c.debt = 999999999;
  assert_true(clock_alpha(&c) < 1.0f);
}

static void alpha_is_the_part_of_the_tick_that_has_passed(void **state) {
  (void)state;
  frame_clock_t c;
  clock_init(&c, 100);
  clock_advance(&c, 0.0);
  assert_int_equal(clock_advance(&c, 0.0125), 1);
  assert_float_equal(clock_alpha(&c), 0.25f, 1e-6f);
}

static void time_that_runs_backwards_counts_as_none(void **state) {
  (void)state;
  frame_clock_t c;
  clock_init(&c, 60);
  clock_advance(&c, 100.0);
  assert_int_equal(clock_advance(&c, 50.0), 0);
  assert_int_equal(clock_advance(&c, 100.0 + 1.5 / 60.0), 1);
}

static void a_skip_owes_no_ticks(void **state) {
  (void)state;
  frame_clock_t c;
  clock_init(&c, 60);
  clock_advance(&c, 0.0);
  clock_skip(&c, 0.9);
  assert_int_equal(clock_advance(&c, 0.85), 0); // the frame began before the skip ended
  assert_int_equal(clock_advance(&c, 0.9 + 1.5 / 60.0), 1);
}

static void a_new_tick_rate_keeps_the_fraction(void **state) {
  (void)state;
  frame_clock_t c;
  clock_init(&c, 60);
  clock_advance(&c, 0.0);
  clock_advance(&c, 0.5 / 60.0);
  clock_set_rate(&c, 30);
  assert_float_equal(clock_alpha(&c), 0.5f, 1e-6f);
  assert_int_equal(clock_advance(&c, 0.5 / 60.0 + 0.6 / 30.0), 1);
}

int clock_tests(void);
int clock_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_frame_has_one_tick),
      cmocka_unit_test(an_hour_of_uneven_frames_gives_exactly_its_ticks),
      cmocka_unit_test(a_slow_machine_gives_up_ticks_and_stays_in_the_present),
      cmocka_unit_test(alpha_stays_below_one),
      cmocka_unit_test(alpha_is_the_part_of_the_tick_that_has_passed),
      cmocka_unit_test(time_that_runs_backwards_counts_as_none),
      cmocka_unit_test(a_skip_owes_no_ticks),
      cmocka_unit_test(a_new_tick_rate_keeps_the_fraction),
  };
  return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
