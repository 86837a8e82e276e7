// The audio mixer: volume, panning, pitch, fades, loops and buses, checked in the mixed samples.
#include "platform/mixer.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define SECOND 44100u

typedef struct mixer_fixture_t {
  mixer_t mixer;
  int16_t tone[2 * SECOND]; // 441 Hz square wave, 100 frames per period: 50 high, 50 low
  int16_t steps[2 * 1000];  // frame i has the value i on the left channel and -i on the right
  int16_t out[2 * SECOND];
} mixer_fixture_t;

SETUP(mixer_fixture_t, b) {
  mixer_init(&b->mixer);
  for (uint32_t i = 0; i < SECOND; ++i)
    b->tone[2 * i] = b->tone[2 * i + 1] = i % 100 < 50 ? 8000 : -8000;
  for (int16_t i = 0; i < 1000; ++i) {
    b->steps[2 * i] = i;
    b->steps[2 * i + 1] = (int16_t)-i;
  }
}

TEARDOWN(mixer_fixture_t, b) {
}

static mixer_play_t make_tone(mixer_fixture_t *b) {
  return (mixer_play_t){.sound = {.samples = b->tone, .frames = SECOND}, .gain = {1, 1, 1}, .level = 1, .bus = 1};
}

static mixer_play_t make_steps(mixer_fixture_t *b) {
  return (mixer_play_t){.sound = {.samples = b->steps, .frames = 1000}, .gain = {1, 1, 1}, .level = 1, .bus = 1};
}

// Returns the peak of one channel within a range of frames.
static int find_peak(const mixer_fixture_t *b, uint32_t from, uint32_t to, uint32_t side) {
  int max = 0;
  for (uint32_t i = from; i < to; ++i)
    max = abs(b->out[2 * i + side]) > max ? abs(b->out[2 * i + side]) : max;
  return max;
}

TEST_IN(mono_plays_the_mean_on_both_channels, mixer_fixture_t, b) {
  mixer_play_t tone = make_tone(b);
  tone.gain.left = 0; // the tone is on the right only
  b->mixer.mono = true;
  mixer_play(&b->mixer, 0, &tone);
  mixer_mix(&b->mixer, b->out, 1000);
  assert_true(find_peak(b, 500, 1000, 0) > 1000);
  for (uint32_t i = 0; i < 1000; ++i)
    assert_int_equal(b->out[2 * i], b->out[2 * i + 1]);
}

static uint32_t count_sign_changes(const mixer_fixture_t *b, uint32_t frames) {
  uint32_t count = 0;
  for (uint32_t i = 1; i < frames; ++i)
    count += (b->out[2 * i] > 0) != (b->out[2 * i - 2] > 0);
  return count;
}

TEST_IN(sound_at_pitch_1_is_copied_exactly, mixer_fixture_t, b) {
  mixer_play_t play = make_steps(b);
  mixer_play(&b->mixer, 0, &play);
  mixer_mix(&b->mixer, b->out, 1000);
  assert_memory_equal(b->out, b->steps, sizeof b->steps);
  assert_false(mixer_is_playing(&b->mixer, 0));
  mixer_mix(&b->mixer, b->out, 100);
  assert_int_equal(find_peak(b, 0, 100, 0), 0);
}

TEST_IN(channel_gains_scale_left_and_right, mixer_fixture_t, b) {
  mixer_play_t play = make_tone(b);
  play.gain = (mixer_gain_t){.left = 1.0f, .right = 0.25f, .pitch = 1.0f};
  mixer_play(&b->mixer, 3, &play);
  mixer_mix(&b->mixer, b->out, 1000);
  assert_int_equal(find_peak(b, 0, 1000, 0), 8000);
  assert_int_equal(find_peak(b, 0, 1000, 1), 2000);
  mixer_set_gain(&b->mixer, 3, (mixer_gain_t){.left = 0.0f, .right = 1.0f, .pitch = 1.0f});
  mixer_mix(&b->mixer, b->out, 1000);
  assert_int_equal(find_peak(b, MIXER_BLOCK, 1000, 0), 0);
  assert_int_equal(find_peak(b, MIXER_BLOCK, 1000, 1), 8000);
}

TEST_IN(pitch_of_2_doubles_frequency_and_halves_length, mixer_fixture_t, b) {
  mixer_play_t play = make_tone(b);
  play.gain.pitch = 2.0f;
  mixer_play(&b->mixer, 0, &play);
  mixer_mix(&b->mixer, b->out, SECOND / 2);
  assert_in_range(count_sign_changes(b, SECOND / 2), 878, 886);
  assert_false(mixer_is_playing(&b->mixer, 0));
  play.gain.pitch = 0.5f;
  mixer_play(&b->mixer, 0, &play);
  mixer_mix(&b->mixer, b->out, SECOND);
  assert_in_range(count_sign_changes(b, SECOND), 438, 444);
  assert_true(mixer_is_playing(&b->mixer, 0));
}

