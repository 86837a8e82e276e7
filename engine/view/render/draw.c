// Appends drawing commands to the list, each with a copy of the current state.
#include "render/draw_internal.h"

#include "base/assert.h"
#include "paint/paint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

draw_o *draw_create(void) {
  draw_o *draw = alloc_object(sizeof *draw);
  draw->paint = paint_create();
  draw_clear(draw);
  return draw;
}

void draw_destroy(draw_o *draw) {
  if (!draw)
    return;
  paint_destroy(draw->paint);
  array_free(&draw->allocator, &draw->commands);
  array_free(&draw->allocator, &draw->points);
  array_free(&draw->allocator, &draw->solids);
  array_free(&draw->allocator, &draw->strings);
  array_free(&draw->allocator, &draw->styles);
  array_free(&draw->allocator, &draw->clips);
  shoal_assert(draw->allocator.bytes == 0, "the draw list leaked %zu bytes", draw->allocator.bytes);
  free(draw);
}

void draw_clear(draw_o *draw) {
  paint_clear(draw->paint);
  draw->commands.count = draw->points.count = draw->solids.count = draw->strings.count = 0;
  array_push(&draw->allocator, &draw->strings, '\0');
  const draw_text_style_t plain = {0};
  draw->styles.count = draw->clips.count = 0;
  array_push(&draw->allocator, &draw->styles, plain);
  draw_reset(draw);
}

paint_o *draw_get_paint(draw_o *draw) {
  return draw->paint;
}

void draw_set_visible_area(draw_o *draw, float x, float y, float width, float height) {
  draw->visible_area = (draw_clip_t){x, y, width, height};
}

void draw_get_visible_area(const draw_o *draw, float out[4]) {
  const draw_clip_t *area = &draw->visible_area;
  memcpy(out, (const float[4]){area->x, area->y, area->width, area->height}, 4 * sizeof *out);
}

// --- state

void draw_reset(draw_o *draw) {
  shoal_assert(draw->styles.count > 0 && draw->strings.count > 0, "the default style or the empty text is missing");
  draw->state = (draw_command_t){.colour = {1.0f, 1.0f, 1.0f, 1.0f}};
}

void draw_set_space(draw_o *draw, bool screen) {
  draw->state.screen = screen;
}

void draw_set_view(draw_o *draw, uint32_t camera) {
  draw->state.view = camera;
}

void draw_set_clip(draw_o *draw, float x, float y, float width, float height) {
  const draw_clip_t clip = {x, y, width, height};
  draw->state.clip = 0;
  if (!(width > 0))
    return;
  uint32_t count = draw->clips.count;
  if (count == 0 || memcmp(&draw->clips.items[count - 1], &clip, sizeof clip) != 0)
    array_push(&draw->allocator, &draw->clips, clip);
  draw->state.clip = draw->clips.count;
}

void draw_set_layer(draw_o *draw, int32_t layer) {
  draw->state.layer = layer;
}

void draw_set_depth(draw_o *draw, bool sorted, float y) {
  draw->state.sorted = sorted;
  draw->state.depth = y;
}

void draw_set_colour(draw_o *draw, float r, float g, float b, float a) {
  const float colour[4] = {r, g, b, a};
  memcpy(draw->state.colour, colour, sizeof colour);
}

void draw_set_blend(draw_o *draw, bool add) {
  draw->state.add = add;
}

static uint32_t append_string(draw_o *draw, const char *text) {
  if (!text || text[0] == '\0')
    return 0;
  shoal_assert(draw->strings.count > 0 && draw->strings.items[0] == '\0', "text 0 must be empty");
  uint32_t offset = draw->strings.count, bytes = (uint32_t)strlen(text) + 1;
  array_reserve(&draw->allocator, &draw->strings, offset + bytes);
  memcpy(&draw->strings.items[offset], text, bytes);
  draw->strings.count += bytes;
  return offset;
}

void draw_set_font(draw_o *draw, const char *font) {
  draw->state.font = append_string(draw, font);
}

