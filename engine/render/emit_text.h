// Emits a laid out text: shadow, outline, then glyphs and icons.
#ifndef SHOAL_RENDER_EMIT_TEXT_H
#define SHOAL_RENDER_EMIT_TEXT_H

#include "render/emit.h"
#include "text/layout.h"

// Attributes that do not affect the layout. Colours are not premultiplied; lengths are in the text's units.
typedef struct text_look_t {
  float colour[4]; // spans may override it
  bool add;
  float outline[4], outline_width;     // 0: none
  float shadow[4], shadow_x, shadow_y; // both 0: none
  int32_t shown;                       // number of visible characters; negative: all
} text_look_t;

// `text`: the source of the layout.
void emit_text(frame_t *f, const affine_t *m, const text_layout_t *layout, const char *text, const text_look_t *look);

#endif
