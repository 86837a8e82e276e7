// The world: everything that the simulation depends on, in buffers that a schema describes and that hold no pointers.
// Several may exist at once. Main thread only.
//
// Structure changes (spawn, destroy, add, remove, enter) made between world_defer_begin and world_defer_end are
// commands: queued, applied in order by world_defer_end, or dropped whole when the system failed. Outside they apply
// at once. Events emitted while deferring are queued the same way.
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

#define WORLD_DEFAULT_TICK_RATE 60u // ticks per second

typedef struct world_desc_t {
  uint64_t seed;
  uint32_t tick_rate; // ticks per second (default: WORLD_DEFAULT_TICK_RATE)
  log_o *log;         // borrowed
  jobs_o *jobs;       // borrowed; NULL: the calling thread alone
} world_desc_t;

world_o *world_create(const world_desc_t *desc);
// Asserts that every byte came back.
void world_destroy_all(world_o *w);

// --- facts
uint64_t world_tick(const world_o *w);
double world_dt_s(const world_o *w);
uint32_t world_tick_rate(const world_o *w);
void world_set_tick_rate(world_o *w, uint32_t rate);
entities_t *world_entities(world_o *w);
strings_o *world_strings(world_o *w);
random_t *world_random(world_o *w);
allocator_t *world_allocator(world_o *w);
log_o *world_log(world_o *w);
jobs_o *world_jobs(const world_o *w); // for work on columns that falls into parts; NULL: one worker

// Ends the tick: drops events older than one tick, advances the counter, sweeps strings when due.
void world_end_tick(world_o *w);

// Something for the end of the tick, when nothing is queued any more: another state is restored then.
typedef struct world_wish_t {
  void (*run)(void *context, world_o *w);
  void (*drop)(void *context); // after `run`, or instead of it where another wish comes or the world goes
  void *context;
} world_wish_t;
void world_after_tick(world_o *w, const world_wish_t *wish); // the last wish wins

// Keeps, for each field of each row, whether somebody has written it since it was spawned from its template: what an
// edited assemblage must leave alone (migrate/world_migrate.h). Costs a byte a field and a store a write. Set before
// there is a VM that writes here, which chooses its way of writing once; marks of what was there are 0. Nothing of it
// is part of the hash.
void world_track_touched(world_o *w, bool on);
bool world_tracks_touched(const world_o *w);
// Not 0 when somebody may have written an entity into a column since it was last set to 0, for who follows such links
// (the tree of transforms). Who writes past columns_put and world_set, in place, sets it to 1, on any thread; it is set
// to 0 on the main thread, between systems. No part of the world's state.
uint8_t *world_links_written(world_o *w);
uint64_t world_links_pass(world_o *w); // another number when it has become 1 since the last call, which makes it 2

// --- declarations: components, singles, events Declaring the same layout again is no change and returns the id
// (defaults, docs and origin are updated). A changed layout with rows alive is refused with the difference; without
// rows the columns are built anew. 0 on refusal.
uint32_t world_declare(world_o *w, const schema_t *schema, error_t *error);
// The same of a description: schema_build and world_declare. 0 also when a rule is broken.
uint32_t world_declare_desc(world_o *w, const schema_desc_t *desc, error_t *error);
// Would world_declare accept it? Changes nothing.
bool world_can_declare(world_o *w, const schema_t *schema, error_t *error);
void world_set_hooks(world_o *w, uint32_t manager, const manager_hooks_t *hooks);
manager_o *world_manager(world_o *w, uint32_t id);                         // NULL when there is none
manager_o *world_find_manager(world_o *w, const char *name);               // components and singles
void world_rename_manager(world_o *w, uint32_t manager, const char *name); // a name that no other has
uint32_t world_manager_count(const world_o *w);                            // ids are 1 … count
event_o *world_event(world_o *w, uint32_t id);
event_o *world_find_event(world_o *w, const char *name);
uint32_t world_event_count(const world_o *w);

// Declares that `column` of `manager` was `field` of the former component `from`, whose rows become rows of `manager`
// when an older world or save is converted (migrate/schema_migrate.h). A column past the last one: only that they get
// a row.
void world_rename(world_o *w, const char *from, uint32_t manager, uint32_t column, const char *field);
bool world_renamed_to(const world_o *w, const char *from, uint32_t manager); // 0: to any component
// The name of `column` of `manager` in `from`; NULL if it is not from there.
const char *world_renamed_field(const world_o *w, const char *from, uint32_t manager, uint32_t column);
void world_renames_clear(world_o *w);
// Declares that the behaviour `to` took over fields of the former behaviour `from`, under whose name the state of an
// older world has watchers, readers and a switch.
void world_rename_system(world_o *w, const char *from, const char *to);
// Returns the field of `from`, an earlier declaration, whose values become `column` of `to`, matched by the field's
// name, then by its `renamed_from`; with `moved`, by the renames to `manager` alone (0: `to` is an event). -1: none.
int32_t world_old_field(const world_o *w, const schema_t *from, const schema_t *to, uint32_t manager, uint32_t column,
                        bool moved);

