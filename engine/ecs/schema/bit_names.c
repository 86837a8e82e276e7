// Finds, writes and converts sets of named bits.
#include "schema/bit_names.h"

#include "base/assert.h"

#include <stdio.h>
#include <string.h>

bool bit_names_apply_to(const schema_t *schema, const field_t *field) {
  bool is_provided = strcmp(schema->origin, "C") == 0 || strncmp(schema->origin, "plugin ", strlen("plugin ")) == 0;
  return is_provided && field->type == FIELD_U32 &&
         (strcmp(field->name, "category") == 0 || strcmp(field->name, "mask") == 0);
}

bool bit_names_find(const field_t *field, const char *name, size_t length, uint32_t *bits) {
  int32_t choice = field_find_choice(field, name, length);
  if (length == strlen(BIT_NAMES_ALL) && memcmp(name, BIT_NAMES_ALL, length) == 0)
    *bits = UINT32_MAX;
  else if (choice >= 0)
    *bits = 1u << choice;
  else
    return false;
  return true;
}

static uint32_t get_named_bits(const field_t *field) {
  shoal_assert(field->choice_count <= BIT_NAMES_MAX, "%s has %u names for 32 bits", field->name, field->choice_count);
  return field->choice_count < 32 ? (1u << field->choice_count) - 1 : UINT32_MAX;
}

uint32_t bit_names_list(const field_t *field, uint32_t bits, const char **out) {
  uint32_t count = 0;
  if (!bit_names_exist(field))
    return 0;
  if (bits == UINT32_MAX) {
    out[0] = BIT_NAMES_ALL;
    return 1;
  }
  for (uint32_t i = 0; (bits & ~get_named_bits(field)) == 0 && i < field->choice_count; ++i)
    if (bits >> i & 1)
      out[count++] = field_choice(field, i);
  return count;
}

static const char *format_names(const field_t *field, uint32_t bits, const char *quote, char *out, size_t bytes) {
  const char *names[BIT_NAMES_MAX];
  uint32_t count = bit_names_list(field, bits, names);
  bool is_table = quote[0] && count > 1;
  size_t length = (size_t)snprintf(out, bytes, "%s", is_table ? "{ " : "");
  if (count == 0)
    snprintf(out, bytes, "%u", bits);
  for (uint32_t i = 0; i < count && length < bytes; ++i)
    length += (size_t)snprintf(out + length, bytes - length, "%s%s%s%s", i ? ", " : "", quote, names[i], quote);
  if (is_table && length < bytes)
    snprintf(out + length, bytes - length, " }");
  return out;
}

const char *bit_names_format(const field_t *field, uint32_t bits, char *out, size_t bytes) {
  return format_names(field, bits, "", out, bytes);
}

const char *bit_names_format_lua(const field_t *field, uint32_t bits, char *out, size_t bytes) {
  return format_names(field, bits, "\"", out, bytes);
}

// Returns the bit of `new_field` that bit `i` of `old_field` becomes; 0 if it is dropped.
static uint32_t convert_bit(const field_t *old_field, const field_t *new_field, uint32_t i) {
  const char *old_name = field_choice(old_field, i), *new_name = field_choice(new_field, i);
  int32_t new_bit = old_name[0] ? field_find_choice(new_field, old_name, strlen(old_name)) : -1;
  if (new_bit >= 0)
    return 1u << new_bit;
  bool is_renamed = new_name[0] && field_find_choice(old_field, new_name, strlen(new_name)) < 0;
  return !old_name[0] || is_renamed || new_field->choice_count == 0 ? 1u << i : 0;
}

uint32_t bit_names_convert(const field_t *old_field, const field_t *new_field, uint32_t bits) {
  uint32_t converted = 0;
  for (uint32_t i = 0; i < 32; ++i)
    converted |= bits >> i & 1 ? convert_bit(old_field, new_field, i) : 0;
  return bits == UINT32_MAX ? UINT32_MAX : converted;
}

uint32_t bit_names_get_dropped(const field_t *old_field, const field_t *new_field) {
  uint32_t dropped = 0;
  for (uint32_t i = 0; i < 32; ++i)
    dropped |= convert_bit(old_field, new_field, i) == 0 ? 1u << i : 0;
  return dropped;
}

bool bit_names_are_unchanged(const field_t *old_field, const field_t *new_field) {
  for (uint32_t i = 0; i < 32; ++i)
    if (convert_bit(old_field, new_field, i) != 1u << i)
      return false;
  return true;
}
