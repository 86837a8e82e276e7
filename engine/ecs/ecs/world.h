// The world: everything the simulation depends on, in pointer-free buffers described by schemas. Several worlds can
// exist at the same time. Main thread only.
//
// Structural changes (spawn, destroy, add, remove, enter) between world_defer_begin and world_defer_end are commands:
// queued, then applied in order by world_defer_end, or dropped together if the system failed. Otherwise they apply
// immediately. Events emitted while deferring are queued the same way.
#ifndef SHOAL_ECS_WORLD_H
#define SHOAL_ECS_WORLD_H

#include "base/alloc.h"
#include "base/error.h"
#include "process/jobs.h"
#include "base/log.h"
#include "base/random.h"
#include "ecs/entity.h"
#include "ecs/event.h"
#include "ecs/manager.h"
#include "ecs/query.h"
#include "schema/schema_build.h"
#include "schema/strings.h"

#define WORLD_DEFAULT_TICK_RATE 60u // default tick rate in ticks per second

typedef struct world_desc_t {
  uint64_t seed;
  uint32_t tick_rate; // ticks per second (default: WORLD_DEFAULT_TICK_RATE)
  log_o *log;         // log for warnings of the world; borrowed
  jobs_o *jobs;       // job pool for parallel work; borrowed. NULL: only the calling thread works
} world_desc_t;

world_o *world_create(const world_desc_t *desc);
// Frees the world; accepts NULL. Asserts that everything allocated from world_allocator was freed.
void world_destroy(world_o *w);

// --- properties
// Returns the world's number, at least 1. No other world of the process has or had this number, although its address
// may be reused. Not part of the world's state.
uint64_t world_number(const world_o *w);
uint64_t world_tick(const world_o *w);
double world_dt_s(const world_o *w);
uint32_t world_tick_rate(const world_o *w);
void world_set_tick_rate(world_o *w, uint32_t rate);
entities_t *world_entities(world_o *w);
strings_o *world_strings(world_o *w);
random_t *world_random(world_o *w);
// Makes a field of a singleton a setting of this machine (FIELD_OF_MACHINE). Ignores unknown names.
void world_keep_on_machine(world_o *w, const char *component, const char *field);
// Sets the players whose views and sounds this machine presents, as a bit mask: bit 0 is player 1. 0, the default,
// selects all views. Not part of the world's state.
void world_set_view_players(world_o *w, uint32_t players);
uint32_t world_view_players(const world_o *w);
// Gives each system a separate random stream in each tick, seeded by the world's stream, the tick and the system's
// name. The number of draws in one system then does not affect any other system or later ticks. The world's stream is
// used outside of systems. For games that declare players.
void world_use_random_streams(world_o *w, bool enabled);
bool world_uses_random_streams(const world_o *w);
// Replace the world's stream with a system's stream, and switch back. Do nothing unless world_use_random_streams has
// enabled streams. Snapshots contain the world's stream.
void world_begin_random_stream(world_o *w, const char *system);
void world_end_random_stream(world_o *w);
allocator_t *world_allocator(world_o *w);
log_o *world_log(world_o *w);
jobs_o *world_jobs(const world_o *w); // returns the pool for parallel work on columns; NULL if single-threaded

// Ends the tick, in this order: drops the events of the previous tick, compares tracked components (changes.h), drops
// last values that no watcher needs, advances the tick counter, sweeps strings when due, and runs the pending task
// (world_set_after_tick_task). Must not be called while deferring.
void world_end_tick(world_o *w);

// A task for the end of the tick, when no commands are queued, such as restoring a state.
typedef struct world_task_t {
  void (*run)(void *context, world_o *w);
  // Called after `run`. Called without `run` if the task is replaced or cancelled (world_reset_after_interrupt), or if
  // the world is destroyed.
  void (*drop)(void *context);
  void *context;
} world_task_t;
void world_set_after_tick_task(world_o *w, const world_task_t *task); // replaces a pending task

