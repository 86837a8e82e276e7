// Textures of decoded images. Mipmaps are computed together with the pixels, because a software driver would have to
// compile code to generate them. A changed file is uploaded into its existing texture.
#include "render/images.h"

#include "base/archive.h"
#include "base/array.h"
#include "base/assert.h"
#include "base/files.h"
#include "base/hash.h"
#include "decode/decoder.h"
#include "decode/image.h"
#include "tiles/map.h"

#include <epoxy/gl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECKER_SIZE 32
#define DECODE_MS 2000 // CPU time limit per image

typedef struct named_image_t {
  uint64_t hash;
  char *name;
  image_t image; // image; its size is 0 × 0 until it is decoded
  bool is_decoding;
} named_image_t;

struct images_o {
  allocator_t allocator;
  const assets_t *assets;
  log_o *log;
  bool textures;
  image_t checker;
  decoder_o *frame_decoder;      // decoder of the images that a frame waits for
  decoder_o *background_decoder; // decoder of images in the background
  ARRAY(named_image_t) entries;
};

// --- textures

static void upload_levels(const uint8_t *rgba, uint32_t width, uint32_t height) {
  for (GLint level = 0;; ++level) {
    glTexImage2D(GL_TEXTURE_2D, level, GL_RGBA8, (GLsizei)width, (GLsizei)height, 0, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    if (width == 1 && height == 1)
      return;
    rgba += (size_t)width * height * 4;
    width = image_half_size(width);
    height = image_half_size(height);
  }
}

// Uploads pixels into `texture`, or into a new texture if it is 0. Returns the texture, with mipmaps if `smooth` is
// true.
static uint32_t upload_texture(GLuint texture, const uint8_t *rgba, int width, int height, bool smooth) {
  shoal_assert(rgba, "rgba must not be NULL");
  shoal_assert(width > 0 && height > 0, "the image size must be positive, got %d × %d", width, height);
  if (!texture)
    glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  if (smooth)
    upload_levels(rgba, (uint32_t)width, (uint32_t)height);
  else
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, smooth ? GL_LINEAR_MIPMAP_LINEAR : GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, smooth ? GL_LINEAR : GL_NEAREST);
  return texture;
}

static image_t create_checker_image(void) {
  uint8_t rgba[CHECKER_SIZE * CHECKER_SIZE * 4];
  for (int y = 0; y < CHECKER_SIZE; ++y) {
    for (int x = 0; x < CHECKER_SIZE; ++x) {
      uint8_t *pixel = &rgba[(y * CHECKER_SIZE + x) * 4];
      bool is_magenta = ((x / 8) + (y / 8)) % 2 == 0;
      pixel[0] = pixel[2] = is_magenta ? 255 : 0;
      pixel[1] = 0;
      pixel[3] = 255;
    }
  }
  return (image_t){.texture = upload_texture(0, rgba, CHECKER_SIZE, CHECKER_SIZE, false), CHECKER_SIZE, CHECKER_SIZE};
}

images_o *images_create(const assets_t *assets, bool textures, log_o *log) {
  images_o *images = alloc_object(sizeof *images);
  images->assets = assets;
  images->log = log;
  images->textures = textures;
  decoder_desc_t desc = {.type = &IMAGE_DECODER, .capacity_bytes = IMAGE_CAPACITY_BYTES, .limit_ms = DECODE_MS};
  images->background_decoder = decoder_create(&desc);
  images->frame_decoder = decoder_create(&desc);
  images->checker = textures ? create_checker_image() : (image_t){.width = CHECKER_SIZE, .height = CHECKER_SIZE};
  return images;
}

void images_clear(images_o *images) {
  decoder_clear(images->frame_decoder);
  decoder_clear(images->background_decoder);
  for (uint32_t k = 0; k < images->entries.count; ++k) {
    named_image_t *entry = &images->entries.items[k];
    if (entry->image.texture && entry->image.texture != images->checker.texture)
      glDeleteTextures(1, &entry->image.texture);
    alloc_free_text(&images->allocator, entry->name);
  }
  array_free(&images->allocator, &images->entries);
}

bool images_get(const images_o *images, uint32_t number, image_info_t *out) {
  if (number >= images->entries.count)
    return false;
  const named_image_t *entry = &images->entries.items[number];
  shoal_assert(entry->name, "image %u has no name", number);
  *out = (image_info_t){.name = entry->name,
                        .missing = entry->image.texture && entry->image.texture == images->checker.texture};
  if (!entry->image.texture || out->missing)
    return true;
  out->width = entry->image.width;
  out->height = entry->image.height;
  out->bytes = image_levels_bytes((uint32_t)out->width, (uint32_t)out->height);
  return true;
}

void images_destroy(images_o *images) {
  if (!images)
    return;
  images_clear(images);
  decoder_destroy(images->frame_decoder);
  decoder_destroy(images->background_decoder);
  if (images->checker.texture)
    glDeleteTextures(1, &images->checker.texture);
  shoal_assert(images->allocator.bytes == 0, "images leaked %zu bytes", images->allocator.bytes);
  free(images);
}

