// Where in the game's files a value comes from: the literal in the table of an assemblage, in one that it is, or in the
// default of a component, through locals, `require` and the fields of modules. Texts are read and not run, so what a
// function makes is not found, and is said to be calculated.
#ifndef SHOAL_LUAJIT_LITERAL_H
#define SHOAL_LUAJIT_LITERAL_H

#include "luajit/lua_text.h"
#include "schema/schema.h"

#define LITERAL_MAX_FILES 16u
#define LITERAL_PATH 768u

typedef struct literal_file_t {
  char name[128];          // "lib/looks.lua", in the game's folder
  char path[LITERAL_PATH]; // without links; "" when the file lies elsewhere
  char *text;
  size_t bytes;
  lua_text_t lua;
} literal_file_t;

typedef struct literal_span_t {
  literal_file_t *file; // NULL: nothing is there
  uint32_t first, last; // tokens, `last` behind the span
} literal_span_t;

typedef struct literal_search_t {
  allocator_t *memory;
  const char *folder; // of the game, absolute, borrowed
  literal_file_t *files[LITERAL_MAX_FILES];
  uint32_t file_count;
  literal_span_t calculated; // the first expression on the way that a text does not tell
  literal_span_t table;      // the component's table in the assemblage, where the field could be written
} literal_search_t;

typedef struct literal_ask_t {
  const char *assemblage; // "tank/turret"
  const char *state;      // NULL for none
  const char *component, *instance, *field;
  bool is_many;
} literal_ask_t;

void literal_begin(literal_search_t *x, allocator_t *memory, const char *folder);
void literal_end(literal_search_t *x);

// The expression that is the value in the assemblage. `file` NULL when it says nothing of it.
literal_span_t literal_in_assemblage(literal_search_t *x, const literal_ask_t *ask);
// The expression that is the default in the declaration of the component, in this file.
literal_span_t literal_in_component(literal_search_t *x, const char *file, const literal_ask_t *ask);

bool literal_is_plain(literal_span_t s); // a number, text or truth as it is written
bool literal_is_type(literal_span_t s);  // t.f32, without a default
uint32_t literal_line(literal_span_t s);
// As written, cut to fit.
void literal_words(literal_span_t s, char *out, size_t bytes);

#endif
