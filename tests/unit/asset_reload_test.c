// Reloading changed assets: the new version takes effect, or the old one remains in use if the new file is unreadable.
// slow: takes seconds under the sanitizers
#include "base/file_system.h"
#include "base/random.h"
#include "platform/audio.h"
#include "platform/sound_file.h"
#include "render/glyphs.h"
#include "render/images.h"

#include "render_stage.h"
#include "temporary_folder.h"

#define MANY 30
#define NOISE 15

// A game's asset folder inside a temporary folder, with the engine's assets as fallback.
typedef struct reload_fixture_t {
  log_capture_t logged;
  assets_t assets;
} reload_fixture_t;

static void make_folder(assets_t *assets) {
  *assets = engine_assets();
  temporary_folder_create(assets->game, sizeof assets->game, "reload");
}

SETUP(reload_fixture_t, s) {
  log_capture_init(&s->logged);
  make_folder(&s->assets);
}

TEARDOWN(reload_fixture_t, s) {
  temporary_folder_remove(s->assets.game);
  log_destroy(s->logged.log);
}

static const char *path_below(const assets_t *a, const char *name) {
  static char path[600];
  snprintf(path, sizeof path, "%s/%s", a->game, name);
  return path;
}

static void write_asset(const assets_t *a, const char *name, const void *data, size_t bytes) {
  assert_true(file_write(path_below(a, name), data, bytes, NULL));
}

static void delete_file(const assets_t *a, const char *name) {
  assert_int_equal(remove(path_below(a, name)), 0);
}

// Copies the beginning of the engine's file `from`; `share` is the fraction to copy (0 to 1).
static void write_truncated_asset(const assets_t *a, const char *name, const char *from, double share) {
  char path[600];
  allocator_t memory = {0};
  size_t bytes = 0;
  snprintf(path, sizeof path, "%s/%s", a->engine, from);
  char *data = file_read(&memory, path, &bytes, NULL);
  assert_non_null(data);
  write_asset(a, name, data, (size_t)((double)bytes * share));
  file_free(&memory, data, bytes);
}

// Writes an uncompressed TGA image of one colour.
static void write_picture(const assets_t *a, const char *name, int width, int height, int r, int g, int b) {
  size_t pixels = (size_t)width * (size_t)height, bytes = 18 + 3 * pixels;
  uint8_t *tga = calloc(1, bytes);
  tga[2] = 2;
  tga[12] = (uint8_t)width;
  tga[14] = (uint8_t)height;
  tga[16] = 24;
  for (size_t i = 0; i < pixels; ++i) {
    tga[18 + 3 * i] = (uint8_t)b;
    tga[19 + 3 * i] = (uint8_t)g;
    tga[20 + 3 * i] = (uint8_t)r;
  }
  write_asset(a, name, tga, bytes);
  free(tga);
}

// --- images

TEST_IN(headless_image_reload_distinguishes_changed_from_broken_files, reload_fixture_t, s) {
  error_info_t why = {0};
  images_o *i = images_create(&s->assets, false, s->logged.log);
  assert_int_equal(images_asset_changed(i, "hero.tga", &why), ASSET_UNUSED);
  write_picture(&s->assets, "hero.tga", 4, 4, 255, 0, 0);
  images_find_or_add(i, "hero.tga");
  assert_int_equal(images_asset_changed(i, "hero.tga", &why), ASSET_RELOADED);
  write_truncated_asset(&s->assets, "hero.tga", "pictures/asteroids.png", 0.5);
  assert_int_equal(images_asset_changed(i, "hero.tga", &why), ASSET_KEPT);
  assert_non_null(strstr(why.text, "hero.tga"));
  for (double share = 0.1; share < 1.0; share += 0.1) {
    write_truncated_asset(&s->assets, "hero.tga", "pictures/physics.jpg", share);
    assert_int_equal(images_asset_changed(i, "hero.tga", &why), ASSET_KEPT);
    assert_non_null(strstr(why.text, "hero.tga: cannot load image: "));
  }
  write_truncated_asset(&s->assets, "hero.tga", "pictures/physics.jpg", 1.0);
  assert_int_equal(images_asset_changed(i, "hero.tga", &why), ASSET_RELOADED);
  write_asset(&s->assets, "hero.tga", "", 0);
  assert_int_equal(images_asset_changed(i, "hero.tga", &why), ASSET_KEPT);
  assert_non_null(strstr(why.text, "empty"));
  delete_file(&s->assets, "hero.tga");
  assert_int_equal(images_asset_changed(i, "hero.tga", &why), ASSET_KEPT);
  assert_non_null(strstr(why.text, "not found"));
  assert_int_equal(s->logged.lines, 0);
  images_destroy(i);
}

