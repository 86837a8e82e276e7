// Where a line may end: at blanks, behind hyphens between letters, and between the characters of Chinese, Japanese and
// Korean, but not before what closes or behind what opens.
#ifndef SHOAL_TEXT_LINE_BREAKS_H
#define SHOAL_TEXT_LINE_BREAKS_H

#include <stdbool.h>
#include <stdint.h>

bool break_is_blank(uint32_t code); // not seen at the end of a line
// Between two characters that follow one another. `before`: the one before `a`, 0 for none.
bool break_may_be_between(uint32_t before, uint32_t a, uint32_t b);

#endif
