// Fonts by name, text set into lines, and glyphs rasterised at their real pixel size into one atlas. Knows no OpenGL:
// the atlas is plain memory that the renderer uploads, so texts can be measured headless.
//
// Lines are set with the widths of a large reference size, so that they break at the same places in every window.
#ifndef SHOAL_RENDER_FONTS_H
#define SHOAL_RENDER_FONTS_H

#include "base/array.h"
#include "base/error.h"
#include "base/log.h"
#include "platform/assets.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct fonts_o fonts_o;

// One character of a text, in the units of the size it was set with; x, y: left end of its advance, top of its line.
typedef struct set_glyph_t {
  uint32_t codepoint;
  uint32_t face;
  float x, y;
} set_glyph_t;

typedef struct set_layout_t {
  ARRAY(set_glyph_t) glyphs; // blanks are left out
  float width, height;       // of the widest line; of all lines
} set_layout_t;

// A rasterised glyph: where it lies in the atlas, and its top left corner relative to (x, y) above. In real pixels.
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

// `assets` is borrowed. Never fails: without any font texts have no glyphs, and the log says so once.
fonts_o *fonts_create(const assets_t *assets, log_o *log);
void fonts_destroy(fonts_o *f);
void fonts_forget(fonts_o *f); // another game: fonts are looked up anew
void fonts_begin_frame(fonts_o *f);
// Opens a file again that has changed, under the face that it has; texts are rasterised anew. `why` is filled when the
// old one is kept. Between two frames only.
asset_fate_t fonts_changed(fonts_o *f, const char *name, error_t *why);

// `name`: an asset, "" for the engine's font. A missing one is logged once and stands for the engine's font.
uint32_t fonts_find(fonts_o *f, const char *name);

// Sets UTF-8 text into `out` (cleared first; kept by the caller, who frees it with fonts_free_layout). align 0: x = 0
// is the left end of each line, 1 its middle, 2 its right end. Lines end at '\n', and at blanks before they are wider
// than `wrap` (0: never); a word that is wider alone is broken. y = 0 is the top of the first line.
void fonts_layout(fonts_o *f, uint32_t face, const char *text, float size, int32_t align, float wrap,
                  set_layout_t *out);
void fonts_free_layout(fonts_o *f, set_layout_t *layout);

// The size at which a text of `pixels` real pixels is rasterised: the same up to 32, then in steps, so that a zoom does
// not fill the atlas; the caller scales the rest.
int32_t fonts_raster_size(float pixels);
// NULL when the atlas is full (logged once; it is emptied before the next frame).
const glyph_t *fonts_glyph(fonts_o *f, uint32_t face, uint32_t codepoint, int32_t raster_size);
atlas_t *fonts_atlas(fonts_o *f);

#endif
