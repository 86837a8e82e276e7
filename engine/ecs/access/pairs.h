// Pairs of relations, for the functions of <shoal/relation.h>.
#ifndef SHOAL_ACCESS_PAIRS_H
#define SHOAL_ACCESS_PAIRS_H

#include "access/access.h"
#include "ecs/relation.h"

// Returns the binding of a relation, and writes the store's target column to `column`. Returns NULL after calling
// access_fail if the component cannot be bound or is not a relation.
access_binding_t *access_bind_relation(access_o *a, const shoal_component *relation, uint32_t *column);
// Returns true if `target` is alive, as the target of a pair must be; otherwise returns false after calling
// access_fail.
bool access_check_target(const access_o *a, const access_binding_t *relation, shoal_entity target);

// Adds the relations of the pairs to `desc->with`, and writes the pairs for a query over them to `out` (PAIRS_MAX
// elements). Returns true on success, or false after calling access_fail if a pair or a count is invalid.
bool access_resolve_pairs(access_o *a, const shoal_pair *pairs, uint32_t count, shoal_query_desc *desc, pair_t *out);

#endif
