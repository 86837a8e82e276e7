// stb_image, in a copy of the process that decodes many files in a row: premultiplied, and with mipmaps, which a driver
// that draws with the processor would compile code for; a changed file takes the place of the old texture.
#include "render/images.h"

#include "base/apart_batch.h"
#include "base/archive.h"
#include "base/assert.h"
#include "base/files.h"
#include "base/hash.h"
#include "vet/image_head.h"

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
#define DECODE_MS 2000                               // of processor time, for one image
#define ROOM_BYTES (IMAGE_MOST_BYTES / 2 * 3 + 4096) // for the pixels that one copy leaves

typedef struct named_image_t {
  uint64_t hash;
  char *name;
  image_t image; // 0 × 0 while it is decoded for the first time
  bool decoded;  // it is under way
} named_image_t;

struct images_o {
  allocator_t allocator;
  const assets_t *assets;
  log_o *log;
  bool textures;
  image_t checker;
  apart_batch_o *drawn; // what a frame draws and waits for
  apart_batch_o *ahead; // what is asked for ahead
  ARRAY(named_image_t) list;
};

// --- mipmaps: each level behind the one that it is half of, down to one pixel

static uint32_t half(uint32_t extent) {
  return extent > 1 ? extent / 2 : 1;
}

static size_t levels_bytes(uint32_t width, uint32_t height) {
  size_t pixels = (size_t)width * height;
  while (width > 1 || height > 1) {
    width = half(width);
    height = half(height);
    pixels += (size_t)width * height;
  }
  return pixels * 4;
}

// The mean of four pixels each; of an odd side the last ones are left out.
static void shrink(const uint8_t *from, uint32_t width, uint32_t height, uint8_t *to) {
  uint32_t right = width > 1 ? 4 : 0, columns = half(width), rows = half(height);
  size_t below = height > 1 ? (size_t)width * 4 : 0;
  for (uint32_t y = 0; y < rows; ++y) {
    const uint8_t *p = from + 2 * y * (size_t)width * 4;
    for (uint32_t x = 0; x < columns; ++x, p += 8, to += 4)
      for (uint32_t c = 0; c < 4; ++c)
        to[c] = (uint8_t)((p[c] + p[c + right] + p[c + below] + p[c + below + right] + 2) / 4);
  }
}

static void make_levels(uint8_t *rgba, uint32_t width, uint32_t height) {
  while (width > 1 || height > 1) {
    uint8_t *next = rgba + (size_t)width * height * 4;
    shrink(rgba, width, height, next);
    rgba = next;
    width = half(width);
    height = half(height);
  }
}

// --- textures

