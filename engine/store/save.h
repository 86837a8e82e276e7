// Saves: a world as one SQLite file, which the sqlite3 shell reads.
//
// | table                       | holds                                                                               |
// |-----------------------------|-------------------------------------------------------------------------------------|
// | meta                        | key, value: format, game, tick, tick_rate, arithmetic (base/exact_math.h),          |
// |                             | migrations (names, a line each)                                                     |
// | components, entities, …     | as over a live world (sql/sql.h); assemblages, assemblage_components, events too  |
// | entity_components           | the same, as a view of the components' tables                                       |
// | one per component or single | component_data_id (its row), then the columns that it has over a live world         |
// | state                       | the world exactly, as a snapshot (snapshot/snapshot.h): row order, free ids, hidden ones |
// | checksums                   | name, saved, accepted: XXH3 over each table's rows; `accepted` follows save_file_sql |
//
// A world comes back from `state`; the other tables say the same in words. A file whose tables are not those that
// were saved is refused and the tables are named. When the changes are accepted, they are carried out on the restored
// world as SQL's writes (sql/sql.h), so they obey types and references; what then still differs (a field that the
// host keeps) is refused.
//
// Writing goes to a temporary file beside it, which is synced and renamed: at any moment the file is the old save or
// the new one.
#ifndef SHOAL_STORE_SAVE_H
#define SHOAL_STORE_SAVE_H

#include "ecs/world.h"
#include "migrate/schema_migrate.h"
#include "snapshot/snapshot.h"
#include "sql/sql.h"

#define SAVE_FORMAT 1u

// What goes from save to save beside the world. Components of a save that the game does not have are kept aside as
// they are, and are part of the next save; a later version of the game that has them again gets their values. And the
// names of the migrations that the world has been through. One attic per world; NULL keeps nothing.
typedef struct save_unknowns_o save_unknowns_o;
save_unknowns_o *save_unknowns_create(void);
void save_unknowns_destroy(save_unknowns_o *attic);
bool save_unknowns_has_migration(const save_unknowns_o *attic, const char *name);
// Who runs the `migrate` of components of an older save (migrate/schema_migrate.h); without, what needs one is refused.
void save_unknowns_set_migrate(save_unknowns_o *attic, schema_migrate_run_t migrate, void *context);
// False when there are too many (16 KB of names).
bool save_unknowns_add_migration(save_unknowns_o *attic, const char *name);

// Between two ticks. `game` names the game that can load it. False with a message; then an older file is as it was.
bool save_write(world_o *w, const char *game, const char *path, const save_unknowns_o *attic, error_t *error);

// Between two ticks. False with a message; then the world is as it was. Safe for any file. A save of an earlier
// version of the game is converted (migrate/schema_migrate.h).
bool save_read(world_o *w, const char *game, const char *path, bool accept_edits, save_unknowns_o *attic,
               error_t *error);

// The content of a save's file; `name` stands for it in messages. Borrowed.
typedef struct save_bytes_t {
  const char *name;
  const void *bytes;
  size_t size;
  uint32_t budget_ms; // of the thread's time that reading it may take; 0: no end
  snapshot_o
      *before; // caller's, filled with the world as it was, for undoing a load that fails later; NULL: not needed
} save_bytes_t;
bool save_read_bytes(world_o *w, const char *game, const save_bytes_t *save, bool accept_edits, save_unknowns_o *attic,
                     error_t *error); // the same from memory

// Puts the tables of a save beside those of a live world, for reading, as old_NAME; until sql_detach_save.
bool sql_attach_save(sql_o *s, const save_bytes_t *save, error_t *error);
void sql_detach_save(sql_o *s);

typedef struct save_file_o save_file_o;
// A save as a file, whatever game it is of. With `write` the checksums of the tables of components, singles and
// entities follow what save_file_sql changes; nothing else may be changed. NULL with a message: also when it has been
// changed otherwise.
save_file_o *save_file_open(const char *path, bool write, error_t *error);
bool save_file_sql(save_file_o *f, const sql_ask_t *ask, sql_result_t *out, error_t *error);
// Keeps what was written, if anything. False with a message; then nothing was.
bool save_file_close(save_file_o *f, error_t *error);
// The file stays as it is, whatever was asked.
void save_file_drop(save_file_o *f);

#endif
