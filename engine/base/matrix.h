// Matrices for scripts: cglm's functions over sixteen floats, column by column, as they lie in a column of mat4. The
// same bits on every processor, so that the simulation may use them: cglm's scalar code, in the order of its sums, and
// sine and tangent of exact_math.h. `out` may be an operand; nothing needs to be aligned. Any thread.
#ifndef SHOAL_BASE_MATRIX_H
#define SHOAL_BASE_MATRIX_H

// a · b: what b does comes first.
void matrix_multiply(const float *a, const float *b, float *out);

// Infinities and NaN where there is no inverse, which matrix_determinant says: it is 0.
void matrix_invert(const float *m, float *out);
float matrix_determinant(const float *m);

// The rotation by a quaternion of any length but 0, which gives the identity.
void matrix_of_quat(float x, float y, float z, float w, float *out);

// `xyzw`: the quaternion of a matrix that only rotates.
void matrix_to_quat(const float *m, float *xyzw);

// Right-handed, the camera looks along -z, clip space from -1 to 1. `lens`: the angle of view from top to bottom in
// radians, width by height, near, far. `box`: left, right, bottom, top, near, far.
void matrix_perspective(const float *lens, float *out);
void matrix_ortho(const float *box, float *out);

// places: where the eye is, what it looks at, and what is up: nine floats.
void matrix_look_at(const float *places, float *out);

#endif
