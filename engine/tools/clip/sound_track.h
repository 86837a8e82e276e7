// The sound of a clip: mixes the steps of the simulation sequentially, without a sound device, into a WAV file.
#ifndef SHOAL_CLIP_SOUND_TRACK_H
#define SHOAL_CLIP_SOUND_TRACK_H

#include "base/error.h"
#include "platform/audio.h"

#include <stdint.h>
#include <stdio.h>

typedef struct sound_track_t {
  FILE *file; // WAV file; NULL if not open
  uint32_t tick_rate;
  uint64_t first_step, last_step; // first and last step whose sound is written, counted from 1
} sound_track_t;

// Creates the file. Returns true on success, or false with a message if the file cannot be created.
bool sound_track_begin(sound_track_t *track, const char *path, error_info_t *error);
// Mixes the sound of a step, and writes it if the step is part of the clip. Call for every step, starting with 1,
// because earlier sounds may still be playing when the clip starts.
void sound_track_add_step(sound_track_t *track, audio_o *audio, uint64_t step);
// Closes the file. Returns true on success, or false with a message if the file could not be written completely.
bool sound_track_end(sound_track_t *track, const char *path, error_info_t *error);

#endif
