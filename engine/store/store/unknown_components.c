// Components of a save that the game lacks. Their tables are kept, with names of layers in place of numbers
// (save_layers.c), written into the next save, and restored by a later version of the game that declares them again.
// Between uses, a kept_components_o contains a serialized in-memory database.
#include "store/save_internal.h"

#include "base/assert.h"

#include <string.h>

struct kept_components_o {
  unsigned char *bytes; // allocated by SQLite; NULL if empty
  sqlite3_int64 size;
  char migrations[16384]; // names of migrations, each between two '\n': "\nNAME\nNAME\n"; "" if empty
  addon_list_t addons;
  schema_migrate_run_t migrate;
  void *migrate_context;
};

kept_components_o *kept_components_create(void) {
  allocator_t memory = {0};
  kept_components_o *kept = alloc_resize(&memory, NULL, 0, sizeof *kept);
  *kept = (kept_components_o){0};
  return kept;
}

void kept_components_destroy(kept_components_o *kept) {
  if (!kept)
    return;
  sqlite3_free(kept->bytes);
  allocator_t memory = {.bytes = sizeof *kept, .blocks = 1};
  alloc_resize(&memory, kept, sizeof *kept, 0);
}

kept_components_o *kept_components_copy(const kept_components_o *kept) {
  shoal_assert(!kept->bytes == (kept->size == 0),
               "bytes of unknown components must be NULL if and only if their size is 0, got size %lld",
               (long long)kept->size);
  kept_components_o *copy = kept_components_create();
  memcpy(copy->migrations, kept->migrations, sizeof copy->migrations);
  copy->addons = kept->addons;
  copy->bytes = kept->bytes ? sqlite3_malloc64((sqlite3_uint64)kept->size) : NULL;
  if (copy->bytes)
    memcpy(copy->bytes, kept->bytes, (size_t)kept->size);
  copy->size = copy->bytes ? kept->size : 0;
  return copy;
}

void kept_components_set_migrate(kept_components_o *kept, schema_migrate_run_t migrate, void *context) {
  kept->migrate = migrate;
  kept->migrate_context = context;
}

schema_migrate_run_t kept_components_get_migrate(const kept_components_o *kept, void **context) {
  *context = kept ? kept->migrate_context : NULL;
  return kept ? kept->migrate : NULL;
}

void kept_components_set_addons(kept_components_o *kept, const addon_list_t *addons) {
  kept->addons = *addons;
}

const addon_list_t *kept_components_addons(const kept_components_o *kept) {
  static const addon_list_t none;
  return kept ? &kept->addons : &none;
}

// --- migrations

bool kept_components_has_migration(const kept_components_o *kept, const char *name) {
  shoal_assert(name && name[0], "a migration must have a name");
  size_t length = strlen(name);
  for (const char *at = strstr(kept->migrations, name); at; at = strstr(at + 1, name))
    if (at > kept->migrations && at[-1] == '\n' && at[length] == '\n')
      return true;
  return false;
}

bool kept_components_add_migration(kept_components_o *kept, const char *name) {
  size_t used = strlen(kept->migrations), length = strlen(name);
  if (kept_components_has_migration(kept, name))
    return true;
  if (used + length + 3 > sizeof kept->migrations)
    return false;
  if (used == 0)
    kept->migrations[used++] = '\n';
  memcpy(kept->migrations + used, name, length);
  memcpy(kept->migrations + used + length, "\n", 2);
  return true;
}

const char *kept_components_migrations(const kept_components_o *kept) {
  return kept ? kept->migrations : "";
}

bool kept_components_read_migrations(kept_components_o *kept, sqlite3 *db, error_info_t *error) {
  sqlite3_stmt *statement;
  const char *text = save_read_meta(db, &statement, "migrations");
  kept->migrations[0] = '\0';
  bool ok = !text || strlen(text) < sizeof kept->migrations;
  if (text && ok)
    memcpy(kept->migrations, text, strlen(text) + 1);
  sqlite3_finalize(statement);
  return ok || error_set(error, "too many files in migrations/: merge some of them");
}