static int setup_stage(void **state) {
  stage_setup(state);
  stage_t *s = *state;
  make_folder(&s->assets);
  return 0;
}

static int teardown_stage(void **state) {
  stage_t *s = *state;
  temporary_folder_remove(s->assets.game);
  return stage_teardown(state);
}
FIXTURE(stage_t, setup_stage, teardown_stage)

static void show_hero(stage_t *s) {
  draw_clear(s->draw);
  draw_image(s->draw, "hero.tga", 160, 90, 0, 1, 1, 0);
  stage_capture(s, NULL);
}

TEST_IN(image_reload_changes_the_frame_and_ignores_a_broken_file, stage_t, s) {
  NEEDS_GL(s);
  error_info_t why = {0};
  show_hero(s); // the image is missing: draws a checkerboard and logs one line
  assert_int_equal(s->logged.lines, 1);
  write_picture(&s->assets, "hero.tga", 40, 40, 255, 0, 0);
  assert_int_equal(render_asset_changed(s->render, "hero.tga", &why), ASSET_RELOADED);
  show_hero(s);
  stage_assert_pixel(s, 160, 75, 255, 0, 0);
  stage_assert_pixel(s, 190, 90, 5, 5, 13);
  write_picture(&s->assets, "hero.tga", 80, 20, 0, 0, 255);
  assert_int_equal(render_asset_changed(s->render, "hero.tga", &why), ASSET_RELOADED);
  for (int round = 0; round < 2; ++round) { // with the new image, and again after an invalid file is rejected
    show_hero(s);
    stage_assert_pixel(s, 160, 75, 5, 5, 13);
    stage_assert_pixel(s, 190, 90, 0, 0, 255);
    write_asset(&s->assets, "hero.tga", "no picture at all", 17);
    assert_int_equal(render_asset_changed(s->render, "hero.tga", &why), ASSET_KEPT);
  }
  assert_int_equal(s->logged.lines, 1);
}

TEST_IN(image_keeps_its_texture_across_reloads, stage_t, s) {
  NEEDS_GL(s);
  images_o *i = images_create(&s->assets, true, s->logged.log);
  write_picture(&s->assets, "hero.tga", 4, 4, 255, 0, 0);
  assert_int_equal(images_find_or_add(i, "hero.tga").width, 0); // the image is not decoded yet
  images_wait(i);
  image_t first = images_find_or_add(i, "hero.tga");
  for (int k = 0; k < MANY; ++k) {
    write_picture(&s->assets, "hero.tga", 1 + k, 5, k, 0, 0);
    assert_int_equal(images_asset_changed(i, "hero.tga", NULL), ASSET_RELOADED);
  }
  image_t last = images_find_or_add(i, "hero.tga");
  assert_int_equal(last.texture, first.texture);
  assert_int_equal(last.width, MANY);
  images_destroy(i);
}

// --- shaders

static const char GREEN[] = "#version 330 core\n"
                            "flat in vec4 v_colour; out vec4 result;\n"
                            "void main() { result = vec4(0.0, 1.0, 0.0, 1.0); }\n";

static void show_box(stage_t *s) {
  draw_clear(s->draw);
  draw_set_colour(s->draw, 1, 0, 0, 1);
  draw_rect(s->draw, 100, 40, 40, 40, true, 0);
  stage_capture(s, NULL);
}

TEST_IN(shader_reload_changes_the_frame_and_ignores_a_broken_file, stage_t, s) {
  NEEDS_GL(s);
  error_info_t why = {0};
  show_box(s);
  stage_assert_pixel(s, 120, 60, 255, 0, 0);
  assert_true(file_system_create_folder(path_below(&s->assets, "shaders"), false));
  write_asset(&s->assets, "shaders/shape.frag", GREEN, sizeof GREEN - 1);
  assert_int_equal(render_asset_changed(s->render, "shaders/shape.frag", &why), ASSET_RELOADED);
  show_box(s);
  stage_assert_pixel(s, 120, 60, 0, 255, 0);
  write_asset(&s->assets, "shaders/shape.frag", GREEN, sizeof GREEN / 2);
  assert_int_equal(render_asset_changed(s->render, "shaders/shape.frag", &why), ASSET_KEPT);
  assert_non_null(strstr(why.text, "shaders/shape.frag"));
  show_box(s);
  stage_assert_pixel(s, 120, 60, 0, 255, 0);
  delete_file(&s->assets, "shaders/shape.frag"); // the engine's shader is used again
  assert_int_equal(render_asset_changed(s->render, "shaders/shape.frag", &why), ASSET_RELOADED);
  show_box(s);
  stage_assert_pixel(s, 120, 60, 255, 0, 0);
}

