// Fields of the built-in components, for plugins that read or write them. Write those that the plugin wants, in any
// order, and list
// the component among `.uses`:
//
//   SHOAL_COMPONENT(transform, SHOAL_TRANSFORM_FIELDS)
//   SHOAL_PLUGIN(…, .uses = SHOAL_COMPONENTS(transform), …)
//
// Units: pixels of the game's logical screen, y down; radians, clockwise on screen; seconds; 0…1 for colour.
// Part of the public plugin headers: C11, usable from C++.
#ifndef SHOAL_BUILTIN_H
#define SHOAL_BUILTIN_H

// clang-format off

// Position, angle and scale within the parent. `world` follows from them: shoal.transform (post_update) brings it up
// to date.
#define SHOAL_TRANSFORM_FIELDS(F)                                                                                      \
  F(f32, x, 0) F(f32, y, 0) F(f32, z, 0) F(f32, angle, 0) F(f32, scale_x, 1) F(f32, scale_y, 1) F(entity, parent)      \
  F(mat4, world)

#define SHOAL_NAME_FIELDS(F) F(string, value, "")

// What shoal.collision looks at; kind 0 is a circle, 1 a box.
#define SHOAL_BODY_FIELDS(F)                                                                                           \
  F(enum, kind, "circle box") F(f32, radius, 10) F(f32, width, 20) F(f32, height, 20) F(f32, offset_x, 0)              \
  F(f32, offset_y, 0) F(u32, category, 1) F(u32, mask, 4294967295.0) F(bool, enabled, 1)

#define SHOAL_CAMERA_FIELDS(F) F(bool, active, 1) F(f32, zoom, 1) F(f32, shake, 0) F(f32, bloom, 0)

#define SHOAL_LIFETIME_FIELDS(F) F(f32, seconds, 1)

// clang-format on

#endif
