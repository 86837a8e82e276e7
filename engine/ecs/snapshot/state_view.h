// An open state: typed pointers into the bytes of a snapshot. Filled by state_open (state_view.c); state_migrate
// replaces rows. Private to snapshot and migrate.
//
// Guaranteed for any bytes: pointers are within the bytes and aligned; counts match the numbers of elements; names and
// choices end with '\0'; booleans and enum values are in range; components, queries and events referred to by number
// exist, except in commands; `next` is a row or ROW_NONE. Not guaranteed: owners are alive, chains are separate,
// strings are intact, and ids of free entities and commands are valid. state_install checks these before it changes a
// world.
#ifndef SHOAL_SNAPSHOT_STATE_VIEW_H
#define SHOAL_SNAPSHOT_STATE_VIEW_H

#include "base/array.h"
#include "ecs/world_internal.h"
#include "snapshot/snapshot_internal.h"
#include "snapshot/state.h"

// Rows of a component, a singleton or an event.
typedef struct state_rows_t {
  const snapshot_schema_t *schema;
  const snapshot_field_t *fields; // fields of `schema`
  manager_o *manager;             // component of the world, once resolved; NULL if not resolved or no longer declared
  bool rebuilt;                   // true if created by a migration: the state's queries do not apply to these rows
  uint32_t count;
  const shoal_entity *owner;       // owners of the rows; NULL for an event
  const uint32_t *instance, *next; // instances and chains of the rows; NULL unless the kind is MANY
  const void *storage;             // the component's own storage; NULL if it has no storage
  size_t storage_bytes;
  uint32_t storage_version;
  // indexed by field: the first choice of the field; choices are consecutive and end with '\0'
  const char *choices[SCHEMA_MAX_FIELDS];
  const void *columns[SCHEMA_MAX_FIELDS];
  const uint8_t *marks[SCHEMA_MAX_FIELDS]; // marks of each column; NULL if the column has no marks
  uint32_t last_count;                     // number of last-value rows (ecs/last_values.h)
  const shoal_entity *last_owner;
  const uint32_t *last_removal;  // numbers of operations, as in last_values_t
  const uint32_t *last_instance; // instances of last-value rows; NULL unless the kind is MANY
  const void *last_columns[SCHEMA_MAX_FIELDS];
} state_rows_t;

// Data of an event besides its rows in flight.
typedef struct state_event_t {
  const snapshot_event_t *info;
  live_event_t *event; // event of the world, once resolved
  const void *staged[SCHEMA_MAX_FIELDS];
} state_event_t;

typedef struct state_query_t {
  const snapshot_query_t *header;
  const shoal_entity *entities; // entities of the query's rows; NULL for a group
  const uint32_t *driver_rows;  // rows of the driver; NULL if the query has no driver
  bool dropped;                 // true if a migration has dropped the query and its watchers
} state_query_t;

typedef struct state_watcher_t {
  const snapshot_watcher_t *header;
  const snapshot_watched_t *pending;
  // one for each pending entity that left, in the same order; NULL if the snapshot contains no such data
  const snapshot_leave_t *leaves;
  uint32_t count;
} state_watcher_t;

typedef struct state_block_t {
  const snapshot_block_t *header;
  const shoal_entity *entities;
  const command_t *children;
  uint32_t child_count;
  const snapshot_part_t *parts;
  const void *(*columns)[SCHEMA_MAX_FIELDS]; // columns of the block, indexed by part
} state_block_t;

struct state_view_t {
  allocator_t *allocator; // allocator of everything that is not part of the bytes
  snapshot_table_t table;
  const world_o *resolved_world; // world of all resolved components and events; NULL if not resolved
  const snapshot_info_t *info;
  const strings_entry_t *texts;
  uint32_t text_count, text_size;
  const char *text_bytes;
  strings_o *strings; // loaded string table, which state_install moves to the world; NULL before it is loaded
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
  const event_death_t *event_deaths; // deaths of entities that events name; NULL if the snapshot contains no deaths
  uint32_t event_death_count;
  const command_t *commands;
  const shoal_entity *lists;
  const list_value_t *list_values;
  uint32_t reader_count, command_count, list_count, list_value_count;
  ARRAY(void *) allocations; // allocated by state_alloc; their sizes are in the next array
  ARRAY(size_t) allocation_sizes;
  ARRAY(columns_t *) created_columns; // columns created by a migration
};

// Returns zeroed memory that state_close frees.
void *state_alloc(state_view_t *v, size_t bytes);
// Returns empty columns that state_close frees.
columns_t *state_create_columns(state_view_t *v, const schema_t *schema, const double *initial, bool marked);
// Returns the string with this id, even after a migration, and stores its length; "" for an unknown id.
const char *state_text(const state_view_t *v, uint32_t id, size_t *length);
// Returns the rows of the component or event with this name among `rows`; NULL if not found.
const state_rows_t *state_find_rows(const state_rows_t *rows, uint32_t count, const char *name);
// Fills `out` with the schema stored for `rows`; its strings are borrowed from the view.
void state_get_schema(const state_rows_t *rows, schema_buffer_t *out);
// Loads the string table for the world. Returns true on success, or false with a message if the table is damaged.
bool state_load_strings(state_view_t *v, world_o *w, error_info_t *error);
bool state_set_damaged(error_info_t *error, const char *what);
// Finds the world's declaration of each component and event in the state. Returns true on success, or false with a
// message if a declaration is missing or has a different layout, or if two components or events have the same name.
bool state_resolve_declarations(state_view_t *v, world_o *w, error_info_t *error);
// Resolves component `number` to `m` and returns true; returns false if a component with a lower number is already
// resolved to `m`.
bool state_resolve_component(state_view_t *v, uint32_t number, manager_o *m);

#endif
