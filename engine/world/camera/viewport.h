// Visible cameras and their areas of the screen: the first active camera without a viewport fills the screen; cameras
// with a viewport are drawn on top, by order. Several viewports make a split screen.
#ifndef SHOAL_CAMERA_VIEWPORT_H
#define SHOAL_CAMERA_VIEWPORT_H

#include "components/builtin.h"

#define VIEWPORTS_MAX 16u // maximum number of visible cameras

typedef struct viewport_t {
  shoal_entity camera;
  uint32_t row;              // row in the component camera
  float x, y, width, height; // area of the screen in logical pixels
  int32_t order;
} viewport_t;

BUILTIN_COMPONENT(viewport, SHOAL_VIEWPORT_FIELDS)

// Stores the visible cameras in `out` (capacity VIEWPORTS_MAX), back to front, and returns their number. Without a
// visible camera, the world's origin is the top left corner of the screen. `players`: bits of the players who see the
// screen (world_view_players); 0: all cameras. Cameras and viewports of other players are left out. If only one of the
// remaining viewports belongs to a player, it fills the screen.
uint32_t viewports_list(world_o *w, float logical_width, float logical_height, uint32_t players, viewport_t *out);
// Returns true if a component whose field `player` has this value belongs to one of these players or to all players.
// `players`: as in viewports_list.
bool viewport_is_for(int32_t player, uint32_t players);
// Stores the size of a camera's view in logical pixels: the size of its canvas, of its viewport, or of the whole
// screen.
void viewport_size(world_o *w, shoal_entity camera, float logical_width, float logical_height, float *width,
                   float *height);

// Converts a point in place, from world to screen or, with `to_world`, from screen to world. Uses the current columns
// and ignores camera shake. If `*camera` is 0, selects and stores a visible camera: with `to_world`, the topmost camera
// at that point; otherwise, or if no camera is at that point, the bottommost camera. `*camera` stays 0 if no camera is
// visible. Returns true on success, or false if `*camera` is set but not visible. `players`: as in viewports_list; must
// be 0 in the simulation, which must not depend on the machine.
bool viewport_project(world_o *w, double logical_width, double logical_height, uint32_t players, bool to_world,
                      double *xy, shoal_entity *camera);

#endif
