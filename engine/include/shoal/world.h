// The functions of a world, which are the same in a plugin, in a program with a host, and with the standalone entity
// system.
//
//   shoal_world *w = shoal_get_world(context);                        // in a plugin (<shoal/plugin.h>)
//   shoal_world *w = shoal_host_world(host);                         // with a host (<shoal/host.h>)
//   shoal_world *w = shoal_ecs_create(SHOAL_COMPONENTS(heat, stove)); // with the standalone ECS (<shoal/ecs.h>)
//
//   shoal_entity e = shoal_spawn(w, "tank");
//   SHOAL_SET(w, e, heat, (&(heat_values){.value = 3, .rate = 1}));  // all fields, from a struct
//   shoal_set(w, e, &heat_component, SHOAL_COLUMN_INDEX(heat, rate), 2);    // one field
//   shoal_view v;
//   if (shoal_query_begin(w, &(shoal_query_desc){.with = {"heat"}}, &v)) {
//     for (uint32_t i = 0; i < v.count; ++i)
//       SHOAL_COLUMN(&v, heat, value)[i] += 1;
//     shoal_query_end(w, &v);
//   }
//
// A component is passed as the address of its declaration (SHOAL_COMPONENT, <shoal/declare.h>), or as the result of
// shoal_find_component. A declaration is matched to a component of the world by the names of the component and its
// fields.
//
// Inside a system and while a query is open, changes are queued and applied in order when the system or the outermost
// query ends. Elsewhere they are applied immediately.
//
// A function that fails returns false, NULL or 0 and changes nothing. shoal_last_error returns the reason. Functions
// that take an entity accept any handle and fail if the entity is not alive. Functions that take a component fail if
// the world lacks the component, or if the calling plugin lists the component in neither `.components` nor `.uses`. In
// a plugin, engine/docs/plugin_functions.md lists the places from which each function may be called. The world of a
// host or of the entity system belongs to the thread that created it.
//
// <shoal/relation.h> has the functions for pairs of entities.
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
typedef struct shoal_pair shoal_pair; // defined in <shoal/relation.h>

// A component or field to set on an entity, for shoal_spawn_with and shoal_add_with. A missing component is added.
typedef struct shoal_field_value {
  const char *child SHOAL_ZERO;     // path of a spawned child, "turret" or "turret/barrel"; NULL: the entity itself
  const char *component SHOAL_ZERO; // name of the component
  const char *instance SHOAL_ZERO;  // row name of a SHOAL_KIND_MANY component; NULL for other components
  const char *field SHOAL_ZERO;     // name of a field, "x" or "pos.x" (part of a vector); NULL: adds the component only
  double number SHOAL_ZERO;         // value of the field; 0 or 1 for bool, the handle for entity
  const char *string
      SHOAL_ZERO; // value of a string, asset or enum field, used instead of `number`; NULL for other types
} shoal_field_value;

// A query: lists of component names, with the same meaning as in a shoal_system.
typedef struct shoal_query_desc {
  const char *with[SHOAL_MAX_NAMES] SHOAL_ZERO;
  const char *without[SHOAL_MAX_NAMES] SHOAL_ZERO;
  const char *optional[SHOAL_MAX_NAMES] SHOAL_ZERO;
  const char *any[SHOAL_MAX_NAMES] SHOAL_ZERO;
  const char *reads[SHOAL_MAX_NAMES] SHOAL_ZERO; // components of the lists above whose columns are not written
} shoal_query_desc;

// The lists of shoal_observe_changes.
typedef struct shoal_observed {
  const shoal_entity *left, *entered, *changed;
  uint32_t left_count, entered_count, changed_count;
} shoal_observed;

// The table of the functions of a world, generated from SHOAL_WORLD_FUNCTIONS and SHOAL_STATE_FUNCTIONS.
typedef struct shoal_world_api {
#define SHOAL_API_MEMBER(name_, result_, fallback_, where_, parameters_, ...) result_(*name_) parameters_;
  SHOAL_WORLD_FUNCTIONS(SHOAL_API_MEMBER)
  SHOAL_STATE_FUNCTIONS(SHOAL_API_MEMBER)
#undef SHOAL_API_MEMBER
} shoal_world_api;

