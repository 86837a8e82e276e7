// Lists of a few keys, spread evenly over a life: numbers as a text, "1 0.5 0", and colours, "#ffd040 #ff400080
// 0,0,0,0". Pure functions with the same bits on every processor: what they give is part of saves.
#ifndef SHOAL_PARTICLES_CURVE_H
#define SHOAL_PARTICLES_CURVE_H

#include <stdbool.h>
#include <stdint.h>

#define CURVE_MAX_KEYS 8u

typedef struct curve_t {
  uint32_t count; // 0: it is 1 everywhere
  float at[CURVE_MAX_KEYS];
} curve_t;

typedef struct colour_curve_t {
  uint32_t count; // 0: it is white everywhere
  float at[CURVE_MAX_KEYS][4];
} colour_curve_t;

// False when the text is no list, or one of more than CURVE_MAX_KEYS; then `out` has no keys. "" is a list without
// any.
bool curve_read(const char *text, curve_t *out);
// A colour is #rgb, #rgba, #rrggbb, #rrggbbaa, or three or four numbers with commas between, which may be above 1.
bool colour_curve_read(const char *text, colour_curve_t *out);

// `t`: 0 … 1 of the life.
float curve_at(const curve_t *c, float t);
float curve_area(const curve_t *c, float t); // below it, from 0 to t
void colour_curve_at(const colour_curve_t *c, float t, float out[4]);

#endif
