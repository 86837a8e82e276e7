// Writes and reads the tables with the game's assemblages and defaults. With them, a load can apply later edits of
// assemblages to the saved entities (migrate/saved_assemblages.h).
#include "store/save_internal.h"

#include "base/assert.h"
#include "ecs/assemblage_inspect.h"

#include <math.h>
#include <string.h>

#define DEFAULTS SAVE_DEFAULTS_TABLE
#define CHILDREN SAVE_CHILDREN_TABLE

// --- writing

typedef struct writer_t {
  sqlite3 *db;
  const strings_o *strings;
  sqlite3_stmt *insert; // inserts a row into DEFAULTS
  bool ok;
} writer_t;

static void bind_id(writer_t *writer, int parameter, uint32_t id) {
  if (id == 0)
    sqlite3_bind_null(writer->insert, parameter);
  else
    sqlite3_bind_text(writer->insert, parameter, strings_text(writer->strings, id),
                      (int)strings_length(writer->strings, id), SQLITE_TRANSIENT);
}

static void bind_value(writer_t *writer, const field_t *field, double value) {
  if (field_is_text(field))
    bind_id(writer, 6, (uint32_t)value);
  else if (field->type == FIELD_ENUM)
    sqlite3_bind_text(writer->insert, 6, field_choice(field, (uint32_t)value), -1, SQLITE_TRANSIENT);
  else
    sqlite3_bind_double(writer->insert, 6, value); // SQLite stores NaN as NULL
}

static void step_row(writer_t *writer) {
  writer->ok &= sqlite3_step(writer->insert) == SQLITE_DONE;
  sqlite3_reset(writer->insert);
}

// Inserts one row per field, or a single row if the component has no fields.
static void write_component(writer_t *writer, const schema_t *schema, const double *values) {
  sqlite3_bind_text(writer->insert, 3, schema->name, -1, SQLITE_TRANSIENT);
  for (uint32_t i = 0; i < schema->field_count; ++i) {
    sqlite3_bind_text(writer->insert, 5, schema->fields[i].name, -1, SQLITE_TRANSIENT);
    bind_value(writer, &schema->fields[i], values[i]);
    step_row(writer);
  }
  sqlite3_bind_null(writer->insert, 5);
  sqlite3_bind_null(writer->insert, 6);
  if (schema->field_count == 0)
    step_row(writer);
}

// Writes the rows of an assemblage: first the assemblage and its states, in order, then the components of the
// assemblage and of each state.
static void write_assemblage(writer_t *writer, world_o *w, uint32_t number) {
  assemblage_part_t part;
  bind_id(writer, 1, world_assemblage_name(w, number));
  step_row(writer);
  for (uint32_t i = 0, state; (state = world_assemblage_state_name(w, number, i)) != 0; ++i) {
    bind_id(writer, 2, state);
    step_row(writer);
  }
  for (uint32_t i = 0; world_assemblage_get_part(w, number, i, &part); ++i) {
    bind_id(writer, 2, part.state);
    bind_id(writer, 4, part.instance);
    write_component(writer, &world_manager(w, part.manager)->schema, part.values);
  }
  sqlite3_clear_bindings(writer->insert);
}

static bool write_children(sqlite3 *db, world_o *w, uint32_t number, error_info_t *error) {
  const strings_o *s = world_strings(w);
  bool ok = true;
  for (uint32_t i = 0, child; ok && (child = world_assemblage_child_number(w, number, i)) != 0; ++i)
    ok = save_execute_statement(db, error, "INSERT INTO save." CHILDREN " VALUES (%Q, %Q, %Q)",
                                strings_text(s, world_assemblage_name(w, number)),
                                strings_text(s, world_assemblage_child_name(w, number, i)),
                                strings_text(s, world_assemblage_name(w, child)));
  return ok;
}

