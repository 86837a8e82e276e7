// Parses text with BBCode-like tags in brackets into characters and spans.
//
// | tag                          | effect                                                                        |
// |------------------------------|-------------------------------------------------------------------------------|
// | [color=#ff8800] … [/color]   | sets the colour; also #f80, #ff8800aa and `colour`                            |
// | [size=32] … [/size]          | sets the size; [size=150%] is relative to the surrounding size                |
// | [font=a.ttf, b.ttf] … [/font]| sets the fonts                                                                |
// | [icon=coin.png], [icon=items.png 3] | an image, or a frame of its sheet, with the height of a letter          |
// | [key=Space], [pad=A]         | a key cap or a gamepad button with this label                                 |
// | [prompt=jump]                | the keys or buttons bound to this action, from `prompts`                      |
// | [/]                          | closes the innermost tag                                                      |
// | [[                           | a literal bracket                                                             |
//
// Invalid tags are shown literally. Tags that are still open at the end are closed there.
#ifndef SHOAL_TEXT_MARKUP_H
#define SHOAL_TEXT_MARKUP_H

#include "base/array.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

#define MARKUP_MAX_DEPTH 32u
#define MARKUP_ICON 0xFFFCu // placeholder character for an image, or for each end of a key cap

// Appearance of a key cap: a key or a gamepad button. A cap with a shape shows the shape instead of its label.
typedef enum text_cap_t { CAP_NONE, CAP_KEY, CAP_PAD } text_cap_t;
typedef enum text_shape_t { SHAPE_NONE, SHAPE_CROSS, SHAPE_RING, SHAPE_SQUARE, SHAPE_TRIANGLE } text_shape_t;

typedef struct text_span_t {
  float size;
  float colour[4]; // straight alpha; alpha is multiplied by the alpha of the text
  bool coloured;   // true if the span has its own `colour`; false if it has the text's colour
  // Ranges of bytes in the text; length 0 if not set.
  uint32_t font_offset, font_bytes, icon_offset, icon_bytes;
  uint32_t frame; // frame of the icon's sheet, starting at 1; 0: the whole image
  text_cap_t cap; // kind of the key cap, in the spans of both cap ends (which have the cap's colour) and of the label
  text_shape_t shape;
  float icon_width; // width of a MARKUP_ICON, relative to the text size
} text_span_t;

// Replacement of [prompt=NAME]: text and key caps. A cap is encoded as MARKUP_CAP_BEGIN, 'k' or 'p', label,
// MARKUP_CAP_END.
#define MARKUP_CAP_BEGIN '\1'
#define MARKUP_CAP_END '\2'
typedef struct text_prompt_t {
  char name[64], text[192];
} text_prompt_t;
typedef ARRAY(text_prompt_t) text_prompts_t;

typedef struct text_char_t {
  uint32_t code;
  uint32_t offset; // byte offset in the text
  uint32_t span;
} text_char_t;

typedef struct markup_t {
  ARRAY(text_char_t) chars;
  ARRAY(text_span_t) spans;      // spans of the text; the first span has only `size` set
  const text_prompts_t *prompts; // replacements of [prompt=NAME]; borrowed; may be NULL
} markup_t;

// Parses the text and replaces the contents of `out`. With `tags` false, tags are literal text. Returns true if all
// tags are valid. Returns false if a tag is invalid. `error` describes the first invalid tag.
bool markup_parse(allocator_t *a, const char *text, uint32_t bytes, float size, bool tags, markup_t *out,
                  error_info_t *error);
void markup_free(allocator_t *a, markup_t *m);

#endif