// Enables marks: one flag per field of each row that stores whether the field was written since the row was spawned
// from its template. Edited assemblages leave marked values unchanged (migrate/world_migrate.h). Costs one byte per
// value and one more store per write. Call before creating a Lua state that writes to this world, because the state
// selects its write path once. Existing values start unmarked. Marks are not part of the hash.
void world_track_touched_fields(world_o *w, bool enabled);
bool world_tracks_touched_fields(const world_o *w);
// Returns the address of a flag that is not 0 if an entity field may have been written since the flag was last cleared.
// Code that follows entity fields (the transform hierarchy) clears the flag on the main thread, between systems. Code
// that writes columns in place, bypassing columns_set_unmarked and world_set_field, must set the flag to 1, on any
// thread. Not part of the world's state.
uint8_t *world_links_written(world_o *w);
// Returns a counter that increases in this call if an entity field may have been written since the previous call, that
// is, if bit 0 of the flag of world_links_written is set. A flag that is not 0 becomes 2, so bit 0 is cleared, but the
// transform hierarchy still sees the write.
uint64_t world_update_links_version(world_o *w);

// --- declarations: components, singletons, events

// Declares a component, singleton or event and returns its id. Redeclaring the same layout only updates defaults, docs
// and origin; a changed layout rebuilds the columns. Returns 0 with an error if the name is empty. Also fails if the
// layout has changed while rows exist (a singleton always has one), changes are deferred or blocks are open, or if the
// kind has changed while queries use the component.
uint32_t world_declare_schema(world_o *w, const schema_t *schema, error_info_t *error);
// Calls schema_build, then world_declare_schema. Returns the id, or 0 with an error if either fails.
uint32_t world_declare_schema_desc(world_o *w, const schema_desc_t *desc, error_info_t *error);
// Returns true if world_declare_schema would accept the schema; otherwise returns false with an error. Does not change
// the world.
bool world_check_schema(world_o *w, const schema_t *schema, error_info_t *error);
// Sets the bit names of the `category` and `mask` fields in the engine's and plugins' components: `count` (at most 32)
// strings, each terminated by '\0'. Call before there are rows; the names also apply to components declared later.
void world_set_layers(world_o *w, const char *names, uint32_t count);
void world_set_hooks(world_o *w, uint32_t manager, const manager_hooks_t *hooks);
manager_o *world_manager(world_o *w, uint32_t id);           // returns NULL if unknown
manager_o *world_find_manager(world_o *w, const char *name); // finds a component or singleton
// Finds the component of a path such as "gun.left.heat", or of an add-on, "menu.gun.left.heat", and sets *field to the
// rest of the path. Returns the component, or NULL without changing *field if the path has no dot or names no
// component.
manager_o *world_find_manager_by_path(world_o *w, const char *path, const char **field);
void world_rename_manager(world_o *w, uint32_t manager, const char *name); // `name` must be unused
uint32_t world_manager_count(const world_o *w);                            // ids are 1 … count
event_o *world_event(world_o *w, uint32_t id);
event_o *world_find_event(world_o *w, const char *name);
uint32_t world_event_count(const world_o *w);

// Declares that `column` of `manager` was `field` of the former component `from`. When an older world or save is
// converted (migrate/schema_migrate.h), rows of `from` become rows of `manager`. If `column` is past the last column,
// only the rows are created. A column can have several former names: the first that `from` contains is used. If `from`
// is still declared, its rows create rows of `manager` only in an older world in which it has the field.
void world_declare_renamed_field(world_o *w, const char *from, uint32_t manager, uint32_t column, const char *field);
bool world_is_component_renamed_to(const world_o *w, const char *from, uint32_t manager); // `manager` 0: any component
// Returns true if the field of the component `from` now belongs to `manager` (0: any component).
bool world_is_field_moved(const world_o *w, const char *from, const char *field, uint32_t manager);
// Returns true if rows of `from`, a component of an older world, become rows of `manager` (0: any component). Either
// `from` was renamed to `manager`, or a field of `from` was moved to `manager`, and the world still declares `from`,
// which then keeps its rows, too.
bool world_is_row_source(world_o *w, const schema_t *from, uint32_t manager);
// Declares that the game has removed a component on purpose: its rows in an older world or save are dropped.
void world_declare_removed_component(world_o *w, const char *name);
bool world_is_component_removed(const world_o *w, const char *name);
void world_clear_renames(world_o *w); // clears the lists of renamed and removed components, and of renamed systems
// Declares that the system `to` replaces the system `from`, because their behaviour was renamed or split. `to` takes
// over the watchers, read positions and switch that the state of an older world stores for `from`.
void world_declare_renamed_system(world_o *w, const char *from, const char *to);
// Returns the field of `from`, an earlier declaration, whose values become `column` of `to`, or -1 if no field does.
// Fields are matched by name, then by `renamed_from`; if `moved`, only by renames to `manager` (0: `to` is an event).
int32_t world_find_old_field(const world_o *w, const schema_t *from, const schema_t *to, uint32_t manager,
                             uint32_t column, bool moved);
