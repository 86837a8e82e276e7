// Resampling must preserve the sound: each result is compared with the sine wave that the input was sampled from.
#include "platform/resample.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define EDGE 64 // number of frames at each end that are affected by the silence around the sound

static int16_t tone_sample(double hz, uint32_t rate, size_t frame) {
  return (int16_t)lround(16000.0 * sin(2.0 * PI * hz * (double)frame / rate));
}

// Resamples a tone from one rate to another and stores the number of resulting frames.
static int16_t *resample_tone(double hz, uint32_t from, uint32_t to, size_t *frames) {
  size_t count = from / 4;
  int16_t *samples = malloc(count * sizeof *samples);
  for (size_t i = 0; i < count; ++i)
    samples[i] = tone_sample(hz, from, i);
  resample_desc_t desc = {.source = samples, .frames = count, .channels = 1, .from_hz = from, .to_hz = to};
  *frames = resample_count_output_frames(&desc);
  int16_t *out = malloc(*frames * sizeof *out);
  assert_true(resample(&desc, out));
  free(samples);
  return out;
}

TEST(tone_is_preserved_when_resampled_from_nine_rates) {
  const uint32_t rates[] = {8000, 11025, 22050, 24000, 32000, 44056, 48000, 96000, 192000};
  for (size_t r = 0; r < sizeof rates / sizeof rates[0]; ++r) {
    size_t frames;
    int16_t *out = resample_tone(440.0, rates[r], 44100, &frames);
    assert_in_range(frames, 44100 / 4 - 16, 44100 / 4 + 16);
    for (size_t i = EDGE * 4; i + EDGE * 8 < frames; ++i)
      if (abs(out[i] - tone_sample(440.0, 44100, i)) > 16) // a tolerance of a thousandth of the amplitude
        fail_msg("%u Hz: %d instead of %d at %zu", rates[r], out[i], tone_sample(440.0, 44100, i), i);
    free(out);
  }
}

static int find_peak(const int16_t *samples, size_t frames) {
  int max = 0;
  for (size_t i = EDGE; i + EDGE < frames; ++i)
    max = abs(samples[i]) > max ? abs(samples[i]) : max;
  return max;
}

TEST(downsampling_does_not_alias) {
  size_t frames;
  int16_t *out = resample_tone(30000.0, 96000, 44100, &frames);
  assert_in_range(find_peak(out, frames), 0, 80);
  free(out);
  out = resample_tone(9000.0, 22050, 44100, &frames);
  assert_in_range(find_peak(out, frames), 14000, 16100);
  free(out);
}

TEST(resampling_preserves_levels_and_does_not_overflow) {
  enum { FRAMES = 400, TO = 800 };
  int16_t level[FRAMES], square[FRAMES], out[TO];
  for (int i = 0; i < FRAMES; ++i) {
    level[i] = 12345;
    square[i] = i / 7 % 2 ? INT16_MAX : INT16_MIN;
  }
  resample_desc_t desc = {.source = level, .frames = FRAMES, .channels = 1, .from_hz = 22050, .to_hz = 44100};
  assert_int_equal(resample_count_output_frames(&desc), TO);
  assert_true(resample(&desc, out));
  for (int i = EDGE; i < TO - EDGE; ++i)
    assert_int_equal(out[i], 12345);
  desc.source = square;
  assert_true(resample(&desc, out));
  for (int i = EDGE; i < TO - EDGE; ++i)
    if (i / 2 % 7 == 3)
      assert_true(square[i / 2] > 0 ? out[i] > 20000 : out[i] < -20000);
}

TEST(stereo_channels_are_resampled_separately) {
  enum { FRAMES = 600 };
  int16_t both[2 * FRAMES], out[2 * FRAMES];
  for (size_t i = 0; i < FRAMES; ++i) {
    both[2 * i] = tone_sample(1000.0, 48000, i);
    both[2 * i + 1] = 0;
  }
  resample_desc_t desc = {.source = both, .frames = FRAMES, .channels = 2, .from_hz = 48000, .to_hz = 44100};
  size_t frames = resample_count_output_frames(&desc);
  assert_int_equal(frames, 552);
  assert_true(resample(&desc, out));
  for (size_t i = EDGE; i + EDGE < frames; ++i) {
    assert_true(abs(out[2 * i] - tone_sample(1000.0, 44100, i)) <= 16);
    assert_int_equal(out[2 * i + 1], 0);
  }
}

TEST(sound_shorter_than_the_filter_is_resampled) {
  const int16_t one = 1000;
  int16_t out[8] = {0};
  resample_desc_t desc = {.source = &one, .frames = 1, .channels = 1, .from_hz = 11025, .to_hz = 44100};
  assert_int_equal(resample_count_output_frames(&desc), 4);
  assert_true(resample(&desc, out));
  assert_in_range(out[0], 900, 1000);
  desc.from_hz = 192000;
  assert_int_equal(resample_count_output_frames(&desc), 1);
  assert_true(resample(&desc, out));
}
