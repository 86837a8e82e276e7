// Trails: ribbons along an entity's past positions. The positions are columns of the component (a ring buffer), so
// trails are saved, rewound and replayed like all other state. Width and colour are computed when the trail is drawn.
#ifndef SHOAL_PARTICLES_TRAIL_H
#define SHOAL_PARTICLES_TRAIL_H

#include "schedule/schedule.h"

#define TRAIL_POINTS 24u // number of stored positions
#define TRAIL_SMOOTH 3u  // number of segments drawn between two stored positions
#define TRAIL_MAX ((TRAIL_POINTS + 1u) * TRAIL_SMOOTH + 1u)

bool trail_declare(world_o *w, error_info_t *error);
// Adds the system shoal.trail to phase post_update, after shoal.transform. Returns true on success, or false with an
// error if this name is taken.
bool trail_schedule(world_o *w, schedule_o *s, error_info_t *error);
void trail_update(world_o *w, double dt_s); // stores the positions of one tick

// A drawable trail, from the entity to the trail's end, in world pixels.
typedef struct trail_t {
  int32_t layer;
  bool add;
  float soft; // fraction of the half width over which the edge fades out
  uint32_t count;
  float xy[TRAIL_MAX][2], half_width[TRAIL_MAX];
  float colour[TRAIL_MAX][4]; // colour of each point, not premultiplied
} trail_t;

// Computes a drawable trail. `x`, `y`: the entity's interpolated position. `back_s`: seconds from the drawn moment to
// the end of the most recent tick. Returns true on success, or false if the trail has fewer than two points.
bool trail_build(world_o *w, uint32_t row, float x, float y, double back_s, trail_t *out);
// Stores the trail's layer. Returns true if the trail may be visible: it is enabled, its field `visible` is true, and
// it has a stored position.
bool trail_is_visible(world_o *w, uint32_t row, int32_t *layer);

#endif
