// Paragraphs into lines: where they end, the order of what runs from the right, and where every glyph stands.
#ifndef SHOAL_TEXT_LINE_LAYOUT_H
#define SHOAL_TEXT_LINE_LAYOUT_H

#include "text/layout.h"
#include "text/paragraph.h"

// A part of a run that lies in one line.
typedef struct piece_t {
  const run_t *run;
  uint32_t first, end;
} piece_t;

typedef struct lines_t {
  paragraph_t paragraph;
  markup_t markup;
  ARRAY(uint32_t) chains; // by span
  ARRAY(piece_t) pieces;
  // Of the text that is set:
  const text_style_t *style;
  text_layout_t *out;
  uint32_t first; // character with which the paragraph begins
  float y;
  float advance; // from the last line to the next
} lines_t;

// Sets l->markup into `out`, which is empty but for its spans.
void lines_set(lines_t *l, const text_style_t *style, uint32_t bytes, text_layout_t *out);
void lines_free(lines_t *l);

#endif
