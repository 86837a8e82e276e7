// Implements the functions of <shoal/world.h> for the world of a host, of a standalone ECS, or of a plugin's context.
// The library or service checks whether a function may be called, then calls world_access_NAME.
//
// Declarations are matched with the world on first use, and again after shoal_declare or access_set_world has changed
// the world's components. Functions that fail call access_fail (last_error.h).
#ifndef SHOAL_ACCESS_ACCESS_H
#define SHOAL_ACCESS_ACCESS_H

#include "access/binding.h"
#include "access/view.h"
#include "base/array.h"
#include "ecs/queued_entities.h"
#include "schedule/command_chunk.h"
#include "shoal/world.h"

#include <stdatomic.h>

typedef struct access_o access_o;
typedef struct access_query_t access_query_t;

// The shoal_world that is passed to the program. In a plugin, each context contains one.
typedef struct access_world_t {
  shoal_world shared; // must be the first member
  access_o *access;
  chunk_t *chunk; // change queue of a parallel system's part; NULL in all other code
} access_world_t;

typedef struct access_desc_t {
  const shoal_world_api *api;
  const char *name; // name of the plugin, which prefixes the names of its observers; may be NULL
  bool declares;    // true if shoal_declare declares missing components; false if they must already exist
  // true if access_bind_component accepts only bindings that access_add_binding or shoal_find_component added
  bool closed;
  bool inspects; // true if views are inspection queries (ecs/query.h): the program is not part of the simulation
  // True if columns are copied without slack, so that AddressSanitizer catches accesses past the last row. The copies
  // are overwritten when they become invalid.
  bool exact;
  // true if world_access_destroy_many only marks entities that it can destroy as a batch: the caller calls
  // access_apply_destroys before any other function except world_access_is_alive
  bool delays_destroys;
  size_t bound_bytes; // size of the host's struct that starts with an access_binding_t; 0 if there is no such struct
  // Callbacks of a program whose components can have managers; NULL in all other programs. shoal_declare calls
  // begin_manager before it declares a component with a manager, and end_manager afterwards, with NULL if the
  // declaration failed. begin_manager returns true on success, or false after calling access_fail.
  bool (*begin_manager)(access_o *a, const shoal_component *component);
  void (*end_manager)(access_o *a, const shoal_component *component, manager_o *m);
  // Callback that writes up to `max` children of an entity to `out` and returns the total number of children, which may
  // exceed `max`; NULL if the program has no transforms.
  uint32_t (*children)(world_o *w, shoal_entity e, shoal_entity *out, uint32_t max);
  // shoal_view.report_missing of the program's views; `report_context` is the access_o. May be NULL.
  void (*report_missing)(const shoal_view *v, const shoal_component *component, const char *file, int line);
} access_desc_t;

#define ACCESS_REPORTED_LOOKUPS 32u // maximum number of missing-column lookups that are logged

#define ACCESS_RECENT_BITS 6u // log2 of the number of slots in access_o.recent

struct access_o {
  access_world_t own; // the program's shoal_world; must be the first member
  access_desc_t desc;
  world_o *world; // world of the program; NULL once the world has been destroyed
  allocator_t memory;
  ARRAY(access_binding_t *) bound;
  // Indexed by slot (access_recent_slot): the most recently looked-up matched binding, or NULL if no lookup used the
  // slot. The array contains only bindings with a manager, and changes only while no part runs.
  access_binding_t *recent[1u << ACCESS_RECENT_BITS];
  ARRAY(access_query_t *) queries; // open and closed queries
  ARRAY(access_query_t *) open;
  bool records; // true if changes are written to `changes` as text (changes.h)
  // true if columns cannot be written in place, because a recording would not contain the changes
  bool writes_refused;
  ARRAY(char) changes;
  bool has_delayed_destroys; // true while a batch of destroyed entities is open (world_begin_destroy_batch)
  const query_o *part_query; // query whose rows are processed in parts; NULL outside of parts
  uint64_t write_count;      // number of calls and queries that may have written columns
  _Atomic(uint64_t) reported_lookups[ACCESS_REPORTED_LOOKUPS]; // hashes of logged missing-column lookups; 0: free
};

// Returns true if the environment variable SHOAL_CHECK_COLUMNS is set: programs that embed Shoal then use desc.exact.
bool access_checks_columns(void);

// Stores the error of a missing-column lookup in a program that embeds Shoal. Returns true if the caller must also log
// the error: once for each component and line. For access_desc_t.report_missing (missing_columns.c). Any thread.
bool access_fail_column_lookup(const shoal_view *v, const shoal_component *component, const char *file, int line);

void access_init(access_o *a, const access_desc_t *desc, world_o *w);
void access_fini(access_o *a);
// Replaces the world, and frees the previous world's queries without closing them in that world. Does nothing if `w` is
// the current world.
void access_set_world(access_o *a, world_o *w);

static inline access_world_t *access_world_of(shoal_world *w) {
  return (access_world_t *)(void *)w;
}

static inline access_o *access_of(shoal_world *w) {
  return access_world_of(w)->access;
}

// Returns true if the spawn of e is queued and the code may read e. Parts of a parallel system must not read e, because
// reading applies queued commands to managers of the world.
static inline bool access_is_queued(const access_world_t *w, shoal_entity e) {
  return !w->chunk && world_is_queued(w->access->world, e);
}

