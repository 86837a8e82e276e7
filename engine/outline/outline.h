// Outlines of shapes and paths: points written as text, and their triangles.
#ifndef SHOAL_OUTLINE_OUTLINE_H
#define SHOAL_OUTLINE_OUTLINE_H

#include "base/array.h"
#include "base/log.h"

// A parsed and triangulated `points` text.
typedef struct outline_t {
  char *text; // what it was parsed from; ids are reused, so this is compared
  float *xy;
  uint16_t *triangles;
  uint32_t point_count, triangle_count;
  float reach; // of the farthest point from the origin
} outline_t;

// A cache by string id.
typedef struct outlines_t {
  ARRAY(outline_t) items;
  log_o *log;
} outlines_t;

// "x,y x,y …" → up to `max` pairs into `xy`; returns how many. Blanks, commas and semicolons all separate; what is no
// number ends it.
uint32_t outline_parse(const char *text, float *xy, uint32_t max);

// The outline of a text with this id; valid until the next call. Logs a text without points, each time it is parsed.
const outline_t *outlines_find(outlines_t *o, allocator_t *a, uint32_t id, const char *text);
void outlines_fini(outlines_t *o, allocator_t *a);

#endif
