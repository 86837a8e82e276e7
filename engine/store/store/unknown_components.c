// Keeps the tables of components that a save contains but the game lacks. In these tables, the names of layers replace
// their numbers (save_layers.c). The tables are written into the next save. A later version of the game that declares
// the components again restores them. Between uses, an unknown_components_o contains a serialized in-memory database.
#include "store/save_internal.h"

#include "base/assert.h"
#include "base/exact_math.h"

#include <stdio.h>
#include <string.h>

struct unknown_components_o {
  unsigned char *bytes; // bytes allocated by SQLite; NULL if empty
  sqlite3_int64 size;
  char migrations[16384]; // names of migrations, each between two '\n': "\nNAME\nNAME\n"; "" if empty
  addon_list_t addons;
  bool has_arithmetic; // true if saves record `arithmetic` instead of the id of the program's math functions
  char arithmetic[64]; // id of the math functions; "" if unknown
  schema_migrate_run_t migrate;
  void *migrate_context;
};

unknown_components_o *unknown_components_create(void) {
  allocator_t memory = {0};
  unknown_components_o *unknown = alloc_resize(&memory, NULL, 0, sizeof *unknown);
  *unknown = (unknown_components_o){0};
  return unknown;
}

void unknown_components_destroy(unknown_components_o *unknown) {
  if (!unknown)
    return;
  sqlite3_free(unknown->bytes);
  allocator_t memory = {.bytes = sizeof *unknown, .blocks = 1};
  alloc_resize(&memory, unknown, sizeof *unknown, 0);
}

unknown_components_o *unknown_components_copy(const unknown_components_o *unknown) {
  shoal_assert(!unknown->bytes == (unknown->size == 0),
               "bytes of unknown components must be NULL if and only if their size is 0, got size %lld",
               (long long)unknown->size);
  unknown_components_o *copy = unknown_components_create();
  memcpy(copy->migrations, unknown->migrations, sizeof copy->migrations);
  copy->addons = unknown->addons;
  copy->bytes = unknown->bytes ? sqlite3_malloc64((sqlite3_uint64)unknown->size) : NULL;
  if (copy->bytes)
    memcpy(copy->bytes, unknown->bytes, (size_t)unknown->size);
  copy->size = copy->bytes ? unknown->size : 0;
  return copy;
}

void unknown_components_set_migrate(unknown_components_o *unknown, schema_migrate_run_t migrate, void *context) {
  unknown->migrate = migrate;
  unknown->migrate_context = context;
}

schema_migrate_run_t unknown_components_get_migrate(const unknown_components_o *unknown, void **context) {
  *context = unknown ? unknown->migrate_context : NULL;
  return unknown ? unknown->migrate : NULL;
}

void unknown_components_set_addons(unknown_components_o *unknown, const addon_list_t *addons) {
  unknown->addons = *addons;
}

const addon_list_t *unknown_components_addons(const unknown_components_o *unknown) {
  static const addon_list_t none;
  return unknown ? &unknown->addons : &none;
}

void unknown_components_set_arithmetic(unknown_components_o *unknown, const char *id) {
  unknown->has_arithmetic = true;
  snprintf(unknown->arithmetic, sizeof unknown->arithmetic, "%s", id ? id : "");
}

const char *unknown_components_arithmetic(const unknown_components_o *unknown) {
  if (!unknown || !unknown->has_arithmetic)
    return exact_math_id();
  return unknown->arithmetic[0] ? unknown->arithmetic : NULL;
}

// --- migrations

bool unknown_components_has_migration(const unknown_components_o *unknown, const char *name) {
  shoal_assert(name && name[0], "a migration must have a name");
  size_t length = strlen(name);
  for (const char *match = strstr(unknown->migrations, name); match; match = strstr(match + 1, name))
    if (match > unknown->migrations && match[-1] == '\n' && match[length] == '\n')
      return true;
  return false;
}

bool unknown_components_add_migration(unknown_components_o *unknown, const char *name) {
  size_t end = strlen(unknown->migrations), length = strlen(name);
  if (unknown_components_has_migration(unknown, name))
    return true;
  if (end + length + 3 > sizeof unknown->migrations)
    return false;
  if (end == 0)
    unknown->migrations[end++] = '\n';
  memcpy(unknown->migrations + end, name, length);
  memcpy(unknown->migrations + end + length, "\n", 2);
  return true;
}

