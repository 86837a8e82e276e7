// Reads the head of an image file and judges it before a decoder sees the file: what it is, how large it is, and how
// much work it will be. A few kilobytes can stand for gigabytes, or for seconds.
#ifndef SHOAL_VET_IMAGE_HEAD_H
#define SHOAL_VET_IMAGE_HEAD_H

#include "base/error.h"
#include "platform/asset_format.h"

#define IMAGE_MOST_SIDE 8192u         // pixels
#define IMAGE_MOST_BYTES (128u << 20) // of its pixels, 4 bytes each: 8192 × 4096
#define IMAGE_MOST_SCANS 64u          // of a JPEG: each goes over the whole picture

typedef struct image_head_t {
  asset_format_t format;
  uint32_t width, height, scans; // scans: 1 but for a JPEG
} image_head_t;

// PNG, JPEG, BMP and TGA. False with words that follow "no image: ". A file that is too short for its head is refused,
// one that ends within its pixels is not.
bool image_head_read(const uint8_t *bytes, size_t size_bytes, image_head_t *out, error_t *why);

#endif
