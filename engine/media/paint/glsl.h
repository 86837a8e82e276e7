// Links programs from the sources of a vertex and a fragment shader, or loads programs that a previous run has cached.
// Converts driver errors to messages with a line number. A GL context must be current.
#ifndef SHOAL_PAINT_GLSL_H
#define SHOAL_PAINT_GLSL_H

#include "base/error.h"

#include <epoxy/gl.h>

// Source of a stage. `head` precedes `text` and ends with "#line 1". `origin`: file name or other label, shown in
// messages.
typedef struct glsl_stage_t {
  const char *head, *text, *origin;
} glsl_stage_t;

// Returns a linked program, compiled or from the cache. Returns 0 with an error if the driver rejects a stage or their
// combination.
GLuint glsl_link_program(const glsl_stage_t *vertex, const glsl_stage_t *fragment, error_info_t *error);

#endif
