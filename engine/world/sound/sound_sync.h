// Synchronizes voices with the rows of the component `sound` once per frame, and sets the listener and the bus volumes
// chosen by the player. Playback state is stored only here and the world is only read, so sound never affects the
// simulation.
#ifndef SHOAL_SOUND_SOUND_SYNC_H
#define SHOAL_SOUND_SOUND_SYNC_H

#include "ecs/world.h"
#include "platform/audio.h"

typedef struct sound_sync_o sound_sync_o;

// Creates an object without voices. `log` (may be NULL) receives warnings about invalid rows, once per entity.
sound_sync_o *sound_sync_create(log_o *log);
void sound_sync_destroy(sound_sync_o *s);

typedef struct sound_view_t {
  // Centre of the logical screen: position of the listener if there is no sound_listener and no camera.
  float middle_x, middle_y;
  bool paused; // true if looping sounds and the layers of the music are silent
} sound_view_t;

// Starts new sounds, and updates voices from the fields and positions. Stops the voices of rows that were removed or
// disabled, whose `playing` became false, or whose `file`, `bus` or `loop` changed. A sound without `loop` plays once
// each time `playing` becomes true.
void sound_sync_frame(sound_sync_o *s, world_o *w, audio_o *a, const sound_view_t *view);
// Drops all voices without stopping them. Call this after audio_reset.
void sound_sync_clear(sound_sync_o *s);

// Returns the voice of the entity's sound, or 0 if the entity has no voice.
uint32_t sound_sync_voice(const sound_sync_o *s, shoal_entity e);

#endif
