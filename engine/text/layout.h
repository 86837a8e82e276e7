// How a text is to be set, and what comes of it: glyphs, icons and lines with their places, in the units of the size.
#ifndef SHOAL_TEXT_LAYOUT_H
#define SHOAL_TEXT_LAYOUT_H

#include "base/array.h"
#include "text/markup.h"

#include <stdbool.h>
#include <stdint.h>

#define TEXT_MAX_BYTES (1u << 20) // of one text; the rest is left out
#define TEXT_NO_FACE 0xFFFFu      // of a glyph: no font has it, a box stands for it
#define TEXT_BOX_WIDTH 0.6f       // of that box with its margins, and
#define TEXT_BOX_HEIGHT 0.72f     // how far it rises above the baseline, of the size

typedef enum text_align_t { TEXT_LEFT, TEXT_CENTER, TEXT_RIGHT } text_align_t;
typedef enum text_valign_t { TEXT_TOP, TEXT_MIDDLE, TEXT_BOTTOM } text_valign_t;

// All that decides where glyphs are. Zeros are the defaults, except of `size`. Lengths are in the units of `size`.
typedef struct text_style_t {
  const char *font;   // "a.ttf, b.ttf": the first that has a character; NULL and "": the engine's, which ends them all
  float size;         // of the letters; up to 0: there is no text
  float wrap;         // lines are no wider than this; up to 0: they end at '\n' alone
  float line_spacing; // from line to line, of what the font says; 0 is 1
  text_align_t align; // x = 0 is the left end of each line, its middle or its right end
  text_valign_t valign; // y = 0 is the top of the first line, the middle of all, or the bottom of the last
  bool markup;          // [color=#ff8800] and so on are tags (markup.h); false: the text is shown as it is
  bool carets;          // the places between the characters are wanted
} text_style_t;

typedef struct text_glyph_t {
  float x, y;          // of the glyph's origin: on the baseline
  float size;          // of its span
  uint32_t glyph;      // of its face; a character when there is no face
  uint16_t face, span; // TEXT_NO_FACE; of the layout
  uint32_t character;  // of the text without its tags, from 0: the first that it stands for
} text_glyph_t;

typedef struct text_icon_t { // a picture that stands for a character
  float x, y, size;          // left and top of a square
  float width;               // of a cap from end to end; 0 of a picture; below 0: half of one, which is not drawn
  uint16_t span;
  uint32_t character;
} text_icon_t;

typedef struct text_line_t {
  float x, y, width, height; // left and top of what is seen: blanks at its end are not
  float baseline;
  uint32_t first, end; // bytes of the text
} text_line_t;

typedef struct text_caret_t {
  uint32_t at, line; // byte of the text before which it stands
  float x;           // where what is written there begins: its right end when it is written to the left
} text_caret_t;

typedef struct text_layout_t {
  ARRAY(text_glyph_t) glyphs; // line by line, from left to right; blanks are left out
  ARRAY(text_icon_t) icons;
  ARRAY(text_span_t) spans; // 0: what stands outside of all tags
  ARRAY(text_line_t) lines;
  ARRAY(text_caret_t) carets; // in the order of the text, the last one behind it
  float x, y, width, height;  // of all lines
  uint32_t characters;        // of the text without its tags
} text_layout_t;

#endif
