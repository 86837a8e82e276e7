// What two states of a world differ in: which entities are in one only, which have other components, and which fields
// have other values. For people who look for a cause: the same text under another number is the same, and hidden
// columns follow from others.
#ifndef SHOAL_SNAPSHOT_COMPARE_H
#define SHOAL_SNAPSHOT_COMPARE_H

#include "snapshot/state.h"

#define COMPARE_TEXT_MAX 96
#define COMPARE_LINE_MAX 512

typedef enum compare_kind_t {
  COMPARE_NONE,
  COMPARE_ENTITY,    // is in one only
  COMPARE_COMPONENT, // an entity has it in one only, or rows lie in another order (field says so)
  COMPARE_FIELD,     // of an entity, or of a single (entity 0)
  COMPARE_EVENT,     // in flight; `row` counts from the first that is there
  COMPARE_OTHER      // of the world itself: `field` says what
} compare_kind_t;

typedef enum compare_value_kind_t {
  COMPARE_ABSENT,
  COMPARE_NUMBER,
  COMPARE_BOOL,       // number is 0 or 1
  COMPARE_ENTITY_KEY, // number is a shoal_entity, 0 for none
  COMPARE_TEXT        // texts, choices, and what is only said
} compare_value_kind_t;

typedef struct compare_value_t {
  uint32_t kind; // compare_value_kind_t
  double number;
  char text[COMPARE_TEXT_MAX]; // of every kind, for people; cut to fit
} compare_value_t;

// Part of bindings/abi.h. No pointers: it may outlive both snapshots.
typedef struct compare_item_t {
  uint32_t kind;                      // compare_kind_t
  shoal_entity entity;                // 0: of no entity
  uint32_t row;                       // EVENT
  char label[COMPARE_TEXT_MAX];       // of the entity, with its name: entity(12:3 "ship")
  char component[COMPONENT_NAME_MAX]; // or the event; "" for ENTITY and OTHER
  char instance[COMPARE_TEXT_MAX];    // of a named instance
  char field[FIELD_NAME_MAX];         // "" for ENTITY, and where a component is in one only
  compare_value_t a, b;
} compare_item_t;

// Writes the first `most` differences to `out` (caller's) and returns how many there are in all; 0: the two are alike.
// In order: entities by index (first whether they are there, then component by component, field by field), singles,
// events, the rest. `w` (may be NULL) says which columns are hidden: those are not compared.
uint64_t state_compare(const state_view_t *a, const state_view_t *b, world_o *w, compare_item_t *out, uint32_t most);
// The same of two snapshots. UINT64_MAX with a message when one is empty or damaged; safe for any bytes.
uint64_t snapshot_compare(const snapshot_o *a, const snapshot_o *b, world_o *w, compare_item_t *out, uint32_t most,
                          error_t *error);

// The same of a snapshot and of the world as it is now.
uint64_t snapshot_compare_world(const snapshot_o *then, world_o *w, compare_item_t *out, uint32_t most, error_t *error);

// One item as words: `entity(12:3 "ship") motion.vx: 3 and 4`. Returns `line` (COMPARE_LINE_MAX bytes).
char *compare_line(const compare_item_t *x, char *line);

#endif
