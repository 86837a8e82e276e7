// Short decimal text that parses back to the same number, for all files and messages.
#ifndef SHOAL_BASE_NUMBER_TEXT_H
#define SHOAL_BASE_NUMBER_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define NUMBER_TEXT_BYTES 40

// Writes a text that parses back to the same number (as a 32-bit float if `is_float`) and a '\0'. Uses more than 15
// digits (floats: 6) only if needed. Also writes "-0.0", "nan", "inf" and "-inf". Returns the length.
size_t number_to_text(double value, bool is_float, char out[NUMBER_TEXT_BYTES]);

#endif
