// Transforms vertices to clip space and shades triangles: Lambert, sky light, highlight, fog.
#include "scene.h"

#include "plugins/scratch_array.h"

#include <cglm/cglm.h>
#include <string.h>

void scene_begin(scene_t *s, const scene_view_t *camera, const scene_light_t *light) {
  vec3 eye, target, along, up = {0, 1, 0};
  mat4 view, projection;
  memcpy(eye, camera->eye, sizeof eye);
  memcpy(target, camera->target, sizeof target);
  glm_vec3_sub(target, eye, along);
  if (glm_vec3_norm2(along) < 1e-12f)
    target[2] = eye[2] - 1;
  else if (along[0] * along[0] + along[2] * along[2] < 1e-10f * along[1] * along[1])
    // If the camera looks straight up or down, use another up vector.
    glm_vec3_copy((vec3){0, 0, along[1] > 0 ? 1.0f : -1.0f}, up);
  glm_lookat(eye, target, up, view);
  glm_perspective(camera->fov, camera->width / camera->height, camera->near, camera->far, projection);
  memcpy(s->view, view, sizeof s->view);
  memcpy(s->projection, projection, sizeof s->projection);
  memcpy(s->eye, eye, sizeof s->eye);
  s->light = *light;
  s->count = 0;
  glm_vec3_normalize(s->light.direction);
}

// Shades a triangle: Lambert, sky light from above, highlight, fog. `distance` is the distance between the triangle and
// the eye.
static void shade_triangle(const scene_light_t *l, const float *normal, float distance, const float *colour, float glow,
                           float *out) {
  float facing = -(normal[0] * l->direction[0] + normal[1] * l->direction[1] + normal[2] * l->direction[2]);
  float sun = facing > 0 ? facing : 0, sky = l->ambient * (0.8f + 0.2f * normal[1]);
  float lit = glm_lerp(sky + (1.0f - l->ambient) * sun, 1.0f, glow);
  float highlight = 0.18f * powf(sun, 12.0f) * (1.0f - glow);
  float fog = l->fog_to > l->fog_from ? glm_clamp((distance - l->fog_from) / (l->fog_to - l->fog_from), 0, 1) : 0;
  for (uint32_t i = 0; i < 3; ++i)
    out[i] = glm_lerp(colour[i] * lit + highlight, l->fog[i], fog);
  out[3] = colour[3];
}

// Computes the unit normal. Returns false for a back face.
static bool compute_normal(const scene_t *s, float *a, float *b, float *c, float *normal) {
  vec3 u, v, to_eye;
  memcpy(to_eye, s->eye, sizeof to_eye);
  glm_vec3_sub(to_eye, a, to_eye);
  glm_vec3_sub(b, a, u);
  glm_vec3_sub(c, a, v);
  glm_vec3_crossn(u, v, normal);
  return glm_vec3_dot(normal, to_eye) > 0;
}

void scene_add(scene_t *s, const model_t *m, const float *place, const float colour[4], float glow) {
  mat4 world, view, projection, to_clip;
  memcpy(world, place, sizeof world);
  memcpy(view, s->view, sizeof view);
  memcpy(projection, s->projection, sizeof projection);
  glm_mat4_mul(projection, view, to_clip);
  GROW(s->placed, s->placed_capacity, m->vertex_count);
  for (uint32_t i = 0; i < m->vertex_count; ++i)
    glm_mat4_mulv3(world, m->vertices[i], 1, s->placed[i]);
  bool mirrored = glm_mat4_det(world) < 0;
  GROW(s->vertices, s->vertex_capacity, (s->count + m->triangle_count) * 24);
  for (uint32_t i = 0; i < m->triangle_count; ++i) {
    const uint32_t *t = m->triangles[i];
    float *abc[3] = {s->placed[t[0]], s->placed[t[mirrored ? 2 : 1]], s->placed[t[mirrored ? 1 : 2]]};
    vec3 normal;
    float rgba[4];
    if (!compute_normal(s, abc[0], abc[1], abc[2], normal))
      continue;
    shade_triangle(&s->light, normal, glm_vec3_distance(s->eye, abc[0]), colour, glow, rgba);
    for (uint32_t k = 0; k < 3; ++k) {
      float *out = s->vertices + (size_t)s->count * 24 + k * 8;
      vec4 at = {abc[k][0], abc[k][1], abc[k][2], 1}, clip;
      glm_mat4_mulv(to_clip, at, clip);
      memcpy(out, clip, sizeof clip);
      memcpy(out + 4, rgba, sizeof rgba);
    }
    ++s->count;
  }
}

void scene_free(scene_t *s) {
  free(s->placed);
  free(s->vertices);
  *s = (scene_t){0};
}