// --- assemblages: precompiled column templates. Declared anew after every load; live entities are not touched.
// `template 0` is what every spawn gets; each state has one more. Names are string ids.
void world_assemblages_clear(world_o *w);
uint32_t world_assemblage_declare(world_o *w, uint32_t name);                     // → 1-based assemblage number
void world_assemblage_describe(world_o *w, uint32_t assemblage, const char *doc); // for people; NULL for nothing
uint32_t world_assemblage_state(world_o *w, uint32_t assemblage,
                                uint32_t state_name); // → template number; the first is initial
void world_assemblage_add(world_o *w, uint32_t assemblage, uint32_t template_number, uint32_t manager,
                          uint32_t instance);
void world_assemblage_set(world_o *w, uint32_t assemblage, uint32_t template_number, uint32_t manager,
                          uint32_t instance, uint32_t column, double value);
void world_assemblage_child(world_o *w, uint32_t assemblage, uint32_t child_name, uint32_t child_assemblage);
uint32_t world_find_assemblage(world_o *w, uint32_t name);  // 0 when there is none
uint32_t world_assemblage_alive(world_o *w, uint32_t name); // how many entities alive were spawned from it
bool world_assemblage_has_state(world_o *w, uint32_t assemblage, uint32_t state_name);

// Whose code declares the assemblages that a state says are defined (ecs/definitions.h), before it is restored. Not
// called while that code runs.
typedef struct world_definer_t {
  void (*run)(void *context, world_o *w, const char *definitions); // NULL: nobody
  void *context;
} world_definer_t;
void world_set_definer(world_o *w, const world_definer_t *definer); // NULL: nobody

// --- structure changes. `assemblage` 0 is an empty entity. A spawned entity is alive at once, also while deferring
// (its components come when the commands are applied). 0 with a message when 4,194,303 are alive.
shoal_entity world_spawn(world_o *w, uint32_t assemblage, error_t *error);
// The same while deferring (assert), with the ids of all that it makes into `out` (caller's, `max` long): its own,
// then child after child with what hangs below it, in the order of the declarations. Returns how many they are; 0
// with a message.
uint32_t world_spawn_tree(world_o *w, uint32_t assemblage, shoal_entity *out, uint32_t max, error_t *error);
// The same while deferring (assert), with values for `count` of its fields, those of one component side by side; a
// component that the assemblage has not is added. Of plain components, at instance 0. `part` is the world's own: keep
// `fields` (caller's) for the next spawn with the same ones, and begin with 0.
typedef struct spawn_field_t {
  uint32_t manager, column, part;
} spawn_field_t;
#define SPAWN_NO_COLUMN UINT32_MAX // the component alone
shoal_entity world_spawn_with(world_o *w, uint32_t assemblage, spawn_field_t *fields, const double *values,
                              uint32_t count, error_t *error);
// `count` entities from one template into `out` (caller's, may be NULL). Returns the number of a staging block, 0 on
// failure (nothing is spawned then). While the block is open its columns can be filled through world_block_view (all
// rows, aligned); world_block_commit spawns them: at once, or as a command while deferring. Until then they can be
// destroyed, but not added to, set or entered into a state.
uint32_t world_block_begin(world_o *w, uint32_t assemblage, uint32_t count, error_t *error);
shoal_entity *world_block_entities(world_o *w, uint32_t block);
columns_t *world_block_columns(world_o *w, uint32_t block, uint32_t manager,
                               uint32_t instance); // NULL: not in the template
void world_block_commit(world_o *w, uint32_t block);
void world_block_abort(world_o *w, uint32_t block);
// The same with the template's values alone. `out` (caller's, `count` long) may be NULL. Returns count; 0 on failure.
uint32_t world_spawn_many(world_o *w, uint32_t assemblage, uint32_t count, shoal_entity *out, error_t *error);

bool world_alive(const world_o *w, shoal_entity e);
// False for anything not alive or destroyed already. While deferring the entity stays, with its rows, until the
// commands apply; until then it is alive and doomed.
bool world_destroy(world_o *w, shoal_entity e);
bool world_is_doomed(const world_o *w, shoal_entity e);
// Adds with defaults; on a component that is there already it changes nothing (idempotent). `instance` is 0 but for
// MANY.
bool world_add(world_o *w, shoal_entity e, uint32_t manager, uint32_t instance, error_t *error);
bool world_remove(world_o *w, shoal_entity e, uint32_t manager, uint32_t instance); // false when it has none
// Writes one field through the command queue: after a queued add or spawn of the same system it lands in the new row.
// False with a message when e has no such component and none is queued.
bool world_set(world_o *w, shoal_entity e, uint32_t manager, uint32_t instance, uint32_t column, double value,
               error_t *error);
