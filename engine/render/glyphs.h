// Glyphs rasterised by FreeType at their real pixel size into one atlas. Knows no OpenGL: the atlas is plain memory
// that the renderer uploads.
#ifndef SHOAL_RENDER_GLYPHS_H
#define SHOAL_RENDER_GLYPHS_H

#include "base/log.h"
#include "text/typesetter.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct glyphs_o glyphs_o;

// A rasterised glyph: where it lies in the atlas, and its top left corner from its origin on the baseline, y down. In
// real pixels.
typedef struct glyph_t {
  int32_t atlas_x, atlas_y, width, height; // width 0: nothing to see
  int32_t left, top;
} glyph_t;

// 8 bits of coverage per pixel. The renderer uploads the rows [dirty_top, dirty_bottom) and resets them; `size` grows.
typedef struct atlas_t {
  uint8_t *pixels;
  int32_t size; // width and height
  int32_t dirty_top, dirty_bottom;
} atlas_t;

#define GLYPHS_OUTLINE_STEPS 4.0f // widths of outlines in this part of a pixel
#define GLYPHS_OUTLINE_MAX 64.0f  // pixels

glyphs_o *glyphs_create(log_o *log);
void glyphs_destroy(glyphs_o *g);
// The typesetter of this frame's texts. Another one, or other fonts of it, empty the atlas.
void glyphs_begin_frame(glyphs_o *g, const typesetter_o *type);

// The size at which a text of `pixels` real pixels is rasterised: the same up to 32, then in steps, so that a zoom does
// not fill the atlas; the caller scales the rest.
int32_t glyphs_raster_size(float pixels);
// A glyph of a layout of that typesetter. `outline`: 0 for the glyph itself, else the glyph grown by so many steps.
// NULL when the atlas is full (logged once; it is emptied before the next frame).
const glyph_t *glyphs_find(glyphs_o *g, uint32_t face, uint32_t glyph, int32_t raster_size, uint32_t outline);
atlas_t *glyphs_atlas(glyphs_o *g);

#endif
