// The inside of a world, shared by the files of ecs that do its work:
//   world.c        life, facts, end of tick, string sweep    declare.c        components, singles, events, queries
//   assemblage.c   templates and the plan for a spawn        command.c        the public calls, the queue, deferral
//   structure.c    applying structure changes to managers    event.c, query_observer.c, query.c, manager.c
//   spawn_batch.c  staged spawns of many                     command_batch.c  changes of many entities with one command
//   queued_adds.c  what queued commands are about to give  redefine.c     assemblages that are defined while it lives
// Private to ecs; to state, which takes a world to pieces; and to relation, which ends what pointed to the dead.
#ifndef SHOAL_ECS_WORLD_INTERNAL_H
#define SHOAL_ECS_WORLD_INTERNAL_H

#include "base/array.h"
#include "base/name_table.h"
#include "ecs/query_internal.h"
#include "ecs/rows_port.h"
#include "ecs/world.h"

// --- commands

typedef enum command_kind_t {
  COMMAND_NONE,
  COMMAND_SPAWN,   // e; a: assemblage, b: parent entity or 0, c: name of the child
  COMMAND_BLOCK,   // a: block number
  COMMAND_DESTROY, // e; a: by whom (string id)
  COMMAND_ADD,     // e; a: manager, b: instance
  COMMAND_REMOVE,  // e; a: manager, b: instance
  COMMAND_SET,     // e; a: manager, b: instance, c: column; value
  COMMAND_ENTER,   // e; a: state (string id)
  COMMAND_EMIT,    // a: event, b: first row of the event's staged columns, c: how many
  // Of `c` entities of the world's lists, from `b` on:
  COMMAND_DESTROY_MANY, // a: by whom
  COMMAND_ADD_MANY,     // a: manager, d: first of `value` list values
  COMMAND_REMOVE_MANY,  // a: manager
  COMMAND_TURNS, // a command for each, by turns: of kind `e` & 0xff and manager a, and of kind e >> 8 and manager
                 // d; d 0: of the first alone
  COMMAND_PAIRS  // by threes: an entity, the instance of manager a that it gets, and whom that names in column d
} command_kind_t;

// Without padding, because queued commands are hashed as bytes.
typedef struct command_t {
  uint32_t kind;
  shoal_entity e;
  uint32_t a, b, c, d;
  double value;
} command_t;

// One field that COMMAND_ADD_MANY gives a value.
typedef struct list_value_t {
  uint64_t column;
  double value;
} list_value_t;

typedef ARRAY(command_t) commands_t;

// What queued commands are about to give to entities, for world_set and for error messages: a hash table from (entity,
// manager) to 1, and from (entity, 0) to the assemblage that is being spawned.
typedef struct queued_adds_entry_t {
  uint64_t key;
  uint32_t stamp; // in use when equal to the table's
  uint32_t value;
} queued_adds_entry_t;

typedef struct queued_adds_t {
  queued_adds_entry_t *entries;
  uint32_t capacity, count, stamp;
} queued_adds_t;

typedef struct defer_frame_t {
  uint32_t by;
  uint32_t first_command;
} defer_frame_t;

// --- assemblages

typedef struct part_t {
  uint32_t manager, instance;
  uint32_t value_count;
  double *values;   // one per column
  uint8_t *named;   // one per column: is it the template that gives the value?
  uint32_t kept;    // STATE: the manager that holds its values while the state is left, 0 for none
  uint32_t kept_as; // the instance there
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
  uint32_t born; // version of definitions that it came with; 0: the code's
  uint32_t gone; // and that took its name away; it is here for spawns that are queued. 0: none
  char *doc;     // NULL for none
  ARRAY(template_t) templates;
  ARRAY(child_t) children;
  // What a spawn does: every part of template 0 and of the initial state, once, and the queries that then match.
  // What the initial state names it gives.
  uint32_t plan_version; // of the world when the plan was made
  uint32_t tree_size;    // entities that a spawn makes, its own included
  bool repeats;          // a component by several instances: rows of many do not come as those of one after the other
  ARRAY(part_t) plan;    // values borrowed from the templates
  ARRAY(query_o *) queries;
} assemblage_t;

typedef ARRAY(char) chars_t;

// A definition that is not over yet: the entities of before follow when the commands are applied.
typedef struct redefined_t {
  uint32_t depth;   // of deferral
  uint32_t version; // of definitions, before it
  uint32_t words;   // what is defined, a text's id (state/definitions.c)
  ARRAY(shoal_entity) entities;
} redefined_t;

