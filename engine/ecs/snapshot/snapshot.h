// The complete state of a world in one relocatable buffer, without pointers: a table lists its sections. A snapshot can
// be restored (state.h) into the same world, or into a different world or process in which the same game has declared
// the same components. The hash and all later ticks are then the same.
//
// A snapshot contains:
// - the tick, the tick rate and the random stream
// - the string table
// - entities and the FIFO of free indices
// - all columns of all components, singletons and events, including hidden columns, with their rows in order
// - marks, last rows and the components' own storage
// - queries with their rows in order
// - watchers and readers
// - queued commands, staged events and committed spawn blocks
//
// A snapshot contains neither declarations (assemblages, hooks) nor derived data (paged indices, row maps, lookup
// tables), which a restore rebuilds.
//
// Layout: header (magic "SHOALSNP", format, size, number of sections), table of sections, then the sections, aligned to
// SNAPSHOT_ALIGNMENT. Numbers are little-endian and have the same width as in memory. Components with their own storage
// add SNAPSHOT_OWN_STORAGE sections after all other sections.
#ifndef SHOAL_SNAPSHOT_SNAPSHOT_H
#define SHOAL_SNAPSHOT_SNAPSHOT_H

#include "ecs/world.h"

#define SNAPSHOT_FORMAT 1u
#define SNAPSHOT_ALIGNMENT 16u
#define SNAPSHOT_SIZE_OFFSET 16u // offset of the snapshot's size, a uint64_t

// Kinds of sections. The comments describe `a` and `b` of snapshot_section_t, and the contents. Components, events,
// queries, watchers and blocks are numbered from 0.
typedef enum snapshot_kind_t {
  SNAPSHOT_NONE,
  SNAPSHOT_INFO,
  SNAPSHOT_STRINGS,       // strings_entry_t, indexed by string id
  SNAPSHOT_TEXTS,         // the bytes of all strings
  SNAPSHOT_ENTITIES,      // a: column of entities_t (snapshot_internal.h)
  SNAPSHOT_ASSEMBLAGES,   // string id of the name, indexed by number - 1
  SNAPSHOT_SCHEMA,        // a: component; its name, kind and fields
  SNAPSHOT_OWNERS,        // a: component
  SNAPSHOT_INSTANCES,     // a: component; MANY only
  SNAPSHOT_NEXT,          // a: component; MANY only
  SNAPSHOT_COLUMN,        // a: component, b: column
  SNAPSHOT_EVENT,         // a: event
  SNAPSHOT_EVENT_SCHEMA,  // a: event
  SNAPSHOT_EVENT_COLUMN,  // a: event, b: column
  SNAPSHOT_STAGED_COLUMN, // a: event, b: column
  SNAPSHOT_QUERY,         // a: query
  SNAPSHOT_QUERY_ROWS,    // a: query; its entities, unless it is a group
  SNAPSHOT_QUERY_DRIVER,  // a: query; rows of its driver, if any
  SNAPSHOT_WATCHER,       // a: watcher
  SNAPSHOT_WATCHED,       // a: watcher; its pending notifications
  SNAPSHOT_READERS,
  SNAPSHOT_COMMANDS,
  SNAPSHOT_LISTS, // entities of commands for several entities; for COMMAND_PAIRS, entities, instances and targets
  SNAPSHOT_LIST_VALUES,
  SNAPSHOT_BLOCK,          // a: block
  SNAPSHOT_BLOCK_ENTITIES, // a: block
  SNAPSHOT_BLOCK_CHILDREN, // a: block; commands
  SNAPSHOT_BLOCK_PARTS,    // a: block; managers and instances
  SNAPSHOT_BLOCK_COLUMN,   // a: block, b: part × SCHEMA_MAX_FIELDS + column
  SNAPSHOT_OWN_STORAGE,    // a: component, b: version of the data; section omitted if empty
  SNAPSHOT_TOUCHED,        // a: component, b: column; marks (columns.h), after the columns of a component with marks
  SNAPSHOT_LEAVES,         // a: watcher; a snapshot_leave_t for each pending entity that left; section omitted if empty
  SNAPSHOT_LAST_OWNERS,    // a: component with last rows (ecs/last_values.h), after its marks
  SNAPSHOT_LAST_REMOVALS,  // a: component
  SNAPSHOT_LAST_INSTANCES, // a: component; MANY only
  SNAPSHOT_LAST_COLUMN,    // a: component, b: column
  SNAPSHOT_EVENT_DEATHS    // event_death_t (ecs/event_deaths.h), after the readers; section omitted if empty
} snapshot_kind_t;

