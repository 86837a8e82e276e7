// Case folding, for comparisons that ignore case in all scripts that have upper case.
#ifndef SHOAL_BASE_CASE_FOLDING_H
#define SHOAL_BASE_CASE_FOLDING_H

#include <stdint.h>

// Returns the character that stands for all characters that differ from `c` only in case: usually the lower-case
// letter. Returns `c` if no other character differs from `c` only in case. One character never becomes two: "ß" and
// "ss" differ.
uint32_t case_fold(uint32_t c);

#endif
