// Saves: worlds stored as SQLite files, which are readable with the sqlite3 shell.
//
// | table                   | holds                                                                                   |
// |-------------------------|-----------------------------------------------------------------------------------------|
// | meta                    | key, value: format, game, tick, tick_rate, arithmetic (base/exact_math.h),              |
// |                         | migrations (names, one per line), addons (name and version, one per line)               |
// | components, entities, … | as in a live world (sql/sql.h); also assemblages, assemblage_components, events         |
// | entity_components       | the same, as a view of the component tables                                             |
// | component or singleton  | one table each: component_data_id (its row), then its columns as in a live world        |
// | assemblage_defaults     | assemblage, state, component, instance, field, value: all templates; rows without       |
// |                         | assemblage are defaults of singletons                                                   |
// | assemblage_children     | assemblage, name, child (its assemblage)                                                |
// | state                   | the exact world as a snapshot (snapshot/snapshot.h): row order, free ids, hidden data   |
// | fields                  | kind, name, field, property, value: defaults, ranges and flags of the game's            |
// |                         | declarations, which the state does not contain                                          |
// | checksums               | name, saved: XXH3 of each table's column names and rows                                 |
//
// A world is restored from `state`. The other tables present the same data in readable form. A file with modified
// tables is rejected with an error that names the tables. `./shoal sql FILE` restores the save's own world, runs its
// statements there, as in a running game (sql/sql.h), and writes the file again.
//
// A save is written to a temporary file in the same folder, which is synced and renamed. After a crash, the file is
// therefore either the old or the new save.
#ifndef SHOAL_STORE_SAVE_H
#define SHOAL_STORE_SAVE_H

#include "ecs/world.h"
#include "migrate/saved_assemblages.h"
#include "migrate/schema_migrate.h"
#include "snapshot/snapshot.h"
#include "sql/sql.h"
#include "store/addon_list.h"

#define SAVE_MIN_FORMAT 1u
#define SAVE_FORMAT 2u // newest save format, in which the state is stored as runs (store/state_runs.h)

// Data outside the world that each save contains: the components that the game does not have, the names of migrations
// already applied to the world, and the game's add-ons. Each save contains these components again, so a later version
// of the game that declares them gets their values. Each world has its own object; NULL: no data is kept.
typedef struct unknown_components_o unknown_components_o;
unknown_components_o *unknown_components_create(void);
void unknown_components_destroy(unknown_components_o *unknown);
bool unknown_components_has_migration(const unknown_components_o *unknown, const char *name);
// Sets the function that runs `migrate` for components of older saves (migrate/schema_migrate.h). Without this
// function, saves that need a migration are rejected.
void unknown_components_set_migrate(unknown_components_o *unknown, schema_migrate_run_t migrate, void *context);
// Adds the name of a migration that was applied to the world, unless it is already listed. Returns true on success, or
// false if the names would exceed 16 KB in total.
bool unknown_components_add_migration(unknown_components_o *unknown, const char *name);
// Sets the game's add-ons (copied). A save that contains parts of add-ons that the list lacks is rejected
// (save_bytes_t).
void unknown_components_set_addons(unknown_components_o *unknown, const addon_list_t *addons);
const addon_list_t *unknown_components_addons(const unknown_components_o *unknown);

// Writes a save. Call between two ticks. `game` is the name of the game that can load the save. Returns true on
// success. On failure, returns false with an error, and leaves an existing file unchanged.
bool save_write(world_o *w, const char *game, const char *path, const unknown_components_o *unknown_components,
                error_info_t *error);

// Restores a save. Call between two ticks. Converts saves of earlier versions of the game (migrate/schema_migrate.h).
// Returns true on success. On failure, returns false with an error, and leaves the world unchanged. Safe for untrusted
// files.
bool save_read(world_o *w, const char *game, const char *path, unknown_components_o *unknown_components,
               error_info_t *error);

// Content of a save file. `name` is used in messages. Borrowed.
typedef struct save_bytes_t {
  const char *name;
  const void *bytes;
  size_t size;
  uint32_t budget_ms; // limit of the thread's CPU time for reading, in ms; 0: no limit
  // Receives the previous world, so that the caller can undo a load that fails later. Owned by the caller; may be NULL.
  snapshot_o *previous_world;
  // Receives the save's assemblages, to be merged and destroyed by the caller (migrate/saved_assemblages.h), or NULL
  // after a failure. If the member is NULL, loaded entities do not follow edited assemblages.
  saved_assemblages_o **assemblages;
  // Add-ons to drop if the game lacks them. Their components and singletons, and the entities of their assemblages, are
  // not loaded. May be NULL. With `drops_missing_addons`, all add-ons that the game lacks are dropped.
  const addon_list_t *drop_addons;
  bool drops_missing_addons;
  bool keeps_components; // true if components that the world lacks are declared (state_declare_missing)
} save_bytes_t;
// Like save_read, for a save in memory.
bool save_read_bytes(world_o *w, const char *game, const save_bytes_t *save, unknown_components_o *unknown_components,
                     error_info_t *error);

// Makes the tables of a save available to queries on a live world, read-only, as old_NAME, until sql_detach_save.
// Returns true on success, or false with an error if the save cannot be read.
bool sql_attach_save(sql_o *s, const save_bytes_t *save, error_info_t *error);
void sql_detach_save(sql_o *s);

typedef struct save_file_o save_file_o;
typedef struct save_file_desc_t {
  const char *path;
  // Receives the save's declarations and contents: a new world that has only the built-in components, without entities.
  // Borrowed until the file is closed.
  world_o *world;
  bool writable; // true if save_file_sql may change the world, which save_file_close then writes to the file
  // True if edits that a different program has made to the tables are applied. Otherwise, such a file is rejected.
  bool accepts_edits;
} save_file_desc_t;
// Opens a save of any game, without the game. Returns the save. Returns NULL with an error if the file cannot be read,
// is not an intact save, was edited although `accepts_edits` is false, or contains edits that the world rejects.
save_file_o *save_file_open(const save_file_desc_t *desc, error_info_t *error);
// Runs a statement on the save's world, exactly as in a running game. The statement can also read `meta` and the tables
// of kept components. Returns true on success, or false with an error.
bool save_file_sql(save_file_o *f, const sql_run_desc_t *desc, sql_result_t *out, error_info_t *error);
// Writes changes, if any, and closes the file. Returns true on success. On failure, returns false with an error, and
// leaves the file unchanged.
bool save_file_close(save_file_o *f, error_info_t *error);
// Closes the file without writing.
void save_file_discard(save_file_o *f);

#endif
