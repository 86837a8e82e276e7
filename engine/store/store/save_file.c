// SQL access to a save file without loading its game.
#include "base/files.h"

#include "base/assert.h"
#include "store/save_internal.h"

#include <stdio.h>
#include <string.h>

struct save_file_o {
  sql_o *sql;
  allocator_t memory;
  save_tables_t tables;
  char path[512];
  bool writable, has_changes;
};

// Returns true if a table can be edited: `entities`, or a component or singleton (which have a column
// component_data_id).
static bool is_editable(const save_file_o *f, const char *table) {
  return strcmp(table, "entities") == 0 || save_has_column(f->sql->db, "main", table, "component_data_id");
}

// --- saves attached to a live world

// Renames the attached tables, because unqualified names would resolve to the attached tables before the world's
// tables.
static bool rename_attached_tables(sqlite3 *db, error_info_t *error) {
  allocator_t memory = {0};
  save_tables_t tables = {0};
  bool ok = save_execute_statement(db, error, "DROP VIEW IF EXISTS save.entity_components") &&
            save_read_checksums(db, "save", &memory, &tables, error);
  for (uint32_t i = 0; ok && i < tables.count; ++i)
    ok = save_execute_statement(db, error, "ALTER TABLE save.\"%w\" RENAME TO \"old_%w\"", tables.items[i].name.text,
                                tables.items[i].name.text);
  array_free(&memory, &tables);
  return ok;
}

bool sql_attach_save(sql_o *s, const save_bytes_t *save, error_info_t *error) {
  shoal_assert(!s->running && !s->is_save_file, "%s cannot be attached during a query or to a foreign save",
               save->name);
  if (!sql_open(s, error))
    return false;
  sql_clear_statements(s);
  s->declaring = true;
  sql_set_budget(s, save->budget_ms);
  bool ok = save_execute_statement(s->db, error, "ATTACH ':memory:' AS save") &&
            save_load_bytes(s->db, "save", save, true, error) && rename_attached_tables(s->db, error);
  if (!ok)
    save_report_stop(s, save, error);
  sql_set_budget(s, 0);
  s->declaring = false;
  if (!ok)
    sql_detach_save(s);
  return ok;
}

void sql_detach_save(sql_o *s) {
  shoal_assert(s->db && !s->running, "cannot detach a save during a query");
  sql_clear_statements(s);
  s->declaring = true;
  save_execute_statement(s->db, NULL, "DETACH save");
  s->declaring = false;
}

// --- saves opened without a world

static int authorize(void *context, int action, const char *object, const char *detail, const char *database,
                     const char *trigger) {
  (void)detail, (void)database, (void)trigger;
  save_file_o *f = context;
  switch (action) {
  case SQLITE_SELECT:
  case SQLITE_READ:
  case SQLITE_RECURSIVE:
  case SQLITE_FUNCTION: return SQLITE_OK;
  case SQLITE_PRAGMA:
    return object && (sqlite3_stricmp(object, "table_info") == 0 || sqlite3_stricmp(object, "table_list") == 0)
               ? SQLITE_OK
               : SQLITE_DENY;
  case SQLITE_INSERT:
  case SQLITE_UPDATE:
  case SQLITE_DELETE:
    if (f->writable && f->sql->writing)
      return SQLITE_OK;
    snprintf(f->sql->denial_reason, sizeof f->sql->denial_reason, "saves are read-only unless you pass --write");
    return SQLITE_DENY;
  default:
    snprintf(f->sql->denial_reason, sizeof f->sql->denial_reason,
             "the tables of a save are fixed: use INSERT, UPDATE or DELETE to change rows");
    return SQLITE_DENY;
  }
}

static bool check_unchanged(save_file_o *file, error_info_t *error) {
  if (!save_read_checksums(file->sql->db, "main", &file->memory, &file->tables, error))
    return false;
  for (uint32_t i = 0; i < file->tables.count; ++i)
    if (file->tables.items[i].actual != file->tables.items[i].accepted)
      return error_set(error, "%s was edited after it was saved: %s", file->path, file->tables.items[i].name.text);
  return true;
}

