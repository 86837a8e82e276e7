// Text styles and the layouts made from them: positions of glyphs, icons, lines and carets, in units of the text size.
#ifndef SHOAL_TEXT_LAYOUT_H
#define SHOAL_TEXT_LAYOUT_H

#include "base/array.h"
#include "text/markup.h"

#include <stdbool.h>
#include <stdint.h>

#define TEXT_MAX_BYTES (1u << 20) // maximum size of a string; the rest is ignored
#define TEXT_NO_FACE 0xFFFFu      // face of a glyph that no font contains; drawn as a box
#define TEXT_BOX_WIDTH 0.6f       // width of the box of TEXT_NO_FACE, including margins; relative to the text size
#define TEXT_BOX_HEIGHT 0.72f     // height of that box above the baseline, relative to the text size

typedef enum text_align_t { TEXT_LEFT, TEXT_CENTER, TEXT_RIGHT } text_align_t;
typedef enum text_valign_t { TEXT_TOP, TEXT_MIDDLE, TEXT_BOTTOM } text_valign_t;

// Style of a text: everything that affects glyph positions. For all members except `size`, zero means the default.
// Lengths are in the units of `size`.
typedef struct text_style_t {
  // Fonts in fallback order: "a.ttf, b.ttf". The engine's fonts follow them, or are used alone if this is NULL or ""
  const char *font;
  float size;           // text size; no text is laid out if this is 0 or less, or 1e6 or more
  float wrap;           // maximum line width; 0 or less: lines end only at '\n'
  float line_spacing;   // factor on the font's line height; 0 means 1
  text_align_t align;   // x = 0 is the left end, the centre or the right end of each line
  text_valign_t valign; // y = 0 is the top of the first line, the middle of the text, or the bottom of the last line
  bool markup;          // true if tags such as [color=#ff8800] are interpreted (markup.h)
  bool carets;          // true if carets, the positions between characters, are computed as well
} text_style_t;

typedef struct text_glyph_t {
  float x, y;          // origin of the glyph, on the baseline
  float size;          // text size of the glyph's span
  uint32_t glyph;      // glyph index in the face; the character code if there is no face
  uint16_t face, span; // face (TEXT_NO_FACE if no font contains the character), and index of the span in the layout
  uint32_t character;  // index of the first character that the glyph represents, not counting tags
} text_glyph_t;

typedef struct text_icon_t { // image or key cap
  float x, y, size;          // left and top edge of a square, and its side length
  float width; // total width of a key cap; 0 for an image; negative for a cap without a second end, which is not drawn
  uint16_t span;
  uint32_t character;
} text_icon_t;

typedef struct text_line_t {
  float x, y, width, height; // visible box, without trailing blanks
  float baseline;
  uint32_t first, end; // byte range of the text
} text_line_t;

typedef struct text_caret_t {
  uint32_t offset, line; // offset of the text that follows the caret, in bytes, and the caret's line
  float x; // position of text inserted at the caret: its left end, or its right end for right-to-left text
} text_caret_t;

typedef struct text_layout_t {
  ARRAY(text_glyph_t) glyphs; // glyphs line by line, from left to right; blanks are omitted
  ARRAY(text_icon_t) icons;
  ARRAY(text_span_t) spans; // spans of the markup; span 0 is the text outside all tags
  ARRAY(text_line_t) lines;
  ARRAY(text_caret_t) carets; // carets in text order; the last caret is at the end of the text
  float x, y, width, height;  // bounding box of the lines
  uint32_t characters;        // number of characters, not counting tags
} text_layout_t;

#endif