TEST_IN(broken_game_shader_falls_back_to_the_engine_shader, stage_t, s) {
  NEEDS_GL(s);
  assert_true(file_system_create_folder(path_below(&s->assets, "shaders"), false));
  write_asset(&s->assets, "shaders/shape.frag", "no shader", 9);
  render_reset(s->render); // simulates loading another game
  assert_int_equal(s->logged.lines, 1);
  assert_non_null(strstr(s->logged.last, "shaders/shape.frag"));
  show_box(s);
  stage_assert_pixel(s, 120, 60, 255, 0, 0);
}

// --- fonts

static float text_width_in(typesetter_o *t, const char *font) {
  float width, height;
  typesetter_measure(t, &(text_style_t){.font = font, .size = 32.0f}, "iiii WWWW", &width, &height);
  return width;
}

// Lays out and rasterizes one letter of the font, as a frame does.
static void draw_letter(typesetter_o *t, glyphs_o *g, const char *font) {
  const text_style_t style = {.font = font, .size = 32.0f};
  glyphs_begin_frame(g, t);
  const text_glyph_t glyph = typesetter_layout(t, &style, "g", 1)->glyphs.items[0];
  assert_non_null(glyphs_find_or_rasterize(g, glyph.face, glyph.glyph, 32, 0));
  assert_non_null(glyphs_find_or_rasterize(g, glyph.face, glyph.glyph, 32, 8));
}

TEST_IN(font_reload_updates_text_and_ignores_a_broken_file, reload_fixture_t, s) {
  error_info_t why = {0};
  write_truncated_asset(&s->assets, "own.ttf", "fonts/ui.ttf", 1.0);
  typesetter_o *t = typesetter_create(&s->assets, s->logged.log);
  assert_int_equal(typesetter_asset_changed(t, "own.ttf", &why), ASSET_UNUSED);
  float before = text_width_in(t, "own.ttf");
  write_truncated_asset(&s->assets, "own.ttf", "fonts/mono.ttf", 1.0);
  assert_int_equal(typesetter_asset_changed(t, "own.ttf", &why), ASSET_RELOADED);
  float after = text_width_in(t, "own.ttf");
  assert_true(after != before);
  for (double share = 0.0; share < 1.0; share += 0.05) {
    write_truncated_asset(&s->assets, "own.ttf", "fonts/ui.ttf", share);
    assert_int_equal(typesetter_asset_changed(t, "own.ttf", &why), ASSET_KEPT);
    assert_true(text_width_in(t, "own.ttf") == after);
  }
  assert_non_null(strstr(why.text, "unexpected end of file"));
  delete_file(&s->assets, "own.ttf");
  assert_int_equal(typesetter_asset_changed(t, "own.ttf", &why), ASSET_KEPT);
  write_truncated_asset(&s->assets, "own.ttf", "fonts/ui.ttf", 1.0);
  assert_int_equal(typesetter_asset_changed(t, "own.ttf", &why), ASSET_RELOADED);
  assert_true(text_width_in(t, "own.ttf") == before);
  typesetter_destroy(t); // also asserts that the typesetter's memory was freed
}

// Writes the beginning of a font collection that contains one font; `share` is the fraction to write (0 to 1). The
// tables' offsets count from the start of the file.
static void write_collection(const assets_t *a, const char *name, double share) {
  const size_t shift = 16;
  allocator_t memory = {0};
  char path[600];
  size_t size;
  snprintf(path, sizeof path, "%s/fonts/ui.ttf", a->engine);
  char *font = file_read(&memory, path, &size, NULL);
  uint8_t *bytes = calloc(1, size + shift);
  memcpy(bytes, "ttcf\0\1\0\0\0\0\0\1\0\0\0\x10", shift);
  memcpy(bytes + shift, font, size);
  for (size_t entry = shift + 12; entry < shift + 12 + 16 * (size_t)bytes[shift + 5]; entry += 16) {
    uint8_t *offset = bytes + entry + 8;
    uint32_t number =
        ((uint32_t)offset[0] << 24 | (uint32_t)offset[1] << 16 | (uint32_t)offset[2] << 8 | offset[3]) + 16;
    for (int i = 3; i >= 0; --i, number >>= 8)
      offset[i] = (uint8_t)number;
  }
  write_asset(a, name, bytes, (size_t)((double)(size + shift) * share));
  file_free(&memory, font, size);
  free(bytes);
}

