// Looks for what the JPEG decoder of stb_image 2.27 does not: Huffman tables that promise more symbols than there are.
// It would write them past the end of its own table.
#ifndef SHOAL_VET_JPEG_CHECK_H
#define SHOAL_VET_JPEG_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// True for files that are no JPEG, and for JPEGs that are broken in ways that the decoder sees.
bool jpeg_check(const uint8_t *bytes, size_t size_bytes);

#endif
