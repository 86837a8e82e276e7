// Draws the passes of a game over its picture, one after the other. A GL context is current in every call.
#ifndef SHOAL_RENDER_GL_PASSES_H
#define SHOAL_RENDER_GL_PASSES_H

#include "render/frame.h"
#include "render/programs.h"
#include "render/target.h"

#define GL_PASS_HEAD 2048u // bytes of what stands before a pass's own text

typedef struct gl_pass_t {
  char name[FIELD_NAME_MAX], file[128];
  char head[GL_PASS_HEAD]; // version, what every pass has, and its uniforms; "" where it was never built
  GLuint program;          // 0: it could not be built
} gl_pass_t;

// Zeroed before.
typedef struct gl_passes_t {
  gl_pass_t items[FRAME_MAX_PASSES];
  target_t from, to;
} gl_passes_t;

void gl_passes_fini(gl_passes_t *g);
void gl_passes_forget(gl_passes_t *g); // another game
// Builds what is new.
void gl_passes_build(gl_passes_t *g, const programs_t *programs, const frame_t *f);
// Is there any to be drawn, of those that cover all or of the others?
bool gl_passes_any(const gl_passes_t *g, const frame_t *f, bool all);
// What the picture is drawn into then.
surface_t gl_passes_begin(gl_passes_t *g, int width, int height);
// From there to a surface; NULL: to there again.
void gl_passes_draw(gl_passes_t *g, const frame_t *f, bool all, const surface_t *s, GLuint empty_array);
// A file "shaders/…" has changed.
asset_fate_t gl_passes_changed(gl_passes_t *g, const programs_t *programs, const char *name, error_t *why);

#endif