// Extracts the pixels of a result. Returns true on success, or false with a message if the result is not a valid image:
// a decoder process may return anything.
static bool extract_pixels(const decoder_result_t *result, const char *path, image_pixels_t *out, error_info_t *error) {
  if (result->rejected)
    return error_set(error, "%s: %s", path, result->error.text);
  if (!result->out)
    return error_set(error, "%s: cannot load image: %s", path, result->error.text);
  return image_read_result(result->out, result->out_bytes, out) ||
         error_set(error, "%s: cannot load image: the file is damaged", path);
}

// Logs the message unless the missing file has already been reported.
static void warn_missing(images_o *images, const char *name, const char *message) {
  char requester[160];
  if (!assets_has_reported(images->assets, name))
    log_warn(images->log, "render: %s%s", message,
             assets_format_requester(images->assets, name, requester, sizeof requester));
}

static named_image_t *find_by_name(images_o *images, const char *name) {
  uint64_t hash = hash_text(name);
  for (uint32_t k = 0; k < images->entries.count; ++k)
    if (images->entries.items[k].hash == hash && strcmp(images->entries.items[k].name, name) == 0)
      return &images->entries.items[k];
  return NULL;
}

// Returns the start of the colour key in an image's name, or NULL if the name has no colour key.
static const char *find_colour_key(const char *name) {
  const char *key = strrchr(name, MAP_COLOUR_KEY);
  return key && strlen(key) == 7 && strspn(key + 1, "0123456789abcdefABCDEF") == 6 ? key : NULL;
}

// Returns the file of an image: its name without the colour key.
static const char *get_file_name(const char *name, char *out, size_t bytes) {
  const char *key = find_colour_key(name);
  snprintf(out, bytes, "%.*s", (int)(key ? (size_t)(key - name) : strlen(name)), name);
  return out;
}

static bool find_file(const images_o *images, const char *name, char *path, size_t bytes) {
  char file[1280];
  return assets_find(images->assets, get_file_name(name, file, sizeof file), path, bytes);
}

// --- decoding

// Returns a copy of the pixels without the transparent colour, or NULL if the image's name has no colour key.
static uint8_t *apply_colour_key(images_o *images, const char *name, const image_pixels_t *pixels) {
  const char *key = find_colour_key(name);
  if (!key)
    return NULL;
  unsigned long colour = strtoul(key + 1, NULL, 16);
  const uint8_t rgb[3] = {(uint8_t)(colour >> 16), (uint8_t)(colour >> 8), (uint8_t)colour};
  size_t bytes = image_levels_bytes(pixels->width, pixels->height);
  uint8_t *rgba = memcpy(alloc_resize(&images->allocator, NULL, 0, bytes), pixels->rgba, bytes);
  image_apply_colour_key(rgba, pixels->width, pixels->height, rgb);
  return rgba;
}

static void replace_texture(images_o *images, named_image_t *entry, const image_pixels_t *pixels) {
  shoal_assert(images->textures, "%s: textures can be created only with a window", entry->name);
  uint32_t texture = entry->image.texture == images->checker.texture ? 0 : entry->image.texture;
  entry->image = (image_t){.width = (int32_t)pixels->width, .height = (int32_t)pixels->height};
  uint8_t *keyed = apply_colour_key(images, entry->name, pixels);
  entry->image.texture =
      upload_texture(texture, keyed ? keyed : pixels->rgba, entry->image.width, entry->image.height, true);
  alloc_resize(&images->allocator, keyed, keyed ? image_levels_bytes(pixels->width, pixels->height) : 0, 0);
}

// Reports an unreadable file or a wrong format in headless runs, which do not decode images.
static void check_file(images_o *images, const char *name, const char *path) {
  error_info_t error = {0}, reason = {0};
  size_t size_bytes = 0;
  char *bytes = file_read(&images->allocator, path, &size_bytes, &error);
  if (bytes && !image_check_format(bytes, size_bytes, &reason))
    error_set(&error, "%s: %s", path, reason.text);
  if (bytes)
    file_free(&images->allocator, bytes, size_bytes);
  if (error.text[0])
    warn_missing(images, name, error.text);
}

// Adds a file to a decoder. The archive of a package has a checksum and ships with the program, so its files are
// trusted like the program itself and decoded in this process. Background decoding still uses a child process, because
// no frame waits for it.
static void add_file(images_o *images, decoder_o *decoder, uint64_t id, const char *path) {
  decoder_add_file(decoder, id, path, decoder == images->frame_decoder && archive_contains(path));
}

