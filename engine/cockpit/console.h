// Console lines as chunks of Lua.
#ifndef SHOAL_COCKPIT_CONSOLE_H
#define SHOAL_COCKPIT_CONSOLE_H

#include "base/json_text.h"

// Writes a '\0'-terminated chunk that returns the result of `text` as JSON. In it, `e` is `entity` (0: none).
void console_chunk(const char *text, long long entity, json_text_t *out);

#endif