void draw_set_text_style(draw_o *draw, const draw_text_style_t *style) {
  static const draw_text_style_t PLAIN = {0};
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): a false negative only stores a duplicate
  if (memcmp(style, &PLAIN, sizeof PLAIN) == 0) {
    draw->state.style = 0;
    return;
  }
  array_push(&draw->allocator, &draw->styles, *style);
  draw->state.style = draw->styles.count - 1;
}

// --- commands

static draw_command_t *append_command(draw_o *draw, draw_kind_t kind) {
  shoal_assert(kind != DRAW_NONE, "kind must not be DRAW_NONE");
  draw_command_t command = draw->state;
  command.kind = kind;
  array_push(&draw->allocator, &draw->commands, command);
  return &draw->commands.items[draw->commands.count - 1];
}

static uint32_t append_points(draw_o *draw, const float *xy, uint32_t points) {
  shoal_assert(xy || points == 0, "xy must not be NULL (%u points)", points);
  uint32_t first = draw->points.count;
  array_reserve(&draw->allocator, &draw->points, first + points * 2);
  memcpy(&draw->points.items[first], xy, (size_t)points * 2 * sizeof *xy);
  draw->points.count += points * 2;
  return first / 2;
}

void draw_line(draw_o *draw, float x1, float y1, float x2, float y2, float width) {
  const float xy[4] = {x1, y1, x2, y2};
  uint32_t first = append_points(draw, xy, 2);
  draw_command_t *command = append_command(draw, DRAW_POLYLINE);
  command->first = first;
  command->count = 2;
  command->line_width = width;
}

void draw_circle(draw_o *draw, float x, float y, float radius, bool filled, float width) {
  draw_command_t *command = append_command(draw, DRAW_CIRCLE);
  command->x = x;
  command->y = y;
  command->width = radius;
  command->filled = filled;
  command->line_width = width;
}

void draw_rect(draw_o *draw, float x, float y, float width, float height, bool filled, float line_width) {
  draw_command_t *command = append_command(draw, DRAW_RECT);
  command->x = x;
  command->y = y;
  command->width = width;
  command->height = height;
  command->filled = filled;
  command->line_width = line_width;
}

void draw_rounded_rect(draw_o *draw, float x, float y, float width, float height, float radius, bool filled,
                       float line_width) {
  draw_rect(draw, x, y, width, height, filled, line_width);
  draw->commands.items[draw->commands.count - 1].angle = radius;
}

void draw_polygon(draw_o *draw, const float *xy, uint32_t points, bool filled, float width) {
  shoal_assert(xy || points == 0, "xy must not be NULL (%u points)", points);
  if (points < 2)
    return;
  uint32_t first = append_points(draw, xy, points);
  draw_command_t *command = append_command(draw, DRAW_POLYGON);
  command->first = first;
  command->count = points;
  command->filled = filled;
  command->line_width = width;
}

void draw_solid_triangles(draw_o *draw, const float *corners, uint32_t triangles) {
  shoal_assert(corners || triangles == 0, "corners must not be NULL (%u triangles)", triangles);
  uint32_t first = draw->solids.count, count = triangles * 3;
  if (count == 0)
    return;
  array_reserve(&draw->allocator, &draw->solids, first + count);
  memcpy(&draw->solids.items[first], corners, count * sizeof *draw->solids.items);
  draw->solids.count += count;
  draw_command_t *command = append_command(draw, DRAW_SOLIDS);
  command->first = first;
  command->count = count;
}

void draw_set_text_scale(draw_o *draw, float scale, float max_size) {
  draw->text_scale = scale;
  draw->max_scaled_text = max_size;
}

float draw_scale_text(const draw_o *draw, float size) {
  float scaled = fminf(size * draw->text_scale, draw->max_scaled_text);
  return draw->state.screen ? fmaxf(scaled, size) : size;
}

void draw_text(draw_o *draw, const char *text, float x, float y, float size, int32_t align, float wrap) {
  uint32_t offset = append_string(draw, text);
  if (offset == 0)
    return;
  draw_command_t *command = append_command(draw, DRAW_TEXT);
  command->first = offset;
  command->x = x;
  command->y = y;
  command->line_width = size;
  command->align = align;
  command->width = wrap;
}

