// Uses cglm without SIMD, so that all processors compute the same bits: cglm's SSE2 and NEON code adds in a different
// order than its plain C code, and the NEON code fuses multiplications and additions (design/0020). Headers that test
// the same macros are included before the macros are undefined.
#include "base/matrix.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#undef __SSE__
#undef __SSE2__
#undef __SSE3__
#undef __SSE4_1__
#undef __SSE4_2__
#undef __AVX__
#undef __ARM_NEON
#include <cglm/cglm.h>

#ifdef CGLM_SIMD
#error "cglm uses SIMD code, whose results differ between processors: undefine the SIMD macros above"
#endif

// Copies an operand, because script memory is only aligned for floats, but a mat4 must be aligned to 16 bytes.
static void load_matrix(const float *source, mat4 matrix) {
  memcpy(matrix, source, sizeof(mat4));
}

static void store_matrix(mat4 matrix, float *target) {
  memcpy(target, matrix, sizeof(mat4));
}

void matrix_multiply(const float *a, const float *b, float *out) {
  mat4 left, right, product;
  load_matrix(a, left);
  load_matrix(b, right);
  glm_mat4_mul(left, right, product);
  store_matrix(product, out);
}

void matrix_invert(const float *m, float *out) {
  mat4 matrix, inverse;
  load_matrix(m, matrix);
  glm_mat4_inv(matrix, inverse);
  store_matrix(inverse, out);
}

float matrix_determinant(const float *m) {
  mat4 matrix;
  load_matrix(m, matrix);
  return glm_mat4_det(matrix);
}

void matrix_from_quat(float x, float y, float z, float w, float *out) {
  versor q = {x, y, z, w};
  mat4 rotation;
  glm_quat_mat4(q, rotation);
  store_matrix(rotation, out);
}

void matrix_to_quat(const float *m, float *xyzw) {
  mat4 matrix;
  versor q;
  load_matrix(m, matrix);
  glm_mat4_quat(matrix, q);
  memcpy(xyzw, q, sizeof q);
}

void matrix_perspective(const float *lens, float *out) {
  mat4 projection;
  glm_perspective(lens[0], lens[1], lens[2], lens[3], projection);
  store_matrix(projection, out);
}

void matrix_ortho(const float *bounds, float *out) {
  mat4 projection;
  glm_ortho(bounds[0], bounds[1], bounds[2], bounds[3], bounds[4], bounds[5], projection);
  store_matrix(projection, out);
}

void matrix_look_at(const float *points, float *out) {
  vec3 eye, target, up;
  mat4 view;
  memcpy(eye, points, sizeof eye);
  memcpy(target, points + 3, sizeof target);
  memcpy(up, points + 6, sizeof up);
  glm_lookat(eye, target, up, view);
  store_matrix(view, out);
}
