// The functions of a world, the same in a plugin, in a program with a host and in a program with the entity system
// alone.
//
//   shoal_world *w = shoal_world_of(context);                        // in a plugin (<shoal/plugin.h>)
//   shoal_world *w = shoal_host_world(host);                         // with a host (<shoal/host.h>)
//   shoal_world *w = shoal_ecs_create(SHOAL_COMPONENTS(heat, stove)); // with the entity system alone (<shoal/ecs.h>)
//
//   shoal_entity e = shoal_spawn(w, "tank");
//   SHOAL_SET(w, e, heat, (&(heat_values){.value = 3, .rate = 1}));  // all fields, from a struct
//   shoal_set(w, e, &heat_component, SHOAL_INDEX(heat, rate), 2);    // one field
//   shoal_view v;
//   if (shoal_query(w, &(shoal_wanted){.with = {"heat"}}, &v)) {
//     for (uint32_t i = 0; i < v.count; ++i)
//       SHOAL_COLUMN(&v, heat, value)[i] += 1;
//     shoal_query_end(w, &v);
//   }
//
// A component is named by the address of its declaration (SHOAL_COMPONENT, <shoal/declare.h>), or by what
// shoal_component_named returns. Declaration and world are matched by the names of component and fields.
//
// Changes are queued inside a system and while a query is open, and applied in their order when the system or the
// outermost query ends. Elsewhere they are applied at once.
//
// A function that fails returns false, NULL or 0 and changes nothing; shoal_why returns the reason. A plugin may call
// each function from the places that engine/docs/plugin_functions.md lists. A host or an entity system is used by the
// thread that created it.
//
// Part of the public headers: C11, usable from C++.
#ifndef SHOAL_WORLD_H
#define SHOAL_WORLD_H

#include "shoal/declare.h"
#include "shoal/entity.h"
#include "shoal/functions.h"
#include "shoal/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_world shoal_world;

// A value of an entity, for shoal_spawn_with and shoal_add_with. A component that the entity lacks is added.
typedef struct shoal_setting {
  const char *child;     // of a spawned child, "turret", or "turret/barrel" below it; NULL: of the entity itself
  const char *component; // its name
  const char *instance;  // the name of a row of SHOAL_KIND_MANY; NULL for others
  const char *field;     // "x", and of a vector "pos.x"; NULL: the component alone
  double number;         // bool 0 or 1, entity its id
  const char *text;      // of string, asset and enum; then `number` is ignored
} shoal_setting;

// Components by name, as in a shoal_system.
typedef struct shoal_wanted {
  const char *with[SHOAL_MAX_NAMES];
  const char *without[SHOAL_MAX_NAMES];
  const char *optional[SHOAL_MAX_NAMES];
  const char *any[SHOAL_MAX_NAMES];
  const char *reads[SHOAL_MAX_NAMES]; // those of the above that are not written
} shoal_wanted;

// What shoal_observe returns.
typedef struct shoal_lists {
  const shoal_entity *leave, *enter, *changed;
  uint32_t leave_count, enter_count, changed_count;
} shoal_lists;

// The table behind every world, generated from the list of functions.
typedef struct shoal_world_api {
#define SHOAL_API_MEMBER(name_, result_, otherwise_, where_, parameters_, ...) result_(*name_) parameters_;
  SHOAL_WORLD_FUNCTIONS(SHOAL_API_MEMBER)
  SHOAL_STATE_FUNCTIONS(SHOAL_API_MEMBER)
#undef SHOAL_API_MEMBER
} shoal_world_api;

struct shoal_world { // the host's data follows
  const shoal_world_api *api;
};

// Why the last call on this thread failed, in one sentence; "" if it did not. Valid until the next call. Any thread.
static inline const char *shoal_why(shoal_world *w) {
  return w->api->why(w);
}

// ------------------------------------------------------------------------------------------------------------- columns

