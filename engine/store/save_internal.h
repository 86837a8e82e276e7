// What the files of saves share: save.c writes and reads worlds, save_edits.c carries out changes that somebody made
// to the tables, save_unknowns.c keeps components that the game lacks, save_file.c asks a save without a world. Private
// to this room.
#ifndef SHOAL_STORE_SAVE_INTERNAL_H
#define SHOAL_STORE_SAVE_INTERNAL_H

#include "store/save.h"
#include "sql/sql_internal.h"

#define SAVE_APPLICATION 0x53484f4c // "SHOL" in SQLite's header

// A table that is listed in `checksums`.
typedef struct save_table_t {
  table_name_t name;
  uint64_t saved, accepted, actual;
} save_table_t;

typedef ARRAY(save_table_t) save_tables_t;

// Formats (as sqlite3_mprintf) and prepares a statement. An SQLite code; `out` is NULL where it is not SQLITE_OK.
int save_prepare(sqlite3 *db, sqlite3_stmt **out, const char *format, ...);
// What the save that is attached says of itself; NULL when it does not. Borrowed from the statement.
const char *save_meta(sqlite3 *db, sqlite3_stmt **statement, const char *key);
// Formats, runs and drops a statement. False with a message.
bool save_run(sqlite3 *db, error_t *error, const char *format, ...);
// The first column of the first row; `otherwise` when there is no row. False with a message.
bool save_number(sqlite3 *db, int64_t otherwise, int64_t *out, error_t *error, const char *format, ...);

// The content of a file in place of the database `schema`, in memory. Checked: it is a save of this format, and sound
// as a database.
bool save_load_bytes(sqlite3 *db, const char *schema, const save_bytes_t *save, bool write, error_t *error);
// If reading was stopped, `error` says so, in place of what SQLite made of it.
void save_say_stopped(const sql_o *s, const save_bytes_t *save, error_t *error);
// XXH3 over the rows of a table. False when it is no table.
bool save_checksum(sqlite3 *db, const char *schema, const char *table, uint64_t *out, error_t *error);
bool save_read_checksums(sqlite3 *db, const char *schema, allocator_t *a, save_tables_t *out, error_t *error);
bool save_store(sqlite3 *db, const char *schema, const char *path, error_t *error);

// Differs from what it was when it was saved.
static inline bool save_is_edited(const save_table_t *t) {
  return t->actual != t->saved;
}

bool save_is_listed(const save_tables_t *tables, const char *name);
// The table of the world with this name; NULL if it has none.
const table_t *save_find_table(const sql_o *s, const char *name);

// Carries the differences of one table out on the world, which is as it was saved.
bool save_take_edits(sql_o *s, const char *table, error_t *error);
// Asked after them, of every table: does the world say what the file says?
bool save_check_edits(sql_o *s, const char *table, error_t *error);
// One statement that writes into the world, applied whole or not at all. `text` is sqlite3_mprintf's and is freed.
bool save_change(sql_o *s, char *text, error_t *error);

// --- save_unknowns.c. `tables` are those that the checksums of the open save vouch for.
schema_migrate_run_t save_unknowns_migrate(const save_unknowns_o *attic, void **context); // NULL for none
save_unknowns_o *save_unknowns_copy(const save_unknowns_o *attic);
const char *save_unknowns_migrations(const save_unknowns_o *attic);
bool save_unknowns_read_migrations(save_unknowns_o *attic, sqlite3 *db, error_t *error);
bool save_unknowns_fill(save_unknowns_o *attic, sql_o *s, const save_tables_t *tables, error_t *error);
bool save_unknowns_give_back(sql_o *s, const save_tables_t *tables, error_t *error);
// Inside the transaction of a save, with `attic` attached; `written` is told of every table.
bool save_unknowns_write(const save_unknowns_o *attic, sql_o *s, bool (*written)(sqlite3 *, const char *, error_t *),
                         error_t *error);

#endif
