// Decoding of sound files to the format of the output. For every format, rate and number of channels, the length must
// be exact to one frame, and the first frame must be the first frame of the sound. The files in tests/unit/sounds
// contain 0.2 seconds of a 1 kHz tone, written by FFmpeg; their names are FORMAT_RATE_CHANNELS.
#include "platform/sound_decode.h"

#include "base/files.h"
#include "render_fixture.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>

#define SOUND_FRAMES (SOUND_RATE_HZ / 5)
#define MAX_FRAMES (2 * SOUND_FRAMES)
#define EDGE_FRAMES 1500 // codecs distort the start and the end of the tone

typedef struct decoded_t {
  sound_head_t head;
  size_t frames;
  int16_t samples[2 * MAX_FRAMES];
} decoded_t;

static void get_sound_path(char *out, size_t size, const char *name) {
  assets_t assets = engine_assets();
  snprintf(out, size, "%s/../tests/unit/sounds/%s", assets.engine, name);
}

static void decode_bytes(const char *name, const uint8_t *bytes, size_t size_bytes, decoded_t *out) {
  error_info_t error = {0};
  static bool is_prepared;
  if (!is_prepared)
    sound_decode_prepare();
  is_prepared = true;
  if (!sound_head_read(bytes, size_bytes, true, &out->head, &error))
    fail_msg("%s: %s", name, error.text);
  out->frames = sound_decode(bytes, size_bytes, &out->head, out->samples, MAX_FRAMES, &error);
  if (out->frames == 0)
    fail_msg("%s: %s", name, error.text);
}

static char *read_file(allocator_t *memory, const char *name, size_t *size_bytes) {
  char path[1280];
  error_info_t error = {0};
  get_sound_path(path, sizeof path, name);
  char *bytes = file_read(memory, path, size_bytes, &error);
  if (!bytes)
    fail_msg("%s", error.text);
  return bytes;
}

static void decode_file(const char *name, decoded_t *out) {
  allocator_t memory = {0};
  size_t size_bytes = 0;
  char *bytes = read_file(&memory, name, &size_bytes);
  decode_bytes(name, (const uint8_t *)bytes, size_bytes, out);
  file_free(&memory, bytes, size_bytes);
}

static double tone(size_t frame) {
  return sin(2.0 * 3.14159265358979323846 * 1000.0 * (double)frame / SOUND_RATE_HZ);
}

// Fails unless the sound has the length and the phase of the original. An offset of one frame is an error of 14 %.
static void check_tone(const char *name, const decoded_t *d) {
  double product = 0, square = 0, errors = 0, power = 0;
  if (d->frames < SOUND_FRAMES - 1 || d->frames > SOUND_FRAMES + 1)
    fail_msg("%s: %zu frames instead of %u", name, d->frames, SOUND_FRAMES);
  for (size_t i = EDGE_FRAMES; i + EDGE_FRAMES < d->frames; ++i) {
    product += (d->samples[2 * i] + d->samples[2 * i + 1]) * tone(i);
    square += tone(i) * tone(i);
  }
  double amplitude = product / square;
  for (size_t i = EDGE_FRAMES; i + EDGE_FRAMES < d->frames; ++i) {
    double expected = amplitude * tone(i), sample = d->samples[2 * i] + d->samples[2 * i + 1];
    errors += (sample - expected) * (sample - expected);
    power += expected * expected;
  }
  if (amplitude < 1000 || sqrt(errors / power) > 0.07)
    fail_msg("%s: amplitude %.0f, error %.1f %%", name, amplitude, 100 * sqrt(errors / power));
}

static void decoded_sounds_have_the_exact_length_and_phase_in_every_format(void **state) {
  (void)state;
  char folder[1280];
  uint32_t count = 0;
  decoded_t *d = calloc(1, sizeof *d);
  get_sound_path(folder, sizeof folder, "");
  DIR *dir = opendir(folder);
  assert_non_null(dir);
  for (struct dirent *entry; (entry = readdir(dir));)
    if (strchr(entry->d_name, '_')) {
      decode_file(entry->d_name, d);
      check_tone(entry->d_name, d);
      ++count;
    }
  closedir(dir);
  free(d);
  assert_in_range(count, 24, 99);
}

// The files contain a tone in the front right channel only.
static void surround_channels_are_mixed_to_their_own_side(void **state) {
  (void)state;
  static const char *const NAMES[] = {"vorbis-5.1-right.ogg", "opus-5.1-right.opus"};
  decoded_t *d = calloc(1, sizeof *d);
  for (size_t f = 0; f < 2; ++f) {
    double left = 0, right = 0;
    decode_file(NAMES[f], d);
    assert_in_range(d->frames, SOUND_FRAMES - 1, SOUND_FRAMES + 1);
    for (size_t i = 0; i < d->frames; ++i) {
      left += fabs((double)d->samples[2 * i]);
      right += fabs((double)d->samples[2 * i + 1]);
    }
    if (right < 1000.0 * (double)d->frames || left > right / 50)
      fail_msg("%s: mean amplitude %.0f left, %.0f right", NAMES[f], left / (double)d->frames,
               right / (double)d->frames);
  }
  free(d);
}

