// Appends drawing commands to the list, each with a copy of the current state.
#include "render/draw_internal.h"

#include "base/assert.h"
#include "paint/paint.h"

#include <stdlib.h>
#include <string.h>

draw_o *draw_create(void) {
  draw_o *d = alloc_object(sizeof *d);
  d->paint = paint_create();
  draw_clear(d);
  return d;
}

void draw_destroy(draw_o *d) {
  if (!d)
    return;
  paint_destroy(d->paint);
  array_free(&d->allocator, &d->commands);
  array_free(&d->allocator, &d->points);
  array_free(&d->allocator, &d->solids);
  array_free(&d->allocator, &d->strings);
  array_free(&d->allocator, &d->styles);
  array_free(&d->allocator, &d->clips);
  shoal_assert(d->allocator.bytes == 0, "the draw list leaked %zu bytes", d->allocator.bytes);
  free(d);
}

void draw_clear(draw_o *d) {
  paint_clear(d->paint);
  d->commands.count = d->points.count = d->solids.count = d->strings.count = 0;
  array_push(&d->allocator, &d->strings, '\0');
  const draw_text_style_t plain = {0};
  d->styles.count = d->clips.count = 0;
  array_push(&d->allocator, &d->styles, plain);
  draw_reset(d);
}

paint_o *draw_get_paint(draw_o *d) {
  return d->paint;
}

// --- state

void draw_reset(draw_o *d) {
  shoal_assert(d->styles.count > 0 && d->strings.count > 0, "the default style or the empty text is missing");
  d->state = (draw_command_t){.colour = {1.0f, 1.0f, 1.0f, 1.0f}};
}

void draw_set_space(draw_o *d, bool screen) {
  d->state.screen = screen;
}

void draw_set_view(draw_o *d, uint32_t camera) {
  d->state.view = camera;
}

void draw_set_clip(draw_o *d, float x, float y, float width, float height) {
  const draw_clip_t clip = {x, y, width, height};
  d->state.clip = 0;
  if (!(width > 0))
    return;
  uint32_t count = d->clips.count;
  if (count == 0 || memcmp(&d->clips.items[count - 1], &clip, sizeof clip) != 0)
    array_push(&d->allocator, &d->clips, clip);
  d->state.clip = d->clips.count;
}

void draw_set_layer(draw_o *d, int32_t layer) {
  d->state.layer = layer;
}

void draw_set_depth(draw_o *d, bool sorted, float y) {
  d->state.sorted = sorted;
  d->state.depth = y;
}

void draw_set_colour(draw_o *d, float r, float g, float b, float a) {
  const float colour[4] = {r, g, b, a};
  memcpy(d->state.colour, colour, sizeof colour);
}

void draw_set_blend(draw_o *d, bool add) {
  d->state.add = add;
}

static uint32_t append_text(draw_o *d, const char *text) {
  if (!text || text[0] == '\0')
    return 0;
  shoal_assert(d->strings.count > 0 && d->strings.items[0] == '\0', "text 0 must be empty");
  uint32_t first = d->strings.count, bytes = (uint32_t)strlen(text) + 1;
  array_reserve(&d->allocator, &d->strings, first + bytes);
  memcpy(&d->strings.items[first], text, bytes);
  d->strings.count += bytes;
  return first;
}

void draw_set_font(draw_o *d, const char *font) {
  d->state.font = append_text(d, font);
}

void draw_set_text_style(draw_o *d, const draw_text_style_t *style) {
  static const draw_text_style_t PLAIN = {0};
  if (memcmp(style, &PLAIN, sizeof PLAIN) ==
      0) { // NOLINT(bugprone-suspicious-memory-comparison): a false negative only stores a duplicate
    d->state.style = 0;
    return;
  }
  array_push(&d->allocator, &d->styles, *style);
  d->state.style = d->styles.count - 1;
}

// --- commands

static draw_command_t *append_command(draw_o *d, draw_kind_t kind) {
  shoal_assert(kind != DRAW_NONE, "kind must not be DRAW_NONE");
  draw_command_t command = d->state;
  command.kind = kind;
  array_push(&d->allocator, &d->commands, command);
  return &d->commands.items[d->commands.count - 1];
}

