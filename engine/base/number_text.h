// The shortest text of a number. Every file and message that must read as the same number again has it from here.
#ifndef SHOAL_BASE_NUMBER_TEXT_H
#define SHOAL_BASE_NUMBER_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define NUMBER_TEXT_BYTES 40

// Writes the fewest digits that read as the same number again, as a 32-bit float if it `is_float`, and a '\0'. Also
// "-0.0", "nan", "inf" and "-inf". Returns the length.
size_t number_text(double v, bool is_float, char out[NUMBER_TEXT_BYTES]);

#endif
