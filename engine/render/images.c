#include "render/images.h"

#include "base/files.h"
#include "base/hash.h"

#include <epoxy/gl.h>
#include <stdlib.h>
#include <string.h>

#define STB_IMAGE_IMPLEMENTATION
#define STBI_NO_STDIO
#include <stb/stb_image.h>

#define CHECKER_SIZE 32
#define MAX_SIDE 8192

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

static uint32_t upload(const uint8_t *rgba, int width, int height, bool smooth) {
  GLuint texture;
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
  return (image_t){.texture = upload(rgba, CHECKER_SIZE, CHECKER_SIZE, false), CHECKER_SIZE, CHECKER_SIZE};
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

static image_t decode(images_o *i, const char *path, const char *bytes, size_t size_bytes) {
  int width, height;
  uint8_t *rgba = NULL;
  if (size_bytes < INT32_MAX)
    rgba = stbi_load_from_memory((const uint8_t *)bytes, (int)size_bytes, &width, &height, NULL, 4);
  if (!rgba || width > MAX_SIDE || height > MAX_SIDE) {
    const char *reason = rgba ? "more than 8192 pixels wide or high" : stbi_failure_reason();
    log_warn(i->log, "render: %s: no image: %s", path, reason);
    stbi_image_free(rgba);
    return i->checker;
  }
  premultiply(rgba, (size_t)width * (size_t)height);
  image_t image = {.texture = upload(rgba, width, height, true), .width = width, .height = height};
  stbi_image_free(rgba);
  return image;
}

static image_t load(images_o *i, const char *name) {
  char path[1280];
  error_t error;
  if (!assets_find(i->assets, name, path, sizeof path)) {
    log_warn(i->log, "render: %s", path);
    return i->checker;
  }
  if (!i->textures)
    return i->checker;
  size_t size_bytes = 0;
  char *bytes = file_read(&i->allocator, path, &size_bytes, &error);
  if (!bytes) {
    log_warn(i->log, "render: %s", error.text);
    return i->checker;
  }
  image_t image = decode(i, path, bytes, size_bytes);
  file_free(&i->allocator, bytes, size_bytes);
  return image;
}

image_t images_find(images_o *i, const char *name) {
  uint64_t hash = hash_text(name);
  for (uint32_t k = 0; k < i->list.count; k++)
    if (i->list.items[k].hash == hash && strcmp(i->list.items[k].name, name) == 0)
      return i->list.items[k].image;
  named_image_t added = {.hash = hash, .name = strdup(name)};
  if (!added.name)
    abort();
  added.image = load(i, name);
  array_push(&i->allocator, &i->list, added);
  return added.image;
}
