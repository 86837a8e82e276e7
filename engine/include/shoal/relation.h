// Relations: pairs of entities, with data, reverse lookup, and cascades when a target is destroyed. Relations are the
// same in a plugin, with a host and with the standalone entity system (<shoal/world.h>).
//
//   #define LIKES_FIELDS(F) F(f32, strength, 1)
//   SHOAL_RELATION(likes, LIKES_FIELDS)
//
//   shoal_add_pair(w, ann, &likes_component, apples);                              // ann likes apples
//   SHOAL_SET_PAIR(w, ann, likes, apples, (&(likes_values){.strength = 3}));
//   uint32_t count = shoal_get_referrers(w, apples, &likes_component, list, 16);   // the entities that like apples
//   shoal_view v;
//   if (shoal_query_pairs_begin(w, &(shoal_query_desc){.with = {"body"}}, &(shoal_pair){&likes_component, apples}, 1,
//                               &v)) {
//     for (uint32_t i = 0; i < v.count; ++i)
//       SHOAL_COLUMN(&v, body, speed)[i] += SHOAL_COLUMN(&v, likes, strength)[i];
//     shoal_query_end(w, &v);
//   }
//
// A relation is a component with an entity field: the field `target` or, if it has no such field, its first entity
// field. A SHOAL_KIND_MANY component has up to 1,024 pairs per entity, each of which is an instance named "1", "2" and
// so on. A SHOAL_KIND_COMPONENT has one pair. The number of referrers of an entity is not limited. Relations declared
// here and in Lua (t.relation) are the same: a declaration refers to the relation of the same name.
//
// Adding, removing and setting pairs follow the rules of <shoal/world.h>: inside a system and while a query is open,
// these changes are queued. Functions that read pairs ignore queued changes, except changes to an entity whose spawn is
// queued. All functions fail if the component is a singleton, an event, or has no entity field, and are not allowed in
// systems with `.parallel` or `.concurrent`.
//
// Part of the public headers: C11, usable from C++.
#ifndef SHOAL_RELATION_H
#define SHOAL_RELATION_H

#include "shoal/world.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SHOAL_MAX_PAIRS 4u // maximum number of pairs in a query

