// Finds the differences between two states of a world: entities that exist in only one of them, components, field
// values, events in flight, and the rest of the world. Meant for debugging: strings are compared by content, not by id,
// and hidden columns are skipped because they are derived from visible columns.
#ifndef SHOAL_SNAPSHOT_COMPARE_H
#define SHOAL_SNAPSHOT_COMPARE_H

#include "snapshot/state.h"

#define COMPARE_TEXT_MAX 96
#define COMPARE_LINE_MAX 512

typedef enum compare_kind_t {
  COMPARE_NONE,
  COMPARE_ENTITY,    // an entity exists in one state only
  COMPARE_COMPONENT, // the component's row is in only one state, or the row orders differ (see `field`)
  COMPARE_FIELD,     // a field of an entity, or of a singleton (entity 0), differs
  COMPARE_EVENT,     // an event in flight differs; `row` is counted from the first kept event
  COMPARE_OTHER      // a different part of the world, described by `field`, differs
} compare_kind_t;

typedef enum compare_value_kind_t {
  COMPARE_ABSENT,
  COMPARE_NUMBER,
  COMPARE_BOOL,       // `number` is 0 or 1
  COMPARE_ENTITY_KEY, // `number` is a shoal_entity; 0: no entity
  COMPARE_TEXT        // a string, an enum choice or a description
} compare_value_kind_t;

typedef struct compare_value_t {
  uint32_t kind; // kind of the value, a compare_value_kind_t
  double number;
  char text[COMPARE_TEXT_MAX]; // human-readable value of any kind; may be truncated
} compare_value_t;

// One difference between two snapshots. Contains no pointers, so it may outlive both. bindings/abi.h repeats this
// layout for Lua.
typedef struct compare_item_t {
  uint32_t kind;                      // kind of the difference, a compare_kind_t
  shoal_entity entity;                // entity that differs; 0 if the difference concerns no entity
  uint32_t row;                       // COMPARE_EVENT only: index of the event
  char label[COMPARE_TEXT_MAX];       // entity with its name: entity(12:3 "ship")
  char component[COMPONENT_NAME_MAX]; // name of the component or event; "" if the difference concerns neither
  char instance[COMPARE_TEXT_MAX];    // name of the instance; "" if the row has no instance name
  char field[FIELD_NAME_MAX];         // name of the field; "" if a whole entity, row or event exists in one state only
  compare_value_t a, b;
} compare_item_t;

// Writes up to `max_items` differences to `out` (owned by the caller) and returns the total number; 0 if the states are
// equal. Order: entities by index (existence, then components and their fields), singletons, events, everything else.
// Skips columns that are hidden in the declarations of `w`; compares all columns if `w` is NULL.
uint64_t state_compare(const state_view_t *a, const state_view_t *b, world_o *w, compare_item_t *out,
                       uint32_t max_items);
// Like state_compare, for two snapshots. Returns UINT64_MAX with a message if either snapshot is empty, is damaged or
// has a different format. Safe for untrusted bytes.
uint64_t snapshot_compare(const snapshot_o *a, const snapshot_o *b, world_o *w, compare_item_t *out, uint32_t max_items,
                          error_info_t *error);

// Like state_compare, for a snapshot and the world's current state. Returns UINT64_MAX with a message if the snapshot
// cannot be opened (snapshot_compare), or if the world cannot take a snapshot.
uint64_t snapshot_compare_world(const snapshot_o *previous, world_o *w, compare_item_t *out, uint32_t max_items,
                                error_info_t *error);

// Stores the value that a state has at the location of a comparison item, as in the item's `a` or `b`. For a matrix,
// stores only the first element. Reads `kind`, `entity`, `row`, `component`, `instance` and `field`, which may come
// from a different machine. Returns true on success, or false if no comparison in the world `w` has such an item.
bool state_read_value(const state_view_t *s, world_o *w, const compare_item_t *item, compare_value_t *out);

// Formats a difference as a line: `entity(12:3 "ship") motion.vx: 3 and 4`. Returns `line` (COMPARE_LINE_MAX bytes).
char *compare_format_line(const compare_item_t *item, char *line);

#endif
