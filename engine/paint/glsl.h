// Programs from the texts of a vertex and a fragment shader, and what a driver says of them in a sentence with a line.
// A GL context is current.
#ifndef SHOAL_PAINT_GLSL_H
#define SHOAL_PAINT_GLSL_H

#include "base/error.h"

#include <epoxy/gl.h>

// `head` stands before the text, and ends with "#line 1". `place`: the file, or what stands for it in messages.
typedef struct glsl_stage_t {
  const char *head, *text, *place;
} glsl_stage_t;

// 0 with a sentence.
GLuint glsl_link(const glsl_stage_t *vertex, const glsl_stage_t *fragment, error_t *error);

#endif
