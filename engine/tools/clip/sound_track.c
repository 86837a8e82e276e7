// Writes a WAV file: 16-bit stereo at the mixer's rate.
#include "clip/sound_track.h"

#include "base/assert.h"
#include "base/files.h"
#include "platform/sound_file.h"

#include <string.h>

#define BLOCK_FRAMES 1024u

// Returns the number of sound frames up to the end of a step.
static uint64_t count_frames(const sound_track_t *track, uint64_t step) {
  return step * SOUND_RATE_HZ / track->tick_rate;
}

static void put_u32(uint8_t *out, uint32_t value) {
  for (int i = 0; i < 4; ++i)
    out[i] = (uint8_t)(value >> 8 * i);
}

bool sound_track_begin(sound_track_t *track, const char *path, error_info_t *error) {
  shoal_assert(track->tick_rate > 0 && track->first_step > 0 && track->first_step <= track->last_step,
               "steps %llu to %llu at %u Hz", (unsigned long long)track->first_step,
               (unsigned long long)track->last_step, track->tick_rate);
  uint8_t head[44] = "RIFF....WAVEfmt ....\1\0\2\0........\4\0\20\0data....";
  uint64_t frames = count_frames(track, track->last_step) - count_frames(track, track->first_step - 1);
  uint32_t bytes = (uint32_t)(frames * SOUND_FRAME_BYTES);
  put_u32(head + 4, bytes + 36);
  put_u32(head + 16, 16);
  put_u32(head + 24, SOUND_RATE_HZ);
  put_u32(head + 28, SOUND_RATE_HZ * SOUND_FRAME_BYTES);
  put_u32(head + 40, bytes);
  track->file = file_open(path, false, error);
  if (track->file)
    fwrite(head, sizeof head, 1, track->file);
  return track->file != NULL;
}

void sound_track_add_step(sound_track_t *track, audio_o *audio, uint64_t step) {
  int16_t samples[2 * BLOCK_FRAMES];
  bool is_written = step >= track->first_step && step <= track->last_step;
  uint64_t end = count_frames(track, step);
  for (uint64_t frame = count_frames(track, step - 1), count; frame < end; frame += count) {
    count = end - frame < BLOCK_FRAMES ? end - frame : BLOCK_FRAMES;
    audio_mix(audio, samples, (uint32_t)count);
    if (is_written)
      fwrite(samples, SOUND_FRAME_BYTES, (size_t)count, track->file);
  }
}

bool sound_track_end(sound_track_t *track, const char *path, error_info_t *error) {
  if (!track->file)
    return true;
  bool ok = !ferror(track->file);
  ok &= fclose(track->file) == 0;
  track->file = NULL;
  return ok || error_set(error, "cannot write %s: check that the disk is not full", path);
}
