// Decoding of sound files to the format of the output. For every format, rate and number of channels, the length must
// be exact to one frame, and the first frame must be the first frame of the sound. The files in tests/unit/sounds
// contain 0.2 seconds of a 1 kHz tone, written by FFmpeg; their names are FORMAT_RATE_CHANNELS. In the files
// FORMAT-order-CHANNELS and flac-mask-LAYOUT, each channel has a different tone.
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

TEST(decoded_sounds_have_the_exact_length_and_phase_in_every_format) {
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
TEST(surround_channels_are_mixed_to_their_own_side) {
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

// Returns the frequency of a channel's tone in the files FORMAT-order-CHANNELS. The channels have the order of WAV and
// FLAC: front left and right, center (with 3, 5 or more channels), bass (with 6 or more), and the pairs at the back and
// the sides. With 7 channels, the back has one channel.
static double channel_hz(uint32_t channel, uint32_t channels) {
  static const double HZ[SOUND_MAX_CHANNELS] = {300, 400, 500, 600, 700, 800, 900, 1000};
  return channel == 3 && channels > 5 ? 50 : HZ[channel]; // codecs remove high tones from the bass channel
}

// Returns the amplitude of a tone in one output channel relative to the file, over 0.1 seconds, in which tones of all
// multiples of 10 Hz are orthogonal.
static double measure_tone(const decoded_t *d, uint32_t side, double hz) {
  enum { FIRST = SOUND_RATE_HZ / 20, COUNT = SOUND_RATE_HZ / 10 };
  double re = 0, im = 0;
  for (size_t i = FIRST; i < FIRST + COUNT; ++i) {
    double angle = 2.0 * 3.14159265358979323846 * hz * (double)i / SOUND_RATE_HZ;
    re += cos(angle) * d->samples[2 * i + side];
    im += sin(angle) * d->samples[2 * i + side];
  }
  return 2 * sqrt(re * re + im * im) / COUNT / (0.3 * 32767);
}

static void put(uint8_t **at, uint32_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    *(*at)++ = (uint8_t)(value >> 8 * i);
}

// Decodes a WAV file with a different tone in each channel. If `speakers` is not 0, the file has a WAVEFORMATEXTENSIBLE
// header with this channel mask.
static void decode_wav_of_tones(uint32_t channels, uint32_t speakers, decoded_t *out) {
  static const char PCM_GUID_END[] = "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71";
  uint32_t data_bytes = SOUND_FRAMES * channels * 2, format_bytes = speakers ? 40 : 16;
  uint8_t *bytes = malloc(28 + format_bytes + data_bytes), *at = bytes;
  memcpy(at, "RIFF", 4), at += 4;
  put(&at, 20 + format_bytes + data_bytes, 4);
  memcpy(at, "WAVEfmt ", 8), at += 8;
  put(&at, format_bytes, 4), put(&at, speakers ? 0xFFFE : 1, 2), put(&at, channels, 2), put(&at, SOUND_RATE_HZ, 4);
  put(&at, SOUND_RATE_HZ * channels * 2, 4), put(&at, channels * 2, 2), put(&at, 16, 2);
  if (speakers) {
    put(&at, 22, 2), put(&at, 16, 2), put(&at, speakers, 4), put(&at, 1, 2);
    memcpy(at, PCM_GUID_END, 14), at += 14;
  }
  memcpy(at, "data", 4), at += 4;
  put(&at, data_bytes, 4);
  for (uint32_t i = 0; i < SOUND_FRAMES * channels; ++i) {
    double turns = channel_hz(i % channels, channels) * (i / channels) / SOUND_RATE_HZ;
    put(&at, (uint32_t)(int32_t)(0.3 * 32767 * sin(2.0 * 3.14159265358979323846 * turns)), 2);
  }
  decode_bytes("tones.wav", bytes, 28 + format_bytes + data_bytes, out);
  free(bytes);
}

// Shares of the channels in the left and right output, as in engine/docs/sound.md.
#define PAIR(own_, opposite_)                                                                                          \
  {own_, opposite_}, {                                                                                                 \
    opposite_, own_                                                                                                    \
  } // a left channel and its right counterpart
#define BOTH(share_)                                                                                                   \
  { share_, share_ }
static const double MIX[SOUND_MAX_CHANNELS + 1][SOUND_MAX_CHANNELS][2] = {
    [3] = {PAIR(0.295, 0), BOTH(0.208)},
    [4] = {PAIR(0.421, 0), PAIR(0.359, 0.220)},
    [5] = {PAIR(0.295, 0), BOTH(0.208), PAIR(0.252, 0.155)},
    [6] = {PAIR(0.295, 0), BOTH(0.208), BOTH(0.091), PAIR(0.252, 0.155)},
    [7] = {PAIR(0.247, 0), BOTH(0.174), BOTH(0.077), BOTH(0.174), PAIR(0.226, 0.101)},
    [8] = {PAIR(0.212, 0), BOTH(0.150), BOTH(0.067), PAIR(0.181, 0.111), PAIR(0.194, 0.086)},
};

static void check_mix(const char *name, uint32_t channels, const double mix[][2], const decoded_t *d) {
  for (uint32_t c = 0; c < channels; ++c)
    for (uint32_t side = 0; side < 2; ++side) {
      double share = measure_tone(d, side, channel_hz(c, channels)), expected = mix[c][side];
      bool is_bass = channel_hz(c, channels) < 100; // codecs keep low tones less exactly
      if (fabs(share - expected) > (is_bass ? 0.025 : 0.005))
        fail_msg("%s: channel %u of %u has the share %.3f in output %u instead of %.3f", name, c, channels, share, side,
                 expected);
    }
}

TEST(every_channel_of_every_format_is_mixed_to_its_side) {
  decoded_t *d = calloc(1, sizeof *d);
  for (uint32_t channels = 3; channels <= SOUND_MAX_CHANNELS; ++channels) {
    static const char *const FORMATS[][2] = {{"vorbis", "ogg"}, {"opus", "opus"}, {"flac", "flac"}};
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; ++i) {
      char name[64];
      snprintf(name, sizeof name, "%s-order-%u.%s", FORMATS[i][0], channels, FORMATS[i][1]);
      decode_file(name, d);
      assert_int_equal(d->head.channels, channels);
      check_mix(name, channels, MIX[channels], d);
    }
    decode_wav_of_tones(channels, 0, d);
    check_mix("tones.wav", channels, MIX[channels], d);
  }
  free(d);
}

typedef struct masked_t {
  const char *layout;
  uint32_t channels, speakers;
  double mix[SOUND_MAX_CHANNELS][2];
} masked_t;

static const masked_t MASKED[] = {
    {"1.1", 2, 0x00C, {BOTH(0.208), BOTH(0.091)}},
    {"2.1", 3, 0x00B, {PAIR(0.800, 0), BOTH(0.200)}},
    {"3.0", 3, 0x007, {PAIR(0.295, 0), BOTH(0.208)}},
    {"3.0 with the speaker at the back", 3, 0x103, {PAIR(0.247, 0), BOTH(0.174)}},
    {"3.1", 4, 0x00F, {PAIR(0.295, 0), BOTH(0.208), BOTH(0.091)}},
    {"4.0", 4, 0x107, {PAIR(0.247, 0), BOTH(0.174), BOTH(0.174)}},
    {"quadro", 4, 0x033, {PAIR(0.421, 0), PAIR(0.359, 0.220)}},
    {"quadro with speakers at the side", 4, 0x603, {PAIR(0.421, 0), PAIR(0.359, 0.220)}},
    {"4.1", 5, 0x03B, {PAIR(0.374, 0), BOTH(0.111), PAIR(0.319, 0.196)}},
    {"4.1 with speakers at the side", 5, 0x60B, {PAIR(0.374, 0), BOTH(0.111), PAIR(0.319, 0.196)}},
    {"5.0", 5, 0x037, {PAIR(0.295, 0), BOTH(0.208), PAIR(0.252, 0.155)}},
    {"5.0 with speakers at the side", 5, 0x607, {PAIR(0.295, 0), BOTH(0.208), PAIR(0.252, 0.155)}},
    {"6.0", 6, 0x707, {PAIR(0.247, 0), BOTH(0.174), BOTH(0.174), PAIR(0.226, 0.101)}},
    {"6.1 with all speakers at the back",
     7,
     0x13F,
     {PAIR(0.247, 0), BOTH(0.174), BOTH(0.077), PAIR(0.226, 0.101), BOTH(0.174)}},
    {"7.0", 7, 0x637, {PAIR(0.212, 0), BOTH(0.150), PAIR(0.181, 0.111), PAIR(0.194, 0.086)}},
    {"more speakers than channels", 3, 0x03B, {PAIR(0.800, 0), BOTH(0.200)}},
    {"fewer speakers than channels", 3, 0x003, {PAIR(0.295, 0), BOTH(0.208)}},
    {"a speaker above the listener", 3, 0x803, {PAIR(0.295, 0), BOTH(0.208)}},
};

TEST(channel_mask_of_a_wav_assigns_its_channels_to_speakers) {
  decoded_t *d = calloc(1, sizeof *d);
  for (size_t i = 0; i < sizeof MASKED / sizeof *MASKED; ++i) {
    decode_wav_of_tones(MASKED[i].channels, MASKED[i].speakers, d);
    assert_int_equal(d->head.speakers, MASKED[i].speakers);
    check_mix(MASKED[i].layout, MASKED[i].channels, MASKED[i].mix, d);
  }
  free(d);
}

TEST(channel_mask_in_the_comments_of_a_flac_assigns_its_channels_to_speakers) {
  decoded_t *d = calloc(1, sizeof *d);
  for (size_t i = 0; i < sizeof MASKED / sizeof *MASKED; ++i) {
    char name[64];
    if (strcmp(MASKED[i].layout, "2.1") != 0 && strcmp(MASKED[i].layout, "4.1") != 0)
      continue;
    snprintf(name, sizeof name, "flac-mask-%s.flac", MASKED[i].layout);
    decode_file(name, d);
    assert_int_equal(d->head.speakers, MASKED[i].speakers);
    check_mix(name, MASKED[i].channels, MASKED[i].mix, d);
  }
  free(d);
}

// SDL_mixer could decode such a file only by mixing its channels in the wrong order.
TEST(sounds_whose_channels_exceed_the_memory_of_the_decoder_are_rejected) {
  static const char *const NAMES[] = {"vorbis-order-6.ogg", "opus-order-8.opus", "flac-order-5.flac"};
  allocator_t memory = {0};
  decoded_t *d = calloc(1, sizeof *d);
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; ++i) {
    size_t size_bytes = 0;
    error_info_t error = {0};
    char *bytes = read_file(&memory, NAMES[i], &size_bytes);
    decode_bytes(NAMES[i], (const uint8_t *)bytes, size_bytes, d);
    d->head.frames = ((448u << 20) / sizeof(int16_t)) / d->head.channels + 1;
    assert_int_equal(sound_decode((const uint8_t *)bytes, size_bytes, &d->head, d->samples, MAX_FRAMES, &error), 0);
    assert_non_null(strstr(error.text, "minutes take more than 448 MB: convert the file to stereo"));
    file_free(&memory, bytes, size_bytes);
  }
  free(d);
}

TEST(loop_points_of_a_48_khz_file_are_accepted) {
  uint32_t from, to;
  decoded_t *d = calloc(1, sizeof *d);
  decode_file("vorbis_48000_1_loop.ogg", d);
  assert_true(sound_get_loop(&d->head, (uint32_t)d->frames, &from, &to));
  assert_int_equal(from, 2400 * 441 / 480);
  assert_int_equal(to, SOUND_FRAMES);
  free(d);
}

TEST(mp3_is_trimmed_if_tags_with_pictures_precede_its_first_frame) {
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

// Without the tag, the length is unknown, and the sound keeps the silence that the encoder added.
TEST(mp3_without_a_tag_is_decoded_completely_at_its_own_rate) {
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

TEST(damaged_mp3_headers_are_read_safely) {
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