TEST_IN(resampling_interpolates_linearly, mixer_fixture_t, b) {
  mixer_play_t play = make_steps(b);
  play.gain.pitch = 0.25f;
  mixer_play(&b->mixer, 0, &play);
  mixer_mix(&b->mixer, b->out, 3900);
  for (int i = 8; i < 3900; ++i) // a linear ramp stays linear
    assert_in_range(b->out[2 * i], i / 4, (i + 3) / 4);
}

TEST_IN(sound_with_an_invalid_pitch_keeps_playing, mixer_fixture_t, b) {
  mixer_play_t play = make_tone(b);
  const float wrong[] = {0.0f, -3.0f, 1e30f, 0.0f / 0.0f};
  for (uint32_t i = 0; i < 4; ++i) {
    play.gain.pitch = wrong[i];
    play.loop = true;
    mixer_play(&b->mixer, i, &play);
  }
  mixer_mix(&b->mixer, b->out, SECOND);
  for (uint32_t i = 0; i < 4; ++i)
    assert_true(mixer_is_playing(&b->mixer, i));
}

TEST_IN(fade_in_is_linear_and_fade_out_frees_the_voice, mixer_fixture_t, b) {
  mixer_play_t play = make_tone(b);
  play.fade_s = 0.5f;
  mixer_play(&b->mixer, 0, &play);
  mixer_mix(&b->mixer, b->out, SECOND / 2);
  for (uint32_t tenth = 0; tenth < 10; ++tenth)
    assert_in_range(find_peak(b, tenth * 2205, (tenth + 1) * 2205, 0), 800 * tenth + 600, 800 * tenth + 900);
  mixer_stop(&b->mixer, 0, 0.1f);
  mixer_mix(&b->mixer, b->out, 4200);
  assert_true(mixer_is_playing(&b->mixer, 0));
  assert_true(find_peak(b, 0, 400, 0) > 7000 && find_peak(b, 3900, 4200, 0) < 1000);
  mixer_mix(&b->mixer, b->out, 400);
  assert_false(mixer_is_playing(&b->mixer, 0));
  assert_false(mixer_uses_samples(&b->mixer, b->tone));
}

TEST_IN(loop_plays_its_intro_once_and_repeats_its_range, mixer_fixture_t, b) {
  mixer_play_t play = make_steps(b);
  play.loop = true;
  play.sound.loop_from = 400;
  play.sound.loop_to = 900;
  mixer_play(&b->mixer, 0, &play);
  mixer_mix(&b->mixer, b->out, 2400);
  for (int i = 0; i < 2400; ++i)
    assert_int_equal(b->out[2 * i], i < 900 ? i : 400 + (i - 900) % 500);
}

TEST_IN(invalid_loop_range_repeats_the_whole_sound, mixer_fixture_t, b) {
  const uint32_t wrong[][2] = {{500, 2000}, {900, 300}, {5000, 6000}, {0, 0}};
  for (uint32_t k = 0; k < 4; ++k) {
    mixer_play_t play = make_steps(b);
    play.loop = true;
    play.sound.loop_from = wrong[k][0];
    play.sound.loop_to = wrong[k][1];
    mixer_play(&b->mixer, 0, &play);
    mixer_mix(&b->mixer, b->out, 2100);
    for (int i = 0; i < 2100; ++i)
      assert_int_equal(b->out[2 * i], i % 1000);
  }
}

TEST_IN(bus_and_master_volumes_multiply, mixer_fixture_t, b) {
  mixer_play_t play = make_tone(b);
  b->mixer.buses[1].volume = 0.5f;
  b->mixer.buses[MIXER_MASTER].volume = 0.5f;
  mixer_play(&b->mixer, 0, &play);
  mixer_mix(&b->mixer, b->out, 1000);
  assert_int_equal(find_peak(b, MIXER_BLOCK, 1000, 0), 2000);
}

TEST_IN(bus_is_ducked_while_another_bus_plays, mixer_fixture_t, b) {
  mixer_play_t music = make_tone(b), voice = make_tone(b);
  music.loop = true;
  voice.bus = 2;
  voice.gain.left = 0.0f; // leaves only the music audible on the left channel
  mixer_bus_t *bus = &b->mixer.buses[1];
  bus->duck = 0.25f;
  bus->attack_s = bus->release_s = 0.1f;
  bus->ducked_by = 1u << 2;
  mixer_play(&b->mixer, 0, &music);
  mixer_mix(&b->mixer, b->out, 4410);
  assert_int_equal(find_peak(b, 0, 4410, 0), 8000);
  mixer_play(&b->mixer, 1, &voice);
  mixer_mix(&b->mixer, b->out, SECOND);
  assert_true(find_peak(b, 1000, 2000, 0) < 7000 && find_peak(b, 1000, 2000, 0) > 3000);
  assert_int_equal(find_peak(b, 5000, SECOND, 0), 2000);
  assert_false(mixer_is_playing(&b->mixer, 1));
  mixer_mix(&b->mixer, b->out, SECOND);
  assert_int_equal(find_peak(b, 5000, SECOND, 0), 8000);
}

