// Builds the source text of a table from its elements.
#include "cockpit/lua_table.h"

#include "base/assert.h"
#include "cockpit/edit_text.h"
#include "luajit/lua_edit.h"

#include <string.h>

void lua_table_init(lua_table_t *t, allocator_t *memory, uint32_t max_columns) {
  *t = (lua_table_t){.max_columns = max_columns};
  json_writer_init(&t->text, memory);
}

void lua_table_fini(lua_table_t *t) {
  json_writer_fini(&t->text);
}

bool lua_table_is_empty(const lua_table_t *t) {
  return t->text.text.count == 0;
}

static void add_key(lua_table_t *t, const char *key) {
  if (!key)
    return;
  if (lua_is_name(key)) {
    json_write_text(&t->text, key);
  } else {
    json_write_text(&t->text, "[");
    edit_write_text(&t->text, key);
    json_write_text(&t->text, "]");
  }
  json_write_text(&t->text, " = ");
}

void lua_table_add(lua_table_t *t, const char *key, const char *value) {
  add_key(t, key);
  json_write_text(&t->text, value);
  json_write_bytes(&t->text, "", 1);
  t->spans_lines = t->spans_lines || strchr(value, '\n');
}

void lua_table_add_text(lua_table_t *t, const char *key, const char *text) {
  add_key(t, key);
  edit_write_text(&t->text, text);
  json_write_bytes(&t->text, "", 1);
}

void lua_table_add_table(lua_table_t *t, const char *key, const lua_table_t *value) {
  json_writer_t text;
  json_writer_init(&text, t->text.allocator);
  lua_table_write(value, &text);
  lua_table_add(t, key, json_writer_text(&text));
  json_writer_fini(&text);
}

static void write_indented(json_writer_t *out, const char *text) {
  for (; *text; ++text) {
    json_write_bytes(out, text, 1);
    if (*text == '\n')
      json_write_text(out, "\t");
  }
}

void lua_table_write(const lua_table_t *t, json_writer_t *out) {
  const char *begin = t->text.text.items, *end = begin + t->text.text.count;
  bool is_multiline = t->spans_lines || t->text.text.count > t->max_columns;
  if (lua_table_is_empty(t)) {
    json_write_text(out, "{}");
    return;
  }
  json_write_text(out, is_multiline ? "{" : "{ ");
  for (const char *element = begin; element < end; element += strlen(element) + 1) {
    json_write_text(out, is_multiline ? "\n\t" : element > begin ? ", " : "");
    write_indented(out, element);
    json_write_text(out, is_multiline ? "," : "");
  }
  json_write_text(out, is_multiline ? "\n}" : " }");
}
