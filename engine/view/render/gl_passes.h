// Draws the post-processing passes of a game in sequence. A GL context must be current during every call.
#ifndef SHOAL_RENDER_GL_PASSES_H
#define SHOAL_RENDER_GL_PASSES_H

#include "render/frame.h"
#include "render/programs.h"
#include "render/target.h"

#define GL_PASS_HEADER_BYTES 2048u // maximum size of a pass's generated header

typedef struct gl_pass_t {
  char name[FIELD_NAME_MAX], file[128];
  char header[GL_PASS_HEADER_BYTES]; // version, built-in declarations and uniforms; "" if no pass used this slot
  GLuint program;                    // built version of the pass; 0 until a version has been built
} gl_pass_t;

// Post-processing passes and their render targets. Must be zero-initialized.
typedef struct gl_passes_t {
  gl_pass_t items[FRAME_MAX_PASSES];
  target_t source, destination;
} gl_passes_t;

void gl_passes_fini(gl_passes_t *passes);
void gl_passes_clear(gl_passes_t *passes); // frees the game's passes; call before a different game starts
// Builds the passes of `frame` that are new or whose file or uniform declarations have changed. If a build fails, logs
// the error and keeps the previous version of the pass, if any.
void gl_passes_build(gl_passes_t *passes, const programs_t *programs, const frame_t *frame);
// Returns true if any of the selected passes is built and enabled. `covers_screen` true selects the passes that also
// cover screen-space drawing; false selects the passes that cover only the world.
bool gl_passes_has_active(const gl_passes_t *passes, const frame_t *frame, bool covers_screen);
// Returns the surface that the scene must be drawn into, a target of the given size.
surface_t gl_passes_begin(gl_passes_t *passes, int width, int height);
// Runs the passes selected by `covers_screen` on the surface of gl_passes_begin; gl_passes_has_active must have
// returned true for `covers_screen`. Writes the result to `surface`, which must have the size passed to
// gl_passes_begin. If `surface` is NULL, writes it to the surface that the next gl_passes_begin of that size returns.
// `empty_array` is a vertex array without attributes.
void gl_passes_draw(gl_passes_t *passes, const frame_t *frame, bool covers_screen, const surface_t *surface,
                    GLuint empty_array);
// Rebuilds the passes that use a changed file "shaders/…". Returns ASSET_RELOADED on success, or ASSET_UNUSED if no
// pass uses the file. If any of these passes fails to build, keeps the old versions of all of them, stores the reason
// in `error` and returns ASSET_KEPT.
asset_fate_t gl_passes_asset_changed(gl_passes_t *passes, const programs_t *programs, const char *name,
                                     error_info_t *error);

#endif
