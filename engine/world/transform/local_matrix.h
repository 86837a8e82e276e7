// The matrix of a transform relative to its parent. Private to transform.
#ifndef SHOAL_TRANSFORM_LOCAL_MATRIX_H
#define SHOAL_TRANSFORM_LOCAL_MATRIX_H

#include "transform/transform.h"

#include <cglm/types.h>

// Computes the matrix of a row from its position, its scale, and the sine and cosine of its angle, directly in `out`:
// computing it in a local variable and copying it would stall on the sixteen small stores and take four times as long.
static inline void local_matrix_compute(const transform_columns *t, uint32_t row, float sine, float cosine, mat4 out) {
  float sx = t->scale_x[row], sy = t->scale_y[row], x = t->x[row], y = t->y[row], z = t->z[row];
  out[0][0] = cosine * sx;
  out[0][1] = sine * sx;
  out[0][2] = 0;
  out[0][3] = 0;
  out[1][0] = -(sine * sy);
  out[1][1] = cosine * sy;
  out[1][2] = 0;
  out[1][3] = 0;
  out[2][0] = 0;
  out[2][1] = 0;
  out[2][2] = 1;
  out[2][3] = 0;
  out[3][0] = x;
  out[3][1] = y;
  out[3][2] = z;
  out[3][3] = 1;
}

#endif
