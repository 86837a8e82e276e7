// How a schema is declared: the one way from a plain description to a schema_t, with one set of rules and messages for
// built-in components, plugins and scripts. The description is the one that plugins write (shoal/declare.h); built-in
// components use the same macros, and scripts/shoal/schema/schema.lua fills in the same structs.
#ifndef SHOAL_SCHEMA_SCHEMA_BUILD_H
#define SHOAL_SCHEMA_SCHEMA_BUILD_H

#include "schema/schema.h"
#include "shoal/types.h"

#define SCHEMA_NO_FIELD UINT32_MAX

// The limits of a number that an editor shows; a vector's hold for each of its columns.
typedef struct field_range_t {
  bool has_min, has_max;
  double min, max;
} field_range_t;

// Borrowed for the call: nothing of it is kept.
typedef struct schema_desc_t {
  const shoal_component *component; // column_count and manager are the plugin host's and not looked at
  const field_range_t *ranges;      // by field; NULL: none has limits
  const char *origin;               // "components.lua", "plugin heat", or "C"
  uint32_t line;                    // where in that file; 0 when it is no file
  char between;                     // the words of an enum (default: a blank)
  bool any_name;                    // the component's own name is not checked: Shoal's own, `uses`
  bool migrates;
  const char *doc;  // NULL for none
  uint32_t derived; // so many fields at the end, matrices, have no column (schema.h): of Shoal's own components
} schema_desc_t;

// Checks the description and makes the schema of it; schema_fini frees it, with the same allocator. False with a
// sentence when a rule is broken: then `s` owns nothing, and `*wrong` (may be NULL) is the number of the field that it
// is about, or SCHEMA_NO_FIELD.
bool schema_build(schema_t *s, const schema_desc_t *d, allocator_t *a, uint32_t *wrong, error_t *error);

// The columns that a field becomes: 2 to 4 of a vector, 1 of all others; and the letter behind each ("x"), or NULL.
uint32_t schema_width(shoal_type type);
const char *schema_axis(shoal_type type, uint32_t column);

// Letters, digits and _, no digit first, shorter than `room`. NULL is no name.
bool schema_is_name(const char *name, size_t room);
// A word of Lua itself: e.end = 1 is no statement.
bool schema_is_lua_word(const char *name);
// The methods of entities, with blanks between.
const char *schema_entity_methods(void);

#endif