struct shoal_world { // private members of the host follow
  const shoal_world_api *api;
};

// Returns the reason why the last call on this thread failed, or "" if the call succeeded. Valid until the next call.
// Any thread.
SHOAL_NODISCARD static inline const char *shoal_last_error(shoal_world *w) {
  return w->api->last_error(w);
}

// --- columns

// The columns of a component in the view of an open query or of a plugin's system: SHOAL_COLUMNS(v, heat)->value[i].
// SHOAL_COLUMN returns one column. Valid until the query or the system ends. The pointers are NULL if the query does
// not name the component or, in a plugin, if the component is in neither `.components` nor `.uses`. If a plugin then
// crashes, the report names the component. In other programs, the lookup sets shoal_last_error, and the first lookup
// on each line is also logged, in the standalone ECS to stderr. To test whether a view has a component, call
// shoal_view_term.
#define SHOAL_COLUMNS(view_, name_)                                                                                    \
  ((const name_##_columns *)shoal_view_columns_at(view_, &name_##_component, __FILE__, __LINE__))
#define SHOAL_COLUMN(view_, name_, field_) (SHOAL_COLUMNS(view_, name_)->field_)
// The same columns as pointers to const, for a component that is only read (`reads`).
#define SHOAL_CONST_COLUMNS(view_, name_)                                                                              \
  ((const name_##_const_columns *)shoal_view_columns_at(view_, &name_##_component, __FILE__, __LINE__))
#define SHOAL_CONST_COLUMN(view_, name_, field_) (SHOAL_CONST_COLUMNS(view_, name_)->field_)
// The columns of a component in a shoal_rows: SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &heat_component), heat)->value[row].
#define SHOAL_ROWS_COLUMNS(rows_, name_) ((const name_##_columns *)(const void *)(rows_).columns)
// The same columns as pointers to const: the rows of an event are only read.
#define SHOAL_ROWS_CONST_COLUMNS(rows_, name_) ((const name_##_const_columns *)(const void *)(rows_).columns)

// Returns the term of a component in a view, or NULL if the query does not name the component.
SHOAL_NODISCARD static inline const shoal_term *shoal_view_term(const shoal_view *v, const shoal_component *component) {
  for (uint32_t i = 0; i < v->term_count; ++i)
    if (v->terms[i].component == component)
      return &v->terms[i];
  return NULL;
}

// Returns an array with the column pointers of a component in a view. The pointers are NULL in the cases listed for
// SHOAL_COLUMNS. The report then contains `file` and `line`, which may be NULL and 0.
SHOAL_NODISCARD static inline const void *shoal_view_columns_at(const shoal_view *v, const shoal_component *component,
                                                                const char *file, int line) {
  static const void *const none[SHOAL_MAX_COLUMNS] = {0};
  const shoal_term *term = shoal_view_term(v, component);
  if (term && (term->columns || component->column_count == 0))
    return term->columns ? (const void *)term->columns : (const void *)none;
  if (v->report_missing)
    v->report_missing(v, component, file, line);
  return (const void *)none;
}

// Like shoal_view_columns_at, without a source location.
SHOAL_NODISCARD static inline const void *shoal_view_columns(const shoal_view *v, const shoal_component *component) {
  return shoal_view_columns_at(v, component, NULL, 0);
}

// Returns true if a row has a component of the query. Always true for a component that is neither `optional` nor `any`.
SHOAL_NODISCARD static inline bool shoal_view_has(const shoal_view *v, const shoal_component *component, uint32_t row) {
  const shoal_term *term = shoal_view_term(v, component);
  return term && (!term->present || term->present[row]);
}

// --- components and strings

// Declares a component, singleton or event in a world of the standalone entity system. Repeating a declaration has no
// effect. A declaration with a different layout replaces the old one, provided that no entity has the component. Fails
// while a query is open, if the declaration is invalid, or if it adds a manager to a component with rows or a manager.
//
// In a plugin and with a host, where the game and its plugins declare components, returns true if the world has the
// component with these fields. With a host, queries can name the component from then on.
static inline bool shoal_declare(shoal_world *w, const shoal_component *component) {
  return w->api->declare(w, component);
}

// Returns a component, singleton or event by name, without a declaration in C, or NULL if the name is unknown. The
// result has all fields, in the order in which they are stored, and is valid as long as the world or, in a plugin, as
// long as the plugin. In a system with `.concurrent`, finds only the components of `.reads` that are not in its query.
// In all other parallel systems, always returns NULL.
SHOAL_NODISCARD static inline const shoal_component *shoal_find_component(shoal_world *w, const char *name) {
  return w->api->find_component(w, name);
}

// Returns the index of a column, such as "x" or, for a part of a vector, "pos.x", or SHOAL_NO_COLUMN if the column does
// not exist.
#define SHOAL_NO_COLUMN UINT32_MAX
SHOAL_NODISCARD static inline uint32_t shoal_find_column(const shoal_component *component, const char *field) {
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

// String and asset columns store ids of the world's string table. The table keeps only the strings that columns refer
// to, so do not keep an id in your own memory across ticks. Copy the string instead.

// Returns the string of an id, "" for 0. Valid until the next shoal_intern.
SHOAL_NODISCARD static inline const char *shoal_string(shoal_world *w, uint32_t id) {
  return w->api->string(w, id);
}

// Returns the id of a string, adding the string to the table if necessary, or 0 for "". A new string changes the hash
// of the world. To compare a column with a string, use shoal_find_interned instead. In a plugin, new strings are added
// only in systems that run alone, functions and commands. Elsewhere their id is 0.
static inline uint32_t shoal_intern(shoal_world *w, const char *string) {
  return w->api->intern(w, string);
}

// Returns the id of a string, or 0 if the string table does not contain the string. Does not change the world.
SHOAL_NODISCARD static inline uint32_t shoal_find_interned(shoal_world *w, const char *string) {
  return w->api->find_interned(w, string);
}

// --- entities

// While changes are queued, a spawned entity has no rows yet. For a spawned entity, shoal_has, shoal_get,
// shoal_get_struct, shoal_entity_state, shoal_entity_name and shoal_get_children include the queued changes. For all
// other entities, these functions ignore queued changes. Queries, rows and shoal_find_entity skip a spawned entity
// until the queue is applied. Parts of a parallel system cannot read such an entity.

// Returns true if an entity is alive, or false once its destruction is queued.
SHOAL_NODISCARD static inline bool shoal_is_alive(shoal_world *w, shoal_entity e) {
  return w->api->is_alive(w, e);
}

// Returns the first entity whose component `name` has this value, or 0 if no entity has this name.
SHOAL_NODISCARD static inline shoal_entity shoal_find_entity(shoal_world *w, const char *name) {
  return w->api->find_entity(w, name);
}

// Creates `count` entities from an assemblage ("" or NULL: entities without components) and writes them to `out` (may
// be NULL). The entities are alive immediately. Their components are added when queued changes are applied. Returns
// `count`, or 0 if the assemblage does not exist, nests children too deeply, or does not fit in the world.
static inline uint32_t shoal_spawn_many(shoal_world *w, const char *assemblage, uint32_t count, shoal_entity *out) {
  return w->api->spawn_many(w, assemblage, count, out);
}

// Creates one entity from an assemblage. Returns the entity, or 0 on failure.
static inline shoal_entity shoal_spawn(shoal_world *w, const char *assemblage) {
  shoal_entity e = SHOAL_ENTITY_NONE;
  return w->api->spawn_many(w, assemblage, 1, &e) == 1 ? e : SHOAL_ENTITY_NONE;
}

// Creates one entity from an assemblage, with its children, its initial state and the given values, at most 4,096.
// Returns the entity, or 0 without an effect if the assemblage does not exist or spawns more than 65,536 entities, if
// the world is full, or if a component, field, child or value is invalid.
static inline shoal_entity shoal_spawn_with(shoal_world *w, const char *assemblage, const shoal_field_value *values,
                                            uint32_t count) {
  return w->api->spawn_with(w, assemblage, values, count, NULL, 0);
}

// Like shoal_spawn_with. Also writes the entity and its descendants to `tree`, depth first, with children in the order
// in which the assemblage declares them. `tree` has `capacity` elements. Unused elements are set to 0.
static inline shoal_entity shoal_spawn_tree(shoal_world *w, const char *assemblage, const shoal_field_value *values,
                                            uint32_t count, shoal_entity *tree, uint32_t capacity) {
  return w->api->spawn_with(w, assemblage, values, count, tree, capacity);
}

// Destroys entities and, in worlds with transforms, their descendants. Entities that are not alive are skipped. The
// result is then false, except in parallel systems, where it is always true.
static inline bool shoal_destroy_many(shoal_world *w, const shoal_entity *entities, uint32_t count) {
  return w->api->destroy_many(w, entities, count);
}

// Destroys an entity. Fails if the entity is not alive.
static inline bool shoal_destroy(shoal_world *w, shoal_entity e) {
  return w->api->destroy_many(w, &e, 1);
}

// Returns true if an entity has a component, ignoring queued changes to an entity that has rows.
SHOAL_NODISCARD static inline bool shoal_has(shoal_world *w, shoal_entity e, const shoal_component *component) {
  return w->api->has(w, e, component);
}

// Adds a component with its default values. Does not change an existing row. `instance` is the row name for a
// SHOAL_KIND_MANY component (NULL or "": the row without a name), and NULL for other components. Fails for a singleton
// and, unless changes are queued, if the entity already has 1,024 rows of the component.
static inline bool shoal_add_instance(shoal_world *w, shoal_entity e, const shoal_component *component,
                                      const char *instance) {
  return w->api->add_instance(w, e, component, instance);
}

// Adds a component with its default values. Does not change an existing row.
static inline bool shoal_add(shoal_world *w, shoal_entity e, const shoal_component *component) {
  return w->api->add_instance(w, e, component, NULL);
}

// Removes a component. For a SHOAL_KIND_MANY component, removes the row `instance`, or all rows if `instance` is NULL
// or "". Fails if the entity does not have the component or row, or if a component of the entity requires the removed
// component. In systems with `.parallel` or `.concurrent`, requirements are checked when the removal is applied: a
// required component is then kept, with a warning.
static inline bool shoal_remove_instance(shoal_world *w, shoal_entity e, const shoal_component *component,
                                         const char *instance) {
  return w->api->remove_instance(w, e, component, instance);
}

// Removes a component, like shoal_remove_instance with `instance` NULL.
static inline bool shoal_remove(shoal_world *w, shoal_entity e, const shoal_component *component) {
  return w->api->remove_instance(w, e, component, NULL);
}

// Sets one field to a number: 0 or 1 for bool, the index of the choice for enum, the handle or id for entity and
// string. Other types are converted as in <shoal/number.h>. `column` is SHOAL_COLUMN_INDEX(heat, value). For a
// singleton, `e` is 0. Also sets fields of a component whose addition is queued. Fails if the entity does not have the
// component and no addition is queued, if the column is out of range or derived, or if the component is SHOAL_KIND_MANY
// and `instance` is NULL.
static inline bool shoal_set_instance(shoal_world *w, shoal_entity e, const shoal_component *component,
                                      const char *instance, uint32_t column, double value) {
  return w->api->set_instance(w, e, component, instance, column, value);
}

// Sets one field to a number, like shoal_set_instance. Not for SHOAL_KIND_MANY.
static inline bool shoal_set(shoal_world *w, shoal_entity e, const shoal_component *component, uint32_t column,
                             double value) {
  return w->api->set_instance(w, e, component, NULL, column, value);
}

// Reads one field as a number, ignoring queued changes to an entity that has rows. For a singleton, `e` is 0. Fails if
// the entity does not have the component, if the column is out of range or derived, or if the component is
// SHOAL_KIND_MANY and `instance` is NULL.
static inline bool shoal_get_instance(shoal_world *w, shoal_entity e, const shoal_component *component,
                                      const char *instance, uint32_t column, double *value) {
  return w->api->get_instance(w, e, component, instance, column, value);
}

// Reads one field as a number, like shoal_get_instance. Not for SHOAL_KIND_MANY.
static inline bool shoal_get(shoal_world *w, shoal_entity e, const shoal_component *component, uint32_t column,
                             double *value) {
  return w->api->get_instance(w, e, component, NULL, column, value);
}

// Like shoal_set_instance, for a string, asset or enum field: sets the field from a string, which for an enum must be
// one of the choices. In a parallel system, fails for a string that is not in the world's string table yet.
static inline bool shoal_set_string_instance(shoal_world *w, shoal_entity e, const shoal_component *component,
                                             const char *instance, uint32_t column, const char *string) {
  return w->api->set_string_instance(w, e, component, instance, column, string);
}

// Sets a string, asset or enum field, like shoal_set_string_instance. Not for SHOAL_KIND_MANY.
static inline bool shoal_set_string(shoal_world *w, shoal_entity e, const shoal_component *component, uint32_t column,
                                    const char *string) {
  return w->api->set_string_instance(w, e, component, NULL, column, string);
}

// Returns the string that a number in a string, asset or enum column represents, or "" for 0 in a string or asset
// column, and on failure. Valid until the next shoal_intern.
SHOAL_NODISCARD static inline const char *shoal_get_column_string(shoal_world *w, const shoal_component *component,
                                                                  uint32_t column, uint32_t number) {
  return w->api->get_column_string(w, component, column, number);
}

// Returns the value of a string, asset or enum field, or "" on failure. Valid until the next shoal_intern.
SHOAL_NODISCARD static inline const char *shoal_get_string(shoal_world *w, shoal_entity e,
                                                           const shoal_component *component, uint32_t column) {
  double number = 0;
  return w->api->get_instance(w, e, component, NULL, column, &number)
             ? w->api->get_column_string(w, component, column, (uint32_t)number)
             : "";
}

// Adds components to an entity and sets fields by name, as shoal_spawn_with does. `child` must be NULL. Fails, and
// changes nothing, if the entity is not alive, if any of the values is invalid, or if there are more than 4,096 values.
static inline bool shoal_add_with(shoal_world *w, shoal_entity e, const shoal_field_value *values, uint32_t count) {
  return w->api->add_with(w, e, values, count);
}

// Sets all fields of a component from a struct: heat_values for the component heat. `size` is the size of the struct.
// Fails like shoal_set, and for a component with a mat4 while changes are queued. Not for SHOAL_KIND_MANY. Prefer
// SHOAL_SET.
static inline bool shoal_set_struct(shoal_world *w, shoal_entity e, const shoal_component *component,
                                    const void *values, size_t size) {
  return w->api->set_struct(w, e, component, values, size);
}

// Reads all fields of a component into a struct, ignoring queued changes to an entity that has rows. Fails like
// shoal_get. Prefer SHOAL_GET.
static inline bool shoal_get_struct(shoal_world *w, shoal_entity e, const shoal_component *component, void *values,
                                    size_t size) {
  return w->api->get_struct(w, e, component, values, size);
}

// The address of a heat_values as an argument: SHOAL_VALUES(heat, &values). Other types, except void, do not compile.
#ifdef __cplusplus
#define SHOAL_VALUES(name_, values_) static_cast<name_##_values *>(values_)
#define SHOAL_CONST_VALUES(name_, values_) static_cast<const name_##_values *>(values_)
#else
#define SHOAL_VALUES(name_, values_) _Generic((values_), name_##_values * : (values_), void * : (values_))
#define SHOAL_CONST_VALUES(name_, values_)                                                                             \
  _Generic((values_), name_##_values *: (values_), const name_##_values *: (values_), void *: (values_),               \
      const void *: (values_))
#endif

// Set or read all fields: SHOAL_SET(w, e, heat, &values), where `values` is a heat_values.
#define SHOAL_SET(world_, entity_, name_, values_)                                                                     \
  shoal_set_struct(world_, entity_, &name_##_component, SHOAL_CONST_VALUES(name_, values_), sizeof(name_##_values))
#define SHOAL_GET(world_, entity_, name_, values_)                                                                     \
  shoal_get_struct(world_, entity_, &name_##_component, SHOAL_VALUES(name_, values_), sizeof(name_##_values))

// Switches an entity to a state of its assemblage: removes the components of the previous state and adds the components
// of the new state. Fails if the entity is not alive or its assemblage does not have the state.
static inline bool shoal_enter_state(shoal_world *w, shoal_entity e, const char *state) {
  return w->api->enter_state(w, e, state);
}

// Returns the current state of an entity, or "" if the entity has no state or is not alive. Valid until the next
// shoal_intern.
SHOAL_NODISCARD static inline const char *shoal_entity_state(shoal_world *w, shoal_entity e) {
  return w->api->entity_state(w, e);
}

// Returns the name of an entity (its component `name`), or "" if the entity has no name. A dead entity keeps its name
// until its index is reused, usually after at least 150 ticks. Valid until the next shoal_intern.
SHOAL_NODISCARD static inline const char *shoal_entity_name(shoal_world *w, shoal_entity e) {
  return w->api->entity_name(w, e);
}

// Returns the name of the assemblage from which an entity was spawned, or "" if no assemblage was used. A dead entity
// keeps its assemblage as long as its name. Valid until the next shoal_intern.
SHOAL_NODISCARD static inline const char *shoal_entity_assemblage(shoal_world *w, shoal_entity e) {
  return w->api->entity_assemblage(w, e);
}

// Writes the children of an entity (the entities whose transform.parent is `e`) to `out`, at most `capacity`, and
// returns the total number of children, which may exceed `capacity`. `out` may be NULL. Ignores queued changes to an
// entity that has rows. Returns 0 with the standalone entity system, which has no transforms.
static inline uint32_t shoal_get_children(shoal_world *w, shoal_entity e, shoal_entity *out, uint32_t capacity) {
  return w->api->get_children(w, e, out, capacity);
}

// --- rows and queries

// Returns all rows and columns of a component or singleton. `count` is 0 and `columns` NULL if the world lacks the
// component. Valid until rows are added or removed.
//
// Columns may be written, with two exceptions. First, while a system or query is open, its view contains copies of
// columns that are stored in a different order. When the system or query ends, these copies overwrite values written
// through these columns. Second, a recording does not contain such writes (see shoal_query_begin). In a plugin, reading
// is allowed in every phase and in parallel systems. Systems with `.concurrent` must name the component.
SHOAL_NODISCARD static inline shoal_rows shoal_get_rows(shoal_world *w, const shoal_component *component) {
  return w->api->get_rows(w, component);
}

// Finds the rows of `count` entities and writes them to `rows`: for SHOAL_KIND_MANY, the first row of each entity.
// Writes SHOAL_NO_ROW for entities that are not alive, lack the component, or have no rows yet because their spawn is
// queued. shoal_get reads the values of queued spawns. Plugins may call this function everywhere, on any thread of the
// host.
static inline bool shoal_find_rows(shoal_world *w, const shoal_component *component, const shoal_entity *entities,
                                   uint32_t count, uint32_t *rows) {
  return w->api->find_rows(w, component, entities, count, rows);
}

// Returns the row of an entity, or SHOAL_NO_ROW if the entity does not have the component, or if its spawn is queued.
SHOAL_NODISCARD static inline uint32_t shoal_find_row(shoal_world *w, const shoal_component *component,
                                                      shoal_entity e) {
  uint32_t row = SHOAL_NO_ROW;
  w->api->find_rows(w, component, &e, 1, &row);
  return row;
}

// Returns the row with a name, or SHOAL_NO_ROW if the entity has no such row or if its spawn is queued. NULL or "" as
// `instance` selects the row without a name.
SHOAL_NODISCARD static inline uint32_t shoal_find_instance_row(shoal_world *w, const shoal_component *component,
                                                               shoal_entity e, const char *instance) {
  return w->api->find_instance_row(w, component, e, instance);
}

// Opens a view of the rows that match a query, like the view of a system. In a program, all components must have been
// declared or found with shoal_find_component. Written values are stored in the world by shoal_query_end or, in a
// plugin, when the call ends. Queries are cached: a plugin or program can have at most 1,024 different queries. Fails
// if the query is invalid: if a component does not exist, or is a singleton or an event; if two `with` components are
// SHOAL_KIND_MANY; if there are more than 16 names; or if both `with` and `any` are empty. In a plugin, also fails
// outside systems that run alone, functions that are not pure, and commands.
//
// A recording does not contain values that a host's query writes. Therefore, while a recording is made, the query must
// name all its components in `reads`. While a recording is played, a host cannot open queries.
SHOAL_MUST_USE static inline bool shoal_query_begin(shoal_world *w, const shoal_query_desc *desc, shoal_view *out) {
  return w->api->query_begin(w, desc, out);
}

// Closes a view and all later views. Fails if the view is not open, or if a write to a column of `reads` is detected.
static inline bool shoal_query_end(shoal_world *w, const shoal_view *v) {
  return w->api->query_end(w, v);
}

// Returns the string id of a row's name, in a view with one row for each instance of a SHOAL_KIND_MANY component, or 0
// for a row without a name, and on failure.
SHOAL_NODISCARD static inline uint32_t shoal_row_instance(shoal_world *w, const shoal_view *v,
                                                          const shoal_component *component, uint32_t row) {
  return w->api->row_instance(w, v, component, row);
}

// --- events

// Begins to emit `count` rows of an event, at most SHOAL_MAX_EMIT_ROWS, with their default values. Write them through
// the returned columns (SHOAL_EMIT) and send them with shoal_emit_end. Rows that have not been sent when the call ends,
// or when the same event is begun again, are dropped. Rows that a system sends become visible to later systems when the
// system has ended. Returns NULL if the event is not declared or `count` is too large. In a plugin, also returns NULL
// outside systems, functions and commands.
SHOAL_NODISCARD static inline void *const *shoal_emit_begin(shoal_world *w, const shoal_component *event,
                                                            uint32_t count) {
  return w->api->emit_begin(w, event, count);
}

// Sends the rows of shoal_emit_begin. Fails if the event is not declared, or if no shoal_emit_begin of at least one row
// precedes the call.
static inline bool shoal_emit_end(shoal_world *w, const shoal_component *event) {
  return w->api->emit_end(w, event);
}

// Calls shoal_emit_begin and returns a struct of typed columns: const hit_columns *out = SHOAL_EMIT(w, hit, n);
#define SHOAL_EMIT(world_, name_, count_)                                                                              \
  ((const name_##_columns *)(const void *)shoal_emit_begin(world_, &name_##_component, count_))

// Returns the rows of an event that this system (or this program) has not read yet, without cancelled events. Events
// live until the end of the next tick. Returns no rows if the event is not declared.
//
// In a plugin, allowed only in systems that run alone (neither `parallel` nor `concurrent`). Elsewhere the result is
// empty. The rows are valid until the system ends, and are then marked as read, unless the system has failed or runs in
// the render phase. In a program, rows are marked as read immediately and are valid until the next call.
static inline shoal_rows shoal_read_events(shoal_world *w, const shoal_component *event) {
  return w->api->read_events(w, event);
}

// Reads one field of an entity, like shoal_get_instance. If the entity died while an entity field of a row of `event`
// referred to it, reads the last value of the field, until this row expires. Fails like shoal_get_instance, and for all
// remaining dead entities. Allowed where shoal_read_events is allowed.
static inline bool shoal_event_get_instance(shoal_world *w, const shoal_component *event, shoal_entity e,
                                            const shoal_component *component, const char *instance, uint32_t column,
                                            double *value) {
  return w->api->event_get_instance(w, event, e, component, instance, column, value);
}

// Reads one field like shoal_event_get_instance. Not for SHOAL_KIND_MANY.
static inline bool shoal_event_get_field(shoal_world *w, const shoal_component *event, shoal_entity e,
                                         const shoal_component *component, uint32_t column, double *value) {
  return w->api->event_get_instance(w, event, e, component, NULL, column, value);
}

// Returns the state of an entity, like shoal_entity_state. For a dead entity to which `event` referred when the entity
// died, returns the last state. Returns "" if the entity has or had no state, and on failure. Allowed where
// shoal_read_events is allowed.
SHOAL_NODISCARD static inline const char *shoal_event_entity_state(shoal_world *w, const shoal_component *event,
                                                                   shoal_entity e) {
  return w->api->event_entity_state(w, event, e);
}

// --- observers

// Lists the changes since the previous call with this name:
// - `left`: entities that stopped matching (they may be destroyed), and `entered`: entities that started to match, both
//   in the order of these changes;
// - `changed`, with `detect_changes`: entities with a new value in a component of `with`, ordered by index, without the
//   entities in `entered`.
//
// The first call lists all matching entities in `entered`. `detect_changes` copies and compares the components of
// `with` once per tick. The lists are valid until the next call with this name, and at most until the end of the tick.
// Changes that have not been listed yet are part of the world: they are saved, rewound and replayed. `name` has 1 to 60
// bytes. Different plugins may use the same name. <shoal/observe.h> declares systems that are called with such lists.
//
// Fails if the length of `name` is out of range, if the query is invalid (see shoal_query_begin) and, in a plugin,
// outside systems that run alone, functions that are not pure, and commands.
static inline bool shoal_observe_changes(shoal_world *w, const char *name, const shoal_query_desc *desc,
                                         bool detect_changes, shoal_observed *out) {
  return w->api->observe_changes(w, name, desc, detect_changes, out);
}

// --- the whole world
// These functions are for hosts and the standalone entity system. They fail in plugins and while a query is open.

// Returns a hash of everything that the simulation depends on: worlds with the same hash have the same future. Reads
// the whole world.
SHOAL_NODISCARD static inline uint64_t shoal_hash(shoal_world *w) {
  return w->api->hash(w);
}

// Copies the state of the world to `bytes` if `capacity` is large enough, and returns the size of the state in bytes; 0
// on failure.
SHOAL_NODISCARD static inline size_t shoal_snapshot(shoal_world *w, void *bytes, size_t capacity) {
  return w->api->snapshot(w, bytes, capacity);
}

// Replaces the state of the world with a snapshot, which must come from a world with the same declarations. Fails if
// the bytes are not a valid snapshot, while a recording is made, and during a replay.
static inline bool shoal_restore(shoal_world *w, const void *bytes, size_t size) {
  return w->api->restore(w, bytes, size);
}

// Writes the world to a file: with a host, in the format of the game's saves; with the standalone entity system, as a
// snapshot with a checksum. Fails if the file cannot be written.
static inline bool shoal_save(shoal_world *w, const char *path) {
  return w->api->save(w, path);
}

// Reads the world from a file that shoal_save wrote. Fails, and changes nothing, if the file is missing or damaged or
// belongs to a different game, while a recording is made, and during a replay.
static inline bool shoal_load(shoal_world *w, const char *path) {
  return w->api->load(w, path);
}

#ifdef __cplusplus
}
#endif

#endif
