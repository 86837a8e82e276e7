// Reads the headers of sound files, chunk by chunk or page by page. Every length is checked against the bytes
// available.
#include "platform/sound_file.h"

#include "base/assert.h"
#include "platform/mp3_head.h"

#include <stdlib.h>
#include <string.h>

static const char TRUNCATED[] = "unexpected end of file";

static uint32_t read_u16_le(const uint8_t *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
}

static uint32_t read_u32_le(const uint8_t *bytes) {
  return read_u16_le(bytes) | read_u16_le(bytes + 2) << 16;
}

static uint64_t read_u64_le(const uint8_t *bytes) {
  return read_u32_le(bytes) | (uint64_t)read_u32_le(bytes + 4) << 32;
}

// --- WAV

enum { WAV_PCM = 1, WAV_FLOAT = 3, WAV_EXTENSIBLE = 0xFFFE };

static bool read_wav_format(const uint8_t *chunk, size_t length, sound_head_t *out, error_info_t *error) {
  if (length < 16)
    return error_set(error, "the WAV format chunk must have at least 16 bytes, got %zu", length);
  uint32_t tag = read_u16_le(chunk);
  if (tag == WAV_EXTENSIBLE && length >= 26) {
    out->speakers = read_u32_le(chunk + 20);
    tag = read_u16_le(chunk + 24);
  }
  out->channels = read_u16_le(chunk + 2);
  out->rate_hz = read_u32_le(chunk + 4);
  out->bits = read_u16_le(chunk + 14);
  out->is_float = tag == WAV_FLOAT;
  if (tag != WAV_PCM && tag != WAV_FLOAT)
    return error_set(error, "compressed WAV (codec %u) is not supported: save the file as PCM WAV or as Ogg", tag);
  bool supported =
      out->is_float ? out->bits == 32 : out->bits == 8 || out->bits == 16 || out->bits == 24 || out->bits == 32;
  return supported || error_set(error, "%u-bit WAV is not supported: save the file with 16 bits per sample", out->bits);
}

// Locates the samples of a data chunk. With `require_complete`, rejects incomplete samples. Streaming tools write ~0 as
// the length, which means "until the end of the file". They also write wrong sizes into other headers, so these sizes
// are not checked. Returns true on success, or false with an error.
static bool read_wav_data(size_t remaining, uint64_t length, bool require_complete, sound_head_t *out,
                          error_info_t *error) {
  if (require_complete && length != UINT32_MAX && length > remaining)
    return error_set(error, "%s", TRUNCATED);
  if (out->bits == 0)
    return error_set(error, "the WAV data chunk precedes the format chunk: save the file again");
  uint32_t frame = out->bits / 8 * out->channels;
  out->data_bytes = length < remaining ? (size_t)length : remaining;
  out->frames = frame ? out->data_bytes / frame : 0;
  out->data_bytes = (size_t)out->frames * frame;
  shoal_assert(out->data_bytes <= remaining, "%zu bytes of samples exceed the %zu bytes left", out->data_bytes,
               remaining);
  return true;
}

// Reads the first loop of a `smpl` chunk. The end of the loop is inclusive in the file, and exclusive in `loop_to`.
static void read_wav_loop(const uint8_t *chunk, size_t length, sound_head_t *out) {
  if (length < 60 || read_u32_le(chunk + 28) == 0)
    return;
  out->loop_from = read_u32_le(chunk + 44);
  out->loop_to = (uint64_t)read_u32_le(chunk + 48) + 1;
}

// Reads the loop of the `smpl` chunk, which most programs write after the samples.
static void read_wav_sampler(const uint8_t *bytes, size_t size_bytes, sound_head_t *out) {
  for (size_t at = 12; at + 8 <= size_bytes;) {
    uint64_t length = read_u32_le(bytes + at + 4);
    size_t remaining = size_bytes - at - 8;
    if (memcmp(bytes + at, "smpl", 4) == 0)
      read_wav_loop(bytes + at + 8, length < remaining ? (size_t)length : remaining, out);
    if (length + (length & 1) > remaining)
      return;
    at += 8 + (size_t)(length + (length & 1));
  }
}

