// Fields of the built-in components. The engine declares the components from these lists (components/builtin.h). A
// plugin that reads or writes one lists the fields that it needs, in any order, and names the component in `.uses`:
//
//   SHOAL_COMPONENT(transform, SHOAL_TRANSFORM_FIELDS)
//   SHOAL_PLUGIN(…, .uses = SHOAL_COMPONENTS(transform), …)
//
// Units: pixels of the game's logical screen, y down; radians, clockwise on screen; seconds; 0…1 for colour.
// Part of the public plugin headers: C11, usable from C++.
#ifndef SHOAL_BUILTIN_H
#define SHOAL_BUILTIN_H

// clang-format off

// Position, angle and scale within the parent. `world` follows from them and is calculated: for a system from what they
// were when it began, and anew by every shoal_rows_of outside of parts. Who does not need it leaves it out.
#define SHOAL_TRANSFORM_FIELDS(F)                                                                                      \
  F(f32, x, 0) F(f32, y, 0) F(f32, z, 0) F(f32, angle, 0) F(f32, scale_x, 1) F(f32, scale_y, 1) F(entity, parent)      \
  F(mat4, world)

#define SHOAL_NAME_FIELDS(F) F(string, value, "")

// What shoal.collision looks at; kind 0 is a circle, 1 a box.
#define SHOAL_BODY_FIELDS(F)                                                                                           \
  F(enum, kind, "circle box") F(f32, radius, 10) F(f32, width, 20) F(f32, height, 20) F(f32, offset_x, 0)              \
  F(f32, offset_y, 0) F(u32, category, 1) F(u32, mask, 4294967295.0) F(bool, enabled, 1)

#define SHOAL_CAMERA_FIELDS(F)                                                                                         \
  F(bool, active, 1) F(f32, zoom, 1) F(f32, shake, 0) F(f32, bloom, 0) F(vec4, background, 0.02f, 0.02f, 0.05f, 1)

#define SHOAL_LIFETIME_FIELDS(F) F(f32, seconds, 1)

// --- what is seen and heard

#define SHOAL_BLEND_WORDS "alpha add"

// An image at the transform. frame: of its sheet, from 1; width, height 0: as large as the image.
#define SHOAL_SPRITE_FIELDS(F)                                                                                         \
  F(asset, image, "") F(i32, frame, 1) F(i32, frames, 1) F(vec4, tint, 1, 1, 1, 1) F(f32, width, 0)                    \
  F(f32, height, 0) F(bool, flip, 0) F(bool, flip_y, 0) F(i32, layer, 0) F(bool, visible, 1)                           \
  F(enum, blend, SHOAL_BLEND_WORDS)

// points: "x,y x,y x,y" of a polygon or line.
#define SHOAL_SHAPE_FIELDS(F)                                                                                          \
  F(enum, kind, "circle rect polygon line") F(f32, radius, 10) F(f32, width, 20) F(f32, height, 20)                    \
  F(string, points, "") F(vec4, colour, 1, 1, 1, 1) F(bool, filled, 1) F(f32, thickness, 2) F(i32, layer, 0)           \
  F(bool, visible, 1) F(enum, blend, SHOAL_BLEND_WORDS)

#define SHOAL_TEXT_FIELDS(F)                                                                                           \
  F(string, value, "") F(f32, size, 24) F(asset, font, "") F(vec4, colour, 1, 1, 1, 1)                                 \
  F(enum, align, "left center right") F(enum, space, "world screen") F(i32, layer, 0) F(bool, visible, 1)              \
  F(enum, blend, SHOAL_BLEND_WORDS) F(f32, wrap, 0) F(enum, valign, "top middle bottom") F(bool, markup, 0)

// shown: so many characters, -1 for all.
#define SHOAL_TEXT_STYLE_FIELDS(F)                                                                                     \
  F(vec4, outline, 0, 0, 0, 1) F(f32, outline_width, 0) F(vec4, shadow, 0, 0, 0, 0.6f) F(f32, shadow_x, 0)             \
  F(f32, shadow_y, 0) F(f32, line_spacing, 1) F(i32, shown, -1)

// How a sprite is drawn otherwise than it is: the w of flash, outline and dissolve_colour is how strongly.
#define SHOAL_MATERIAL_FIELDS(F)                                                                                       \
  F(vec4, flash, 1, 1, 1, 0) F(vec4, outline, 0, 0, 0, 0) F(f32, outline_width, 1) F(f32, dissolve, 0)                 \
  F(vec4, dissolve_colour, 1, 0.6f, 0.2f, 1)

// What is lower on the screen lies over what is higher. offset: from the place to the feet.
#define SHOAL_Y_SORT_FIELDS(F) F(f32, offset, 0)

// Of a camera: its part of the screen; 0: all of it.
#define SHOAL_VIEWPORT_FIELDS(F) F(f32, x, 0) F(f32, y, 0) F(f32, width, 0) F(f32, height, 0) F(i32, order, 0)

// Of a camera: the layers that it shows.
#define SHOAL_CAMERA_LAYERS_FIELDS(F) F(i32, first, -2147483648.0) F(i32, last, 2147483647)

// Of a camera: the picture that it draws in place of the screen, shown as the image "canvas:NAME".
#define SHOAL_CANVAS_FIELDS(F)                                                                                         \
  F(string, name, "") F(i32, width, 256) F(i32, height, 256) F(enum, filter, "auto smooth pixels") F(i32, order, 0)