const char *unknown_components_migrations(const unknown_components_o *unknown) {
  return unknown ? unknown->migrations : "";
}

bool unknown_components_read_migrations(unknown_components_o *unknown, sqlite3 *db, error_info_t *error) {
  sqlite3_stmt *statement;
  const char *text = save_read_meta(db, &statement, "migrations");
  unknown->migrations[0] = '\0';
  bool ok = !text || strlen(text) < sizeof unknown->migrations;
  if (text && ok)
    memcpy(unknown->migrations, text, strlen(text) + 1);
  sqlite3_finalize(statement);
  return ok || error_set(error, "too many files in migrations/: merge some of them");
}

// --- components

// A component listed in a save or among the kept components.
typedef struct saved_component_t {
  char name[COMPONENT_NAME_MAX], kind[16];
  table_name_t table;
  char origin[64]; // origin of the component; "" if unknown
  int64_t rows;
  bool is_kept; // true if the component was kept by the save and is not part of its state
} saved_component_t;

typedef ARRAY(saved_component_t) component_list_t;

static bool copy_text(sqlite3_stmt *statement, int i, char *out, size_t bytes) {
  const char *text = (const char *)sqlite3_column_text(statement, i);
  if (!text || strlen(text) >= bytes)
    return false;
  memcpy(out, text, strlen(text) + 1);
  return true;
}

static bool list_components(sqlite3 *db, const char *schema, allocator_t *a, component_list_t *out,
                            error_info_t *error) {
  sqlite3_stmt *statement;
  int code = save_prepare_statement(db, &statement,
                                    "SELECT name, table_name, kind, origin, rows FROM \"%w\".components", schema);
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    saved_component_t component = {.is_kept = false};
    code = sqlite3_step(statement);
    if (code != SQLITE_ROW)
      break;
    if (!copy_text(statement, 0, component.name, sizeof component.name) ||
        !copy_text(statement, 1, component.table.text, sizeof component.table.text) ||
        !copy_text(statement, 2, component.kind, sizeof component.kind))
      continue;
    copy_text(statement, 3, component.origin, sizeof component.origin);
    component.rows = sqlite3_column_int64(statement, 4);
    component.is_kept = strcmp(component.origin, "kept") == 0;
    array_push(a, out, component);
  }
  bool ok = code == SQLITE_DONE || error_set(error, "cannot read the list of components: %s", sqlite3_errmsg(db));
  sqlite3_finalize(statement);
  return ok;
}

// --- copying from a save to the kept components

static bool copy_from_save(sqlite3 *db, const saved_component_t *component, error_info_t *error) {
  return save_execute_statement(db, error,
                                "CREATE TABLE kept.\"%w\" AS SELECT * FROM save.\"%w\" ORDER BY component_data_id",
                                component->table.text, component->table.text) &&
         save_execute_statement(
             db, error,
             "INSERT INTO kept.components SELECT NULL, name, description, table_name, kind, rows, 'kept' "
             "FROM save.components WHERE table_name = %Q LIMIT 1",
             component->table.text);
}

static void report_unknown_component(const sql_o *s, const saved_component_t *component) {
  bool is_from_plugin = strncmp(component->origin, "plugin ", strlen("plugin ")) == 0;
  if (!component->is_kept && component->rows > 0)
    log_warn(world_log(s->desc.world),
             "the save has %lld row%s of %s%s%s, which this game does not declare: the rows are kept in later saves, "
             "and restored once the game %s",
             (long long)component->rows, component->rows == 1 ? "" : "s", component->name, is_from_plugin ? " of " : "",
             is_from_plugin ? component->origin : "", is_from_plugin ? "loads the plugin again" : "declares it again");
}

