// Lighting: all lights are added up in a smaller target, by which the scene is then multiplied. A GL context must be
// current in every call.
#ifndef SHOAL_RENDER_GL_LIGHT_H
#define SHOAL_RENDER_GL_LIGHT_H

#include "render/frame.h"
#include "render/programs.h"
#include "render/target.h"

// Zero-initialize.
typedef struct gl_light_t {
  target_t sum;
  GLuint array, buffer, shadows;
  uint32_t rows; // allocated rows of `shadows`
} gl_light_t;

void gl_light_fini(gl_light_t *g);
void gl_light_upload(gl_light_t *g, const frame_t *f);
// Adds up the lights of all lit views. Call before drawing the scene.
void gl_light_draw(gl_light_t *g, programs_t *programs, const frame_t *f);
// Applies the light to what has been drawn of this view. Preserves the blend state.
void gl_light_paste(gl_light_t *g, programs_t *programs, const frame_t *f, uint32_t view, const surface_t *s,
                    GLuint empty_array);

#endif
