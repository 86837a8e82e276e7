// The layout of a row. A schema is declared once (in Lua, C or a plugin) and determines the columns, the Lua proxies,
// the hash, saves, SQL and the inspector. Each element of a vector field is a column: the vec2 `pos` has the columns
// "pos.x" and "pos.y" (schema/schema_build.h, which builds schemas from declarations). The fields of a record are
// columns, too: the field `r` of the record `colors` is "colors.r", or "colors_r" in SQL and in C declarations. A list
// `items` of up to three values has the columns "items.count", the number of values, and "items.1" to "items.3". Values
// past the count are 0 (columns_clamp), so that equal lists have equal bytes.
#ifndef SHOAL_SCHEMA_SCHEMA_H
#define SHOAL_SCHEMA_SCHEMA_H

#include "base/alloc.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// These values are part of bindings/abi.h.
typedef enum field_type_t {
  FIELD_NONE,
  FIELD_F32,
  FIELD_F64,
  FIELD_I8,
  FIELD_I16,
  FIELD_I32,
  FIELD_U8,
  FIELD_U16,
  FIELD_U32,
  FIELD_BOOL,   // uint8_t, 0 or 1
  FIELD_ENTITY, // shoal_entity; 0: no entity
  FIELD_STRING, // uint32_t, id in the world's string table
  FIELD_ENUM,   // uint8_t, 0-based index into `choices`
  FIELD_ASSET,  // path of a file in assets/, stored like a FIELD_STRING
  FIELD_MAT4,   // float[16], column-major like mat4 in cglm
  FIELD_TYPE_COUNT
} field_type_t;

enum { FIELD_HIDDEN = 1, FIELD_READ_ONLY = 2, FIELD_HAS_MIN = 4, FIELD_HAS_MAX = 8, FIELD_DERIVED = 16 };
// Cascades, applied when the target of an entity field is destroyed (ecs/relation.h): the field is cleared, its row is
// removed, or the entity of the row is destroyed, too. Without a flag, the field keeps the id of the destroyed entity.
enum { FIELD_CASCADE_CLEAR = 32, FIELD_CASCADE_REMOVE = 64, FIELD_CASCADE_DESTROY = 128, FIELD_CASCADES = 224 };

// The column is a part of a vector: the last component of its name is an axis, not a field.
enum { FIELD_IS_AXIS = 256 };

// Columns of a list: the number of values, a u8, followed by the values. The last component of the name is "count" or
// the number of the value.
enum { FIELD_IS_COUNT = 512, FIELD_IS_ELEMENT = 1024, FIELD_IS_OF_LIST = 1536 };

// A NaN is replaced with the default when it is stored. Set for all numbers of built-in components, because a NaN would
// spread, for example to positions. Fields with a range also replace NaN. Infinity is stored unchanged.
enum { FIELD_REJECTS_NAN = 2048 };

// Excludes the column from hashes while all its values are zero. Set for fields that a later version added to built-in
// components, so that the hashes of existing games do not change.
enum { FIELD_IS_ADDED = 4096 };

// The field is a setting of this machine, such as a volume: it is not hashed, and it is kept when a snapshot replaces
// the world. For numbers, bools and enums of singletons.
enum { FIELD_OF_MACHINE = 8192 };

#define FIELD_NAME_MAX 48
#define FIELD_FORMER_NAMES_MAX 160
#define SCHEMA_MAX_FIELDS 64
#define COMPONENT_NAME_MAX 64
#define SCHEMA_MAX_REQUIRED 8

typedef struct field_t {
  char name[FIELD_NAME_MAX];
  const char *renamed_from; // former names, separated by spaces; "" if the field was not renamed
  field_type_t type;
  uint32_t flags;
  double initial;  // default in stored form: number, 0 or 1, enum index, or entity id; 0 for strings (see initial_text)
  double min, max; // bounds of the range, as declared
  // The range as values of the field's type: every stored value is from `low` to `high`. Infinite without a range.
  double low, high;
  char *initial_text; // default of FIELD_STRING and FIELD_ASSET; NULL: ""
  // Choices of a FIELD_ENUM, or names of the bits of a FIELD_U32 (schema/bit_names.h); each ends with '\0'.
  char *choices;
  uint32_t choice_count;
  char *unit, *doc; // unit and description shown to users; may be NULL
} field_t;

typedef enum schema_kind_t { SCHEMA_COMPONENT, SCHEMA_MANY, SCHEMA_SINGLE, SCHEMA_EVENT } schema_kind_t;

