// A snapshot on its way into a world: what restore_read.c has read, checked and built beside it, for restore.c to put in. Private to
// ecs.
#ifndef SHOAL_ECS_RESTORE_INTERNAL_H
#define SHOAL_ECS_RESTORE_INTERNAL_H

#include "ecs/snapshot_internal.h"
#include "ecs/world_internal.h"

typedef struct query_rows_t query_rows_t;

typedef struct rows_t {
  manager_o *to;
  const query_rows_t *group; // that owns them
  schema_kind_t kind;
  uint32_t count;
  const shoal_entity *owner;
  const uint32_t *instance, *next; // MANY
  const void *columns[SCHEMA_MAX_FIELDS];
  const void *storage; // of its own, NULL for none
  size_t storage_bytes;
  uint32_t storage_version;
  const uint8_t *marks[SCHEMA_MAX_FIELDS]; // NULL where there are none
  uint32_t **pages;                        // built
  uint32_t page_count;
} rows_t;

typedef struct event_rows_t {
  live_event_t *to;
  const snapshot_event_t *facts;
  const void *columns[SCHEMA_MAX_FIELDS], *staged[SCHEMA_MAX_FIELDS];
} event_rows_t;

struct query_rows_t {
  query_o *to; // NULL: the world does not have it yet
  query_desc_t desc;
  const rows_t *terms[QUERY_MAX_TERMS];
  int32_t driver;
  const shoal_entity *entities;
  query_data_t data; // built
};

typedef struct watched_t {
  const snapshot_watcher_t *head;
  const snapshot_watched_t *list;
  uint32_t count;
} watched_t;

typedef struct staged_t {
  const snapshot_block_t *head;
  const shoal_entity *entities;
  command_t *children; // built
  uint32_t child_count, assemblage;
  const snapshot_part_t *parts;
  const void *(*columns)[SCHEMA_MAX_FIELDS]; // built, by part
  bool queued;
} staged_t;

enum {
  FRESH_SPAWNED = 1, // a queued command gives it its first rows
  FRESH_LISTED = 2   // in the list that is being looked at
};

typedef struct restore_t {
  world_o *w;
  allocator_t *a;
  error_t *error;
  const uint8_t *bytes;
  const snapshot_section_t *table;
  uint32_t section_count, at;

  const snapshot_facts_t *facts;
  const strings_entry_t *texts;
  uint32_t text_count;
  const char *text_bytes;
  strings_o *strings; // built
  const uint8_t *generation, *alive;
  const uint32_t *assemblage, *state, *died_tick, *died_by, *ring;
  const uint32_t *assemblage_names;
  uint32_t assemblage_count;
  rows_t *managers;
  event_rows_t *events;
  query_rows_t *queries;
  watched_t *watchers;
  staged_t *blocks;
  const snapshot_reader_t *readers;
  uint32_t reader_count;
  command_t *commands; // built
  uint32_t command_count;
  const shoal_entity *lists;
  const list_value_t *list_values;
  uint32_t list_count, list_value_count;
  uint8_t *fresh; // built: by entity index, FRESH_ bits
} restore_t;

// Reads and checks every section and builds what the world will get. False with a message; the world is untouched either way, and
// what was built is the caller's to put in or to drop.
bool restore_read(restore_t *r);

#endif
