// Applies edits that a different program, or an older version of Shoal, has made to a save's tables. Executes them as
// SQL statements in the save's own world (save_file.c), where the schema `main` is the world and `save` is the file.
#include "store/save_internal.h"

#include "base/assert.h"

#include <string.h>

const table_t *save_find_table(const sql_o *s, const char *name) {
  for (uint32_t i = 0; i < s->tables.count; ++i)
    if (strcmp(s->tables.items[i]->name.text, name) == 0)
      return s->tables.items[i];
  return NULL;
}

static const field_t *get_field(const table_t *t, uint32_t i) {
  shoal_assert(i < t->field_count, "field %u of %s is out of range (count %u)", i, t->name.text, t->field_count);
  return &sql_table_schema(t)->fields[t->fields[i]];
}

// Returns true for singletons that only the host writes: shoal.systems and shoal.definitions, which may have any number
// of rows.
static bool is_host_maintained(const table_t *t) {
  for (uint32_t i = 0; i < t->field_count; ++i)
    if (field_is_settable(get_field(t, i)))
      return false;
  return t->kind == TABLE_SINGLE;
}

static const char *get_column_name(const table_t *t, uint32_t i) {
  return t->columns[t->key_count + i].text;
}

typedef enum column_selection_t { SELECT_KEYS, SELECT_SETTABLE, SELECT_ALL } column_selection_t;

// Returns the names of the selected columns, `entity, instance, hp, …`. Free with sqlite3_free.
static char *format_column_list(const table_t *t, column_selection_t selection) {
  sqlite3_str *text = sqlite3_str_new(NULL);
  for (uint32_t i = 0; i < t->key_count; ++i)
    sqlite3_str_appendf(text, "%s\"%w\"", i ? ", " : "", t->columns[i].text);
  for (uint32_t i = 0; selection != SELECT_KEYS && i < t->field_count; ++i)
    if (selection == SELECT_ALL || field_is_settable(get_field(t, i)))
      sqlite3_str_appendf(text, "%s\"%w\"", sqlite3_str_length(text) ? ", " : "", get_column_name(t, i));
  return sqlite3_str_finish(text);
}

bool save_run_edit(sql_o *s, char *text, error_info_t *error) {
  shoal_assert(!world_is_deferring(s->desc.world), "cannot apply edits while commands are deferred: %s", text);
  shoal_assert(s->writing, "cannot apply edits to a read-only world: %s", text);
  world_defer_begin(s->desc.world, 0);
  bool ok = text && save_execute_statement(s->db, error, "%s", text);
  world_defer_end(s->desc.world, !ok);
  sqlite3_free(text);
  return ok;
}

static bool check_select_is_zero(sqlite3 *db, const char *table, const char *problem, char *select,
                                 error_info_t *error) {
  int64_t count = 0;
  bool ok = select && save_read_number(db, 0, &count, error, "%s", select);
  sqlite3_free(select);
  if (!ok)
    return false;
  return count == 0 || error_set(error, "%s: %s", table, problem);
}

// Builds a condition over s (the file) and m (the world): `condition_format` for each column, combined with OR. Columns
// of type f32 use `f32_format`. Lists use `list_format`, because users may write the same list in different ways. If it
// is NULL, lists are omitted. Free the result with sqlite3_free.
static char *format_conditions(const table_t *t, const char *condition_format, const char *f32_format,
                               const char *list_format) {
  sqlite3_str *text = sqlite3_str_new(NULL);
  for (uint32_t i = 0; i < t->field_count; ++i) {
    const field_t *field = get_field(t, i);
    const char *format = field->flags & FIELD_IS_COUNT ? list_format
                         : field->type == FIELD_F32    ? f32_format
                                                       : condition_format;
    const char *name = get_column_name(t, i);
    if (!format)
      continue;
    sqlite3_str_appendall(text, sqlite3_str_length(text) ? " OR " : "");
    sqlite3_str_appendf(text, format, name, name, name, name, name, name);
  }
  if (sqlite3_str_length(text) == 0)
    sqlite3_str_appendall(text, "0");
  return sqlite3_str_finish(text);
}

#define NULLED "(s.\"%w\" IS NULL AND m.\"%w\" IS NOT NULL)"
#define DIFFERS "(s.\"%w\" IS NOT NULL AND s.\"%w\" IS NOT m.\"%w\")"
// Compares 32-bit floats with a tolerance, because the world stores a decimal number that a user has typed as the
// nearest 32-bit float.
#define DIFFERS_F32                                                                                                    \
  "(s.\"%w\" IS NOT NULL AND s.\"%w\" IS NOT m.\"%w\" AND "                                                            \
  "NOT ifnull(abs(s.\"%w\" - m.\"%w\") <= abs(s.\"%w\") * 1e-6 + 1e-30, 0))"