static void upload_levels(const uint8_t *rgba, uint32_t width, uint32_t height) {
  for (GLint level = 0;; ++level) {
    glTexImage2D(GL_TEXTURE_2D, level, GL_RGBA8, (GLsizei)width, (GLsizei)height, 0, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    if (width == 1 && height == 1)
      return;
    rgba += (size_t)width * height * 4;
    width = half(width);
    height = half(height);
  }
}

// Into `texture`, or into a new one when that is 0. `smooth`: with its levels.
static uint32_t upload(GLuint texture, const uint8_t *rgba, int width, int height, bool smooth) {
  shoal_assert(rgba && width > 0 && height > 0, "a picture of %d × %d", width, height);
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

static bool decode(apart_work_t *work);

// What lies in a package's archive, which has a checksum, was put there by whoever put the program beside it. What is
// decoded ahead goes to a copy all the same: no frame waits for it.
static bool is_packed(const void *path, size_t bytes) {
  (void)bytes;
  return archive_holds(path);
}

images_o *images_create(const assets_t *assets, bool textures, log_o *log) {
  images_o *i = calloc(1, sizeof *i);
  if (!i)
    abort();
  i->assets = assets;
  i->log = log;
  i->textures = textures;
  apart_batch_desc_t batch = {.work = decode, .room_bytes = ROOM_BYTES, .limit_ms = DECODE_MS};
  i->ahead = apart_batch_create(&batch);
  batch.is_trusted = is_packed;
  i->drawn = apart_batch_create(&batch);
  i->checker = textures ? make_checker() : (image_t){.width = CHECKER_SIZE, .height = CHECKER_SIZE};
  return i;
}

void images_forget(images_o *i) {
  apart_batch_clear(i->drawn);
  apart_batch_clear(i->ahead);
  for (uint32_t k = 0; k < i->list.count; ++k) {
    named_image_t *n = &i->list.items[k];
    if (n->image.texture && n->image.texture != i->checker.texture)
      glDeleteTextures(1, &n->image.texture);
    free(n->name);
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
  out->bytes = levels_bytes((uint32_t)out->width, (uint32_t)out->height);
  return true;
}

void images_destroy(images_o *i) {
  if (!i)
    return;
  images_forget(i);
  apart_batch_destroy(i->drawn);
  apart_batch_destroy(i->ahead);
  if (i->checker.texture)
    glDeleteTextures(1, &i->checker.texture);
  shoal_assert(i->allocator.bytes == 0, "images kept %zu bytes", i->allocator.bytes);
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

// What the copy leaves: this, and the pixels, premultiplied, and their mipmaps.
typedef struct picture_t {
  uint32_t width, height;
  uint32_t whole; // the file did not end before its picture
} picture_t;

static bool decode_pixels(apart_work_t *work, reader_t *reader, const image_head_t *head) {
  const stbi_io_callbacks calls = {.read = reader_read, .skip = reader_skip, .eof = reader_is_at_end};
  int width = 0, height = 0;
  uint8_t *rgba = stbi_load_from_callbacks(&calls, reader, &width, &height, NULL, 4);
  size_t bytes = (size_t)width * (size_t)height * 4;
  if (!rgba || (uint32_t)width != head->width || (uint32_t)height != head->height)
    return error_set(work->why, "no image: %s",
                     reader->past_end ? "the file ends too early"
                     : rgba           ? "its size changes"
                                      : stbi_failure_reason());
  premultiply(rgba, bytes / 4);
  picture_t picture = {.width = head->width, .height = head->height, .whole = !reader->past_end};
  memcpy(work->out, &picture, sizeof picture);
  memcpy(work->out + sizeof picture, rgba, bytes);
  make_levels(work->out + sizeof picture, head->width, head->height);
  work->out_bytes = sizeof picture + levels_bytes(head->width, head->height);
  stbi_image_free(rgba);
  return true;
}

static bool decode_bytes(apart_work_t *work, const char *bytes, size_t size_bytes) {
  image_head_t head;
  error_t why = {0};
  reader_t reader = {.bytes = bytes, .size_bytes = size_bytes};
  if (!image_head_read((const uint8_t *)bytes, size_bytes, &head, &why))
    return error_set(work->why, "no image: %s", why.text);
  work->wants_room = sizeof(picture_t) + levels_bytes(head.width, head.height) > work->out_bytes;
  return !work->wants_room && decode_pixels(work, &reader, &head);
}

// In a copy of the process, which is given a path. The words begin behind it, as file_read's do.
static bool decode(apart_work_t *work) {
  allocator_t memory = {0};
  error_t why = {0};
  const char *path = work->in;
  size_t size_bytes = 0;
  char *bytes = file_read(&memory, path, &size_bytes, &why);
  if (!bytes) {
    bool named = strncmp(why.text, path, work->in_bytes) == 0 && strncmp(why.text + work->in_bytes, ": ", 2) == 0;
    return error_set(work->why, "%s", named ? why.text + work->in_bytes + 2 : why.text);
  }
  bool good = decode_bytes(work, bytes, size_bytes);
  file_free(&memory, bytes, size_bytes);
  return good;
}

// NULL with a sentence when the piece holds no picture: what a copy leaves may be anything.
static const uint8_t *pixels_of(const apart_piece_t *piece, const char *path, picture_t *out, error_t *error) {
  if (piece->refused)
    error_set(error, "%s: %s", path, piece->why.text);
  else if (!piece->out)
    error_set(error, "%s: no image: %s", path, piece->why.text);
  if (!piece->out)
    return NULL;
  memcpy(out, piece->out, piece->out_bytes < sizeof *out ? 0 : sizeof *out);
  bool fits = piece->out_bytes >= sizeof *out && out->width > 0 && out->height > 0 && out->width <= IMAGE_MOST_SIDE &&
              out->height <= IMAGE_MOST_SIDE && piece->out_bytes == sizeof *out + levels_bytes(out->width, out->height);
  if (!fits)
    error_set(error, "%s: no image: it is broken", path);
  return fits ? piece->out + sizeof *out : NULL;
}

// Unless whoever asked for it has been told.
static void say_unseen(images_o *i, const char *name, const char *words) {
  char who[160];
  if (!assets_is_told(i->assets, name))
    log_warn(i->log, "render: %s%s", words, assets_who_asked(i->assets, name, who, sizeof who));
}

static named_image_t *find_named(images_o *i, const char *name) {
  uint64_t hash = hash_text(name);
  for (uint32_t k = 0; k < i->list.count; ++k)
    if (i->list.items[k].hash == hash && strcmp(i->list.items[k].name, name) == 0)
      return &i->list.items[k];
  return NULL;
}

// ------------------------------------------------------------------------------------------------------------ decoding

static void replace(images_o *i, named_image_t *n, const uint8_t *pixels, const picture_t *picture) {
  shoal_assert(i->textures, "%s gets a texture without a window", n->name);
  uint32_t texture = n->image.texture == i->checker.texture ? 0 : n->image.texture;
  n->image = (image_t){.width = (int32_t)picture->width, .height = (int32_t)picture->height};
  n->image.texture = upload(texture, pixels, n->image.width, n->image.height, true);
}

// Without a window: is it there, and is its head one of an image?
static void look_at(images_o *i, const char *name, const char *path) {
  error_t error = {0}, why = {0};
  image_head_t head;
  size_t size_bytes = 0;
  char *bytes = file_read(&i->allocator, path, &size_bytes, &error);
  if (bytes && !image_head_read((const uint8_t *)bytes, size_bytes, &head, &why))
    error_set(&error, "%s: no image: %s", path, why.text);
  if (bytes)
    file_free(&i->allocator, bytes, size_bytes);
  if (error.text[0])
    say_unseen(i, name, error.text);
}

// In `batch`, if its file is there.
static named_image_t *add_named(images_o *i, const char *name, apart_batch_o *batch) {
  char path[1280];
  named_image_t added = {.hash = hash_text(name), .name = strdup(name), .image = i->checker};
  if (!added.name)
    abort();
  if (!assets_find(i->assets, name, path, sizeof path)) {
    say_unseen(i, name, path);
  } else if (i->textures) {
    added.image = (image_t){0};
    added.decoded = true;
    apart_batch_add(batch, i->list.count, path, strlen(path));
  } else {
    look_at(i, name, path);
  }
  array_push(&i->allocator, &i->list, added);
  return &i->list.items[i->list.count - 1];
}

// Puts the pixels where the image was; one that cannot be had leaves what is there, or the checker.
static size_t take_piece(images_o *i, const apart_piece_t *piece) {
  shoal_assert(piece->id < i->list.count, "image %llu of %u", (unsigned long long)piece->id, i->list.count);
  named_image_t *n = &i->list.items[piece->id];
  if (!n->decoded) // its file has changed meanwhile, and was loaded
    return 0;
  error_t error = {0};
  char path[1280];
  picture_t picture;
  assets_find(i->assets, n->name, path, sizeof path);
  const uint8_t *pixels = pixels_of(piece, path, &picture, &error);
  n->decoded = false;
  if (!pixels) {
    say_unseen(i, n->name, error.text);
    n->image = n->image.texture ? n->image : i->checker;
    return 0;
  }
  replace(i, n, pixels, &picture);
  return piece->out_bytes;
}

void images_settle(images_o *i) {
  apart_piece_t piece;
  while (apart_batch_next(i->drawn, true, &piece))
    take_piece(i, &piece);
}

bool images_wanted(const images_o *i) {
  return apart_batch_left(i->drawn) > 0;
}

void images_advance(images_o *i) {
  apart_piece_t piece;
  for (size_t bytes = 0; bytes < IMAGES_FRAME_BYTES && apart_batch_next(i->ahead, false, &piece);)
    bytes += take_piece(i, &piece);
}

bool images_preload(images_o *i, const char *name) {
  named_image_t *known = find_named(i, name);
  return (known ? known : add_named(i, name, i->ahead))->decoded;
}

image_t images_find(images_o *i, const char *name) {
  shoal_assert(name, "an image without a name");
  named_image_t *known = find_named(i, name);
  return (known ? known : add_named(i, name, i->drawn))->image;
}

const uint8_t *images_read(images_o *i, const char *name, int *width, int *height, error_t *why) {
  apart_piece_t piece;
  picture_t picture;
  char path[1280];
  if (!assets_find(i->assets, name, path, sizeof path)) {
    error_set(why, "%s", path);
    return NULL;
  }
  images_settle(i);
  apart_batch_clear(i->drawn);
  apart_batch_add(i->drawn, 0, path, strlen(path));
  apart_batch_next(i->drawn, true, &piece);
  const uint8_t *pixels = pixels_of(&piece, path, &picture, why);
  shoal_assert(!pixels || picture.width > 0, "%s has no width", name);
  *width = pixels ? (int)picture.width : 0;
  *height = pixels ? (int)picture.height : 0;
  return pixels;
}

asset_fate_t images_changed(images_o *i, const char *name, error_t *why) {
  named_image_t *known = find_named(i, name);
  apart_piece_t piece;
  picture_t picture;
  char path[1280];
  if (!known)
    return ASSET_UNUSED;
  if (!assets_find(i->assets, name, path, sizeof path)) {
    error_set(why, "%s", path);
    return ASSET_KEPT;
  }
  images_settle(i);
  shoal_assert(!images_wanted(i), "%u images are still to be decoded", apart_batch_left(i->drawn));
  apart_batch_add(i->drawn, 0, path, strlen(path));
  apart_batch_next(i->drawn, true, &piece);
  const uint8_t *pixels = pixels_of(&piece, path, &picture, why);
  bool whole = pixels && picture.whole;
  if (pixels && !whole)
    error_set(why, "%s: no image: the file ends too early", name);
  if (whole && i->textures) {
    known->decoded = false;
    replace(i, known, pixels, &picture);
  }
  apart_batch_clear(i->drawn);
  return whole ? ASSET_RELOADED : ASSET_KEPT;
}
