// Voices for rows of the `sound` component, with SDL's dummy audio device and files of one second.
#include "simulation/components.h"
#include "sound/sound_sync.h"
#include "ecs/world_hash.h"
#include "temporary_folder.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct sound_fixture_t {
  assets_t assets;
  world_o *world;
  components_o *components;
  audio_o *audio;
  sound_sync_o *sync;
  manager_o *sounds;
} sound_fixture_t;

static void put_u32(unsigned char *to, uint32_t value) {
  for (int i = 0; i < 4; ++i)
    to[i] = (unsigned char)(value >> (8 * i));
}

// Writes one second of a constant sample: 44,100 samples of 16 bits, mono.
static void write_sound(const char *folder, const char *name, int16_t sample) {
  unsigned char head[44] = "RIFF....WAVEfmt ....................data....";
  put_u32(head + 4, 36 + 88200);
  put_u32(head + 16, 16);
  put_u32(head + 20, 0x00010001); // PCM, one channel
  put_u32(head + 24, 44100);
  put_u32(head + 28, 88200);
  put_u32(head + 32, 0x00100002); // 2 bytes per frame, 16 bits
  put_u32(head + 40, 88200);
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fwrite(head, 1, sizeof head, file);
  for (uint32_t i = 0; i < 44100; ++i)
    fwrite(&sample, sizeof sample, 1, file);
  fclose(file);
}

SETUP(sound_fixture_t, r) {
  temporary_folder_create(r->assets.game, sizeof r->assets.game, "sound");
  write_sound(r->assets.game, "a.wav", 0);
  write_sound(r->assets.game, "b.wav", 0);
  write_sound(r->assets.game, "loud.wav", 8000);
  setenv("SDL_AUDIODRIVER", "dummy", 1);
  r->world = world_create(&(world_desc_t){.seed = 1});
  r->components = components_create(r->world, NULL, NULL);
  r->audio = audio_create(false, &r->assets, NULL);
  audio_open(r->audio);
  r->sync = sound_sync_create(NULL);
  r->sounds = world_find_manager(r->world, "sound");
  assert_non_null(r->sounds);
}

TEARDOWN(sound_fixture_t, r) {
  sound_sync_destroy(r->sync);
  audio_destroy(r->audio);
  components_destroy(r->components);
  world_destroy(r->world);
  temporary_folder_remove(r->assets.game);
}

static void set_field(sound_fixture_t *r, shoal_entity e, const char *component, const char *field, double value) {
  const manager_o *m = world_find_manager(r->world, component);
  int32_t column = manager_find_column(m, field);
  assert_true(column >= 0);
  assert_true(world_set_field(r->world, e, m->id, 0, (uint32_t)column, value, NULL));
}

static void set_sound_field(sound_fixture_t *r, shoal_entity e, const char *field, double value) {
  set_field(r, e, "sound", field, value);
}

static shoal_entity add_sound(sound_fixture_t *r, const char *file, bool loop) {
  shoal_entity e = world_spawn(r->world, 0, NULL);
  assert_true(world_add_component(r->world, e, r->sounds->id, 0, NULL));
  set_sound_field(r, e, "file", strings_intern(world_strings(r->world), file));
  set_sound_field(r, e, "loop", loop);
  return e;
}

static uint32_t find_voice(sound_fixture_t *r, shoal_entity e) {
  sound_sync_frame(r->sync, r->world, r->audio, &(sound_view_t){0});
  return sound_sync_voice(r->sync, e);
}

TEST_IN(playing_sound_row_starts_one_voice_and_keeps_it, sound_fixture_t, r) {
  shoal_entity e = add_sound(r, "a.wav", true);
  uint32_t voice = find_voice(r, e);
  assert_int_not_equal(voice, 0);
  assert_true(audio_is_playing(r->audio, voice));
  assert_int_equal(find_voice(r, e), voice);
}

