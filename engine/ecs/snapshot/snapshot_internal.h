// Formats of snapshot sections: snapshot.c writes them, and state_view.c checks and opens them. Private to snapshot.
// Structs have no padding.
#ifndef SHOAL_SNAPSHOT_SNAPSHOT_INTERNAL_H
#define SHOAL_SNAPSHOT_SNAPSHOT_INTERNAL_H

#include "snapshot/snapshot.h"

#define SNAPSHOT_MAGIC "SHOALSNP"

typedef struct snapshot_header_t {
  char magic[8];
  uint32_t format, section_count;
  uint64_t size;
  uint64_t unused;
} snapshot_header_t;

typedef struct snapshot_info_t {
  uint64_t tick;
  uint32_t tick_rate, random[4], next_block;
  uint32_t entities_used, alive_count, free_first, free_count, free_capacity;
  uint32_t strings_used_after_sweep;
  uint32_t manager_count, event_count, query_count, watcher_count, block_count;
  uint32_t tracked; // 1: marks are tracked, so missing SNAPSHOT_TOUCHED sections mean that nothing is marked
} snapshot_info_t;

enum { // values of `a` in SNAPSHOT_ENTITIES sections
  SNAPSHOT_GENERATION,
  SNAPSHOT_ALIVE,
  SNAPSHOT_ASSEMBLAGE,
  SNAPSHOT_STATE,
  SNAPSHOT_DIED_TICK,
  SNAPSHOT_DIED_BY,
  SNAPSHOT_FREE_RING // the ring as stored in memory, so that it changes little from tick to tick
};

// A schema: this header, field_count fields, then the choices of all fields, each ending with '\0'.
typedef struct snapshot_schema_t {
  char name[COMPONENT_NAME_MAX];
  uint32_t kind, field_count;
} snapshot_schema_t;

typedef struct snapshot_field_t {
  char name[FIELD_NAME_MAX];
  uint32_t type, choice_count, choices_bytes, unused;
} snapshot_field_t;

typedef struct snapshot_event_t {
  uint64_t first, tick_start;
  uint32_t count, staged_count;
} snapshot_event_t;

typedef struct snapshot_query_t {
  uint32_t term_count, count, grouped, unused;
  struct {
    uint32_t manager, role; // manager: index of the component in the snapshot
  } terms[QUERY_MAX_TERMS];
} snapshot_query_t;

typedef struct snapshot_watcher_t {
  uint32_t system, query;
} snapshot_watcher_t;

typedef struct snapshot_watched_t {
  uint32_t entity, entered; // entered: 0 or 1
} snapshot_watched_t;

typedef struct snapshot_leave_t {
  uint32_t assemblage, state, removal; // values of the same members of query_watch_t
} snapshot_leave_t;

typedef struct snapshot_reader_t {
  uint32_t reader, event;
  uint64_t next;
} snapshot_reader_t;

typedef struct snapshot_block_t {
  uint32_t number, assemblage, count, part_count;
} snapshot_block_t;

typedef struct snapshot_part_t {
  uint32_t manager, instance, staged;
} snapshot_part_t;

#endif
