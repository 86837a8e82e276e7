// Emits laid-out text: its shadow, its outline, then its glyphs and icons.
#ifndef SHOAL_RENDER_EMIT_TEXT_H
#define SHOAL_RENDER_EMIT_TEXT_H

#include "render/emit.h"
#include "text/layout.h"

// Attributes that do not affect the layout. Colours are not premultiplied; lengths are in the units of the text.
typedef struct text_look_t {
  float colour[4]; // colour of the text; spans may override it
  bool is_additive;
  float outline[4], outline_width;     // outline_width 0: no outline
  float shadow[4], shadow_x, shadow_y; // colour and offsets of the shadow; no shadow if both offsets are 0
  int32_t shown_count;                 // number of visible characters; negative: all characters
} text_look_t;

// Emits laid-out text. `text` must be the string that was laid out.
void emit_text(frame_t *frame, const affine_t *transform, const text_layout_t *layout, const char *text,
               const text_look_t *look);

#endif
