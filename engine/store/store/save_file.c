// SQL on saves. A save is either attached to the world of its game, for migrations, or opened as a separate world,
// which has the declarations of the save and needs no game.
#include "base/assert.h"
#include "base/files.h"
#include "content/content.h"
#include "migrate/state_migrate.h"
#include "schema/bit_names.h"
#include "snapshot/state_view.h"
#include "store/save_addons.h"
#include "store/save_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct save_file_o {
  sql_o *sql;
  world_o *world; // borrowed
  allocator_t memory;
  unknown_components_o *unknown_components;
  char path[512], game[256];
  bool writable, has_changes;
};

// --- saves attached to a live world

static int compare_lengths(const void *a, const void *b) {
  size_t x = strlen(((const save_table_t *)a)->name.text), y = strlen(((const save_table_t *)b)->name.text);
  return x < y ? 1 : x > y ? -1 : 0;
}

// Renames the attached tables, because unqualified names would resolve to the attached tables before the world's
// tables. Starts with the longest names: if a save has tables gun and old_gun, old_gun must be renamed before gun takes
// its name. Returns true on success, or false with an error.
static bool rename_attached_tables(sqlite3 *db, error_info_t *error) {
  allocator_t memory = {0};
  save_tables_t tables = {0};
  bool ok = save_execute_statement(db, error, "DROP VIEW IF EXISTS save.entity_components") &&
            save_read_checksums(db, "save", &memory, &tables, error);
  if (ok && tables.count > 0)
    qsort(tables.items, tables.count, sizeof *tables.items, compare_lengths);
  for (uint32_t i = 0; ok && i < tables.count; ++i)
    ok = save_execute_statement(db, error, "ALTER TABLE save.\"%w\" RENAME TO \"old_%w\"", tables.items[i].name.text,
                                tables.items[i].name.text);
  array_free(&memory, &tables);
  return ok;
}

