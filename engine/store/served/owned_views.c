// Creates the views of the table `owned`. The table item_view contains their names.
#include "served/owned_views.h"

#include "base/json_writer.h"
#include "served/view_names.h"
#include "served/world_store_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "owned_"
#define VIEW_BYTES (sizeof PREFIX + OWNED_VIEW_NAME_BYTES)

// Writes an identifier in quotes.
static void write_name(json_writer_t *out, const char *name) {
  json_write_text(out, "\"");
  for (; *name; ++name)
    json_write_bytes(out, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1);
  json_write_text(out, "\"");
}

static void format_view_name(const char *component, char out[VIEW_BYTES]) {
  (void)snprintf(out, VIEW_BYTES, PREFIX "%s", component);
  for (char *c = out; *c; ++c)
    *c = *c == '.' || *c == '/' ? '_' : *c;
}

// Writes the expression of a column's value or, if `is_component` is true, of its whole component or instance.
static void write_value(const world_store_o *s, json_writer_t *out, const owned_column_t *column, bool is_component) {
  const char *keys[OWNED_VIEW_NAME_BYTES + 2];
  char field[OWNED_VIEW_NAME_BYTES], element[16], value[6 * OWNED_VIEW_NAME_BYTES + 160];
  uint32_t count = 0;
  if (!column->is_many)
    keys[count++] = column->component;
  (void)snprintf(field, sizeof field, "%s", column->field);
  for (char *key = field, *dot; !is_component && key; key = dot ? dot + 1 : NULL) {
    dot = strchr(key, '.');
    if (dot)
      *dot = '\0';
    keys[count++] = key;
  }
  if (!is_component && column->element >= 0) {
    (void)snprintf(element, sizeof element, "%d", (int)column->element);
    keys[count++] = element;
  }
  const owned_path_t path = {column->is_many, keys, count};
  s->driver->format_json_value(&path, is_component ? OWNED_TEXT : column->type, value, sizeof value);
  json_write_text(out, value);
}

// Writes the statement of the view whose columns begin at `first`. Returns the number of columns.
static uint32_t write_view(const world_store_o *s, json_writer_t *out, const owned_columns_list_t *columns,
                           uint32_t first, const char *name) {
  static const char *const COMMON[] = {"item", "account", "parent", "name", "assemblage"};
  uint32_t count = 0;
  const owned_column_t *begin = &columns->list.items[first];
  view_names_t *names = alloc_object(sizeof *names);
  for (size_t i = 0; i < sizeof COMMON / sizeof *COMMON; ++i)
    view_names_add(names, COMMON[i]);
  if (begin->is_many)
    view_names_add(names, "instance");
  json_writer_clear(out);
  json_write_text(out, "CREATE VIEW ");
  write_name(out, name);
  json_write_text(out, " AS SELECT owned.item, owned.account, owned.parent, owned.name, owned.assemblage");
  if (begin->is_many)
    json_write_text(out, ", instance.key AS instance");
  for (; first + count < columns->list.count && strcmp(begin[count].component, begin->component) == 0; ++count) {
    if (!begin[count].field[0])
      continue;
    json_write_text(out, ", ");
    write_value(s, out, &begin[count], false);
    json_write_text(out, " AS ");
    write_name(out, view_names_add(names, begin[count].name));
  }
  free(names);
  if (begin->is_many) {
    char source[2 * OWNED_VIEW_NAME_BYTES + 768];
    s->driver->format_instances(begin->component, source, sizeof source);
    json_write_text(out, source);
    return count;
  }
  json_write_text(out, " FROM owned WHERE ");
  write_value(s, out, begin, true);
  json_write_text(out, " IS NOT NULL");
  return count;
}

static store_result_t drop_views(world_store_o *s, error_info_t *error) {
  char name[VIEW_BYTES];
  store_query_t query = {0};
  json_writer_t statements;
  json_writer_init(&statements, &s->memory);
  store_query_begin(s, &query, "SELECT name FROM item_view", NULL, 0, error);
  while (store_next(s, &query, error)) {
    if (!store_read_text(&query, 0, name, sizeof name))
      continue;
    json_write_text(&statements, "DROP VIEW IF EXISTS ");
    write_name(&statements, name);
    json_write_text(&statements, ";");
  }
  store_result_t result = store_query_end(&query);
  if (result == STORE_DONE && statements.text.count > 0)
    result = store_execute_script(s, json_writer_text(&statements), error);
  json_writer_fini(&statements);
  return result == STORE_DONE ? store_execute(s, "DELETE FROM item_view", NULL, 0, NULL, error) : result;
}

// Writes the name of a component's view: owned_a_b for `a.b` or, if there is a view of that name, owned_a_b_2 …
static store_result_t choose_view_name(world_store_o *s, const char *component, char out[VIEW_BYTES],
                                       error_info_t *error) {
  int64_t count = 1;
  char name[VIEW_BYTES];
  store_result_t result = STORE_DONE;
  format_view_name(component, name);
  for (uint32_t number = 1; result == STORE_DONE && count > 0; ++number) {
    if (number == 1)
      (void)snprintf(out, VIEW_BYTES, "%.63s", name);
    else
      (void)snprintf(out, VIEW_BYTES, "%.58s_%u", name, number);
    result = store_query_number(s, "SELECT count(*) FROM item_view WHERE lower(name) = lower($1)",
                                STORE_VALUES(STORE_TEXT(out)), &count, error);
  }
  return result;
}

static store_result_t create_views(world_store_o *s, const owned_columns_list_t *columns, json_writer_t *text,
                                   error_info_t *error) {
  store_result_t result = drop_views(s, error);
  for (uint32_t i = 0; result == STORE_DONE && i < columns->list.count;) {
    char name[VIEW_BYTES];
    result = choose_view_name(s, columns->list.items[i].component, name, error);
    i += write_view(s, text, columns, i, name);
    if (result == STORE_DONE)
      result = store_execute(s, json_writer_text(text), NULL, 0, NULL, error);
    if (result == STORE_DONE)
      result = store_execute(s, "INSERT INTO item_view VALUES ($1)", STORE_VALUES(STORE_TEXT(name)), NULL, error);
  }
  return result;
}

store_result_t owned_views_create(world_store_o *s, int64_t owner, const owned_columns_list_t *columns,
                                  error_info_t *error) {
  json_writer_t text;
  store_result_t result = store_begin_write(s, error);
  if (result != STORE_DONE)
    return result;
  json_writer_init(&text, &s->memory);
  result = store_require_owner(s, owner, error);
  if (result == STORE_DONE)
    result = create_views(s, columns, &text, error);
  json_writer_fini(&text);
  return store_end(s, result, error);
}

void owned_columns_list_free(owned_columns_list_t *columns) {
  array_free(&columns->memory, &columns->list);
}
