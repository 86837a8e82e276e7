// Locates the source of a value in the game's files: the literal in the table of an assemblage, in an inherited
// assemblage, or in the default of a component. Follows locals, `require` and fields of modules. Source text is parsed
// but not run, so values that functions compute are reported as calculated instead.
#ifndef SHOAL_LUAJIT_LITERAL_H
#define SHOAL_LUAJIT_LITERAL_H

#include "luajit/lua_tokens.h"
#include "schema/schema.h"

#define LITERAL_MAX_FILES 16u
#define LITERAL_PATH 768u

typedef struct literal_file_t {
  char name[128]; // name such as "lib/looks.lua", relative to the game's folder
  char *text;
  size_t bytes;
  lua_tokens_t lua;
} literal_file_t;

typedef struct literal_span_t {
  literal_file_t *file; // file that contains the expression; NULL if not found
  uint32_t first, last; // range of tokens, [first, last)
} literal_span_t;

// Returns the text of a file, such as "lib/looks.lua", terminated by '\0' and allocated by `memory`; the search frees
// it (file_free). Returns NULL if the file cannot be read.
typedef char *(*literal_reader_t)(void *context, allocator_t *memory, const char *name, size_t *bytes);

typedef struct literal_search_t {
  allocator_t *memory;
  const char *folder;    // absolute path of the game's folder; borrowed
  literal_reader_t read; // reads a file; NULL: files are read from `folder`
  void *context;
  literal_file_t *files[LITERAL_MAX_FILES];
  uint32_t file_count;
  bool is_declared;          // true once the search has found the declaration of the assemblage
  literal_span_t calculated; // the first expression on the path whose value is known only at run time
  literal_span_t table;      // the component's or record's table in the assemblage, to which the field could be added
  uint32_t table_bytes;      // length of the path of record names to `table`, each followed by "."
} literal_search_t;

typedef struct literal_query_t {
  const char *assemblage; // path of the assemblage, such as "tank" or, for a child, "tank/turret"
  const char *state;      // name of the entity's state; NULL if the entity has no state
  const char *component, *instance, *field;
  bool is_many;
} literal_query_t;

void literal_search_begin(literal_search_t *search, allocator_t *memory, const char *folder);
void literal_search_end(literal_search_t *search);

// Returns the file; NULL if it cannot be read, or if the search contains LITERAL_MAX_FILES files.
literal_file_t *literal_open_file(literal_search_t *search, const char *name);
// Returns the value that a file returns; its `file` is NULL if the file cannot be read or returns nothing.
literal_span_t literal_find_return_value(literal_search_t *search, const char *name);
// Returns the expression to which locals, `require` and fields of modules lead, as far as the text allows.
literal_span_t literal_resolve(literal_search_t *search, literal_span_t span);
// Returns the value of a key in a table; its `file` is NULL if the table lacks the key.
literal_span_t literal_find_value(literal_search_t *search, literal_span_t span, const char *key);
// Returns the table that a declaration contains: the span itself or, for t.many { … } and t.single { … }, the argument.
// Returns a span whose `file` is NULL if the value is not a table constructor.
literal_span_t literal_find_table(literal_search_t *search, literal_span_t span);

// Returns the expression of the value in the assemblage; its `file` is NULL if the assemblage does not set the value.
literal_span_t literal_find_assemblage_value(literal_search_t *search, const literal_query_t *query);
// Returns the expression of the default in the component's declaration, in file `file`.
literal_span_t literal_find_component_default(literal_search_t *search, const char *file, const literal_query_t *query);

bool literal_is_plain(literal_span_t span); // returns true for a number, string or boolean
bool literal_is_enum(literal_span_t span);  // returns true for t.enum { … }
bool literal_is_type(literal_span_t span);  // returns true if the span is a type without a default: t.f32
uint32_t literal_line(literal_span_t span);
// Copies the source text as one line, truncated to 60 bytes.
void literal_copy_text(literal_span_t span, char *out, size_t bytes);

#endif
