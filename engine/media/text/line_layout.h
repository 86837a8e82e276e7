// Breaks paragraphs into lines, orders right-to-left text and positions glyphs.
#ifndef SHOAL_TEXT_LINE_LAYOUT_H
#define SHOAL_TEXT_LINE_LAYOUT_H

#include "text/layout.h"
#include "text/paragraph.h"

// The part of a run that belongs to one line.
typedef struct piece_t {
  const run_t *run;
  uint32_t first, end;
} piece_t;

typedef struct lines_t {
  paragraph_t paragraph;
  markup_t markup;
  ARRAY(uint32_t) chains;
  ARRAY(piece_t) pieces;
  // The layout in progress.
  const text_style_t *style;
  text_layout_t *out;
  uint32_t first; // index of the paragraph's first character
  float y;
  float advance; // distance from the most recently appended line to the next
} lines_t;

// Lays out l->markup into `out`, which must be empty except for its spans.
void lines_lay_out(lines_t *l, const text_style_t *style, uint32_t bytes, text_layout_t *out);
void lines_free(lines_t *l);
// Stores the size that the layout of a text has, computed from the advances of its pairs of characters. The text must
// not be empty or contain tags, and the alignment must be the default. Returns true on success, or false if the text
// must be laid out.
bool lines_measure_pairs(lines_t *l, const text_style_t *style, uint32_t chain, const char *text, size_t bytes,
                         float *width, float *height);

#endif