TEST_IN(voice_stops_when_its_entity_is_destroyed, sound_fixture_t, r) {
  shoal_entity destroyed = add_sound(r, "a.wav", true), kept = add_sound(r, "b.wav", true);
  uint32_t voice = find_voice(r, destroyed), other = find_voice(r, kept);
  world_destroy_entity(r->world, destroyed);
  assert_int_equal(find_voice(r, destroyed), 0);
  assert_false(audio_is_playing(r->audio, voice));
  assert_int_equal(find_voice(r, kept), other);
  assert_true(audio_is_playing(r->audio, other));
}

TEST_IN(toggling_playing_stops_and_restarts_the_voice, sound_fixture_t, r) {
  shoal_entity e = add_sound(r, "a.wav", true);
  uint32_t voice = find_voice(r, e);
  set_sound_field(r, e, "playing", 0);
  assert_int_equal(find_voice(r, e), 0);
  assert_false(audio_is_playing(r->audio, voice));
  set_sound_field(r, e, "playing", 1);
  uint32_t again = find_voice(r, e);
  assert_true(again != 0 && again != voice);
}

TEST_IN(changing_the_file_starts_a_new_voice, sound_fixture_t, r) {
  shoal_entity e = add_sound(r, "a.wav", true);
  uint32_t voice = find_voice(r, e);
  set_sound_field(r, e, "file", strings_intern(world_strings(r->world), "b.wav"));
  uint32_t other = find_voice(r, e);
  assert_int_not_equal(other, voice);
  assert_false(audio_is_playing(r->audio, voice));
  assert_true(audio_is_playing(r->audio, other));
}

TEST_IN(sound_without_loop_plays_once, sound_fixture_t, r) {
  shoal_entity e = add_sound(r, "a.wav", false);
  uint32_t voice = find_voice(r, e);
  assert_int_not_equal(voice, 0);
  audio_stop(r->audio, voice, 0); // simulates a voice that has finished playing
  assert_int_equal(find_voice(r, e), voice);
  assert_false(audio_is_playing(r->audio, voice));
}

TEST_IN(missing_sound_file_starts_no_voice_but_other_sounds_play, sound_fixture_t, r) {
  shoal_entity e = add_sound(r, "nosuch.wav", true), ok = add_sound(r, "a.wav", true);
  assert_int_equal(find_voice(r, e), 0);
  assert_int_equal(find_voice(r, e), 0);
  assert_int_not_equal(find_voice(r, ok), 0);
}

TEST_IN(sound_sync_does_not_change_the_world, sound_fixture_t, r) {
  add_sound(r, "a.wav", true);
  add_sound(r, "b.wav", false);
  uint64_t before = world_hash(r->world);
  for (int i = 0; i < 3; ++i)
    sound_sync_frame(r->sync, r->world, r->audio, &(sound_view_t){.paused = i == 1});
  assert_true(world_hash(r->world) == before);
}

TEST_IN(sound_sync_without_a_world_stops_all_voices, sound_fixture_t, r) {
  shoal_entity e = add_sound(r, "a.wav", true);
  uint32_t voice = find_voice(r, e);
  sound_sync_frame(r->sync, NULL, r->audio, &(sound_view_t){0});
  assert_false(audio_is_playing(r->audio, voice));
}

static float get_player_volume(const sound_fixture_t *r, const char *name) {
  uint32_t i = 0;
  while (i < audio_bus_count(r->audio) && strcmp(audio_bus_name(r->audio, i), name) != 0)
    ++i;
  assert_true(i < audio_bus_count(r->audio));
  return audio_get_player_volume(r->audio, i);
}

TEST_IN(buses_without_a_setting_follow_the_effects_volume, sound_fixture_t, r) {
  const char *const names[] = {"effects", "voice"};
  const double volumes[] = {0.25, 0.5};
  schema_buffer_t s;
  schema_init(&s, "settings", SCHEMA_SINGLE, "test");
  for (uint32_t i = 0; i < 2; ++i)
    schema_add_field(&s.schema, names[i], FIELD_F32, volumes[i]);
  error_info_t error;
  assert_int_not_equal(world_declare_schema(r->world, &s.schema, &error), 0);
  audio_set_volume(r->audio, "jingle", 1);
  sound_sync_frame(r->sync, r->world, r->audio, &(sound_view_t){0});
  assert_true(get_player_volume(r, "effects") == 0.25f);
  assert_true(get_player_volume(r, "jingle") == 0.25f);
  assert_true(get_player_volume(r, "ui") == 0.25f);
  assert_true(get_player_volume(r, "voice") == 0.5f);
  assert_true(get_player_volume(r, "music") == 1);
  assert_true(get_player_volume(r, "master") == 1);
}

