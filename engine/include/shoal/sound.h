// Sounds by the name of their file, as scripts play them: played, stopped, louder and softer, from a place.
//
//   const shoal_sound bang = {.file = "bang.ogg", .volume = 0.8f};
//   shoal_play(c, &bang);
//
// A sound that plays is an entity with the component `sound` (and `sound_space` and `transform` for one from a place),
// so it is part of the world: saved, rewound, replayed, seen in SQL, and the same without loudspeakers, where nothing
// is heard. What a plugin keeps of it is the entity.
//
// In systems that are not parallel or beside others and not of the render phase, in functions that are not pure and
// where a button is pressed. Part of the public plugin headers: C11, usable from C++.
#ifndef SHOAL_SOUND_H
#define SHOAL_SOUND_H

#include "shoal/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_sound {
  const char *file; // of assets/
  float volume;     // 0 … 1; 0 is 1, for one that is silent is not played
  float pan;        // -1 left … 1 right
  float pitch;      // 0.05 … 20; 0 is 1
  bool loop;        // until it is stopped
  const char *bus;  // of game.lua's buses; NULL: effects
  float fade_in_s, fade_out_s;
  float seconds; // after which it is stopped; 0: a loop never, others after 30
  bool placed;   // it is heard from x, y
  float x, y;
  float range; // pixels from which on it is not heard; 0: 800
} shoal_sound;

// 0 when it cannot be: the call has failed with a sentence. A file that is not there is a line in the log, as for
// scripts.
static inline shoal_entity shoal_play(shoal_context *c, const shoal_sound *sound) {
  return c->api->play(c, sound);
}

// The entity goes, at once or after its fade_out. False when it is no sound, or is over.
static inline bool shoal_stop_sound(shoal_context *c, shoal_entity e) {
  return c->api->stop_sound(c, e);
}

// 0 … 1. False when it is no sound, or is over.
static inline bool shoal_set_volume(shoal_context *c, shoal_entity e, float volume) {
  return c->api->set_volume(c, e, volume);
}

#ifdef __cplusplus
}
#endif

#endif
