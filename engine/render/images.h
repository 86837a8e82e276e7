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
image_t images_find(images_o *i, const char *name);
// Loads a file again that has changed, into the texture that it has; its size may be another. `why` is filled when the
// old one is kept. Without textures the file is decoded too, so that a broken one is said.
asset_fate_t images_changed(images_o *i, const char *name, error_t *why);

#endif