// --- the listener

static void add_component(sound_fixture_t *r, shoal_entity e, const char *component) {
  assert_true(world_add_component(r->world, e, world_find_manager(r->world, component)->id, 0, NULL));
}

static shoal_entity add_listener(sound_fixture_t *r, double x, uint32_t player) {
  shoal_entity e = world_spawn(r->world, 0, NULL);
  add_component(r, e, "transform");
  add_component(r, e, "sound_listener");
  set_field(r, e, "transform", "x", x);
  set_field(r, e, "sound_listener", "player", player);
  return e;
}

// Returns true if a machine with these local players hears the sounds.
static bool is_audible(sound_fixture_t *r, audio_o *audio, uint32_t players) {
  int16_t samples[2 * 4096];
  world_set_view_players(r->world, players);
  sound_sync_frame(r->sync, r->world, audio, &(sound_view_t){.middle_x = 1000});
  audio_frame(audio, true);
  audio_mix(audio, samples, 4096); // the gain changes smoothly
  audio_mix(audio, samples, 4096);
  for (uint32_t i = 0; i < 2 * 4096; ++i)
    if (samples[i] > 100)
      return true;
  return false;
}

TEST_IN(machine_plays_the_sounds_near_its_players_listener, sound_fixture_t, r) {
  audio_o *audio = audio_create(false, &r->assets, NULL);
  shoal_entity sound = add_sound(r, "loud.wav", true);
  add_component(r, sound, "transform");
  add_component(r, sound, "sound_space");
  set_field(r, sound, "sound_space", "range", 100);
  assert_false(is_audible(r, audio, 1 << 0)); // the listener is then in the middle of the screen
  add_listener(r, 0, 1);
  shoal_entity second = add_listener(r, 1000, 2);
  assert_true(is_audible(r, audio, 1 << 0));
  assert_false(is_audible(r, audio, 1 << 1));
  assert_true(is_audible(r, audio, 1 << 0 | 1 << 1)); // the first listener of this machine
  assert_false(is_audible(r, audio, 1 << 2));
  set_field(r, second, "transform", "x", 0);
  set_field(r, second, "sound_listener", "player", 0); // 0: a listener of all players
  assert_true(is_audible(r, audio, 1 << 2));
  sound_sync_frame(r->sync, NULL, audio, &(sound_view_t){0});
  audio_destroy(audio);
}

// --- ticks that run again

// Runs tick `tick`, which starts the sounds of the text with voice numbers from `voice`: "ab" starts a.wav and b.wav.
static void run_sounds(sound_fixture_t *r, uint64_t tick, uint32_t voice, const char *sounds) {
  audio_begin_tick(r->audio, tick);
  for (uint32_t i = 0; sounds[i]; ++i) {
    char file[] = "?.wav";
    file[0] = sounds[i];
    audio_play_with_voice(r->audio, voice + i, file, &(audio_sound_t){.volume = 1, .pitch = 1});
  }
  audio_end_tick(r->audio);
}

static void run_and_confirm(sound_fixture_t *r, uint64_t tick, uint32_t voice, const char *sounds) {
  run_sounds(r, tick, voice, sounds);
  audio_confirm_tick(r->audio, tick);
}

static uint32_t count_playing(sound_fixture_t *r, uint32_t from, uint32_t to) {
  uint32_t count = 0;
  for (uint32_t voice = from; voice < to; ++voice)
    count += audio_is_playing(r->audio, voice);
  return count;
}

TEST_IN(sound_of_a_repeated_tick_continues_with_the_number_of_the_latest_run, sound_fixture_t, r) {
  run_sounds(r, 1, 10, "a");
  run_sounds(r, 1, 20, "a");
  assert_int_equal(count_playing(r, 10, 11), 0);
  assert_int_equal(count_playing(r, 20, 21), 1);
  run_sounds(r, 2, 30, "ab");
  run_sounds(r, 2, 30, "ba"); // the numbers of two sounds change places
  assert_int_equal(count_playing(r, 30, 32), 2);
  audio_stop(r->audio, 30, 0);
  audio_stop(r->audio, 31, 0);
  assert_int_equal(count_playing(r, 20, 32), 1);
}

