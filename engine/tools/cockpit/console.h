// Converts console lines to Lua chunks.
#ifndef SHOAL_COCKPIT_CONSOLE_H
#define SHOAL_COCKPIT_CONSOLE_H

#include "base/json_writer.h"

// Returns true if the text compiles as Lua: as an expression, or as statements.
bool console_is_lua(const char *text);

// Writes a '\0'-terminated chunk that returns the result of `text` as JSON. The chunk's local `e` is the entity with
// the id `entity`, or nil if it is not alive. If `text` is not Lua, the chunk is the text itself.
void console_write_chunk(const char *text, long long entity, json_writer_t *out);

#endif
