// Passes frames with their time stamps to libwebp's animation encoder. In lossless animations, the encoder stores only
// the rectangles that change.
#include "clip/webp_animation.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/files.h"

#include <stdlib.h>
#include <webp/encode.h>
#include <webp/mux.h>

#define LOSSLESS_EFFORT 6 // effort of lossless encoding, 0 (fast) to 9

struct webp_animation_o {
  WebPAnimEncoder *encoder;
  WebPConfig config;
  int width, height;
  uint32_t fps;
  uint32_t count; // number of frames added
};

static bool init_config(WebPConfig *config, const webp_animation_desc_t *desc) {
  if (!WebPConfigPreset(config, WEBP_PRESET_DRAWING, (float)desc->quality))
    return false;
  return !desc->lossless || WebPConfigLosslessPreset(config, LOSSLESS_EFFORT);
}

webp_animation_o *webp_animation_create(const webp_animation_desc_t *desc, error_info_t *error) {
  shoal_assert(desc->fps > 0 && desc->width > 0 && desc->height > 0, "%d × %d pixels at %u frames a second",
               desc->width, desc->height, desc->fps);
  WebPAnimEncoderOptions options;
  webp_animation_o *w = alloc_object(sizeof *w);
  w->width = desc->width;
  w->height = desc->height;
  w->fps = desc->fps;
  if (WebPAnimEncoderOptionsInit(&options) && init_config(&w->config, desc)) {
    options.allow_mixed = !desc->lossless; // flat areas are smaller in lossless frames
    if (!desc->lossless)
      options.kmax = 1; // stores whole frames: moving objects would leave traces in frames stored as differences
    w->encoder = WebPAnimEncoderNew(desc->width, desc->height, &options);
  }
  if (w->encoder)
    return w;
  webp_animation_destroy(w);
  error_set(error, "cannot initialize the WebP encoder for %d × %d pixels", desc->width, desc->height);
  return NULL;
}

void webp_animation_destroy(webp_animation_o *w) {
  if (!w)
    return;
  WebPAnimEncoderDelete(w->encoder);
  free(w);
}

static int get_time_ms(const webp_animation_o *w, uint32_t frame) {
  return (int)((uint64_t)frame * 1000 / w->fps);
}

bool webp_animation_add(webp_animation_o *w, const uint8_t *rgb, error_info_t *error) {
  WebPPicture picture;
  if (!WebPPictureInit(&picture))
    return error_set(error, "the installed libwebp has an incompatible version");
  picture.width = w->width;
  picture.height = w->height;
  picture.use_argb = 1;
  bool ok = WebPPictureImportRGB(&picture, rgb, w->width * 3) &&
            WebPAnimEncoderAdd(w->encoder, &picture, get_time_ms(w, w->count), &w->config);
  WebPPictureFree(&picture);
  w->count += ok;
  return ok || error_set(error, "cannot encode frame %u: %s", w->count, WebPAnimEncoderGetError(w->encoder));
}

bool webp_animation_write(webp_animation_o *w, const char *path, error_info_t *error) {
  WebPData data;
  WebPDataInit(&data);
  bool ok = WebPAnimEncoderAdd(w->encoder, NULL, get_time_ms(w, w->count), NULL) &&
            WebPAnimEncoderAssemble(w->encoder, &data);
  ok = ok ? file_write(path, data.bytes, data.size, error)
          : error_set(error, "cannot encode %s: %s", path, WebPAnimEncoderGetError(w->encoder));
  WebPDataClear(&data);
  return ok;
}
