#include "render/images.h"

#include "base/files.h"
#include "base/hash.h"
#include "render/jpeg_check.h"

#include <epoxy/gl.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIDE 8192
#define STB_IMAGE_IMPLEMENTATION
#define STBI_NO_STDIO
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_ONLY_BMP
#define STBI_ONLY_TGA
#define STBI_FAILURE_USERMSG
#define STBI_MAX_DIMENSIONS MAX_SIDE
#include <stb/stb_image.h>

#define CHECKER_SIZE 32

typedef struct named_image_t {
  uint64_t hash;
  char *name;
  image_t image;
} named_image_t;

struct images_o {
  allocator_t allocator;
  const assets_t *assets;
  log_o *log;
  bool textures;
  image_t checker;
  ARRAY(named_image_t) list;
};

// Into `texture`, or into a new one when that is 0.
static uint32_t upload(GLuint texture, const uint8_t *rgba, int width, int height, bool smooth) {
  if (!texture)
    glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
  glGenerateMipmap(GL_TEXTURE_2D);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, smooth ? GL_LINEAR_MIPMAP_LINEAR : GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, smooth ? GL_LINEAR : GL_NEAREST);
  return texture;
}

static image_t make_checker(void) {
  uint8_t rgba[CHECKER_SIZE * CHECKER_SIZE * 4];
  for (int y = 0; y < CHECKER_SIZE; y++) {
    for (int x = 0; x < CHECKER_SIZE; x++) {
      uint8_t *p = &rgba[(y * CHECKER_SIZE + x) * 4];
      bool on = ((x / 8) + (y / 8)) % 2 == 0;
      p[0] = p[2] = on ? 255 : 0;
      p[1] = 0;
      p[3] = 255;
    }
  }
  return (image_t){.texture = upload(0, rgba, CHECKER_SIZE, CHECKER_SIZE, false), CHECKER_SIZE, CHECKER_SIZE};
}

images_o *images_create(const assets_t *assets, bool textures, log_o *log) {
  images_o *i = calloc(1, sizeof *i);
  if (!i)
    abort();
  i->assets = assets;
  i->log = log;
  i->textures = textures;
  i->checker = textures ? make_checker() : (image_t){0, CHECKER_SIZE, CHECKER_SIZE};
  return i;
}

void images_forget(images_o *i) {
  for (uint32_t k = 0; k < i->list.count; k++) {
    named_image_t *n = &i->list.items[k];
    if (n->image.texture && n->image.texture != i->checker.texture)
      glDeleteTextures(1, &n->image.texture);
    free(n->name);
  }
  array_free(&i->allocator, &i->list);
}

void images_destroy(images_o *i) {
  if (!i)
    return;
  images_forget(i);
  if (i->checker.texture)
    glDeleteTextures(1, &i->checker.texture);
  free(i);
}

// Edges of straight colours would show a dark or light seam when filtered.
static void premultiply(uint8_t *rgba, size_t pixels) {
  for (size_t k = 0; k < pixels; k++)
    for (size_t c = 0; c < 3; c++)
      rgba[4 * k + c] = (uint8_t)((rgba[4 * k + c] * rgba[4 * k + 3] + 127) / 255);
}

// A decoder that reads past the end of its file gets zeros and may make a picture of them: this notices.
typedef struct reader_t {
  const char *bytes;
  size_t size_bytes, at;
  bool past_end;
} reader_t;

static int reader_read(void *context, char *out, int wanted) {
  reader_t *r = context;
  size_t left = r->size_bytes - r->at, count = (size_t)wanted < left ? (size_t)wanted : left;
  r->past_end |= left == 0;
  memcpy(out, r->bytes + r->at, count);
  r->at += count;
  return (int)count;
}

static void reader_skip(void *context, int count) {
  reader_t *r = context;
  bool fits = count >= 0 && (size_t)count <= r->size_bytes - r->at;
  r->past_end |= !fits;
  r->at = fits ? r->at + (size_t)count : r->size_bytes;
}