TEST_IN(silent_bus_does_not_duck_another_bus, mixer_fixture_t, b) {
  mixer_play_t music = make_tone(b), voice = make_tone(b);
  voice.bus = 2;
  b->mixer.buses[1].duck = 0.0f;
  b->mixer.buses[1].ducked_by = 1u << 2;
  b->mixer.buses[2].volume = 0.0f;
  mixer_play(&b->mixer, 0, &music);
  mixer_play(&b->mixer, 1, &voice);
  mixer_mix(&b->mixer, b->out, 2000);
  assert_int_equal(find_peak(b, 1000, 2000, 0), 8000);
}

TEST_IN(loud_mix_is_clipped_without_wrapping_around, mixer_fixture_t, b) {
  mixer_play_t play = make_tone(b);
  for (uint32_t i = 0; i < MIXER_VOICES; ++i)
    mixer_play(&b->mixer, i, &play);
  mixer_mix(&b->mixer, b->out, 100);
  assert_true(b->out[20] > 27000 && b->out[2 * 70] < -27000);
}

TEST_IN(seek_moves_a_voice_to_its_frame_within_the_loop, mixer_fixture_t, b) {
  mixer_play_t play = make_steps(b);
  play.sound.loop_from = 100;
  play.sound.loop_to = 300;
  play.loop = true;
  mixer_play(&b->mixer, 0, &play);
  mixer_seek(&b->mixer, 0, 250);
  mixer_mix(&b->mixer, b->out, 4);
  assert_int_equal(b->out[0], 250);
  mixer_seek(&b->mixer, 0, 100 + 7 * 200 + 5); // seven loop periods after frame 100
  mixer_mix(&b->mixer, b->out, 4);
  assert_int_equal(b->out[2], 106);
}

TEST_IN(voices_at_the_same_frame_stay_in_sync, mixer_fixture_t, b) {
  mixer_play_t play = make_steps(b);
  play.loop = true;
  mixer_play(&b->mixer, 0, &play);
  mixer_mix(&b->mixer, b->out, 777);
  play.gain = (mixer_gain_t){-1, -1, 1};
  mixer_play(&b->mixer, 1, &play);
  mixer_seek(&b->mixer, 1, b->mixer.mixed_frames);
  mixer_mix(&b->mixer, b->out, 128); // mixes until the volume has ramped up
  mixer_mix(&b->mixer, b->out, 5000);
  assert_int_equal(find_peak(b, 0, 5000, 0), 0);
}

TEST_IN(lowpass_removes_high_frequencies, mixer_fixture_t, b) {
  mixer_play_t play = make_tone(b);
  play.gain.pitch = 8; // 441 Hz × 8 = 3,528 Hz
  b->mixer.buses[1].lowpass = (lowpass_t){.target_hz = 400};
  mixer_play(&b->mixer, 0, &play);
  mixer_mix(&b->mixer, b->out, SECOND / 10);
  assert_in_range(find_peak(b, SECOND / 20, SECOND / 10, 0), 20, 600);
  play.gain.pitch = 0.1f; // 441 Hz × 0.1 = 44 Hz
  mixer_play(&b->mixer, 0, &play);
  mixer_mix(&b->mixer, b->out, SECOND / 2);
  assert_in_range(find_peak(b, SECOND / 4, SECOND / 2, 0), 7000, 8400);
  b->mixer.buses[1].lowpass.target_hz = 0;
  play = make_tone(b);
  mixer_play(&b->mixer, 0, &play);
  mixer_mix(&b->mixer, b->out, SECOND / 2);
  assert_int_equal(find_peak(b, SECOND / 4, SECOND / 2, 0), 8000);
}

TEST_IN(reverb_decays_to_silence, mixer_fixture_t, b) {
  mixer_play_t play = make_steps(b);
  b->mixer.buses[1].reverb = 1;
  mixer_play(&b->mixer, 0, &play);
  mixer_mix(&b->mixer, b->out, SECOND / 2);
  assert_int_equal(b->out[2 * 500], 500); // no reflection has arrived yet
  assert_in_range(find_peak(b, 4000, SECOND / 2, 0), 20, 900);
  assert_int_not_equal(b->out[2 * 6000], -b->out[2 * 6000 + 1]); // the channels differ: the reverb is stereo
  for (int i = 0; i < 8; ++i)
    mixer_mix(&b->mixer, b->out, SECOND / 2);
  assert_int_equal(find_peak(b, 0, SECOND / 2, 0), 0);
}

TEST_IN(master_lowpass_filters_sounds_of_two_buses, mixer_fixture_t, b) {
  mixer_play_t play = make_tone(b);
  play.gain.pitch = 8;
  b->mixer.buses[MIXER_MASTER].lowpass = (lowpass_t){.target_hz = 400};
  mixer_play(&b->mixer, 0, &play);
  play.bus = 2;
  mixer_play(&b->mixer, 1, &play);
  mixer_mix(&b->mixer, b->out, SECOND / 10);
  assert_in_range(find_peak(b, SECOND / 20, SECOND / 10, 0), 40, 1200);
}
