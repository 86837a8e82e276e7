// The whole state of a world as one relocatable buffer: no pointers, only sections found through a table. Restored
// (state.h) into the same world, or into another one (in another process too) in which the same game has declared the
// same components, it gives the same hash, and from there on every tick is the same.
//
// A snapshot holds: tick, rate, random stream; the string table; entities and the FIFO of free indices; every column of
// every component, single and event, hidden ones too, with its rows in order; queries by their components, with their
// rows in order; watchers, readers; queued commands, staged events and committed blocks. Not in it: what code declares
// (assemblages, hooks), and what follows from the rest (paged indices, row maps, lookup tables), which a restore builds
// anew.
//
// Layout: header (magic "SHOALSNP", format, size, number of sections), the table of sections, then their bytes at
// multiples of SNAPSHOT_ALIGNMENT. Numbers are little-endian and as wide as in memory. A component with storage of its
// own adds sections of kind SNAPSHOT_OWN_STORAGE behind all others.
#ifndef SHOAL_SNAPSHOT_SNAPSHOT_H
#define SHOAL_SNAPSHOT_SNAPSHOT_H

#include "ecs/world.h"

#define SNAPSHOT_FORMAT 1u
#define SNAPSHOT_ALIGNMENT 16u
#define SNAPSHOT_SIZE_AT 16u // where its size stands, a uint64_t

typedef enum snapshot_kind_t {
  SNAPSHOT_NONE,
  SNAPSHOT_FACTS,
  SNAPSHOT_STRINGS,       // strings_entry_t by id
  SNAPSHOT_TEXTS,         // the bytes that they lie in
  SNAPSHOT_ENTITIES,      // a: which column of entities_t
  SNAPSHOT_ASSEMBLAGES,   // string id of the name, by number - 1
  SNAPSHOT_SCHEMA,        // a: component; its name, kind and fields
  SNAPSHOT_OWNERS,        // a: component
  SNAPSHOT_INSTANCES,     // a: component; MANY only, as the next
  SNAPSHOT_NEXT,          //
  SNAPSHOT_COLUMN,        // a: component, b: column
  SNAPSHOT_EVENT,         // a: event
  SNAPSHOT_EVENT_SCHEMA,  // a: event
  SNAPSHOT_EVENT_COLUMN,  // a: event, b: column
  SNAPSHOT_STAGED_COLUMN, // a: event, b: column
  SNAPSHOT_QUERY,         // a: query
  SNAPSHOT_QUERY_ROWS,    // a: query; the entities, where it is no group
  SNAPSHOT_QUERY_DRIVER,  // a: query; the driver's rows, where there is one
  SNAPSHOT_WATCHER,       // a: watcher
  SNAPSHOT_WATCHED,       // a: watcher; what is pending
  SNAPSHOT_READERS,
  SNAPSHOT_COMMANDS,
  SNAPSHOT_LISTS, // entities of commands that concern many
  SNAPSHOT_LIST_VALUES,
  SNAPSHOT_BLOCK,          // a: block
  SNAPSHOT_BLOCK_ENTITIES, // a: block
  SNAPSHOT_BLOCK_CHILDREN, // a: block; commands
  SNAPSHOT_BLOCK_PARTS,    // a: block; manager and instance
  SNAPSHOT_BLOCK_COLUMN,   // a: block, b: part × SCHEMA_MAX_FIELDS + column
  SNAPSHOT_OWN_STORAGE,    // a: component, b: version of what it wrote; where it wrote any
  SNAPSHOT_TOUCHED, // a: component, b: column; its marks (columns.h), behind the columns of a component that has them
  SNAPSHOT_LEFT,    // a: watcher; snapshot_left_t of each pending entity that left, where there is one
  SNAPSHOT_LAST_OWNERS,    // a: component with last rows (ecs/last_values.h), after its marks
  SNAPSHOT_LAST_REMOVALS,  // a: component
  SNAPSHOT_LAST_INSTANCES, // a: component; MANY only
  SNAPSHOT_LAST_COLUMN     // a: component, b: column
} snapshot_kind_t;

typedef struct snapshot_section_t {
  uint32_t kind, a, b;
  uint32_t element;       // bytes of one element, for whoever compares snapshots; 1 where it is of no use
  uint64_t offset, bytes; // from the beginning of the snapshot
} snapshot_section_t;

typedef struct snapshot_o snapshot_o;

// Empty; `a` is borrowed and must live longer. One owner; more with snapshot_retain.
snapshot_o *snapshot_create(allocator_t *a);
void snapshot_retain(snapshot_o *s);
void snapshot_release(snapshot_o *s);         // the last owner's frees it; NULL is fine
bool snapshot_is_shared(const snapshot_o *s); // has it several owners?

// Fills it, using the memory that it has. False with a message, and the snapshot empty, inside the function that fills
// the columns of a block. Taken between two ticks it is exact; taken inside a system it is of the middle of a tick,
// queue included.
bool snapshot_take(snapshot_o *s, world_o *w, error_t *error);
// --- as bytes
const void *snapshot_bytes(const snapshot_o *s, size_t *size); // borrowed until it is filled again
void snapshot_set_bytes(snapshot_o *s, const void *bytes, size_t size);
void snapshot_copy(snapshot_o *to, const snapshot_o *from);
bool snapshot_same(const snapshot_o *a, const snapshot_o *b); // byte for byte
// `size` bytes to be written by the caller, aligned.
void *snapshot_reserve(snapshot_o *s, size_t size);
size_t snapshot_size(const snapshot_o *s);
uint64_t snapshot_tick(const snapshot_o *s); // 0 when it is empty or damaged

// A snapshot's bytes and its table of sections, each of which lies inside, aligned. Borrowed.
typedef struct snapshot_table_t {
  const uint8_t *bytes;
  size_t size, head;               // head: up to the end of the table
  const snapshot_section_t *table; // NULL of an empty or damaged one
  uint32_t count, format;
} snapshot_table_t;

snapshot_table_t snapshot_table(const snapshot_o *s);
bool snapshot_same_sections(const snapshot_table_t *a,
                            const snapshot_table_t *b); // of the same things, in the same order

#endif
