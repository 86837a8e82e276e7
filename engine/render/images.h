// Images by name as premultiplied textures with mipmaps. One that cannot be had is a magenta and black checker, and one
// log line.
#ifndef SHOAL_RENDER_IMAGES_H
#define SHOAL_RENDER_IMAGES_H

#include "base/error.h"
#include "base/log.h"
#include "platform/assets.h"
#include "render/frame.h"

typedef struct images_o images_o;

// `textures` false: files are looked for, and nothing is loaded (headless). Else a GL context is current in every call.
images_o *images_create(const assets_t *assets, bool textures, log_o *log);
void images_destroy(images_o *i);
void images_forget(images_o *i);
// One that is not known yet is 0 × 0 until it is decoded, and is not drawn: a frame that finds images_wanted calls
// images_settle and looks again, so that all that it needs is decoded by one copy of the process.
// The pixels of a file, for who is not the GPU: premultiplied, decoded apart while the caller waits, valid until the
// next call. NULL with a message.
const uint8_t *images_read(images_o *i, const char *name, int *width, int *height, error_t *why);
image_t images_find(images_o *i, const char *name);
bool images_wanted(const images_o *i);
void images_settle(images_o *i);
// Begins to decode a file that is not known yet; nothing waits for it. Is it under way?
bool images_preload(images_o *i, const char *name);
// Once a frame: takes what was decoded ahead, up to about IMAGES_FRAME_BYTES of pixels.
#define IMAGES_FRAME_BYTES (8u << 20)
void images_advance(images_o *i);
// Loads a file again that has changed, into the texture that it has; its size may be another. `why` is filled when the
// old one is kept. Without textures the file is decoded too, so that a broken one is said.
asset_fate_t images_changed(images_o *i, const char *name, error_t *why);
// What is known, for tools. False behind the last one.
typedef struct image_facts_t {
  const char *name;      // borrowed
  int32_t width, height; // 0: it is not there
  size_t bytes;          // on the GPU, with its mipmaps; 0: it is not there
  bool missing;          // the checker stands for it
} image_facts_t;
bool images_get(const images_o *i, uint32_t number, image_facts_t *out);

#endif