static char *format_key_condition(const table_t *t) {
  shoal_assert(t->key_count <= 2, "%s has %u keys, expected at most 2", t->name.text, t->key_count);
  return sqlite3_mprintf(t->key_count == 0   ? "1"
                         : t->key_count == 1 ? "m.entity = s.entity"
                                             : "m.entity = s.entity AND m.instance = s.instance");
}

// Compares each row of the file with the world's row that has the same keys. Returns true if no such pair of rows meets
// the condition, or false with an error.
static bool check_no_row(sqlite3 *db, const table_t *t, const char *condition_format, const char *f32_format,
                         const char *list_format, const char *problem, error_info_t *error) {
  const char *name = t->name.text;
  char *condition = format_conditions(t, condition_format, f32_format, list_format), *keys = format_key_condition(t);
  char *select = sqlite3_mprintf("SELECT count(*) FROM save.\"%w\" AS s JOIN main.\"%w\" AS m ON %s WHERE %s", name,
                                 name, keys, condition);
  sqlite3_free(condition);
  sqlite3_free(keys);
  return check_select_is_zero(db, name, problem, select, error);
}

// Returns true if no edit has set a field to NULL, otherwise false with an error. Must run before edits are applied,
// while the world's rows still equal the saved rows.
static bool check_nulls(sqlite3 *db, const table_t *t, error_info_t *error) {
  return check_no_row(db, t, NULLED, NULLED, NULLED, "a field must not be NULL", error);
}

static bool check_host_rows(sql_o *s, const table_t *t, error_info_t *error) {
  char *columns = format_column_list(t, SELECT_ALL);
  char *select = sqlite3_mprintf("SELECT (SELECT count(*) FROM save.\"%w\") <> (SELECT count(*) FROM main.\"%w\") OR "
                                 "EXISTS (SELECT %s FROM save.\"%w\" EXCEPT SELECT %s FROM main.\"%w\")",
                                 t->name.text, t->name.text, columns, t->name.text, columns, t->name.text);
  sqlite3_free(columns);
  return check_select_is_zero(s->db, t->name.text, "read-only rows were changed", select, error);
}

bool save_check_edits(sql_o *s, const char *table, error_info_t *error) {
  const table_t *t = save_find_table(s, table);
  if (!t || (t->kind != TABLE_COMPONENT && t->kind != TABLE_SINGLE))
    return true;
  if (is_host_maintained(t))
    return check_host_rows(s, t, error);
  return check_no_row(s->db, t, DIFFERS, DIFFERS_F32, NULL, "a read-only field was changed", error) &&
         check_select_is_zero(
             s->db, table, "the table contains rows of entities that do not exist",
             sqlite3_mprintf("SELECT (SELECT count(*) FROM save.\"%w\") - (SELECT count(*) FROM main.\"%w\")", table,
                             table),
             error);
}

// Returns true if no entity in the file has more than MANAGER_MAX_INSTANCES instances, otherwise false with an error.
// Call before instances are added, because the world would report each excess instance separately.
static bool check_instances(sqlite3 *db, const table_t *t, error_info_t *error) {
  return t->key_count < 2 ||
         check_select_is_zero(db, t->name.text, "an entity has more than 1024 instances",
                              sqlite3_mprintf("SELECT count(*) FROM save.\"%w\" GROUP BY entity HAVING count(*) > %u",
                                              t->name.text, MANAGER_MAX_INSTANCES),
                              error);
}

static bool apply_component(sql_o *s, const table_t *t, error_info_t *error) {
  sqlite3 *db = s->db;
  const char *name = t->name.text;
  char *keys = format_column_list(t, SELECT_KEYS), *columns = format_column_list(t, SELECT_SETTABLE);
  const char *open = t->key_count > 1 ? "(" : "", *close = t->key_count > 1 ? ")" : "";
  char *duplicates = sqlite3_mprintf("SELECT count(*) FROM save.\"%w\" GROUP BY %s HAVING count(*) > 1", name, keys);
  bool ok = check_select_is_zero(db, name, "an entity has two rows with the same key", duplicates, error) &&
            check_instances(db, t, error) && check_nulls(db, t, error) &&
            save_run_edit(s,
                          sqlite3_mprintf("DELETE FROM main.\"%w\" WHERE %s%s%s NOT IN (SELECT %s FROM save.\"%w\")",
                                          name, open, keys, close, keys, name),
                          error) &&
            save_run_edit(s,
                          sqlite3_mprintf("INSERT OR REPLACE INTO main.\"%w\"(%s) SELECT %s FROM save.\"%w\" "
                                          "EXCEPT SELECT %s FROM main.\"%w\"",
                                          name, columns, columns, name, columns, name),
                          error);
  sqlite3_free(keys);
  sqlite3_free(columns);
  return ok;
}

