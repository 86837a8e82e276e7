// A render target that can be sampled as a texture. A GL context must be current in every call.
#ifndef SHOAL_RENDER_TARGET_H
#define SHOAL_RENDER_TARGET_H

#include <epoxy/gl.h>

typedef struct target_t {
  GLuint framebuffer, texture;
  int width, height;
} target_t;

// A drawing destination: a rectangle in a framebuffer.
typedef struct surface_t {
  GLuint framebuffer;
  int x, y, width, height;
  int strip; // height of the strip below the rectangle, into which shapes, images and text may extend
} surface_t;

// Creates the target and leaves its framebuffer bound.
void target_init(target_t *target, int width, int height, GLint format, GLint filter);
void target_fini(target_t *target);

#endif
