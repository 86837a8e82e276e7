// Images by name, as textures with premultiplied alpha and mipmaps. A name may end with MAP_COLOUR_KEY and a colour
// that is transparent: "t.png|ff00ff". An image that cannot be loaded is logged once and shown as a magenta and black
// checkerboard.
#ifndef SHOAL_RENDER_IMAGES_H
#define SHOAL_RENDER_IMAGES_H

#include "base/error.h"
#include "base/log.h"
#include "platform/assets.h"
#include "render/frame.h"

typedef struct images_o images_o;

// Creates the cache. If `textures` is false (headless), files are only checked. Otherwise a GL context must be current
// during every call.
images_o *images_create(const assets_t *assets, bool textures, log_o *log);
void images_destroy(images_o *images);
// Frees all images and cancels decoding.
void images_clear(images_o *images);
// Returns the premultiplied pixels of a file for use on the CPU, and waits until they are decoded. The result is valid
// until the next image is decoded. Returns NULL with an error if the file is missing or cannot be decoded.
const uint8_t *images_read(images_o *images, const char *name, int *width, int *height, error_info_t *error);
// Returns an image. Until the image is decoded, the size is 0 × 0 and the image is not drawn. If images_has_pending
// returns true for a frame, the caller must call images_wait and collect the frame again, so that a single decoder
// process handles all images that the frame needs.
image_t images_find_or_add(images_o *images, const char *name);
// Returns true if a frame needs images that are not decoded yet.
bool images_has_pending(const images_o *images);
// Waits until the images that the frame needs are decoded, and uploads them.
void images_wait(images_o *images);
// Starts decoding an image in the background. Returns true while the image is being decoded.
bool images_preload(images_o *images, const char *name);
#define IMAGES_FRAME_BYTES (8u << 20)
// Call once per frame: uploads images decoded in the background, at most about IMAGES_FRAME_BYTES of pixels. `wait`:
// waits until all images are decoded, and uploads all of them.
void images_advance(images_o *images, bool wait);
// Reloads a changed file into its existing texture; the size may change. Returns ASSET_RELOADED on success,
// ASSET_UNUSED if no image uses the file, or ASSET_KEPT with the reason in `error` if the old version is kept. Decodes
// the file even without textures, so that errors are reported.
asset_fate_t images_asset_changed(images_o *images, const char *name, error_info_t *error);
// Information about loaded images, for tools.
typedef struct image_info_t {
  const char *name;      // name of the image; borrowed
  int32_t width, height; // size in pixels; 0 if the image is not loaded
  size_t bytes;          // GPU memory including mipmaps; 0 if not loaded
  bool missing;          // true if the checkerboard replaces the image
} image_info_t;
// Stores information about an image. Returns true on success, or false after the last image.
bool images_get(const images_o *images, uint32_t number, image_info_t *out);

#endif
