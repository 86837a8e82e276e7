// A picture that is drawn into, and read as a texture. A GL context is current in every call.
#ifndef SHOAL_RENDER_TARGET_H
#define SHOAL_RENDER_TARGET_H

#include <epoxy/gl.h>

typedef struct target_t {
  GLuint framebuffer, texture;
  int width, height;
} target_t;

// What instances are drawn into.
typedef struct surface_t {
  GLuint framebuffer;
  int x, y, width, height;
} surface_t;

// It is bound as framebuffer afterwards.
void target_init(target_t *t, int width, int height, GLint format, GLint filter);
void target_fini(target_t *t);

#endif
