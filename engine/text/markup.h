// Text with tags in brackets, as BBCode writes them, into characters and spans.
//
// | tag                          | what is between                                                               |
// |------------------------------|-------------------------------------------------------------------------------|
// | [color=#ff8800] … [/color]   | has this colour; also #f80 and #ff8800aa, and `colour`                        |
// | [size=32] … [/size]          | is this large; [size=150%] of what stands around it                           |
// | [font=a.ttf, b.ttf] … [/font]| is set in these                                                               |
// | [icon=coin.png], [icon=items.png 3] | a picture as large as a letter, or a frame of its sheet                |
// | [key=Space], [pad=A]         | a keycap, or a button of a pad, with that on it                               |
// | [prompt=jump]                | what makes this action, as keycaps or buttons: what `prompts` say              |
// | [/]                          | closes the last tag, whichever it was                                         |
// | [[                           | a bracket                                                                     |
//
// What is no tag, or closes what is not open, is shown as it is. Tags that are open at the end are closed there.
#ifndef SHOAL_TEXT_MARKUP_H
#define SHOAL_TEXT_MARKUP_H

#include "base/array.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

#define MARKUP_MAX_DEPTH 32u
#define MARKUP_ICON 0xFFFCu // the character that stands for a picture, and for each end of a cap

// What a cap looks like. A shape is drawn in the place of words.
typedef enum text_cap_t { CAP_NONE, CAP_KEY, CAP_PAD } text_cap_t;
typedef enum text_shape_t { SHAPE_NONE, SHAPE_CROSS, SHAPE_RING, SHAPE_SQUARE, SHAPE_TRIANGLE } text_shape_t;

typedef struct text_span_t {
  float size;
  float colour[4]; // straight; alpha is multiplied with the text's
  bool coloured;   // else it has the text's colour
  // Bytes of the text, 0 long for none.
  uint32_t font_at, font_bytes, icon_at, icon_bytes;
  uint32_t frame; // of the icon's sheet, from 1; 0: all of the picture
  text_cap_t cap; // of both ends, whose colour is that of the cap, and of the words between
  text_shape_t shape;
  float wide; // of a MARKUP_ICON, of its size
} text_span_t;

// What [prompt=NAME] stands for: words, and caps as MARKUP_CAP_BEGIN, 'k' or 'p', what is on it, MARKUP_CAP_END.
#define MARKUP_CAP_BEGIN '\1'
#define MARKUP_CAP_END '\2'
typedef struct text_prompt_t {
  char name[64], shows[192];
} text_prompt_t;
typedef ARRAY(text_prompt_t) text_prompts_t;

typedef struct text_char_t {
  uint32_t code;
  uint32_t at; // byte of the text
  uint32_t span;
} text_char_t;

typedef struct markup_t {
  ARRAY(text_char_t) chars;
  ARRAY(text_span_t) spans;      // the first is `size` and nothing else
  const text_prompts_t *prompts; // borrowed; NULL: there are none
} markup_t;

// Fills both anew. `tags` false: there are none. False when something looked like a tag and is none: `why` says what of
// the first one.
bool markup_read(allocator_t *a, const char *text, uint32_t bytes, float size, bool tags, markup_t *out, error_t *why);
void markup_free(allocator_t *a, markup_t *m);

#endif