static bool read_wav(const uint8_t *bytes, size_t size_bytes, bool require_complete, sound_head_t *out,
                     error_info_t *error) {
  read_wav_sampler(bytes, size_bytes, out);
  for (size_t at = 12; at + 8 <= size_bytes;) {
    uint64_t length = read_u32_le(bytes + at + 4);
    size_t remaining = size_bytes - at - 8;
    out->data_offset = at + 8;
    if (memcmp(bytes + at, "data", 4) == 0)
      return read_wav_data(remaining, length, require_complete, out, error);
    bool format = memcmp(bytes + at, "fmt ", 4) == 0;
    if (format && !read_wav_format(bytes + at + 8, length < remaining ? (size_t)length : remaining, out, error))
      return false;
    if (length + (length & 1) > remaining)
      break;
    at += 8 + (size_t)(length + (length & 1));
  }
  return error_set(error, "%s", TRUNCATED);
}

// --- Vorbis, Opus and FLAC comments. By convention, LOOPSTART, LOOPLENGTH and LOOPEND set the loop of game music, in
// frames. RFC 9639, section 8.6.2, defines WAVEFORMATEXTENSIBLE_CHANNEL_MASK.

static const char SPEAKERS_KEY[] = "WAVEFORMATEXTENSIBLE_CHANNEL_MASK";

#define MAX_COMMENT_BYTES (256u << 10)

static bool has_key(const uint8_t *text, size_t length, const char *key) {
  size_t size = strlen(key);
  for (size_t i = 0; i < size; ++i)
    if (i >= length || (text[i] >= 'a' && text[i] <= 'z' ? text[i] - 32 : text[i]) != key[i])
      return false;
  return length > size && text[size] == '=';
}

static uint64_t parse_digits(const uint8_t *text, size_t length) {
  uint64_t value = 0;
  for (size_t i = 0; i < length && text[i] >= '0' && text[i] <= '9' && value < 1000000000000; ++i)
    value = value * 10 + (uint64_t)(text[i] - '0');
  return value;
}

// Parses a hexadecimal number with the prefix 0x. Returns 0 if the prefix is missing.
static uint32_t parse_hex(const uint8_t *text, size_t length) {
  uint32_t value = 0;
  if (length < 2 || text[0] != '0' || (text[1] | 32) != 'x')
    return 0;
  for (size_t i = 2; i < length; ++i) {
    uint32_t letter = text[i] | 32u;
    if (text[i] >= '0' && text[i] <= '9')
      value = value << 4 | (text[i] - (uint32_t)'0');
    else if (letter >= 'a' && letter <= 'f')
      value = value << 4 | (letter - 'a' + 10);
    else
      break;
  }
  return value;
}

static void read_comments(const uint8_t *packet, size_t size_bytes, sound_head_t *out) {
  uint64_t start = 0, length = 0, end = 0, next = 4;
  next += size_bytes >= 4 ? read_u32_le(packet) : 0; // skips the vendor string
  for (next += 4; next + 4 <= size_bytes;) {
    uint64_t bytes = read_u32_le(packet + next);
    const uint8_t *text = packet + next + 4;
    next += 4 + bytes;
    if (next > size_bytes)
      break;
    if (has_key(text, (size_t)bytes, "LOOPSTART"))
      start = parse_digits(text + 10, (size_t)bytes - 10);
    else if (has_key(text, (size_t)bytes, "LOOPLENGTH"))
      length = parse_digits(text + 11, (size_t)bytes - 11);
    else if (has_key(text, (size_t)bytes, "LOOPEND"))
      end = parse_digits(text + 8, (size_t)bytes - 8);
    else if (has_key(text, (size_t)bytes, SPEAKERS_KEY))
      out->speakers = parse_hex(text + sizeof SPEAKERS_KEY, (size_t)bytes - sizeof SPEAKERS_KEY);
  }
  out->loop_from = start;
  out->loop_to = length ? start + length : end ? end : start ? SOUND_TO_THE_END : 0;
}

// --- Ogg