bool sql_attach_save(sql_o *s, const save_bytes_t *save, error_info_t *error) {
  shoal_assert(!s->running, "%s cannot be attached during a query", save->name);
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

// --- the declarations of a save

// Sets the layer names of the built-in components to the layer names in the save.
static void set_layers(world_o *w, const state_view_t *view, schema_buffer_t *buffer) {
  for (uint32_t i = 0; i < view->component_count; ++i) {
    state_get_schema(&view->components[i], buffer);
    const manager_o *m = world_find_manager(w, buffer->schema.name);
    for (uint32_t k = 0; m && k < buffer->schema.field_count; ++k)
      if (bit_names_exist(&buffer->fields[k]) && bit_names_apply_to(&m->schema, &buffer->fields[k])) {
        world_set_layers(w, buffer->fields[k].choices, buffer->fields[k].choice_count);
        return;
      }
  }
}

// Renames a built-in component NAME to "shoal.NAME" if the save's game declares its own component NAME. Returns true on
// success, or false with an error if the save's list of components cannot be read.
static bool release_names(sqlite3 *db, world_o *w, error_info_t *error) {
  bool ok = true;
  for (uint32_t i = 1; ok && i <= world_manager_count(w); ++i) {
    char name[COMPONENT_NAME_MAX + 6];
    int64_t count = 0;
    const schema_t *schema = &world_manager(w, i)->schema;
    if (strcmp(schema->origin, "C") != 0 || strncmp(schema->name, "shoal.", 6) == 0)
      continue;
    snprintf(name, sizeof name, "shoal.%s", schema->name);
    ok = save_read_number(db, 0, &count, error,
                          "SELECT count(*) FROM save.components WHERE name = %Q AND origin NOT IN ('C', 'kept')",
                          schema->name);
    if (count > 0 && strlen(name) < COMPONENT_NAME_MAX && !world_find_manager(w, name))
      world_rename_manager(w, i, name);
  }
  return ok;
}

// Hides the fields without a column in the save's table. Needed for saves of older versions, which list no flags.
static void hide_fields(sqlite3 *db, schema_t *schema, const char *table) {
  for (uint32_t i = 0; table && i < schema->field_count; ++i) {
    char column[FIELD_NAME_MAX];
    snprintf(column, sizeof column, "%s", schema->fields[i].name);
    for (char *dot = column; (dot = strchr(dot, '.')) != NULL;)
      *dot = '_';
    if (!(schema->fields[i].flags & FIELD_IS_OF_LIST) && !save_has_column(db, "save", table, column))
      schema->fields[i].flags |= FIELD_HIDDEN;
  }
}

// Completes the schema with the origin and description from the save's list of components, and hides fields in saves of
// older versions. Returns true on success, or false with an error.
static bool read_description(sqlite3 *db, schema_t *schema, allocator_t *a, error_info_t *error) {
  sqlite3_stmt *statement;
  int code = save_prepare_statement(
      db, &statement, "SELECT origin, description, table_name FROM save.components WHERE name = %Q", schema->name);
  code = code == SQLITE_OK ? sqlite3_step(statement) : code;
  if (code == SQLITE_ROW) {
    const char *origin = (const char *)sqlite3_column_text(statement, 0);
    if (origin && strcmp(origin, "C") != 0) // the origin "C" is reserved for the engine's components
      snprintf(schema->origin, sizeof schema->origin, "%s", origin);
    schema_set_doc(schema, a, (const char *)sqlite3_column_text(statement, 1));
    if (!save_fields_exist(db))
      hide_fields(db, schema, (const char *)sqlite3_column_text(statement, 2));
  }
  sqlite3_finalize(statement);
  return code == SQLITE_ROW || code == SQLITE_DONE || error_set(error, "components: %s", sqlite3_errmsg(db));
}

static bool declare_schema(sqlite3 *db, world_o *w, const state_rows_t *rows, schema_buffer_t *buffer,
                           error_info_t *error) {
  allocator_t memory = {0};
  schema_t *schema = &buffer->schema;
  state_get_schema(rows, buffer);
  bool is_event = schema->kind == SCHEMA_EVENT;
  if (is_event ? world_find_event(w, schema->name) != NULL : world_find_manager(w, schema->name) != NULL)
    return true;
  bool ok = (is_event || read_description(db, schema, &memory, error)) &&
            save_fields_read(db, schema, &memory, error) && world_declare_schema(w, schema, error);
  save_fields_free(schema, &memory);
  schema_set_doc(schema, &memory, NULL);
  return ok;
}

// Declares the components, events and assemblages of the save, in addition to the built-in components. Returns true on
// success, or false with an error.
static bool declare_contents(sqlite3 *db, world_o *w, const save_tables_t *tables, const state_view_t *view,
                             error_info_t *error) {
  allocator_t memory = {0};
  schema_buffer_t *buffer = alloc_resize(&memory, NULL, 0, sizeof *buffer); // the buffer is too large for the stack
  bool ok = release_names(db, w, error);
  set_layers(w, view, buffer);
  for (uint32_t i = 0; ok && i < view->component_count; ++i)
    ok = declare_schema(db, w, &view->components[i], buffer, error);
  for (uint32_t i = 0; ok && i < view->event_count; ++i)
    ok = declare_schema(db, w, &view->event_rows[i], buffer, error);
  alloc_resize(&memory, buffer, sizeof *buffer, 0);
  ok = ok && save_assemblages_declare(db, w, tables, error);
  for (uint32_t i = 0; ok && i < view->assemblage_count; ++i) { // saves of older versions contain only the names
    size_t length;
    const char *name = state_text(view, view->assemblage_names[i], &length);
    if (length > 0)
      world_assemblage_declare(w, strings_intern(world_strings(w), name));
  }
  return ok;
}

static void read_assemblage_docs(sqlite3 *db, world_o *w) {
  sqlite3_stmt *statement;
  int code = save_prepare_statement(db, &statement, "SELECT name, description FROM save.assemblages");
  while (code == SQLITE_OK || code == SQLITE_ROW)
    if ((code = sqlite3_step(statement)) == SQLITE_ROW) {
      const char *name = (const char *)sqlite3_column_text(statement, 0);
      uint32_t number = name ? world_find_assemblage(w, strings_find(world_strings(w), name)) : 0;
      if (number != 0)
        world_assemblage_set_doc(w, number, (const char *)sqlite3_column_text(statement, 1));
    }
  sqlite3_finalize(statement);
}

static void log_migrated(void *context, const char *line) {
  log_info(world_log(context), "migrated an older save: %s", line);
}

// Declares the contents of the open save in the file's world, and installs the saved state. The state is converted only
// where the engine's built-in components have changed since. Returns true on success, or false with an error.
static bool restore_world(save_file_o *f, const save_tables_t *tables, const snapshot_o *snapshot,
                          error_info_t *error) {
  error_info_t reason = {0};
  schema_migrate_desc_t migrate_desc = {.log_line = log_migrated, .log_context = f->world};
  state_view_t *view = state_open(snapshot, &f->memory, &reason);
  content_attach(f->world);
  if (view)
    world_track_touched_fields(f->world, view->info->tracked);
  bool ok = view && declare_contents(f->sql->db, f->world, tables, view, &reason) &&
            state_migrate(view, f->world, &migrate_desc, &reason) &&
            state_install(view, f->world, &(state_install_desc_t){.keep_marks = true}, &reason);
  state_close(view);
  if (ok && f->writable && !save_fields_exist(f->sql->db))
    log_warn(world_log(f->world),
             "%s: an older version wrote this save without defaults and ranges: INSERT sets omitted fields to 0: to "
             "add them, load the save in its game and save it again",
             f->path);
  if (ok)
    read_assemblage_docs(f->sql->db, f->world);
  return ok || error_set(error, "%s: %.900s", f->path, reason.text);
}

// --- data outside the world

// Reads the data outside the world (game, add-ons, kept components, migrations) that must be written to the file again.
// Returns true on success, or false with an error.
static bool read_meta(save_file_o *f, const save_tables_t *tables, const snapshot_o *snapshot, error_info_t *error) {
  sqlite3 *db = f->sql->db;
  addon_list_t addons = {0}, dropped = {0};
  sqlite3_stmt *statement;
  const char *game = save_read_meta(db, &statement, "game");
  bool ok = (game && strlen(game) < sizeof f->game) || error_set(error, "the name of the game is missing");
  snprintf(f->game, sizeof f->game, "%s", ok ? game : "");
  sqlite3_finalize(statement);
  unknown_components_set_arithmetic(f->unknown_components, save_read_meta(db, &statement, "arithmetic"));
  sqlite3_finalize(statement);
  ok = ok && save_addons_read(db, &addons, error) &&
       unknown_components_fill(f->unknown_components, f->sql, tables, snapshot, &dropped, error) &&
       unknown_components_read_migrations(f->unknown_components, db, error);
  unknown_components_set_addons(f->unknown_components, &addons);
  return ok;
}

static bool is_kept_table(sqlite3 *db, const char *table) {
  int64_t count = 0;
  return save_read_number(db, 0, &count, NULL,
                          "SELECT count(*) FROM save.components WHERE table_name = %Q AND origin = 'kept'", table) &&
         count > 0;
}

// Removes the file's tables, because unqualified names would resolve to them instead of the world's tables. Keeps only
// `meta`, the kept components, and their list, which becomes `kept_components`. Returns true on success, or false with
// an error.
static bool drop_world_tables(sqlite3 *db, const save_tables_t *tables, error_info_t *error) {
  bool ok = save_execute_statement(db, error, "DETACH kept") &&
            save_execute_statement(db, error, "DROP VIEW IF EXISTS save.entity_components") &&
            save_execute_statement(db, error, "DROP TABLE save.checksums");
  for (uint32_t i = 0; ok && i < tables->count; ++i) {
    const char *name = tables->items[i].name.text;
    if (strcmp(name, "meta") != 0 && strcmp(name, "components") != 0 && !is_kept_table(db, name))
      ok = save_execute_statement(db, error, "DROP TABLE save.\"%w\"", name);
  }
  return ok && save_execute_statement(db, error, "DELETE FROM save.components WHERE origin <> 'kept'") &&
         save_execute_statement(db, error, "ALTER TABLE save.components RENAME TO kept_components");
}

// --- saves opened as a world of their own

// Finds the tables of the open save that a different program has edited, applies the edits to the world, and checks
// that the world then equals the tables. Returns true on success, or false with an error if the world rejects an edit.
static bool apply_edits(save_file_o *f, const save_tables_t *tables, error_info_t *error) {
  for (uint32_t i = 0; i < tables->count; ++i)
    if (save_is_edited(&tables->items[i])) {
      if (!save_apply_edits(f->sql, tables->items[i].name.text, error))
        return false;
      f->has_changes = true;
    }
  for (uint32_t i = 0; i < tables->count && f->has_changes; ++i)
    if (!save_check_edits(f->sql, tables->items[i].name.text, error))
      return false;
  return true;
}

static bool open_contents(save_file_o *f, const save_bytes_t *bytes, bool accepts_edits, save_tables_t *tables,
                          snapshot_o *snapshot, error_info_t *error) {
  sql_o *s = f->sql;
  error_info_t reason = {0};
  bool ok = save_execute_statement(s->db, error, "ATTACH ':memory:' AS save") &&
            save_load_bytes(s->db, "save", bytes, true, error);
  if (ok && !save_read_checksums(s->db, "save", &f->memory, tables, &reason))
    ok = error_set(error, "%s is damaged: %.900s", f->path, reason.text);
  if (!ok || !save_check_tables(s->db, tables, f->path, accepts_edits, error) ||
      !save_read_state(s->db, snapshot, f->path, error) || !restore_world(f, tables, snapshot, error))
    return false;
  ok = sql_prepare_tables(s, &reason) && apply_edits(f, tables, &reason) && read_meta(f, tables, snapshot, &reason) &&
       drop_world_tables(s->db, tables, &reason);
  return ok || error_set(error, "%s: %.900s", f->path, reason.text);
}

static bool open_file(save_file_o *f, bool accepts_edits, error_info_t *error) {
  allocator_t file_memory = {0};
  save_tables_t tables = {0};
  size_t size = 0;
  char *bytes = file_read(&file_memory, f->path, &size, error);
  snapshot_o *snapshot = snapshot_create(&f->memory);
  bool ok = bytes && sql_prepare_tables(f->sql, error);
  f->sql->declaring = f->sql->writing = true;
  ok = ok && open_contents(f, &(save_bytes_t){.name = f->path, .bytes = bytes, .size = size}, accepts_edits, &tables,
                           snapshot, error);
  f->sql->declaring = f->sql->writing = false;
  array_free(&f->memory, &tables);
  snapshot_release(snapshot);
  file_free(&file_memory, bytes, size);
  return ok;
}

void save_file_discard(save_file_o *f) {
  sql_destroy(f->sql);
  unknown_components_destroy(f->unknown_components);
  allocator_t memory = f->memory;
  alloc_resize(&memory, f, sizeof *f, 0);
  shoal_assert(memory.bytes == 0, "a save file leaked %zu bytes", memory.bytes);
}

save_file_o *save_file_open(const save_file_desc_t *desc, error_info_t *error) {
  shoal_assert(desc->path && desc->world, "the path and the world must not be NULL");
  allocator_t memory = {0};
  save_file_o *f = alloc_resize(&memory, NULL, 0, sizeof *f);
  *f = (save_file_o){.memory = memory, .world = desc->world, .writable = desc->writable};
  snprintf(f->path, sizeof f->path, "%s", desc->path);
  f->sql = sql_create(&(sql_desc_t){.world = desc->world, .is_save = true});
  f->unknown_components = unknown_components_create();
  if (open_file(f, desc->accepts_edits, error))
    return f;
  save_file_discard(f);
  return NULL;
}

bool save_file_sql(save_file_o *f, const sql_run_desc_t *desc, sql_result_t *out, error_info_t *error) {
  shoal_assert(f && desc && out, "f, desc and out must not be NULL");
  if (!sql_run_statement(f->sql, desc, out, error))
    return false;
  shoal_assert(f->writable || out->changed_rows == 0, "%llu rows of a read-only save were changed",
               (unsigned long long)out->changed_rows);
  f->has_changes |= out->changed_rows > 0;
  return true;
}

bool save_file_close(save_file_o *f, error_info_t *error) {
  bool ok = !f->has_changes || !f->writable || save_write(f->world, f->game, f->path, f->unknown_components, error);
  save_file_discard(f);
  return ok;
}
