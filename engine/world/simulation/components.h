// Declares the built-in components of the simulation and schedules their systems. Lights, particles, canvases and
// widgets are declared by their own modules.
//
// | component   | fields (default)                                                                                    |
// |-------------|-----------------------------------------------------------------------------------------------------|
// | name        | value:string                                                                                        |
// | transform   | x y z angle:f32 (0), scale_x scale_y (1), parent:entity, orphan:bool (children outlive it and keep  |
// |             | their position; otherwise they are destroyed with it); derived: world:mat4; hidden: first_child,    |
// |             | next_sibling, prev_sibling, linked_parent                                                           |
// | sprite      | image:asset, frame:i32 (1), frames:i32 (1, a horizontal strip), tint:vec4 (1), width height (0 =    |
// |             | the image's own), flip:bool, flip_y:bool, layer:i32, visible:bool (true), blend:enum alpha|add      |
// | shape       | kind:enum circle|rect|polygon|line, radius (10), width height (20), points:string "x,y x,y …",      |
// |             | colour:vec4 (1), filled:bool (true), thickness (2), layer, visible (true), blend                    |
// | text        | value:string, size (24), font:asset, colour:vec4, align:enum left|center|right, space:enum          |
// |             | world|screen, layer, visible, blend, wrap (0), valign:enum top|middle|bottom, markup:bool           |
// |             | (text/markup.h)                                                                                     |
// | text_style  | outline:vec4, outline_width, shadow:vec4, shadow_x, shadow_y, line_spacing (1), shown:i32 (-1: all) |
// | camera      | enabled:bool (true), zoom (1), shake (0, pixels), bloom (0 … 1), background:vec4 (0.02 0.02 0.05 1) |
// | body        | kind:enum circle|box, radius (10), width height (20), offset_x offset_y, category:u32 (1), mask:u32 |
// |             | (all), enabled:bool (true)                                                                          |
// | sound       | file:asset, volume (1), pan (0), loop:bool, playing:bool (true), pitch (1), bus:string, fade_in,    |
// |             | fade_out                                                                                            |
// | sound_space | range (800), within: makes a sound quieter with the distance from the listener                      |
// | lifetime    | seconds (1); the entity is destroyed at 0                                                           |
// | timer       | event, values:string (JSON), seconds:f64; the event is emitted at 0                                 |
// | tween       | many; path:string, ease:enum, to, seconds, elapsed, from:f64, times:u32, back, begun:bool (tween.c) |
// | animation   | clip:string, speed (1), playing:bool (true), times:u32, elapsed:f64 (-1) (animation.h)              |
// | material    | flash:vec4, outline:vec4, outline_width, dissolve, dissolve_colour:vec4: effects on the sprite      |
// | follow      | target:entity, width, height, seconds (0.1), offset_x, offset_y, left, top, right, bottom           |
// |             | (follow.c)                                                                                          |
// | viewport    | x, y, width, height (0: the screen's), order: area of the screen for the image of a camera          |
// |             | (viewport.c)                                                                                        |
// | shaken      | trauma, decay (1.2), pixels (24): shakes the camera (follow.c)                                      |
// | sensor      | no fields: the body of its entity does not block movers                                             |
// | one_way     | no fields: the body of its entity stops, carries and pushes movers only from above                  |
// | swept       | from_x from_y, jumped:bool (true): its path; derived: time (1), hit:entity, stop_x stop_y           |
// |             | (swept_bodies.h)                                                                                    |
// | y_sort      | offset (0): sorts the entities of a layer that have this component by y                             |
// | tilemap     | map:asset, level:string (of a file with several), layer:i32, visible:bool (true); hidden: filled    |
// | map_object  | map:entity, id:u32 of the object, width, height: added to entities created for an object of a map   |
// | path        | points, speed (40), loop, back:bool, next:u32; derived: dir_x dir_y (path.h)                        |
// | mover       | vx vy (pixels per second); derived: on_floor on_wall on_ceiling:bool, hit floor:entity, floor_x     |
// |             | floor_y (mover.h)                                                                                   |
//
// sound_listener has no fields: sounds with sound_space are played relative to the position of its entity instead of
// the camera's.
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
// shoal.path (pre_update, priority 1001), shoal.mover (post_update, priority -2000), shoal.animation, shoal.follow,
// shoal.transform (post_update, priority -1000), shoal.collision (post_update, after shoal.transform).
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
// Returns the object, or NULL with a message if a name is taken or a declaration is rejected. `w` is borrowed; destroy
// the result before world_destroy, because its memory is counted there. `assets` (borrowed; may be NULL) locates sheets
// and fonts.
components_o *components_create(world_o *w, const assets_t *assets, error_info_t *error);
void components_destroy(components_o *c);
sheets_o *components_sheets(components_o *c);
const struct collision_o *components_collision(const components_o *c); // returns data for tools (collision/collision.h)
// Returns the typesetter of this world, which the simulation also uses to measure text (text/typesetter.h).
typesetter_o *components_typesetter(components_o *c);
// Reloads a changed sheet or font file. If the previous version stays in use, stores the reason in `error`. Call
// between two ticks.
asset_fate_t components_reload_asset(components_o *c, const char *name, error_info_t *error);
// Takes over the loaded sheets and fonts of `old` in a reload, so that files that can no longer be read stay in use.
void components_take_over(components_o *c, components_o *old);
// Sets the size of the screen in logical pixels, for systems that depend on it (default: 1280 × 720).
void components_set_screen(components_o *c, int width, int height);
// Sets fallback fonts for characters that the text's font lacks: "a.ttf, b.ttf" (default: only the engine's fonts).
void components_set_fonts(components_o *c, const char *names);

// Adds the built-in systems to a schedule, which must not run after components_destroy. Returns true on success, or
// false with an error.
bool components_schedule(components_o *c, schedule_o *s, error_info_t *error);

#endif
