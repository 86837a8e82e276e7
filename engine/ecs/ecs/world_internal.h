// Internals of a world: the data it owns. Each subject has its own header, included here for its types. Private to ecs,
// and to snapshot, content and migrate, which copy and convert worlds.
#ifndef SHOAL_ECS_WORLD_INTERNAL_H
#define SHOAL_ECS_WORLD_INTERNAL_H

#include "base/array.h"
#include "base/hash_table.h"
#include "base/log_once.h"
#include "ecs/assemblage.h"
#include "ecs/command_queue.h"
#include "ecs/event_deaths.h"
#include "ecs/event_internal.h"
#include "ecs/query_internal.h"
#include "ecs/query_observer.h"
#include "ecs/queued_adds.h"
#include "ecs/queued_entities.h"
#include "ecs/ranges.h"
#include "ecs/requirements.h"
#include "ecs/spawn_batch.h"
#include "ecs/world.h"
#include "ecs/world_content.h"

// Rows whose `added` hook is pending.
typedef struct added_t {
  uint32_t first; // first of these rows, or ROW_NONE; used for components without a group
  // owners of the rows; used for components in a group, whose rows may move
  ARRAY(shoal_entity) entities;
} added_t;

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

enum { RANGE_NOTES = 16 };

// Location of a write to a column with a range (ecs/ranges.h).
typedef struct range_note_t {
  uint32_t manager, column, row, line;
  char where[144];
} range_note_t;

typedef struct ranges_t {
  bool written;               // some manager has marked columns
  columns_nan_t replaced_nan; // a NaN that was replaced and not yet reported
  uint32_t note_count;
  range_note_t notes[RANGE_NOTES]; // ring buffer
  log_once_t reported;             // hashes of location and field
  range_report_t report;
  void *context;
} ranges_t;

struct world_o {
  allocator_t allocator;
  log_o *log;
  jobs_o *jobs;
  uint64_t tick;
  uint32_t tick_rate;
  random_t random;
  entities_t entities;
  bool warned_early_reuse; // the warning about ids that are reused early was logged
  strings_o *strings;

  ARRAY(manager_o *) managers; // indexed by id - 1
  hash_table_t manager_names;  // name → id
  requirements_t requirements; // indexed by manager id - 1; empty if no component requires another
  ARRAY(live_event_t *) events;
  uint32_t parent_manager, parent_column; // manager and column of transform.parent; 0 if not declared
  uint32_t name_manager, name_column;     // manager and column of name.value
  manager_o *disabled;                    // NULL if not declared

  ARRAY(char) layers; // names of collision layers, each terminated by '\0'

  ARRAY(rename_t) renames;
  ARRAY(system_rename_t) system_renames;
  world_content_t *content; // NULL until the world has content (content/content.h)

  ARRAY(assemblage_t) assemblages; // indexed by number - 1
  ARRAY(uint32_t) alive_by_name;   // number of living entities, indexed by string id of their assemblage's name
  uint32_t plan_version;           // incremented by every declaration, and when a query wakes or falls asleep
  ARRAY(uint32_t) plan_managers;   // scratch memory for building plans

  ARRAY(query_o *) queries;
  ARRAY(query_o *) sleeping;    // queries that are asleep (live_query_t)
  ARRAY(query_o *) inspections; // inspection queries (query.h), which are no part of the state
  ARRAY(watcher_t) watchers;
  // Hashes of the names of systems whose watchers keep last rows. Not stored in the watchers, because a restore
  // replaces the watchers.
  ARRAY(uint64_t) keep_last;
  bool keeps_last;    // true if last rows, or entities with MARK_LEFT, exist
  uint32_t removal;   // number of the current operation that removes rows (last_values_end_operation)
  bool removal_keeps; // true if the current operation has copied last rows
  event_deaths_t event_deaths;
  ARRAY(reader_t) readers;
  ARRAY(drawn_reader_t) drawn_readers; // positions of render systems; not part of the state
  bool drawing;                        // the render phase is running

  commands_t commands;
  entity_list_t lists; // entities of commands that change many entities; also instances and targets of pairs
  world_lane_t lane;   // state of the last command while it can still be extended
  ARRAY(list_value_t) list_values;
  // value of entities.deaths when the lists were last empty; as long as entities.deaths is the same, all listed
  // entities are alive
  uint32_t lists_deaths;
  queued_adds_t pending;
  uint32_t queued_adds_indexed; // number of commands indexed in `pending`
  queued_entities_o *queued;    // NULL until an entity with a queued spawn is read
  uint32_t queues;              // incremented when the queue is applied, dropped or renumbered
  ARRAY(defer_frame_t) frames;
  ARRAY(spawn_batch_t *) blocks;
  ARRAY(spawn_batch_t *) spare_blocks;
  ARRAY(columns_t) spare_columns; // indexed by manager: staged columns to be reused
  uint32_t next_page;             // index of the page to share at the end of the next tick
  // `spare_uses`: uses of blocks and long lists in this tick; `spare_idle`: ticks since the last use
  uint32_t spare_uses, spare_idle;
  uint32_t next_block;
  spawn_run_t run;
  uint64_t moment; // counter of world_moment; not part of the state
  uint32_t parted; // commands before this index are final: not merged with new ones
  bool applying;
  uint32_t applying_by;
  bool tracks_touched;
  uint8_t links_written;       // flag of world_links_written
  uint64_t links_version;      // counter of world_update_links_version
  ranges_t ranges;             // not part of the state
  struct relation_o *relation; // NULL until relation_enable enables relations
  world_task_t after_tick;     // all members are 0 if no task is pending

  ARRAY(added_t) added; // indexed by manager
  bool added_waiting;

  bool running_died_hooks; // true while `died` hooks run: world_destroy_entity then adds to the batch
  // entities being destroyed; the destroyer of each is in `died_by`
  ARRAY(shoal_entity) batch;
  ARRAY(named_entity_t) dying_names; // entities of `batch` that have a name
  ARRAY(shoal_entity) scratch;       // entities passed to hooks

  ARRAY(shoal_entity) many;     // scratch: entities that gain or lose a component together
  ARRAY(shoal_entity) matching; // scratch: entities of `many` that start to match a query
  ARRAY(uint32_t) rows;
  ARRAY(uint32_t) identity; // 0, 1, 2, …

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

// Merges index pages with equal content. Each call handles the next page index, if the world has at least `min_pages`
// pages of entities. Called at the end of a tick.
void world_share_pages(world_o *w, uint32_t min_pages);

// Writes "entity(12:3)" to `out` (32 bytes) and returns it.
char *entity_label(char *out, shoal_entity e);

#endif
