// Converts console lines to Lua chunks.
#ifndef SHOAL_COCKPIT_CONSOLE_H
#define SHOAL_COCKPIT_CONSOLE_H

#include "base/json_writer.h"

// Returns true if the text compiles as Lua: as an expression, or as statements.
bool console_is_lua(const char *text);

// Writes a '\0'-terminated chunk that returns the result of `text` as JSON. The chunk's local `e` is `entity`, or nil
// if `entity` is 0.
void console_write_chunk(const char *text, long long entity, json_writer_t *out);

#endif
