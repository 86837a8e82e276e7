// Converts meshes to lit triangles in clip space. Follows cglm's conventions: coordinates are right-handed, y points
// up, the camera looks along -z, and matrices are column-major.
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
  float ambient;      // brightness of faces in shadow, 0 to 1
  float fog[3];       // colour of the fog
  float fog_from, fog_to;
} scene_light_t;

typedef struct scene_t {
  float view[16], projection[16], eye[3];
  scene_light_t light;
  float (*world_vertices)[3]; // vertices of a model in world space
  uint32_t world_vertex_capacity;
  float *vertices; // `count` triangles of three vertices with eight numbers each: x y z w in clip space, r g b a
  uint32_t count, vertex_capacity;
} scene_t;

void scene_begin(scene_t *scene, const scene_view_t *camera, const scene_light_t *light);
// Adds a model without its back faces. `transform` (16 floats) converts model space to world space. `colour`: r, g, b,
// a. `glow`: self-illumination, 0 to 1.
void scene_add(scene_t *scene, const model_t *model, const float *transform, const float colour[4], float glow);
void scene_free(scene_t *scene);

#endif
