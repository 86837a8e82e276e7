// Trails: a ribbon along the way that an entity has come. A few places of its past are columns of the component, a ring
// of them, so a trail is saved, rewound and lived again as everything is; how wide and of which colour it is there is
// calculated when it is drawn.
#ifndef SHOAL_PARTICLES_TRAIL_H
#define SHOAL_PARTICLES_TRAIL_H

#include "schedule/schedule.h"

#define TRAIL_POINTS 24u // of its past that are kept
#define TRAIL_SMOOTH 3u  // pieces between two of them
#define TRAIL_MAX ((TRAIL_POINTS + 1u) * TRAIL_SMOOTH + 1u)

bool trail_declare(world_o *w, error_t *error);
// shoal.trail: post_update, after shoal.transform.
bool trail_schedule(world_o *w, schedule_o *s, error_t *error);
void trail_update(world_o *w, double dt_s); // one tick of it

// What is to be drawn, from where the entity is to its end. In the world's pixels.
typedef struct trail_t {
  int32_t layer;
  bool add;
  float soft; // what part of half its width fades out
  uint32_t count;
  float xy[TRAIL_MAX][2], half[TRAIL_MAX];
  float colour[TRAIL_MAX][4]; // straight
} trail_t;

// x, y: where it is now; back_s: how long before the end of the last tick the picture is. False where nothing is to be
// seen of it.
bool trail_of(world_o *w, uint32_t row, float x, float y, double back_s, trail_t *out);
// Is it drawn at all, and on which layer?
bool trail_is_seen(world_o *w, uint32_t row, int32_t *layer);

#endif
