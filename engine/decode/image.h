// Decodes PNG, JPEG, BMP and TGA with stb_image, which is not safe with malicious files: run image_decode in a decoder
// process (decode/decoder.h) unless the file is trusted. Pixels are premultiplied RGBA, followed by their mipmaps.
#ifndef SHOAL_DECODE_IMAGE_H
#define SHOAL_DECODE_IMAGE_H

#include "decode/decoder.h"

#define IMAGE_MAX_SIDE 8192u         // pixels
#define IMAGE_MAX_BYTES (128u << 20) // of the pixels without mipmaps, 4 bytes each: 8192 × 4096
#define IMAGE_CAPACITY_BYTES (IMAGE_MAX_BYTES / 2 * 3 + 4096) // capacity that holds any image with its mipmaps

typedef struct image_pixels_t {
  uint32_t width, height;
  bool is_complete;    // false: the file is truncated, and the missing pixels are zero
  const uint8_t *rgba; // pixels of the image and its mipmaps: image_levels_bytes(width, height) bytes
} image_pixels_t;

// Returns false with a message if the file does not start like an image. Decodes nothing.
bool image_check_format(const void *bytes, size_t size_bytes, error_t *why);

// A decode_t. Messages follow "cannot load image: ".
bool image_decode(decode_job_t *job);

// Reads the result of image_decode. Returns false if it is malformed. `out->rgba` points into `bytes`.
bool image_result(const uint8_t *bytes, size_t size_bytes, image_pixels_t *out);

// Returns half of a side, at least 1: the size of the next mipmap.
uint32_t image_half(uint32_t side);
// Returns the bytes of an image and all of its mipmaps.
size_t image_levels_bytes(uint32_t width, uint32_t height);

#endif
