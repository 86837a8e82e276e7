// Names of the bits of a set, such as collision layers: the choices of a FIELD_U32 name its bits, the lowest first.
#ifndef SHOAL_SCHEMA_BIT_NAMES_H
#define SHOAL_SCHEMA_BIT_NAMES_H

#include "schema/schema.h"

#define BIT_NAMES_MAX 32
#define BIT_NAMES_ALL "all" // denotes all 32 bits, named or not

// Returns true if scripts may write names to the field: `category` and `mask` of a component that the engine or a
// plugin declares.
bool bit_names_apply_to(const schema_t *schema, const field_t *field);
static inline bool bit_names_exist(const field_t *field) {
  return field->type == FIELD_U32 && field->choice_count > 0;
}

// Sets `bits` to the bits of `name`, which may be "all", and returns true; returns false if the name is unknown.
bool bit_names_find(const field_t *field, const char *name, size_t length, uint32_t *bits);
// Lists the names of the bits, or "all", in `out` (BIT_NAMES_MAX). Returns the number of names, or 0 if no bit is set,
// a bit has no name or the field has no names: the set can then only be written as a number.
uint32_t bit_names_list(const field_t *field, uint32_t bits, const char **out);
// Write the names for users, "hero, foe", or as Lua, { "hero", "foe" }. If bit_names_list returns 0, write the number.
// Truncated to fit. Return `out`.
const char *bit_names_format(const field_t *field, uint32_t bits, char *out, size_t bytes);
const char *bit_names_format_lua(const field_t *field, uint32_t bits, char *out, size_t bytes);

// Converts bits of `old_field` to the bits of the same names in `new_field`. A bit without a name is kept, as is a bit
// whose name was replaced by a new name at the same position. If `new_field` has no names, all bits are kept. Bits of
// removed names without a replacement are dropped. A set of all 32 bits stays complete.
uint32_t bit_names_convert(const field_t *old_field, const field_t *new_field, uint32_t bits);
// Returns the bits of `old_field` that a conversion to `new_field` drops.
uint32_t bit_names_get_dropped(const field_t *old_field, const field_t *new_field);
// Returns true if a conversion from `old_field` to `new_field` changes no set.
bool bit_names_are_unchanged(const field_t *old_field, const field_t *new_field);

#endif
