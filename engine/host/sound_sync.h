// Turns the rows of the `sound` component into voices, once a frame. What plays is remembered here and nowhere else:
// the world is only read, so sound never reaches the simulation.
#ifndef SHOAL_HOST_SOUND_SYNC_H
#define SHOAL_HOST_SOUND_SYNC_H

#include "ecs/world.h"
#include "platform/audio.h"

typedef struct sound_sync_o sound_sync_o;

sound_sync_o *sound_sync_create(void);
void sound_sync_destroy(sound_sync_o *s);

// Starts what has begun to play, follows volume and pan, stops what is gone, has another file or plays no more. A sound
// without `loop` plays once for each time that `playing` turns on. `paused` silences the looping ones until it ends.
void sound_sync_frame(sound_sync_o *s, world_o *w, audio_o *a, bool paused);
// Forgets every voice without stopping it (audio_forget has done so).
void sound_sync_clear(sound_sync_o *s);

// The voice that was started for an entity's row, 0 for none.
uint32_t sound_sync_voice(const sound_sync_o *s, shoal_entity e);

#endif
