// Fields of the built-in components, which the engine declares from these lists (components/builtin.h). A plugin that
// uses such a component declares it with the fields that it needs, in any order, and names it in `.uses`:
//
//   SHOAL_COMPONENT(transform, SHOAL_TRANSFORM_FIELDS)
//   SHOAL_PLUGIN(…, .uses = SHOAL_COMPONENTS(transform), …)
//
// Units: px are pixels of the game's logical screen, y points down. Angles are radians, clockwise on screen. Times are
// seconds. Colours are 0 … 1, not premultiplied. Part of the public plugin headers: C11, usable from C++.
#ifndef SHOAL_BUILTIN_H
#define SHOAL_BUILTIN_H

// clang-format off

// Position, angle and scale relative to the parent. The engine computes the field `world` from these fields when a
// system starts and, outside parts of a parallel system, in each call to shoal_get_rows. Omit `world` if you do not
// need it: computing it costs time. The fields F(f32, world_x) F(f32, world_y) are the position in the world, computed
// at the same times.
#define SHOAL_TRANSFORM_FIELDS(F)                                                                                      \
  F(f32, x, 0) F(f32, y, 0) F(f32, z, 0) F(f32, angle, 0) F(f32, scale_x, 1) F(f32, scale_y, 1) F(entity, parent)      \
  F(mat4, world)

#define SHOAL_NAME_FIELDS(F) F(string, value, "")

// A collision shape.
#define SHOAL_BODY_FIELDS(F)                                                                                           \
  F(enum, kind, "circle box") F(f32, radius, 10, .unit = "px", .doc = "radius of a circle")                            \
  F(f32, width, 20, .unit = "px", .doc = "width of a box") F(f32, height, 20, .unit = "px", .doc = "height of a box")  \
  F(f32, offset_x, 0, .unit = "px", .doc = "offset of the centre from the transform")                                  \
  F(f32, offset_y, 0, .unit = "px")                                                                                    \
  F(u32, category, 1, .doc = "categories of the body, as bits")                                                        \
  F(u32, mask, 4294967295.0, .doc = "categories that the body collides with, as bits") F(bool, enabled, 1)

#define SHOAL_FINDABLE_FIELDS(F)                                                                                       \
  F(f32, radius, 0, .unit = "px", .doc = "radius of the circle that is found")                                         \
  F(u32, category, 1, .doc = "categories, as bits, which the mask of a search selects")

