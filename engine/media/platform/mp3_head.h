// Reads the first frame of an MP3 file: its format and, in a Xing or Info tag, the exact length of the sound.
#ifndef SHOAL_PLATFORM_MP3_HEAD_H
#define SHOAL_PLATFORM_MP3_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct mp3_head_t {
  uint32_t channels, rate_hz;
  // Frames that the decoder returns before the sound: the frame of the tag and, if a LAME tag contains them, the delays
  // of the encoder and the decoder.
  uint32_t skip_frames;
  uint64_t frames; // length of the sound without the encoder's padding; 0 if no tag contains it
} mp3_head_t;

// Reads the first frame. Returns true on success, or false if the file contains no MPEG layer III frame with a declared
// bit rate.
bool mp3_head_read(const uint8_t *bytes, size_t size_bytes, mp3_head_t *out);

#endif
