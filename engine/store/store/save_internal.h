// Shared by the files of saves: save.c writes and reads worlds, save_edits.c applies edits of other programs,
// unknown_components.c keeps components that the game lacks, save_fields.c stores declarations, save_file.c opens a
// save without its game, and save_statements.c executes SQL. Private to store.
#ifndef SHOAL_STORE_SAVE_INTERNAL_H
#define SHOAL_STORE_SAVE_INTERNAL_H

#include "store/save.h"
#include "sql/sql_internal.h"

#define SAVE_APPLICATION 0x53484f4c // application id in SQLite's header: "SHOL"

// A table listed in `checksums`.
typedef struct save_table_t {
  table_name_t name;
  uint64_t saved, actual;
} save_table_t;

typedef ARRAY(save_table_t) save_tables_t;

// --- save_statements.c
// Formats (like sqlite3_mprintf) and prepares a statement. Returns an SQLite result code. `out` is NULL unless the code
// is SQLITE_OK.
int save_prepare_statement(sqlite3 *db, sqlite3_stmt **out, const char *format, ...);
// Returns a value of the attached save's table `meta`, borrowed from the statement, or NULL if the key is missing.
const char *save_read_meta(sqlite3 *db, sqlite3_stmt **statement, const char *key);
bool save_has_column(sqlite3 *db, const char *schema, const char *table, const char *column);
// Formats and executes a statement. Returns true on success, or false with an error.
bool save_execute_statement(sqlite3 *db, error_info_t *error, const char *format, ...);
// Formats and executes a query. Stores the first column of its first row, or `default_value` if no row exists. Returns
// true on success, or false with an error.
bool save_read_number(sqlite3 *db, int64_t default_value, int64_t *out, error_info_t *error, const char *format, ...);
bool save_is_table_listed(const save_tables_t *tables, const char *name);

// --- save.c
// Loads a file's content as the in-memory database `schema`, then checks that it is a save of this format and an intact
// database. Returns true on success, or false with an error. The content may then already be loaded.
bool save_load_bytes(sqlite3 *db, const char *schema, const save_bytes_t *save, bool writable, error_info_t *error);
// If reading was interrupted, replaces SQLite's message in `error` with the reason.
void save_report_stop(const sql_o *s, const save_bytes_t *save, error_info_t *error);
// Computes XXH3 over the column names and rows of a table. Returns true on success, or false with an error if `table`
// is not a table or cannot be read.
bool save_compute_checksum(sqlite3 *db, const char *schema, const char *table, uint64_t *out, error_info_t *error);
// Reads the table `checksums` and computes the actual checksum of each table that it lists. `out` must be empty.
// Returns true on success, or false with an error.
bool save_read_checksums(sqlite3 *db, const char *schema, allocator_t *a, save_tables_t *out, error_info_t *error);
// Checks that the checksums of the open save match, and that the mandatory tables are listed. Returns true on success,
// or false with an error if a table is damaged or, unless `accepts_edits` is true, edited.
bool save_check_tables(sqlite3 *db, const save_tables_t *tables, const char *path, bool accepts_edits,
                       error_info_t *error);
// Reads the saved world. Returns true on success, or false with an error.
bool save_read_state(sqlite3 *db, snapshot_o *out, const char *path, error_info_t *error);
// Writes the database `schema` to a file. Returns true on success, or false with an error.
bool save_write_database(sqlite3 *db, const char *schema, const char *path, error_info_t *error);

// Returns true if the table was edited since it was saved.
static inline bool save_is_edited(const save_table_t *t) {
  return t->actual != t->saved;
}

// --- save_edits.c
// Returns the world's table with this name, or NULL if the world lacks it.
const table_t *save_find_table(const sql_o *s, const char *name);

// Applies the edits of one table to the world. Apart from previously applied edits of other tables, the world must
// equal the saved world. Returns true on success, or false with an error if the table is unknown or not editable, or if
// the world rejects an edit.
bool save_apply_edits(sql_o *s, const char *table, error_info_t *error);
// Returns true if a component's or singleton's table of the world equals the table of the file, or if `table` is of a
// different kind; otherwise false with an error. Call for every table after all edits have been applied.
bool save_check_edits(sql_o *s, const char *table, error_info_t *error);
// Executes one statement that changes the world, atomically. Frees `text`, which must come from sqlite3_mprintf.
// Returns true on success, or false with an error.
bool save_run_edit(sql_o *s, char *text, error_info_t *error);

