// Line break opportunities: at blanks, after hyphens between letters, after dashes (U+2010, U+2014), and next to
// Chinese, Japanese and Korean characters, but not before closing or after opening punctuation.
#ifndef SHOAL_TEXT_LINE_BREAKS_H
#define SHOAL_TEXT_LINE_BREAKS_H

#include <stdbool.h>
#include <stdint.h>

bool break_is_blank(uint32_t code); // returns true if the character is a blank, which is dropped at the end of a line
// Returns true if a line may break between the consecutive characters `a` and `b`. `previous`: the character before
// `a`; 0 if `a` is the first character.
bool break_is_allowed(uint32_t previous, uint32_t a, uint32_t b);

#endif