// Finds the field of `from` that was renamed to `column` of `to` and now has a different type, such as a number that
// became a list. Returns the field's first column, or -1 if not found. Parameters as in world_find_old_field.
int32_t world_find_retyped_field(const world_o *w, const schema_t *from, const schema_t *to, uint32_t manager,
                                 uint32_t column, bool moved);

// --- assemblages: precompiled column templates, redeclared after every load without changing living entities. Template
// 0 applies to every spawn; each state has its own template. Names are string ids.
void world_assemblages_clear(world_o *w);
uint32_t world_assemblage_declare(world_o *w, uint32_t name); // returns the number of the assemblage, from 1
void world_assemblage_set_doc(world_o *w, uint32_t assemblage, const char *doc); // `doc`: shown to users; may be NULL
// Returns the template number of a state, adding the state if necessary. The first state is the initial state.
uint32_t world_assemblage_add_state(world_o *w, uint32_t assemblage, uint32_t state_name);
void world_assemblage_add_component(world_o *w, uint32_t assemblage, uint32_t template_number, uint32_t manager,
                                    uint32_t instance);
void world_assemblage_set_field(world_o *w, uint32_t assemblage, uint32_t template_number, uint32_t manager,
                                uint32_t instance, uint32_t column, double value);
void world_assemblage_add_child(world_o *w, uint32_t assemblage, uint32_t child_name, uint32_t child_assemblage);
uint32_t world_find_assemblage(world_o *w, uint32_t name); // returns 0 if unknown
// Like world_find_assemblage, but faster if the previous call had the same name. `name` may be NULL.
uint32_t world_find_assemblage_named(world_o *w, const char *name);
// Returns the number of living entities of the assemblage `name` (string id), excluding queued entities.
uint32_t world_assemblage_alive_count(world_o *w, uint32_t name);
bool world_assemblage_has_state(world_o *w, uint32_t assemblage, uint32_t state_name);

// --- structural changes

// Spawns an entity; `assemblage` 0 creates an empty entity. The entity is alive immediately, even while deferring; its
// components are added when the commands are applied. Returns the entity, or 0 with an error if the assemblage is
// unknown, its children are nested too deeply, or the world lacks capacity for all its entities. At most 4,194,303
// entities can be alive, and recently freed ids are not reusable yet.
shoal_entity world_spawn(world_o *w, uint32_t assemblage, error_info_t *error);
// Like world_spawn, but returns the whole tree: writes the ids of its first `max` entities to `out`, the root first,
// then each child followed by its descendants, in order of declaration. Call only while deferring (asserted). Returns
// the total number of entities, which may exceed `max`; 0 with an error if world_spawn fails.
uint32_t world_spawn_tree(world_o *w, uint32_t assemblage, shoal_entity *out, uint32_t max, error_info_t *error);
// Spawns an entity with values for `count` fields, which must be grouped by component. Adds components that the
// assemblage lacks. Plain components only. Call only while deferring (asserted). The world caches an index in `part`:
// initialize it with 0 and reuse `fields` for the next spawn with the same fields. Returns the entity, or 0 with an
// error for the same reasons as world_spawn.
typedef struct spawn_field_t {
  uint32_t manager, column, part;
} spawn_field_t;
#define SPAWN_NO_COLUMN UINT32_MAX // adds the component without setting a value
shoal_entity world_spawn_with_values(world_o *w, uint32_t assemblage, spawn_field_t *fields, const double *values,
                                     uint32_t count, error_info_t *error);
