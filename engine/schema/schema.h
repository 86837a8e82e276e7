// What a row is made of. A schema is declared once (by Lua, by C, by a plugin) and gives the columns, the Lua
// proxies, the hash, later the save, SQL and the inspector. A field of a vector type is several columns: `pos` of
// vec2 becomes the columns "pos.x" and "pos.y" (schema/schema_build.h, which makes schemas of declarations).
#ifndef SHOAL_SCHEMA_SCHEMA_H
#define SHOAL_SCHEMA_SCHEMA_H

#include "base/alloc.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The numbers are part of bindings/abi.h.
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
  FIELD_ENTITY, // shoal_entity
  FIELD_STRING, // uint32_t, id in the world's string table
  FIELD_ENUM,   // uint8_t, index into `choices`, 0-based
  FIELD_ASSET,  // as FIELD_STRING: a path below assets/
  FIELD_MAT4,   // float[16], column-major as cglm's mat4
  FIELD_TYPE_COUNT
} field_type_t;

enum { FIELD_HIDDEN = 1, FIELD_READ_ONLY = 2, FIELD_HAS_MIN = 4, FIELD_HAS_MAX = 8, FIELD_DERIVED = 16 };
// Of an entity field, when the entity that it names dies (ecs/relation.h): it becomes none, its row goes, or its
// row's entity dies too; nothing of it: it keeps the id of one that is dead.
enum { FIELD_CASCADE_CLEAR = 32, FIELD_CASCADE_REMOVE = 64, FIELD_CASCADE_DESTROY = 128, FIELD_CASCADES = 224 };

#define FIELD_NAME_MAX 48
#define SCHEMA_MAX_FIELDS 64
#define COMPONENT_NAME_MAX 64

typedef struct field_t {
  char name[FIELD_NAME_MAX];
  char renamed_from[FIELD_NAME_MAX]; // what older saves call it; "" for none
  field_type_t type;
  uint32_t flags;
  double initial; // the default as stored: number, 0/1, enum index, entity or string id (see initial_text)
  double min, max;
  char *initial_text; // STRING, ASSET: the default; NULL is ""
  char *choices;      // ENUM: names one after another, each with its '\0'
  uint32_t choice_count;
  char *unit, *doc; // NULL for none
} field_t;

typedef enum schema_kind_t { SCHEMA_COMPONENT, SCHEMA_MANY, SCHEMA_SINGLE, SCHEMA_EVENT } schema_kind_t;

typedef struct schema_t {
  char name[COMPONENT_NAME_MAX];
  schema_kind_t kind;
  uint32_t field_count;              // that are stored: each is a column
  field_t fields[SCHEMA_MAX_FIELDS]; // behind the stored ones the derived ones
  char origin[128];                  // who declares it: "components.lua", "plugin heat", or "C"
  uint32_t line;                     // in that file; 0 when it is no file
  bool migrates;                     // its declaration says how rows of an older one come over
  // Derived fields have no column: they follow from the stored ones and are calculated when somebody reads them
  // (ecs/manager.h), so that no hash, snapshot or save knows them. Only matrices are.
  uint32_t derived_count;
  char *doc; // what it is, in words for people; NULL for none
} schema_t;

// A schema in the making lives on the caller's side; world_declare copies it. Strings are copied with `a`.
void schema_init(schema_t *s, const char *name, schema_kind_t kind, const char *origin);
void schema_fini(schema_t *s, allocator_t *a);
void schema_set_doc(schema_t *s, allocator_t *a, const char *doc); // NULL for none
void schema_copy(schema_t *to, const schema_t *from, allocator_t *a);

// One more column: of a known type, with a name that is new and fits, up to SCHEMA_MAX_FIELDS.
field_t *schema_add(schema_t *s, const char *name, field_type_t type, double initial);
void field_set_text(field_t *f, allocator_t *a, const char *initial_text);
void field_set_words(field_t *f, allocator_t *a, const char *unit, const char *doc); // NULL for none
void field_set_choices(field_t *f, allocator_t *a, const char *const *choices, uint32_t count);
size_t field_choices_bytes(const field_t *f); // of `choices`, every '\0' counted
bool field_same_choices(const field_t *a, const field_t *b);
const char *field_choice(const field_t *f, uint32_t number);                  // "" past the last one
int32_t field_find_choice(const field_t *f, const char *text, size_t length); // -1 when there is none
const char *field_list_choices(const field_t *f, char *out, size_t bytes);    // "a, b, c", cut to fit; returns `out`
static inline bool field_is_text(const field_t *f) {                          // an id of the table of texts
  return f->type == FIELD_STRING || f->type == FIELD_ASSET;
}
// May others than the component's own code write it: tools, scenes, undo?
static inline bool field_is_settable(const field_t *f) {
  return !(f->flags & (FIELD_HIDDEN | FIELD_READ_ONLY)) && f->type != FIELD_MAT4;
}

typedef struct field_limits_t {
  double low, high;
} field_limits_t;

field_limits_t field_limits(field_type_t type);                    // that a number, or BOOL, can store
uint32_t field_size(field_type_t type);                            // bytes of one element
const char *field_type_name(field_type_t type);                    // "f32" …
int32_t schema_find(const schema_t *s, const char *field);         // of a stored one; -1 when there is none
int32_t schema_find_derived(const schema_t *s, const char *field); // field_count or more; -1 when there is none
// One more derived field; no stored ones may follow.
field_t *schema_add_derived(schema_t *s, const char *name, field_type_t type);

// True when rows of one can be used as rows of the other byte for byte; otherwise a sentence that says the difference.
bool schema_same_layout(const schema_t *a, const schema_t *b, error_t *difference);

#endif
