// Validates the source of a game's shader before the driver sees it. A running shader cannot be stopped: an endless
// loop freezes the window, and inlining a chain of functions, each of which calls the next function twice, exhausts the
// compiler's memory. Loops must therefore have constant bounds, and the number of tokens executed per pixel is limited.
#ifndef SHOAL_PAINT_SHADER_CHECK_H
#define SHOAL_PAINT_SHADER_CHECK_H

#include "base/error.h"

#include <stddef.h>

#define SHADER_MAX_BYTES 65536u
#define SHADER_MAX_STEPS 50000u // maximum number of GLSL tokens executed per pixel, counting every iteration and call
#define SHADER_MAX_ARRAY 1024u  // maximum number of elements of an array

// Checks a shader's source. Returns true if the source is accepted, otherwise false with an error. `name` is used in
// the message: "shaders/final.frag:12: …".
bool shader_check(const char *name, const char *text, size_t bytes, error_info_t *error);

#endif
