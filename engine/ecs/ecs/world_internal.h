// Internals of a world: the types of the data it owns. Separate headers declare the functions of each subject. Private
// to ecs, and to snapshot, content and migrate, which copy and convert worlds.
#ifndef SHOAL_ECS_WORLD_INTERNAL_H
#define SHOAL_ECS_WORLD_INTERNAL_H

#include "base/array.h"
#include "base/hash_table.h"
#include "base/log_once.h"
#include "ecs/event.h"
#include "ecs/query.h"
#include "ecs/world.h"
#include "ecs/world_content.h"

typedef struct queued_entities_o queued_entities_o;

// --- assemblages

typedef struct part_t {
  uint32_t manager, instance;
  uint32_t value_count;
  double *values;  // values of the template, indexed by column
  uint8_t *is_set; // indexed by column: 1 if the template sets the value
  // `values`, encoded as elements (columns_encode). Valid as long as the assemblage's spawn plan.
  uint64_t *elements;
  bool has_links; // true if the component has entity fields
  // manager that stores the values of a state's part while the entity is in a different state; 0 if the state does not
  // retain values
  uint32_t retained_manager;
  // instance name in `retained_manager`
  uint32_t retained_instance;
} part_t;

typedef struct template_t {
  uint32_t state; // string id; 0 for template 0
  ARRAY(part_t) parts;
} template_t;

typedef struct child_t {
  uint32_t name, assemblage;
} child_t;

typedef struct assemblage_t {
  uint32_t name;
  uint32_t added_version;   // version of the definitions that added the assemblage; 0 if a file of the game declares it
  uint32_t retired_version; // version that replaced the assemblage, which queued spawns may still use; 0 if current
  char *doc;                // description for users; may be NULL
  ARRAY(template_t) templates;
  ARRAY(child_t) children;
  // Spawn plan: the parts of template 0 and of the initial state, merged (the initial state's values take precedence),
  // and the queries that a new entity matches.
  uint32_t plan_version; // world's plan version when the plan was built
  uint32_t plan_number;  // incremented when the plan is built
  uint32_t tree_size;    // number of entities per spawn, including children
  // true if the plan contains several instances of a component: single spawns are then not merged into blocks, because
  // that would change the order of rows
  bool repeats_component;
  ARRAY(part_t) plan; // `values` and `elements` are borrowed from the templates
  ARRAY(query_o *) queries;
} assemblage_t;

// --- commands

// Kinds of commands, with the members of command_t that each kind uses.
typedef enum command_kind_t {
  COMMAND_NONE,
  COMMAND_SPAWN,   // `e`; a: assemblage, b: parent entity or 0, c: name of the child
  COMMAND_BLOCK,   // a: block number
  COMMAND_DESTROY, // `e`; a: destroyer (string id of the system)
  COMMAND_ADD,     // `e`; a: manager, b: instance
  COMMAND_REMOVE,  // `e`; a: manager, b: instance
  COMMAND_SET,     // `e` (0: a is a singleton); a: manager, b: instance, c: column; value
  COMMAND_ENTER,   // `e`; a: state (string id)
  COMMAND_EMIT,    // a: event, b: first row in the event's staged columns, c: row count
  // The following commands apply to `c` entries of the world's lists, starting at index `b`.
  COMMAND_DESTROY_MANY, // a: destroyer (string id of the system)
  COMMAND_ADD_MANY,     // a: manager, d: index of the first value in `list_values`, value: number of values
  COMMAND_REMOVE_MANY,  // a: manager
  // One command per entity: kind `e` & 0xff on manager a. If d is not 0, every second command is of kind `e` >> 8 on
  // manager d instead.
  COMMAND_ALTERNATE,
  // triples as entries: entity, instance in manager a, target for column d
  COMMAND_PAIRS
} command_kind_t;

// A queued command. It has no padding, because queued commands are hashed as bytes.
typedef struct command_t {
  uint32_t kind;
  shoal_entity e;
  uint32_t a, b, c, d;
  double value;
} command_t;

// Value of one field for COMMAND_ADD_MANY.
typedef struct list_value_t {
  uint64_t column;
  double value;
} list_value_t;

typedef ARRAY(command_t) commands_t;

// A level of deferral (world_defer_begin).
typedef struct defer_frame_t {
  uint32_t system_id;     // string id of the system's name, recorded as the destroyer; 0: the host
  uint32_t first_command; // index of the first command queued in this frame
} defer_frame_t;

typedef struct spawn_batch_part_t {
  uint32_t manager, instance;
  // true if the columns were requested; otherwise, the rows get the template's values when the block is applied
  bool staged;
  columns_t columns;
} spawn_batch_part_t;