// The columns of a component of an open query, or of the query of a plugin's system:
// SHOAL_COLUMNS(v, heat)->value[i], or one of them with SHOAL_COLUMN. Valid until the query or the system ends.
// Pointers are NULL if the query does not name the component, and in a plugin if it is in neither .components nor
// .uses.
#define SHOAL_COLUMNS(view_, name_) ((const name_##_columns *)shoal_view_columns(view_, &name_##_component))
#define SHOAL_COLUMN(view_, name_, field_) (SHOAL_COLUMNS(view_, name_)->field_)
// The same for a table: SHOAL_IN(shoal_rows_of(w, &heat_component), heat)->value[row].
#define SHOAL_IN(table_, name_) ((const name_##_columns *)(const void *)(table_).columns)

static inline const shoal_term *shoal_view_term(const shoal_view *v, const shoal_component *component) {
  for (uint32_t i = 0; i < v->term_count; ++i)
    if (v->terms[i].component == component)
      return &v->terms[i];
  return NULL;
}

static inline const void *shoal_view_columns(const shoal_view *v, const shoal_component *component) {
  static const void *const none[SHOAL_MAX_FIELDS] = {0};
  const shoal_term *term = shoal_view_term(v, component);
  return term && term->columns ? (const void *)term->columns : (const void *)none;
}

// Returns whether row i has the `optional` or `any` component. True for components that all rows have.
static inline bool shoal_view_has(const shoal_view *v, const shoal_component *component, uint32_t row) {
  const shoal_term *term = shoal_view_term(v, component);
  return term && (!term->there || term->there[row]);
}

// --------------------------------------------------------------------------------------------------- components, texts

// Declares a component, single or event in a world with the entity system alone. Elsewhere the game or its plugins
// declare it: returns whether the world has it with these fields. The same again is no change; another layout is taken
// while no entity has the component.
static inline bool shoal_declare(shoal_world *w, const shoal_component *component) {
  return w->api->declare(w, component);
}

// Returns a component, single or event that was not declared when this was compiled. Its fields, and with them its
// columns, are all that it has, in the order of the store. NULL if it does not exist. Valid while the world (in a
// plugin: the plugin) exists.
static inline const shoal_component *shoal_component_named(shoal_world *w, const char *name) {
  return w->api->component_named(w, name);
}

// Returns the number of a column by name, "x", and of a vector "pos.x"; SHOAL_NO_COLUMN if the component lacks it.
#define SHOAL_NO_COLUMN UINT32_MAX
static inline uint32_t shoal_column_named(const shoal_component *component, const char *field) {
  static const char axes[] = "xyzw";
  uint32_t column = 0;
  for (uint32_t i = 0; i < component->field_count; ++i) {
    const shoal_field *f = &component->fields[i];
    size_t length = strlen(f->name);
    uint32_t width = f->type == SHOAL_TYPE_vec2                                 ? 2
                     : f->type == SHOAL_TYPE_vec3                               ? 3
                     : f->type == SHOAL_TYPE_vec4 || f->type == SHOAL_TYPE_quat ? 4
                                                                                : 1;
    if (width == 1 && strcmp(f->name, field) == 0)
      return column;
    for (uint32_t k = 0; k < width && width > 1; ++k)
      if (strncmp(f->name, field, length) == 0 && field[length] == '.' && field[length + 1] == axes[k] &&
          field[length + 2] == '\0')
        return column + k;
    column += width;
  }
  return SHOAL_NO_COLUMN;
}

// Columns of strings and assets store ids of the world's texts. Ids are kept alive by columns only: memory of your own
// keeps the text itself, never an id from tick to tick.

// Returns the text of an id, "" for 0. Valid until the next shoal_text_id.
static inline const char *shoal_text(shoal_world *w, uint32_t id) {
  return w->api->text(w, id);
}

// Returns the id of a text; 0 for "". In a plugin new texts get an id in systems that are not parallel and in
// functions; elsewhere the id is 0.
static inline uint32_t shoal_text_id(shoal_world *w, const char *text) {
  return w->api->text_id(w, text);
}

// ------------------------------------------------------------------------------------------------------------ entities

// False also for an entity whose destruction is queued. Safe for any value.
static inline bool shoal_alive(shoal_world *w, shoal_entity e) {
  return w->api->alive(w, e);
}

// Returns the first entity whose component `name` has this value; 0 if there is none.
static inline shoal_entity shoal_find(shoal_world *w, const char *name) {
  return w->api->find(w, name);
}

