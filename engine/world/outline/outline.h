// Outlines of shapes and paths: points parsed from text, and their triangulation.
#ifndef SHOAL_OUTLINE_OUTLINE_H
#define SHOAL_OUTLINE_OUTLINE_H

#include "base/array.h"
#include "base/log.h"

// A list of points, parsed from text and triangulated.
typedef struct outline_t {
  char *text; // source text, which is compared because string ids are reused
  float *xy;
  uint16_t *triangles;
  uint32_t point_count, triangle_count;
  float reach; // distance of the farthest point from the origin
} outline_t;

// A cache of outlines, indexed by string id.
typedef struct outlines_t {
  ARRAY(outline_t) items;
  log_o *log;
} outlines_t;

// Parses "x,y x,y …" into up to `max` pairs and returns the number of pairs. Blanks, commas and semicolons separate
// numbers. Parsing stops at the first token that is not a finite number.
uint32_t outline_parse(const char *text, float *xy, uint32_t max);

// Returns the outline of the text with this string id, valid until the next call. Logs a warning if a newly parsed,
// non-empty text contains no points.
const outline_t *outlines_find_or_build(outlines_t *o, allocator_t *a, uint32_t id, const char *text);
void outlines_fini(outlines_t *o, allocator_t *a);

#endif
