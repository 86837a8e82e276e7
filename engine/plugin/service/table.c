// Tables that a plugin builds for scripts and other plugins. Members are stored consecutively; the content of a nested
// table directly follows its member. While a table is built, its strings are offsets into a block of bytes; the
// offsets become addresses when the outermost table is complete.
#include "service/api.h"

#include "base/assert.h"
#include "plugin/plugin.h"
#include "plugin/result.h"

#include <string.h>

#define MAX_TEXT (16u << 20) // maximum total size of a table's keys and strings, in bytes

static bool is_building(const built_table_t *b) {
  return b && b->depth > 0;
}

// Stores a string and returns its offset, cast to a pointer.
static const char *store_text(plugins_o *p, built_table_t *b, const char *text, uint32_t count) {
  size_t at = b->texts.count;
  for (uint32_t i = 0; i < count; ++i)
    array_push(&p->memory, &b->texts, text[i]);
  array_push(&p->memory, &b->texts, '\0');
  return (const char *)(uintptr_t)at;
}

// Adds a member to the innermost open table. If the table would become too large, fails the call and returns false.
static bool push_member(context_t *x, built_table_t *b, const char *key, const shoal_value *value) {
  shoal_table_entry m;
  size_t length = key ? strlen(key) : 0;
  if (b->members.count == SHOAL_MAX_TABLE_ENTRIES)
    return context_fail(x, "too many members in a table (at most %u, including nested tables)",
                        (unsigned)SHOAL_MAX_TABLE_ENTRIES);
  if (b->texts.count + length + value->count > MAX_TEXT)
    return context_fail(x, "the strings of a table are too long (at most %u MB in total)", MAX_TEXT >> 20);
  shoal_assert(b->depth > 0, "no table is open");
  memset(&m, 0, sizeof m);
  m.key.type = key ? SHOAL_VALUE_TYPE_STRING : SHOAL_VALUE_TYPE_NUMBER;
  m.key.count = (uint32_t)length;
  if (key)
    m.key.string = store_text(x->plugins, b, key, (uint32_t)length);
  else
    m.key.number = ++b->places[b->depth - 1];
  m.value = *value;
  if (value->type == SHOAL_VALUE_TYPE_STRING)
    m.value.string = store_text(x->plugins, b, value->string ? value->string : "", value->string ? value->count : 0);
  array_push(&x->plugins->memory, &b->members, m);
  return true;
}

bool api_table_begin(shoal_context *c, shoal_value *to, const char *key) {
  context_t *x = context_of(c);
  const shoal_value table = {.type = SHOAL_VALUE_TYPE_TABLE};
  if (!to)
    return false;
  built_table_t *b = plugin_get_built_table(x, to, !key);
  if (!is_building(b) && key)
    return context_fail(x, "shoal_table_begin: key must be NULL for the outermost table");
  if (!is_building(b)) {
    b->members.count = b->texts.count = 0;
    b->places[0] = 0;
    b->depth = 1;
    return true;
  }
  if (b->depth == SHOAL_MAX_DEPTH)
    return context_fail(x, "shoal_table_begin: tables are nested too deeply (at most %u levels)",
                        (unsigned)SHOAL_MAX_DEPTH);
  uint32_t at = b->members.count;
  if (!push_member(x, b, key, &table))
    return false;
  b->open[b->depth] = at;
  b->places[b->depth++] = 0;
  return true;
}

bool api_table_put(shoal_context *c, shoal_value *to, const char *key, const shoal_value *value) {
  context_t *x = context_of(c);
  if (!to || !value)
    return false;
  built_table_t *b = plugin_get_built_table(x, to, false);
  if (!is_building(b))
    return context_fail(x, "shoal_table_put: no table is open: call shoal_table_begin(c, to, NULL) first");
  if (value->type < SHOAL_VALUE_TYPE_NUMBER || value->type > SHOAL_VALUE_TYPE_ENTITY)
    return context_fail(
        x,
        "shoal_table_put: value must be a number, boolean, string or entity, got .type %d: add a table with "
        "shoal_table_begin",
        (int)value->type);
  return push_member(x, b, key, value);
}

// Replaces the offsets of strings by addresses, sets the addresses of the members of nested tables, and stores the
// table in `to`.
static void resolve_text_addresses(built_table_t *b, shoal_value *to) {
  for (uint32_t i = 0; i < b->members.count; ++i) {
    shoal_table_entry *m = &b->members.items[i];
    if (m->key.type == SHOAL_VALUE_TYPE_STRING)
      m->key.string = b->texts.items + (uintptr_t)m->key.string;
    if (m->value.type == SHOAL_VALUE_TYPE_STRING)
      m->value.string = b->texts.items + (uintptr_t)m->value.string;
    if (m->value.type == SHOAL_VALUE_TYPE_TABLE)
      m->value.string = (const char *)(m + 1);
  }
  memset(to, 0, sizeof *to);
  to->type = SHOAL_VALUE_TYPE_TABLE;
  to->count = b->members.count;
  to->string = (const char *)b->members.items;
}

bool api_table_end(shoal_context *c, shoal_value *to) {
  context_t *x = context_of(c);
  if (!to)
    return false;
  built_table_t *b = plugin_get_built_table(x, to, false);
  if (!is_building(b))
    return context_fail(x, "shoal_table_end: no table is open: call shoal_table_begin first");
  if (--b->depth == 0)
    resolve_text_addresses(b, to);
  else
    b->members.items[b->open[b->depth]].value.count = b->members.count - b->open[b->depth] - 1;
  return true;
}