typedef struct spawn_batch_t {
  uint32_t number, assemblage, count;
  uint32_t deaths; // value of entities.deaths when the block was begun
  // In all staged columns, the rows from `count` to `filled` already contain the template's values from plan
  // `plan_number`.
  uint32_t filled, plan_number;
  entity_properties_t properties; // initial properties of additional entities; valid while `filled` exceeds `count`
  uint32_t depth;                 // depth of deferral when the block was begun
  bool marked;                    // true if the block's entities have MARK_STAGED
  bool committed;
  bool applied; // true for an empty block that stays in the list until the queue is cleared
  ARRAY(shoal_entity) entities;
  ARRAY(spawn_batch_part_t) parts; // parts of the block, in the order of the spawn plan
  commands_t descendants;          // queued spawns of the block's children
} spawn_batch_t;

// Consecutive single spawns of one assemblage. The first few are separate commands.
typedef struct spawn_run_t {
  uint32_t assemblage, length, depth; // `depth`: depth of deferral
  // `first`: index of the run's first command; `end`: index after the last command, or 0 if there is no run
  uint32_t first, end;
  spawn_batch_t *batch; // block of the run; NULL until the run is long enough
} spawn_run_t;

enum { QUEUED_ADD = 1, QUEUED_REMOVE = 2 };

// Hash table for world_set_field, world_check_removal and error messages. Keys and values:
// - (entity, manager): QUEUED_ADD if queued commands will add the component, plus QUEUED_REMOVE if the last of these
//   commands removes it
// - (entity, 0): the assemblage that is being spawned
// - (entity, UINT32_MAX): the state that the entity will enter
typedef struct queued_adds_entry_t {
  uint64_t key;
  uint32_t stamp; // the entry is in use if this equals the table's stamp
  uint32_t value;
} queued_adds_entry_t;

typedef struct queued_adds_t {
  queued_adds_entry_t *entries;
  uint32_t capacity, count, stamp;
} queued_adds_t;

// --- events

typedef struct live_event_t {
  event_o shared;      // must be first, so that an event_o can be cast to live_event_t
  columns_t staged;    // rows that queued commands will emit
  columns_t new_rows;  // rows being filled between event_fill_begin and event_fill_end
  uint64_t unread_row; // number of the first row that event_deaths.c has not read
} live_event_t;

#define TICKET_COUNT 64u // number of recent emits that world_set_event_field can still write to

typedef struct ticket_t {
  uint32_t number, event, row;
  bool staged;
} ticket_t;

// Read position of a render system in an event. The system is identified by the hash of its name, because a restore
// changes string ids.
typedef struct render_reader_t {
  uint64_t name;
  uint32_t event; // id of the event; 0: this entry records that the system has started
  uint64_t next;
} render_reader_t;

typedef struct reader_t {
  uint32_t reader, event;
  uint64_t next;
} reader_t;

#define EVENT_DEATHS_GROUP 64u // number of events per record: event `id` is bit (id - 1) % 64 of group (id - 1) / 64

typedef struct event_death_t {
  shoal_entity entity;
  uint32_t state;     // string id of the entity's last state; 0 if it had no state
  uint32_t removal;   // number of the operation that destroyed the entity, for last_values_find
  uint32_t group;     // group of `events`
  uint64_t events;    // one bit per event of the group, set if the event named the entity
  uint64_t last_tick; // the record is dropped at the end of this tick
} event_death_t;

// A living entity that is named by pending events of a group.
typedef struct event_named_t {
  shoal_entity entity;
  bool is_new; // true if an event of the current tick names the entity; such an event lives one tick longer
  uint32_t group;
  uint32_t next; // number (index plus one) of the entity's entry for the next group; 0: the last group
  uint64_t events;
} event_named_t;

typedef struct event_deaths_t {
  ARRAY(event_death_t) deaths;           // the index contains the number of an entity's last record
  ARRAY(event_named_t) named;            // entities in events that were read since the end of the last tick
  uint32_t **named_pages, **death_pages; // indexes of `named` and `deaths` (ecs/index.h)
  uint32_t named_page_count, death_page_count;
} event_deaths_t;

// --- watchers, requirements

typedef struct watcher_t {
  uint32_t system;
  query_o *query;
  ARRAY(query_watch_t) pending; // removed entries have entity 0
  ARRAY(query_watch_t) delivered;
  uint32_t cancelled_count; // number of removed entries in `pending`
  bool keeps_last_rows;
  uint32_t **pages; // index: entity → index + 1 of its `entered` entry in `pending`
  uint32_t page_count;
} watcher_t;