static bool apply_single(sql_o *s, const table_t *t, error_info_t *error) {
  const char *name = t->name.text;
  char *rows = sqlite3_mprintf("SELECT count(*) - 1 FROM save.\"%w\"", name);
  bool ok = check_select_is_zero(s->db, name, "a singleton must have exactly one row", rows, error) &&
            check_nulls(s->db, t, error);
  for (uint32_t i = 0; ok && i < t->field_count; ++i)
    if (field_is_settable(get_field(t, i)))
      ok = save_run_edit(s,
                         sqlite3_mprintf("UPDATE main.\"%w\" SET \"%w\" = s.\"%w\" FROM save.\"%w\" AS s "
                                         "WHERE s.\"%w\" IS NOT NULL",
                                         name, get_column_name(t, i), get_column_name(t, i), name,
                                         get_column_name(t, i)),
                         error);
  return ok;
}

static bool apply_entities(sql_o *s, error_info_t *error) {
  sqlite3 *db = s->db;
  return check_select_is_zero(
             db, "entities", "entities cannot be added: only a running world assigns ids",
             sqlite3_mprintf(
                 "SELECT count(*) FROM save.entities WHERE entity NOT IN (SELECT entity FROM main.entities)"),
             error) &&
         save_run_edit(
             s, sqlite3_mprintf("DELETE FROM main.entities WHERE entity NOT IN (SELECT entity FROM save.entities)"),
             error) &&
         save_run_edit(s,
                       sqlite3_mprintf("UPDATE main.entities AS m SET name = s.name FROM save.entities AS s "
                                       "WHERE m.entity = s.entity AND m.name IS NOT s.name"),
                       error) &&
         save_run_edit(s,
                       sqlite3_mprintf("UPDATE main.entities AS m SET state = s.state FROM save.entities AS s "
                                       "WHERE m.entity = s.entity AND m.state IS NOT s.state"),
                       error) &&
         check_select_is_zero(
             db, "entities", "only the name and state of an entity can be changed",
             sqlite3_mprintf(
                 "SELECT count(*) FROM (SELECT entity, \"index\", generation, assemblage FROM save.entities "
                 "EXCEPT SELECT entity, \"index\", generation, assemblage FROM main.entities)"),
             error);
}

// Returns true if a column is a derived field. Saves of older versions may contain such columns. They are ignored,
// because derived fields are read-only.
static bool is_derived(const table_t *t, const char *name) {
  for (uint32_t i = 0; i < t->derived_count; ++i)
    if (strcmp(sql_derived_field(t, i)->name, name) == 0)
      return true;
  return false;
}

static bool list_columns(sqlite3 *db, const char *schema, const table_t *t, char **out, error_info_t *error) {
  const char *table = t->name.text;
  sqlite3_stmt *statement;
  sqlite3_str *list = sqlite3_str_new(NULL);
  bool ok = save_prepare_statement(db, &statement, "SELECT * FROM \"%w\".\"%w\"", schema, table) == SQLITE_OK ||
            error_set(error, "%s: %s", table, sqlite3_errmsg(db));
  for (int i = 0; ok && i < sqlite3_column_count(statement); ++i)
    if (!is_derived(t, sqlite3_column_name(statement, i)))
      sqlite3_str_appendf(list, "%s%s", i ? "," : "", sqlite3_column_name(statement, i));
  sqlite3_finalize(statement);
  *out = sqlite3_str_finish(list);
  return ok && *out;
}

// Returns true if the file's table has the same columns as the world's table, otherwise false with an error, because
// edits may only change rows.
static bool check_columns(sql_o *s, const table_t *t, error_info_t *error) {
  char *file_columns = NULL, *world_columns = NULL;
  bool is_component = t->kind != TABLE_ENTITIES;
  bool ok =
      list_columns(s->db, "save", t, &file_columns, error) && list_columns(s->db, "main", t, &world_columns, error);
  if (ok) {
    const char *data_columns =
        is_component && strncmp(file_columns, "component_data_id,", 18) == 0 ? file_columns + 18 : file_columns;
    ok = strcmp(data_columns, world_columns) == 0 ||
         error_set(error, "%s has the columns %s, expected %s", t->name.text, data_columns, world_columns);
  }
  sqlite3_free(file_columns);
  sqlite3_free(world_columns);
  return ok;
}

bool save_apply_edits(sql_o *s, const char *table, error_info_t *error) {
  const table_t *t = save_find_table(s, table);
  if (!t)
    return error_set(error, "unknown table %s", table);
  if (!check_columns(s, t, error))
    return false;
  switch (t->kind) {
  case TABLE_COMPONENT: return apply_component(s, t, error);
  case TABLE_SINGLE: return is_host_maintained(t) ? check_host_rows(s, t, error) : apply_single(s, t, error);
  case TABLE_ENTITIES: return apply_entities(s, error);
  default: return error_set(error, "cannot edit %s: the table is read-only", table);
  }
}
