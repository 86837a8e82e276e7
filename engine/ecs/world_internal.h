// The inside of a world: what it owns. Each subject has a header of its own, included here for its types. Private to
// ecs; and to snapshot and migrate, which take a world to pieces.
#ifndef SHOAL_ECS_WORLD_INTERNAL_H
#define SHOAL_ECS_WORLD_INTERNAL_H

#include "base/array.h"
#include "base/hash_table.h"
#include "ecs/assemblage.h"
#include "ecs/command_queue.h"
#include "ecs/event_internal.h"
#include "ecs/query_internal.h"
#include "ecs/query_observer.h"
#include "ecs/queued_adds.h"
#include "ecs/redefine.h"
#include "ecs/spawn_batch.h"
#include "ecs/world.h"

typedef ARRAY(char) chars_t;

// Rows whose `added` hook is still to be called.
typedef struct added_t {
  uint32_t first;               // all from here on, or ROW_NONE; of a component that no group owns
  ARRAY(shoal_entity) entities; // whose rows they are; of one that a group owns, for its rows change places
} added_t;

typedef struct rename_t {
  char from[COMPONENT_NAME_MAX], field[FIELD_NAME_MAX];
  uint32_t manager, column;
} rename_t;

typedef struct system_rename_t {
  char from[2 * COMPONENT_NAME_MAX], to[2 * COMPONENT_NAME_MAX]; // "guard", "guard:enabled"
} system_rename_t;

struct world_o {
  allocator_t allocator;
  log_o *log;
  jobs_o *jobs;
  uint64_t tick;
  uint32_t tick_rate;
  random_t random;
  entities_t entities;
  strings_o *strings;

  ARRAY(manager_o *) managers; // by id - 1
  hash_table_t manager_names;  // ids by name
  ARRAY(live_event_t *) events;
  uint32_t parent_manager, parent_column; // transform.parent, 0 when not declared
  uint32_t name_manager, name_column;     // name.value
  manager_o *disabled;                    // NULL when not declared

  ARRAY(rename_t) renames;
  ARRAY(system_rename_t) system_renames;

  ARRAY(assemblage_t) assemblages; // by number - 1
  ARRAY(uint32_t) alive_by_name;   // by string id of the assemblage
  uint32_t plan_version;           // changes with every declaration and query
  uint32_t define_version;         // counts definitions
  bool defining, define_follows;   // they are being declared; and the last of `redefined` is about that
  ARRAY(redefined_t) redefined;
  void (*redefined_run)(world_o *w); // makes entities follow, ecs/definitions.c
  bool follows;                      // it is to be called when the commands have been applied
  chars_t declared_words;            // what was declared, and what was asked for last: for definitions.c
  chars_t wanted_words;
  world_definer_t definer;
  ARRAY(uint32_t) plan_managers; // while a plan is made

  ARRAY(query_o *) queries;
  ARRAY(query_o *) sleeping; // see live_query_t
  ARRAY(watcher_t) watchers;
  ARRAY(uint64_t) keep_last; // hashes of the names of systems that do: a restore replaces the watchers
  bool keeps_last;           // there are last rows, or entities with MARK_LEFT
  uint32_t removal;          // number of the operation that removes rows (last_values_next)
  bool removal_keeps;        // it copied last rows
  ARRAY(reader_t) readers;
  ARRAY(drawn_reader_t) drawn_readers; // of systems of the render phase: no part of the world
  bool drawing;                        // the render phase runs

  commands_t commands;
  entity_list_t lists; // of commands that concern many entities
  world_lane_t lane;   // the last command's, while more may join it
  ARRAY(list_value_t) list_values;
  uint32_t lists_deaths; // entities.deaths when there were no lists: all in them are alive while it is the same
  queued_adds_t pending;
  uint32_t queued_adds_noted; // how many of the commands it knows
  uint32_t queues;            // how often what was queued was applied or dropped
  ARRAY(defer_frame_t) frames;
  ARRAY(spawn_batch_t *) blocks;
  ARRAY(spawn_batch_t *) spare_blocks;
  ARRAY(columns_t) spare_columns;  // by manager id: staged columns that were used before, to be used again
  uint32_t next_page;              // whose like is looked for at the end of a tick
  uint32_t spare_uses, spare_idle; // blocks and long lists in this tick; ticks since the last one that had any
  uint32_t next_block;
  spawn_run_t run;
  uint32_t parted; // commands up to here are not added to any more
  bool applying;
  uint32_t applying_by;
  bool tracks_touched;
  uint8_t referrers_written;   // world_links_written
  uint64_t referrers_passed;   // world_links_pass
  struct relation_o *relation; // NULL: nothing is followed
  world_wish_t after_tick;     // zeros for none

  ARRAY(added_t) added; // by manager id
  bool added_waiting;

  bool asking_died;            // the `died` hooks are being called: world_destroy joins the batch
  ARRAY(shoal_entity) batch;   // entities that die together; `died_by` says who destroyed each
  ARRAY(shoal_entity) scratch; // what a hook is told

  ARRAY(shoal_entity) many;     // entities that get or lose a component together
  ARRAY(shoal_entity) matching; // those of them that a query begins to match
  ARRAY(uint32_t) rows;
  ARRAY(uint32_t) identity; // 0, 1, 2, …

  ticket_t tickets[TICKET_COUNT];
  uint32_t ticket_count, ticket_floor; // tickets up to the floor are forgotten
};

// A row of `disabled` of this name: does it disable m?
bool world_disables(const world_o *w, uint32_t instance, const manager_o *m);
static inline bool world_has_disabled(const world_o *w) {
  return w->disabled && w->disabled->count > 0;
}

static inline bool is_living(const world_o *w, shoal_entity e) {
  return entities_alive(&w->entities, e);
}

static inline bool is_marked(const world_o *w, shoal_entity e, uint8_t mark) { // false for what is not alive
  return is_living(w, e) && w->entities.marks[shoal_entity_index(e)] & mark;
}

static inline void lane_close(world_o *w) {
  w->lane.next = 0;
}

// Pages of indices that hold the same become one: those of one number in each call, round and round, in worlds with
// `least` pages of entities. At the end of a tick.
void world_share_pages(world_o *w, uint32_t least);

// "entity(12:3)" into `out` (32 bytes); returns it.
char *entity_label(char *out, shoal_entity e);

#endif