// --- save_layers.c

// save_layers_write_names stores the layer names in a table of an undeclared component. save_layers_read_names converts
// them to bits when the component is declared. Both return true on success, or false with an error.
bool save_layers_write_names(sqlite3 *db, const char *schema, const char *table, const snapshot_o *snapshot,
                             const char *component, error_info_t *error);
bool save_layers_read_names(sqlite3 *db, const table_t *t, const char *table, error_info_t *error);

// --- save_fields.c
#define SAVE_FIELDS_TABLE "fields"
// Creates and fills the table in the database `save`. Returns true on success, or false with an error.
bool save_fields_write(sqlite3 *db, world_o *w, error_info_t *error);
// Returns true if the open save has the table. Saves of earlier versions lack it.
bool save_fields_exist(sqlite3 *db);
// Completes a schema of the save's state with the properties that the open save lists. `a` allocates defaults, which
// save_fields_free releases. Returns true on success, or false with an error.
bool save_fields_read(sqlite3 *db, schema_t *schema, allocator_t *a, error_info_t *error);
void save_fields_free(schema_t *schema, allocator_t *a);

// --- save_assemblages.c
#define SAVE_DEFAULTS_TABLE "assemblage_defaults"
#define SAVE_CHILDREN_TABLE "assemblage_children"
// Creates and fills both tables in the database `save`. Returns true on success, or false with an error.
bool save_assemblages_write(sqlite3 *db, world_o *w, error_info_t *error);
// Declares the assemblages of the open save in its own world, before the state is installed. Returns true on success,
// or false with an error.
bool save_assemblages_declare(sqlite3 *db, world_o *w, const save_tables_t *tables, error_info_t *error);
// Returns true if the save contains both tables. Saves of earlier versions lack them.
bool save_has_assemblages(const save_tables_t *tables);
// Attaches `out` to the loaded world, and reads both tables of the open save into `out`. If the save lacks the tables,
// assumes that its assemblages are empty. Returns true on success, or false with an error.
bool save_assemblages_read(sqlite3 *db, world_o *w, const save_tables_t *tables, saved_assemblages_o *out,
                           error_info_t *error);

// --- unknown_components.c. `tables` are the tables listed in the checksums of the open save.
// Returns the function that runs `migrate`, and stores its context. Returns NULL if no function is set.
schema_migrate_run_t unknown_components_get_migrate(const unknown_components_o *unknown, void **context);
// Sets the id of the math functions that saves record; NULL: saves record no id. Without this call, saves record the
// program's id. Used for a world that the program has loaded, but not simulated.
void unknown_components_set_arithmetic(unknown_components_o *unknown, const char *id);
const char *unknown_components_arithmetic(const unknown_components_o *unknown);
unknown_components_o *unknown_components_copy(const unknown_components_o *unknown);
const char *unknown_components_migrations(const unknown_components_o *unknown);
// Reads the names of the applied migrations from the open save. Returns true on success, or false with an error.
bool unknown_components_read_migrations(unknown_components_o *unknown, sqlite3 *db, error_info_t *error);
// Replaces the kept components with the components of the open save that the world does not declare, except components
// of the dropped add-ons. `snapshot`: the world of the save. Returns true on success, or false with an error.
bool unknown_components_fill(unknown_components_o *unknown, sql_o *s, const save_tables_t *tables,
                             const snapshot_o *snapshot, const addon_list_t *dropped, error_info_t *error);
// Restores the components that the open save has kept and that the world now declares. Returns true on success, or
// false with an error.
bool unknown_components_restore(sql_o *s, const save_tables_t *tables, error_info_t *error);
// Writes the kept components that the world does not declare into a save, and calls `finish_table` for each of their
// tables. Call inside the transaction of the save, with an attached database `kept`. Returns true on success, or false
// with an error.
bool unknown_components_write(const unknown_components_o *unknown, sql_o *s,
                              bool (*finish_table)(sqlite3 *, const char *, error_info_t *), error_info_t *error);

#endif
