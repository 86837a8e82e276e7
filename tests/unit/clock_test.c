// The fixed-step clock: converts frame times to whole ticks without losing or adding time.
#include "host/clock.h"
#include "test.h"

TEST(first_frame_runs_one_tick) {
  frame_clock_t c;
  clock_init(&c, 60);
  assert_int_equal(clock_advance(&c, 1234.5), 1);
  assert_int_equal(clock_advance(&c, 1234.5), 0);
}

TEST(hour_of_uneven_frames_runs_the_exact_number_of_ticks) {
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
  assert_int_equal(c.dropped_ticks, 0);
}

TEST(clock_drops_ticks_over_the_catch_up_limit) {
  frame_clock_t c;
  clock_init(&c, 60);
  clock_advance(&c, 0.0);
  assert_int_equal(clock_advance(&c, 0.5), CLOCK_MAX_CATCH_UP);
  assert_int_equal(c.dropped_ticks, 30 - CLOCK_MAX_CATCH_UP);
  assert_int_equal(clock_advance(&c, 0.5), 0);
  assert_int_equal(clock_advance(&c, 0.5 + 1.0 / 60.0 + 1e-6), 1);
}

TEST(interpolation_alpha_stays_below_1) {
  frame_clock_t c;
  clock_init(&c, 60);
  clock_advance(&c, 0.0);
  for (int64_t i = 1; i < 200000; ++i) {
    clock_advance(&c, (double)i * 0.001234567);
    float alpha = clock_alpha(&c);
    assert_true(alpha >= 0.0f && alpha < 1.0f);
  }
  c.accumulator = 999999999;
  assert_true(clock_alpha(&c) < 1.0f);
}

TEST(interpolation_alpha_is_the_elapsed_fraction_of_the_tick) {
  frame_clock_t c;
  clock_init(&c, 100);
  clock_advance(&c, 0.0);
  assert_int_equal(clock_advance(&c, 0.0125), 1);
  assert_float_equal(clock_alpha(&c), 0.25f, 1e-6f);
}

TEST(time_running_backwards_is_ignored) {
  frame_clock_t c;
  clock_init(&c, 60);
  clock_advance(&c, 100.0);
  assert_int_equal(clock_advance(&c, 50.0), 0);
  assert_int_equal(clock_advance(&c, 100.0 + 1.5 / 60.0), 1);
}

TEST(skipped_time_runs_no_ticks) {
  frame_clock_t c;
  clock_init(&c, 60);
  clock_advance(&c, 0.0);
  clock_skip(&c, 0.9);
  assert_int_equal(clock_advance(&c, 0.85), 0); // the frame began before the skip ended
  assert_int_equal(clock_advance(&c, 0.9 + 1.5 / 60.0), 1);
}

TEST(new_tick_rate_keeps_the_elapsed_fraction) {
  frame_clock_t c;
  clock_init(&c, 60);
  clock_advance(&c, 0.0);
  clock_advance(&c, 0.5 / 60.0);
  clock_set_rate(&c, 30);
  assert_float_equal(clock_alpha(&c), 0.5f, 1e-6f);
  assert_int_equal(clock_advance(&c, 0.5 / 60.0 + 0.6 / 30.0), 1);
}
