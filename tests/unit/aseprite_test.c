// Aseprite files: decode/aseprite.h, sheet_read_aseprite, and their reload as sheets. The files are written here, field
// by field.
#include "components_fixture.h"

#include "base/file_system.h"
#include "animation/sheet.h"
#include "animation/sheets.h"
#include "base/files.h"
#include "decode/decoder.h"
#include "decode/image.h"

#include <stdio.h>
#include <unistd.h>
#include <zlib.h>

typedef struct writer_t {
  uint8_t bytes[4096];
  size_t size, frame, chunk; // offsets of the current frame and chunk
} writer_t;

static void put(writer_t *w, uint32_t number, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    w->bytes[w->size++] = (uint8_t)(i < 4 ? number >> (8 * i) : 0);
}

static void put_at(writer_t *w, size_t offset, uint32_t number, size_t bytes) {
  size_t size = w->size;
  w->size = offset;
  put(w, number, bytes);
  w->size = size;
}

static void put_string(writer_t *w, const char *text) {
  put(w, (uint32_t)strlen(text), 2);
  memcpy(w->bytes + w->size, text, strlen(text));
  w->size += strlen(text);
}

static writer_t begin_file(uint32_t frames, uint32_t width, uint32_t height, uint32_t depth) {
  writer_t w = {.size = 4};
  put(&w, 0xA5E0, 2);
  put(&w, frames, 2);
  put(&w, width, 2);
  put(&w, height, 2);
  put(&w, depth, 2);
  put(&w, 3, 4); // layers and groups have an opacity
  w.size = 128;  // the transparent index is 0
  return w;
}

static void begin_frame(writer_t *w, uint32_t milliseconds) {
  w->frame = w->size;
  put(w, 0, 4);
  put(w, 0xF1FA, 2);
  put(w, 0xFFFF, 2);
  put(w, milliseconds, 2);
  put(w, 0, 6);
}

static void begin_chunk(writer_t *w, uint32_t kind) {
  w->chunk = w->size;
  put(w, 0, 4);
  put(w, kind, 2);
}

// Stores the sizes of the chunk, its frame and the file.
static void end_chunk(writer_t *w) {
  uint32_t count = w->bytes[w->frame + 12];
  put_at(w, w->chunk, (uint32_t)(w->size - w->chunk), 4);
  put_at(w, w->frame, (uint32_t)(w->size - w->frame), 4);
  put_at(w, w->frame + 12, count + 1, 4);
  put_at(w, 0, (uint32_t)w->size, 4);
}

static void add_layer(writer_t *w, uint32_t flags, uint32_t kind, uint32_t level, uint32_t mode, uint32_t opacity,
                      const char *name) {
  begin_chunk(w, 0x2004);
  put(w, flags, 2);
  put(w, kind, 2);
  put(w, level, 2);
  put(w, 0, 4);
  put(w, mode, 2);
  put(w, opacity, 1);
  put(w, 0, 3);
  put_string(w, name);
  end_chunk(w);
}

enum { RAW, LINKED, COMPRESSED };

static void begin_cel(writer_t *w, uint32_t layer, int x, int y, uint32_t opacity, uint32_t kind, int z) {
  begin_chunk(w, 0x2005);
  put(w, layer, 2);
  put(w, (uint32_t)x, 2);
  put(w, (uint32_t)y, 2);
  put(w, opacity, 1);
  put(w, kind, 2);
  put(w, (uint32_t)z, 2);
  put(w, 0, 5);
}

// Adds a cel that is filled with one pixel.
static void add_cel(writer_t *w, uint32_t layer, int x, int y, uint32_t side, const char *pixel, uint32_t pixel_bytes,
                    uint32_t kind, int z) {
  uint8_t pixels[1024];
  for (uint32_t i = 0; i < side * side * pixel_bytes; ++i)
    pixels[i] = (uint8_t)pixel[i % pixel_bytes];
  begin_cel(w, layer, x, y, 255, kind, z);
  put(w, side, 2);
  put(w, side, 2);
  uLongf size = sizeof w->bytes - w->size;
  if (kind == COMPRESSED)
    assert_int_equal(compress(w->bytes + w->size, &size, pixels, side * side * pixel_bytes), Z_OK);
  else
    memcpy(w->bytes + w->size, pixels, size = side * side * pixel_bytes);
  w->size += size;
  end_chunk(w);
}

static void add_link(writer_t *w, uint32_t layer, uint32_t frame) {
  begin_cel(w, layer, 0, 0, 255, LINKED, 0);
  put(w, frame, 2);
  end_chunk(w);
}

