// Lights, and what stands in their way. Columns and nothing else: what is lit and what lies in shadow is calculated
// anew for each picture and is no part of the world.
//
// Shadows are one-dimensional maps, as in Godot's 2D renderer (drivers/gles3, "shadow atlas" of lights) and as M.
// DesLauriers describes in "2D Pixel Perfect Shadows" (2014): a row of distances around each light, the nearest edge in
// each direction. Here the rows are drawn by the processor from the edges in reach, four faces of 90 degrees each as in
// a cube map, so that a direction is a division and no arc tangent. All lights are then one draw call, and what is slow
// with a software renderer, a change of its state for each light, does not happen.
#ifndef SHOAL_LIGHT_LIGHT_H
#define SHOAL_LIGHT_LIGHT_H

#include "base/array.h"
#include "components/builtin.h"
#include "outline/outline.h"
#include "poses/poses.h"

#define LIGHT_FACE 256u             // directions of a face
#define LIGHT_ROW (4u * LIGHT_FACE) // of a light
#define LIGHT_TAPS 4u               // directions that are looked at together
#define LIGHT_MAX_ROWS 1024u        // lights with shadows in one picture; more have none
#define LIGHT_MAX_RANGE 100000.0f   // pixels
#define AMBIENT_COLOUR 0.16f, 0.17f, 0.24f

BUILTIN_COMPONENT(light, SHOAL_LIGHT_FIELDS)
BUILTIN_COMPONENT(ambient, SHOAL_AMBIENT_FIELDS)
BUILTIN_COMPONENT(occluder, SHOAL_OCCLUDER_FIELDS)

// Declares light, ambient and occluder, in a fresh world behind the others. False with a message.
bool light_declare(world_o *w, error_t *error);

// One light, as assets/shaders/light.vert reads it. In the world's pixels.
typedef struct light_t {
  float at[4];     // x, y, range; its row of `shadows`, or -1
  float cone[4];   // where it shines; the cosine of half its cone, and 1 / how much more that is where it is bright
  float colour[4]; // times its intensity; its falloff
  float more[4];   // glow; how far apart the directions are that are looked at; 0
} light_t;

// Edges that belong together, of `xy`.
typedef struct light_occluder_t {
  shoal_entity entity;
  uint32_t first, count; // points
  bool loop;             // from the last to the first, too
  bool sided;            // the left side of each edge is its outside; else both sides are alike
  bool lit;              // light goes through it, and its shadow begins behind it
  float depth;           // how far light goes into it, in pixels
  float left, top, right, bottom;
} light_occluder_t;

// Where entities are in the picture, and the outlines of their shapes.
typedef struct light_shapes_t {
  poses_t *poses;
  outlines_t *outlines;
} light_shapes_t;

// What a picture is lit by. Zeroed before; the memory is kept from picture to picture.
typedef struct lights_t {
  ARRAY(light_t) lights;
  // LIGHT_ROW times LIGHT_TAPS of each row: 1 / distance along the face's axis, as parts of the range, 0 for nothing;
  // in a direction, and in those beside it that make its edge soft. One look into the row gives them all.
  ARRAY(float) shadows;
  uint32_t rows;
  bool glows; // any of them
  ARRAY(light_occluder_t) occluders;
  ARRAY(float) xy;
  bool said_many, said_none;
} lights_t;

// All that reach `seen` (left, top, right, bottom in the world's pixels). `time_s` is for what flickers.
void lights_list(lights_t *l, allocator_t *a, world_o *w, const light_shapes_t *shapes, const float seen[4],
                 double time_s);
void lights_fini(lights_t *l, allocator_t *a);

// How dark it is where no light is, and from which layer on nothing is lit.
typedef struct ambient_t {
  float colour[3];
  int32_t layer;
  float detail; // points of light for each pixel of the picture
} ambient_t;

// For what this camera shows. False: all of it is as bright as it is drawn.
bool ambient_of(world_o *w, shoal_entity camera, ambient_t *out);
bool ambient_is_used(world_o *w); // for any of them

#endif
