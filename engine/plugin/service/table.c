// Tables that a plugin builds for scripts and other plugins. Members are stored consecutively, and the content of a
// nested table directly follows its member. While a table is built, its strings are offsets into a block of bytes. The
// offsets become addresses when the outermost table is complete.
#include "service/api.h"

#include "base/assert.h"
#include "plugin/plugin.h"
#include "plugin/result.h"

#include <string.h>

#define MAX_TEXT (16u << 20) // maximum total size of a table's keys and strings, in bytes

static bool is_building(const built_table_t *table) {
  return table && table->depth > 0;
}

// Stores a string and returns its offset, cast to a pointer.
static const char *store_text(plugins_o *plugins, built_table_t *table, const char *text, uint32_t count) {
  size_t offset = table->texts.count;
  for (uint32_t i = 0; i < count; ++i)
    array_push(&plugins->memory, &table->texts, text[i]);
  array_push(&plugins->memory, &table->texts, '\0');
  return (const char *)(uintptr_t)offset;
}

// Adds a member to the innermost open table. Returns true on success. If the table would become too large, fails the
// call and returns false.
static bool push_member(context_t *context, built_table_t *table, const char *key, const shoal_value *value) {
  shoal_table_entry member;
  size_t length = key ? strlen(key) : 0;
  if (table->members.count == SHOAL_MAX_TABLE_ENTRIES)
    return context_fail(context, "too many members in a table (at most %u, including nested tables)",
                        (unsigned)SHOAL_MAX_TABLE_ENTRIES);
  if (table->texts.count + length + value->count > MAX_TEXT)
    return context_fail(context, "the strings of a table are too long (at most %u MB in total)", MAX_TEXT >> 20);
  shoal_assert(table->depth > 0, "no table is open");
  memset(&member, 0, sizeof member);
  member.key.type = key ? SHOAL_VALUE_TYPE_STRING : SHOAL_VALUE_TYPE_NUMBER;
  member.key.count = (uint32_t)length;
  if (key)
    member.key.string = store_text(context->plugins, table, key, (uint32_t)length);
  else
    member.key.number = ++table->list_indices[table->depth - 1];
  member.value = *value;
  if (value->type == SHOAL_VALUE_TYPE_STRING)
    member.value.string =
        store_text(context->plugins, table, value->string ? value->string : "", value->string ? value->count : 0);
  array_push(&context->plugins->memory, &table->members, member);
  return true;
}

bool api_table_begin(shoal_context *c, shoal_value *value, const char *key) {
  context_t *context = context_of(c);
  const shoal_value empty_table = {.type = SHOAL_VALUE_TYPE_TABLE};
  if (!value)
    return false;
  built_table_t *table = plugin_get_built_table(context, value, !key);
  if (!is_building(table) && key)
    return context_fail(context, "shoal_table_begin: key must be NULL for the outermost table");
  if (!is_building(table)) {
    table->members.count = table->texts.count = 0;
    table->list_indices[0] = 0;
    table->depth = 1;
    return true;
  }
  if (table->depth == SHOAL_MAX_DEPTH)
    return context_fail(context, "shoal_table_begin: tables are nested too deeply (at most %u levels)",
                        (unsigned)SHOAL_MAX_DEPTH);
  uint32_t member = table->members.count;
  if (!push_member(context, table, key, &empty_table))
    return false;
  table->open_members[table->depth] = member;
  table->list_indices[table->depth++] = 0;
  return true;
}

bool api_table_put(shoal_context *c, shoal_value *target, const char *key, const shoal_value *value) {
  context_t *context = context_of(c);
  if (!target || !value)
    return false;
  built_table_t *table = plugin_get_built_table(context, target, false);
  if (!is_building(table))
    return context_fail(context, "shoal_table_put: no table is open: call shoal_table_begin(c, to, NULL) first");
  if (value->type < SHOAL_VALUE_TYPE_NUMBER || value->type > SHOAL_VALUE_TYPE_ENTITY)
    return context_fail(
        context,
        "shoal_table_put: value must be a number, boolean, string or entity, got .type %d: add a table with "
        "shoal_table_begin",
        (int)value->type);
  return push_member(context, table, key, value);
}

// Replaces the offsets of strings with addresses, sets the addresses of the members of nested tables, and stores the
// completed table in `value`.
static void resolve_text_addresses(built_table_t *table, shoal_value *value) {
  for (uint32_t i = 0; i < table->members.count; ++i) {
    shoal_table_entry *member = &table->members.items[i];
    if (member->key.type == SHOAL_VALUE_TYPE_STRING)
      member->key.string = table->texts.items + (uintptr_t)member->key.string;
    if (member->value.type == SHOAL_VALUE_TYPE_STRING)
      member->value.string = table->texts.items + (uintptr_t)member->value.string;
    if (member->value.type == SHOAL_VALUE_TYPE_TABLE)
      member->value.string = (const char *)(member + 1);
  }
  memset(value, 0, sizeof *value);
  value->type = SHOAL_VALUE_TYPE_TABLE;
  value->count = table->members.count;
  value->string = (const char *)table->members.items;
}

bool api_table_end(shoal_context *c, shoal_value *value) {
  context_t *context = context_of(c);
  if (!value)
    return false;
  built_table_t *table = plugin_get_built_table(context, value, false);
  if (!is_building(table))
    return context_fail(context, "shoal_table_end: no table is open: call shoal_table_begin first");
  if (--table->depth == 0)
    resolve_text_addresses(table, value);
  else
    table->members.items[table->open_members[table->depth]].value.count =
        table->members.count - table->open_members[table->depth] - 1;
  return true;
}