static void add_tag(writer_t *w, uint32_t first_frame, uint32_t last_frame, uint32_t direction, uint32_t repeat,
                    const char *name) {
  begin_chunk(w, 0x2018);
  put(w, 1, 2);
  put(w, 0, 8);
  put(w, first_frame, 2);
  put(w, last_frame, 2);
  put(w, direction, 1);
  put(w, repeat, 2);
  put(w, 0, 10);
  put_string(w, name);
  end_chunk(w);
}

#define VISIBLE 1
#define RED "\xFF\0\0\xFF"
#define GREEN "\0\xFF\0\xFF"
#define BLUE "\0\0\xFF\xFF"

// Decodes the file as a game does, in a decoder process.
static decoder_o *decode(const writer_t *w, image_pixels_t *pixels, char *message, size_t message_bytes) {
  decoder_o *d = decoder_create(&(decoder_desc_t){.type = &IMAGE_DECODER, .capacity_bytes = 1 << 20, .limit_ms = 2000});
  decoder_result_t result;
  decoder_add_file_bytes(d, 0, w->bytes, w->size, false);
  assert_true(decoder_next_result(d, true, &result));
  snprintf(message, message_bytes, "%s", result.error.text);
  if (!result.out || !image_read_result(result.out, result.out_bytes, pixels))
    *pixels = (image_pixels_t){.width = 0};
  return d;
}

static void assert_pixels(const writer_t *w, uint32_t width, uint32_t height, const uint32_t *expected_rgba) {
  image_pixels_t pixels;
  char message[sizeof((error_info_t *)0)->text];
  decoder_o *d = decode(w, &pixels, message, sizeof message);
  assert_string_equal(message, "");
  assert_true(pixels.width == width && pixels.height == height);
  for (uint32_t i = 0; i < width * height; ++i) {
    const uint8_t *p = &pixels.rgba[4 * i];
    uint32_t rgba = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    if (rgba != expected_rgba[i])
      fail_msg("pixel %u is %08x and not %08x", i, rgba, expected_rgba[i]);
  }
  decoder_destroy(d);
}

static void assert_rejected(const writer_t *w, const char *expected) {
  image_pixels_t pixels;
  char message[sizeof((error_info_t *)0)->text];
  decoder_o *d = decode(w, &pixels, message, sizeof message);
  if (!strstr(message, expected))
    fail_msg("expected \"%s\", got \"%s\"", expected, message);
  decoder_destroy(d);
}

TEST(visible_layers_are_merged_in_their_order) {
  writer_t w = begin_file(1, 3, 1, 32);
  begin_frame(&w, 100);
  add_layer(&w, VISIBLE, 0, 0, 0, 255, "ground");
  add_layer(&w, 0, 1, 0, 0, 255, "a hidden group");
  add_layer(&w, VISIBLE, 0, 1, 0, 255, "inside");
  add_layer(&w, VISIBLE, 0, 0, 0, 128, "glass");
  add_layer(&w, VISIBLE | 64, 0, 0, 0, 255, "reference");
  add_cel(&w, 0, 0, -1, 3, RED, 4, COMPRESSED, 0); // the cel is partly outside
  add_cel(&w, 2, 0, 0, 3, BLUE, 4, RAW, 0);
  add_cel(&w, 3, 1, 0, 1, GREEN, 4, RAW, 0);
  add_cel(&w, 4, 0, 0, 3, BLUE, 4, RAW, 0);
  assert_pixels(&w, 3, 1, (const uint32_t[]){0xFF0000FF, 0x7F8000FF, 0xFF0000FF});
}

TEST(cels_are_ordered_by_z_index) {
  writer_t w = begin_file(1, 1, 1, 32);
  begin_frame(&w, 100);
  add_layer(&w, VISIBLE, 0, 0, 0, 255, "a");
  add_layer(&w, VISIBLE, 0, 0, 0, 255, "b");
  add_cel(&w, 0, 0, 0, 1, RED, 4, RAW, 2);
  add_cel(&w, 1, 0, 0, 1, BLUE, 4, RAW, 0);
  assert_pixels(&w, 1, 1, (const uint32_t[]){0xFF0000FF});
}

TEST(frames_form_a_grid_and_share_linked_cels) {
  writer_t w = begin_file(3, 1, 1, 32);
  begin_frame(&w, 100);
  add_layer(&w, VISIBLE, 0, 0, 0, 255, "a");
  add_cel(&w, 0, 0, 0, 1, RED, 4, COMPRESSED, 0);
  begin_frame(&w, 100);
  add_link(&w, 0, 0);
  begin_frame(&w, 100);
  add_cel(&w, 0, 0, 0, 1, BLUE, 4, RAW, 0);
  assert_pixels(&w, 2, 2, (const uint32_t[]){0xFF0000FF, 0xFF0000FF, 0x0000FFFF, 0});
}

