// Sounds, played by file name as in scripts.
//
//   const shoal_sound_desc bang = {.file = "bang.ogg", .volume = 0.8f};
//   shoal_play_sound(c, &bang);
//
// A playing sound is an entity with the component `sound`; `sound_space` and `transform` if it has a position; and
// `lifetime` if its duration is limited. The entity is part of the world: saved, rewound, replayed, visible in SQL, and
// the same without an audio device. To control the sound later, store the entity.
//
// Allowed in systems that run alone, except in the render phase, in functions that are not pure, and in commands and
// pressed buttons. Part of the public plugin headers: C11, usable from C++.
#ifndef SHOAL_SOUND_H
#define SHOAL_SOUND_H

#include "shoal/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_sound_desc {
  const char *file SHOAL_ZERO;                       // name of a sound asset
  float volume SHOAL_ZERO;                           // volume, 0 … 1; 0 means 1
  float pan SHOAL_ZERO;                              // panning, from -1 (left) to 1 (right)
  float pitch SHOAL_ZERO;                            // pitch factor, 0.05 … 20; 0 means 1
  bool loop SHOAL_ZERO;                              // true: repeats until it is stopped
  const char *bus SHOAL_ZERO;                        // name of a bus in game.lua; NULL: "effects"
  float fade_in_s SHOAL_ZERO, fade_out_s SHOAL_ZERO; // durations of the fades, 0 … 60 seconds
  float duration_s SHOAL_ZERO;                       // maximum duration; 0: unlimited for a loop, otherwise 30 seconds
  bool positional SHOAL_ZERO;                        // true: the sound has a position
  float x SHOAL_ZERO, y SHOAL_ZERO;                  // position in the world, in pixels, if `positional` is true
  float range SHOAL_ZERO; // distance in pixels at which the sound becomes silent; 0 means 800
} shoal_sound_desc;

// Plays a sound and returns its entity. Returns 0 and fails the call if `file` is NULL or empty, or a number is out of
// its range. A missing file is reported in the log, as for scripts.
static inline shoal_entity shoal_play_sound(shoal_context *c, const shoal_sound_desc *sound) {
  return c->api->play_sound(c, sound);
}

// Destroys the entity of a sound. The sound ends after its fade-out. Returns true, or false if the entity is not a
// playing sound.
static inline bool shoal_stop_sound(shoal_context *c, shoal_entity e) {
  return c->api->stop_sound(c, e);
}

// Sets the volume of a sound, 0 … 1. Returns true, or false if the entity is not a playing sound. Fails the call if the
// volume is out of range.
static inline bool shoal_set_sound_volume(shoal_context *c, shoal_entity e, float volume) {
  return c->api->set_sound_volume(c, e, volume);
}

#ifdef __cplusplus
}
#endif

#endif