// Creates the ids of `count` entities of one assemblage in a staging block and returns the block's number; returns 0
// with an error for the same reasons as world_spawn. While the block is open, world_spawn_block_entities returns the
// ids, and the columns can be filled through world_spawn_block_columns (all rows, aligned). world_spawn_block_commit
// spawns the entities, immediately or as a command while deferring; world_spawn_block_abort releases the ids. Until the
// commit, the entities can be destroyed, but not changed.
uint32_t world_spawn_block_begin(world_o *w, uint32_t assemblage, uint32_t count, error_info_t *error);
shoal_entity *world_spawn_block_entities(world_o *w, uint32_t block);
// Returns the columns of a component in the block. Returns NULL if the block is unknown or the component is not in the
// assemblage.
columns_t *world_spawn_block_columns(world_o *w, uint32_t block, uint32_t manager, uint32_t instance);
void world_spawn_block_commit(world_o *w, uint32_t block);
void world_spawn_block_abort(world_o *w, uint32_t block);
// Spawns entities with the template's values. `out` (`count` long) may be NULL. Returns `count`, or 0 like world_spawn.
uint32_t world_spawn_many(world_o *w, uint32_t assemblage, uint32_t count, shoal_entity *out, error_info_t *error);

bool world_is_alive(const world_o *w, shoal_entity e);
// Destroys e. Returns true on success, or false if e is not alive or already doomed. While deferring, e becomes doomed:
// it stays alive and keeps its rows until the commands are applied.
bool world_destroy_entity(world_o *w, shoal_entity e);
bool world_is_doomed(const world_o *w, shoal_entity e);
// Starts a batch of calls to world_destroy_entity. Call no other function until the batch ends. A batch results in the
// same state as separate calls, in about a tenth of the time. Returns true on success, or false, without starting a
// batch, while deferring or in a `died` hook, if hooks or relations could destroy or observe additional entities, or if
// watchers or events keep last values of entities.
bool world_begin_destroy_batch(world_o *w);
void world_end_destroy_batch(world_o *w);
// Adds the component with default values; does nothing if e already has it. `instance` is 0 except for `many`
// components. Returns true on success, or false with an error if an argument is invalid, if e is dead or staged by an
// open block, or, unless deferring, if e has the maximum number of instances.
bool world_add_component(world_o *w, shoal_entity e, uint32_t manager, uint32_t instance, error_info_t *error);
// Removes the component; of a `many` component, removes one instance or, with `instance` 0, all of them. Returns true
// on success, or false if an argument is invalid, if e is dead or staged by an open block, if e lacks the component and
// no queued command adds it, or if e has a component that requires this component (world_check_removal).
bool world_remove_component(world_o *w, shoal_entity e, uint32_t manager, uint32_t instance);
// Returns true if the component can be removed. Returns false with an error that names the requirer if e has, or will
// have after the queued commands, a component that requires it: world_remove_component then does nothing.
bool world_check_removal(world_o *w, shoal_entity e, uint32_t manager, error_info_t *error);
// Adds missing required components to all entities, for example after loading an older save. Logs each component that
// gains rows. Must not be called while changes are deferred (asserted).
void world_add_all_required(world_o *w);
bool world_is_required(const world_o *w, uint32_t manager); // returns true if any component requires this component
// Writes one field. While deferring, the write is queued, so it also reaches a row that a queued add or spawn of the
// same system will create. Writes a field of a singleton if `e` and `instance` are 0. Returns true on success, or false
// with an error if an argument is invalid, if e is dead or staged by an open block, if e lacks the component and no
// queued command adds it, or if the component's `check_value` hook rejects the value.
bool world_set_field(world_o *w, shoal_entity e, uint32_t manager, uint32_t instance, uint32_t column, double value,
                     error_info_t *error);
