// Animations: which frame of its sheet a sprite shows, as time goes by.
#ifndef SHOAL_COMPONENTS_ANIMATION_H
#define SHOAL_COMPONENTS_ANIMATION_H

#include "components/sheets.h"
#include "ecs/world.h"

#define ANIMATION_NAME "shoal.animation" // its system

// animation { clip:string, speed:f32 (1), playing:bool (true), times:u32 (0), elapsed:f64, shown:string }, see
// animation.c. Without a sprite it does nothing.
bool animation_declare(world_o *w, error_t *error);

// One tick of `dt_s` seconds: writes sprite.frame. Where the world has the event animation_ended { entity, clip }, it
// is emitted when a clip is over. `sheets` NULL: no image has one. Main thread, and nothing may be deferred.
void animation_update(world_o *w, sheets_o *sheets, double dt_s);

#endif
