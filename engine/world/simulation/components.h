// Declares the built-in components of the simulation and schedules their systems. Lights, particles, canvases and
// widgets are declared by their own modules. The fields, with defaults and units, are listed in shoal/builtin.h. The
// headers below list the fields that plugins do not use, and the components that shoal/builtin.h lacks.
//
// | components                         | subject                                         | header            |
// |------------------------------------|-------------------------------------------------|-------------------|
// | name                               | name of the entity                              | components/name.h |
// | transform                          | position, angle, scale and parent               | transform/        |
// | sprite, shape, text, text_style,   | drawing at the position of the transform        | data_components.h |
// | material, y_sort                   |                                                 |                   |
// | camera, viewport, follow, shaken   | parts of the world and of the screen to draw    | camera/           |
// | sound, sound_space, sound_listener | sounds; where they are and where they are heard | data_components.h |
// | animation                          | clip that the sprite plays                      | animation/        |
// | lifetime, timer, tween             | changes after a time                            | countdown/        |
// | body, sensor, one_way, swept       | collision shape, and how it acts on movers      | collision/        |
// | findable, neighbours               | searches for entities near a position           | collision/        |
// | path, mover                        | movement along a path, and between obstacles    | movement/         |
// | tilemap, map_object                | map, and entities created for objects of a map  | tilemap/          |
// | disabled                           | components that queries skip                    | ecs/query.h       |
//
// Units: pixels of the game's logical screen, y down, origin top left; radians, clockwise on screen; seconds; 0…1 for
// colour.
//
// Event: collision { a, b:entity, x, y (contact point), nx, ny (unit, from a to b), depth (pixels), cancelled:bool }.
// Two bodies touch if they overlap (a shared edge is not enough) and each body's category is in the mask of the other
// body. `a` is the body with the lower category, then the lower entity index. Every touching pair is reported once per
// tick, ordered by the entity index of a, then of b. Rows that a reader marks `cancelled` are invisible to later
// readers. A body follows its entity's world matrix: a circle grows with the larger scale, a box rotates and stretches.
// Bodies touch nothing if they have no transform, have enabled = false, or if their position or size is not finite.
//
// Systems: shoal.mover_capture (input, first), shoal.lifetime, shoal.timer, shoal.tween (pre_update, priority 1000),
// shoal.path (pre_update, priority 1001), shoal.neighbours (pre_update, priority 2000), shoal.mover (post_update,
// priority -2000), shoal.animation, shoal.follow, shoal.transform (post_update, priority -1000), shoal.collision
// (post_update, after shoal.transform).
#ifndef SHOAL_SIMULATION_COMPONENTS_H
#define SHOAL_SIMULATION_COMPONENTS_H

#include "animation/sheets.h"
#include "base/error.h"
#include "ecs/world.h"
#include "schedule/schedule.h"
#include "text/typesetter.h"

// Data of the built-in systems that is not part of the world: scratch memory, sheets and fonts. One object per world.
// The object outlives the schedules, which every reload replaces.
typedef struct components_o components_o;

// Declares the built-in components of the simulation and the collision event in a new world, before any script does.
// Returns the object, or NULL with an error if a name is taken or a declaration is rejected. `w` is borrowed; destroy
// the result before world_destroy, because its memory is counted there. `assets` (borrowed; may be NULL) locates sheets
// and fonts.
components_o *components_create(world_o *w, const assets_t *assets, error_info_t *error);
void components_destroy(components_o *c);
sheets_o *components_sheets(components_o *c);
const struct collision_o *components_collision(const components_o *c); // returns the collision pipeline, for tools
// Returns the typesetter of this world, which the simulation also uses to measure text (text/typesetter.h).
typesetter_o *components_typesetter(components_o *c);
// Reloads a changed sheet or font file. If the previous version stays in use, stores the reason in `error` and returns
// ASSET_KEPT. Call between two ticks.
asset_fate_t components_reload_asset(components_o *c, const char *name, error_info_t *error);
// Takes over the loaded sheets and fonts of `old` in a reload, so that files that can no longer be read stay in use.
void components_take_over(components_o *c, components_o *old);
// Sets the size of the screen in logical pixels, for systems that depend on it (default: 1280 × 720).
void components_set_screen(components_o *c, int width, int height);
// Sets fallback fonts for characters that the text's font lacks: "a.ttf, b.ttf" (default: only the engine's fonts).
void components_set_fonts(components_o *c, const char *names);

// Adds the built-in systems to a schedule, which must not run after components_destroy. Returns true on success, or
// false with an error if the name of a system is taken.
bool components_schedule(components_o *c, schedule_o *s, error_info_t *error);

#endif
