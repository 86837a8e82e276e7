// Asset lookup and letterboxing (platform/assets.h), and sound playback on a dummy device.
#include "base/file_system.h"
#include "base/files.h"
#include "platform/assets.h"
#include "platform/audio.h"
#include "platform/letterbox.h"
#include "temporary_folder.h"
#include "test.h"

#include <SDL2/SDL.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Two asset folders in a temporary folder: game/ with both.txt and beep.wav, engine/ with both.txt and engine.txt.
typedef struct folders_t {
  char root[64];
  assets_t assets;
  char lines[512]; // lines of the log
  log_o *log;
} folders_t;

static void append_line(void *context, log_level_t level, const char *line) {
  (void)level;
  folders_t *f = context;
  strncat(f->lines, line, sizeof f->lines - strlen(f->lines) - 2);
  strcat(f->lines, "\n");
}

static void write_text(const folders_t *f, const char *name, const void *data, size_t bytes) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", f->root, name);
  assert_true(file_write(path, data, bytes, NULL));
}

// Writes one second of silence: 8-bit mono, 8 kHz.
static void write_wav(const folders_t *f) {
  uint8_t wav[44 + 8000] = "RIFF\x64\x1F\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1F\0\0\x40\x1F\0\0\1\0\x08\0data\x40\x1F\0";
  memset(wav + 44, 128, 8000);
  write_text(f, "game/beep.wav", wav, sizeof wav);
}

SETUP(folders_t, f) {
  temporary_folder_create(f->root, sizeof f->root, "assets");
  snprintf(f->assets.game, sizeof f->assets.game, "%s/game", f->root);
  snprintf(f->assets.engine, sizeof f->assets.engine, "%s/engine", f->root);
  file_system_create_folder(f->assets.game, false);
  file_system_create_folder(f->assets.engine, false);
  write_text(f, "game/both.txt", "g", 1);
  write_text(f, "engine/both.txt", "e", 1);
  write_text(f, "engine/engine.txt", "e", 1);
  write_text(f, "outside.txt", "o", 1);
  write_wav(f);
  f->log = log_create(LOG_WARN);
}

TEARDOWN(folders_t, f) {
  static const char *const NAMES[] = {"game/both.txt",
                                      "game/beep.wav",
                                      "game/hum.mp3",
                                      "engine/both.txt",
                                      "engine/engine.txt",
                                      "outside.txt",
                                      "game",
                                      "engine",
                                      ""};
  char path[256];
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; ++i) {
    snprintf(path, sizeof path, "%s/%s", f->root, NAMES[i]);
    remove(path);
  }
  log_destroy(f->log);
}

TEST_IN(game_assets_take_precedence_over_engine_assets, folders_t, f) {
  char path[600], wanted[600];
  assert_true(assets_find(&f->assets, "both.txt", path, sizeof path));
  snprintf(wanted, sizeof wanted, "%s/both.txt", f->assets.game);
  assert_string_equal(path, wanted);
  assert_true(assets_find(&f->assets, "engine.txt", path, sizeof path));
  snprintf(wanted, sizeof wanted, "%s/engine.txt", f->assets.engine);
  assert_string_equal(path, wanted);
}

TEST_IN(missing_asset_error_names_both_folders, folders_t, f) {
  char path[1280], wanted[1280];
  assert_false(assets_find(&f->assets, "hero.png", path, sizeof path));
  snprintf(wanted, sizeof wanted, "hero.png: not found (searched %s, %s)", f->assets.game, f->assets.engine);
  assert_string_equal(path, wanted);
}

TEST_IN(asset_names_outside_the_folders_are_rejected, folders_t, f) {
  char path[1280], absolute[128];
  snprintf(absolute, sizeof absolute, "%s/outside.txt", f->root);
  const char *const names[] = {"../outside.txt", "x/../../outside.txt", "..", absolute, "", "..\\outside.txt",
                               "game/.."};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (assets_find(&f->assets, names[i], path, sizeof path))
      fail_msg("\"%s\" is found: %s", names[i], path);
  assert_false(assets_find(&f->assets, "../outside.txt", path, sizeof path));
  assert_non_null(strstr(path, "without \"..\""));
}

TEST_IN(folder_is_not_an_asset_and_an_asset_name_can_contain_two_dots, folders_t, f) {
  char path[1280];
  assert_false(assets_find(&f->assets, ".", path, sizeof path));
  assert_false(assets_find(&f->assets, "what..ever", path, sizeof path));
  assert_non_null(strstr(path, "not found"));
}

