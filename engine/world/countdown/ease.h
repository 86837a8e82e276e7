// Easing curves of tweens. Pure functions with bit-identical results on every processor.
#ifndef SHOAL_COUNTDOWN_EASE_H
#define SHOAL_COUNTDOWN_EASE_H

#include <stdint.h>

// Choices of a tween's `ease`: linear, then three choices per family: in (slow start), out (slow end), in_out (both).
#define EASE_NAMES                                                                                                     \
  "linear quad_in quad_out quad_in_out cubic_in cubic_out cubic_in_out quart_in quart_out quart_in_out quint_in "      \
  "quint_out quint_in_out sine_in sine_out sine_in_out expo_in expo_out expo_in_out circ_in circ_out circ_in_out "     \
  "back_in back_out back_in_out elastic_in elastic_out elastic_in_out bounce_in bounce_out bounce_in_out"
#define EASE_COUNT 31u

// Returns the progress of the value at time `t`, 0 … 1: exactly 0 at time 0 and 1 at time 1. Between these times, back
// and elastic leave this range. `t` is clamped to 0 … 1, and NaN is treated as 0. Values of `ease` that are not less
// than EASE_COUNT are treated as linear.
double ease_evaluate(uint32_t ease, double t);

#endif