TEST_IN(first_font_of_a_collection_is_used, reload_fixture_t, s) {
  error_info_t why = {0};
  write_truncated_asset(&s->assets, "own.ttf", "fonts/ui.ttf", 1.0);
  write_collection(&s->assets, "own.ttc", 1.0);
  typesetter_o *t = typesetter_create(&s->assets, s->logged.log);
  glyphs_o *g = glyphs_create(s->logged.log);
  assert_true(text_width_in(t, "own.ttc") == text_width_in(t, "own.ttf"));
  draw_letter(t, g, "own.ttc");
  assert_int_equal(s->logged.lines, 0);
  write_collection(&s->assets, "own.ttc", 0.7);
  assert_int_equal(typesetter_asset_changed(t, "own.ttc", &why), ASSET_KEPT);
  assert_non_null(strstr(why.text, "unexpected end of file"));
  glyphs_destroy(g);
  typesetter_destroy(t);
}

TEST_IN(missing_emoji_is_reported_with_a_reason, reload_fixture_t, s) {
  typesetter_o *t = typesetter_create(&s->assets, s->logged.log);
  typesetter_layout(t, &(text_style_t){.size = 20}, "\xF0\x9F\x98\x80", 4);
  assert_int_equal(s->logged.lines, 1);
  assert_non_null(strstr(s->logged.last, "U+1F600"));
  assert_non_null(strstr(s->logged.last, "colour emoji are not drawn: use an icon"));
  typesetter_destroy(t);
}

TEST_IN(missing_font_is_used_after_its_file_is_created, reload_fixture_t, s) {
  typesetter_o *t = typesetter_create(&s->assets, s->logged.log);
  float before = text_width_in(t, "own.ttf");
  assert_int_equal(s->logged.lines, 1);
  write_truncated_asset(&s->assets, "own.ttf", "fonts/mono.ttf", 1.0);
  assert_int_equal(typesetter_asset_changed(t, "own.ttf", NULL), ASSET_RELOADED);
  assert_true(text_width_in(t, "own.ttf") != before);
  glyphs_o *g = glyphs_create(s->logged.log);
  draw_letter(t, g, "own.ttf");
  for (int k = 0; k < MANY; ++k)
    assert_int_equal(typesetter_asset_changed(t, "own.ttf", NULL), ASSET_RELOADED);
  draw_letter(t, g, "own.ttf");
  glyphs_destroy(g);
  typesetter_destroy(t);
}

// --- sounds

// Makes a silent WAV (8-bit mono, 8 kHz) of `samples` samples, whose header claims `claimed` samples. Returns its size
// in bytes.
static size_t make_wav(uint8_t wav[8044], uint32_t samples, uint32_t claimed) {
  static const uint8_t HEAD[44] = "RIFF\0\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1F\0\0\x40\x1F\0\0\1\0\x08\0data";
  memcpy(wav, HEAD, 44);
  for (uint32_t i = 0; i < 4; ++i) {
    wav[4 + i] = (uint8_t)((claimed + 36) >> (8 * i));
    wav[40 + i] = (uint8_t)(claimed >> (8 * i));
  }
  memset(wav + 44, 128, samples);
  return 44 + samples;
}

static void write_wav(const assets_t *a, const char *name, uint32_t samples, uint32_t claimed) {
  uint8_t wav[8044];
  write_asset(a, name, wav, make_wav(wav, samples, claimed));
}

// SLOWED plays half a second for ten seconds, so that it does not end during a test on a busy machine.
static const audio_sound_t ONCE = {.volume = 1, .pitch = 1}, SLOWED = {.volume = 1, .pitch = 0.05f},
                           LOOPED = {.volume = 0.5f, .pan = 0.5f, .pitch = 1, .loop = true};

