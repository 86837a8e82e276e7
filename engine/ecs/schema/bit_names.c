// Finds, writes and converts sets of named bits.
#include "schema/bit_names.h"

#include "base/assert.h"

#include <stdio.h>
#include <string.h>

bool bit_names_apply_to(const schema_t *s, const field_t *f) {
  bool is_provided = strcmp(s->origin, "C") == 0 || strncmp(s->origin, "plugin ", strlen("plugin ")) == 0;
  return is_provided && f->type == FIELD_U32 && (strcmp(f->name, "category") == 0 || strcmp(f->name, "mask") == 0);
}

bool bit_names_find(const field_t *f, const char *name, size_t length, uint32_t *bits) {
  int32_t found = field_find_choice(f, name, length);
  if (length == strlen(BIT_NAMES_ALL) && memcmp(name, BIT_NAMES_ALL, length) == 0)
    *bits = UINT32_MAX;
  else if (found >= 0)
    *bits = 1u << found;
  else
    return false;
  return true;
}

static uint32_t get_named_bits(const field_t *f) {
  shoal_assert(f->choice_count <= BIT_NAMES_MAX, "%s has %u names for 32 bits", f->name, f->choice_count);
  return f->choice_count < 32 ? (1u << f->choice_count) - 1 : UINT32_MAX;
}

uint32_t bit_names_list(const field_t *f, uint32_t bits, const char **out) {
  uint32_t count = 0;
  if (!bit_names_exist(f))
    return 0;
  if (bits == UINT32_MAX) {
    out[0] = BIT_NAMES_ALL;
    return 1;
  }
  for (uint32_t i = 0; (bits & ~get_named_bits(f)) == 0 && i < f->choice_count; ++i)
    if (bits >> i & 1)
      out[count++] = field_choice(f, i);
  return count;
}

static const char *format_names(const field_t *f, uint32_t bits, const char *quote, char *out, size_t bytes) {
  const char *names[BIT_NAMES_MAX];
  uint32_t count = bit_names_list(f, bits, names);
  bool is_table = quote[0] && count > 1;
  size_t used = (size_t)snprintf(out, bytes, "%s", is_table ? "{ " : "");
  if (count == 0)
    snprintf(out, bytes, "%u", bits);
  for (uint32_t i = 0; i < count && used < bytes; ++i)
    used += (size_t)snprintf(out + used, bytes - used, "%s%s%s%s", i ? ", " : "", quote, names[i], quote);
  if (is_table && used < bytes)
    snprintf(out + used, bytes - used, " }");
  return out;
}

const char *bit_names_format(const field_t *f, uint32_t bits, char *out, size_t bytes) {
  return format_names(f, bits, "", out, bytes);
}

const char *bit_names_format_lua(const field_t *f, uint32_t bits, char *out, size_t bytes) {
  return format_names(f, bits, "\"", out, bytes);
}

// Returns the bit of `to` that bit `i` of `from` becomes; 0 if it is dropped.
static uint32_t convert_bit(const field_t *from, const field_t *to, uint32_t i) {
  const char *name = field_choice(from, i), *now = field_choice(to, i);
  int32_t found = name[0] ? field_find_choice(to, name, strlen(name)) : -1;
  if (found >= 0)
    return 1u << found;
  bool is_renamed = now[0] && field_find_choice(from, now, strlen(now)) < 0;
  return !name[0] || is_renamed || to->choice_count == 0 ? 1u << i : 0;
}

uint32_t bit_names_convert(const field_t *from, const field_t *to, uint32_t bits) {
  uint32_t converted = 0;
  for (uint32_t i = 0; i < 32; ++i)
    converted |= bits >> i & 1 ? convert_bit(from, to, i) : 0;
  return bits == UINT32_MAX ? UINT32_MAX : converted;
}

uint32_t bit_names_get_dropped(const field_t *from, const field_t *to) {
  uint32_t dropped = 0;
  for (uint32_t i = 0; i < 32; ++i)
    dropped |= convert_bit(from, to, i) == 0 ? 1u << i : 0;
  return dropped;
}

bool bit_names_are_unchanged(const field_t *from, const field_t *to) {
  for (uint32_t i = 0; i < 32; ++i)
    if (convert_bit(from, to, i) != 1u << i)
      return false;
  return true;
}