// Writes `count` fields of a row from a struct, like world_set_field: columns[i] from the member at offsets[i], which
// has the type of the column. Skips derived columns. Call only while changes are not deferred (asserted).
void world_write_row(world_o *w, manager_o *m, uint32_t row, const void *values, const uint32_t *columns,
                     const uint32_t *offsets, uint32_t count);
// Enters a state: removes the components of the previous state, except components that the new state or template 0 also
// has, and adds the components of the new state. Writes the fields set by the new state, except fields that the
// previous state set to the same value; keeps the remaining fields of components in both states. Returns true on
// success, or false with an error if e is dead or staged by an open block, if e was not spawned from an assemblage with
// this state, or if entering the state would remove a required component.
bool world_enter_state(world_o *w, shoal_entity e, uint32_t state_name, error_info_t *error);
bool world_has_component(const world_o *w, shoal_entity e, uint32_t manager);
// Returns true if e has this component and the component is hidden from queries (query.h). Safe for any value of e.
bool world_is_disabled(const world_o *w, shoal_entity e, uint32_t manager);
// Returns true if a queued command will give e this component: by adding it, by spawning e from an assemblage that has
// it, or by entering a state. For error messages and world_set_field.
bool world_is_component_pending(const world_o *w, shoal_entity e, uint32_t manager);

// --- deferral

// Starts to defer changes. `system_id`: string id of the system's name, recorded as the destroyer. Calls may be nested:
// only the outermost world_defer_end applies the commands.
void world_defer_begin(world_o *w, uint32_t system_id);
void world_defer_end(world_o *w, bool drop); // `drop`: true to discard commands and events, and to release spawned ids
bool world_is_deferring(const world_o *w);
// Returns a pointer to the current depth of deferral, valid for the lifetime of the world.
const uint32_t *world_deferral_depth(const world_o *w);
// Returns a counter that stays the same from the outermost world_defer_begin to the corresponding world_defer_end, that
// is, while one system runs and no commands are applied. Otherwise, each call returns a new value, since anything may
// have changed since the previous call. Caches of columns compare the counter to detect changes
// (collision/body_grid.h). Not part of the state.
uint64_t world_moment(world_o *w);
void world_set_actor(world_o *w, uint32_t system_id); // sets the destroyer to record for immediate changes; 0: the host
// Cleans up after code that was interrupted and will not continue: closes its queries, events and blocks, drops its
// commands and definitions, and cancels the task for the end of the tick. Must not be called while a system in C runs.
void world_reset_after_interrupt(world_o *w);
uint32_t world_command_count(const world_o *w); // returns the number of queued commands
// Lets scripts merge a command with the previous command without a call (scripts/shoal/schema/fast_commands.lua). If
// the capacity suffices, the scripts append the entity to the lists, increment `joined`, and swap `next` and `after`.
typedef struct world_lane_t {
  uint32_t next, after; // codes (lane_code) of the next two commands that can be merged; 0: no such command
  uint32_t *joined;
  entity_list_t *lists;
} world_lane_t;
world_lane_t *world_command_lane(world_o *w);
// Returns an estimate of the work for the commands from index `first` on: the number of changed entities and emitted
// events. An entity counts once per command, and an added pair three times. Later commands are not merged with these
// commands.
double world_estimate_command_work(world_o *w, uint32_t first);

// --- queries

