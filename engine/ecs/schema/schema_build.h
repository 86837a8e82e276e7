// Builds a schema_t from a plain description. Built-in components, plugins and scripts share one set of rules and
// messages. The description is the struct that plugins write (shoal/declare.h). Built-in components use the same
// macros, and scripts/shoal/schema/schema.lua fills in the same structs.
#ifndef SHOAL_SCHEMA_SCHEMA_BUILD_H
#define SHOAL_SCHEMA_SCHEMA_BUILD_H

#include "schema/schema.h"
#include "shoal/types.h"

#define SCHEMA_NO_FIELD UINT32_MAX

// Range of a number: every write is clamped to it (ecs/ranges.h). The range of a vector applies to each column.
typedef struct field_range_t {
  bool has_min, has_max;
  bool allows_nan; // true to exempt the field from `rejects_nan` of the description
  double min, max;
} field_range_t;

// Sets the range of a number; a bound that `range` lacks is infinite.
void field_set_range(field_t *field, const field_range_t *range);

// Description of a schema. All pointers are borrowed during the call.
typedef struct schema_desc_t {
  const shoal_component *component; // declaration; the members column_count, manager and required are ignored
  const field_range_t *ranges;      // ranges of the fields, indexed by field; NULL if no field has a range
  const char *origin;               // location of the declaration, such as "components.lua", "plugin heat" or "C"
  uint32_t line;                    // line in that file; 0 if `origin` is not a file
  char choice_separator;            // separator of enum choices (default: a space)
  // True if the component's name may contain any characters or be a reserved word. Set for components declared by Shoal
  // and for `uses`.
  bool any_name;
  bool migrates;
  bool has_paths;   // true if the names of fields may be paths through records, "colors.r"
  const char *doc;  // description shown to users; may be NULL
  bool rejects_nan; // true to set FIELD_REJECTS_NAN for all f32 and f64 fields; false for events and plugins
  // Number of derived fields (schema.h), which are the last fields: matrices and f32 fields. Only Shoal's own
  // components have derived fields.
  uint32_t derived_count;
  // Names of required components, terminated by NULL if there are fewer than SHOAL_MAX_NAMES; may be NULL. Used instead
  // of component->required, because components in libraries built before that member existed lack it.
  const char *const *required;
} schema_desc_t;

// Checks the description and builds the schema; free it with schema_fini and the same allocator. Returns true on
// success. If a rule is violated, returns false with an error: `schema` then owns nothing, and `*invalid_field` (may be
// NULL) is the index of the invalid field, or SCHEMA_NO_FIELD.
bool schema_build(schema_t *schema, const schema_desc_t *full_desc, allocator_t *a, uint32_t *invalid_field,
                  error_info_t *error);

// schema_column_count returns the number of columns of a field: 2 to 4 for vectors, otherwise 1. schema_axis_suffix
// returns the suffix of a column, such as "x"; NULL if the field is not a vector.
uint32_t schema_column_count(shoal_type type);
const char *schema_axis_suffix(shoal_type type, uint32_t column);

// Returns true if `name` consists of letters, digits and _, does not start with a digit, and is shorter than `capacity`
// bytes. Returns false for NULL.
bool schema_is_valid_name(const char *name, size_t capacity);
// Returns true for Lua keywords, which cannot be field names, because e.end = 1 is invalid.
bool schema_is_lua_keyword(const char *name);
// Returns the names of the entity methods, separated by spaces.
const char *schema_entity_methods(void);

#endif
