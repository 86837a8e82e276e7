// Widths of ASCII text in fonts in which a glyph's advance depends only on the preceding and the following character.
// The widths then follow from the shapes of single characters and of pairs, which are cached, so a text that was never
// measured before needs no shaping. The results are bit-identical to the sums of shaped advances.
#ifndef SHOAL_TEXT_PAIR_WIDTHS_H
#define SHOAL_TEXT_PAIR_WIDTHS_H

#include "base/alloc.h"

#include <harfbuzz/hb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pair_widths_o pair_widths_o;

// Analyses a font, which is borrowed. Returns its widths, or NULL if its tables (GSUB, GPOS, kerx, …) contain rules for
// longer contexts that cannot be excluded for any ASCII text.
pair_widths_o *pair_widths_create(allocator_t *a, hb_font_t *font);
void pair_widths_destroy(allocator_t *a, pair_widths_o *widths); // accepts NULL
// Stores the sum of advances in front of each character and, at index `bytes`, the sum of all advances, in font units.
// The sums never decrease. Returns true on success, or false if the text must be shaped: it contains characters that
// are not printable ASCII, are missing from the font, are kerned by more than half of their advance, or may take part
// in a ligature. `buffer`: memory for shaping. `sums`: array of `bytes` + 1.
bool pair_widths_sum_advances(pair_widths_o *widths, hb_buffer_t *buffer, const char *text, size_t bytes,
                              int32_t *sums);
// Returns the change that a pair causes in the advance of its first or, with `of_second`, its second character.
// pair_widths_sum_advances must have accepted the pair.
int32_t pair_widths_get_kerning(const pair_widths_o *widths, char first, char second, bool of_second);

#endif
