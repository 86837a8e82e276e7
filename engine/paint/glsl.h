// Links programs from the sources of a vertex and a fragment shader, or loads them from the cache of a previous start.
// Converts driver errors to messages with a line. A GL context must be current.
#ifndef SHOAL_PAINT_GLSL_H
#define SHOAL_PAINT_GLSL_H

#include "base/error.h"

#include <epoxy/gl.h>

// `head` precedes the source and ends with "#line 1". `place`: the file, or a name for it in messages.
typedef struct glsl_stage_t {
  const char *head, *text, *place;
} glsl_stage_t;

// Returns 0 with an error if the driver rejects a stage or the combination.
GLuint glsl_link(const glsl_stage_t *vertex, const glsl_stage_t *fragment, error_t *error);

#endif