// --- components

// A component listed in a save or among the kept components.
typedef struct listed_t {
  char name[COMPONENT_NAME_MAX], kind[16];
  table_name_t table;
  char origin[64]; // "" if unknown
  int64_t rows;
  bool kept; // one of the kept components, not part of the state
} listed_t;

typedef ARRAY(listed_t) listed_list_t;

static bool copy_text(sqlite3_stmt *statement, int i, char *out, size_t bytes) {
  const char *text = (const char *)sqlite3_column_text(statement, i);
  if (!text || strlen(text) >= bytes)
    return false;
  memcpy(out, text, strlen(text) + 1);
  return true;
}

static bool list_components(sqlite3 *db, const char *schema, allocator_t *a, listed_list_t *out, error_info_t *error) {
  sqlite3_stmt *statement;
  int code = save_prepare_statement(db, &statement,
                                    "SELECT name, table_name, kind, origin, rows FROM \"%w\".components", schema);
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    listed_t x = {.kept = false};
    code = sqlite3_step(statement);
    if (code != SQLITE_ROW)
      break;
    if (!copy_text(statement, 0, x.name, sizeof x.name) ||
        !copy_text(statement, 1, x.table.text, sizeof x.table.text) || !copy_text(statement, 2, x.kind, sizeof x.kind))
      continue;
    copy_text(statement, 3, x.origin, sizeof x.origin);
    x.rows = sqlite3_column_int64(statement, 4);
    x.kept = strcmp(x.origin, "kept") == 0;
    array_push(a, out, x);
  }
  bool ok = code == SQLITE_DONE || error_set(error, "cannot read the list of components: %s", sqlite3_errmsg(db));
  sqlite3_finalize(statement);
  return ok;
}

// --- from a save to the kept components

static bool copy_to_kept(sqlite3 *db, const listed_t *x, error_info_t *error) {
  return save_execute_statement(db, error,
                                "CREATE TABLE kept.\"%w\" AS SELECT * FROM save.\"%w\" ORDER BY component_data_id",
                                x->table.text, x->table.text) &&
         save_execute_statement(
             db, error,
             "INSERT INTO kept.components SELECT NULL, name, description, table_name, kind, rows, 'kept' "
             "FROM save.components WHERE table_name = %Q LIMIT 1",
             x->table.text);
}

static void report_unknown_component(const sql_o *s, const listed_t *x) {
  bool of_plugin = strncmp(x->origin, "plugin ", strlen("plugin ")) == 0;
  if (!x->kept && x->rows > 0)
    log_warn(world_log(s->desc.world),
             "the save has %lld row%s of %s%s%s, which this game does not declare: the rows are kept in later saves, "
             "and restored once the game %s",
             (long long)x->rows, x->rows == 1 ? "" : "s", x->name, of_plugin ? " of " : "", of_plugin ? x->origin : "",
             of_plugin ? "loads the plugin again" : "declares it again");
}

bool kept_components_fill(kept_components_o *kept, sql_o *s, const save_tables_t *tables, const snapshot_o *state,
                          const addon_list_t *dropped, error_info_t *error) {
  shoal_assert(kept && s, "`kept` and `s` must not be NULL");
  allocator_t memory = {0};
  listed_list_t list = {0};
  sqlite3 *db = s->db;
  uint32_t count = 0;
  shoal_assert(!s->desc.world == s->foreign, "only a foreign save has no world");
  bool ok =
      list_components(db, "save", &memory, &list, error) &&
      save_execute_statement(db, error, "ATTACH ':memory:' AS kept") &&
      save_execute_statement(db, error,
                             "CREATE TABLE kept.components(component_id, name, description, table_name UNIQUE, kind, "
                             "rows, origin)");
  for (uint32_t i = 0; ok && i < list.count; ++i) {
    const listed_t *x = &list.items[i];
    // Reads checksummed entries only, so a hand-made list cannot redirect the reader.
    bool unknown = !world_find_manager(s->desc.world, x->name) &&
                   !world_is_component_renamed_to(s->desc.world, x->name, 0) &&
                   !addon_list_find_owner(dropped, x->name) && save_is_table_listed(tables, x->table.text);
    ok = !unknown || (copy_to_kept(db, x, error) &&
                      (x->kept || save_layers_write_names(db, "kept", x->table.text, state, x->name, error)));
    if (ok && unknown)
      report_unknown_component(s, x);
    count += unknown;
  }
  array_free(&memory, &list);
  if (!ok)
    return false;
  sqlite3_free(kept->bytes);
  kept->bytes = count ? sqlite3_serialize(db, "kept", &kept->size, 0) : NULL;
  return true;
}