// --- components: on failure, these functions return NULL or false after calling access_fail, except
// access_find_binding and access_find_component_binding

// Adds and returns a binding, which is not matched yet.
access_binding_t *access_add_binding(access_o *a, const shoal_component *component);
// Frees a binding; the caller removes it from `bound`.
void access_remove_binding(access_o *a, access_binding_t *b);
// Matches a binding with the world's component or event of the same name. Returns true if all columns match; otherwise
// returns false after calling access_fail.
bool access_match_binding(access_o *a, access_binding_t *b);
// Returns the matched binding of a declaration. Adds and matches the binding if necessary, unless desc.closed is set.
// Returns NULL if `component` is NULL or does not match, or if desc.closed is set and the binding is not matched yet.
access_binding_t *access_bind_component(access_o *a, const shoal_component *component);
// Like access_bind_component, but fails for events.
access_binding_t *access_bind_rows(access_o *a, const shoal_component *component);
// Like access_bind_component, but fails unless the declaration is an event.
access_binding_t *access_bind_event(access_o *a, const shoal_component *component);
// Returns the binding of a component, preferring the program's own declaration to a binding that shoal_find_component
// added. Returns NULL if no binding matches.
access_binding_t *access_find_component_binding(access_o *a, const manager_o *m);
// Points `data` to the component's current columns, and computes derived columns.
void access_refresh_columns(access_o *a, access_binding_t *b);
// Marks the component's columns whose fields have a range (ecs/ranges.h) as possibly written. The caller reports
// written entity columns with relation_report_written_rows.
void access_mark_written(const access_o *a, const access_binding_t *b);

// Returns the binding of a declaration, or NULL if the declaration has no binding. Inline, because plugins look up rows
// individually.
static inline access_binding_t *access_find_binding(const access_o *a, const shoal_component *component) {
  for (uint32_t i = 0; i < a->bound.count; ++i)
    if (a->bound.items[i]->component == component)
      return a->bound.items[i];
  return NULL;
}

// Returns the slot of a declaration in `recent`: a multiplicative hash of its address.
static inline uint32_t access_recent_slot(const shoal_component *component) {
  return (uint32_t)((uint32_t)((uintptr_t)component >> 3) * 2654435769u >> (32 - ACCESS_RECENT_BITS));
}

// Returns a declaration's matched binding if it is in `recent`, otherwise NULL. Bindings in `recent` have a manager.
static inline access_binding_t *access_find_recent(const access_o *a, const shoal_component *component) {
  access_binding_t *binding = a->recent[access_recent_slot(component)];
  return binding && binding->component == component ? binding : NULL;
}

// --- queries and events. These functions call access_fail before they return NULL, 0 or false, except
// access_find_open_query and access_has_open_writer.

// Finds or creates the world's query with these terms. Never returns an inspection query. Returns NULL on failure.
query_o *access_get_query(access_o *a, const shoal_query_desc *desc);
// Return the open view to which `v` refers, or its query; NULL if `v` is not open.
const access_view_t *access_find_open_view(const access_o *a, const shoal_view *v);
const query_o *access_find_open_query(const access_o *a, const shoal_view *v);
// Returns the string id of the row's instance name; 0 if unnamed, out of range, or not in a `many` term of `query`.
uint32_t access_row_instance(const query_o *query, const access_binding_t *binding, uint32_t row);
// Returns true if no query is open; otherwise returns false after calling access_fail.
bool access_check_queries_closed(const access_o *a);
bool access_has_open_writer(const access_o *a); // returns true if an open query writes columns
// Closes all but the first `first` open queries. Returns true on success, or false after calling access_fail if a check
// (read_check.h) finds that the program has written columns of a component in `reads`.
bool access_close_queries(access_o *a, uint32_t first);
void access_free_queries(access_o *a);
// Frees the queries that name a component and are not open, because the component's binding changes.
void access_free_closed_queries(access_o *a, const char *component);
bool access_is_queried(const access_o *a, const char *component); // returns true if an open query names the component
// Opens and returns the rows of an event, from row number b->next_unread on. Stores the number of the last row, plus 1,
// in `next`. Call event_close afterwards.
shoal_rows access_open_event(access_o *a, access_binding_t *b, uint64_t *next);

#define ACCESS_DECLARATION(name_, result_, otherwise_, where_, parameters_, ...)                                       \
  result_ world_access_##name_ parameters_;
SHOAL_WORLD_FUNCTIONS(ACCESS_DECLARATION)
#undef ACCESS_DECLARATION

void access_end_destroy_batch(access_o *a);
// Applies the destruction of entities that were only marked (desc.delays_destroys). The result is the same as if each
// entity had been destroyed at its call.
static inline void access_apply_destroys(access_o *a) {
  if (a->has_delayed_destroys)
    access_end_destroy_batch(a);
}

// --- world state, for hosts and the standalone ECS

uint64_t world_access_hash(shoal_world *w);
size_t world_access_snapshot(shoal_world *w, void *bytes, size_t capacity);
bool access_restore_snapshot(access_o *a, const void *bytes, size_t size);

#endif
