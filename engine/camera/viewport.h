// Which cameras are seen, and where on the screen: the first active one without a viewport fills it, and those with one
// lie on top of it, by their order. Several of them split the screen.
#ifndef SHOAL_CAMERA_VIEWPORT_H
#define SHOAL_CAMERA_VIEWPORT_H

#include "components/builtin.h"

#define VIEWPORTS_MAX 16u // those after that are not seen

typedef struct viewport_t {
  shoal_entity camera;
  uint32_t row;              // of camera
  float x, y, width, height; // on the screen, in logical pixels
  int32_t order;
} viewport_t;

BUILTIN_COMPONENT(viewport, SHOAL_VIEWPORT_FIELDS)

// How many are seen, from below, into `out`, which has room for VIEWPORTS_MAX. 0 where there is no camera: then the
// world's origin is the top left corner of the screen.
uint32_t viewports_list(world_o *w, float logical_width, float logical_height, viewport_t *out);
// The size of what a camera sees, in logical pixels.
void viewport_size(world_o *w, shoal_entity camera, float logical_width, float logical_height, float *width,
                   float *height);

// From the world to the screen, `back` from the screen to the world, in place. Without the shaking of the picture, as
// the columns are now. `camera` 0: the one that is seen at that point of the screen, or the lowest one, and
// becomes that one; 0 where there is none. False when the camera is not seen.
bool viewport_project(world_o *w, double logical_width, double logical_height, bool back, double *xy,
                      shoal_entity *camera);

#endif