TEST(indexed_and_grey_files_are_converted) {
  writer_t w = begin_file(1, 3, 1, 8);
  begin_frame(&w, 100);
  begin_chunk(&w, 0x2019);
  put(&w, 2, 4);
  put(&w, 0, 4);
  put(&w, 1, 4);
  put(&w, 0, 8);
  put(&w, 0, 2);
  put(&w, 0xFF0000FF, 4); // red
  put(&w, 1, 2);
  put(&w, 0x8000FF00, 4); // translucent green
  put_string(&w, "glass");
  end_chunk(&w);
  add_layer(&w, VISIBLE | 8, 0, 0, 0, 255, "background");
  add_layer(&w, VISIBLE, 0, 0, 0, 255, "a");
  add_cel(&w, 0, 0, 0, 1, "\0", 1, RAW, 0); // the transparent index is visible in the background
  add_cel(&w, 1, 1, 0, 1, "\1", 1, COMPRESSED, 0);
  add_cel(&w, 1, 2, 0, 1, "\0", 1, RAW, 0);
  assert_pixels(&w, 3, 1, (const uint32_t[]){0xFF0000FF, 0x00800080, 0});
  w = begin_file(1, 1, 1, 16);
  begin_frame(&w, 100);
  add_layer(&w, VISIBLE, 0, 0, 0, 255, "a");
  add_cel(&w, 0, 0, 0, 1, "\x40\xFF", 2, COMPRESSED, 0);
  assert_pixels(&w, 1, 1, (const uint32_t[]){0x404040FF});
}

static writer_t write_hero(const char *tag) {
  writer_t w = begin_file(3, 10, 8, 32);
  begin_frame(&w, 100);
  add_layer(&w, VISIBLE, 0, 0, 1, 255, "glow");
  add_cel(&w, 0, 0, 0, 8, RED, 4, COMPRESSED, 0);
  add_tag(&w, 1, 2, 2, 3, tag);
  begin_chunk(&w, 0x2022);
  put(&w, 1, 4);
  put(&w, 3, 4); // flags: nine-patch and pivot
  put(&w, 0, 4);
  put_string(&w, "body");
  const uint32_t key[] = {0, 0, 0, 10, 8, 2, 3, 4, 4, 5, 8};
  for (size_t i = 0; i < sizeof key / sizeof *key; ++i)
    put(&w, key[i], 4);
  end_chunk(&w);
  begin_frame(&w, 200);
  add_link(&w, 0, 0);
  begin_frame(&w, 50);
  add_link(&w, 0, 1);
  return w;
}

TEST(tags_durations_and_slices_become_a_sheet) {
  writer_t w = write_hero("run");
  allocator_t memory = {0};
  error_info_t notice = {0}, error = {0};
  sheet_t *s = sheet_read_aseprite(&memory, w.bytes, w.size, &notice, &error);
  if (!s)
    fail_msg("%s", error.text);
  assert_string_equal(
      notice.text, "layer \"glow\" is drawn with the blend mode normal instead of multiply: merge it down in Aseprite");
  const sheet_clip_t *run = sheet_find_clip(s, "run", NULL, 0);
  assert_true(run && run->count == 2 && run->times == 3 && s->frames.count == 3);
  assert_true(fabs(sheet_clip_seconds(s, run) - 0.25) < 1e-9 && sheet_frame_at(s, run, 0.21) == 3);
  sheet_frame_t third = sheet_frame(s, 3, 20, 16);
  assert_true(third.x == 0 && third.y == 8 && third.width == 10 && third.height == 8);
  assert_true(s->pivot[0] == 0.5f && s->pivot[1] == 1.0f);
  assert_true(s->border[0] == 2 && s->border[1] == 3 && s->border[2] == 4 && s->border[3] == 1);
  sheet_destroy(s);
  assert_int_equal(memory.bytes, 0);
}