// Extracts the second packet, which contains the comments, from its pages. Returns the number of bytes written to
// `out`, or 0 if the packet is incomplete or exceeds `capacity`.
static size_t extract_ogg_comments(const uint8_t *bytes, size_t size_bytes, uint8_t *out, size_t capacity) {
  size_t written = 0;
  int packet = 0;
  for (size_t at = 0; at + 27 <= size_bytes && memcmp(bytes + at, "OggS", 4) == 0;) {
    size_t segments = bytes[at + 26], data = at + 27 + segments;
    for (size_t i = 0; data <= size_bytes && i < segments; ++i) {
      size_t length = bytes[at + 27 + i];
      if (length > size_bytes - data || (packet == 1 && length > capacity - written))
        return 0;
      if (packet == 1)
        memcpy(out + written, bytes + data, length);
      written += packet == 1 ? length : 0;
      data += length;
      packet += length < 255;
      if (packet == 2)
        return written;
    }
    at = data;
  }
  return 0;
}

static void read_ogg_loop(const uint8_t *bytes, size_t size_bytes, sound_head_t *out) {
  size_t capacity = size_bytes < MAX_COMMENT_BYTES ? size_bytes : MAX_COMMENT_BYTES;
  uint8_t *packet = malloc(capacity);
  size_t length = packet ? extract_ogg_comments(bytes, size_bytes, packet, capacity) : 0;
  if (length > 7 && memcmp(packet, "\x03vorbis", 7) == 0)
    read_comments(packet + 7, length - 7, out);
  else if (length > 8 && memcmp(packet, "OpusTags", 8) == 0)
    read_comments(packet + 8, length - 8, out);
  free(packet);
}

// Returns true if the last page is complete. Stores the position of the last page that has a position in `end_frames`.
// A position is a number of frames.
static bool is_ogg_complete(const uint8_t *bytes, size_t size_bytes, uint64_t *end_frames) {
  size_t at = 0;
  while (at + 27 <= size_bytes && memcmp(bytes + at, "OggS", 4) == 0) {
    size_t segments = bytes[at + 26], next = at + 27 + segments;
    if (next > size_bytes)
      return false;
    for (size_t i = 0; i < segments; ++i)
      next += bytes[at + 27 + i];
    if (next > size_bytes)
      return false;
    if (read_u64_le(bytes + at + 6) != UINT64_MAX)
      *end_frames = read_u64_le(bytes + at + 6);
    at = next;
  }
  return size_bytes - at < 4 || memcmp(bytes + at, "OggS", 4) != 0;
}

static bool read_ogg(const uint8_t *bytes, size_t size_bytes, bool require_complete, sound_head_t *out,
                     error_info_t *error) {
  bool complete = is_ogg_complete(bytes, size_bytes, &out->frames);
  size_t header_bytes = size_bytes < 27 ? size_bytes : 27 + (size_t)bytes[26];
  if ((require_complete && !complete) || header_bytes + 19 > size_bytes)
    return error_set(error, "%s", TRUNCATED);
  const uint8_t *packet = bytes + header_bytes;
  read_ogg_loop(bytes, size_bytes, out);
  if (memcmp(packet, "\x01vorbis", 7) == 0) {
    out->channels = packet[11];
    out->rate_hz = read_u32_le(packet + 12);
    return true;
  }
  out->channels = packet[9];
  out->rate_hz = 48000;
  return memcmp(packet, "OpusHead", 8) == 0 ||
         error_set(error, "the Ogg stream must be Vorbis or Opus: save the file as Ogg Vorbis or Opus");
}

// --- FLAC

static bool read_flac(const uint8_t *bytes, size_t size_bytes, sound_head_t *out, error_info_t *error) {
  if (size_bytes < 42)
    return error_set(error, "%s", TRUNCATED);
  const uint8_t *stream_info = bytes + 8;
  if ((bytes[4] & 0x7F) != 0 || bytes[5] || bytes[6] || bytes[7] != 34)
    return error_set(error, "the FLAC file must start with a STREAMINFO block: save the file again");
  out->rate_hz = (uint32_t)stream_info[10] << 12 | (uint32_t)stream_info[11] << 4 | stream_info[12] >> 4;
  out->channels = (stream_info[12] >> 1 & 7u) + 1;
  for (size_t next = 42, block = bytes[4]; !(block & 0x80) && next + 4 <= size_bytes;) {
    size_t length = (size_t)bytes[next + 1] << 16 | (size_t)bytes[next + 2] << 8 | bytes[next + 3];
    block = bytes[next];
    next += 4;
    if (length > size_bytes - next)
      break;
    if ((block & 0x7F) == 4)
      read_comments(bytes + next, length, out);
    next += length;
  }
  out->frames = (uint64_t)(stream_info[13] & 15) << 32 | (uint64_t)stream_info[14] << 24 |
                (uint64_t)stream_info[15] << 16 | (uint64_t)stream_info[16] << 8 | stream_info[17];
  return true;
}

