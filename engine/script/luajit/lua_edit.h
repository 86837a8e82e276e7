// Edits tables in Lua source text: inserts, removes and renames keys, and keeps everything else. Works on text in
// memory; the caller reads and writes the files.
//
// Inserted text follows the layout of the file: its indentation, quotes, line endings, separators after the last
// element, and blank lines between elements. Comments stay where they are. Tables that are created by a call or a loop
// instead of a constructor are rejected with an error that names the line.
#ifndef SHOAL_LUAJIT_LUA_EDIT_H
#define SHOAL_LUAJIT_LUA_EDIT_H

#include "base/error.h"
#include "base/splices.h"
#include "luajit/literal.h"

#include <lua.h>

// A set of edits. All positions refer to the files before the first edit.
typedef struct lua_edit_t {
  literal_search_t search;
  splices_t splices; // splices of the files of `search`
} lua_edit_t;

typedef struct lua_layout_t {
  char indent[16];     // indentation of one level
  const char *newline; // line ending: "\n" or "\r\n"
  char quote;          // quotation mark of strings
  bool trailing;       // true if a separator follows the last element of a table with several lines
} lua_layout_t;

void lua_edit_init(lua_edit_t *edit, allocator_t *memory, literal_reader_t read, void *context);
void lua_edit_fini(lua_edit_t *edit);

// Finds the table at a path of keys, such as { "ship", "components" }, in the value that the file returns. Follows
// locals and `require`, so the table can be in a different file. Returns a span whose `file` is NULL, with an error, if
// a key is missing or if code creates the table.
literal_span_t lua_edit_find_table(lua_edit_t *edit, const char *file, const char *const *keys, uint32_t count,
                                   error_info_t *error);
// Returns true if the span is a table constructor; false if its `file` is NULL.
bool lua_edit_is_table(literal_span_t span);
bool lua_edit_is_empty(literal_span_t table); // returns true if a table has no elements
// Copies the key at token `name` of an element, without quotes.
void lua_edit_copy_key(literal_span_t table, uint32_t name, char *out, size_t bytes);
// Sets an error with file, line and source text: `subject` cannot be changed, because code creates it. Returns false.
bool lua_edit_reject_code(literal_span_t span, const char *subject, error_info_t *error);
// Returns the value of a key that the table itself contains; its `file` is NULL if the table lacks the key.
literal_span_t lua_edit_find_value(literal_span_t table, const char *key);
// Stores the element of the table at token *i and advances *i to the next element. The first element is at table.first
// + 1. Returns true on success, or false at the end.
bool lua_edit_next_element(literal_span_t table, uint32_t *i, lua_entry_t *out);

// Appends an element to a table. `key`: NULL for a list element. `value` is source text whose lines end with "\n"; a
// tab stands for a level of indentation below the element, and `"` for the file's quotes.
void lua_edit_insert(lua_edit_t *edit, literal_span_t table, const char *key, const char *value);
// Removes the element with this index, from 0, from a table. If nothing else is on the lines of the element, removes
// the lines with their trailing comment. Comments above the element stay.
void lua_edit_remove(lua_edit_t *edit, literal_span_t table, uint32_t index);
// Removes the element with this key from a table. Returns true on success, or false if the key is missing.
bool lua_edit_remove_key(lua_edit_t *edit, literal_span_t table, const char *key);
// Renames a key of a table. Returns true on success, or false with an error if the table lacks the key.
bool lua_edit_rename_key(lua_edit_t *edit, literal_span_t table, const char *key, const char *new_name,
                         error_info_t *error);
// Replaces the tokens of a span. `value` as in lua_edit_insert; its later lines are indented like the line of the span.
void lua_edit_replace(lua_edit_t *edit, literal_span_t span, const char *value);
// Replaces the bytes [at, end) of a file with `text`, without adapting its layout.
void lua_edit_replace_bytes(lua_edit_t *edit, literal_file_t *file, uint32_t at, uint32_t end, const char *text);

// Adds `old_name` to renamed_from in a declaration's table, before older names, and removes `new_name` from them.
// `is_field`: true if `old_name` and `new_name` are names of a field, not of the whole declaration. Returns true on
// success, or false with an error if code creates the value of renamed_from.
bool lua_edit_add_renamed_from(lua_edit_t *edit, literal_span_t table, bool is_field, const char *old_name,
                               const char *new_name, error_info_t *error);

// Appends the edited text of a file to `out`.
void lua_edit_write(lua_edit_t *edit, literal_file_t *file, json_writer_t *out);
lua_layout_t lua_edit_detect_layout(const literal_file_t *file);

#define LUA_SOURCE_MAX_BYTES (4u << 20) // maximum size of a Lua file
// Returns true if a Lua file of this size may be loaded. Otherwise sets an error with the limit.
bool lua_source_check_size(const char *name, size_t bytes, error_info_t *error);
// Returns true if the text can be compiled. Otherwise sets an error with file and line. Sets `error->may_be_unfinished`
// if the text ends early.
bool lua_source_check(const char *name, const char *text, size_t bytes, error_info_t *error);
// Cuts the syntax error on the top of the stack after its first line, or after 200 bytes: the error ends with a token,
// which can be a string of many lines. Returns the message, which the stack owns.
const char *lua_shorten_syntax_error(lua_State *L);
// Returns true if the message is Lua's syntax error about the end of the text, as for a file that was written partly.
bool lua_source_ends_early(const char *message);
bool lua_is_name(const char *text); // returns true if the text can be the name of a variable

#endif
