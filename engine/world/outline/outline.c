// Parses outlines and caches them by string id.
#include "outline/outline.h"

#include "base/assert.h"
#include "outline/triangulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void outline_clear(outline_t *o, allocator_t *a) {
  alloc_resize(a, o->text, o->text ? strlen(o->text) + 1 : 0, 0);
  alloc_resize(a, o->xy, o->point_count * 2 * sizeof *o->xy, 0);
  alloc_resize(a, o->triangles, o->triangle_count * 3 * sizeof *o->triangles, 0);
  *o = (outline_t){0};
}

uint32_t outline_parse(const char *text, float *xy, uint32_t max) {
  shoal_assert(xy && max > 0, "xy must not be NULL, and max must not be 0");
  uint32_t number_count = 0;
  while (number_count < max * 2) {
    text += strspn(text, " \t\r\n,;");
    char *end = NULL;
    float value = strtof(text, &end);
    if (end == text || !isfinite(value))
      break;
    xy[number_count++] = value;
    text = end;
  }
  return number_count / 2;
}

static void *copy_bytes(allocator_t *a, const void *data, size_t bytes) {
  void *copy = alloc_resize(a, NULL, 0, bytes);
  if (copy)
    memcpy(copy, data, bytes);
  return copy;
}

static void outline_build(outline_t *o, allocator_t *allocator, log_o *log, const char *text) {
  float xy[TRIANGULATE_MAX_POINTS * 2];
  uint16_t triangles[TRIANGULATE_MAX_POINTS * 3];
  outline_clear(o, allocator);
  o->text = copy_bytes(allocator, text, strlen(text) + 1);
  o->point_count = outline_parse(text, xy, TRIANGULATE_MAX_POINTS);
  o->triangle_count = triangulate(xy, o->point_count, triangles);
  o->xy = copy_bytes(allocator, xy, o->point_count * 2 * sizeof *xy);
  o->triangles = copy_bytes(allocator, triangles, o->triangle_count * 3 * sizeof *triangles);
  for (uint32_t i = 0; i < o->point_count; ++i)
    o->reach = fmaxf(o->reach, hypotf(xy[2 * i], xy[2 * i + 1]));
  if (o->point_count == 0 && text[0] != '\0')
    log_warn(log, "render: shape.points \"%.40s\": no points found: write \"x,y x,y x,y\"", text);
}

const outline_t *outlines_find_or_build(outlines_t *o, allocator_t *allocator, uint32_t id, const char *text) {
  shoal_assert(text, "text must not be NULL");
  while (o->items.count <= id) {
    outline_t empty = {0};
    array_push(allocator, &o->items, empty);
  }
  outline_t *outline = &o->items.items[id];
  if (!outline->text || strcmp(outline->text, text) != 0)
    outline_build(outline, allocator, o->log, text);
  return outline;
}

void outlines_fini(outlines_t *o, allocator_t *a) {
  for (uint32_t i = 0; i < o->items.count; ++i)
    outline_clear(&o->items.items[i], a);
  array_free(a, &o->items);
}
