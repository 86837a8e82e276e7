// Easing: how a value goes from here to there. Pure functions of two numbers, with the same bits on every processor.
#ifndef SHOAL_COUNTDOWN_EASE_H
#define SHOAL_COUNTDOWN_EASE_H

#include <stdint.h>

// In the order of a tween's `ease`: linear, then three of each family: in (slow at the beginning), out (slow at the
// end), in_out (both).
#define EASE_NAMES                                                                                                     \
  "linear quad_in quad_out quad_in_out cubic_in cubic_out cubic_in_out quart_in quart_out quart_in_out quint_in "      \
  "quint_out quint_in_out sine_in sine_out sine_in_out expo_in expo_out expo_in_out circ_in circ_out circ_in_out "     \
  "back_in back_out back_in_out elastic_in elastic_out elastic_in_out bounce_in bounce_out bounce_in_out"
#define EASE_COUNT 31u

// How far the value is when `t`, 0 … 1, of the time is over: 0 at 0 and 1 at 1, exactly. In between back and elastic
// leave 0 … 1. `t` is clamped to 0 … 1, and NaN to 0; an `ease` from EASE_COUNT on is linear.
double ease_at(uint32_t ease, double t);

#endif
