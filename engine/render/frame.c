// Sorts what is to be drawn by space, layer, kind and order, and cuts it into batches.
#include "render/frame.h"

#include "base/assert.h"
#include "render/triangulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void frame_init(frame_t *f, glyphs_o *glyphs, image_source_t images, log_o *log) {
  *f = (frame_t){.glyphs = glyphs, .images = images, .log = log};
}

static void outline_clear(frame_t *f, outline_t *o) {
  allocator_t *a = &f->allocator;
  alloc_resize(a, o->text, o->text ? strlen(o->text) + 1 : 0, 0);
  alloc_resize(a, o->xy, o->point_count * 2 * sizeof *o->xy, 0);
  alloc_resize(a, o->triangles, o->triangle_count * 3 * sizeof *o->triangles, 0);
  *o = (outline_t){0};
}

void frame_fini(frame_t *f) {
  allocator_t *a = &f->allocator;
  for (uint32_t i = 0; i < f->outlines.count; ++i)
    outline_clear(f, &f->outlines.items[i]);
  array_free(a, &f->outlines);
  array_free(a, &f->tile_layers);
  array_free(a, &f->clouds);
  lights_fini(&f->lights, a);
  array_free(a, &f->images_by_id);
  array_free(a, &f->instances);
  array_free(a, &f->batches);
  array_free(a, &f->cuts);
  array_free(a, &f->corners);
  array_free(a, &f->mesh_places);
  array_free(a, &f->order);
  array_free(a, &f->scratch);
  array_free(a, &f->before);
  transform_places_end(&f->places);
  alloc_resize(a, f->sort_scratch, f->sort_capacity * sizeof *f->sort_scratch, 0);
  shoal_assert(a->bytes == 0, "a frame leaks %zu bytes", a->bytes);
}

uint32_t outline_parse(const char *text, float *xy, uint32_t max) {
  shoal_assert(xy && max > 0, "no room for points");
  uint32_t numbers = 0;
  while (numbers < max * 2) {
    text += strspn(text, " \t\r\n,;");
    char *end = NULL;
    float value = strtof(text, &end);
    if (end == text || !isfinite(value))
      break;
    xy[numbers++] = value;
    text = end;
  }
  return numbers / 2;
}

static void *copy_of(allocator_t *a, const void *data, size_t bytes) {
  void *copy = alloc_resize(a, NULL, 0, bytes);
  if (copy)
    memcpy(copy, data, bytes);
  return copy;
}

static void outline_build(frame_t *f, outline_t *o, const char *text) {
  float xy[TRIANGULATE_MAX_POINTS * 2];
  uint16_t triangles[TRIANGULATE_MAX_POINTS * 3];
  outline_clear(f, o);
  o->text = copy_of(&f->allocator, text, strlen(text) + 1);
  o->point_count = outline_parse(text, xy, TRIANGULATE_MAX_POINTS);
  o->triangle_count = triangulate(xy, o->point_count, triangles);
  o->xy = copy_of(&f->allocator, xy, o->point_count * 2 * sizeof *xy);
  o->triangles = copy_of(&f->allocator, triangles, o->triangle_count * 3 * sizeof *triangles);
  for (uint32_t i = 0; i < o->point_count; ++i)
    o->reach = fmaxf(o->reach, hypotf(xy[2 * i], xy[2 * i + 1]));
  if (o->point_count == 0 && text[0] != '\0')
    log_warn(f->log, "render: shape.points \"%.40s\": no points in it (write \"x,y x,y x,y\")", text);
}

const outline_t *frame_outline(frame_t *f, uint32_t id, const char *text) {
  shoal_assert(text, "an outline without points");
  while (f->outlines.count <= id) {
    outline_t none = {0};
    array_push(&f->allocator, &f->outlines, none);
  }
  outline_t *o = &f->outlines.items[id];
  if (!o->text || strcmp(o->text, text) != 0)
    outline_build(f, o, text);
  return o;
}