bool unknown_components_fill(unknown_components_o *unknown, sql_o *s, const save_tables_t *tables,
                             const snapshot_o *snapshot, const addon_list_t *dropped, error_info_t *error) {
  shoal_assert(unknown && s, "`unknown` and `s` must not be NULL");
  allocator_t memory = {0};
  component_list_t components = {0};
  sqlite3 *db = s->db;
  uint32_t count = 0;
  bool ok =
      list_components(db, "save", &memory, &components, error) &&
      save_execute_statement(db, error, "ATTACH ':memory:' AS kept") &&
      save_execute_statement(db, error,
                             "CREATE TABLE kept.components(component_id, name, description, table_name UNIQUE, kind, "
                             "rows, origin)");
  for (uint32_t i = 0; ok && i < components.count; ++i) {
    const saved_component_t *component = &components.items[i];
    // Reads only entries with checksums, so a hand-made list cannot redirect the reader.
    bool is_unknown = !world_find_manager(s->desc.world, component->name) &&
                      !world_is_component_renamed_to(s->desc.world, component->name, 0) &&
                      !world_is_component_removed(s->desc.world, component->name) &&
                      !addon_list_find_owner(dropped, component->name) &&
                      save_is_table_listed(tables, component->table.text);
    ok = !is_unknown || (copy_from_save(db, component, error) &&
                         (component->is_kept || save_layers_write_names(db, "kept", component->table.text, snapshot,
                                                                        component->name, error)));
    if (ok && is_unknown)
      report_unknown_component(s, component);
    count += is_unknown;
  }
  array_free(&memory, &components);
  if (!ok)
    return false;
  sqlite3_free(unknown->bytes);
  unknown->bytes = count ? sqlite3_serialize(db, "kept", &unknown->size, 0) : NULL;
  return true;
}

// --- copying from the kept components to the world: columns that exist in both

// Appends a column of the kept table as the value of `field`, which is NULL if the column is a key. References to
// entities that have died since become 0 (no entity).
static void append_value(sqlite3_str *values, const field_t *field, uint32_t capacity, const char *column) {
  const char *comma = sqlite3_str_length(values) ? ", " : "";
  if (capacity > 0) { // a list is JSON text; values beyond the capacity are dropped
    bool is_entity = field[1].type == FIELD_ENTITY;
    const char *value =
        is_entity ? "CASE WHEN value IN (SELECT entity FROM main.entities) THEN value ELSE 0 END" : "value";
    sqlite3_str_appendf(values, "%s(SELECT json_group_array(%s) FROM json_each(\"%w\") WHERE key < %u)", comma, value,
                        column, capacity);
    return;
  }
  if (field && field->type == FIELD_ENTITY)
    sqlite3_str_appendf(values, "%sCASE WHEN \"%w\" IN (SELECT entity FROM main.entities) THEN \"%w\" ELSE 0 END",
                        comma, column, column);
  else
    sqlite3_str_appendf(values, "%s\"%w\"", comma, column);
}

// Returns the field's first former name that is a column of `table`, or "" if no former name is a column.
static const char *find_former_column(sqlite3 *db, const field_t *field, const char *table, char *out, size_t bytes) {
  for (const char *name = field->renamed_from; name[0]; name += strspn(name, " ")) {
    size_t length = strcspn(name, " ");
    snprintf(out, bytes, "%.*s", (int)length, name);
    if (field->flags & FIELD_IS_COUNT) // "items.count" is the column "items"
      *strrchr(out, '.') = '\0';
    if (save_has_column(db, "save", table, out))
      return out;
    name += length;
  }
  return "";
}

// Lists the columns of `t` that the table `table_name` also has, possibly under a former name, and the expressions that
// read their values from that table.
static void list_shared_columns(sqlite3 *db, const table_t *t, const char *table_name, char **columns, char **values) {
  sqlite3_str *names = sqlite3_str_new(NULL), *expressions = sqlite3_str_new(NULL);
  for (uint32_t i = 0; i < t->key_count + t->field_count; ++i) {
    const schema_t *schema = sql_table_schema(t);
    const field_t *field = i < t->key_count ? NULL : &schema->fields[t->fields[i - t->key_count]];
    uint32_t capacity = field ? schema_list_capacity(schema, (uint32_t)(field - schema->fields)) : 0;
    const char *name = t->columns[i].text, *source = name;
    char former[FIELD_FORMER_NAMES_MAX];
    if (field && (field->flags & FIELD_READ_ONLY || field->type == FIELD_MAT4))
      continue;
    if (field && !save_has_column(db, "save", table_name, source))
      source = find_former_column(db, field, table_name, former, sizeof former);
    if (!save_has_column(db, "save", table_name, source))
      continue;
    sqlite3_str_appendf(names, "%s\"%w\"", sqlite3_str_length(names) ? ", " : "", name);
    append_value(expressions, field, capacity, source);
  }
  *columns = sqlite3_str_finish(names);
  *values = sqlite3_str_finish(expressions);
}

