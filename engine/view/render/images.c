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

#include <epoxy/gl.h>
#include <stdlib.h>
#include <string.h>

#define CHECKER_SIZE 32
#define DECODE_MS 2000 // CPU time limit per image

typedef struct named_image_t {
  uint64_t hash;
  char *name;
  image_t image; // size 0 × 0 until it is decoded
  bool decoding;
} named_image_t;

struct images_o {
  allocator_t allocator;
  const assets_t *assets;
  log_o *log;
  bool textures;
  image_t checker;
  decoder_o *drawn; // decodes the images that a frame waits for
  decoder_o *ahead; // decodes images in the background
  ARRAY(named_image_t) list;
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
      uint8_t *p = &rgba[(y * CHECKER_SIZE + x) * 4];
      bool on = ((x / 8) + (y / 8)) % 2 == 0;
      p[0] = p[2] = on ? 255 : 0;
      p[1] = 0;
      p[3] = 255;
    }
  }
  return (image_t){.texture = upload_texture(0, rgba, CHECKER_SIZE, CHECKER_SIZE, false), CHECKER_SIZE, CHECKER_SIZE};
}

images_o *images_create(const assets_t *assets, bool textures, log_o *log) {
  images_o *i = alloc_object(sizeof *i);
  i->assets = assets;
  i->log = log;
  i->textures = textures;
  decoder_desc_t batch = {.decode = image_decode, .capacity_bytes = IMAGE_CAPACITY_BYTES, .limit_ms = DECODE_MS};
  i->ahead = decoder_create(&batch);
  i->drawn = decoder_create(&batch);
  i->checker = textures ? create_checker_image() : (image_t){.width = CHECKER_SIZE, .height = CHECKER_SIZE};
  return i;
}

void images_clear(images_o *i) {
  decoder_clear(i->drawn);
  decoder_clear(i->ahead);
  for (uint32_t k = 0; k < i->list.count; ++k) {
    named_image_t *n = &i->list.items[k];
    if (n->image.texture && n->image.texture != i->checker.texture)
      glDeleteTextures(1, &n->image.texture);
    alloc_free_text(&i->allocator, n->name);
  }
  array_free(&i->allocator, &i->list);
}

bool images_get(const images_o *i, uint32_t number, image_facts_t *out) {
  if (number >= i->list.count)
    return false;
  const named_image_t *n = &i->list.items[number];
  shoal_assert(n->name, "image %u has no name", number);
  *out = (image_facts_t){.name = n->name, .missing = n->image.texture && n->image.texture == i->checker.texture};
  if (!n->image.texture || out->missing)
    return true;
  out->width = n->image.width;
  out->height = n->image.height;
  out->bytes = image_levels_bytes((uint32_t)out->width, (uint32_t)out->height);
  return true;
}

void images_destroy(images_o *i) {
  if (!i)
    return;
  images_clear(i);
  decoder_destroy(i->drawn);
  decoder_destroy(i->ahead);
  if (i->checker.texture)
    glDeleteTextures(1, &i->checker.texture);
  shoal_assert(i->allocator.bytes == 0, "images leaked %zu bytes", i->allocator.bytes);
  free(i);
}

// Extracts the pixels of a result. Returns false with a message if it is not a valid image: a decoder process may
// return anything.
static bool extract_pixels(const decoder_result_t *result, const char *path, image_pixels_t *out, error_info_t *error) {
  if (result->rejected)
    return error_set(error, "%s: %s", path, result->error.text);
  if (!result->out)
    return error_set(error, "%s: cannot load image: %s", path, result->error.text);
  return image_read_result(result->out, result->out_bytes, out) ||
         error_set(error, "%s: cannot load image: the file is damaged", path);
}

// Logs the message unless the missing file has already been reported.
static void warn_missing(images_o *i, const char *name, const char *message) {
  char requester[160];
  if (!assets_has_reported(i->assets, name))
    log_warn(i->log, "render: %s%s", message, assets_format_requester(i->assets, name, requester, sizeof requester));
}

static named_image_t *find_by_name(images_o *i, const char *name) {
  uint64_t hash = hash_text(name);
  for (uint32_t k = 0; k < i->list.count; ++k)
    if (i->list.items[k].hash == hash && strcmp(i->list.items[k].name, name) == 0)
      return &i->list.items[k];
  return NULL;
}

// --- decoding

static void replace_texture(images_o *i, named_image_t *n, const image_pixels_t *pixels) {
  shoal_assert(i->textures, "%s: textures can be created only with a window", n->name);
  uint32_t texture = n->image.texture == i->checker.texture ? 0 : n->image.texture;
  n->image = (image_t){.width = (int32_t)pixels->width, .height = (int32_t)pixels->height};
  n->image.texture = upload_texture(texture, pixels->rgba, n->image.width, n->image.height, true);
}