#define SHOAL_NEIGHBOUR_FIELDS(F, n_)                                                                                  \
  F(entity, e##n_, .flags = SHOAL_READ_ONLY) F(f32, d##n_, 0, .flags = SHOAL_READ_ONLY, .unit = "px")

// The bodies and findable entities within `radius`, except the entity itself: their total number, and the eight nearest
// with their distances, nearest first. If there are fewer than eight, the unused entries are 0.
#define SHOAL_NEIGHBOURS_FIELDS(F)                                                                                     \
  F(f32, radius, 100, .unit = "px", .doc = "maximum distance")                                                         \
  F(u32, mask, 4294967295.0, .doc = "categories to find, as bits")                                                     \
  F(u32, count, 0, .flags = SHOAL_READ_ONLY, .doc = "number of entities within the radius")                            \
  F(f32, centre_x, 0, .flags = SHOAL_READ_ONLY, .doc = "mean position of these entities; own position if count is 0")  \
  F(f32, centre_y, 0, .flags = SHOAL_READ_ONLY)                                                                        \
  SHOAL_NEIGHBOUR_FIELDS(F, 1) SHOAL_NEIGHBOUR_FIELDS(F, 2) SHOAL_NEIGHBOUR_FIELDS(F, 3)                               \
  SHOAL_NEIGHBOUR_FIELDS(F, 4) SHOAL_NEIGHBOUR_FIELDS(F, 5) SHOAL_NEIGHBOUR_FIELDS(F, 6)                               \
  SHOAL_NEIGHBOUR_FIELDS(F, 7) SHOAL_NEIGHBOUR_FIELDS(F, 8)

#define SHOAL_CAMERA_FIELDS(F)                                                                                         \
  F(bool, enabled, 1, .renamed_from = "active")                                                                        \
  F(f32, zoom, 1, .doc = "magnification; 2 shows everything twice as large")                                           \
  F(f32, shake, 0, .unit = "px", .doc = "maximum random displacement of the view")                                     \
  F(f32, bloom, 0, .doc = "strength of the glow around bright parts, 0 for none")                                      \
  F(vec4, background, 0.02f, 0.02f, 0.05f, 1, .doc = "colour where nothing is drawn")                                  \
  F(i32, player, 0, .doc = "player whose machine shows it; 0 for all machines")

#define SHOAL_LIFETIME_FIELDS(F) F(f32, seconds, 1, .unit = "s", .doc = "time left; the entity is destroyed at 0")

// --- graphics and sound

#define SHOAL_BLEND_CHOICES "alpha add"

#define SHOAL_SPRITE_FIELDS(F)                                                                                         \
  F(asset, image, "") F(i32, frame, 1, .doc = "number of the frame in the sheet or strip, starting at 1")              \
  F(i32, frames, 1, .doc = "number of frames in the image, from left to right")                                        \
  F(vec4, tint, 1, 1, 1, 1, .doc = "colour that is multiplied with the image")                                         \
  F(f32, width, 0, .unit = "px", .doc = "0 for the width of the image")                                                \
  F(f32, height, 0, .unit = "px", .doc = "0 for the height of the image")                                              \
  F(bool, flip, 0, .doc = "mirrored left to right") F(bool, flip_y, 0, .doc = "mirrored upside down")                  \
  F(i32, layer, 0, .doc = "higher layers are drawn on top") F(bool, visible, 1)                                        \
  F(enum, blend, SHOAL_BLEND_CHOICES, .doc = "alpha covers what is below, add brightens it")

#define SHOAL_SHAPE_FIELDS(F)                                                                                          \
  F(enum, kind, "circle rect polygon line") F(f32, radius, 10, .unit = "px", .doc = "radius of a circle")              \
  F(f32, width, 20, .unit = "px", .doc = "width of a rectangle")                                                       \
  F(f32, height, 20, .unit = "px", .doc = "height of a rectangle")                                                     \
  F(string, points, "", .doc = "corners of a polygon or line, \"x,y x,y x,y\"") F(vec4, colour, 1, 1, 1, 1)            \
  F(bool, filled, 1, .doc = "false draws the outline")                                                                 \
  F(f32, thickness, 2, .unit = "px", .doc = "width of lines and outlines")                                             \
  F(i32, layer, 0, .doc = "higher layers are drawn on top") F(bool, visible, 1)                                        \
  F(enum, blend, SHOAL_BLEND_CHOICES, .doc = "alpha covers what is below, add brightens it")

#define SHOAL_TEXT_FIELDS(F)                                                                                           \
  F(string, value, "") F(f32, size, 24, .unit = "px", .doc = "font size (one em)")                                     \
  F(asset, font, "", .doc = "font file; the default font if empty") F(vec4, colour, 1, 1, 1, 1)                        \
  F(enum, align, "left center right", .doc = "side of the text that is at the transform")                              \
  F(enum, space, "world screen", .doc = "screen ignores the camera")                                                   \
  F(i32, layer, 0, .doc = "higher layers are drawn on top") F(bool, visible, 1)                                        \
  F(enum, blend, SHOAL_BLEND_CHOICES, .doc = "alpha covers what is below, add brightens it")                           \
  F(f32, wrap, 0, .unit = "px", .doc = "maximum width of a line; 0 breaks at line ends only")                          \
  F(enum, valign, "top middle bottom", .doc = "edge of the text that is at the transform")                             \
  F(bool, markup, 0, .doc = "interprets tags: [color=#ff8800], [size=32], [font=a.ttf], [icon=coin.png]")

#define SHOAL_TEXT_STYLE_FIELDS(F)                                                                                     \
  F(vec4, outline, 0, 0, 0, 1) F(f32, outline_width, 0, .unit = "px", .doc = "0 for no outline")                       \
  F(vec4, shadow, 0, 0, 0, 0.6f)                                                                                       \
  F(f32, shadow_x, 0, .unit = "px", .doc = "offset of the shadow; no shadow if both are 0")                            \
  F(f32, shadow_y, 0, .unit = "px") F(f32, line_spacing, 1, .doc = "factor of the distance between lines")             \
  F(i32, shown, -1, .doc = "number of characters that are drawn, -1 for all")

#define SHOAL_MATERIAL_FIELDS(F)                                                                                       \
  F(vec4, flash, 1, 1, 1, 0, .doc = "colour to mix in; alpha is the mix factor")                                       \
  F(vec4, outline, 0, 0, 0, 0, .doc = "colour of the outline; alpha is its opacity")                                   \
  F(f32, outline_width, 1, .doc = "width of the outline in pixels of the image")                                       \
  F(f32, dissolve, 0, .doc = "0 draws all of the image, 1 draws nothing")                                              \
  F(vec4, dissolve_colour, 1, 0.6f, 0.2f, 1, .doc = "colour of pixels that are about to dissolve")

#define SHOAL_Y_SORT_FIELDS(F) F(f32, offset, 0, .unit = "px", .doc = "distance from the transform down to the feet")

#define SHOAL_VIEWPORT_FIELDS(F)                                                                                       \
  F(f32, x, 0, .unit = "px", .doc = "logical") F(f32, y, 0, .unit = "px")                                              \
  F(f32, width, 0, .unit = "px", .doc = "0 for the width of the screen")                                               \
  F(f32, height, 0, .unit = "px", .doc = "0 for the height of the screen")                                             \
  F(i32, order, 0, .doc = "higher orders are drawn on top")                                                            \
  F(i32, player, 0, .doc = "player whose machine shows it; 0 for all machines")

#define SHOAL_SOUND_LISTENER_FIELDS(F) F(i32, player, 0, .doc = "player whose machine it is for; 0 for all machines")

#define SHOAL_CAMERA_LAYERS_FIELDS(F) F(i32, first, -2147483648.0) F(i32, last, 2147483647)

// Makes a camera draw into an image, "canvas:NAME", instead of the screen.
#define SHOAL_CANVAS_FIELDS(F)                                                                                         \
  F(string, name, "", .doc = "sprites show the image as canvas:NAME")                                                  \
  F(i32, width, 256, .unit = "px", .doc = "1 to 4096") F(i32, height, 256, .unit = "px")                               \
  F(enum, filter, "auto smooth pixels", .doc = "filter for enlarging; auto uses the setting of the game")              \
  F(i32, order, 0, .doc = "canvases with a higher order are drawn later")

#define SHOAL_FOLLOW_FIELDS(F)                                                                                         \
  F(entity, target, .doc = "entity to follow")                                                                         \
  F(f32, width, 0, .unit = "px", .doc = "width of the dead zone, in which the target moves freely")                    \
  F(f32, height, 0, .unit = "px")                                                                                      \
  F(f32, seconds, 0.1f, .unit = "s", .doc = "time for half of the distance; 0 for no delay")                           \
  F(f32, offset_x, 0, .unit = "px", .doc = "offset from the target to the point to look at")                           \
  F(f32, offset_y, 0, .unit = "px")                                                                                    \
  F(f32, left, 0, .unit = "px", .doc = "bounds of the visible world; none unless right > left")                        \
  F(f32, top, 0, .unit = "px", .doc = "bounds; none unless bottom > top") F(f32, right, 0, .unit = "px")               \
  F(f32, bottom, 0, .unit = "px")

#define SHOAL_SHAKEN_FIELDS(F)                                                                                         \
  F(f32, trauma, 0, .doc = "0 to 1; add to it for each hit")                                                           \
  F(f32, decay, 1.2f, .unit = "1/s", .doc = "decrease of the trauma")                                                  \
  F(f32, pixels, 24, .unit = "px", .doc = "displacement at trauma 1")

// Plays a clip from the sprite sheet of the entity's sprite.
#define SHOAL_ANIMATION_FIELDS(F)                                                                                      \
  F(string, clip, "", .doc = "name in the sheet; all frames if empty")                                                 \
  F(f32, speed, 1, .doc = "playback speed; negative plays backwards") F(bool, playing, 1)                              \
  F(u32, times, 0, .doc = "number of repetitions; 0: as in the sheet")                                                 \
  F(f64, elapsed, -1, .unit = "s", .doc = "negative restarts the clip")                                                \
  F(string, shown, "", .flags = SHOAL_HIDDEN | SHOAL_READ_ONLY)

#define SHOAL_TILEMAP_FIELDS(F)                                                                                        \
  F(asset, map, "", .doc = ".tmx, .tmj or .ldtk file in assets/")                                                      \
  F(string, level, "", .doc = "level of an LDtk project; the first one if empty")                                      \
  F(i32, layer, 0, .doc = "offset added to the layers of the map") F(bool, visible, 1)

#define SHOAL_LIGHT_FIELDS(F)                                                                                          \
  F(bool, enabled, 1, .renamed_from = "on")                                                                            \
  F(f32, range, 200, .unit = "px") F(vec4, colour, 1, 0.85f, 0.6f, 1)                                                  \
  F(f32, intensity, 1, .doc = "brightness factor")                                                                     \
  F(f32, falloff, 1, .doc = "attenuation: 0 is soft, 8 is bright at the centre only")                                  \
  F(f32, cone, 6.2831855f, .unit = "rad", .doc = "full angle of the cone; a full turn for no cone")                    \
  F(f32, cone_soft, 0.3f, .doc = "part of the cone that fades out, 0 to 1")                                            \
  F(f32, angle, 0, .unit = "rad", .doc = "angle relative to the entity")                                               \
  F(f32, offset_x, 0, .unit = "px", .doc = "from the transform") F(f32, offset_y, 0, .unit = "px")                     \
  F(bool, shadows, 1, .doc = "occluders cast shadows")                                                                 \
  F(f32, size, 8, .unit = "px", .doc = "size of the light source; larger sources have softer shadows")                 \
  F(f32, glow, 0, .doc = "visible glow in the air around the source")                                                  \
  F(f32, flicker, 0, .doc = "random change of the intensity, 0 to 1")

#define SHOAL_AMBIENT_FIELDS(F)                                                                                        \
  F(vec4, colour, 0.16f, 0.17f, 0.24f, 1) F(i32, layer, 1000, .doc = "this layer and the layers above are not lit")    \
  F(f32, detail, 0.5f, .doc = "resolution of the lighting relative to the image's, 0.1 to 1")

#define SHOAL_OCCLUDER_FIELDS(F)                                                                                       \
  F(bool, enabled, 1, .renamed_from = "on")                                                                            \
  F(enum, shape, "auto box circle", .doc = "auto uses the tiles, the shape or the body")                               \
  F(f32, width, 20, .unit = "px", .doc = "width of a box") F(f32, height, 20, .unit = "px", .doc = "height of a box")  \
  F(f32, radius, 10, .unit = "px", .doc = "radius of a circle")                                                        \
  F(f32, offset_x, 0, .unit = "px", .doc = "offset of a box or circle") F(f32, offset_y, 0, .unit = "px")              \
  F(bool, lit, 1, .doc = "light reaches the surface of the occluder; the shadow starts on the far side")               \
  F(f32, depth, 0, .unit = "px", .doc = "depth to which light enters the occluder")

// Emits particles. Curves are strings such as "1 0.5 0": values at evenly spaced points of a particle's life.
#define SHOAL_EMITTER_FIELDS(F)                                                                                        \
  F(bool, enabled, 1, .doc = "emits", .renamed_from = "on")                                                            \
  F(f32, rate, 20, .unit = "1/s", .doc = "particles per second")                                                       \
  F(u32, burst, 0, .doc = "number of particles to emit at once; then reset to 0, unless `every` repeats it")           \
  F(f32, every, 0, .unit = "s", .doc = "time between bursts")                                                          \
  F(f32, duration, 0, .unit = "s", .doc = "time until `enabled` becomes false; 0 for never")                           \
  F(enum, finish, "stay destroy", .doc = "action on the entity after its last particle is gone")                       \
  F(f32, ahead, 0, .unit = "s", .doc = "time simulated before the first tick")                                         \
  F(f32, life, 1, .unit = "s", .doc = "lifetime of a particle")                                                        \
  F(f32, life_vary, 0.3f, .doc = "random part of life, 0 to 1")                                                        \
  F(enum, shape, "point circle ring rect", .doc = "where particles appear")                                            \
  F(f32, radius, 0, .unit = "px", .doc = "radius of a circle or ring")                                                 \
  F(f32, width, 0, .unit = "px", .doc = "width of a rectangle")                                                        \
  F(f32, height, 0, .unit = "px", .doc = "height of a rectangle")                                                      \
  F(f32, angle, 0, .unit = "rad", .doc = "direction, relative to the entity")                                          \
  F(f32, spread, 6.2831855f, .unit = "rad", .doc = "full angle of the directions")                                     \
  F(bool, outward, 0, .doc = "particles move away from the centre of the shape") F(f32, speed, 60, .unit = "px/s")     \
  F(f32, speed_vary, 0.3f, .doc = "random part of speed, 0 to 1")                                                      \
  F(string, speeds, "", .doc = "factors of the speed over a lifetime, \"1 0.5 0\"")                                    \
  F(f32, gravity_x, 0, .unit = "px/s²")                                                                                \
  F(f32, gravity_y, 0, .unit = "px/s²")                                                                                \
  F(f32, inherit, 0, .doc = "part of the entity's speed that particles inherit")                                       \
  F(f32, sway, 0, .unit = "px", .doc = "sideways movement")                                                            \
  F(f32, size, 4, .unit = "px", .doc = "width of a particle")                                                          \
  F(f32, size_vary, 0.3f, .doc = "random part of size, 0 to 1")                                                        \
  F(string, sizes, "", .doc = "factors of the size over a lifetime")                                                   \
  F(f32, stretch, 0, .unit = "s", .doc = "length of a particle: the distance it moves in this time")                   \
  F(f32, spin, 0, .unit = "rad/s", .doc = "maximum rotation") F(vec4, colour, 1, 1, 1, 1)                              \
  F(f32, colour_vary, 0, .doc = "random part of the brightness")                                                       \
  F(string, colours, "", .doc = "colours over a lifetime")                                                             \
  F(f32, soft, 0, .doc = "part of the radius that fades out, without an image")                                        \
  F(asset, image, "", .doc = "round particles if empty")                                                               \
  F(i32, frame, 1, .doc = "number of the frame in the sheet or strip, starting at 1")                                  \
  F(i32, frames, 1, .doc = "number of frames in the image, from left to right")                                        \
  F(i32, last_frame, 0, .doc = "particles change from frame to last_frame over a lifetime")                            \
  F(bool, pick, 0, .doc = "each particle keeps one random frame") F(enum, blend, SHOAL_BLEND_CHOICES)                  \
  F(i32, layer, 0, .doc = "higher layers are drawn on top") F(bool, visible, 1)                                        \
  F(enum, space, "world entity", .doc = "coordinates in which particles move")                                         \
  F(bool, outlive, 1, .doc = "particles stay when the emitter is removed")

#define SHOAL_TRAIL_FIELDS(F)                                                                                          \
  F(bool, enabled, 1, .renamed_from = "on", .doc = "true: the trail grows; false: it fades out")                       \
  F(f32, seconds, 0.5f, .unit = "s", .doc = "lifetime of a point of the trail, 0.02 to 60")                            \
  F(f32, width, 10, .unit = "px", .doc = "width at the entity")                                                        \
  F(string, widths, "", .doc = "factors of the width towards the end") F(vec4, colour, 1, 1, 1, 1)                     \
  F(string, colours, "", .doc = "colours towards the end")                                                             \
  F(f32, soft, 0, .doc = "part of the width that fades out at both sides, 0 to 1") F(enum, blend, SHOAL_BLEND_CHOICES) \
  F(i32, layer, 0, .doc = "higher layers are drawn on top") F(bool, visible, 1)

#define SHOAL_SOUND_FIELDS(F)                                                                                          \
  F(asset, file, "") F(f32, volume, 1, .doc = "0 to 1") F(f32, pan, 0, .doc = "-1 is left, 1 is right")                \
  F(bool, loop, 0) F(bool, playing, 1) F(f32, pitch, 1, .doc = "frequency factor")                                     \
  F(string, bus, "", .doc = "name of the mixer bus; \"effects\" if empty") F(f32, fade_in, 0, .unit = "s")             \
  F(f32, fade_out, 0, .unit = "s", .doc = "fade-out at the end or when the component is removed")

#define SHOAL_SOUND_SPACE_FIELDS(F)                                                                                    \
  F(f32, range, 800, .unit = "px", .doc = "distance at which the sound becomes silent")                                \
  F(f32, within, 0, .unit = "px", .doc = "distance up to which the sound has its full volume")

// Moves a body and stops it at walls. Set vx and vy. The engine writes the remaining fields.
#define SHOAL_MOVER_FIELDS(F)                                                                                          \
  F(f32, vx, 0, .unit = "px/s", .doc = "velocity; set to 0 when a wall stops the entity") F(f32, vy, 0, .unit = "px/s")\
  F(bool, on_floor, 0) F(bool, on_wall, 0) F(bool, on_ceiling, 0)                                                      \
  F(entity, hit, .doc = "body that stopped the entity in this tick")                                                   \
  F(entity, floor, .doc = "body that the entity stands on and moves with")                                             \
  F(f32, floor_x, 0, .unit = "px", .doc = "centre of the top of that body in this tick")                               \
  F(f32, floor_y, 0, .unit = "px")

#define SHOAL_TIMER_FIELDS(F)                                                                                          \
  F(string, event, "", .doc = "emitted at 0") F(string, values, "", .doc = "fields of the event, as JSON")             \
  F(f64, seconds, 0, .unit = "s", .doc = "time left")

// clang-format on

#endif
