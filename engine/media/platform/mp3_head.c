// Parses the first frame of an MP3 file and its Xing, Info and LAME tags (http://gabriel.mp3-tech.org/mp3infotag.html).
// Encoders store the tag in an additional first frame. Decoders that do not support the tag decode this frame to
// silence.
#include "platform/mp3_head.h"

#include <string.h>

#define ID3_HEADER_BYTES 10u
#define DECODER_DELAY_FRAMES 529u // delay of every layer III decoder: 528 + 1 frames
#define ENCODER_NAME_BYTES 9u

enum { MPEG_2_5 = 0, MPEG_RESERVED = 1, MPEG_1 = 3, LAYER_3 = 1, MODE_MONO = 3 };

typedef struct frame_t {
  uint32_t version, channels, rate_hz, frames, size_bytes;
  bool has_checksum;
} frame_t;

static uint32_t read_u32_be(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

// Parses the header of a layer III frame. Returns true on success, or false if the bytes are not such a header or the
// frame does not declare its bit rate.
static bool parse_frame(const uint8_t *bytes, size_t size_bytes, frame_t *out) {
  static const uint16_t KBPS[2][15] = {{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
                                       {0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320}};
  static const uint32_t RATES_HZ[3] = {44100, 48000, 32000};
  if (size_bytes < 4 || bytes[0] != 0xFF || (bytes[1] & 0xE0) != 0xE0)
    return false;
  uint32_t version = bytes[1] >> 3 & 3u, bit_rate = bytes[2] >> 4, rate = bytes[2] >> 2 & 3u;
  if (version == MPEG_RESERVED || (bytes[1] >> 1 & 3) != LAYER_3 || bit_rate == 0 || bit_rate == 15 || rate == 3)
    return false;
  *out = (frame_t){.version = version,
                   .channels = bytes[3] >> 6 == MODE_MONO ? 1 : 2,
                   .rate_hz = RATES_HZ[rate] / (version == MPEG_1     ? 1
                                                : version == MPEG_2_5 ? 4
                                                                      : 2),
                   .frames = version == MPEG_1 ? 1152 : 576,
                   .has_checksum = !(bytes[1] & 1)};
  out->size_bytes = out->frames / 8 * KBPS[version == MPEG_1][bit_rate] * 1000 / out->rate_hz + (bytes[2] >> 1 & 1u);
  return true;
}

// Returns the size of the ID3v2 tags at the start of the file, which may contain pictures.
static size_t measure_id3_tags(const uint8_t *bytes, size_t size_bytes) {
  size_t at = 0;
  while (size_bytes - at >= ID3_HEADER_BYTES && memcmp(bytes + at, "ID3", 3) == 0) {
    const uint8_t *size = bytes + at + 6; // seven bits per byte
    size_t length = (size_t)(size[0] & 127) << 21 | (size_t)(size[1] & 127) << 14 | (size_t)(size[2] & 127) << 7 |
                    (size_t)(size[3] & 127);
    length += ID3_HEADER_BYTES + (bytes[at + 5] & 0x10 ? ID3_HEADER_BYTES : 0); // a footer repeats the header
    if (length > size_bytes - at)
      break;
    at += length;
  }
  return at;
}

// Finds the first frame that is followed by a frame of the same format, or that ends the file. Returns true on success,
// or false if the file contains no such frame.
static bool find_frame(const uint8_t *bytes, size_t size_bytes, size_t *at, frame_t *out) {
  for (; size_bytes - *at >= 4; ++*at) {
    frame_t next;
    if (!parse_frame(bytes + *at, size_bytes - *at, out) || out->size_bytes > size_bytes - *at)
      continue;
    size_t remaining = size_bytes - *at - out->size_bytes;
    if (remaining < 4 || (parse_frame(bytes + *at + out->size_bytes, remaining, &next) &&
                          next.version == out->version && next.rate_hz == out->rate_hz))
      return true;
  }
  return false;
}

// Applies the delay and padding that the encoder has stored after its name to `out`. Ignores a missing tag, and values
// that exceed the length of the sound.
static void read_lame_tag(const uint8_t *tag, size_t size_bytes, mp3_head_t *out) {
  if (size_bytes < 24 || tag[0] < 'A' || tag[0] > 'z')
    return;
  const uint8_t *delays = tag + ENCODER_NAME_BYTES + 12;
  uint32_t delay = (uint32_t)delays[0] << 4 | delays[1] >> 4, padding = (delays[1] & 15u) << 8 | delays[2];
  if (delay + padding >= out->frames)
    return;
  out->skip_frames += delay + DECODER_DELAY_FRAMES;
  out->frames -= delay + padding;
}

// Reads the Xing or Info tag, which follows the side information of the first frame.
static void read_xing_tag(const uint8_t *bytes, const frame_t *frame, mp3_head_t *out) {
  enum { HAS_FRAMES = 1, HAS_BYTES = 2, HAS_TABLE = 4, HAS_QUALITY = 8 };
  size_t side_bytes = frame->version == MPEG_1 ? (frame->channels == 1 ? 17 : 32) : frame->channels == 1 ? 9 : 17;
  size_t at = 4 + side_bytes + (frame->has_checksum ? 2 : 0);
  if (frame->size_bytes < at + 12 || (memcmp(bytes + at, "Xing", 4) != 0 && memcmp(bytes + at, "Info", 4) != 0))
    return;
  uint32_t flags = read_u32_be(bytes + at + 4);
  out->skip_frames = frame->frames;
  if (!(flags & HAS_FRAMES))
    return;
  out->frames = (uint64_t)read_u32_be(bytes + at + 8) * frame->frames;
  at += 12u + (flags & HAS_BYTES ? 4u : 0u) + (flags & HAS_TABLE ? 100u : 0u) + (flags & HAS_QUALITY ? 4u : 0u);
  if (at < frame->size_bytes)
    read_lame_tag(bytes + at, frame->size_bytes - at, out);
}

bool mp3_head_read(const uint8_t *bytes, size_t size_bytes, mp3_head_t *out) {
  frame_t frame;
  size_t at = measure_id3_tags(bytes, size_bytes);
  *out = (mp3_head_t){0};
  if (!find_frame(bytes, size_bytes, &at, &frame))
    return false;
  out->channels = frame.channels;
  out->rate_hz = frame.rate_hz;
  read_xing_tag(bytes + at, &frame, out);
  return true;
}