// Reports unreadable files and wrong formats when headless, where images are not decoded.
static void check_file(images_o *i, const char *name, const char *path) {
  error_info_t error = {0}, why = {0};
  size_t size_bytes = 0;
  char *bytes = file_read(&i->allocator, path, &size_bytes, &error);
  if (bytes && !image_check_format(bytes, size_bytes, &why))
    error_set(&error, "%s: %s", path, why.text);
  if (bytes)
    file_free(&i->allocator, bytes, size_bytes);
  if (error.text[0])
    warn_missing(i, name, error.text);
}

// Adds a file to a decoder. The archive of a package has a checksum and ships with the program, so its files are
// trusted like the program itself and decoded in this process. Background decoding still uses a child process, because
// no frame waits for it.
static void add_file(images_o *i, decoder_o *batch, uint64_t id, const char *path) {
  decoder_add_file(batch, id, path, batch == i->drawn && archive_contains(path));
}

// Adds an entry. If its file exists, starts decoding it in `batch`; when headless, only checks the file. Returns the
// entry, which is valid until another one is added.
static named_image_t *add_image(images_o *i, const char *name, decoder_o *batch) {
  char path[1280];
  named_image_t added = {.hash = hash_text(name), .name = alloc_copy_text(&i->allocator, name), .image = i->checker};
  if (!assets_find(i->assets, name, path, sizeof path)) {
    warn_missing(i, name, path);
  } else if (i->textures) {
    added.image = (image_t){0};
    added.decoding = true;
    add_file(i, batch, i->list.count, path);
  } else {
    check_file(i, name, path);
  }
  array_push(&i->allocator, &i->list, added);
  return &i->list.items[i->list.count - 1];
}

// Uploads decoded pixels. If decoding failed, keeps the old texture, or uses the checkerboard if there is none. Returns
// the number of bytes uploaded.
static size_t apply_result(images_o *i, const decoder_result_t *result) {
  shoal_assert(result->id < i->list.count, "image %llu is out of range (count %u)", (unsigned long long)result->id,
               i->list.count);
  named_image_t *n = &i->list.items[result->id];
  if (!n->decoding) // the file was reloaded meanwhile
    return 0;
  error_info_t error = {0};
  char path[1280];
  image_pixels_t pixels;
  assets_find(i->assets, n->name, path, sizeof path);
  n->decoding = false;
  if (!extract_pixels(result, path, &pixels, &error)) {
    warn_missing(i, n->name, error.text);
    n->image = n->image.texture ? n->image : i->checker;
    return 0;
  }
  replace_texture(i, n, &pixels);
  return result->out_bytes;
}

void images_wait(images_o *i) {
  decoder_result_t result;
  while (decoder_next_result(i->drawn, true, &result))
    apply_result(i, &result);
}

bool images_has_pending(const images_o *i) {
  return decoder_pending_count(i->drawn) > 0;
}

void images_advance(images_o *i) {
  decoder_result_t result;
  for (size_t bytes = 0; bytes < IMAGES_FRAME_BYTES && decoder_next_result(i->ahead, false, &result);)
    bytes += apply_result(i, &result);
}

bool images_preload(images_o *i, const char *name) {
  named_image_t *named = find_by_name(i, name);
  return (named ? named : add_image(i, name, i->ahead))->decoding;
}

image_t images_find_or_add(images_o *i, const char *name) {
  shoal_assert(name, "name must not be NULL");
  named_image_t *named = find_by_name(i, name);
  return (named ? named : add_image(i, name, i->drawn))->image;
}

const uint8_t *images_read(images_o *i, const char *name, int *width, int *height, error_info_t *why) {
  decoder_result_t result;
  image_pixels_t pixels;
  char path[1280];
  if (!assets_find(i->assets, name, path, sizeof path)) {
    error_set(why, "%s", path);
    return NULL;
  }
  images_wait(i);
  decoder_clear(i->drawn);
  add_file(i, i->drawn, 0, path);
  decoder_next_result(i->drawn, true, &result);
  bool ok = extract_pixels(&result, path, &pixels, why);
  *width = ok ? (int)pixels.width : 0;
  *height = ok ? (int)pixels.height : 0;
  return ok ? pixels.rgba : NULL;
}

asset_fate_t images_asset_changed(images_o *i, const char *name, error_info_t *why) {
  named_image_t *named = find_by_name(i, name);
  decoder_result_t result;
  image_pixels_t pixels;
  char path[1280];
  if (!named)
    return ASSET_UNUSED;
  if (!assets_find(i->assets, name, path, sizeof path)) {
    error_set(why, "%s", path);
    return ASSET_KEPT;
  }
  images_wait(i);
  shoal_assert(!images_has_pending(i), "%u images are not decoded yet", decoder_pending_count(i->drawn));
  add_file(i, i->drawn, 0, path);
  decoder_next_result(i->drawn, true, &result);
  bool ok = extract_pixels(&result, path, &pixels, why), whole = ok && pixels.is_complete;
  if (ok && !whole)
    error_set(why, "%s: cannot load image: the file ends too early", name);
  if (whole && i->textures) {
    named->decoding = false;
    replace_texture(i, named, &pixels);
  }
  decoder_clear(i->drawn);
  return whole ? ASSET_RELOADED : ASSET_KEPT;
}