// Of a camera: whom it follows, and within which place.
#define SHOAL_FOLLOW_FIELDS(F)                                                                                         \
  F(entity, target) F(f32, width, 0) F(f32, height, 0) F(f32, seconds, 0.1f) F(f32, offset_x, 0) F(f32, offset_y, 0)   \
  F(f32, left, 0) F(f32, top, 0) F(f32, right, 0) F(f32, bottom, 0)

#define SHOAL_SHAKEN_FIELDS(F) F(f32, trauma, 0) F(f32, decay, 1.2f) F(f32, pixels, 24)

// The clip of a sheet that its sprite plays.
#define SHOAL_ANIMATION_FIELDS(F)                                                                                      \
  F(string, clip, "") F(f32, speed, 1) F(bool, playing, 1) F(u32, times, 0) F(f64, elapsed, -1)                        \
  F(string, shown, "", .flags = SHOAL_HIDDEN | SHOAL_READ_ONLY)

#define SHOAL_TILEMAP_FIELDS(F) F(asset, map, "") F(string, level, "") F(i32, layer, 0) F(bool, visible, 1)

#define SHOAL_LIGHT_FIELDS(F)                                                                                          \
  F(bool, on, 1) F(f32, range, 200) F(vec4, colour, 1, 0.85f, 0.6f, 1) F(f32, intensity, 1) F(f32, falloff, 1)         \
  F(f32, cone, 6.2831855f) F(f32, cone_soft, 0.3f) F(f32, angle, 0) F(f32, offset_x, 0) F(f32, offset_y, 0)            \
  F(bool, shadows, 1) F(f32, size, 8) F(f32, glow, 0) F(f32, flicker, 0)

#define SHOAL_AMBIENT_FIELDS(F) F(vec4, colour, 0.16f, 0.17f, 0.24f, 1) F(i32, layer, 1000) F(f32, detail, 0.5f)

#define SHOAL_OCCLUDER_FIELDS(F)                                                                                       \
  F(bool, on, 1) F(enum, shape, "auto box circle") F(f32, width, 20) F(f32, height, 20) F(f32, radius, 10)             \
  F(f32, offset_x, 0) F(f32, offset_y, 0) F(bool, lit, 1) F(f32, depth, 0)

// Particles. Texts of curves: "1 0.5 0".
#define SHOAL_EMITTER_FIELDS(F)                                                                                        \
  F(bool, on, 1) F(f32, rate, 20) F(u32, burst, 0) F(f32, every, 0) F(f32, duration, 0)                                \
  F(enum, finish, "stay destroy") F(f32, ahead, 0) F(f32, life, 1) F(f32, life_vary, 0.3f)                             \
  F(enum, shape, "point circle ring rect") F(f32, radius, 0) F(f32, width, 0) F(f32, height, 0) F(f32, angle, 0)       \
  F(f32, spread, 6.2831855f) F(bool, outward, 0) F(f32, speed, 60) F(f32, speed_vary, 0.3f) F(string, speeds, "")      \
  F(f32, gravity_x, 0) F(f32, gravity_y, 0) F(f32, inherit, 0) F(f32, sway, 0) F(f32, size, 4)                         \
  F(f32, size_vary, 0.3f) F(string, sizes, "") F(f32, stretch, 0) F(f32, spin, 0) F(vec4, colour, 1, 1, 1, 1)          \
  F(f32, colour_vary, 0) F(string, colours, "") F(f32, soft, 0) F(asset, image, "") F(i32, frame, 1)                   \
  F(i32, frames, 1) F(i32, last_frame, 0) F(bool, pick, 0) F(enum, blend, SHOAL_BLEND_WORDS) F(i32, layer, 0)          \
  F(bool, visible, 1) F(enum, space, "world entity") F(bool, outlive, 1)

#define SHOAL_TRAIL_FIELDS(F)                                                                                          \
  F(bool, on, 1) F(f32, seconds, 0.5f) F(f32, width, 10) F(string, widths, "") F(vec4, colour, 1, 1, 1, 1)             \
  F(string, colours, "") F(f32, soft, 0) F(enum, blend, SHOAL_BLEND_WORDS) F(i32, layer, 0) F(bool, visible, 1)

#define SHOAL_SOUND_FIELDS(F)                                                                                          \
  F(asset, file, "") F(f32, volume, 1) F(f32, pan, 0) F(bool, loop, 0) F(bool, playing, 1) F(f32, pitch, 1)            \
  F(string, bus, "") F(f32, fade_in, 0) F(f32, fade_out, 0)

#define SHOAL_SOUND_SPACE_FIELDS(F) F(f32, range, 800) F(f32, within, 0)

// How a body moves against walls; the engine writes the rest.
#define SHOAL_MOVER_FIELDS(F)                                                                                          \
  F(f32, vx, 0) F(f32, vy, 0) F(bool, on_floor, 0) F(bool, on_wall, 0) F(bool, on_ceiling, 0) F(entity, hit)           \
  F(entity, floor) F(f32, floor_x, 0) F(f32, floor_y, 0)

#define SHOAL_TIMER_FIELDS(F) F(string, event, "") F(string, values, "") F(f64, seconds, 0)

// clang-format on

#endif
