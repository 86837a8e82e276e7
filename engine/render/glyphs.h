// Glyph cache: glyphs rasterized by FreeType at their physical size into one atlas. Independent of OpenGL: the
// renderer uploads the atlas.
#ifndef SHOAL_RENDER_GLYPHS_H
#define SHOAL_RENDER_GLYPHS_H

#include "base/log.h"
#include "text/typesetter.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct glyphs_o glyphs_o;

// A rasterized glyph: its position in the atlas, and its top left corner relative to its origin on the baseline, y
// down. In physical pixels.
typedef struct glyph_t {
  int32_t atlas_x, atlas_y, width, height; // width 0: nothing to draw
  int32_t left, top;
} glyph_t;

// 8 bits of coverage per pixel. The renderer uploads rows [dirty_top, dirty_bottom) and resets them. `size` only
// grows.
typedef struct atlas_t {
  uint8_t *pixels;
  int32_t size; // width and height
  int32_t dirty_top, dirty_bottom;
} atlas_t;

#define GLYPHS_OUTLINE_STEPS 4.0f // outline widths are multiples of 1 / this many pixels
#define GLYPHS_OUTLINE_MAX 64.0f  // pixels

glyphs_o *glyphs_create(log_o *log);
void glyphs_destroy(glyphs_o *g);
// Sets the typesetter of this frame. A different one, or a change of its fonts, clears the atlas.
void glyphs_begin_frame(glyphs_o *g, const typesetter_o *type);

// Returns the size at which text of `pixels` physical pixels is rasterized: exact up to 32, then in steps, so that
// zooming does not fill the atlas; the caller scales the rest.
int32_t glyphs_raster_size(float pixels);
// Returns a glyph of a layout. `outline`: 0 for the glyph itself, otherwise the outline width in
// GLYPHS_OUTLINE_STEPS. Returns NULL if the atlas is full, which is logged once; it is cleared before the next frame.
const glyph_t *glyphs_find(glyphs_o *g, uint32_t face, uint32_t glyph, int32_t raster_size, uint32_t outline);
atlas_t *glyphs_atlas(glyphs_o *g);

#endif
