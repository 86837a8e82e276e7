// Mixes voices into the output: resampling to any pitch, fades, loops, and buses with volumes, effects
// (audio_effects.h) and ducking. Works on the caller's memory. Does not access devices, files, locks or clocks.
//
// Not thread-safe: a caller that mixes on a separate thread must prevent all other accesses while mixing.
#ifndef SHOAL_PLATFORM_MIXER_H
#define SHOAL_PLATFORM_MIXER_H

#include "platform/audio_effects.h"
#include "platform/sound_file.h"

#define MIXER_VOICES 48u
#define MIXER_BUSES 24u
#define MIXER_BLOCK 128u // size of a block in frames; volumes are interpolated linearly within a block
#define MIXER_MIN_PITCH 0.05f
#define MIXER_MAX_PITCH 20.0f

enum { MIXER_MASTER = 0 }; // bus that receives the output of all other buses

// A decoded sound at SOUND_RATE_HZ with SOUND_FRAME_BYTES per frame.
typedef struct mixer_sound_t {
  const int16_t *samples; // samples, borrowed; must remain valid while a voice plays the sound
  uint32_t frames;
  uint32_t loop_from, loop_to; // range that looping voices repeat; loop_to 0: the whole sound
} mixer_sound_t;

typedef struct mixer_voice_t {
  mixer_sound_t sound; // sound of the voice; the voice is free if `samples` is NULL
  uint64_t position;   // next frame, in 32.32 fixed point
  bool loop, ending;   // true if the sound repeats, and true if the voice is freed when `level` reaches 0
  uint32_t bus;
  float pitch, left, right;            // `left`, `right`: target volumes
  float level, target_level;           // current volume, and target volume of a fade
  float level_step;                    // change of `level` per frame
  float previous_left, previous_right; // volumes at the end of the last block, before the bus volume
} mixer_voice_t;

typedef struct mixer_bus_t {
  float volume; // volume of the bus, 0 to 1
  float duck;   // factor on the volume while a bus in `ducked_by` is audible; 1: no ducking
  float attack_s, release_s;
  uint32_t ducked_by;    // bit set of the buses that duck this bus while they are audible
  float ducked;          // current ducking factor, between `duck` and 1
  float previous_volume; // volume at the end of the last block
  lowpass_t lowpass;
  float reverb; // share of the signal that is sent to the reverb, 0 to 1
} mixer_bus_t;

typedef struct mixer_t {
  mixer_voice_t voices[MIXER_VOICES];
  mixer_bus_t buses[MIXER_BUSES];
  reverb_t reverb;
  uint64_t mixed_frames; // number of frames mixed so far
  bool mono;             // true if both channels play their mean
} mixer_t;

// Gain and pitch of a voice.
typedef struct mixer_gain_t {
  float left, right, pitch;
} mixer_gain_t;

typedef struct mixer_play_t {
  mixer_sound_t sound;
  mixer_gain_t gain;
  float level, fade_s; // target volume, and duration of the fade-in
  uint32_t bus;
  bool loop;
} mixer_play_t;

void mixer_init(mixer_t *m); // initializes a silent mixer with all buses at full volume
void mixer_play(mixer_t *m, uint32_t voice, const mixer_play_t *play); // replaces the sound that the voice was playing
// Sets gain and pitch of a voice. The volume changes over the next block, the pitch immediately.
void mixer_set_gain(mixer_t *m, uint32_t voice, mixer_gain_t gain);
void mixer_fade(mixer_t *m, uint32_t voice, float level, float fade_s);
void mixer_stop(mixer_t *m, uint32_t voice, float fade_s); // stops the voice after a fade-out of `fade_s` seconds
// Continues at a frame, counted from the start of the sound as if it did not loop. The position is wrapped into the
// loop. A voice that does not loop stops if the position is after the end.
void mixer_seek(mixer_t *m, uint32_t voice, uint64_t frame);
bool mixer_is_playing(const mixer_t *m, uint32_t voice); // returns true even while the voice fades out
bool mixer_uses_samples(const mixer_t *m, const int16_t *samples);
// Mixes the next `frames` frames as interleaved stereo.
void mixer_mix(mixer_t *m, int16_t *out, uint32_t frames);

#endif