static uint32_t append_points(draw_o *d, const float *xy, uint32_t points) {
  shoal_assert(xy || points == 0, "xy must not be NULL (%u points)", points);
  uint32_t first = d->points.count;
  array_reserve(&d->allocator, &d->points, first + points * 2);
  memcpy(&d->points.items[first], xy, (size_t)points * 2 * sizeof *xy);
  d->points.count += points * 2;
  return first / 2;
}

void draw_line(draw_o *d, float x1, float y1, float x2, float y2, float width) {
  const float xy[4] = {x1, y1, x2, y2};
  uint32_t first = append_points(d, xy, 2);
  draw_command_t *c = append_command(d, DRAW_POLYLINE);
  c->first = first;
  c->count = 2;
  c->line_width = width;
}

void draw_circle(draw_o *d, float x, float y, float radius, bool filled, float width) {
  draw_command_t *c = append_command(d, DRAW_CIRCLE);
  c->x = x;
  c->y = y;
  c->width = radius;
  c->filled = filled;
  c->line_width = width;
}

void draw_rect(draw_o *d, float x, float y, float width, float height, bool filled, float line_width) {
  draw_command_t *c = append_command(d, DRAW_RECT);
  c->x = x;
  c->y = y;
  c->width = width;
  c->height = height;
  c->filled = filled;
  c->line_width = line_width;
}

void draw_rounded_rect(draw_o *d, float x, float y, float width, float height, float radius, bool filled,
                       float line_width) {
  draw_rect(d, x, y, width, height, filled, line_width);
  d->commands.items[d->commands.count - 1].angle = radius;
}

void draw_polygon(draw_o *d, const float *xy, uint32_t points, bool filled, float width) {
  shoal_assert(xy || points == 0, "xy must not be NULL (%u points)", points);
  if (points < 2)
    return;
  uint32_t first = append_points(d, xy, points);
  draw_command_t *c = append_command(d, DRAW_POLYGON);
  c->first = first;
  c->count = points;
  c->filled = filled;
  c->line_width = width;
}

void draw_solid_triangles(draw_o *d, const float *corners, uint32_t triangles) {
  shoal_assert(corners || triangles == 0, "corners must not be NULL (%u triangles)", triangles);
  uint32_t first = d->solids.count, count = triangles * 3;
  if (count == 0)
    return;
  array_reserve(&d->allocator, &d->solids, first + count);
  memcpy(&d->solids.items[first], corners, count * sizeof *d->solids.items);
  d->solids.count += count;
  draw_command_t *c = append_command(d, DRAW_SOLIDS);
  c->first = first;
  c->count = count;
}

void draw_text(draw_o *d, const char *text, float x, float y, float size, int32_t align, float wrap) {
  uint32_t first = append_text(d, text);
  if (first == 0)
    return;
  draw_command_t *c = append_command(d, DRAW_TEXT);
  c->first = first;
  c->x = x;
  c->y = y;
  c->line_width = size;
  c->align = align;
  c->width = wrap;
}

void draw_image(draw_o *d, const char *image, float x, float y, float angle, float scale_x, float scale_y,
                uint32_t frame) {
  uint32_t first = append_text(d, image);
  if (first == 0)
    return;
  draw_command_t *c = append_command(d, DRAW_IMAGE);
  c->first = first;
  c->x = x;
  c->y = y;
  c->angle = angle;
  c->width = scale_x;
  c->height = scale_y;
  c->count = frame;
}

void draw_mesh(draw_o *d, uint32_t mesh, const char *image) {
  shoal_assert(mesh < d->paint->meshes.count, "mesh %u is out of range (count %u)", mesh, d->paint->meshes.count);
  uint32_t name = append_text(d, image);
  draw_command_t *c = append_command(d, DRAW_MESH);
  c->first = mesh;
  c->font = name;
}

void draw_nine_slice(draw_o *d, const char *image, float x, float y, float width, float height, int32_t frame) {
  uint32_t first = append_text(d, image);
  if (first == 0)
    return;
  draw_command_t *c = append_command(d, DRAW_SLICED);
  c->first = first;
  c->x = x;
  c->y = y;
  c->width = width;
  c->height = height;
  c->align = frame;
}