// --- blocks, events, watchers

typedef struct spawn_batch_part_t {
  uint32_t manager, instance;
  bool staged; // somebody has asked for the columns; the others get the template's values when the block applies
  columns_t columns;
} spawn_batch_part_t;

typedef struct spawn_batch_t {
  uint32_t number, assemblage, count;
  uint32_t deaths; // entities.deaths when it was begun
  uint32_t depth;  // of deferral when it was begun
  bool marked;     // its entities carry MARK_STAGED
  bool committed;
  bool applied; // gone but for its place in the list
  ARRAY(shoal_entity) entities;
  ARRAY(spawn_batch_part_t) parts; // in the order of the plan
  commands_t descendants;          // spawns of the children
} spawn_batch_t;

// Spawns one by one of the same assemblage that follow each other. The first ones are commands of their own.
typedef struct spawn_run_t {
  uint32_t assemblage, length, depth; // of deferral
  uint32_t first, end;                // command of the batch, or of the first of them; where commands end; 0 for none
  spawn_batch_t *batch;               // NULL while they are few
} spawn_run_t;

// Rows whose `added` hook is still to be called.
typedef struct added_t {
  uint32_t first;               // all from here on, or ROW_NONE; of a component that no group owns
  ARRAY(shoal_entity) entities; // whose rows they are; of one that a group owns, for its rows change places
} added_t;

typedef struct live_event_t {
  event_o shared;    // first, so that an event_o is a live_event_t
  columns_t staged;  // emitted by queued commands
  columns_t filling; // between event_fill_begin and event_fill_end
} live_event_t;

#define TICKET_COUNT 64u // of the latest emits, that world_emit_set still reaches

typedef struct ticket_t {
  uint32_t number, event, row;
  bool staged;
} ticket_t;

typedef struct watcher_t {
  uint32_t system;
  query_o *query;
  ARRAY(query_watch_t) pending; // entity 0: taken back
  ARRAY(query_watch_t) taken;
  uint32_t taken_back;
  bool wants_words;
  uint32_t **pages; // entity → place + 1 of its `entered` in pending
  uint32_t page_count;
} watcher_t;

typedef struct alias_t {
  char from[COMPONENT_NAME_MAX], field[FIELD_NAME_MAX];
  uint32_t manager, column;
} alias_t;

// How far a system of the render phase has read. The name's hash, for a restore brings other ids.
typedef struct drawn_reader_t {
  uint64_t name;
  uint32_t event; // 0: has it started?
  uint64_t next;
} drawn_reader_t;

typedef struct reader_t {
  uint32_t reader, event;
  uint64_t next;
} reader_t;

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
  name_table_t manager_names;
  ARRAY(live_event_t *) events;
  uint32_t parent_manager, parent_column; // transform.parent, 0 when not declared
  uint32_t name_manager, name_column;     // name.value
  manager_o *disabled;                    // NULL when not declared

  ARRAY(alias_t) aliases;

  ARRAY(assemblage_t) assemblages; // by number - 1
  ARRAY(uint32_t) alive_by_name;   // by string id of the assemblage
  uint32_t plan_version;           // changes with every declaration and query
  uint32_t define_version;         // counts definitions
  bool defining, define_follows;   // they are being declared; and the last of `redefined` is about that
  ARRAY(redefined_t) redefined;
  void (*redefined_run)(world_o *w); // makes entities follow, state/definitions.c
  bool follows;                      // it is to be called when the commands have been applied
  chars_t declared_words;            // what was declared, and what was asked for last: for definitions.c
  chars_t wanted_words;
  world_definer_t definer;
  ARRAY(uint32_t) plan_managers; // while a plan is made

  ARRAY(query_o *) queries;
  ARRAY(query_o *) sleeping; // see live_query_t
  ARRAY(watcher_t) watchers;
  uint32_t (*words_of)(world_o *w, shoal_entity e);
  ARRAY(uint64_t) wants_words; // hashes of the names of systems that do, for a restore brings other watchers
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
  uint8_t links_written;   // world_links_written
  uint64_t links_passed;   // world_links_pass
  const rows_port_t *port; // NULL: nobody listens
  world_wish_t after_tick; // zeros for none

  ARRAY(added_t) added; // by manager id
  bool added_waiting;

  bool asking_died;            // the `died` hooks are being called: world_destroy joins the batch
  ARRAY(shoal_entity) batch;   // entities that die together; `died_by` says who destroyed each
  ARRAY(shoal_entity) scratch; // what a hook is told

  ARRAY(char) words;    // while last words are put together
  shoal_entity last_of; // whose rows leave now, or 0; what they were
  uint32_t last_words;

  ARRAY(shoal_entity) many;     // entities that get or lose a component together
  ARRAY(shoal_entity) matching; // those of them that a query begins to match
  ARRAY(uint32_t) rows;
  ARRAY(uint32_t) identity; // 0, 1, 2, …

  ticket_t tickets[TICKET_COUNT];
  uint32_t ticket_count, ticket_floor; // tickets up to the floor are forgotten
};

