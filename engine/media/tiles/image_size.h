// Reads the size of an image from the first bytes of its file, without decoding it. Safe for untrusted bytes.
#ifndef SHOAL_TILES_IMAGE_SIZE_H
#define SHOAL_TILES_IMAGE_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Reads the size of a PNG, BMP or JPEG image from its header. Returns true on success, or false if the header is not
// recognized, is truncated, or contains an invalid size.
bool image_size_read(const uint8_t *bytes, size_t count, int32_t *width, int32_t *height);

#endif