static void loop_points_of_a_48_khz_file_are_accepted(void **state) {
  (void)state;
  uint32_t from, to;
  decoded_t *d = calloc(1, sizeof *d);
  decode_file("vorbis_48000_1_loop.ogg", d);
  assert_true(sound_get_loop(&d->head, (uint32_t)d->frames, &from, &to));
  assert_int_equal(from, 2400 * 441 / 480);
  assert_int_equal(to, SOUND_FRAMES);
  free(d);
}

static void mp3_is_trimmed_if_tags_with_pictures_precede_its_first_frame(void **state) {
  (void)state;
  enum { TAG_BYTES = 3000 };
  allocator_t memory = {0};
  decoded_t *d = calloc(1, sizeof *d);
  size_t size_bytes = 0;
  char *bytes = read_file(&memory, "mp3_44100_1.mp3", &size_bytes), *tagged = calloc(1, 2 * TAG_BYTES + size_bytes);
  for (size_t tag = 0; tag < 2; ++tag) {
    char *at = tagged + tag * TAG_BYTES;
    memcpy(at, "ID3\3\0\0\0\0", 8);
    at[8] = (TAG_BYTES - 10) >> 7;
    at[9] = (TAG_BYTES - 10) & 127;
    memcpy(at + 40, "\xFF\xFB\x90\x64Xing", 8); // looks like a frame
  }
  memcpy(tagged + 2 * TAG_BYTES, bytes, size_bytes);
  decode_bytes("tagged.mp3", (const uint8_t *)tagged, 2 * TAG_BYTES + size_bytes, d);
  check_tone("tagged.mp3", d);
  free(tagged);
  file_free(&memory, bytes, size_bytes);
  free(d);
}

// Without the tag, the length is unknown: the sound keeps the silence of its encoder.
static void mp3_without_a_tag_is_decoded_completely_at_its_own_rate(void **state) {
  (void)state;
  allocator_t memory = {0};
  decoded_t *d = calloc(1, sizeof *d);
  size_t size_bytes = 0, skipped = 0;
  char *bytes = read_file(&memory, "mp3_48000_1.mp3", &size_bytes);
  for (uint32_t headers = 0; headers < 2; headers += memcmp(bytes + skipped, "\xFF\xFB", 2) == 0) // the second frame
    ++skipped;
  decode_bytes("no_tag.mp3", (const uint8_t *)bytes + skipped, size_bytes - skipped, d);
  assert_int_equal(d->head.rate_hz, 48000);
  assert_int_equal(d->head.skip_frames, 0);
  assert_int_equal(d->frames % 1152 * 480 / 441 / 1152, 0);
  assert_in_range(d->frames, SOUND_FRAMES + 1000, SOUND_FRAMES + 3000);
  file_free(&memory, bytes, size_bytes);
  free(d);
}

static void damaged_mp3_headers_are_read_safely(void **state) {
  (void)state;
  allocator_t memory = {0};
  size_t size_bytes = 0;
  char *bytes = read_file(&memory, "mp3_22050_1.mp3", &size_bytes);
  for (size_t at = 0; at < 400 && at < size_bytes; ++at) {
    uint8_t *part = malloc(size_bytes - at); // exact size, for AddressSanitizer
    sound_head_t head;
    memcpy(part, bytes, size_bytes - at);
    sound_head_read(part, at < 4 ? size_bytes - at : at, false, &head, NULL);
    for (int value = 0; value < 256; value += 15) {
      part[at / 2] = (uint8_t)value;
      sound_head_read(part, size_bytes - at, false, &head, NULL);
      assert_true(head.rate_hz <= 48000 && head.skip_frames < 10000);
    }
    free(part);
  }
  file_free(&memory, bytes, size_bytes);
}

int sound_decode_tests(void);
int sound_decode_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(decoded_sounds_have_the_exact_length_and_phase_in_every_format),
      cmocka_unit_test(surround_channels_are_mixed_to_their_own_side),
      cmocka_unit_test(loop_points_of_a_48_khz_file_are_accepted),
      cmocka_unit_test(mp3_is_trimmed_if_tags_with_pictures_precede_its_first_frame),
      cmocka_unit_test(mp3_without_a_tag_is_decoded_completely_at_its_own_rate),
      cmocka_unit_test(damaged_mp3_headers_are_read_safely),
  };
  return cmocka_run_group_tests_name("sound_decode", tests, NULL, NULL);
}
