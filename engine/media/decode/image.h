// Decodes PNG, JPEG, BMP and TGA with stb_image, WebP with libwebp, and .aseprite files, whose frames become one image
// (decode/aseprite.h). stb_image is not safe with malicious files, so run image_decode in a decoder process
// (decode/decoder.h) unless a file is trusted. Pixels are premultiplied RGBA, followed by their mipmaps.
#ifndef SHOAL_DECODE_IMAGE_H
#define SHOAL_DECODE_IMAGE_H

#include "decode/decoder.h"

#define IMAGE_MAX_SIDE 8192u         // maximum width and height in pixels
#define IMAGE_MAX_BYTES (128u << 20) // maximum size without mipmaps, at 4 bytes per pixel: 8192 × 4096 pixels
// Capacity that is sufficient for any image with its mipmaps, in bytes.
#define IMAGE_CAPACITY_BYTES (IMAGE_MAX_BYTES / 2 * 3 + 4096)

typedef struct image_pixels_t {
  uint32_t width, height;
  bool is_complete;    // true if the file is complete; the missing pixels of a truncated file are zero
  const uint8_t *rgba; // pixels of the image and its mipmaps: image_levels_bytes(width, height) bytes
} image_pixels_t;

// Checks the first bytes of a file, without decoding it. Returns true if they are the start of a PNG, JPEG, WebP, BMP,
// TGA or Aseprite image, otherwise false with a message.
bool image_check_format(const void *bytes, size_t size_bytes, error_info_t *error);

// Decodes an image, as a decode_t. Error messages start with "cannot load image: ".
bool image_decode(decode_job_t *job);
extern const decoder_type_t IMAGE_DECODER; // decodes files with image_decode

// Reads the result of image_decode. Returns true on success, or false if the result is malformed. `out->rgba` points
// into `bytes`.
bool image_read_result(const uint8_t *bytes, size_t size_bytes, image_pixels_t *out);

// Makes all opaque pixels of this colour transparent, and computes the mipmaps again.
void image_apply_colour_key(uint8_t *rgba, uint32_t width, uint32_t height, const uint8_t colour[3]);

// Returns half of a side, at least 1: the size of the next mipmap.
uint32_t image_half_size(uint32_t side);
// Returns the size of an image with all mipmaps, in bytes.
size_t image_levels_bytes(uint32_t width, uint32_t height);

#endif
