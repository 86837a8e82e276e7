// Reads the tables of a font file and judges them before FreeType sees the file: each lies within the file, and no
// glyph is made of so many others, or of so many points, that drawing it takes seconds.
#ifndef SHOAL_TEXT_FONT_HEAD_H
#define SHOAL_TEXT_FONT_HEAD_H

#include "base/alloc.h"
#include "base/error.h"

#include <stddef.h>

#define FONT_MOST_BYTES (64u << 20)
#define FONT_MOST_PARTS 256u    // glyphs that a glyph is made of, all told
#define FONT_MOST_POINTS 10000u // of a glyph and its parts

// TTF and OTF. False with words that follow "not a font: ". The allocator is for the time of the call.
bool font_head_check(allocator_t *a, const uint8_t *bytes, size_t size_bytes, error_t *why);

#endif