bool world_disables(const world_o *w, uint32_t instance, const manager_o *m); // a row of `disabled` of this name
static inline bool world_has_disabled(const world_o *w) {
  return w->disabled && w->disabled->count > 0;
}

static inline bool is_living(const world_o *w, shoal_entity e) {
  return entities_alive(&w->entities, e);
}

static inline bool is_marked(const world_o *w, shoal_entity e, uint8_t mark) { // false for what is not alive
  return is_living(w, e) && w->entities.marks[shoal_entity_index(e)] & mark;
}

// --- declare.c
// The defaults as columns hold them: numbers, and ids of interned texts. `initial` has field_count places.
void declared_defaults(world_o *w, const schema_t *schema, double *initial);

// --- assemblage.c
assemblage_t *assemblage_get(world_o *w, uint32_t number); // NULL for 0 and unknown ones
template_t *assemblage_template(assemblage_t *a, uint32_t state_name);
part_t *template_find(template_t *t, uint32_t manager, uint32_t instance);
// Brings the plan up to date. False with a message when it is its own descendant.
bool assemblage_plan(world_o *w, uint32_t number, error_t *error);
void assemblage_reset_manager(world_o *w, const manager_o *m); // its layout has changed
void assemblage_fini(world_o *w, assemblage_t *a);
void assemblage_free_all(world_o *w);

// --- redefine.c: between begin and end those that change are retired and declared anew
void redefine_begin(world_o *w, uint32_t words); // 0: nobody follows
void redefine_retire(world_o *w, uint32_t name); // nothing where code has declared it
void redefine_end(world_o *w);
bool redefine_was(const assemblage_t *a, uint32_t version); // was it what its name meant then?
// What a living entity was made by, if it is to follow and has not yet; else `now`, what its name means.
assemblage_t *redefine_made(world_o *w, shoal_entity e, assemblage_t *now);
void redefine_forget(world_o *w);
void redefine_drop(world_o *w, uint32_t depth); // those begun at this depth of deferral or deeper never were
void redefine_lift(world_o *w, uint32_t depth);
void redefine_settle(world_o *w); // what is gone goes, and the others lie in the order of their names

// --- structure.c: changes of managers, at sync points only
shoal_entity structure_create(world_o *w, uint32_t assemblage);
void structure_free(world_o *w, shoal_entity e, uint32_t by);
void structure_rename(world_o *w, shoal_entity e, uint32_t name); // its assemblage has another one now
void structure_mark(world_o *w, const shoal_entity *entities, uint32_t count, uint8_t mark, bool on);
// Marks those that are alive and do not carry the mark, and keeps these. → how many they are.
uint32_t structure_mark_new(world_o *w, shoal_entity *entities, uint32_t count, uint8_t mark);
void structure_spawn(world_o *w, uint32_t assemblage, const shoal_entity *entities, uint32_t count,
                     spawn_batch_t *block);
void structure_create_many(world_o *w, uint32_t assemblage, shoal_entity *out, uint32_t count);
void structure_make_child(world_o *w, shoal_entity e, shoal_entity parent, uint32_t name);
void structure_add(world_o *w, shoal_entity e, manager_o *m, uint32_t instance, const double *values);
bool structure_is_full(const manager_o *m, shoal_entity e); // it has as many instances as an entity may have
void structure_remove(world_o *w, shoal_entity e, manager_o *m, uint32_t instance);
// The same for those of many living entities that have none, or have one. Of a plain component; no entity is there
// twice. The list is used up.
void structure_add_many(world_o *w, manager_o *m, shoal_entity *entities, uint32_t count, const double *values);
void structure_remove_many(world_o *w, manager_o *m, shoal_entity *entities, uint32_t count);
void structure_enter(world_o *w, shoal_entity e, uint32_t state);
void structure_join_batch(world_o *w, const shoal_entity *entities, uint32_t count, uint32_t by);
void structure_destroy_batch(world_o *w);
void structure_flush_added(world_o *w);