// Declares a relation with many pairs per entity. A pair is removed when its target is destroyed. FIELDS_ lists the
// data of a pair, and may be a macro without fields. The field `target` is declared first.
#define SHOAL_RELATION(name_, FIELDS_) SHOAL_RELATION_WITH(name_, FIELDS_, SHOAL_KIND_MANY, SHOAL_CASCADE_REMOVE)
// Declares a relation. `kind_` is SHOAL_KIND_MANY or, for one pair per entity, SHOAL_KIND_COMPONENT. `cascade_`
// determines the effect on an entity with a pair when the target is destroyed: SHOAL_CASCADE_REMOVE removes the pair,
// SHOAL_CASCADE_CLEAR sets the target to SHOAL_ENTITY_NONE, SHOAL_CASCADE_DESTROY destroys the entity, and
// SHOAL_CASCADE_KEEP keeps the id of the destroyed target.
#define SHOAL_RELATION_WITH(name_, FIELDS_, kind_, cascade_)                                                           \
  SHOAL_DECLARE_FIELDS(name_, SHOAL_TARGET_##cascade_, FIELDS_, kind_, NULL, {NULL})
#define SHOAL_TARGET_SHOAL_CASCADE_KEEP(F) F(entity, target)
#define SHOAL_TARGET_SHOAL_CASCADE_CLEAR(F) F(entity, target, .flags = SHOAL_CASCADE_CLEAR)
#define SHOAL_TARGET_SHOAL_CASCADE_REMOVE(F) F(entity, target, .flags = SHOAL_CASCADE_REMOVE)
#define SHOAL_TARGET_SHOAL_CASCADE_DESTROY(F) F(entity, target, .flags = SHOAL_CASCADE_DESTROY)

// --- pairs

// Adds the pair (relation, target) of an entity, with the relation's default values. Does not change an existing pair.
// If the relation has one pair per entity, the new target replaces the previous target. Fails if the entity or the
// target is not alive, or if the entity has 1,024 pairs.
static inline bool shoal_add_pair(shoal_world *w, shoal_entity e, const shoal_component *relation,
                                  shoal_entity target) {
  return w->api->add_pair(w, e, relation, target);
}

// Removes a pair. Fails if the entity does not have the pair, or if a component of the entity requires the relation.
// shoal_remove(w, e, relation) removes all pairs of an entity.
static inline bool shoal_remove_pair(shoal_world *w, shoal_entity e, const shoal_component *relation,
                                     shoal_entity target) {
  return w->api->remove_pair(w, e, relation, target);
}

// Returns true if an entity has a pair; false for entities that are not alive.
SHOAL_NODISCARD static inline bool shoal_has_pair(shoal_world *w, shoal_entity e, const shoal_component *relation,
                                                  shoal_entity target) {
  return w->api->has_pair(w, e, relation, target);
}

// Returns the name of the instance that stores a pair, including a pair whose addition is queued, for functions such as
// shoal_set_string_instance, or "" if the relation has one pair per entity. Valid until the next shoal_intern. Returns
// NULL if the entity does not have the pair.
SHOAL_NODISCARD static inline const char *shoal_pair_instance(shoal_world *w, shoal_entity e,
                                                              const shoal_component *relation, shoal_entity target) {
  return w->api->pair_instance(w, e, relation, target);
}

// Returns the row of a pair, for shoal_get_rows, or SHOAL_NO_ROW if the entity does not have the pair, or if its spawn
// is queued. Valid until rows are added or removed.
SHOAL_NODISCARD static inline uint32_t shoal_find_pair_row(shoal_world *w, const shoal_component *relation,
                                                           shoal_entity e, shoal_entity target) {
  return w->api->find_pair_row(w, relation, e, target);
}

// --- data of pairs

// Sets one field of a pair, including a pair whose addition is queued. In all other respects, like shoal_set. Setting
// the target column changes the target.
static inline bool shoal_set_pair(shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity target,
                                  uint32_t column, double value) {
  return w->api->set_pair(w, e, relation, target, column, value);
}

// Like shoal_get, for one field of a pair.
static inline bool shoal_get_pair(shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity target,
                                  uint32_t column, double *value) {
  return w->api->get_pair(w, e, relation, target, column, value);
}

// Sets the fields of a pair from a struct: likes_values for the relation likes. The target in the struct is ignored. In
// all other respects, like shoal_set_struct. Prefer SHOAL_SET_PAIR.
static inline bool shoal_set_pair_struct(shoal_world *w, shoal_entity e, const shoal_component *relation,
                                         shoal_entity target, const void *values, size_t size) {
  return w->api->set_pair_struct(w, e, relation, target, values, size);
}

// Like shoal_get_struct, for all fields of a pair. Prefer SHOAL_GET_PAIR.
static inline bool shoal_get_pair_struct(shoal_world *w, shoal_entity e, const shoal_component *relation,
                                         shoal_entity target, void *values, size_t size) {
  return w->api->get_pair_struct(w, e, relation, target, values, size);
}

// Set or read the fields of a pair: SHOAL_SET_PAIR(w, e, likes, target, &values), where `values` is a likes_values.
#define SHOAL_SET_PAIR(world_, entity_, name_, target_, values_)                                                       \
  shoal_set_pair_struct(world_, entity_, &name_##_component, target_, SHOAL_CONST_VALUES(name_, values_),              \
                        sizeof(name_##_values))
#define SHOAL_GET_PAIR(world_, entity_, name_, target_, values_)                                                       \
  shoal_get_pair_struct(world_, entity_, &name_##_component, target_, SHOAL_VALUES(name_, values_),                    \
                        sizeof(name_##_values))

// --- lookup

// Writes the living targets of an entity's pairs to `out` (may be NULL), in the order in which the pairs were added, at
// most `capacity`. Returns the total number of targets, which may exceed `capacity`, or 0 with an error if the entity
// is not alive.
static inline uint32_t shoal_get_targets(shoal_world *w, shoal_entity e, const shoal_component *relation,
                                         shoal_entity *out, uint32_t capacity) {
  return w->api->get_targets(w, e, relation, out, capacity);
}

// Writes the entities that have a pair with this target to `out` (may be NULL), each once, ordered by entity index, at
// most `capacity`. Returns the total number of referrers, which may exceed `capacity`, or 0 with an error if the target
// is not alive. Skips entities whose spawn is queued. The time is proportional to the number of referrers. After entity
// columns were written in place, the next lookup also scans the component once.
static inline uint32_t shoal_get_referrers(shoal_world *w, shoal_entity target, const shoal_component *relation,
                                           shoal_entity *out, uint32_t capacity) {
  return w->api->get_referrers(w, target, relation, SHOAL_NO_COLUMN, out, capacity);
}

// Like shoal_get_referrers, for any entity field of a component: `column` is SHOAL_COLUMN_INDEX(aim, at).
static inline uint32_t shoal_get_field_referrers(shoal_world *w, shoal_entity target, const shoal_component *component,
                                                 uint32_t column, shoal_entity *out, uint32_t capacity) {
  return w->api->get_referrers(w, target, component, column, out, capacity);
}

// --- queries

// A pair that a query requires.
struct shoal_pair {
  const shoal_component *relation;
  shoal_entity target;
};

// Opens a view of the rows that match `desc` (may be NULL) and have all `pair_count` pairs, 1 to SHOAL_MAX_PAIRS. Close
// it with shoal_query_end. The relations need not be named in `desc`. Rows are ordered by entity index. The columns of
// a relation contain the data of its pair. Of several SHOAL_KIND_MANY relations, only the first has columns. Columns
// are always copies, which are written back unless `reads` names their component.
//
// Fails like shoal_query_begin, and if a target is not alive, if the number of pairs is out of range, or if more than
// 4,096 such queries are open.
SHOAL_MUST_USE static inline bool shoal_query_pairs_begin(shoal_world *w, const shoal_query_desc *desc,
                                                          const shoal_pair *pairs, uint32_t pair_count,
                                                          shoal_view *out) {
  return w->api->query_pairs_begin(w, desc, pairs, pair_count, out);
}

#ifdef __cplusplus
}
#endif

#endif
