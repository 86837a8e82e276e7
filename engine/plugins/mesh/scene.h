// Converts meshes to lit triangles in clip space. cglm's conventions: right-handed, y up, the camera looks along -z,
// matrices are column-major.
#ifndef SHOAL_PLUGIN_MESH_SCENE_H
#define SHOAL_PLUGIN_MESH_SCENE_H

#include "model.h"

typedef struct scene_view_t {
  float eye[3], target[3];
  float fov;       // vertical field of view in radians
  float near, far; // distances of the clip planes
  float width, height;
} scene_view_t;

typedef struct scene_light_t {
  float direction[3]; // direction in which the light travels
  float ambient;      // 0 … 1, brightness of faces in shadow
  float fog[3];       // colour of the fog
  float fog_from, fog_to;
} scene_light_t;

typedef struct scene_t {
  float view[16], projection[16], eye[3];
  scene_light_t light;
  float (*placed)[3]; // a model's corners in world space
  uint32_t placed_capacity;
  float *corners; // `count` triangles of three corners with eight numbers each: x y z w in clip space, r g b a
  uint32_t count, corner_capacity;
} scene_t;

void scene_begin(scene_t *s, const scene_view_t *camera, const scene_light_t *light);
// Adds a model without its back faces. `place`: float[16], model to world; `colour`: r g b a; `glow`: 0 … 1,
// self-illumination.
void scene_add(scene_t *s, const model_t *m, const float *place, const float colour[4], float glow);
void scene_free(scene_t *s);

#endif
