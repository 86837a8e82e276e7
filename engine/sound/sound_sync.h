// Turns the rows of the `sound` component into voices, once a frame, and says from where they are heard and how loud
// the player wants the buses. What plays is remembered here and nowhere else: the world is only read, so sound never
// reaches the simulation.
#ifndef SHOAL_SOUND_SOUND_SYNC_H
#define SHOAL_SOUND_SOUND_SYNC_H

#include "ecs/world.h"
#include "platform/audio.h"

typedef struct sound_sync_o sound_sync_o;

// `log` for what is wrong with rows, said once for each entity; NULL: it is not said.
sound_sync_o *sound_sync_create(log_o *log);
void sound_sync_destroy(sound_sync_o *s);

typedef struct sound_view_t {
  float middle_x, middle_y; // of the logical screen: from there it is heard in a world without listener and camera
  bool paused;              // the looping sounds are silent meanwhile
} sound_view_t;

// Starts what has begun to play, follows its fields and its entity's place, stops what is gone, has another file or
// plays no more. A sound without `loop` plays once for each time that `playing` turns on.
void sound_sync_frame(sound_sync_o *s, world_o *w, audio_o *a, const sound_view_t *view);
// Forgets every voice without stopping it (audio_forget has done so).
void sound_sync_clear(sound_sync_o *s);

// The voice that was started for an entity's row, 0 for none.
uint32_t sound_sync_voice(const sound_sync_o *s, shoal_entity e);

#endif
