// The draw list as read by the renderer: commands in call order, with their points and texts.
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
  bool sorted; // depth-sorted by `depth`
  float depth;
  int32_t layer;
  uint32_t view; // camera entity; 0: all views
  float colour[4];
  float x, y;          // circle: centre; rect, text: top left; image: position of its pivot
  float width, height; // rect; circle: width is the radius; image: scale; text: width is the wrap width, 0 for none
  float line_width;    // outlines; text: text size
  float angle;         // image; rect: corner radius
  int32_t align;       // text; sliced: frame number
  // polyline, polygon: first of `count` points; text, image: offset in `texts`; solids: first of `count` corners; mesh:
  // index
  uint32_t first;
  uint32_t count; // image: frame number, 0 for the whole image
  uint32_t font;  // offset in `texts`: text: font name; mesh: image name
  uint32_t style; // text: index in `styles`
  uint32_t clip;  // index in `clips` from 1; 0: not clipped
} draw_command_t;

typedef struct draw_clip_t {
  float x, y, width, height;
} draw_clip_t;

typedef struct solid_corner_t {
  float at[4], colour[4];
} solid_corner_t;

struct draw_o {
  allocator_t allocator;
  paint_o *paint;
  ARRAY(draw_command_t) commands;
  ARRAY(float) points;             // x, y pairs
  ARRAY(solid_corner_t) solids;    // colours as passed by the caller
  ARRAY(char) texts;               // '\0'-terminated; the first is ""
  ARRAY(draw_text_style_t) styles; // the first is all zeros
  ARRAY(draw_clip_t) clips;
  draw_command_t state;
};

static inline const char *draw_list_text(const draw_o *d, uint32_t offset) {
  return &d->texts.items[offset];
}

#endif