static audio_o *open_dummy(reload_fixture_t *s) {
  setenv("SDL_AUDIODRIVER", "dummy", 1);
  audio_o *a = audio_create(false, &s->assets, s->logged.log);
  audio_open(a);
  unsetenv("SDL_AUDIODRIVER");
  return a;
}

static bool is_complete(const void *bytes, size_t size_bytes) {
  sound_head_t head;
  return sound_head_read(bytes, size_bytes, true, &head, NULL);
}

TEST(truncated_sound_file_is_detected) {
  uint8_t wav[8044];
  size_t bytes = make_wav(wav, 100, 100);
  assert_true(is_complete(wav, bytes));
  for (size_t part = 0; part < bytes; ++part)
    if (is_complete(wav, part))
      fail_msg("%zu bytes of %zu are taken for the whole", part, bytes);
  make_wav(wav, 100, UINT32_MAX); // the size that streaming tools write when they do not know the length
  assert_true(is_complete(wav, bytes));
  uint8_t ogg[2 * 47] = "OggS";
  ogg[26] = 1, ogg[27] = 19;
  memcpy(ogg + 28, "OpusHead\1\2", 10);
  memcpy(ogg + 47, ogg, 47);
  assert_true(is_complete(ogg, sizeof ogg));
  assert_false(is_complete(ogg, sizeof ogg - 1));
  assert_false(is_complete(ogg, 47 + 20));
}

TEST_IN(voices_keep_playing_while_their_sound_file_changes, reload_fixture_t, s) {
  error_info_t why = {0};
  write_wav(&s->assets, "hum.wav", 4000, 4000);
  audio_o *a = open_dummy(s);
  assert_int_equal(audio_asset_changed(a, "hum.wav", &why), ASSET_UNUSED);
  uint32_t loop = audio_play(a, "hum.wav", &LOOPED), once = audio_play(a, "hum.wav", &SLOWED);
  write_wav(&s->assets, "hum.wav", 8000, 8000);
  assert_int_equal(audio_asset_changed(a, "hum.wav", &why), ASSET_RELOADED);
  assert_true(audio_is_playing(a, loop) && audio_is_playing(a, once));
  write_wav(&s->assets, "hum.wav", 4000, 8000);
  assert_int_equal(audio_asset_changed(a, "hum.wav", &why), ASSET_KEPT);
  assert_non_null(strstr(why.text, "unexpected end of file"));
  write_asset(&s->assets, "hum.wav", "this is no sound", 16);
  assert_int_equal(audio_asset_changed(a, "hum.wav", &why), ASSET_KEPT);
  assert_non_null(strstr(why.text, "hum.wav"));
  delete_file(&s->assets, "hum.wav");
  assert_int_equal(audio_asset_changed(a, "hum.wav", &why), ASSET_KEPT);
  assert_true(audio_is_playing(a, loop));
  assert_true(audio_play(a, "hum.wav", &ONCE) != 0);
  assert_int_equal(s->logged.lines, 0);
  audio_destroy(a);
}

TEST_IN(missing_sound_plays_after_its_file_is_created, reload_fixture_t, s) {
  audio_o *a = open_dummy(s);
  assert_int_equal(audio_play(a, "late.wav", &ONCE), 0);
  write_wav(&s->assets, "late.wav", 8000, 8000);
  assert_int_equal(audio_asset_changed(a, "late.wav", NULL), ASSET_RELOADED);
  uint32_t loop = audio_play(a, "late.wav", &LOOPED);
  assert_true(loop != 0);
  for (int k = 0; k < MANY; ++k)
    assert_int_equal(audio_asset_changed(a, "late.wav", NULL), ASSET_RELOADED);
  assert_true(audio_is_playing(a, loop));
  audio_destroy(a);
}

static void play_music_layer(audio_o *a) {
  audio_layers_begin(a);
  audio_declare_layer(a, "tune.wav", &(audio_position_t){.began = 1.0, .drift_s = 0.1}, 1.0f);
  audio_layers_end(a, 0.0f, 0.0f);
  audio_frame(a, false);
  usleep(1000);
}