// --- from the kept components to the world: columns that exist in both

// Appends a column of the kept table as a value for a field (NULL: a key). References to entities that have died since
// become 0 (no entity).
static void append_value(sqlite3_str *values, const field_t *f, uint32_t capacity, const char *column) {
  const char *comma = sqlite3_str_length(values) ? ", " : "";
  if (capacity > 0) { // a list, as JSON text; values that no longer fit are cut
    bool is_entity = f[1].type == FIELD_ENTITY;
    const char *value =
        is_entity ? "CASE WHEN value IN (SELECT entity FROM main.entities) THEN value ELSE 0 END" : "value";
    sqlite3_str_appendf(values, "%s(SELECT json_group_array(%s) FROM json_each(\"%w\") WHERE key < %u)", comma, value,
                        column, capacity);
    return;
  }
  if (f && f->type == FIELD_ENTITY)
    sqlite3_str_appendf(values, "%sCASE WHEN \"%w\" IN (SELECT entity FROM main.entities) THEN \"%w\" ELSE 0 END",
                        comma, column, column);
  else
    sqlite3_str_appendf(values, "%s\"%w\"", comma, column);
}

// Returns the first of the field's former names that the table `kept` has as a column; "" if it has none of them.
static const char *find_former_column(sqlite3 *db, const field_t *f, const char *kept, char *out, size_t bytes) {
  for (const char *at = f->renamed_from; at[0]; at += strspn(at, " ")) {
    size_t length = strcspn(at, " ");
    snprintf(out, bytes, "%.*s", (int)length, at);
    if (f->flags & FIELD_IS_COUNT) // "items.count" is the column "items"
      *strrchr(out, '.') = '\0';
    if (save_has_column(db, "save", kept, out))
      return out;
    at += length;
  }
  return "";
}

// Lists the columns that `t` shares with the table `kept`, where they may have former names, and the expressions that
// read their values.
static void list_shared_columns(sqlite3 *db, const table_t *t, const char *kept, char **columns, char **values) {
  sqlite3_str *names = sqlite3_str_new(NULL), *expressions = sqlite3_str_new(NULL);
  for (uint32_t i = 0; i < t->key_count + t->field_count; ++i) {
    const schema_t *schema = sql_table_schema(t);
    const field_t *f = i < t->key_count ? NULL : &schema->fields[t->fields[i - t->key_count]];
    uint32_t capacity = f ? schema_list_capacity(schema, (uint32_t)(f - schema->fields)) : 0;
    const char *name = t->columns[i].text, *from = name;
    char former[FIELD_FORMER_NAMES_MAX];
    if (f && (f->flags & FIELD_READ_ONLY || f->type == FIELD_MAT4))
      continue;
    if (f && !save_has_column(db, "save", kept, from))
      from = find_former_column(db, f, kept, former, sizeof former);
    if (!save_has_column(db, "save", kept, from))
      continue;
    sqlite3_str_appendf(names, "%s\"%w\"", sqlite3_str_length(names) ? ", " : "", name);
    append_value(expressions, f, capacity, from);
  }
  *columns = sqlite3_str_finish(names);
  *values = sqlite3_str_finish(expressions);
}

