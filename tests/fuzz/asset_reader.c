// Heads of images, sounds and fonts, sheets of sprites, and the text of shaders: what is read of an asset in this
// process. A WAV that is taken is decoded too.
static const char *const reader_words[] = {"IHDR",     "fmt ", "data",   "OggS",     "fLaC",      "\x01vorbis",
                                           "glyf",     "loca", "maxp",   "for (int", "while",     "\xFF\xDA",
                                           "\xFF\xC4", "grid", "frames", "clips",    "frameTags", 0};
#include "reader.h"

#include "components/sheet.h"
#include "platform/sound_file.h"
#include "render/font_head.h"
#include "render/image_head.h"
#include "render/shader_check.h"

#include <SDL2/SDL.h>

static void seed_file(const char *path, size_t most) {
  allocator_t memory = {0};
  error_t error = {0};
  size_t size = 0;
  char *bytes = file_read(&memory, path, &size, &error);
  if (!bytes)
    reader_fail("%s", error.text);
  reader_seed(bytes, size < most ? size : most);
  file_free(&memory, bytes, size);
}

static void reader_setup(void) {
  static const char flac[42] = "fLaC\x80\0\0\x22\x10\0\x10\0\0\0\0\0\0\0\x0A\xC4\x42\xF0";
  static const char ogg[64] = "OggS\0\2\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\1\x1E\1vorbis\0\0\0\0\2\x44\xAC";
  static const char shader[] = "#version 330 core\n#define N 8\nconst int M = 4;\nfloat f(float x) { return x * x; }\n"
                               "void main() { float a[3]; for (int i = 0; i < N; ++i) { a[i] = f(float(i)); } }\n";
  static const char aseprite[] =
      "{\"frames\":[{\"frame\":{\"x\":0,\"y\":0,\"w\":9,\"h\":9},\"trimmed\":true,\"spriteSourceSize\":{\"x\":1},"
      "\"sourceSize\":{\"w\":16},\"duration\":90}],\"meta\":{\"frameTags\":[{\"name\":\"a\",\"from\":0,\"to\":0,"
      "\"repeat\":\"2\"}],\"slices\":[{\"keys\":[{\"bounds\":{},\"pivot\":{},\"center\":{}}]}]}}";
  seed_file("scripts/games/asteroids/assets/nebula.png", 4000);
  seed_file("assets/pictures/physics.jpg", 30000);
  seed_file("scripts/games/asteroids/assets/blip.wav", 100000);
  seed_file("assets/fonts/ui.ttf", 1000000);
  seed_file("scripts/examples/sprites/assets/knight.json", 4000);
  reader_seed(aseprite, sizeof aseprite - 1);
  reader_seed(flac, sizeof flac);
  reader_seed(ogg, sizeof ogg);
  reader_seed(shader, sizeof shader - 1);
}

static bool try_sound(const uint8_t *data, size_t size) {
  error_t error = {0};
  sound_head_t head;
  if (!sound_head_read(data, size, true, &head, &error) && !sound_head_read(data, size, false, &head, &error))
    return false;
  if (head.format != FORMAT_WAV)
    return true;
  size_t bytes = 0;
  void *samples = sound_wav_decode(data, &head, &bytes);
  if (samples && bytes > SOUND_MOST_BYTES + (1u << 20))
    reader_fail("%zu bytes of sound", bytes);
  SDL_free(samples);
  return true;
}

static bool try_image(const uint8_t *data, size_t size) {
  error_t error = {0};
  image_head_t head;
  if (!image_head_read(data, size, &head, &error))
    return false;
  if ((uint64_t)head.width * head.height * 4 > IMAGE_MOST_BYTES || head.width == 0 || head.height == 0)
    reader_fail("%u × %u pixels were taken", head.width, head.height);
  return true;
}

static bool try_sheet(const uint8_t *data, size_t size) {
  error_t error = {0};
  allocator_t memory = {0};
  bool is_none;
  sheet_t *s = size <= SHEET_MOST_BYTES ? sheet_read(&memory, (const char *)data, size, &is_none, &error) : NULL;
  for (uint32_t i = 0; s && i < s->clips.count; ++i) {
    const sheet_clip_t *clip = &s->clips.items[i];
    double seconds = sheet_clip_seconds(s, clip);
    if (!(seconds > 0))
      reader_fail("a clip takes %g seconds", seconds);
    for (double part = -0.5; part < 1.5; part += 0.25) {
      uint32_t number = sheet_frame_at(s, clip, seconds * part);
      sheet_frame_t f = sheet_frame(s, (int32_t)number, 64, 64);
      if (number == 0 || !(f.width >= 0) || !(f.height >= 0))
        reader_fail("frame %u has %g × %g texels", number, f.width, f.height);
    }
  }
  bool taken = s != NULL;
  sheet_destroy(s);
  if (memory.bytes != 0)
    reader_fail("%zu bytes of a sheet are left", memory.bytes);
  return taken;
}

static bool reader_try(const uint8_t *data, size_t size) {
  error_t error = {0};
  allocator_t memory = {0};
  bool image = try_image(data, size), sound = try_sound(data, size);
  bool font = font_head_check(&memory, data, size, &error);
  if (memory.bytes != 0)
    reader_fail("%zu bytes are left", memory.bytes);
  if (image + sound + font > 1)
    reader_fail("it is two things at once");
  bool shader = shader_check("fuzz", (const char *)data, size, &error);
  bool sheet = try_sheet(data, size);
  return image || sound || font || sheet || (shader && size > 0 && memchr(data, '{', size));
}

static size_t reader_mend(uint8_t *data, size_t size, size_t room) {
  (void)data, (void)room;
  return size;
}

static void reader_teardown(void) {
}