typedef struct schema_t {
  char name[COMPONENT_NAME_MAX];
  schema_kind_t kind;
  uint32_t field_count;    // number of stored fields; each is one column
  field_t *fields;         // stored fields, followed by derived fields
  uint32_t field_capacity; // capacity of `fields`
  bool owns_fields;        // true if schema_fini frees `fields`
  char origin[128];        // location of the declaration, such as "components.lua", "plugin heat" or "C"
  uint32_t line;           // line in that file; 0 if `origin` is not a file
  bool migrates;           // true if the declaration has a `migrate` function for older rows
  // Number of derived fields, which have no column: they are computed from the stored fields when read (ecs/manager.h),
  // so hashes, snapshots and saves do not contain them. Matrices and f32 fields can be derived.
  uint32_t derived_count;
  char *doc; // description shown to users; may be NULL
  // Names of the required components: every entity with this component also has them (ecs/requirements.h). Each name
  // ends with '\0'; NULL if the component requires none.
  char *required;
  uint32_t required_count;
} schema_t;

// A schema with memory for its fields, for callers that add fields one by one. Must not be copied: `schema` points to
// `fields`. About 9 KB.
typedef struct schema_buffer_t {
  schema_t schema;
  field_t fields[SCHEMA_MAX_FIELDS];
} schema_buffer_t;

// Initializes an empty schema, to which the caller adds fields; world_declare_schema copies it. In the following
// functions, `a` allocates the copies of strings and, except for schemas in a buffer, the fields.
void schema_init(schema_buffer_t *buffer, const char *name, schema_kind_t kind, const char *origin);
// Like schema_init, but allocates memory for exactly `capacity` fields.
void schema_init_sized(schema_t *schema, allocator_t *a, const char *name, schema_kind_t kind, const char *origin,
                       uint32_t capacity);
void schema_fini(schema_t *schema, allocator_t *a);
void schema_set_doc(schema_t *schema, allocator_t *a, const char *doc); // `doc` may be NULL
void schema_copy(schema_t *target, const schema_t *source, allocator_t *a);
// Adds a required component. The schema must have fewer than SCHEMA_MAX_REQUIRED required components, and the name must
// be shorter than COMPONENT_NAME_MAX.
void schema_add_required(schema_t *schema, allocator_t *a, const char *name);
void schema_free_required(schema_t *schema, allocator_t *a);
const char *schema_get_required(const schema_t *schema, uint32_t index); // returns the name of a required component
// Returns true for a component that no file and no loaded plugin declares: its rows are kept until the component is
// declared again (migrate/world_migrate.c). The component's origin begins with SCHEMA_KEPT_ORIGIN.
#define SCHEMA_KEPT_ORIGIN "kept from "
bool schema_is_kept(const schema_t *schema);

// Adds a stored field and returns it. The type must be valid, the name must be new and short enough, and the schema
// must have memory for an additional field.
field_t *schema_add_field(schema_t *schema, const char *name, field_type_t type, double initial);
void field_set_text(field_t *field, allocator_t *a, const char *initial_text);
void field_add_former_name(field_t *field, allocator_t *a, const char *name); // appends to `renamed_from`
void field_cut_former_names(field_t *field, allocator_t *a, size_t length);   // truncates `renamed_from` to `length`
void field_set_docs(field_t *field, allocator_t *a, const char *unit, const char *doc); // `unit` and `doc` may be NULL
void field_set_choices(field_t *field, allocator_t *a, const char *const *choices, uint32_t count);
size_t field_choices_bytes(const field_t *field); // returns the size of `choices`, including the '\0' of each choice
bool field_has_same_choices(const field_t *a, const field_t *b);
const char *field_choice(const field_t *field, uint32_t index); // returns the name of a choice; "" if out of range
// Returns the index of a choice; -1 if unknown.
int32_t field_find_choice(const field_t *field, const char *text, size_t length);
// Writes "a, b, c", truncated to fit; returns `out`.
const char *field_list_choices(const field_t *field, char *out, size_t bytes);
// Writes the name with the names of its records joined by "_": "colors_r" for "colors.r", "colors_tint.x" for a part of
// a vector. Returns `out`.
const char *field_flat_name(const field_t *field, char out[FIELD_NAME_MAX]);
// Returns true if both names become equal when "_" replaces each ".": "colors.r" and "colors_r".
bool field_is_same_flat_name(const char *a, const char *b);
static inline bool field_is_text(const field_t *field) { // returns true if values are stored as string ids
  return field->type == FIELD_STRING || field->type == FIELD_ASSET;
}
static inline bool field_has_range(const field_t *field) {
  return (field->flags & (FIELD_HAS_MIN | FIELD_HAS_MAX)) != 0;
}
// Returns true if NaN, or values out of the range, are replaced when they are stored.
static inline bool field_is_limited(const field_t *field) {
  return (field->flags & (FIELD_HAS_MIN | FIELD_HAS_MAX | FIELD_REJECTS_NAN)) != 0;
}
// Returns true if stored values are restricted, by field_is_limited or because the column is a part of a list.
static inline bool field_is_clamped(const field_t *field) {
  return field_is_limited(field) || (field->flags & FIELD_IS_OF_LIST) != 0;
}
// Returns the value that a limited field stores for `value`: the nearest value in the range; `initial`, the default,
// for NaN. A value of a list may also be 0, because unused values are 0.
static inline double field_clamp(const field_t *field, double value, double initial) {
  if (field->flags & FIELD_IS_ELEMENT && value == 0)
    return value;
  double v = value == value ? value : initial;
  return v < field->low ? field->low : v > field->high ? field->high : v;
}
// Returns true if code outside of the component's implementation (tools, scenes, undo) may write the field.
static inline bool field_is_settable(const field_t *field) {
  return !(field->flags & (FIELD_HIDDEN | FIELD_READ_ONLY)) && field->type != FIELD_MAT4;
}

