// Affine transforms of the plane, computed with cglm's scalar functions, so that results are the same on every
// processor.
#ifndef SHOAL_BASE_AFFINE_H
#define SHOAL_BASE_AFFINE_H

#include <cglm/mat2.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef struct affine_t { // the map of p to u · p.x + v · p.y + (x, y); u and v are the columns of a mat2
  float ux, uy, vx, vy, x, y;
} affine_t;

static inline void affine_apply(const affine_t *m, float x, float y, float *out_x, float *out_y) {
  mat2 axes;
  vec2 point = {x, y}, result;
  memcpy(axes, &m->ux, sizeof axes);
  glm_mat2_mulv(axes, point, result);
  *out_x = result[0] + m->x;
  *out_y = result[1] + m->y;
}

// Applies the inverse transform. Returns true on success, or false if `m` is singular (magnitude of the determinant at
// most 1e-12, or NaN) or the result is not finite.
static inline bool affine_apply_inverse(const affine_t *m, float x, float y, float out[2]) {
  mat2 axes, inverse;
  vec2 point = {x - m->x, y - m->y};
  memcpy(axes, &m->ux, sizeof axes);
  if (!(fabsf(glm_mat2_det(axes)) > 1e-12f))
    return false;
  glm_mat2_inv(axes, inverse);
  glm_mat2_mulv(inverse, point, out);
  return isfinite(out[0]) && isfinite(out[1]);
}

// Returns the transform that applies `b` first, and then `a`.
static inline affine_t affine_multiply(const affine_t *a, const affine_t *b) {
  mat2 first, second, product;
  affine_t result;
  memcpy(first, &b->ux, sizeof first);
  memcpy(second, &a->ux, sizeof second);
  // Multiplies column by column, because glm_mat2_mul uses SIMD code, which differs between processors.
  glm_mat2_mulv(second, first[0], product[0]);
  glm_mat2_mulv(second, first[1], product[1]);
  memcpy(&result.ux, product, sizeof product);
  affine_apply(a, b->x, b->y, &result.x, &result.y);
  return result;
}

#endif
