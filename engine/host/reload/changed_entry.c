// Compares the tokens of two versions of a Lua file: returns whether an entry of the returned table has changed.
#include "reload/changed_entry.h"

#include "luajit/lua_tokens.h"

#include <string.h>

typedef struct token_range_t {
  const lua_tokens_t *source;
  uint32_t first, last; // tokens [first, last)
} token_range_t;

static bool returns_table(const lua_tokens_t *t) {
  uint32_t at = lua_tokens_find_return_value(t);
  return at != 0 && lua_tokens_match_word(t, at, "{");
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
    const lua_token_t *x = &a->source->tokens.items[a->first + i], *y = &b->source->tokens.items[b->first + i];
    equal = x->bytes == y->bytes && memcmp(a->source->text + x->at, b->source->text + y->at, x->bytes) == 0;
  }
  return equal;
}

static bool has_value_changed(const lua_tokens_t *was, const lua_tokens_t *is, const char *name) {
  token_range_t old = find_entry_value(was, name), fresh = find_entry_value(is, name);
  token_range_t old_head = {was, 0, lua_tokens_find_return_value(was)};
  token_range_t head = {is, 0, lua_tokens_find_return_value(is)};
  if (!returns_table(was) || !returns_table(is)) // for example `return game`
    return !has_equal_tokens(&(token_range_t){was, 0, was->tokens.count}, &(token_range_t){is, 0, is->tokens.count});
  if (fresh.first == fresh.last)
    return false;
  return !has_equal_tokens(&old, &fresh) || !has_equal_tokens(&old_head, &head);
}

bool has_entry_changed(allocator_t *a, const char *was, size_t was_bytes, const char *is, size_t is_bytes,
                       const char *name) {
  lua_tokens_t old = {0}, fresh = {0};
  error_info_t error;
  bool ok =
      was && is && lua_tokens_read(&old, a, was, was_bytes, &error) && lua_tokens_read(&fresh, a, is, is_bytes, &error);
  bool changed = !ok || has_value_changed(&old, &fresh, name);
  lua_tokens_fini(&old, a);
  lua_tokens_fini(&fresh, a);
  return changed;
}
