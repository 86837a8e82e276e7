// The functions of <shoal/world.h> for programs: over the world of a host, or of the entity system alone. Plugins have
// the same functions in service/, with checks of the place of a call.
//
// A library checks whether it may be called, then calls access_NAME. Declarations are matched with the world on their
// first use, and again after access_use has replaced the world.
#ifndef SHOAL_ACCESS_ACCESS_H
#define SHOAL_ACCESS_ACCESS_H

#include "access/bound.h"
#include "base/array.h"
#include "shoal/world.h"

typedef struct access_o access_o;
typedef struct access_query_t access_query_t;

typedef struct access_desc_t {
  const shoal_world_api *api;
  bool declares; // shoal_declare declares components that the world lacks
  uint32_t (*children)(world_o *w, shoal_entity e, shoal_entity *out, uint32_t max); // NULL: there are no transforms
} access_desc_t;

struct access_o {
  shoal_world shared; // first: what programs have
  access_desc_t desc;
  world_o *world; // NULL: it is gone
  allocator_t memory;
  ARRAY(access_bound_t *) bound;
  ARRAY(access_query_t *) queries; // all that were made
  ARRAY(access_query_t *) open;
  bool records;        // changes are written to `changes`, as text (changes.h)
  bool writes_refused; // columns cannot be written in place: a recording would not know of it
  ARRAY(char) changes;
};

void access_init(access_o *a, const access_desc_t *desc, world_o *w);
void access_fini(access_o *a);
// Another world takes the place of the previous one: queries are closed. The same is no change.
void access_use(access_o *a, world_o *w);

static inline access_o *access_of(shoal_world *w) {
  return (access_o *)(void *)w;
}

// The component of the world, matched. NULL after access_fail.
access_bound_t *access_bind(access_o *a, const shoal_component *component);
access_bound_t *access_bind_rows(access_o *a, const shoal_component *component); // the same with rows: no event

query_o *access_query_of(access_o *a, const shoal_wanted *wanted); // NULL after access_fail
bool access_writes(const access_o *a);                             // is a query open that writes columns?
void access_close_queries(access_o *a, uint32_t first);            // those that were opened after the first ones
void access_free_queries(access_o *a);

#define ACCESS_DECLARATION(name_, result_, otherwise_, where_, parameters_, ...)                                       \
  result_ world_access_##name_ parameters_;
SHOAL_WORLD_FUNCTIONS(ACCESS_DECLARATION)
#undef ACCESS_DECLARATION

// The state as bytes, for the entity system and hosts.
size_t access_snapshot(access_o *a, void *bytes, size_t room);
bool access_restore(access_o *a, const void *bytes, size_t size);

#endif
