// A text up to the end of its line as it was written: which way its characters run (FriBidi), which of its fonts has
// them, and their glyphs (HarfBuzz), before anybody knows where lines end.
#ifndef SHOAL_TEXT_PARAGRAPH_H
#define SHOAL_TEXT_PARAGRAPH_H

#include "text/faces.h"
#include "text/markup.h"

#include <fribidi/fribidi.h>

#define PARAGRAPH_ICON 0xFFFEu // the face of a picture

// Characters that are shaped together.
typedef struct run_t {
  uint32_t first, end;               // characters
  uint32_t shaped_first, shaped_end; // from left to right
  uint32_t face, chain, span;        // face: FACE_NONE for boxes
  float size;
  hb_script_t script;
  uint8_t level; // odd: from right to left
} run_t;

typedef struct shaped_t {
  double advance, x, y; // y: upwards
  uint32_t glyph, cluster, face;
} shaped_t;

// A character: what it takes, where a line may be cut before it.
typedef struct cell_t {
  double advance; // of its cluster, 0 for all but the first of it
  bool starts;    // a cluster
  bool unsafe;    // what is cut here has to be shaped anew
} cell_t;

typedef struct paragraph_t {
  allocator_t *allocator;
  faces_o *faces;
  hb_buffer_t *buffer;
  const text_char_t *chars; // borrowed, as are the next two
  const text_span_t *spans;
  const uint32_t *chains; // by span
  uint32_t count;
  bool rightwards;                                               // its first letter runs from the left
  void (*missing)(void *context, uint32_t code, uint32_t chain); // no font has it
  void *context;
  ARRAY(uint32_t) codes;
  ARRAY(FriBidiLevel) levels;
  ARRAY(FriBidiCharType) types;
  ARRAY(FriBidiBracketType) brackets;
  ARRAY(run_t) runs; // in the order of the text
  ARRAY(shaped_t) shaped;
  ARRAY(cell_t) cells;
} paragraph_t;

void paragraph_set(paragraph_t *p, const text_char_t *chars, uint32_t count);
// The glyphs of a part of a run, from left to right: those that it has, or ones that are shaped for it alone.
// `*count` of them, valid until the next call.
const shaped_t *paragraph_piece(paragraph_t *p, const run_t *run, uint32_t first, uint32_t end, uint32_t *count);
void paragraph_free(paragraph_t *p);

#endif
