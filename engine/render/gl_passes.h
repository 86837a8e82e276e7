// Draws a game's post-processing passes in sequence. A GL context must be current in every call.
#ifndef SHOAL_RENDER_GL_PASSES_H
#define SHOAL_RENDER_GL_PASSES_H

#include "render/frame.h"
#include "render/programs.h"
#include "render/target.h"

#define GL_PASS_HEAD 2048u // maximum bytes of the generated header of a pass

typedef struct gl_pass_t {
  char name[FIELD_NAME_MAX], file[128];
  char head[GL_PASS_HEAD]; // version, built-in declarations and uniforms; "" if never built
  GLuint program;          // 0 if it could not be built
} gl_pass_t;

// Zero-initialize.
typedef struct gl_passes_t {
  gl_pass_t items[FRAME_MAX_PASSES];
  target_t from, to;
} gl_passes_t;

void gl_passes_fini(gl_passes_t *g);
void gl_passes_forget(gl_passes_t *g); // call before another game
// Builds new passes.
void gl_passes_build(gl_passes_t *g, const programs_t *programs, const frame_t *f);
// Returns true if a pass is built and enabled: with `all`, one that also covers screen-space drawing; otherwise one
// that covers only the world.
bool gl_passes_any(const gl_passes_t *g, const frame_t *f, bool all);
// Returns the surface to draw the scene into: a target of this size.
surface_t gl_passes_begin(gl_passes_t *g, int width, int height);
// Runs the passes selected by `all`, as in gl_passes_any. Writes the result to `s`; NULL: to the surface of
// gl_passes_begin.
void gl_passes_draw(gl_passes_t *g, const frame_t *f, bool all, const surface_t *s, GLuint empty_array);
// Reloads a changed file "shaders/…".
asset_fate_t gl_passes_changed(gl_passes_t *g, const programs_t *programs, const char *name, error_t *why);

#endif
