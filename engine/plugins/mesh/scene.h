// From meshes in space to lit triangles in clip space. cglm's conventions: right-handed, y up, the camera looks along
// its own -z, matrices are column-major.
#ifndef SHOAL_PLUGIN_MESH_SCENE_H
#define SHOAL_PLUGIN_MESH_SCENE_H

#include "model.h"

typedef struct scene_view_t {
  float eye[3], target[3];
  float fov;       // radians, from bottom to top
  float near, far; // what is nearer or farther is not seen
  float width, height;
} scene_view_t;

typedef struct scene_light_t {
  float direction[3]; // that the light goes
  float ambient;      // 0 … 1, of what is turned away from it
  float fog[3];       // the colour of what is far
  float fog_from, fog_to;
} scene_light_t;

typedef struct scene_t {
  float view[16], projection[16], eye[3];
  scene_light_t light;
  float (*placed)[3]; // a model's corners in the world
  uint32_t placed_capacity;
  float *corners; // three of eight numbers for each of `count` triangles: x y z w in clip space, red green blue alpha
  uint32_t count, corner_capacity;
} scene_t;

void scene_begin(scene_t *s, const scene_view_t *camera, const scene_light_t *light);
// `place`: float[16], model to world. `colour`: red, green, blue, alpha. `glow`: 0 … 1, how little the light matters.
// Triangles that are turned away from the eye are left out.
void scene_add(scene_t *s, const model_t *m, const float *place, const float colour[4], float glow);
void scene_free(scene_t *s);

#endif