// Creates `count` entities from an assemblage ("" for entities without components) and writes them to `out` (caller's,
// may be NULL). They are alive at once. Returns `count`, or 0.
static inline uint32_t shoal_spawn_many(shoal_world *w, const char *assemblage, uint32_t count, shoal_entity *out) {
  return w->api->spawn_many(w, assemblage, count, out);
}

static inline shoal_entity shoal_spawn(shoal_world *w, const char *assemblage) { // 0 on failure
  shoal_entity e = SHOAL_ENTITY_NONE;
  return w->api->spawn_many(w, assemblage, 1, &e) == 1 ? e : SHOAL_ENTITY_NONE;
}

// Creates one entity with its children, its initial state and these values. 0 on failure: nothing is created.
static inline shoal_entity shoal_spawn_with(shoal_world *w, const char *assemblage, const shoal_setting *settings,
                                            uint32_t count) {
  return w->api->spawn_with(w, assemblage, settings, count, NULL, 0);
}

// The same; writes to `tree` (caller's, `room` long) the entity and then child after child, each followed by its own
// children, in the order in which the assemblage declares them.
static inline shoal_entity shoal_spawn_tree(shoal_world *w, const char *assemblage, const shoal_setting *settings,
                                            uint32_t count, shoal_entity *tree, uint32_t room) {
  return w->api->spawn_with(w, assemblage, settings, count, tree, room);
}

// Destroys entities; dead ones are skipped. Of shoal_kill the result is false for a dead one.
static inline bool shoal_kill_many(shoal_world *w, const shoal_entity *entities, uint32_t count) {
  return w->api->kill_many(w, entities, count);
}

static inline bool shoal_kill(shoal_world *w, shoal_entity e) {
  return w->api->kill_many(w, &e, 1);
}

static inline bool shoal_has(shoal_world *w, shoal_entity e, const shoal_component *component) {
  return w->api->has(w, e, component);
}

// Adds a component with its defaults; an existing one is not changed. False if the entity is dead. `instance` names a
// row of SHOAL_KIND_MANY and is NULL for others.
static inline bool shoal_add_named(shoal_world *w, shoal_entity e, const shoal_component *component,
                                   const char *instance) {
  return w->api->add_named(w, e, component, instance);
}

static inline bool shoal_add(shoal_world *w, shoal_entity e, const shoal_component *component) {
  return w->api->add_named(w, e, component, NULL);
}

// False if the entity does not have the component.
static inline bool shoal_remove_named(shoal_world *w, shoal_entity e, const shoal_component *component,
                                      const char *instance) {
  return w->api->remove_named(w, e, component, instance);
}

static inline bool shoal_remove(shoal_world *w, shoal_entity e, const shoal_component *component) {
  return w->api->remove_named(w, e, component, NULL);
}

// Writes one number; bool 0 or 1, enum its index, entity and text their id. `column` is SHOAL_INDEX(heat, value). The
// value also reaches a component that a queued change adds. Entity 0 stands for the row of a single. False if the
// entity neither has the component nor gets it; for SHOAL_KIND_MANY use shoal_set_named.
static inline bool shoal_set_named(shoal_world *w, shoal_entity e, const shoal_component *component,
                                   const char *instance, uint32_t column, double value) {
  return w->api->set_named(w, e, component, instance, column, value);
}

static inline bool shoal_set(shoal_world *w, shoal_entity e, const shoal_component *component, uint32_t column,
                             double value) {
  return w->api->set_named(w, e, component, NULL, column, value);
}

// Reads one number as it is now: queued changes are not applied yet. False if the entity does not have the component.
static inline bool shoal_get_named(shoal_world *w, shoal_entity e, const shoal_component *component,
                                   const char *instance, uint32_t column, double *value) {
  return w->api->get_named(w, e, component, instance, column, value);
}

static inline bool shoal_get(shoal_world *w, shoal_entity e, const shoal_component *component, uint32_t column,
                             double *value) {
  return w->api->get_named(w, e, component, NULL, column, value);
}

// The same by text, for fields of strings, assets and enums (one of its choices).
static inline bool shoal_set_text_named(shoal_world *w, shoal_entity e, const shoal_component *component,
                                        const char *instance, uint32_t column, const char *text) {
  return w->api->set_text_named(w, e, component, instance, column, text);
}

