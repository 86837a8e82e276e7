// stb_image, in a copy of the process: decoded once, premultiplied, uploaded with mipmaps; a changed file takes the
// place of the old texture.
#include "render/images.h"

#include "base/apart.h"
#include "base/assert.h"
#include "base/files.h"
#include "base/hash.h"
#include "render/image_head.h"

#include <epoxy/gl.h>
#include <stdlib.h>
#include <string.h>

#ifndef __clang_analyzer__ // which would look into it
#define STB_IMAGE_IMPLEMENTATION
#endif
#define STBI_NO_STDIO
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_ONLY_BMP
#define STBI_ONLY_TGA
#define STBI_FAILURE_USERMSG
#define STBI_MAX_DIMENSIONS 8192 // IMAGE_MOST_SIDE
#include <stb/stb_image.h>

#define CHECKER_SIZE 32
#define DECODE_MS 2000 // of processor time, for one image

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
  shoal_assert(rgba && width > 0 && height > 0, "a picture of %d × %d", width, height);
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
  for (int y = 0; y < CHECKER_SIZE; ++y) {
    for (int x = 0; x < CHECKER_SIZE; ++x) {
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
  for (uint32_t k = 0; k < i->list.count; ++k) {
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
  shoal_assert(rgba, "%zu pixels are nowhere", pixels);
  for (size_t k = 0; k < pixels; ++k)
    for (size_t c = 0; c < 3; ++c)
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

// In a copy of the process. What it leaves are the pixels, and a byte that says whether the file held all of them.
static bool decode(apart_work_t *work) {
  const stbi_io_callbacks calls = {.read = reader_read, .skip = reader_skip, .eof = reader_is_at_end};
  reader_t reader = {.bytes = work->in, .size_bytes = work->in_bytes};
  int width = 0, height = 0;
  uint8_t *rgba = stbi_load_from_callbacks(&calls, &reader, &width, &height, NULL, 4);
  size_t bytes = (size_t)width * (size_t)height * 4;
  if (!rgba || bytes + 1 != work->out_bytes) {
    work->reason = reader.past_end ? "the file ends too early" : rgba ? "its size changes" : stbi_failure_reason();
    return false;
  }
  premultiply(rgba, bytes / 4);
  memcpy(work->out, rgba, bytes);
  work->out[bytes] = !reader.past_end;
  return true;
}

typedef struct pixels_t {
  apart_t apart;       // keeps them; free with apart_free
  const uint8_t *rgba; // premultiplied
  int width, height;
  bool whole; // the file did not end before its picture
} pixels_t;

// False with what follows "no image: ". What cannot be used leaves nothing behind.
static bool decode_apart(const char *bytes, size_t size_bytes, const image_head_t *head, pixels_t *out, error_t *why) {
  size_t count = (size_t)head->width * head->height * 4, left = 0;
  const apart_desc_t desc = {
      .work = decode, .in = bytes, .in_bytes = size_bytes, .out_bytes = count + 1, .limit_ms = DECODE_MS};
  *out = (pixels_t){.width = (int)head->width, .height = (int)head->height};
  if (!apart_begin(&out->apart, &desc, why))
    return false;
  out->rgba = apart_end(&out->apart, &left, why);
  out->whole = out->rgba && out->rgba[count];
  if (!out->rgba)
    apart_free(&out->apart);
  return out->rgba != NULL;
}

// Its head, and its pixels unless `out` is NULL. False with a sentence when the file is not there or holds no picture.
static bool read_image(images_o *i, const char *name, pixels_t *out, error_t *error) {
  char path[1280];
  error_t why = {0};
  image_head_t head;
  size_t size_bytes = 0;
  if (!assets_find(i->assets, name, path, sizeof path))
    return error_set(error, "%s", path);
  char *bytes = file_read(&i->allocator, path, &size_bytes, error);
  if (!bytes)
    return false;
  bool good = image_head_read((const uint8_t *)bytes, size_bytes, &head, &why) &&
              (!out || decode_apart(bytes, size_bytes, &head, out, &why));
  file_free(&i->allocator, bytes, size_bytes);
  return good || error_set(error, "%s: no image: %s", path, why.text);
}

// Unless whoever asked for it has been told.
static void say_unseen(images_o *i, const char *name, const char *words) {
  char who[160];
  if (!assets_is_told(i->assets, name))
    log_warn(i->log, "render: %s%s", words, assets_who_asked(i->assets, name, who, sizeof who));
}

static image_t load(images_o *i, const char *name) {
  error_t error = {0};
  pixels_t pixels = {0};
  if (!i->textures) {
    if (!read_image(i, name, NULL, &error))
      say_unseen(i, name, error.text);
    return i->checker;
  }
  if (!read_image(i, name, &pixels, &error)) {
    say_unseen(i, name, error.text);
    return i->checker;
  }
  image_t image = {.width = pixels.width, .height = pixels.height};
  image.texture = upload(0, pixels.rgba, pixels.width, pixels.height, true);
  apart_free(&pixels.apart);
  return image;
}

static named_image_t *find_named(images_o *i, const char *name) {
  uint64_t hash = hash_text(name);
  for (uint32_t k = 0; k < i->list.count; ++k)
    if (i->list.items[k].hash == hash && strcmp(i->list.items[k].name, name) == 0)
      return &i->list.items[k];
  return NULL;
}

image_t images_find(images_o *i, const char *name) {
  shoal_assert(name, "an image without a name");
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
  pixels_t pixels = {0};
  if (!known)
    return ASSET_UNUSED;
  if (!read_image(i, name, &pixels, why))
    return ASSET_KEPT;
  if (!pixels.whole) {
    apart_free(&pixels.apart);
    error_set(why, "%s: no image: the file ends too early", name);
    return ASSET_KEPT;
  }
  if (i->textures) {
    bool stands_in = known->image.texture == i->checker.texture;
    uint32_t texture = upload(stands_in ? 0 : known->image.texture, pixels.rgba, pixels.width, pixels.height, true);
    known->image = (image_t){.texture = texture, .width = pixels.width, .height = pixels.height};
  }
  apart_free(&pixels.apart);
  return ASSET_RELOADED;
}
