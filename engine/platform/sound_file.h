// Parses and validates the header of a sound file before a decoder sees it. Also decodes WAV, which needs no library.
#ifndef SHOAL_PLATFORM_SOUND_FILE_H
#define SHOAL_PLATFORM_SOUND_FILE_H

#include "base/error.h"
#include "decode/asset_format.h"

#define SOUND_RATE_HZ 44100u
#define SOUND_FRAME_BYTES 4u         // of decoded sound: two 16-bit channels
#define SOUND_MAX_BYTES (256u << 20) // of decoded sound: 25 minutes
#define SOUND_MAX_CHANNELS 8u
#define SOUND_MIN_HZ 4000u
#define SOUND_MAX_HZ 192000u
#define SOUND_TO_THE_END UINT64_MAX

typedef struct sound_head_t {
  asset_format_t format;
  uint32_t channels, rate_hz; // 0 for MP3, where they may vary
  uint64_t frames;            // 0 if unknown
  // Loop points in frames of the file, as stored and unchecked: from a WAV's `smpl` chunk, or the comments LOOPSTART
  // and LOOPLENGTH or LOOPEND in Ogg and FLAC. loop_to 0: none.
  uint64_t loop_from, loop_to;
  // WAV only: sample format, and location of the samples.
  uint32_t bits;
  bool is_float;
  size_t data_at, data_bytes;
} sound_head_t;

// Reads the header of a WAV, Ogg (Vorbis or Opus), FLAC or MP3 file. Returns false with a message that follows
// "cannot be played: ". `whole`: also rejects truncated WAV and Ogg files, whose existing part is otherwise played.
bool sound_head_read(const uint8_t *bytes, size_t size_bytes, bool whole, sound_head_t *out, error_t *why);

// Converts the loop points to frames of the decoded sound, which has `frames`. Both are 0 if the file has none.
// Returns false (both 0) if they are outside the file.
bool sound_loop(const sound_head_t *h, uint32_t frames, uint32_t *from, uint32_t *to);

// Decodes a WAV to SOUND_RATE_HZ stereo, in memory from SDL_malloc. NULL if SDL cannot convert it.
void *sound_wav_decode(const uint8_t *bytes, const sound_head_t *head, size_t *out_bytes);

#endif