TEST_IN(sounds_that_a_repeated_tick_does_not_start_fade_out_after_16_ticks, sound_fixture_t, r) {
  run_sounds(r, 1, 10, "aab");
  run_sounds(r, 1, 10, "a");
  assert_int_equal(count_playing(r, 10, 13), 3); // the sounds that wait keep their numbers
  run_sounds(r, 1, 10, "bab");
  assert_int_equal(count_playing(r, 10, 13), 3);
  run_sounds(r, 1, 10, "");
  for (uint64_t tick = 2; tick <= 30; ++tick)
    run_sounds(r, tick, 20, ""); // a predicted tick
  for (uint64_t tick = 1; tick <= 16; ++tick)
    run_and_confirm(r, tick, 20, "");
  assert_true(count_playing(r, 10, 13) > 0);
  run_and_confirm(r, 17, 20, "");
  assert_int_equal(count_playing(r, 10, 13), 0);
}

TEST_IN(sound_that_a_correction_delays_plays_once, sound_fixture_t, r) {
  run_sounds(r, 1, 10, "a");
  run_sounds(r, 1, 10, "");
  for (uint64_t tick = 2; tick <= 8; ++tick) // the press arrives in a later frame
    run_sounds(r, tick, 20, tick == 8 ? "a" : "");
  assert_int_equal(count_playing(r, 10, 11), 0);
  assert_int_equal(count_playing(r, 20, 21), 1);
  for (uint64_t tick = 9; tick <= 40; ++tick)
    run_and_confirm(r, tick, 30, "");
  assert_int_equal(count_playing(r, 20, 21), 1);
}

TEST_IN(sound_that_a_correction_moves_to_an_earlier_tick_plays_once, sound_fixture_t, r) {
  run_sounds(r, 1, 10, "");
  run_sounds(r, 2, 10, "");
  run_sounds(r, 3, 10, "a");
  run_sounds(r, 2, 20, "a");
  run_sounds(r, 3, 30, "");
  assert_int_equal(count_playing(r, 10, 31), 1);
  assert_int_equal(count_playing(r, 20, 21), 1);
  for (uint64_t tick = 4; tick <= 40; ++tick)
    run_and_confirm(r, tick, 40, "");
  assert_int_equal(count_playing(r, 20, 21), 1);
}

TEST_IN(equal_sounds_of_neighbouring_ticks_remain_separate, sound_fixture_t, r) {
  run_sounds(r, 1, 10, "a");
  run_sounds(r, 2, 20, "a");
  assert_int_equal(count_playing(r, 10, 21), 2);
  run_sounds(r, 1, 10, ""); // both start two ticks later
  run_sounds(r, 2, 20, "");
  run_sounds(r, 3, 30, "a");
  run_sounds(r, 4, 40, "a");
  run_sounds(r, 5, 50, "a");
  assert_int_equal(count_playing(r, 30, 31) + count_playing(r, 40, 41) + count_playing(r, 50, 51), 3);
}

TEST_IN(sounds_of_different_ticks_are_not_affected, sound_fixture_t, r) {
  run_sounds(r, 1, 10, "a");
  run_sounds(r, 2, 20, "a");
  run_sounds(r, 2, 20, "");
  assert_int_equal(count_playing(r, 10, 30), 2); // the sound of tick 2 waits
  run_sounds(r, 33, 40, "b");                    // takes the slot of tick 1
  audio_confirm_tick(r->audio, 18);
  assert_int_equal(count_playing(r, 10, 30), 1);
  run_sounds(r, 1, 50, "a");
  assert_int_equal(count_playing(r, 10, 60), 3);
  audio_play_with_voice(r->audio, 60, "a.wav", &(audio_sound_t){.volume = 1, .pitch = 1}); // starts outside ticks
  assert_int_equal(count_playing(r, 60, 61), 1);
}