// Returns the query with these terms, creating it if necessary. Returns NULL with an error if a component is unknown or
// a singleton, if two `with` terms are `many`, if there are too many terms, or if no term is `with` or `any`.
query_o *world_find_or_create_query(world_o *w, const query_desc_t *desc, error_info_t *error);
// Returns the inspection query (query.h) with these terms, or NULL with an error for the same reasons as
// world_find_or_create_query. The rows of the query are valid until rows of its components change or, if the query is
// open, until it is closed.
query_o *world_find_or_create_inspection(world_o *w, const query_desc_t *desc, error_info_t *error);
// Returns the query with these terms; NULL if world_find_or_create_query has not created it, or if the query is asleep
// because a restored state lacks it. `desc` must be valid.
query_o *world_find_query(world_o *w, const query_desc_t *desc);
// Returns the number of queries. Neither the count nor the ids include inspection queries.
uint32_t world_query_count(const world_o *w);
query_o *world_query_by_id(world_o *w, uint32_t id); // ids are 1 … count
// Change all entities that currently match with one command. No query may be open unless commands are deferred. The
// result equals one call per entity in query order or, for removal, in reverse order. world_query_add_component also
// writes the given values (`columns` and `values`, `value_count` long, copied) to entities that already have the
// component; the remaining fields of new rows get their default values. world_query_add_component and
// world_query_remove_component return true on success, or false with an error if the component or a column is invalid,
// or if a component of one of the entities requires the removed component.
uint32_t world_query_destroy_entities(world_o *w, query_o *q); // returns the number of entities
bool world_query_add_component(world_o *w, query_o *q, uint32_t manager, const uint32_t *columns, const double *values,
                               uint32_t value_count, error_info_t *error);
bool world_query_remove_component(world_o *w, query_o *q, uint32_t manager, error_info_t *error);

// Makes q a group (query.h) and reorders existing rows. Returns true on success, or if q already is a group. Returns
// false with an error if q has no plain `with` component or has a `many` one, or if a different group owns one of the
// components. Must not be called while changes are deferred.
bool world_group_query(world_o *w, query_o *q, error_info_t *error);
void world_ungroup_query(world_o *w, query_o *q); // ends the group; the rows keep their order

// Returns the size in bytes of the values and owners in the rows of all components and singletons. Marks, spare
// capacity, indexes, queries, events, strings and the entity table are not included.
uint64_t world_column_bytes(const world_o *w);

// A watcher belongs to a system and a query, and collects the entities that start or stop matching (query_watch_t).
// Observers (ecs/changes.h) use watchers. world_watch_query returns the id of the watcher with this system and query,
// creating it if necessary. world_watch_pop_entries returns the changes since the previous call: all entities that
// stopped matching, then all entities that started to match, both in order of occurrence; borrowed until the next pop,
// return or restore.
uint32_t world_watch_query(world_o *w, uint32_t system_name, query_o *q);
// Keeps copies of the rows of entities that stop matching from now on (last_values.h). The copies are part of the
// state; this setting is not.
void world_watch_enable_last_rows(world_o *w, uint32_t watcher_id);
const query_watch_t *world_watch_pop_entries(world_o *w, uint32_t watcher_id, uint32_t *count);
// Undoes the last world_watch_pop_entries, for a reader that failed while processing the entries: the next call returns
// the same entries again, before newer entries.
void world_watch_return_entries(world_o *w, uint32_t watcher_id);
// Marks element `i` of the last result of world_watch_pop_entries as handled: world_watch_return_entries skips it.
void world_watch_mark_handled(world_o *w, uint32_t watcher_id, uint32_t i);

// --- events

// Emits an event with default values and returns a ticket for world_set_event_field. Queued while deferring.
uint32_t world_emit_event(world_o *w, uint32_t event);
void world_set_event_field(world_o *w, uint32_t ticket, uint32_t column, double value);
// Returns the number of the first row of this event that `reader` (a system's name) has not read. Part of the state.
uint64_t world_reader_position(world_o *w, uint32_t reader, uint32_t event);
void world_set_reader_position(world_o *w, uint32_t reader, uint32_t event, uint64_t next);
// Begin and end the render phase, in which world_reader_position and world_set_reader_position use separate positions.
// These positions depend on the frame rate: they are not part of snapshots, saves or hashes, and a restore does not
// change them. `event` 0 records that the system has started.
void world_draw_begin(world_o *w);
void world_draw_end(world_o *w);
bool world_is_drawing(const world_o *w);
// Copies the read positions of render systems to a world with changed code; matches readers and events by name.
void world_copy_render_readers(world_o *to, world_o *from);

#endif
