// More of the world than <shoal/plugin.h> has: entities spawned with values, states and children, found by name;
// queries that are made while the game runs; named instances.
//
//   const shoal_setting set[] = {{.component = "transform", .field = "x", .number = 120},
//                                {.component = "barrel", .instance = "left", .field = "heat", .number = 3},
//                                {.child = "turret", .component = "name", .field = "value", .text = "Bertha"}};
//   shoal_entity tank = shoal_spawn_with(c, "tank", set, 3);
//   shoal_enter(c, tank, "burning");
//
//   const shoal_wanted wanted = {.with = {"transform", "heat"}, .without = {"frozen"}};
//   shoal_view v;
//   if (shoal_query(c, &wanted, &v)) { … SHOAL_COLUMN(&v, heat, value)[i] …; shoal_query_end(c, &v); }
//
// All of it in systems that are not parallel or beside others, in functions that are not pure and where a button is
// pressed, but what says otherwise. What does not exist fails the call that is going on, with a sentence and the
// nearest name, and nothing has been done. Changes of structure are commands, as those of <shoal/plugin.h>.
//
// Part of the public plugin headers: C11, usable from C++.
#ifndef SHOAL_WORLD_H
#define SHOAL_WORLD_H

#include "shoal/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

// A value of what is spawned. A component that the assemblage has not is added.
typedef struct shoal_setting {
  const char *child;     // of a child, "turret", or "turret/barrel" below it; NULL: of the entity itself
  const char *component; // by name; of anybody
  const char *instance;  // the name of a row of SHOAL_KIND_MANY; NULL for others
  const char *field;     // "x", and of a vector "pos.x"; NULL: the component alone
  double number;         // bool 0 or 1, entity its id
  const char *text;      // of string, asset and enum; then `number` does not count
} shoal_setting;

// As of a shoal_system.
typedef struct shoal_wanted {
  const char *with[SHOAL_MAX_NAMES];
  const char *without[SHOAL_MAX_NAMES];
  const char *optional[SHOAL_MAX_NAMES];
  const char *any[SHOAL_MAX_NAMES];
  const char *reads[SHOAL_MAX_NAMES]; // those of the above that are not written
} shoal_wanted;

// One entity of an assemblage ("" for an empty one), with its children, its initial state and these values. It is alive
// at once. 0 when it cannot be. Functions that a script's states call are not called.
static inline shoal_entity shoal_spawn_with(shoal_context *c, const char *assemblage, const shoal_setting *settings,
                                            uint32_t count) {
  return c->api->spawn_with(c, assemblage, settings, count, NULL, 0);
}

// The same; `tree` (caller's, `room` long) gets the entity and then child after child, each with what hangs below it,
// in the order in which the assemblage declares them.
static inline shoal_entity shoal_spawn_tree(shoal_context *c, const char *assemblage, const shoal_setting *settings,
                                            uint32_t count, shoal_entity *tree, uint32_t room) {
  return c->api->spawn_with(c, assemblage, settings, count, tree, room);
}

// Into a state of its assemblage: the components of the state that is left go, those of the new one come. False when
// the entity is dead, or there is no such state.
static inline bool shoal_enter(shoal_context *c, shoal_entity e, const char *state) {
  return c->api->enter(c, e, state);
}

// The state that it is in; "" for none, and of the dead. Valid until the next shoal_text_id. Everywhere but while
// loading and in parts.
static inline const char *shoal_state_of(shoal_context *c, shoal_entity e) {
  return c->api->state_of(c, e);
}

// Entities whose transform.parent is this one, into `out` (caller's, `room` long); returns how many there are. As they
// were before the commands of this system. Where shoal_state_of works.
static inline uint32_t shoal_children(shoal_context *c, shoal_entity e, shoal_entity *out, uint32_t room) {
  return c->api->children(c, e, out, room);
}

// One whose component `name` says so, the first row of them; 0: there is none. Where shoal_state_of works.
static inline shoal_entity shoal_named(shoal_context *c, const char *name) {
  return c->api->named(c, name);
}

// The rows that match, as the view of a system: columns of components that are in .components or .uses, or were found
// with shoal_find. What is written is in the world when shoal_query_end is called, or when the call ends that is going
// on. What is queued meanwhile is carried out later than that, in functions, too. A query that is made once stays: ask
// for the same ones, not for thousands.
static inline bool shoal_query(shoal_context *c, const shoal_wanted *wanted, shoal_view *out) {
  memset(out, 0, sizeof *out);
  return c->api->query(c, wanted, out);
}

// And those that were opened after it.
static inline void shoal_query_end(shoal_context *c, const shoal_view *v) {
  c->api->query_end(c, v);
}

// A view over a component of SHOAL_KIND_MANY has a row for each instance: the id of the name of the one in this row
// (shoal_text), 0 for a row without one. Of a system's own view and of those of shoal_query; everywhere, parts too.
static inline uint32_t shoal_instance(shoal_context *c, const shoal_view *v, const shoal_component *component,
                                      uint32_t row) {
  return c->api->instance(c, v, component, row);
}

// The row of this name in shoal_rows_of; SHOAL_NO_ROW when there is none. Everywhere, parts too.
static inline uint32_t shoal_row_named(shoal_context *c, const shoal_component *component, shoal_entity e,
                                       const char *instance) {
  return c->api->row_named(c, component, e, instance);
}

#ifdef __cplusplus
}
#endif

#endif
