// Parses and validates the headers of sound files before they are decoded (sound_decode.h).
#ifndef SHOAL_PLATFORM_SOUND_FILE_H
#define SHOAL_PLATFORM_SOUND_FILE_H

#include "base/error.h"
#include "decode/asset_format.h"

#define SOUND_RATE_HZ 44100u
#define SOUND_FRAME_BYTES 4u         // size of a decoded frame: two 16-bit channels
#define SOUND_MAX_BYTES (256u << 20) // maximum size of a decoded sound, 25 minutes
#define SOUND_MAX_CHANNELS 8u
#define SOUND_MIN_HZ 4000u
#define SOUND_MAX_HZ 192000u
#define SOUND_TO_THE_END UINT64_MAX

typedef struct sound_head_t {
  asset_format_t format;
  // Number of channels, and sample rate; 0 if unknown, as in an MP3 file without a layer III frame.
  uint32_t channels, rate_hz;
  uint64_t frames; // number of frames; 0 if unknown
  // Speakers of the channels, in ascending order, as bits of a WAVEFORMATEXTENSIBLE channel mask: from a WAV, or from
  // the comment WAVEFORMATEXTENSIBLE_CHANNEL_MASK of a FLAC file. 0 if the file names no speakers.
  uint32_t speakers;
  uint32_t skip_frames; // MP3 only: decoded frames that precede the sound
  // Unchecked loop points in frames of the file, from the `smpl` chunk of a WAV, or the comments LOOPSTART, LOOPLENGTH
  // and LOOPEND of an Ogg or FLAC file. loop_to 0: no loop.
  uint64_t loop_from, loop_to;
  // WAV only: sample format, and location of the samples.
  uint32_t bits;
  bool is_float;
  size_t data_offset, data_bytes;
} sound_head_t;

// Reads the header of a WAV, Ogg (Vorbis or Opus), FLAC or MP3 file. Returns true if the header is valid, otherwise
// false with a message that completes "cannot play FILE: ". With `require_complete`, rejects truncated WAV and Ogg
// files. Without it, the existing part of a truncated file can be played.
bool sound_head_read(const uint8_t *bytes, size_t size_bytes, bool require_complete, sound_head_t *out,
                     error_info_t *error);

// Converts the loop points to frames of a decoded sound that has `frames` frames. Sets both to 0 if the file has no
// loop. Returns true on success. If the loop points are invalid, sets both to 0 and returns false.
bool sound_get_loop(const sound_head_t *h, uint32_t frames, uint32_t *loop_start, uint32_t *loop_end);

#endif
