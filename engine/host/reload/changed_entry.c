// Determines whether an entry of the table that a Lua file returns has changed, by comparing the tokens of two versions
// of the file.
#include "reload/changed_entry.h"

#include "luajit/lua_tokens.h"

#include <string.h>

typedef struct token_range_t {
  const lua_tokens_t *source;
  uint32_t first, last; // tokens [first, last)
} token_range_t;

static bool returns_table(const lua_tokens_t *t) {
  uint32_t value = lua_tokens_find_return_value(t);
  return value != 0 && lua_tokens_match_word(t, value, "{");
}

// Finds the value of the entry. The range is empty if the returned table lacks the entry.
static token_range_t find_entry_value(const lua_tokens_t *t, const char *name) {
  lua_entry_t entry;
  for (uint32_t i = returns_table(t) ? lua_tokens_find_return_value(t) + 1 : 0; i != 0;) {
    i = lua_tokens_read_entry(t, i, &entry);
    if (i != 0 && entry.name != 0 && lua_tokens_match_word(t, entry.name, name))
      return (token_range_t){t, entry.value, entry.last};
  }
  return (token_range_t){.source = t};
}

static bool has_equal_tokens(const token_range_t *a, const token_range_t *b) {
  bool equal = a->last - a->first == b->last - b->first;
  for (uint32_t i = 0; equal && i < a->last - a->first; ++i) {
    const lua_token_t *a_token = &a->source->tokens.items[a->first + i],
                      *b_token = &b->source->tokens.items[b->first + i];
    equal = a_token->bytes == b_token->bytes &&
            memcmp(a->source->text + a_token->at, b->source->text + b_token->at, a_token->bytes) == 0;
  }
  return equal;
}

static bool has_value_changed(const lua_tokens_t *old_source, const lua_tokens_t *new_source, const char *name) {
  token_range_t old_value = find_entry_value(old_source, name), new_value = find_entry_value(new_source, name);
  token_range_t old_head = {old_source, 0, lua_tokens_find_return_value(old_source)};
  token_range_t new_head = {new_source, 0, lua_tokens_find_return_value(new_source)};
  if (!returns_table(old_source) || !returns_table(new_source)) // a file with `return game`, for example
    return !has_equal_tokens(&(token_range_t){old_source, 0, old_source->tokens.count},
                             &(token_range_t){new_source, 0, new_source->tokens.count});
  if (new_value.first == new_value.last)
    return false;
  return !has_equal_tokens(&old_value, &new_value) || !has_equal_tokens(&old_head, &new_head);
}

bool has_entry_changed(allocator_t *a, const char *old_text, size_t old_bytes, const char *new_text, size_t new_bytes,
                       const char *name) {
  lua_tokens_t old_tokens = {0}, new_tokens = {0};
  error_info_t error;
  bool ok = old_text && new_text && lua_tokens_read(&old_tokens, a, old_text, old_bytes, &error) &&
            lua_tokens_read(&new_tokens, a, new_text, new_bytes, &error);
  bool changed = !ok || has_value_changed(&old_tokens, &new_tokens, name);
  lua_tokens_fini(&old_tokens, a);
  lua_tokens_fini(&new_tokens, a);
  return changed;
}