static inline bool shoal_set_text(shoal_world *w, shoal_entity e, const shoal_component *component, uint32_t column,
                                  const char *text) {
  return w->api->set_text_named(w, e, component, NULL, column, text);
}

// Returns the text that a number of this column stands for; "" for 0 in a string or asset column, and on failure. Valid
// until the next shoal_text_id.
static inline const char *shoal_text_of(shoal_world *w, const shoal_component *component, uint32_t column,
                                        uint32_t number) {
  return w->api->text_of(w, component, column, number);
}

// Returns the text of a field; "" on failure.
static inline const char *shoal_field_text(shoal_world *w, shoal_entity e, const shoal_component *component,
                                           uint32_t column) {
  double number = 0;
  return w->api->get_named(w, e, component, NULL, column, &number)
             ? w->api->text_of(w, component, column, (uint32_t)number)
             : "";
}

// Adds components to an entity and sets fields by the names of component and field, as shoal_spawn_with does; `child`
// is NULL. All settings are checked first.
static inline bool shoal_add_with(shoal_world *w, shoal_entity e, const shoal_setting *settings, uint32_t count) {
  return w->api->add_with(w, e, settings, count);
}

// All fields from or to a struct: heat_values for the component heat. `size` is the size of the struct. A component
// with a mat4 cannot be written while changes are queued.
static inline bool shoal_set_struct(shoal_world *w, shoal_entity e, const shoal_component *component,
                                    const void *values, size_t size) {
  return w->api->set_struct(w, e, component, values, size);
}

static inline bool shoal_get_struct(shoal_world *w, shoal_entity e, const shoal_component *component, void *values,
                                    size_t size) {
  return w->api->get_struct(w, e, component, values, size);
}

