// Piecewise linear curves with evenly spaced keys: numbers, such as "1 0.5 0", or colours, such as "#ffd040 #ff400080
// 0,0,0,0". All functions are pure and return identical results on every processor, because saves contain the results.
#ifndef SHOAL_PARTICLES_CURVE_H
#define SHOAL_PARTICLES_CURVE_H

#include <stdbool.h>
#include <stdint.h>

#define CURVE_MAX_KEYS 8u

typedef struct curve_t {
  uint32_t count; // number of keys; 0: the constant 1
  float keys[CURVE_MAX_KEYS];
} curve_t;

typedef struct colour_curve_t {
  uint32_t count; // number of keys; 0: constant white
  float keys[CURVE_MAX_KEYS][4];
} colour_curve_t;

// Parses a list of numbers; "" is an empty list. Returns true on success. If the text is invalid or has more than
// CURVE_MAX_KEYS numbers, returns false and empties `out`.
bool curve_read(const char *text, curve_t *out);
// Parses a list of colours: #rgb, #rgba, #rrggbb, #rrggbbaa, or three or four comma-separated numbers, which may be
// greater than 1. Returns true on success. If the text is invalid or has more than CURVE_MAX_KEYS colours, returns
// false and empties `out`.
bool colour_curve_read(const char *text, colour_curve_t *out);

// Return the curve's value at `t`, the elapsed fraction of a particle's life, 0 to 1.
float curve_at(const curve_t *c, float t);
float curve_area(const curve_t *c, float t); // returns the integral of the curve from 0 to t
void colour_curve_at(const colour_curve_t *c, float t, float out[4]);

#endif
