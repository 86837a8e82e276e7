// Animations select the frame of a sheet that a sprite shows at the current time.
#ifndef SHOAL_ANIMATION_ANIMATION_H
#define SHOAL_ANIMATION_ANIMATION_H

#include "animation/sheets.h"
#include "components/builtin.h"

#define ANIMATION_NAME "shoal.animation" // name of the system that plays animations

// Plays a clip of the sprite's sheet. Fields:
// - clip: setting this field starts the clip, at its end if `speed` is negative
// - playing: false pauses; becomes false at the end of the clip
// - elapsed: seconds since the start of the clip; can be written to seek
// - shown: the clip to which `elapsed` belongs
BUILTIN_COMPONENT(animation, SHOAL_ANIMATION_FIELDS)

// Runs one tick of `dt_s` seconds: writes sprite.frame and, when a clip ends, emits the event animation_ended { entity,
// clip } if it is declared. `sheets` may be NULL. Main thread only; changes must not be deferred.
void animation_update(world_o *w, sheets_o *sheets, double dt_s);

#endif
