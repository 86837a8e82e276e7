// The light of a picture: a smaller picture of its own, in which all lights are added up, and with which the scene is
// multiplied. A GL context is current in every call.
#ifndef SHOAL_RENDER_GL_LIGHT_H
#define SHOAL_RENDER_GL_LIGHT_H

#include "render/frame.h"
#include "render/programs.h"
#include "render/target.h"

// Zeroed before.
typedef struct gl_light_t {
  target_t sum;
  GLuint array, buffer, shadows;
  uint32_t rows; // that `shadows` has room for
} gl_light_t;

void gl_light_fini(gl_light_t *g);
void gl_light_upload(gl_light_t *g, const frame_t *f);
// Adds up the lights of all views; nothing where none is lit. Before the picture itself.
void gl_light_draw(gl_light_t *g, programs_t *programs, const frame_t *f);
// Onto what was drawn of this view. Blending is as it was, afterwards.
void gl_light_paste(gl_light_t *g, programs_t *programs, const frame_t *f, uint32_t view, const surface_t *s,
                    GLuint empty_array);

#endif