// Adds an entry. If its file exists, starts decoding it in `decoder`; when headless, only checks the file. Returns the
// entry, which is valid until an entry is added.
static named_image_t *add_image(images_o *images, const char *name, decoder_o *decoder) {
  char path[1280];
  named_image_t entry = {
      .hash = hash_text(name), .name = alloc_copy_text(&images->allocator, name), .image = images->checker};
  if (!find_file(images, name, path, sizeof path)) {
    warn_missing(images, name, path);
  } else if (images->textures) {
    entry.image = (image_t){0};
    entry.is_decoding = true;
    add_file(images, decoder, images->entries.count, path);
  } else {
    check_file(images, name, path);
  }
  array_push(&images->allocator, &images->entries, entry);
  return &images->entries.items[images->entries.count - 1];
}

// Uploads decoded pixels. If decoding failed, keeps the old texture, or uses the checkerboard if the image has no
// texture yet. Returns the number of bytes uploaded.
static size_t apply_result(images_o *images, const decoder_result_t *result) {
  shoal_assert(result->id < images->entries.count, "image %llu is out of range (count %u)",
               (unsigned long long)result->id, images->entries.count);
  named_image_t *entry = &images->entries.items[result->id];
  if (!entry->is_decoding) // the file was reloaded meanwhile
    return 0;
  error_info_t error = {0};
  char path[1280];
  image_pixels_t pixels;
  find_file(images, entry->name, path, sizeof path);
  entry->is_decoding = false;
  if (!extract_pixels(result, path, &pixels, &error)) {
    warn_missing(images, entry->name, error.text);
    entry->image = entry->image.texture ? entry->image : images->checker;
    return 0;
  }
  replace_texture(images, entry, &pixels);
  return result->out_bytes;
}

void images_wait(images_o *images) {
  decoder_result_t result;
  while (decoder_next_result(images->frame_decoder, true, &result))
    apply_result(images, &result);
}

bool images_has_pending(const images_o *images) {
  return decoder_pending_count(images->frame_decoder) > 0;
}

void images_advance(images_o *images, bool wait) {
  decoder_result_t result;
  for (size_t bytes = 0;
       (wait || bytes < IMAGES_FRAME_BYTES) && decoder_next_result(images->background_decoder, wait, &result);)
    bytes += apply_result(images, &result);
}

bool images_preload(images_o *images, const char *name) {
  named_image_t *entry = find_by_name(images, name);
  return (entry ? entry : add_image(images, name, images->background_decoder))->is_decoding;
}

image_t images_find_or_add(images_o *images, const char *name) {
  shoal_assert(name, "name must not be NULL");
  named_image_t *entry = find_by_name(images, name);
  return (entry ? entry : add_image(images, name, images->frame_decoder))->image;
}

const uint8_t *images_read(images_o *images, const char *name, int *width, int *height, error_info_t *error) {
  decoder_result_t result;
  image_pixels_t pixels;
  char path[1280];
  if (!assets_find(images->assets, name, path, sizeof path)) {
    error_set(error, "%s", path);
    return NULL;
  }
  images_wait(images);
  decoder_clear(images->frame_decoder);
  add_file(images, images->frame_decoder, 0, path);
  decoder_next_result(images->frame_decoder, true, &result);
  bool ok = extract_pixels(&result, path, &pixels, error);
  *width = ok ? (int)pixels.width : 0;
  *height = ok ? (int)pixels.height : 0;
  return ok ? pixels.rgba : NULL;
}

static bool uses_file(const named_image_t *entry, const char *name) {
  char file[1280];
  return strcmp(get_file_name(entry->name, file, sizeof file), name) == 0;
}

// Replaces the textures of all images that use the file.
static void replace_textures(images_o *images, const char *name, const image_pixels_t *pixels) {
  for (uint32_t k = 0; k < images->entries.count; ++k) {
    named_image_t *entry = &images->entries.items[k];
    if (!uses_file(entry, name))
      continue;
    entry->is_decoding = false;
    replace_texture(images, entry, pixels);
  }
}

asset_fate_t images_asset_changed(images_o *images, const char *name, error_info_t *error) {
  decoder_result_t result;
  image_pixels_t pixels;
  char path[1280];
  bool is_used = false;
  for (uint32_t k = 0; k < images->entries.count && !is_used; ++k)
    is_used = uses_file(&images->entries.items[k], name);
  if (!is_used)
    return ASSET_UNUSED;
  if (!assets_find(images->assets, name, path, sizeof path)) {
    error_set(error, "%s", path);
    return ASSET_KEPT;
  }
  images_wait(images);
  shoal_assert(!images_has_pending(images), "%u images are not decoded yet",
               decoder_pending_count(images->frame_decoder));
  add_file(images, images->frame_decoder, 0, path);
  decoder_next_result(images->frame_decoder, true, &result);
  bool ok = extract_pixels(&result, path, &pixels, error), is_complete = ok && pixels.is_complete;
  if (ok && !is_complete)
    error_set(error, "%s: cannot load image: unexpected end of file", name);
  if (is_complete && images->textures)
    replace_textures(images, name, &pixels);
  decoder_clear(images->frame_decoder);
  return is_complete ? ASSET_RELOADED : ASSET_KEPT;
}
