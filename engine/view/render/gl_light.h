// Lighting: all lights are added up in a smaller target, and the scene is multiplied by it. A GL context must be
// current during every call.
#ifndef SHOAL_RENDER_GL_LIGHT_H
#define SHOAL_RENDER_GL_LIGHT_H

#include "render/frame.h"
#include "render/programs.h"
#include "render/target.h"

// OpenGL objects of the lighting. Must be zero-initialized.
typedef struct gl_light_t {
  target_t sum;
  GLuint array, buffer, shadows;
  uint32_t rows; // number of rows allocated in `shadows`
} gl_light_t;

void gl_light_fini(gl_light_t *light);
// Uploads the lights and their shadows. Does nothing if no view is lit.
void gl_light_upload(gl_light_t *light, const frame_t *frame);
// Adds up the lights of all lit views. Call this before drawing the scene.
void gl_light_draw(gl_light_t *light, programs_t *programs, const frame_t *frame);
// Multiplies everything drawn in this view so far by its light, and adds the glow of the lights. Sets the blend
// function back to premultiplied alpha.
void gl_light_composite(gl_light_t *light, programs_t *programs, const frame_t *frame, uint32_t view,
                        const surface_t *surface, GLuint empty_array);

#endif
