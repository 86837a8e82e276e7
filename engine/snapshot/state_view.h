// A state that has been opened: pointers into a snapshot's bytes, by what they mean. Written by state_open
// (state_view.c), the only reader of the format of snapshot_internal.h; state_migrate puts other rows in the place of
// some; state_put, the comparison and nobody else reads it. Private to snapshot and migrate.
//
// What holds of an opened state, whatever the bytes were: every pointer lies inside them and is aligned; every count is
// that of the elements that are there; names and choices end; truths and choices are such; components, queries, events
// and blocks that are named by number exist, and `next` is a row or ROW_NONE. What does not hold yet: owners may be
// dead, chains may meet, texts may be damaged, ids of free entities may be anything. state_put looks at that before it
// touches a world.
#ifndef SHOAL_SNAPSHOT_STATE_VIEW_H
#define SHOAL_SNAPSHOT_STATE_VIEW_H

#include "base/array.h"
#include "ecs/world_internal.h"
#include "snapshot/snapshot_internal.h"
#include "snapshot/state.h"

// Rows of a component, a single or an event.
typedef struct state_rows_t {
  const snapshot_schema_t *schema;
  const snapshot_field_t *fields; // of the schema
  manager_o *to;                  // of a component, where it has been resolved; NULL: not yet, or it is gone
  bool rebuilt;                   // by migration: queries of before know nothing of these rows
  uint32_t count;
  const shoal_entity *owner;       // NULL: of an event
  const uint32_t *instance, *next; // MANY; else NULL
  const void *storage;             // of its own; NULL for none
  size_t storage_bytes;
  uint32_t storage_version;
  const char *choices[SCHEMA_MAX_FIELDS]; // the first of each field, each with its '\0'
  const void *columns[SCHEMA_MAX_FIELDS];
  const uint8_t *marks[SCHEMA_MAX_FIELDS]; // NULL where there are none
  uint32_t last_count;                     // last rows (ecs/last_values.h)
  const shoal_entity *last_owner;
  const uint32_t *last_removal;  // last_values_t
  const uint32_t *last_instance; // MANY; else NULL
  const void *last_columns[SCHEMA_MAX_FIELDS];
} state_rows_t;

// What an event has beside its rows in flight.
typedef struct state_event_t {
  const snapshot_event_t *facts;
  live_event_t *to; // as of a component
  const void *staged[SCHEMA_MAX_FIELDS];
} state_event_t;

typedef struct state_query_t {
  const snapshot_query_t *head;
  const shoal_entity *entities; // NULL of a group
  const uint32_t *driver_rows;  // NULL: it has none
  bool gone;                    // migration leaves it out, and with it its watchers
} state_query_t;

typedef struct state_watcher_t {
  const snapshot_watcher_t *head;
  const snapshot_watched_t *pending;
  const snapshot_left_t *left; // of those that left, in the same order; NULL: not known
  uint32_t count;
} state_watcher_t;

typedef struct state_block_t {
  const snapshot_block_t *head;
  const shoal_entity *entities;
  const command_t *children;
  uint32_t child_count;
  const snapshot_part_t *parts;
  const void *(*columns)[SCHEMA_MAX_FIELDS]; // by part
} state_block_t;

struct state_view_t {
  allocator_t *allocator; // of everything below that does not lie in the bytes
  snapshot_table_t table;
  const world_o *resolved; // the world that every `to` is of; NULL: of none yet
  const snapshot_facts_t *facts;
  const strings_entry_t *texts;
  uint32_t text_count, text_size;
  const char *text_bytes;
  strings_o *strings; // made of them for the world that this goes into, and its from state_put on; NULL before
  const uint8_t *generation, *alive;
  const uint32_t *assemblage, *state, *died_tick, *died_by, *free_ring;
  const uint32_t *assemblage_names;
  uint32_t assemblage_count;
  state_rows_t *components, *event_rows;
  state_event_t *events;
  uint32_t component_count, event_count;
  state_query_t *queries;
  state_watcher_t *watchers;
  state_block_t *blocks;
  uint32_t query_count, watcher_count, block_count;
  const snapshot_reader_t *readers;
  const command_t *commands;
  const shoal_entity *lists;
  const list_value_t *list_values;
  uint32_t reader_count, command_count, list_count, list_value_count;
  ARRAY(void *) blocks_of_memory; // state_alloc, with their sizes
  ARRAY(size_t) sizes_of_memory;
  ARRAY(columns_t *) made; // by migration
};

// Zeroed, and freed by state_close.
void *state_alloc(state_view_t *v, size_t bytes);
// Empty columns that state_close frees.
columns_t *state_columns(state_view_t *v, const schema_t *schema, const double *initial, bool marked);
// "" if there is none; migrated or not.
const char *state_text(const state_view_t *v, uint32_t id, size_t *length);
// Returns the component or event with this name among `rows`, or NULL.
const state_rows_t *state_find_rows(const state_rows_t *rows, uint32_t count, const char *name);
// As a schema_t that borrows from the view.
void state_schema(const state_rows_t *rows, schema_t *out);
// The table of texts as the world will have it; false with a message when it is damaged.
bool state_load_strings(state_view_t *v, world_o *w, error_t *error);
bool state_damaged(error_t *error, const char *what);
// Says of every component and event which of the world's it is. False with a message when one is missing or is declared
// otherwise.
bool state_resolve(state_view_t *v, world_o *w, error_t *error);
// The same for one component that is known to be this one; false when another one is already.
bool state_claim(state_view_t *v, uint32_t number, manager_o *m);

#endif