#define CHARACTER_SHARE 0.55f // average width of a character, relative to the text size
#define LINE_SHARE 1.25f      // height of a line, relative to the text size

// Returns the estimated extent of a text in all of its lines, including lines that result from wrapping.
static draw_clip_t estimate_text_extent(const draw_o *draw, const draw_command_t *c) {
  const char *text = draw_get_text(draw, c->first);
  const draw_text_style_t *style = &draw->styles.items[c->style];
  float longest = 0, lines = 1, length = 0;
  for (; *text; ++text) {
    length = *text == '\n' ? 0 : length + ((*text & 0xC0) != 0x80); // counts characters, not bytes
    lines += *text == '\n';
    longest = length > longest ? length : longest;
  }
  draw_clip_t extent = {.width = longest * c->line_width * CHARACTER_SHARE};
  if (c->width > 0 && extent.width > c->width) {
    lines += extent.width / c->width;
    extent.width = c->width;
  }
  extent.height = lines * c->line_width * LINE_SHARE;
  extent.x = c->x - extent.width * 0.5f * (float)c->align;
  extent.y = c->y - extent.height * 0.5f * (float)style->valign;
  return extent;
}

// Computes the extent of a line. Returns true if the line is short enough for a stroke of a character.
static bool compute_stroke_extent(const draw_o *draw, const draw_command_t *c, float max_length, draw_clip_t *out) {
  const float *xy = &draw->points.items[2 * c->first];
  float left = xy[0], right = xy[0], top = xy[1], bottom = xy[1];
  for (uint32_t i = 1; i < c->count; ++i) {
    left = fminf(left, xy[2 * i]), right = fmaxf(right, xy[2 * i]);
    top = fminf(top, xy[2 * i + 1]), bottom = fmaxf(bottom, xy[2 * i + 1]);
  }
  *out = (draw_clip_t){left, top, right - left, bottom - top};
  return out->width <= max_length && out->height <= max_length;
}

bool draw_has_text_in(const draw_o *draw, float x, float y, float width, float height) {
  for (uint32_t i = 0; i < draw->commands.count; ++i) {
    const draw_command_t *c = &draw->commands.items[i];
    bool is_stroke = c->kind == DRAW_POLYLINE && c->count > 0;
    draw_clip_t e = {0};
    if (!c->screen || c->colour[3] <= 0 || (c->kind != DRAW_TEXT && !is_stroke))
      continue;
    if (is_stroke && !compute_stroke_extent(draw, c, 2 * height, &e))
      continue;
    if (c->kind == DRAW_TEXT)
      e = estimate_text_extent(draw, c);
    if (e.x <= x + width && e.x + e.width >= x && e.y <= y + height && e.y + e.height >= y)
      return true;
  }
  return false;
}

void draw_image(draw_o *draw, const char *image, float x, float y, float angle, float scale_x, float scale_y,
                uint32_t frame) {
  uint32_t offset = append_string(draw, image);
  if (offset == 0)
    return;
  draw_command_t *command = append_command(draw, DRAW_IMAGE);
  command->first = offset;
  command->x = x;
  command->y = y;
  command->angle = angle;
  command->width = scale_x;
  command->height = scale_y;
  command->count = frame;
}

void draw_mesh(draw_o *draw, uint32_t mesh, const char *image) {
  shoal_assert(mesh < draw->paint->meshes.count, "mesh %u is out of range (count %u)", mesh, draw->paint->meshes.count);
  uint32_t name = append_string(draw, image);
  draw_command_t *command = append_command(draw, DRAW_MESH);
  command->first = mesh;
  command->font = name;
}

void draw_nine_slice(draw_o *draw, const char *image, float x, float y, float width, float height, int32_t frame) {
  uint32_t offset = append_string(draw, image);
  if (offset == 0)
    return;
  draw_command_t *command = append_command(draw, DRAW_SLICED);
  command->first = offset;
  command->x = x;
  command->y = y;
  command->width = width;
  command->height = height;
  command->align = frame;
}
