// Lights and shadow casters. All state is in components; lighting is recomputed for each image and is not part of the
// world.
//
// Shadows use one-dimensional shadow maps, as in Godot's 2D renderer (drivers/gles3, "shadow atlas" of lights) and in
// M. DesLauriers, "2D Pixel Perfect Shadows" (2014): a shadow map stores the distance from a light to the nearest edge
// in each direction. The CPU rasterizes the edges in range into four faces of 90 degrees, as in a cube map, so that
// computing a direction needs a division but no arctangent. All lights are then drawn with one draw call, because state
// changes for each light are slow in software renderers.
#ifndef SHOAL_LIGHT_LIGHT_H
#define SHOAL_LIGHT_LIGHT_H

#include "base/array.h"
#include "components/builtin.h"
#include "outline/outline.h"
#include "poses/poses.h"

#define LIGHT_FACE 256u             // number of directions per face
#define LIGHT_ROW (4u * LIGHT_FACE) // number of directions per light
#define LIGHT_TAPS 4u               // number of directions that are filtered together
// Maximum number of lights with shadows per image; additional lights are drawn without shadows.
#define LIGHT_MAX_ROWS 1024u
#define LIGHT_MAX_RANGE 100000.0f // maximum range of a light in pixels
#define AMBIENT_COLOUR 0.16f, 0.17f, 0.24f

BUILTIN_COMPONENT(light, SHOAL_LIGHT_FIELDS)
BUILTIN_COMPONENT(ambient, SHOAL_AMBIENT_FIELDS)
BUILTIN_COMPONENT(occluder, SHOAL_OCCLUDER_FIELDS)

// Declares light, ambient and occluder. Call on a fresh world, after the other built-in components. Returns true on
// success, or false with an error if a declaration is rejected.
bool light_declare(world_o *w, error_info_t *error);

// A light as read by assets/shaders/light.vert, in world pixels.
typedef struct light_t {
  float position[4]; // x, y, range; index of the light's row in `shadows`, or -1 if the light casts no shadows
  // Direction; cosine c of half the cone angle; 1 / (d - c), where d is the cosine of half the fully bright angle.
  float cone[4];
  float colour[4]; // colour times intensity, and falloff
  float extra[4];  // glow; distance between filtered directions; unused
} light_t;

// A chain of connected edges.
typedef struct light_occluder_t {
  shoal_entity entity;
  uint32_t first, count; // range of points in lights_t.xy
  bool loop;             // true if closed: an edge also connects the last point to the first
  // True if the left side of each edge is the outside; otherwise both sides are treated alike.
  bool one_sided;
  // True if the occluder itself is lit, and the shadow starts on the far side of the occluder.
  bool lit;
  float depth; // distance by which light enters the occluder, in pixels
  float left, top, right, bottom;
} light_occluder_t;

// Sources of poses and outlines of entities.
typedef struct light_shapes_t {
  poses_t *poses;
  outlines_t *outlines;
} light_shapes_t;

// Lighting of an image. Zero-initialize; memory is kept between images.
typedef struct lights_t {
  ARRAY(light_t) lights;
  // One row per light that casts shadows. A row has LIGHT_ROW directions with LIGHT_TAPS values each: 1 / distance
  // along the face's axis, relative to the range; 0 if nothing is hit. The values belong to the direction and its
  // neighbours, so that one texture fetch returns all values for soft shadow edges.
  ARRAY(float) shadows;
  uint32_t rows;
  bool has_glow; // true if at least one light has a glow
  ARRAY(light_occluder_t) occluders;
  ARRAY(float) xy;
  bool limit_logged, missing_shape_logged;
} lights_t;

// Lists all lights that reach `visible_area` (left, top, right, bottom in world pixels). `time_s`: time for flickering.
void lights_list(lights_t *l, allocator_t *a, world_o *w, const light_shapes_t *shapes, const float visible_area[4],
                 double time_s);
void lights_fini(lights_t *l, allocator_t *a);

// Ambient light, and the lowest layer that is not lit.
typedef struct ambient_t {
  float colour[3];
  int32_t layer;
  float detail;    // resolution of the lighting, relative to the resolution of the image
  bool is_default; // true if no component `ambient` applies to the camera
} ambient_t;

// Stores the ambient light that applies to a camera. Returns true if the camera's view is lit.
bool ambient_find(world_o *w, shoal_entity camera, ambient_t *out);
bool ambient_is_used(world_o *w); // returns true if the world has lights or ambient light

#endif