typedef struct requirement_t {
  ARRAY(uint32_t) required;  // managers of all components that this component requires, directly or indirectly
  ARRAY(uint32_t) requirers; // managers of the components that directly require this component
} requirement_t;

typedef ARRAY(requirement_t) requirements_t;

// --- the world

// Rows whose `added` hook is pending.
typedef struct pending_added_t {
  uint32_t first; // first of these rows, or ROW_NONE, for components without a group
  // owners of the rows, for components in a group, whose rows may move
  ARRAY(shoal_entity) entities;
} pending_added_t;

typedef struct named_entity_t {
  uint32_t index, name; // `index`: entity index; `name`: string id
} named_entity_t;

typedef struct rename_t {
  char from[COMPONENT_NAME_MAX], field[FIELD_NAME_MAX];
  uint32_t manager, column;
} rename_t;

typedef struct system_rename_t {
  char from[2 * COMPONENT_NAME_MAX], to[2 * COMPONENT_NAME_MAX]; // names such as "guard" or "guard:enabled"
} system_rename_t;

typedef struct component_name_t {
  char text[COMPONENT_NAME_MAX];
} component_name_t;

enum { RANGE_NOTES = 16 };

// Location of a write to a column with a range (ecs/ranges.h).
typedef struct range_note_t {
  uint32_t manager, column, row, line;
  char location[144];
} range_note_t;

typedef struct ranges_t {
  bool has_marked_columns;                  // true if any component has marked columns
  void (*check)(void *context, world_o *w); // check of written values (world_set_written_check); may be NULL
  void *check_context;
  columns_nan_t replaced_nan; // a NaN that was replaced and not yet reported
  uint32_t note_count;
  range_note_t notes[RANGE_NOTES];                                       // ring buffer of the latest notes
  log_once_t reported;                                                   // hashes of location and field
  void (*report)(void *context, const char *where, const char *message); // report function (range_report_t)
  void *context;
} ranges_t;

struct world_o {
  allocator_t allocator;
  log_o *log;
  jobs_o *jobs;
  uint64_t number; // number of the world (world_number)
  uint64_t tick;
  uint32_t tick_rate;
  uint32_t view_players; // players of this machine (world_set_view_players)
  random_t random;       // the world's stream; during a system of a world that uses random streams, the system's stream
  random_t world_stream; // the world's stream, during such a system
  bool uses_random_streams, in_random_stream;
  entities_t entities;
  bool warned_early_reuse; // true once the warning about ids that are reused early has been logged
  strings_o *strings;

  ARRAY(manager_o *) managers; // managers, indexed by id - 1
  hash_table_t manager_names;  // map from name to id
  requirements_t requirements; // indexed by manager id - 1; empty if no component has requirements
  ARRAY(live_event_t *) events;
  uint32_t parent_manager, parent_column; // manager and column of transform.parent; 0 if not declared
  uint32_t name_manager, name_column;     // manager and column of name.value
  manager_o *disabled;                    // manager of the component `disabled`; NULL if not declared

  ARRAY(char) layers; // names of collision layers, each terminated by '\0'

  ARRAY(rename_t) renames;
  ARRAY(system_rename_t) system_renames;
  ARRAY(component_name_t) removed_components;
  world_content_t *content; // content of the game; NULL until the world has content (content/content.h)

  ARRAY(assemblage_t) assemblages;         // assemblages, indexed by number - 1
  ARRAY(uint32_t) assemblage_alive_counts; // number of living entities, indexed by string id of their assemblage's name
  uint32_t last_assemblage;                // result of world_find_assemblage_named; not part of the state
  uint32_t plan_version;                   // incremented by every declaration, and when a query wakes or falls asleep
  ARRAY(uint32_t) plan_managers;           // scratch memory for building plans

  // The schemas of all components, followed by the schemas of all events, as snapshots store them
  // (snapshot/snapshot.c). Valid while `plan_version` equals `schemas_version`. `stored_schema_ends`: end offset of
  // each schema in `stored_schemas`.
  ARRAY(uint8_t) stored_schemas;
  ARRAY(uint32_t) stored_schema_ends;
  uint32_t schemas_version;

