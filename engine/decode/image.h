// Decodes PNG, JPEG, BMP and TGA with stb_image, which is not safe with malicious files: call image_decode in a decoder
// process (decode/decoder.h) unless the file is trusted. Pixels are premultiplied RGBA, followed by their mipmaps.
#ifndef SHOAL_DECODE_IMAGE_H
#define SHOAL_DECODE_IMAGE_H

#include "decode/decoder.h"

#define IMAGE_MAX_SIDE 8192u                              // pixels
#define IMAGE_MAX_BYTES (128u << 20)                      // of its pixels without mipmaps, 4 bytes each: 8192 × 4096
#define IMAGE_ROOM_BYTES (IMAGE_MAX_BYTES / 2 * 3 + 4096) // capacity that holds any image with its mipmaps

typedef struct image_pixels_t {
  uint32_t width, height;
  bool is_complete;    // false: the file ends within its pixels, and the rest are zeros
  const uint8_t *rgba; // image_levels_bytes of them
} image_pixels_t;

// Returns false with a message if the first bytes are not those of an image format. Decodes nothing.
bool image_is_known(const void *bytes, size_t size_bytes, error_t *why);

// A decode_t. Messages follow "cannot load image: ".
bool image_decode(decode_job_t *job);

// Reads what image_decode has left. Returns false if the bytes are not such a result. `out->rgba` points into `bytes`.
bool image_result(const uint8_t *bytes, size_t size_bytes, image_pixels_t *out);

// Half of a side, at least 1: the side of the next mipmap.
uint32_t image_half(uint32_t side);
// Bytes of an image and all its mipmaps, down to one pixel.
size_t image_levels_bytes(uint32_t width, uint32_t height);

#endif
