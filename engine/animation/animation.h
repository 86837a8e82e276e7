// Animations: which frame of its sheet a sprite shows, as time goes by.
#ifndef SHOAL_ANIMATION_ANIMATION_H
#define SHOAL_ANIMATION_ANIMATION_H

#include "animation/sheets.h"
#include "components/builtin.h"

#define ANIMATION_NAME "shoal.animation" // its system

// Plays a clip of its sprite's sheet. A new `clip` starts at its first frame. playing: false pauses it, and it becomes
// false at the end. elapsed may be written to start in the middle. shown: the clip that `elapsed` belongs to.
BUILTIN_COMPONENT(animation, SHOAL_ANIMATION_FIELDS)

// One tick of `dt_s` seconds: writes sprite.frame. Where the world has the event animation_ended { entity, clip }, it
// is emitted when a clip is over. `sheets` NULL: no image has one. Main thread, and nothing may be deferred.
void animation_update(world_o *w, sheets_o *sheets, double dt_s);

#endif
