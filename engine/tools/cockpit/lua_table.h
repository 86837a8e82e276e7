// Builds the source text of a table: on one line if it is short, otherwise with one line for each element. The text is
// in the format of lua_edit_insert: lines end with "\n", and a tab stands for a level of indentation.
#ifndef SHOAL_COCKPIT_LUA_TABLE_H
#define SHOAL_COCKPIT_LUA_TABLE_H

#include "base/json_writer.h"

#include <stdarg.h>

typedef struct lua_table_t {
  json_writer_t text;   // elements, "KEY = VALUE", each followed by '\0'
  uint32_t max_columns; // maximum width of a table on one line
  bool spans_lines;     // true if an element has several lines
} lua_table_t;

void lua_table_init(lua_table_t *t, allocator_t *memory, uint32_t max_columns);
void lua_table_fini(lua_table_t *t);
// Adds an element. `key`: NULL for a list element. The value is source text and may have several lines.
void lua_table_add(lua_table_t *t, const char *key, const char *value);
// Adds an element whose value is a string literal of `text`.
void lua_table_add_text(lua_table_t *t, const char *key, const char *text);
// Adds an element whose value is a table.
void lua_table_add_table(lua_table_t *t, const char *key, const lua_table_t *value);
bool lua_table_is_empty(const lua_table_t *t);
// Appends the source text to `out`.
void lua_table_write(const lua_table_t *t, json_writer_t *out);

#endif
