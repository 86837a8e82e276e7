// Transforms vertices to clip space and shades triangles: Lambert, sky light, highlight, fog.
#include "scene.h"

#include "plugins/scratch_array.h"

#include <cglm/cglm.h>
#include <string.h>

void scene_begin(scene_t *scene, const scene_view_t *camera, const scene_light_t *light) {
  vec3 eye, target, direction, up = {0, 1, 0};
  mat4 view, projection;
  memcpy(eye, camera->eye, sizeof eye);
  memcpy(target, camera->target, sizeof target);
  glm_vec3_sub(target, eye, direction);
  if (glm_vec3_norm2(direction) < 1e-12f)
    target[2] = eye[2] - 1;
  else if (direction[0] * direction[0] + direction[2] * direction[2] < 1e-10f * direction[1] * direction[1])
    // If the camera looks straight up or down, uses a different up vector.
    glm_vec3_copy((vec3){0, 0, direction[1] > 0 ? 1.0f : -1.0f}, up);
  glm_lookat(eye, target, up, view);
  glm_perspective(camera->fov, camera->width / camera->height, camera->near, camera->far, projection);
  memcpy(scene->view, view, sizeof scene->view);
  memcpy(scene->projection, projection, sizeof scene->projection);
  memcpy(scene->eye, eye, sizeof scene->eye);
  scene->light = *light;
  scene->count = 0;
  glm_vec3_normalize(scene->light.direction);
}

// Shades a triangle: Lambert, sky light from above, highlight, fog. `distance` is the distance between the triangle and
// the eye.
static void shade_triangle(const scene_light_t *light, const float *normal, float distance, const float *colour,
                           float glow, float *out) {
  float cos_angle =
      -(normal[0] * light->direction[0] + normal[1] * light->direction[1] + normal[2] * light->direction[2]);
  float sun = cos_angle > 0 ? cos_angle : 0, sky = light->ambient * (0.8f + 0.2f * normal[1]);
  float brightness = glm_lerp(sky + (1.0f - light->ambient) * sun, 1.0f, glow);
  float highlight = 0.18f * powf(sun, 12.0f) * (1.0f - glow);
  float fog = light->fog_to > light->fog_from
                  ? glm_clamp((distance - light->fog_from) / (light->fog_to - light->fog_from), 0, 1)
                  : 0;
  for (uint32_t i = 0; i < 3; ++i)
    out[i] = glm_lerp(colour[i] * brightness + highlight, light->fog[i], fog);
  out[3] = colour[3];
}

// Computes the unit normal. Returns true if the front of the triangle faces the eye.
static bool compute_normal(const scene_t *scene, float *a, float *b, float *c, float *normal) {
  vec3 u, v, to_eye;
  memcpy(to_eye, scene->eye, sizeof to_eye);
  glm_vec3_sub(to_eye, a, to_eye);
  glm_vec3_sub(b, a, u);
  glm_vec3_sub(c, a, v);
  glm_vec3_crossn(u, v, normal);
  return glm_vec3_dot(normal, to_eye) > 0;
}

void scene_add(scene_t *scene, const model_t *model, const float *transform, const float colour[4], float glow) {
  mat4 world, view, projection, to_clip;
  memcpy(world, transform, sizeof world);
  memcpy(view, scene->view, sizeof view);
  memcpy(projection, scene->projection, sizeof projection);
  glm_mat4_mul(projection, view, to_clip);
  GROW(scene->world_vertices, scene->world_vertex_capacity, model->vertex_count);
  for (uint32_t i = 0; i < model->vertex_count; ++i)
    glm_mat4_mulv3(world, model->vertices[i], 1, scene->world_vertices[i]);
  bool is_mirrored = glm_mat4_det(world) < 0;
  GROW(scene->vertices, scene->vertex_capacity, (scene->count + model->triangle_count) * 24);
  for (uint32_t i = 0; i < model->triangle_count; ++i) {
    const uint32_t *triangle = model->triangles[i];
    float *corners[3] = {scene->world_vertices[triangle[0]], scene->world_vertices[triangle[is_mirrored ? 2 : 1]],
                         scene->world_vertices[triangle[is_mirrored ? 1 : 2]]};
    vec3 normal;
    float rgba[4];
    if (!compute_normal(scene, corners[0], corners[1], corners[2], normal))
      continue;
    shade_triangle(&scene->light, normal, glm_vec3_distance(scene->eye, corners[0]), colour, glow, rgba);
    for (uint32_t k = 0; k < 3; ++k) {
      float *out = scene->vertices + (size_t)scene->count * 24 + k * 8;
      vec4 position = {corners[k][0], corners[k][1], corners[k][2], 1}, clip;
      glm_mat4_mulv(to_clip, position, clip);
      memcpy(out, clip, sizeof clip);
      memcpy(out + 4, rgba, sizeof rgba);
    }
    ++scene->count;
  }
}

void scene_free(scene_t *scene) {
  free(scene->world_vertices);
  free(scene->vertices);
  *scene = (scene_t){0};
}