TEST(letterbox_fits_and_centres_the_frame) {
  letterbox_t wide = letterbox_fit(1280, 720, 0, 2000, 720, LETTERBOX_FIT);
  letterbox_t high = letterbox_fit(1280, 720, 0, 640, 1000, LETTERBOX_FIT);
  assert_int_equal(wide.width, 1280);
  assert_int_equal(wide.x, 360);
  assert_int_equal(wide.y, 0);
  assert_int_equal(high.height, 360);
  assert_int_equal(high.y, 320);
  assert_true(high.scale_x == 0.5f);
}

TEST(letterbox_supports_integer_scaling_and_stretching) {
  letterbox_t whole = letterbox_fit(320, 180, 0, 1000, 700, LETTERBOX_INTEGER);
  assert_int_equal(whole.width, 960);
  assert_int_equal(whole.height, 540);
  assert_int_equal(whole.x, 20);
  assert_int_equal(whole.y, 80);
  assert_true(whole.scale_x == 3.0f && whole.scale_y == 3.0f);
  // the window is smaller than the picture at scale 1
  letterbox_t small = letterbox_fit(320, 180, 0, 160, 200, LETTERBOX_INTEGER);
  assert_int_equal(small.width, 160);
  assert_int_equal(small.height, 90);
  letterbox_t all = letterbox_fit(320, 180, 0, 640, 900, LETTERBOX_STRETCH);
  assert_int_equal(all.width, 640);
  assert_int_equal(all.height, 900);
  assert_true(all.scale_x == 2.0f && all.scale_y == 5.0f);
}

TEST(letterbox_leaves_a_strip_for_tools_below_the_image) {
  letterbox_t docked = letterbox_fit(1280, 720, 44, 1280, 800, LETTERBOX_FIT); // the strip replaces the black bars
  assert_int_equal(docked.width, 1280);
  assert_int_equal(docked.height, 720);
  assert_int_equal(docked.y, 18);
  letterbox_t reduced = letterbox_fit(1280, 720, 44, 1280, 720, LETTERBOX_FIT);
  assert_int_equal(reduced.height, 679);
  assert_int_equal(reduced.y, 0);
  assert_int_equal(reduced.x, (1280 - reduced.width) / 2);
  letterbox_t whole = letterbox_fit(320, 180, 11, 1280, 800, LETTERBOX_INTEGER);
  assert_true(whole.scale_x == 4.0f);
  letterbox_t between = letterbox_fit(320, 180, 11, 960, 540, LETTERBOX_INTEGER);
  assert_true(between.scale_x > 2.8f && between.scale_x < 3.0f);
  letterbox_t stretched = letterbox_fit(320, 180, 20, 640, 400, LETTERBOX_STRETCH);
  assert_int_equal(stretched.height, 360);
  assert_true(stretched.scale_x == 2.0f && stretched.scale_y == 2.0f);
}

TEST(letterbox_expand_fills_a_window_of_any_size_and_shows_the_whole_logical_screen) {
  static const int SIZES[][2] = {{1280, 720}, {1900, 700}, {700, 1200}, {333, 777}, {16000, 90}, {90, 16000}, {1, 1}};
  for (size_t i = 0; i < 2 * sizeof SIZES / sizeof *SIZES; ++i) {
    const int width = SIZES[i / 2][0], height = SIZES[i / 2][1];
    const float strip = i % 2 ? 44 : 0;
    letterbox_t box = letterbox_fit(1280, 720, strip, width, height, LETTERBOX_EXPAND);
    letterbox_t fit = letterbox_fit(1280, 720, strip, width, height, LETTERBOX_FIT);
    letterbox_t picture = letterbox_get_picture(&box);
    assert_true(picture.x == 0 && picture.y == 0 && picture.width == width);
    assert_int_equal(picture.height, height - (int)(strip * box.scale_y + 0.5f));
    assert_true(box.left >= 0 && box.top >= 0 && box.right >= 0 && box.bottom >= 0);
    assert_true(abs(box.left - box.right) <= 1 && abs(box.top - box.bottom) <= 1);
    assert_true(box.x == fit.x && abs(box.y - fit.y) <= 1 && box.width == fit.width && box.height == fit.height);
    assert_true(box.scale_x == fit.scale_x && box.scale_y == fit.scale_y);
  }
}

TEST(letterbox_has_no_picture_beyond_the_screen_unless_it_expands) {
  for (letterbox_mode_t mode = LETTERBOX_FIT; mode < LETTERBOX_EXPAND; ++mode) {
    letterbox_t box = letterbox_fit(1280, 720, 0, 1900, 700, mode), picture = letterbox_get_picture(&box);
    assert_true(picture.x == box.x && picture.y == box.y);
    assert_true(picture.width == box.width && picture.height == box.height);
  }
}

