// Lines of the console as chunks of Lua.
#ifndef SHOAL_COCKPIT_CONSOLE_H
#define SHOAL_COCKPIT_CONSOLE_H

#include "base/json_text.h"

// Writes a chunk, with a '\0', that returns the result of `text` as JSON; in it `e` is the entity (0: none).
void console_chunk(const char *text, long long entity, json_text_t *out);

#endif
