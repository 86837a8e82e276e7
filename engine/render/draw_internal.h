// The draw list as the renderer reads it: commands in order of calls, points and texts beside them.
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
  bool sorted; // by `depth`
  float depth;
  int32_t layer;
  uint32_t view; // entity of a camera; 0 for all of them
  float colour[4];
  float x, y;          // circle: centre; rect, text: top left; image: centre
  float width, height; // rect; circle: width is the radius; image: the scales; text: width is the wrap, 0 for none
  float line_width;    // outlines; text: the size
  float angle;         // image; rect: the radius of its corners
  int32_t align;       // text; sliced: the frame
  uint32_t first;      // polyline, polygon: the first of `count` points; text, image: where the text starts in `texts`;
                       // solids: the first of `count` corners; mesh: its number
  uint32_t count;      // image: the frame, 0 for all of it
  uint32_t font;       // text, mesh: where the font's name, or the image's, starts in `texts`
  uint32_t style;      // text: of `styles`
  uint32_t clip;       // of `clips`, from 1; 0: it is not cut
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
  ARRAY(solid_corner_t) solids;    // colours as they were given
  ARRAY(char) texts;               // each with its '\0'; the first is ""
  ARRAY(draw_text_style_t) styles; // the first is zeros
  ARRAY(draw_clip_t) clips;
  draw_command_t state;
};

static inline const char *draw_list_text(const draw_o *d, uint32_t offset) {
  return &d->texts.items[offset];
}

#endif
