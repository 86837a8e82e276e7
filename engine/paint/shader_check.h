// Looks at the text of a game's shader before a driver sees it. A shader cannot be stopped: a loop without end hangs
// the window, and functions that call one another twice each are more than a compiler can hold. So each loop has
// numbers as its bounds, and how many words are gone through for one pixel has a limit.
#ifndef SHOAL_VET_SHADER_CHECK_H
#define SHOAL_VET_SHADER_CHECK_H

#include "base/error.h"

#include <stddef.h>

#define SHADER_MAX_BYTES 65536u
#define SHADER_MAX_STEPS 50000u // words of GLSL, loops and functions gone through
#define SHADER_MAX_ARRAY 1024u  // elements

// `name` is for the message: "shaders/final.frag:12: …". False when it is refused.
bool shader_check(const char *name, const char *text, size_t bytes, error_t *error);

#endif
