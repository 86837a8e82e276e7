// Matrices for scripts: cglm's functions on sixteen floats in column-major order, the layout of mat4 columns. Results
// are the same on every processor, so simulations may use them: the functions use cglm's scalar code, and sine and
// tangent from exact_math.h. `out` may be an operand; matrices need no alignment beyond that of float. Any thread.
#ifndef SHOAL_BASE_MATRIX_H
#define SHOAL_BASE_MATRIX_H

// Computes a · b, which applies b first.
void matrix_multiply(const float *a, const float *b, float *out);

// Inverts m. The result has infinities or NaN if m is singular, that is, if its matrix_determinant is 0.
void matrix_invert(const float *m, float *out);
float matrix_determinant(const float *m);

// Writes the rotation by a quaternion of any length; a zero quaternion gives the identity.
void matrix_from_quat(float x, float y, float z, float w, float *out);

// Writes the quaternion of a pure rotation matrix.
void matrix_to_quat(const float *m, float *xyzw);

// Write right-handed projections: the camera looks along -z, and clip space ranges from -1 to 1. `lens`: vertical angle
// of view in radians, aspect ratio (width / height), near, far. `bounds`: left, right, bottom, top, near, far.
void matrix_perspective(const float *lens, float *out);
void matrix_ortho(const float *bounds, float *out);

// Writes a view matrix. `points`: the eye, its target and the up vector; nine floats.
void matrix_look_at(const float *points, float *out);

#endif