void save_file_discard(save_file_o *f) {
  sql_destroy(f->sql);
  array_free(&f->memory, &f->tables);
  allocator_t memory = f->memory;
  alloc_resize(&memory, f, sizeof *f, 0);
}

// Creates the table assemblage_values of a running world as a view. Saves of worlds without assemblages lack the table.
static bool create_values_view(sqlite3 *db, error_info_t *error) {
  bool has_defaults = save_has_column(db, "main", SAVE_DEFAULTS_TABLE, "assemblage");
  return !has_defaults || save_has_column(db, "main", "assemblage_values", "entity") ||
         save_execute_statement(db, error,
                                "CREATE TEMP VIEW assemblage_values AS SELECT assemblage, state, component, instance, "
                                "field, value FROM main." SAVE_DEFAULTS_TABLE
                                " WHERE assemblage IS NOT NULL AND field IS NOT NULL");
}

save_file_o *save_file_open(const char *path, bool writable, error_info_t *error) {
  shoal_assert(path, "`path` must not be NULL");
  allocator_t memory = {0};
  save_file_o *save = alloc_resize(&memory, NULL, 0, sizeof *save);
  *save = (save_file_o){.memory = memory, .writable = writable};
  snprintf(save->path, sizeof save->path, "%s", path);
  save->sql = sql_create(&(sql_desc_t){.world = NULL});
  save->sql->is_save_file = true;
  bool ok = sql_connect(save->sql, error);
  size_t size = 0;
  allocator_t file_memory = {0};
  char *bytes = ok ? file_read(&file_memory, path, &size, error) : NULL;
  ok = bytes &&
       save_load_bytes(save->sql->db, "main", &(save_bytes_t){.name = path, .bytes = bytes, .size = size}, writable,
                       error) &&
       create_values_view(save->sql->db, error) && (!writable || check_unchanged(save, error));
  file_free(&file_memory, bytes, size);
  if (!ok) {
    save_file_discard(save);
    return NULL;
  }
  sql_register_table_functions(save->sql->db);
  sqlite3_set_authorizer(save->sql->db, authorize, save);
  return save;
}

// Recomputes the checksums. Fails if a statement has changed a table that is listed in the checksums but not editable.
static bool update_checksums(save_file_o *f, error_info_t *error) {
  for (uint32_t i = 0; i < f->tables.count; ++i) {
    save_table_t *t = &f->tables.items[i];
    if (!save_compute_checksum(f->sql->db, "main", t->name.text, &t->actual, error))
      return false;
    if (t->actual != t->accepted && !is_editable(f, t->name.text))
      return error_set(error, "cannot edit %s in a save: the table is read-only", t->name.text);
  }
  return true;
}

bool save_file_sql(save_file_o *f, const sql_run_desc_t *desc, sql_result_t *out, error_info_t *error) {
  shoal_assert(f && desc && out, "the file, the query and `out` must not be NULL");
  if (!sql_run_statement(f->sql, desc, out, error))
    return false;
  shoal_assert(f->writable || out->changed_rows == 0, "%llu rows of a read-only save were changed",
               (unsigned long long)out->changed_rows);
  f->has_changes |= out->changed_rows > 0;
  return true;
}

static bool store_checksums(save_file_o *f, error_info_t *error) {
  for (uint32_t i = 0; i < f->tables.count; ++i) {
    const save_table_t *t = &f->tables.items[i];
    if (t->actual != t->accepted &&
        !save_execute_statement(f->sql->db, error, "UPDATE checksums SET accepted = '%016llx' WHERE name = %Q",
                                (unsigned long long)t->actual, t->name.text))
      return false;
  }
  return true;
}

bool save_file_close(save_file_o *f, error_info_t *error) {
  sqlite3 *db = f->sql->db;
  sqlite3_set_authorizer(db, NULL, NULL);
  bool ok = !f->has_changes || (update_checksums(f, error) && store_checksums(f, error) &&
                                save_write_database(db, "main", f->path, error));
  save_file_discard(f);
  return ok;
}
