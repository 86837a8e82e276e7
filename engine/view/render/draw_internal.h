// The draw list as read by the renderer: commands in call order, with their points and strings.
#ifndef SHOAL_RENDER_DRAW_INTERNAL_H
#define SHOAL_RENDER_DRAW_INTERNAL_H

#include "base/array.h"
#include "render/draw.h"

typedef enum draw_kind_t {
  DRAW_NONE,
  DRAW_CIRCLE,
  DRAW_RECT,
  DRAW_POLYLINE,
  DRAW_POLYGON,
  DRAW_TEXT,
  DRAW_IMAGE,
  DRAW_SLICED,
  DRAW_SOLIDS,
  DRAW_MESH
} draw_kind_t;

typedef struct draw_command_t {
  draw_kind_t kind;
  bool screen, add, filled;
  bool sorted; // true if the item is sorted by `depth`
  float depth;
  int32_t layer;
  uint32_t view; // entity of the camera; 0: all views
  float colour[4];
  float x, y; // circle: centre; rect, sliced: top left corner; text: as in draw_text; image: the pivot
  // rect, sliced: size; circle: width is the radius; image: scale; text: width is the wrap width, 0: unlimited
  float width, height;
  float line_width; // outlines: line width; text: text size
  float angle;      // image: rotation; rect: corner radius
  int32_t align;    // text: alignment; sliced: number of the frame
  // polyline, polygon: index of the first of `count` points; text, image: offset in `strings`; solids: index of the
  // first of `count` corners; mesh: index of the mesh
  uint32_t first;
  uint32_t count; // number of points or corners; image: number of the frame, 0: the whole image
  uint32_t font;  // offset in `strings`; text: font name; mesh: image name
  uint32_t style; // text: index into `styles`
  uint32_t clip;  // one plus the index into `clips`; 0: not clipped
} draw_command_t;

typedef struct draw_clip_t {
  float x, y, width, height;
} draw_clip_t;

typedef struct solid_corner_t {
  float position[4], colour[4];
} solid_corner_t;

struct draw_o {
  allocator_t allocator;
  paint_o *paint;
  ARRAY(draw_command_t) commands;
  ARRAY(float) points;             // pairs of x and y
  ARRAY(solid_corner_t) solids;    // corners of triangles; colours as passed by the caller
  ARRAY(char) strings;             // '\0'-terminated strings; the first string is ""
  ARRAY(draw_text_style_t) styles; // text styles; the first style is all zeros
  ARRAY(draw_clip_t) clips;
  draw_command_t state;
  draw_clip_t visible_area;          // area from draw_set_visible_area
  float text_scale, max_scaled_text; // arguments of draw_set_text_scale; both 0: text keeps its size
};

static inline const char *draw_get_text(const draw_o *draw, uint32_t offset) {
  return &draw->strings.items[offset];
}

#endif