  ARRAY(query_o *) queries;
  ARRAY(query_o *) sleeping;    // queries that are asleep (live_query_t)
  ARRAY(query_o *) inspections; // inspection queries (query.h), which are not part of the state
  ARRAY(watcher_t) watchers;
  // Name hashes of the systems whose watchers keep last rows. Not stored in the watchers, because a restore replaces
  // the watchers.
  ARRAY(uint64_t) last_row_systems;
  bool has_last_rows;      // true if last rows, or entities with MARK_LEFT, exist
  uint32_t removal;        // number of the current operation that removes rows (last_values_end_operation)
  bool removal_has_copies; // true if the current operation has copied last rows
  event_deaths_t event_deaths;
  ARRAY(reader_t) readers;
  ARRAY(render_reader_t) render_readers; // positions of render systems; not part of the state
  bool drawing;                          // true during the render phase

  commands_t commands;
  entity_list_t lists; // entities of commands that change many entities; also instances and targets of pairs
  world_lane_t lane;   // state of the last command while it can still be extended
  ARRAY(list_value_t) list_values;
  // value of entities.deaths when the lists were last empty; as long as entities.deaths is the same, all listed
  // entities are alive
  uint32_t lists_deaths;
  queued_adds_t queued_adds;
  uint32_t queued_adds_indexed;       // number of commands indexed in `queued_adds`
  queued_entities_o *queued_entities; // NULL until an entity with a queued spawn is read
  uint32_t queue_version;             // incremented when the queue is applied, dropped or renumbered
  ARRAY(defer_frame_t) frames;
  ARRAY(spawn_batch_t *) blocks;
  ARRAY(spawn_batch_t *) spare_blocks;
  ARRAY(columns_t) spare_columns; // indexed by manager: staged columns to be reused
  uint32_t next_shared_page;      // index of the page to share at the end of the next tick
  // `spare_use_count`: uses of blocks and long lists in this tick; `spare_idle_ticks`: ticks since the last use
  uint32_t spare_use_count, spare_idle_ticks;
  uint32_t next_block;
  index_source_t spawned_rows; // rows of the first plain component of the spawning template; otherwise empty
  spawn_run_t spawn_run;
  uint64_t moment;        // counter of world_moment; not part of the state
  uint32_t merge_barrier; // commands before this index must not be merged with new commands
  bool applying;
  uint32_t applying_system_id; // destroyer recorded for immediate changes; 0: the host
  bool tracks_touched;
  uint8_t links_written;        // flag of world_links_written
  uint64_t links_version;       // counter of world_update_links_version
  ranges_t ranges;              // writes to columns with a range, for reports; not part of the state
  struct relation_o *relation;  // relations and change tracking; NULL until relation_enable
  world_task_t after_tick_task; // task after the tick; all members are 0 if no task is pending

  ARRAY(pending_added_t) pending_added; // rows whose `added` hooks are pending, indexed by manager
  bool has_pending_added;

  bool destroys_in_order;  // true if rows are removed in the order of the batch (world_begin_destroy_batch)
  bool running_died_hooks; // true while `died` hooks run: world_destroy_entity then adds to the batch
  // entities being destroyed; the destroyer of each is in `died_by`
  ARRAY(shoal_entity) destroy_batch;
  ARRAY(named_entity_t) dying_names; // entities of `destroy_batch` that have a name
  ARRAY(shoal_entity) hook_entities; // entities passed to hooks

  ARRAY(shoal_entity) entity_scratch; // scratch: entities that gain or lose a component together
  ARRAY(shoal_entity) matching;       // scratch: entities of `entity_scratch` that start to match a query
  ARRAY(uint32_t) added_rows;         // scratch: rows passed to `added` hooks
  ARRAY(uint32_t) identity_map;       // row map 0, 1, 2, …

  ticket_t tickets[TICKET_COUNT];
  uint32_t ticket_count, ticket_floor; // tickets up to ticket_floor are invalid
};

// Returns true if a row of `disabled` with this name disables m.
bool world_instance_disables_component(const world_o *w, uint32_t instance, const manager_o *m);
static inline bool world_has_disabled(const world_o *w) {
  return w->disabled && w->disabled->count > 0;
}

static inline bool is_living(const world_o *w, shoal_entity e) {
  return entities_is_alive(&w->entities, e);
}

// Returns true if e is alive and has the mark.
static inline bool is_marked(const world_o *w, shoal_entity e, uint8_t mark) {
  return is_living(w, e) && w->entities.marks[shoal_entity_index(e)] & mark;
}

static inline void close_command_lane(world_o *w) {
  w->lane.next = 0;
}

// Merges index pages with equal content. Each call handles the next few page indices, if the world's entities fill at
// least `min_pages` pages. Called at the end of a tick.
void world_share_pages(world_o *w, uint32_t min_pages);

// Writes "entity(12:3)" to `out` (32 bytes) and returns it.
char *entity_label(char *out, shoal_entity e);

#endif