// The components of the state that is left go, those of the new one come. The fields that the new state names are
// written, unless the state that is left names them with the same value; the others of what both have are kept.
bool world_enter(world_o *w, shoal_entity e, uint32_t state_name, error_t *error);
bool world_has(const world_o *w, shoal_entity e, uint32_t manager);
// Does e have this component, and is it hidden from queries (query.h)? Safe for any value of e.
bool world_is_disabled(const world_o *w, shoal_entity e, uint32_t manager);
// Is e spawned or about to get this component by a queued command? For error messages and for world_set.
bool world_is_pending(const world_o *w, shoal_entity e, uint32_t manager);

// --- deferral. `by` is the system's name (string id) for "who destroyed it". Nests: only the outermost end applies.
void world_defer_begin(world_o *w, uint32_t by);
void world_defer_end(world_o *w, bool drop); // drop: forget the queued commands and events, free the ids spawned
bool world_is_deferring(const world_o *w);
void world_set_actor(world_o *w, uint32_t by); // who makes the changes that apply at once; 0: not said
// Clears up behind code that was stopped in the middle and will not come back: queries, events and blocks that it had
// open are closed, what it queued is dropped, a wish to restore a snapshot is forgotten. Not from inside a system of
// C.
void world_abandon(world_o *w);
uint32_t world_command_count(const world_o *w); // queued now
// How a command joins the last one without a call: scripts do it themselves (scripts/shoal/schema/fast_commands.lua).
// The entity comes to the end of the lists, where there is room, and one more has joined; then `next` and `after`
// change places.
typedef struct world_lane_t {
  uint32_t next, after; // what the next command is to be, and the one after it (lane_code); 0: none joins
  uint32_t *joined;
  entity_list_t *lists;
} world_lane_t;
world_lane_t *world_lane(world_o *w);
// How many entities the commands from number `from` on change and how many events they emit, those of several counted
// as often. What comes later is a command of its own.
double world_command_work(world_o *w, uint32_t from);

// --- queries
// NULL with a message that names the component: two `many` terms, too many terms, no positive term.
query_o *world_query(world_o *w, const query_desc_t *desc, error_t *error);
uint32_t world_query_count(const world_o *w);
query_o *world_query_by_id(world_o *w, uint32_t id); // ids are 1 … count
// For all entities that match now, as one command; no query may be open unless commands are deferred. What comes out
// is what a call for each entity would have made, in the query's order, and for remove from the last to the first.
// Those that have the component already take the given values. `columns` and `values` are `value_count` long and
// copied; the others get their defaults.
uint32_t world_query_destroy(world_o *w, query_o *q); // → how many entities
bool world_query_add(world_o *w, query_o *q, uint32_t manager, const uint32_t *columns, const double *values,
                     uint32_t value_count, error_t *error);
bool world_query_remove(world_o *w, query_o *q, uint32_t manager, error_t *error);

// Groups (query.h). False with a message when q has no component that a group can own, or when another group owns one
// of them; true when it is one already. Rows that are there are brought into q's order. Not while commands are
// queued.
bool world_group(world_o *w, query_o *q, error_t *error);
void world_ungroup(world_o *w, query_o *q); // rows stay where they are

// Bytes of all rows in use, owners included; what world_allocator holds besides is spare room, indices and queries.
uint64_t world_column_bytes(const world_o *w);

// Watchers (the lists of observers, ecs/changes.h), by system name and query. world_watch_take returns what happened
// since the previous call: all that left, then all that entered, both in the order in which that happened. Borrowed
// until the next take, return or restore.
uint32_t world_watch(world_o *w, uint32_t system_name, query_o *q); // → watcher number, the same for the same pair
// From now on the rows of entities that leave are copied (last_values.h). The copies are part of the state, this is
// not.
void world_watch_keep_last(world_o *w, uint32_t watcher);
const query_watch_t *world_watch_take(world_o *w, uint32_t watcher, uint32_t *count);
// Hands back what the last take gave, for a reader that failed on it: the next take gives it again.
void world_watch_return(world_o *w, uint32_t watcher);
void world_watch_heard(world_o *w, uint32_t watcher, uint32_t i); // not given again: element `i` of the last take

// --- events
// One new row with defaults, returned as a ticket for world_emit_set; queued while deferring.
uint32_t world_emit(world_o *w, uint32_t event);
void world_emit_set(world_o *w, uint32_t ticket, uint32_t column, double value);
// The number of the next row that `reader` (a system's name) has not seen of this event; kept in the world.
uint64_t world_reader(world_o *w, uint32_t reader, uint32_t event);
void world_reader_set(world_o *w, uint32_t reader, uint32_t event, uint64_t next);
// While the render phase runs both are about what was drawn, which depends on how many frames there were: no
// snapshot, save or hash knows of it, and no restore changes it. `event` 0 records that the system has started.
void world_draw_begin(world_o *w);
void world_draw_end(world_o *w);
bool world_is_drawing(const world_o *w);
// A world that goes on with other code: what was drawn is known there too. By the names of readers and events.
void world_draw_carry(world_o *to, world_o *from);

#endif