TEST(saved_file_replaces_its_sheet_unless_it_is_damaged) {
  char path[64] = "/tmp/shoal-aseprite-XXXXXX", file[128];
  assets_t assets = {.game = ""};
  error_info_t error = {0};
  log_o *log = log_create(LOG_ERROR);
  assert_true(file_system_create_temporary_folder(path));
  snprintf(assets.game, sizeof assets.game, "%s", path);
  path_join(file, sizeof file, path, "hero.aseprite");
  writer_t w = write_hero("run");
  assert_true(file_write(file, w.bytes, w.size, NULL));
  sheets_o *sheets = sheets_create(&assets, log);
  const sheet_t *s = sheets_find_or_load(sheets, "hero.aseprite");
  assert_true(s && sheet_find_clip(s, "run", NULL, 0));
  w = write_hero("jump");
  assert_true(file_write(file, w.bytes, w.size - 7, NULL));
  assert_int_equal(sheets_reload(sheets, "hero.aseprite", &error), ASSET_KEPT);
  assert_string_equal(error.text, "unexpected end of file");
  assert_true(file_write(file, w.bytes, w.size, NULL));
  assert_int_equal(sheets_reload(sheets, "hero.aseprite", &error), ASSET_RELOADED);
  assert_non_null(sheet_find_clip(sheets_find_or_load(sheets, "hero.aseprite"), "jump", NULL, 0));
  sheets_destroy(sheets);
  log_destroy(log);
  remove(file);
  remove(path);
}

TEST(truncated_files_are_rejected_at_every_length) {
  const writer_t w = write_hero("run");
  allocator_t memory = {0};
  for (size_t size = 0; size < w.size; ++size) {
    error_info_t notice, error = {0};
    uint8_t *copy = malloc(size > 0 ? size : 1); // a sanitizer detects reads past the end
    memcpy(copy, w.bytes, size);
    for (int is_size_patched = 0; is_size_patched < 2; ++is_size_patched) {
      if (is_size_patched && size >= 4)
        memcpy(copy, (const uint8_t[]){(uint8_t)size, (uint8_t)(size >> 8), 0, 0}, 4);
      assert_null(sheet_read_aseprite(&memory, copy, size, &notice, &error));
      assert_non_null(strstr(error.text, "unexpected end of file"));
    }
    free(copy);
  }
}

TEST(damaged_files_are_rejected_with_a_reason) {
  writer_t w = begin_file(0, 1, 1, 32);
  put_at(&w, 0, (uint32_t)w.size, 4);
  assert_rejected(&w, "cannot load image: the sprite is empty: 0 frames of 1 × 1 pixels");
  w = write_hero("run");
  put_at(&w, 8, 65535, 2);
  assert_rejected(&w, "width and height must be at most 8192 pixels, got 65535 × 8");
  w = write_hero("run");
  put_at(&w, 12, 24, 2);
  assert_rejected(&w, "the colour depth must be 8, 16 or 32 bits, got 24");
  w = write_hero("run");
  put_at(&w, 128 + 4, 0, 2);
  assert_rejected(&w, "frame 1 is damaged: save the file again");
  w = begin_file(2, 8192, 8192, 32);
  begin_frame(&w, 1);
  add_layer(&w, VISIBLE, 0, 0, 0, 255, "a");
  begin_frame(&w, 1);
  add_link(&w, 0, 0);
  assert_rejected(&w, "cannot load image: ");
  w = begin_file(1, 4, 4, 32);
  begin_frame(&w, 1);
  add_layer(&w, VISIBLE, 0, 1, 0, 255, "a child without a group");
  assert_rejected(&w, "layer 1 is damaged: save the file again");
}

TEST(damaged_cels_are_rejected_with_frame_and_layer) {
  writer_t start = begin_file(1, 4, 4, 32);
  begin_frame(&start, 1);
  add_layer(&start, VISIBLE, 0, 0, 0, 255, "a");
  writer_t w = start;
  add_cel(&w, 0, 0, 0, 4, RED, 4, COMPRESSED, 0);
  w.bytes[w.size - 8] ^= 0xFF;
  assert_rejected(&w, "frame 1, layer \"a\": the compressed pixels are damaged: save the file again");
  w = start;
  add_cel(&w, 0, 0, 0, 4, RED, 4, RAW, 0);
  put_at(&w, w.chunk + 22, 65535, 2); // width
  assert_rejected(&w, "frame 1, layer \"a\": pixels are missing: save the file again");
  w = start;
  add_cel(&w, 0, 0, 0, 4, RED, 4, COMPRESSED, 0);
  put_at(&w, w.chunk + 22, 0xFFFFFFFF, 4); // width and height
  assert_rejected(&w, "frame 1, layer \"a\": the compressed pixels are damaged: save the file again");
  w = start;
  add_link(&w, 0, 0); // a cel that is linked to itself
  assert_rejected(&w, "frame 1, layer \"a\": the linked cel is missing: save the file again");
  w = start;
  add_cel(&w, 7, 0, 0, 4, RED, 4, RAW, 0);
  assert_rejected(&w, "frame 1: a cel is damaged: save the file again");
}
