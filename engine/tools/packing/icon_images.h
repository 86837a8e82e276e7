// Images of an icon in the format of Windows programs: uncompressed images without a file header, for several sizes.
#ifndef SHOAL_PACKING_ICON_IMAGES_H
#define SHOAL_PACKING_ICON_IMAGES_H

#include "base/alloc.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ICON_MAX_IMAGES 7u

typedef struct icon_image_t {
  uint32_t side;  // width and height in pixels
  uint8_t *bytes; // header, pixels and mask; owned
  size_t size_bytes;
} icon_image_t;

typedef struct icon_images_t {
  icon_image_t images[ICON_MAX_IMAGES]; // images in ascending size
  uint32_t count;
} icon_images_t;

// Reads an image file and scales it to each size up to its own size, at least to 48 × 48 pixels. An image that is not
// square is centred on a transparent square. Returns true on success, or false with an error if the file cannot be
// decoded. Free the images with icon_images_fini.
bool icon_images_init(icon_images_t *icon, allocator_t *memory, const char *path, error_info_t *error);
void icon_images_fini(icon_images_t *icon, allocator_t *memory);

#endif
