// Easing functions after Robert Penner: http://robertpenner.com/easing/. Each family is one curve that starts slowly;
// its `out` variant is the reversed curve, and `in_out` combines both.
#include "countdown/ease.h"

#include "base/assert.h"
#include "base/exact_math.h"

#include <math.h>

#define PI 3.14159265358979323846
#define OVERSHOOT 1.70158 // constant of `back`: the curve overshoots by 10 %

static double ease_in_sine(double t) {
  return 1 - cos(t * PI / 2);
}

static double ease_in_expo(double t) {
  return pow(2, 10 * (t - 1));
}

static double ease_in_circ(double t) {
  return 1 - sqrt(1 - t * t);
}

static double ease_in_back(double t) {
  return t * t * ((OVERSHOOT + 1) * t - OVERSHOOT);
}

static double ease_in_elastic(double t) {
  return -pow(2, 10 * (t - 1)) * sin((t - 1.075) * (2 * PI) / 0.3);
}

// Eases in with four bounces (parabolas) of growing height; each bounce lasts half as long as the next bounce.
static double ease_in_bounce(double t) {
  double remaining = 1 - t;
  if (remaining < 1 / 2.75)
    return 1 - 7.5625 * remaining * remaining;
  double centre = remaining < 2 / 2.75 ? 1.5 : remaining < 2.5 / 2.75 ? 2.25 : 2.625;
  double offset = remaining < 2 / 2.75 ? 0.75 : remaining < 2.5 / 2.75 ? 0.9375 : 0.984375;
  remaining -= centre / 2.75;
  return 1 - (7.5625 * remaining * remaining + offset);
}

enum { QUAD, CUBIC, QUART, QUINT, SINE, EXPO, CIRC, BACK, ELASTIC, BOUNCE };

static double evaluate_family(uint32_t family, double t) {
  switch (family) {
  case QUAD: return t * t;
  case CUBIC: return t * t * t;
  case QUART: return t * t * t * t;
  case QUINT: return t * t * t * t * t;
  case SINE: return ease_in_sine(t);
  case EXPO: return ease_in_expo(t);
  case CIRC: return ease_in_circ(t);
  case BACK: return ease_in_back(t);
  case ELASTIC: return ease_in_elastic(t);
  default: shoal_assert(family == BOUNCE, "easing family %u is out of range", family); return ease_in_bounce(t);
  }
}

double ease_evaluate(uint32_t ease, double t) {
  if (!(t > 0)) // every curve begins at exactly 0 and ends at exactly 1
    return 0;
  if (t >= 1)
    return 1;
  if (ease == 0 || ease >= EASE_COUNT)
    return t;
  uint32_t family = (ease - 1) / 3, direction = (ease - 1) % 3;
  if (direction == 0)
    return evaluate_family(family, t);
  if (direction == 1)
    return 1 - evaluate_family(family, 1 - t);
  return t < 0.5 ? evaluate_family(family, 2 * t) / 2 : 1 - evaluate_family(family, 2 - 2 * t) / 2;
}