bool save_assemblages_write(sqlite3 *db, world_o *w, error_info_t *error) {
  writer_t writer = {.db = db, .strings = world_strings(w), .ok = true};
  bool ok = save_execute_statement(db, error,
                                   "CREATE TABLE save." DEFAULTS
                                   "(assemblage TEXT, state TEXT, component TEXT, instance TEXT, "
                                   "field TEXT, value)") &&
            save_execute_statement(db, error, "CREATE TABLE save." CHILDREN "(assemblage TEXT, name TEXT, child TEXT)");
  if (!ok)
    return false;
  if (save_prepare_statement(db, &writer.insert, "INSERT INTO save." DEFAULTS " VALUES (?, ?, ?, ?, ?, ?)") !=
      SQLITE_OK)
    return error_set(error, "%s", sqlite3_errmsg(db));
  for (uint32_t i = 1; i <= world_assemblage_count(w) && ok; ++i)
    if (!world_assemblage_is_retired(w, i)) {
      write_assemblage(&writer, w, i);
      ok = write_children(db, w, i, error);
    }
  for (uint32_t i = 1; i <= world_manager_count(w); ++i)
    if (world_manager(w, i)->schema.kind == SCHEMA_SINGLE)
      write_component(&writer, &world_manager(w, i)->schema, world_manager(w, i)->columns.initial);
  if (ok && !writer.ok)
    ok = error_set(error, "%s", sqlite3_errmsg(db));
  sqlite3_finalize(writer.insert);
  return ok;
}

// --- reading

static const char *get_text_or_empty(sqlite3_stmt *statement, int i) {
  const char *text = (const char *)sqlite3_column_text(statement, i);
  return text ? text : "";
}

static double get_number(sqlite3_stmt *statement, int i) {
  return sqlite3_column_type(statement, i) == SQLITE_NULL ? NAN : sqlite3_column_double(statement, i);
}

static void read_row(sqlite3_stmt *statement, strings_o *strings, saved_assemblages_o *out) {
  saved_default_t entry = {.component = get_text_or_empty(statement, 2), .instance = get_text_or_empty(statement, 3)};
  const char *state = get_text_or_empty(statement, 1);
  entry.assemblage = saved_assemblages_add(out, get_text_or_empty(statement, 0));
  entry.state = state[0] ? strings_intern(strings, state) : 0;
  saved_assemblages_add_state(out, entry.assemblage, entry.state);
  if (!entry.component[0])
    return;
  entry.field = (const char *)sqlite3_column_text(statement, 4);
  entry.number = get_number(statement, 5);
  // Reads the text last, because sqlite3_column_text converts the value.
  entry.text = (const char *)sqlite3_column_text(statement, 5);
  saved_assemblages_add_default(out, &entry);
}

static bool read_rows(sqlite3 *db, world_o *w, const char *columns, const char *table, saved_assemblages_o *out,
                      void (*read)(sqlite3_stmt *, strings_o *, saved_assemblages_o *), error_info_t *error) {
  sqlite3_stmt *statement;
  int code = save_prepare_statement(db, &statement, "SELECT %s FROM save.\"%w\" ORDER BY rowid", columns, table);
  while (code == SQLITE_OK || code == SQLITE_ROW)
    if ((code = sqlite3_step(statement)) == SQLITE_ROW)
      read(statement, world_strings(w), out);
  bool ok = code == SQLITE_DONE || error_set(error, "cannot read the assemblages: %s", sqlite3_errmsg(db));
  sqlite3_finalize(statement);
  return ok;
}

static void read_child(sqlite3_stmt *statement, strings_o *strings, saved_assemblages_o *out) {
  (void)strings;
  uint32_t assemblage = saved_assemblages_add(out, get_text_or_empty(statement, 0));
  saved_assemblages_add_child(out, assemblage, get_text_or_empty(statement, 1), get_text_or_empty(statement, 2));
}

static bool read_tables(sqlite3 *db, world_o *w, saved_assemblages_o *out, error_info_t *error) {
  return read_rows(db, w, "assemblage, state, component, instance, field, value", DEFAULTS, out, read_row, error) &&
         read_rows(db, w, "assemblage, name, child", CHILDREN, out, read_child, error);
}

bool save_assemblages_read(sqlite3 *db, world_o *w, const save_tables_t *tables, saved_assemblages_o *out,
                           error_info_t *error) {
  saved_assemblages_attach(out, w);
  if (save_has_assemblages(tables))
    return read_tables(db, w, out, error);
  saved_assemblages_assume_empty(out);
  return true;
}

bool save_assemblages_declare(sqlite3 *db, world_o *w, const save_tables_t *tables, error_info_t *error) {
  saved_assemblages_o *list = saved_assemblages_create_in(w);
  bool ok = !save_has_assemblages(tables) || read_tables(db, w, list, error);
  saved_assemblages_destroy(list);
  return ok;
}

bool save_has_assemblages(const save_tables_t *tables) {
  return save_is_table_listed(tables, DEFAULTS) && save_is_table_listed(tables, CHILDREN);
}