static bool restore_table(sql_o *s, const table_t *t, const saved_component_t *component, error_info_t *error) {
  const char *table = component->table.text;
  char *columns, *values;
  if (!save_layers_read_names(s->db, t, table, error))
    return false;
  list_shared_columns(s->db, t, table, &columns, &values);
  bool ok = true;
  if (columns && t->kind == TABLE_COMPONENT)
    ok = save_run_edit(
        s,
        sqlite3_mprintf("INSERT OR IGNORE INTO main.\"%w\"(%s) SELECT %s FROM save.\"%w\" WHERE entity IN "
                        "(SELECT entity FROM main.entities) ORDER BY component_data_id",
                        t->name.text, columns, values, table),
        error);
  else if (columns)
    ok = save_run_edit(s,
                       sqlite3_mprintf("UPDATE main.\"%w\" SET (%s) = (SELECT %s FROM save.\"%w\" LIMIT 1)",
                                       t->name.text, columns, values, table),
                       error);
  sqlite3_free(columns);
  sqlite3_free(values);
  return ok;
}

bool unknown_components_restore(sql_o *s, const save_tables_t *tables, error_info_t *error) {
  allocator_t memory = {0};
  component_list_t components = {0};
  bool ok = list_components(s->db, "save", &memory, &components, error);
  for (uint32_t i = 0; ok && i < components.count; ++i) {
    const saved_component_t *component = &components.items[i];
    const manager_o *m = component->is_kept && save_is_table_listed(tables, component->table.text)
                             ? world_find_manager(s->desc.world, component->name)
                             : NULL;
    for (uint32_t k = 0; m && ok && k < s->tables.count; ++k) {
      const table_t *t = s->tables.items[k];
      if ((t->kind == TABLE_COMPONENT || t->kind == TABLE_SINGLE) && t->id == m->id)
        ok = restore_table(s, t, component, error);
    }
  }
  array_free(&memory, &components);
  return ok;
}

// --- copying from the kept components to a save

static bool write_from_kept(sqlite3 *db, const saved_component_t *component, table_name_t *name, error_info_t *error) {
  int64_t match_count = 1;
  *name = component->table;
  while (match_count) { // a component of the world may already use the table name
    if (!save_read_number(db, 0, &match_count, error,
                          "SELECT count(*) FROM save.sqlite_schema WHERE name = %Q COLLATE NOCASE", name->text))
      return false;
    size_t length = strlen(name->text);
    if (match_count && length + 2 > sizeof name->text)
      return error_set(error, "%s: no free table name", component->name);
    if (match_count)
      memcpy(name->text + length, "_", 2);
  }
  return save_execute_statement(db, error, "CREATE TABLE save.\"%w\" AS SELECT * FROM kept.\"%w\"", name->text,
                                component->table.text) &&
         save_execute_statement(db, error,
                                "INSERT INTO save.components SELECT NULL, name, description, %Q, kind, rows, 'kept' "
                                "FROM kept.components WHERE table_name = %Q",
                                name->text, component->table.text);
}

bool unknown_components_write(const unknown_components_o *unknown, sql_o *s,
                              bool (*finish_table)(sqlite3 *, const char *, error_info_t *), error_info_t *error) {
  allocator_t memory = {0};
  component_list_t components = {0};
  sqlite3 *db = s->db;
  if (!unknown || !unknown->bytes)
    return true;
  shoal_assert(unknown->size > 0, "the size of the unknown components must be positive, got %lld",
               (long long)unknown->size);
  unsigned char *bytes = sqlite3_malloc64((sqlite3_uint64)unknown->size);
  if (!bytes)
    return error_set(error, "out of memory");
  memcpy(bytes, unknown->bytes, (size_t)unknown->size);
  if (sqlite3_deserialize(db, "kept", bytes, unknown->size, unknown->size,
                          SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY) != SQLITE_OK)
    return error_set(error, "%s", sqlite3_errmsg(db));
  bool ok = list_components(db, "kept", &memory, &components, error);
  for (uint32_t i = 0; ok && i < components.count; ++i) {
    table_name_t name;
    if (world_find_manager(s->desc.world, components.items[i].name))
      continue;
    ok = write_from_kept(db, &components.items[i], &name, error) && finish_table(db, name.text, error);
  }
  array_free(&memory, &components);
  return ok;
}
