// Shapes a paragraph, which is the text up to a line end in the source. Determines the directions of characters
// (FriBidi), their fonts and their glyphs (HarfBuzz), before lines are broken.
#ifndef SHOAL_TEXT_PARAGRAPH_H
#define SHOAL_TEXT_PARAGRAPH_H

#include "text/faces.h"
#include "text/markup.h"

#include <fribidi/fribidi.h>

#define PARAGRAPH_ICON 0xFFFEu // face value for an image, or for each end of a key cap

// A range of characters that are shaped together.
typedef struct run_t {
  uint32_t first, end;               // range of characters
  uint32_t shaped_first, shaped_end; // range of glyphs in `shaped`, from left to right
  uint32_t face, chain, span;        // face (FACE_NONE if the characters are drawn as boxes), font chain, and span
  float size;
  hb_script_t script;
  uint8_t level; // bidi level; odd levels are right to left
} run_t;

typedef struct shaped_t {
  double advance, x, y; // advance and offset of the glyph; y points up
  uint32_t glyph, cluster, face;
} shaped_t;

// Layout data of a character.
typedef struct cell_t {
  double advance;       // advance of the cluster that starts at this character; 0 if no cluster starts here
  bool starts_cluster;  // true if the character starts a cluster
  bool unsafe_to_break; // true if a line break before this character requires reshaping
} cell_t;

typedef struct paragraph_t {
  allocator_t *allocator;
  faces_o *faces;
  hb_buffer_t *buffer;
  const text_char_t *chars; // characters of the paragraph; borrowed, like `spans` and `chains`
  const text_span_t *spans;
  const uint32_t *chains;
  uint32_t count;
  bool left_to_right; // true if the base direction is left to right
  // Called for each character that no font contains.
  void (*report_missing_glyph)(void *context, uint32_t code, uint32_t chain);
  void *context;
  ARRAY(uint32_t) codes;
  ARRAY(FriBidiLevel) levels;
  ARRAY(FriBidiCharType) types;
  ARRAY(FriBidiBracketType) brackets;
  ARRAY(run_t) runs; // runs in logical order
  ARRAY(shaped_t) shaped;
  ARRAY(cell_t) cells;
} paragraph_t;

void paragraph_shape(paragraph_t *p, const text_char_t *chars, uint32_t count);
// Returns the glyphs of characters [first, end) of a run, from left to right, reshaped if necessary, and stores their
// number in `count`. The result is valid until the next call.
const shaped_t *paragraph_shape_piece(paragraph_t *p, const run_t *run, uint32_t first, uint32_t end, uint32_t *count);
void paragraph_free(paragraph_t *p);

#endif