// --- MP3

// Reads the first frame of an MP3 file. Accepts files without a layer III frame, because the decoder reports whether
// they can be played.
static bool read_mp3(const uint8_t *bytes, size_t size_bytes, sound_head_t *out) {
  mp3_head_t head;
  if (mp3_head_read(bytes, size_bytes, &head)) {
    out->channels = head.channels;
    out->rate_hz = head.rate_hz;
    out->skip_frames = head.skip_frames;
    out->frames = head.frames;
  }
  return true;
}

// --- all formats

static bool read_format(const uint8_t *bytes, size_t size_bytes, bool require_complete, sound_head_t *out,
                        error_info_t *error) {
  switch (out->format) {
  case FORMAT_WAV: return read_wav(bytes, size_bytes, require_complete, out, error);
  case FORMAT_OGG: return read_ogg(bytes, size_bytes, require_complete, out, error);
  case FORMAT_FLAC: return read_flac(bytes, size_bytes, out, error);
  case FORMAT_MP3: return read_mp3(bytes, size_bytes, out);
  default:
    return size_bytes == 0 ? error_set(error, "the file is empty")
                           : error_set(error, "the file is %s: sounds must be WAV, Ogg (Vorbis or Opus), FLAC or MP3",
                                       asset_format_describe(bytes, size_bytes));
  }
}

// Checks the limits common to all formats. Limiting the duration prevents a small file from expanding into a huge
// buffer. Returns true if no limit is exceeded, otherwise false with an error.
static bool check_limits(const sound_head_t *h, error_info_t *error) {
  if (h->channels == 0 || h->channels > SOUND_MAX_CHANNELS)
    return error_set(error, "the file must have 1 to %u channels, got %u", SOUND_MAX_CHANNELS, h->channels);
  if (h->rate_hz < SOUND_MIN_HZ || h->rate_hz > SOUND_MAX_HZ)
    return error_set(error, "the sample rate must be from %u to %u Hz, got %u", SOUND_MIN_HZ, SOUND_MAX_HZ, h->rate_hz);
  uint64_t seconds = h->frames / h->rate_hz, max_seconds = SOUND_MAX_BYTES / SOUND_FRAME_BYTES / SOUND_RATE_HZ;
  return seconds <= max_seconds || error_set(error, "the sound is too long: %llu minutes (at most %llu)",
                                             (unsigned long long)seconds / 60, (unsigned long long)max_seconds / 60);
}

bool sound_head_read(const uint8_t *bytes, size_t size_bytes, bool require_complete, sound_head_t *out,
                     error_info_t *error) {
  shoal_assert(bytes, "bytes must not be NULL (size %zu)", size_bytes);
  *out = (sound_head_t){.format = asset_format_detect(bytes, size_bytes)};
  if (!read_format(bytes, size_bytes, require_complete, out, error))
    return false;
  if (out->format == FORMAT_MP3 && out->rate_hz == 0)
    return true;
  if (out->format == FORMAT_WAV && out->frames == 0)
    return out->channels ? error_set(error, "the file contains no samples") : check_limits(out, error);
  return check_limits(out, error);
}

bool sound_get_loop(const sound_head_t *h, uint32_t frames, uint32_t *loop_start, uint32_t *loop_end) {
  double rate = h->rate_hz ? (double)SOUND_RATE_HZ / h->rate_hz : 1.0;
  double start = (double)h->loop_from * rate;
  double end = h->loop_to == SOUND_TO_THE_END ? (double)frames : (double)h->loop_to * rate;
  *loop_start = *loop_end = 0;
  if (h->loop_to == 0)
    return true;
  if (end > frames && end <= frames + 1.0)
    end = frames; // corrects a rounding error of resampling
  if (!(start < end && end <= frames))
    return false;
  *loop_start = (uint32_t)start;
  *loop_end = (uint32_t)end;
  shoal_assert(*loop_start < *loop_end && *loop_end <= frames,
               "the loop from %u to %u must not be empty or exceed the %u frames", *loop_start, *loop_end, frames);
  return true;
}