#define SHOAL_SET(world_, entity_, name_, values_)                                                                     \
  shoal_set_struct(world_, entity_, &name_##_component, values_, sizeof(name_##_values))
#define SHOAL_GET(world_, entity_, name_, values_)                                                                     \
  shoal_get_struct(world_, entity_, &name_##_component, values_, sizeof(name_##_values))

// Switches the entity to a state of its assemblage: the components of the previous state are removed, those of the new
// one added. False if the entity is dead or the state does not exist.
static inline bool shoal_enter(shoal_world *w, shoal_entity e, const char *state) {
  return w->api->enter(w, e, state);
}

// Returns the current state; "" without one and of dead entities. Valid until the next shoal_text_id.
static inline const char *shoal_state_of(shoal_world *w, shoal_entity e) {
  return w->api->state_of(w, e);
}

// Writes the entities whose transform.parent is `e` to `out` (caller's, `room` long); returns their number. Queued
// changes are not applied yet. The entity system alone has no transforms.
static inline uint32_t shoal_children(shoal_world *w, shoal_entity e, shoal_entity *out, uint32_t room) {
  return w->api->children(w, e, out, room);
}

// ---------------------------------------------------------------------------------------------------- rows and queries

// All rows of a component or single; `count` is 0 and `columns` are NULL if it does not exist. Valid until rows are
// added or removed. In a plugin reading is allowed in every phase and on every thread. While a system or query is open,
// its view has copies of columns whose rows lie in another order: what is written through the table to a component of
// the view may be overwritten. With a host, see shoal_query for writing.
static inline shoal_table shoal_rows_of(shoal_world *w, const shoal_component *component) {
  return w->api->rows_of(w, component);
}

// The rows of many entities at once, into `rows` (caller's, `count` long): SHOAL_NO_ROW for dead entities and those
// without the component. Of SHOAL_KIND_MANY the first row. In plugins: any thread.
static inline bool shoal_rows(shoal_world *w, const shoal_component *component, const shoal_entity *entities,
                              uint32_t count, uint32_t *rows) {
  return w->api->rows(w, component, entities, count, rows);
}

static inline uint32_t shoal_row(shoal_world *w, const shoal_component *component, shoal_entity e) {
  uint32_t row = SHOAL_NO_ROW;
  w->api->rows(w, component, &e, 1, &row);
  return row;
}

// The row of this name; SHOAL_NO_ROW if there is none.
static inline uint32_t shoal_row_named(shoal_world *w, const shoal_component *component, shoal_entity e,
                                       const char *instance) {
  return w->api->row_named(w, component, e, instance);
}

// Opens a view of the rows that match, as the view of a system: columns of components that were declared or found with
// shoal_component_named. The values are in the world after shoal_query_end, in a plugin also when the call ends. A
// query that was made once is kept: ask for the same ones, not for thousands. Values written by a host's query are no
// part of a recording: while one is made the query must name all its components in `reads`, and while one is played a
// host has no queries.
static inline bool shoal_query(shoal_world *w, const shoal_wanted *wanted, shoal_view *out) {
  return w->api->query(w, wanted, out);
}

// Closes the view, and the queries that were opened after it.
static inline bool shoal_query_end(shoal_world *w, const shoal_view *v) {
  return w->api->query_end(w, v);
}

// A view over a component of SHOAL_KIND_MANY has a row for each instance: returns the text id of the instance's name in
// this row, 0 for a row without one.
static inline uint32_t shoal_instance(shoal_world *w, const shoal_view *v, const shoal_component *component,
                                      uint32_t row) {
  return w->api->instance(w, v, component, row);
}

// -------------------------------------------------------------------------------------------------------------- events

// Adds `count` rows to an event, with their defaults, at most SHOAL_MAX_EMIT; write them through the columns
// (SHOAL_EMIT) and send them with shoal_emit_end. One event at a time. In a system, readers see them after it has
// ended.
static inline void *const *shoal_emit_begin(shoal_world *w, const shoal_component *event, uint32_t count) {
  return w->api->emit_begin(w, event, count);
}

static inline bool shoal_emit_end(shoal_world *w, const shoal_component *event) {
  return w->api->emit_end(w, event);
}

// const hit_columns *out = SHOAL_EMIT(w, hit, n); …; shoal_emit_end(w, &hit_component);
#define SHOAL_EMIT(world_, name_, count_)                                                                              \
  ((const name_##_columns *)(const void *)shoal_emit_begin(world_, &name_##_component, count_))

// The rows of an event that this system, or this program, has not heard yet, without the cancelled ones. Events live
// until the end of the next tick. In a plugin the rows count as heard when the system ends. Valid until then, in a
// program until the next call.
static inline shoal_table shoal_hear(shoal_world *w, const shoal_component *event) {
  return w->api->hear(w, event);
}

// ----------------------------------------------------------------------------------------------------------- observers

// Lists what has happened since the previous call with this name: the entities that ceased to match (they may be dead)
// and those that began to match, in the order in which that happened; and with `compares` those whose value in a
// component of `with` changed, in the order of their indices, without those that began to match. The first call lists
// every entity that matches in `enter`. Comparing costs a copy of these components and a comparison in each tick. The
// lists are valid until the next call with this name or until time passes. What is not listed yet is a part of the
// world: saved, rewound and replayed. In a plugin a name belongs to the plugin; <shoal/observe.h> has systems that are
// called with such lists.
static inline bool shoal_observe(shoal_world *w, const char *name, const shoal_wanted *wanted, bool compares,
                                 shoal_lists *out) {
  return w->api->observe(w, name, wanted, compares, out);
}

// ----------------------------------------------------------------------------------------------------- the whole world
// For hosts and the entity system alone: a plugin is refused. Not while a query is open.

// A hash of everything that the simulation depends on: worlds with the same hash have the same future. Reads the whole
// world.
static inline uint64_t shoal_hash(shoal_world *w) {
  return w->api->hash(w);
}

// Returns the size of the world's state in bytes, and copies it to `bytes` if `room` is large enough. 0 on failure.
static inline size_t shoal_snapshot(shoal_world *w, void *bytes, size_t room) {
  return w->api->snapshot(w, bytes, room);
}

// Replaces the state of the world with that of a snapshot of a world with the same declarations.
static inline bool shoal_restore(shoal_world *w, const void *bytes, size_t size) {
  return w->api->restore(w, bytes, size);
}

// A host writes the files that its game saves; the entity system writes a snapshot with a checksum.
static inline bool shoal_save(shoal_world *w, const char *path) {
  return w->api->save(w, path);
}

static inline bool shoal_load(shoal_world *w, const char *path) {
  return w->api->load(w, path);
}

#ifdef __cplusplus
}
#endif

#endif