typedef struct field_limits_t {
  double low, high;
} field_limits_t;

// Writes a range as part of a message: "from 0 to 100", "at least 0" or "at most 100". Infinite bounds are omitted.
// Returns `out`.
const char *schema_format_range(double low, double high, char *out, size_t bytes);
// Like schema_format_range, for the declared range of a field.
const char *field_format_range(const field_t *field, char *out, size_t bytes);
#define RANGE_STORED 1u  // the text includes the value that was stored instead
#define RANGE_OF_TYPE 2u // the range is the range of the field's type, so the message may suggest a wider type
#define RANGE_TEXT_BYTES 512u
// Writes a message about a value that is out of a field's range: "hull.hp must be from 0 to 100, got 110; stored 100:
// clamp it …". Long labels are cut off. `flags`: RANGE_…. Returns `out` (RANGE_TEXT_BYTES).
const char *range_describe_problem(const char *label, double low, double high, double value, double stored,
                                   uint32_t flags, char *out);
field_limits_t field_limits(field_type_t type); // returns the range of values that a number or FIELD_BOOL can store
uint32_t field_size(field_type_t type);         // returns the size of an element in bytes
const char *field_type_name(field_type_t type); // returns a name such as "f32"
// Returns the capacity of the list whose count is in this column, that is, the number of its value columns; 0 if the
// column is not the count of a list.
uint32_t schema_list_capacity(const schema_t *schema, uint32_t column);
// Returns the number of columns of the list to which this column belongs, and stores its first column. If the column is
// not part of a list, returns 1 and stores the column itself.
uint32_t schema_list_columns(const schema_t *schema, uint32_t column, uint32_t *first_column);
// Returns the position of a value in its list, from 1, such as 3 for "items.3", or 0 for a field outside lists.
uint32_t field_element_number(const field_t *field);
// Returns the length of the field's name without the suffix of a vector part or list element: 5 for "items.3".
size_t field_base_bytes(const field_t *field);
// Returns the name of the field for messages: the list's name, such as "items", for a column of a list; otherwise
// `field->name`.
const char *field_label(const field_t *field, char out[FIELD_NAME_MAX]);
// Sets the list flags of all columns whose names form a list: "items.count", "items.1", …
void schema_flag_list_columns(schema_t *schema);
// Returns the index of a stored field; -1 if unknown. A field of a record is also found by its flattened name:
// "colors_r".
int32_t schema_find_field(const schema_t *schema, const char *name);
// Finds a field by name, even if its type has changed. `name` may denote a vector part or a list element. Returns its
// column or, if a vector, list or record has the field's name, the first column of that field; -1 if unknown.
int32_t schema_find_field_of_any_type(const schema_t *schema, const char *name);
// Finds the field that a newer declaration has replaced with a record containing `name`: "speed" for "speed.max".
// Returns its first column; -1 if not found.
int32_t schema_find_enclosing_field(const schema_t *schema, const char *name);
bool field_has_former_name(const field_t *field, const char *name);
// Returns the index of the field with this former name; -1 if unknown.
int32_t schema_find_renamed_field(const schema_t *schema, const char *former_name);
// Returns the column of `schema`, an earlier declaration, that has a former name of `field`; -1 if no column has one.
int32_t schema_find_former_field(const schema_t *schema, const field_t *field);
// Returns the index of a derived field, which is at least field_count; -1 if the field is unknown.
int32_t schema_find_derived_field(const schema_t *schema, const char *name);
// Adds a derived field, a matrix or an f32, and returns it. No stored field may be added afterwards.
field_t *schema_add_derived_field(schema_t *schema, const char *name, field_type_t type);

// Returns true if rows of both schemas are interchangeable byte for byte. Otherwise returns false and stores a
// description of the difference in `difference`.
bool schema_has_same_layout(const schema_t *a, const schema_t *b, error_info_t *difference);

#endif
