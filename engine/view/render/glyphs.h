// Glyph cache: FreeType rasterizes glyphs at their physical size into an atlas. Independent of OpenGL; the renderer
// uploads the atlas.
#ifndef SHOAL_RENDER_GLYPHS_H
#define SHOAL_RENDER_GLYPHS_H

#include "base/log.h"
#include "text/typesetter.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct glyphs_o glyphs_o;

// A rasterized glyph, in physical pixels: its position in the atlas, and its top left corner relative to its origin on
// the baseline, with y pointing down.
typedef struct glyph_t {
  int32_t atlas_x, atlas_y, width, height; // rectangle in the atlas; width 0: nothing to draw
  int32_t left, top;
} glyph_t;

// Coverage of the glyphs, 8 bits per pixel. The renderer uploads the rows [dirty_top, dirty_bottom) and resets the
// range. `size` only grows.
typedef struct atlas_t {
  uint8_t *pixels;
  int32_t size; // width and height in pixels
  int32_t dirty_top, dirty_bottom;
} atlas_t;

#define GLYPHS_OUTLINE_STEPS 4.0f // steps of the outline width per pixel
#define GLYPHS_OUTLINE_MAX 64.0f  // maximum outline width in pixels

glyphs_o *glyphs_create(log_o *log);
void glyphs_destroy(glyphs_o *glyphs);
// Sets the typesetter for this frame. Clears the atlas if it was full, or if the typesetter or its fonts have changed.
void glyphs_begin_frame(glyphs_o *glyphs, const typesetter_o *type);

// Returns the size at which text of `pixels` physical pixels is rasterized: an integer from 4 to 256. Sizes above 32
// are rounded to larger steps, so that zooming does not fill the atlas. The caller scales the glyphs to the exact size.
int32_t glyphs_choose_raster_size(float pixels);
// Returns a glyph of a layout. `outline`: 0 for the glyph itself, otherwise the outline width in steps of 1 /
// GLYPHS_OUTLINE_STEPS pixel. The result is valid until the next call. Returns NULL if the atlas is full, which is
// logged once; the atlas is then cleared before the next frame.
const glyph_t *glyphs_find_or_rasterize(glyphs_o *glyphs, uint32_t face, uint32_t glyph, int32_t raster_size,
                                        uint32_t outline);
// Returns the atlas, borrowed.
atlas_t *glyphs_get_atlas(glyphs_o *glyphs);

#endif