static bool restore_table(sql_o *s, const table_t *t, const listed_t *x, error_info_t *error) {
  const char *kept = x->table.text;
  char *columns, *values;
  if (!save_layers_read_names(s->db, t, kept, error))
    return false;
  list_shared_columns(s->db, t, kept, &columns, &values);
  bool ok = true;
  if (columns && t->kind == TABLE_COMPONENT)
    ok = save_run_edit(
        s,
        sqlite3_mprintf("INSERT OR IGNORE INTO main.\"%w\"(%s) SELECT %s FROM save.\"%w\" WHERE entity IN "
                        "(SELECT entity FROM main.entities) ORDER BY component_data_id",
                        t->name.text, columns, values, kept),
        error);
  else if (columns)
    ok = save_run_edit(s,
                       sqlite3_mprintf("UPDATE main.\"%w\" SET (%s) = (SELECT %s FROM save.\"%w\" LIMIT 1)",
                                       t->name.text, columns, values, kept),
                       error);
  sqlite3_free(columns);
  sqlite3_free(values);
  return ok;
}

bool kept_components_restore(sql_o *s, const save_tables_t *tables, error_info_t *error) {
  allocator_t memory = {0};
  listed_list_t list = {0};
  bool ok = list_components(s->db, "save", &memory, &list, error);
  for (uint32_t i = 0; ok && i < list.count; ++i) {
    const listed_t *x = &list.items[i];
    const manager_o *m =
        x->kept && save_is_table_listed(tables, x->table.text) ? world_find_manager(s->desc.world, x->name) : NULL;
    for (uint32_t k = 0; m && ok && k < s->tables.count; ++k) {
      const table_t *t = s->tables.items[k];
      if ((t->kind == TABLE_COMPONENT || t->kind == TABLE_SINGLE) && t->id == m->id)
        ok = restore_table(s, t, x, error);
    }
  }
  array_free(&memory, &list);
  return ok;
}

// --- from the kept components to a save

static bool write_from_kept(sqlite3 *db, const listed_t *x, table_name_t *name, error_info_t *error) {
  int64_t exists = 1;
  *name = x->table;
  while (exists) { // a component of the world may already use the name
    if (!save_read_number(db, 0, &exists, error,
                          "SELECT count(*) FROM save.sqlite_schema WHERE name = %Q COLLATE NOCASE", name->text))
      return false;
    size_t n = strlen(name->text);
    if (exists && n + 2 > sizeof name->text)
      return error_set(error, "%s: no free table name", x->name);
    if (exists)
      memcpy(name->text + n, "_", 2);
  }
  return save_execute_statement(db, error, "CREATE TABLE save.\"%w\" AS SELECT * FROM kept.\"%w\"", name->text,
                                x->table.text) &&
         save_execute_statement(db, error,
                                "INSERT INTO save.components SELECT NULL, name, description, %Q, kind, rows, 'kept' "
                                "FROM kept.components WHERE table_name = %Q",
                                name->text, x->table.text);
}

bool kept_components_write(const kept_components_o *kept, sql_o *s,
                           bool (*written)(sqlite3 *, const char *, error_info_t *), error_info_t *error) {
  allocator_t memory = {0};
  listed_list_t list = {0};
  sqlite3 *db = s->db;
  if (!kept || !kept->bytes)
    return true;
  shoal_assert(kept->size > 0, "the size of the unknown components must be positive, got %lld", (long long)kept->size);
  unsigned char *copy = sqlite3_malloc64((sqlite3_uint64)kept->size);
  if (!copy)
    return error_set(error, "out of memory");
  memcpy(copy, kept->bytes, (size_t)kept->size);
  if (sqlite3_deserialize(db, "kept", copy, kept->size, kept->size,
                          SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY) != SQLITE_OK)
    return error_set(error, "%s", sqlite3_errmsg(db));
  bool ok = list_components(db, "kept", &memory, &list, error);
  for (uint32_t i = 0; ok && i < list.count; ++i) {
    table_name_t name;
    if (world_find_manager(s->desc.world, list.items[i].name))
      continue;
    ok = write_from_kept(db, &list.items[i], &name, error) && written(db, name.text, error);
  }
  array_free(&memory, &list);
  return ok;
}