TEST_IN(changed_music_file_is_reloaded_and_released_when_playback_ends, reload_fixture_t, s) {
  int frames = 0;
  write_wav(&s->assets, "tune.wav", 8000, 8000);
  audio_o *a = open_dummy(s);
  while (play_music_layer(a), audio_preload(a, "tune.wav")) {
  }
  for (int k = 0; k < MANY; ++k)
    assert_int_equal(audio_asset_changed(a, "tune.wav", NULL), ASSET_RELOADED);
  play_music_layer(a);
  delete_file(&s->assets, "tune.wav");
  assert_int_equal(audio_asset_changed(a, "tune.wav", NULL), ASSET_KEPT);
  for (; frames < 100000 && audio_asset_changed(a, "tune.wav", NULL) != ASSET_UNUSED; ++frames) {
    audio_frame(a, false);
    usleep(100);
  }
  assert_in_range(frames, 100, 99999);
  assert_int_equal(s->logged.lines, 0);
  audio_destroy(a);
}

TEST_IN(sound_reload_without_a_device_detects_missing_and_truncated_files, reload_fixture_t, s) {
  write_wav(&s->assets, "hum.wav", 4000, 4000);
  audio_o *a = audio_create(true, &s->assets, s->logged.log);
  audio_play(a, "hum.wav", &LOOPED);
  assert_int_equal(audio_asset_changed(a, "hum.wav", NULL), ASSET_RELOADED);
  write_wav(&s->assets, "hum.wav", 4000, 8000);
  assert_int_equal(audio_asset_changed(a, "hum.wav", NULL), ASSET_KEPT);
  delete_file(&s->assets, "hum.wav");
  assert_int_equal(audio_asset_changed(a, "hum.wav", NULL), ASSET_KEPT);
  audio_destroy(a);
}

// --- damaged files

// Writes a copy of `data` to the file `name`. Replaces a few bytes of the copy, and sometimes truncates it.
static void write_damaged_asset(const assets_t *a, const char *name, const char *data, size_t bytes, random_t *r) {
  char *noisy = malloc(bytes);
  memcpy(noisy, data, bytes);
  for (uint32_t i = 0; i < 10; ++i) {
    // half of the changes are in the header, which parsers depend on most
    uint32_t near = random_u32(r) % 2 ? 512 : (uint32_t)bytes;
    noisy[random_u32(r) % (near < bytes ? near : bytes)] = (char)random_u32(r);
  }
  write_asset(a, name, noisy, random_u32(r) % 4 ? bytes : random_u32(r) % bytes);
  free(noisy);
}

static char *read_asset(const char *folder, const char *name, size_t *bytes) {
  char path[600];
  allocator_t memory = {0};
  snprintf(path, sizeof path, "%s/%s", folder, name);
  char *text = file_read(&memory, path, bytes, NULL), *copy = malloc(*bytes);
  memcpy(copy, text, *bytes);
  file_free(&memory, text, *bytes);
  return copy;
}

TEST_IN(reloading_randomly_damaged_assets_never_crashes, reload_fixture_t, s) {
  uint32_t fates[3] = {0};
  random_t r;
  random_seed(&r, 7);
  audio_o *a = open_dummy(s);
  typesetter_o *t = typesetter_create(&s->assets, s->logged.log);
  images_o *i = images_create(&s->assets, false, s->logged.log);
  char *kinds[4];
  size_t bytes[4];
  kinds[0] = read_asset(s->assets.engine, "../scripts/games/asteroids/assets/nebula.png", &bytes[0]);
  kinds[1] = read_asset(s->assets.engine, "pictures/physics.jpg", &bytes[1]);
  kinds[2] = read_asset(s->assets.engine, "fonts/mono.ttf", &bytes[2]);
  kinds[3] = read_asset(s->assets.engine, "../scripts/games/asteroids/assets/wave.wav", &bytes[3]);
  images_find_or_add(i, "noise");
  glyphs_o *g = glyphs_create(s->logged.log);
  text_width_in(t, "noise");
  audio_play(a, "noise", &LOOPED);
  for (uint32_t round = 0; round < NOISE; ++round)
    for (uint32_t kind = 0; kind < 4; ++kind) {
      write_damaged_asset(&s->assets, "noise", kinds[kind], bytes[kind], &r);
      fates[images_asset_changed(i, "noise", NULL)]++;
      fates[typesetter_asset_changed(t, "noise", NULL)]++;
      fates[audio_asset_changed(a, "noise", NULL)]++;
      draw_letter(t, g, "noise");
    }
  assert_true(fates[ASSET_RELOADED] > 0 && fates[ASSET_KEPT] > 0);
  for (uint32_t kind = 0; kind < 4; ++kind)
    free(kinds[kind]);
  images_destroy(i);
  glyphs_destroy(g);
  typesetter_destroy(t);
  audio_destroy(a);
}