static uint32_t count_lines(const char *text, const char *word) {
  uint32_t n = 0;
  for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
    n++;
  return n;
}

static const audio_sound_t ONCE = {.volume = 1, .pitch = 1}, LOOPED = {.volume = 1, .pitch = 1, .loop = true};

TEST_IN(missing_sound_is_logged_once_without_a_device, folders_t, f) {
  log_set_listener(f->log, append_line, f);
  audio_o *a = audio_create(true, &f->assets, f->log);
  for (int i = 0; i < 5; ++i)
    assert_int_equal(audio_play(a, "bang.wav", &ONCE), 0);
  assert_int_equal(audio_play(a, "beep.wav", &ONCE), 0);
  audio_stop(a, 12345, 0.0f);
  assert_false(audio_is_playing(a, 1));
  audio_destroy(a);
  assert_int_equal(count_lines(f->lines, "bang.wav"), 1);
  assert_int_equal(count_lines(f->lines, "beep.wav"), 0);
}

static audio_o *open_dummy(const folders_t *f) {
  setenv("SDL_AUDIODRIVER", "dummy", 1);
  audio_o *a = audio_create(false, &f->assets, NULL);
  audio_open(a);
  unsetenv("SDL_AUDIODRIVER");
  return a;
}

#define DEVICE 2u // SDL's id of the first audio device that was opened
#define HELD_MS 300u

static void *hold_device(void *held) {
  SDL_LockAudioDevice(DEVICE);
  atomic_store((atomic_bool *)held, true);
  SDL_Delay(HELD_MS);
  SDL_UnlockAudioDevice(DEVICE);
  return NULL;
}

// A child process decodes twenty frames of silent MP3 while a thread of the parent holds the device's lock. That thread
// does not exist in the child, so a child that waited for the lock would never continue.
TEST_IN(sound_is_decoded_while_another_thread_locks_the_device, folders_t, f) {
  uint8_t mp3[20][417] = {0};
  for (size_t i = 0; i < 20; ++i)
    memcpy(mp3[i], "\xFF\xFB\x90", 3);
  write_text(f, "game/hum.mp3", mp3, sizeof mp3);
  audio_o *a = open_dummy(f);
  assert_int_equal(SDL_GetAudioDeviceStatus(DEVICE), SDL_AUDIO_PLAYING);
  atomic_bool held = false;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, hold_device, &held), 0);
  while (!atomic_load(&held))
    SDL_Delay(1);
  uint32_t voice = audio_play(a, "hum.mp3", &ONCE);
  pthread_join(thread, NULL);
  audio_destroy(a);
  assert_int_not_equal(voice, 0);
}

TEST_IN(voice_ids_are_not_reused, folders_t, f) {
  audio_o *a = open_dummy(f);
  uint32_t first = audio_play(a, "beep.wav", &ONCE);
  assert_true(first != 0 && audio_is_playing(a, first));
  audio_stop(a, first, 0.0f);
  assert_false(audio_is_playing(a, first));
  uint32_t second = audio_play(a, "beep.wav", &ONCE);
  assert_true(second != 0 && second != first);
  audio_stop(a, first, 0.0f); // a stale id must not stop the second voice
  audio_update_voice(a, first, &(audio_sound_t){.volume = 0.0f, .pan = 0.0f, .pitch = 1.0f});
  assert_true(audio_is_playing(a, second));
  audio_destroy(a);
}

TEST_IN(oldest_non_looping_voice_is_evicted_when_all_voices_are_busy, folders_t, f) {
  audio_o *a = open_dummy(f);
  uint32_t loop = audio_play(a, "beep.wav", &LOOPED);
  uint32_t oldest = audio_play(a, "beep.wav", &ONCE);
  uint32_t next = audio_play(a, "beep.wav", &ONCE);
  for (int i = 3; i < 32; ++i)
    assert_true(audio_play(a, "beep.wav", &LOOPED) != 0);
  assert_true(audio_is_playing(a, oldest));
  uint32_t late = audio_play(a, "beep.wav", &LOOPED);
  assert_true(audio_is_playing(a, late) && audio_is_playing(a, loop) && audio_is_playing(a, next));
  assert_false(audio_is_playing(a, oldest));
  assert_true(audio_play(a, "beep.wav", &LOOPED) != 0); // evicts the voice `next`
  assert_int_equal(audio_play(a, "beep.wav", &ONCE), 0);
  audio_reset(a);
  assert_false(audio_is_playing(a, loop));
  audio_destroy(a);
}