typedef struct snapshot_section_t {
  uint32_t kind, a, b;
  uint32_t element;       // bytes per element, for snapshot_codec.h; sections without elements have 1 or 4
  uint64_t offset, bytes; // offset from the start of the snapshot, and size
} snapshot_section_t;

typedef struct snapshot_o snapshot_o;

// Creates an empty snapshot with one owner; snapshot_retain adds owners. `a` is borrowed and must outlive the snapshot.
snapshot_o *snapshot_create(allocator_t *a);
// Creates a snapshot to restore or compare, which borrows its bytes if they are aligned to SNAPSHOT_ALIGNMENT, and
// copies them otherwise. Neither the bytes nor the snapshot may change until the snapshot is released.
snapshot_o *snapshot_create_from_bytes(allocator_t *a, const void *bytes, size_t size);
void snapshot_retain(snapshot_o *s);
void snapshot_release(snapshot_o *s); // removes an owner; frees the snapshot if this was the last owner; accepts NULL
bool snapshot_is_shared(const snapshot_o *s); // returns true if the snapshot has several owners
const allocator_t *snapshot_allocator(const snapshot_o *s);

// Takes a snapshot of the world into `s`, reusing its memory. Between two ticks the snapshot is exact; inside a system
// it shows the middle of a tick, including queued commands. Returns true on success, or false with a message, leaving
// the snapshot empty, while the columns of a spawn block are being filled, and in a system that has called
// world.define.
bool snapshot_take(snapshot_o *s, world_o *w, error_info_t *error);
// Writes a snapshot of the world to `bytes` if `capacity` suffices. Returns its size in either case, or 0 with a
// message for the same reasons as snapshot_take.
size_t snapshot_write(world_o *w, void *bytes, size_t capacity, error_info_t *error);
// --- raw bytes
// Returns the bytes, which are borrowed until the snapshot is changed, and their number in `size`.
const void *snapshot_bytes(const snapshot_o *s, size_t *size);
void snapshot_set_bytes(snapshot_o *s, const void *bytes, size_t size);
void snapshot_copy(snapshot_o *target, const snapshot_o *source);
bool snapshot_is_equal(const snapshot_o *a, const snapshot_o *b); // returns true if both have the same bytes
// Resizes the snapshot and returns its aligned buffer of `size` bytes, which the caller must fill: the previous
// contents may be lost.
void *snapshot_reserve(snapshot_o *s, size_t size);
size_t snapshot_size(const snapshot_o *s);
uint64_t snapshot_tick(const snapshot_o *s); // returns the world's tick; 0 if the snapshot is empty or damaged
// Returns true if the entity is alive in the snapshot; false if the snapshot is empty or damaged.
bool snapshot_is_alive(const snapshot_o *s, shoal_entity e);
// Returns true if `text` is the string with this id in the snapshot; false if the snapshot is empty or damaged.
bool snapshot_has_string(const snapshot_o *s, uint32_t id, const char *text);

// A snapshot's bytes and its table of sections. All sections are aligned and within the bytes, which are borrowed from
// the snapshot.
typedef struct snapshot_table_t {
  const uint8_t *bytes;
  size_t size, header_size;        // header_size: size of the header and the table
  const snapshot_section_t *table; // table of sections; NULL if the snapshot is empty or damaged
  uint32_t count, format;
} snapshot_table_t;

snapshot_table_t snapshot_table(const snapshot_o *s);
// Returns true if both snapshots have the same sections: the same kinds, numbers and element sizes in the same order.
bool snapshot_has_same_sections(const snapshot_table_t *a, const snapshot_table_t *b);

#endif