static int reader_is_at_end(void *context) {
  const reader_t *r = context;
  return r->at >= r->size_bytes;
}

typedef struct pixels_t {
  uint8_t *rgba; // premultiplied; free with stbi_image_free
  int width, height;
  bool whole; // the file did not end before its picture
} pixels_t;

// False with a sentence when the file is not there or holds no picture.
static bool read_pixels(images_o *i, const char *name, pixels_t *out, error_t *error) {
  char path[1280];
  size_t size_bytes = 0;
  if (!assets_find(i->assets, name, path, sizeof path))
    return error_set(error, "%s", path);
  char *bytes = file_read(&i->allocator, path, &size_bytes, error);
  if (!bytes)
    return false;
  const stbi_io_callbacks calls = {.read = reader_read, .skip = reader_skip, .eof = reader_is_at_end};
  reader_t reader = {.bytes = bytes, .size_bytes = size_bytes};
  if (!jpeg_check((const uint8_t *)bytes, size_bytes)) {
    file_free(&i->allocator, bytes, size_bytes);
    return error_set(error, "%s: no image: a JPEG with broken tables", path);
  }
  out->rgba = stbi_load_from_callbacks(&calls, &reader, &out->width, &out->height, NULL, 4);
  out->whole = !reader.past_end;
  file_free(&i->allocator, bytes, size_bytes);
  if (!out->rgba)
    return error_set(error, "%s: no image: %s", path,
                     size_bytes == 0 ? "the file is empty"
                     : !out->whole   ? "the file ends too early"
                                     : stbi_failure_reason());
  premultiply(out->rgba, (size_t)out->width * (size_t)out->height);
  return true;
}

static image_t load(images_o *i, const char *name) {
  char path[1280];
  error_t error;
  pixels_t pixels;
  if (!i->textures) {
    if (!assets_find(i->assets, name, path, sizeof path))
      log_warn(i->log, "render: %s", path);
    return i->checker;
  }
  if (!read_pixels(i, name, &pixels, &error)) {
    log_warn(i->log, "render: %s", error.text);
    return i->checker;
  }
  image_t image = {.width = pixels.width, .height = pixels.height};
  image.texture = upload(0, pixels.rgba, pixels.width, pixels.height, true);
  stbi_image_free(pixels.rgba);
  return image;
}

static named_image_t *find_named(images_o *i, const char *name) {
  uint64_t hash = hash_text(name);
  for (uint32_t k = 0; k < i->list.count; k++)
    if (i->list.items[k].hash == hash && strcmp(i->list.items[k].name, name) == 0)
      return &i->list.items[k];
  return NULL;
}

image_t images_find(images_o *i, const char *name) {
  named_image_t *known = find_named(i, name);
  if (known)
    return known->image;
  named_image_t added = {.hash = hash_text(name), .name = strdup(name)};
  if (!added.name)
    abort();
  added.image = load(i, name);
  array_push(&i->allocator, &i->list, added);
  return added.image;
}

asset_fate_t images_changed(images_o *i, const char *name, error_t *why) {
  named_image_t *known = find_named(i, name);
  pixels_t pixels;
  if (!known)
    return ASSET_UNUSED;
  if (!read_pixels(i, name, &pixels, why))
    return ASSET_KEPT;
  if (!pixels.whole) {
    stbi_image_free(pixels.rgba);
    error_set(why, "%s: no image: the file ends too early", name);
    return ASSET_KEPT;
  }
  if (i->textures) {
    bool stands_in = known->image.texture == i->checker.texture;
    uint32_t texture = upload(stands_in ? 0 : known->image.texture, pixels.rgba, pixels.width, pixels.height, true);
    known->image = (image_t){.texture = texture, .width = pixels.width, .height = pixels.height};
  }
  stbi_image_free(pixels.rgba);
  return ASSET_RELOADED;
}
