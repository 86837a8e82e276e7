// Links programs from the texts of a vertex and a fragment shader, or takes them from the cache of an earlier start.
// What a driver reports becomes a message with a line. A GL context is current.
#ifndef SHOAL_PAINT_GLSL_H
#define SHOAL_PAINT_GLSL_H

#include "base/error.h"

#include <epoxy/gl.h>

// `head` stands before the text, and ends with "#line 1". `place`: the file, or what stands for it in messages.
typedef struct glsl_stage_t {
  const char *head, *text, *place;
} glsl_stage_t;

// Returns 0 with a message if the driver refuses a stage, or both together.
GLuint glsl_link(const glsl_stage_t *vertex, const glsl_stage_t *fragment, error_t *error);

#endif
