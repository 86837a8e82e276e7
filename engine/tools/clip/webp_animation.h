// Encodes an animated WebP file with libwebp's animation encoder. Encoding is deterministic and uses one thread.
#ifndef SHOAL_CLIP_WEBP_ANIMATION_H
#define SHOAL_CLIP_WEBP_ANIMATION_H

#include "base/error.h"

#include <stdint.h>

typedef struct webp_animation_o webp_animation_o;

typedef struct webp_animation_desc_t {
  int width, height; // size in pixels
  uint32_t fps;
  uint32_t quality; // quality, 0 to 100; ignored if lossless
  bool lossless;    // true if decoded frames must equal the added frames
} webp_animation_desc_t;

// Returns an encoder, or NULL with a message if libwebp cannot be initialized.
webp_animation_o *webp_animation_create(const webp_animation_desc_t *desc, error_info_t *error);
void webp_animation_destroy(webp_animation_o *w); // accepts NULL
// Adds a frame: width × height × 3 bytes, RGB, top row first. Returns true, or false with a message if encoding fails.
bool webp_animation_add(webp_animation_o *w, const uint8_t *rgb, error_info_t *error);
// Writes the file, which repeats endlessly. Returns true, or false with a message if encoding or writing fails.
bool webp_animation_write(webp_animation_o *w, const char *path, error_info_t *error);

#endif
