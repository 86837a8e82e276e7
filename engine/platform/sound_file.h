// Reads the head of a sound file and judges it before a decoder sees the file; and decodes WAV, which needs no library.
#ifndef SHOAL_PLATFORM_SOUND_FILE_H
#define SHOAL_PLATFORM_SOUND_FILE_H

#include "base/error.h"
#include "decode/asset_format.h"

#define SOUND_RATE_HZ 44100u
#define SOUND_FRAME_BYTES 4u         // of what is played: two channels of 16 bits
#define SOUND_MAX_BYTES (256u << 20) // of what is played: 25 minutes
#define SOUND_MAX_CHANNELS 8u
#define SOUND_MIN_HZ 4000u
#define SOUND_MAX_HZ 192000u
#define SOUND_TO_THE_END UINT64_MAX

typedef struct sound_head_t {
  asset_format_t format;
  uint32_t channels, rate_hz; // 0 for an MP3, which may change them
  uint64_t frames;            // 0: not known
  // What is repeated, in frames of the file: of a WAV's chunk `smpl`, of the comments LOOPSTART and LOOPLENGTH or
  // LOOPEND in Ogg and FLAC. As the file says it, whatever that is; loop_to 0: it says nothing.
  uint64_t loop_from, loop_to;
  // Of a WAV: how its samples are written, and where.
  uint32_t bits;
  bool is_float;
  size_t data_at, data_bytes;
} sound_head_t;

// WAV, Ogg (Vorbis and Opus), FLAC and MP3. False with words that follow "cannot be played: ". `whole`: also refuse a
// WAV or an Ogg file that ends before it says that it does; else what is there of it is played.
bool sound_head_read(const uint8_t *bytes, size_t size_bytes, bool whole, sound_head_t *out, error_t *why);

// The loop in frames of what is played, of which there are `frames`. 0 and 0 when the file says nothing, or when it is
// false: what it says lies outside of the file.
bool sound_loop(const sound_head_t *h, uint32_t frames, uint32_t *from, uint32_t *to);

// The samples of a WAV as they are played, in SDL_malloc's memory; NULL when SDL cannot convert them.
void *sound_wav_decode(const uint8_t *bytes, const sound_head_t *head, size_t *out_bytes);

#endif
