// Decodes sound files to the format of the output: 16-bit stereo at SOUND_RATE_HZ. The length of the result is the
// length of the sound in the file, exact to one frame, so that loops have no gap.
#ifndef SHOAL_PLATFORM_SOUND_DECODE_H
#define SHOAL_PLATFORM_SOUND_DECODE_H

#include "base/error.h"
#include "platform/sound_file.h"

// Loads SDL and the decoders that are opened at run time. Call in a decoder process before the process is restricted,
// because a restricted process cannot open libraries.
void sound_decode_prepare(void);

// Decodes a file whose header has been read. Returns the number of frames in the sound, and writes them to `out` if
// they do not exceed `max_frames`. Returns 0 with an error if the sound cannot be decoded. For WAV files, loads no
// library except SDL.
size_t sound_decode(const uint8_t *bytes, size_t size_bytes, const sound_head_t *head, int16_t *out, size_t max_frames,
                    error_info_t *error);

#endif
