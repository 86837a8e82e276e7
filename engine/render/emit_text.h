// Puts a text that is set into a frame's instances: its shadow, its outline, then its letters and icons.
#ifndef SHOAL_RENDER_EMIT_TEXT_H
#define SHOAL_RENDER_EMIT_TEXT_H

#include "render/emit.h"
#include "text/layout.h"

// What does not decide where glyphs are. Colours are straight, lengths in the text's units.
typedef struct text_look_t {
  float colour[4]; // spans may have their own
  bool add;
  float outline[4], outline_width;     // 0: none
  float shadow[4], shadow_x, shadow_y; // both 0: none
  int32_t shown;                       // so many characters, from the first on; below 0: all
} text_look_t;

// `text`: what the layout was made of.
void emit_text(frame_t *f, const affine_t *m, const text_layout_t *layout, const char *text, const text_look_t *look);

#endif
