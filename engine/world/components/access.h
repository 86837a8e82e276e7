// Accessibility settings of the player: fields of the singleton `settings` (scripts/shoal/kit/access.lua). They change
// what a machine draws and plays, never the simulation.
#ifndef SHOAL_COMPONENTS_ACCESS_H
#define SHOAL_COMPONENTS_ACCESS_H

#include "components/builtin.h"

// Choices of the setting `colours`.
typedef enum access_colours_t {
  ACCESS_COLOURS_PLAIN,
  ACCESS_PROTANOPIA,
  ACCESS_DEUTERANOPIA,
  ACCESS_TRITANOPIA
} access_colours_t;

typedef struct access_t {
  float flashes, shake; // strength of flashes and of camera shake, 0 to 1
  float text_scale;     // factor for text sizes, at least 1
  bool reduced_motion;  // true if motion is reduced, which stops camera shake as well
  bool mono;
  bool press_to_hold; // true if a press keeps an action down until the next press
  access_colours_t colours;
} access_t;

// Returns the settings of the world, with default values for settings that the game does not have. `w` may be NULL.
access_t access_read(const world_o *w);

#endif