// --- command.c
command_t *command_push(world_o *w); // the place for one more; all of it is to be written
void command_push_plain(world_o *w, command_kind_t kind, shoal_entity e, uint32_t a, uint32_t b);
void command_apply(world_o *w);                                    // everything that is queued
void command_mark_doomed(world_o *w, const command_t *c, bool on); // MARK_DOOMED of what it destroys, if it does
uint32_t command_by(const world_o *w); // who is destroying things now: a system's name, 0 for the host
// Makes the children (and theirs) of e and appends their spawns to `list`.
void command_spawn_children(world_o *w, shoal_entity e, uint32_t assemblage, commands_t *list);
void command_run(world_o *w, const command_t *c);                         // whatever it is, but for those that destroy
manager_o *command_manager(world_o *w, uint32_t manager, error_t *error); // of no single; NULL with a message
void command_run_spawn(world_o *w, const command_t *c);
bool command_room(world_o *w, uint64_t wanted, error_t *error);
void command_write(world_o *w, manager_o *m, uint32_t row, uint32_t column, double value); // one field, at once

// --- queued_adds.c
void queued_adds_clear(world_o *w); // and nothing that is queued goes on
// One more entity that the command at `command` spawns, which may have been noted already.
void queued_adds_note_spawned(world_o *w, uint32_t command, shoal_entity e, uint32_t assemblage);

// --- command_batch.c
void command_batch_run(world_o *w, const command_t *c);
uint32_t command_count_free(const world_o *w); // commands behind which more may join the last one
// A component is added or removed, or an entity destroyed; together with the commands before it, where they are of the
// same kind, those of components also by turns. `a`: as in command_t.
void command_batch_push(world_o *w, command_kind_t kind, shoal_entity e, uint32_t a, uint32_t instance);
// Repeated in scripts/shoal/lane.lua.
static inline uint32_t lane_code(command_kind_t kind, uint32_t manager) {
  return manager << 8 | kind;
}
static inline void lane_close(world_o *w) {
  w->lane.next = 0;
}
// COMMAND_TURNS: what it says of entity number `i` of its list.
static inline command_kind_t turn_kind(const command_t *c, uint32_t i) {
  return (command_kind_t)(c->d != 0 && i % 2 == 1 ? c->e >> 8 : c->e & 0xff);
}
static inline uint32_t turn_manager(const command_t *c, uint32_t i) {
  return c->d != 0 && i % 2 == 1 ? c->d : c->a;
}
void command_batch_run_turns(world_o *w, const command_t *c);

// --- spawn_batch.c
spawn_batch_t *spawn_batch_find(world_o *w, uint32_t number);
void spawn_batch_apply(world_o *w, uint32_t number);
void spawn_batch_free(world_o *w, spawn_batch_t *b);
void spawn_batch_free_applied(world_o *w);
void spawn_batch_drop(world_o *w, spawn_batch_t *b, uint32_t by); // its ids go back as well
void spawn_batch_drop_deeper(world_o *w, uint32_t depth,
                             uint32_t by); // those begun at this depth of deferral or deeper
void spawn_batch_lift(world_o *w, uint32_t depth);
void spawn_batch_forget_spares(world_o *w, const manager_o *m); // NULL: of all components

// --- event.c
live_event_t *event_create(world_o *w, uint32_t id, const schema_t *schema);
void event_destroy(world_o *w, live_event_t *ev);
void event_redeclare(world_o *w, live_event_t *ev, const schema_t *schema);
void event_apply(world_o *w, uint32_t event, uint32_t staged_row, uint32_t count);
void event_end_tick(world_o *w);
void event_forget_tickets(world_o *w);

// --- world.c Pages of indices that hold the same become one: those of one number in each call, round and round, in
// worlds with `least` pages of entities. At the end of a tick.
void world_share_pages(world_o *w, uint32_t least);

// --- query_observer.c A watcher that is not new although this world does not have it yet: only what is pending has not
// been heard of. Nothing when it is there.
void query_observer_resume(world_o *w, uint32_t system, query_o *q, const query_watch_t *pending, uint32_t count);
void query_observer_free_all(world_o *w);
bool query_observer_wants_words(const world_o *w, uint32_t system);
uint64_t query_observer_hash(const world_o *w, uint64_t seed);

// "entity(12:3)" into `out` (32 bytes); returns it.
char *entity_label(char *out, shoal_entity e);

#endif
