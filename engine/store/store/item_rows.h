// Rows of the entities that players own, with lasting numbers (owned/owned.h), written and read with the functions for
// scenes (store/scene.h). A list of rows is JSON:
//
//   [ { "item": 4294967301, "parent": 0, "name": "Excalibur", "assemblage": "sword",
//       "components": { "blade": { "damage": 7, "length": 2, "=": ["length"] }, "=": { "owned": true } } } ]
//
// `parent` is the item that is the entity's transform parent; 0: no parent. `components` contains all values, so that
// queries find them. In a component, "=" lists the fields whose values equal the assemblage's values, or is true if all
// values do. These fields follow later changes of the assemblage, like the fields of living entities after a reload. In
// `components`, "=" contains attributes of the entity: `owned` (the player owns it itself, not only as a child),
// `state`, `slot` (the name of the child in the assemblage of `parent`), `gone` (children of the assemblage that the
// entity lacks) and `parked` (values that the code does not declare: item_parked.h). References contain items;
// references to other entities are null.
#ifndef SHOAL_STORE_ITEM_ROWS_H
#define SHOAL_STORE_ITEM_ROWS_H

#include "base/alloc.h"
#include "ecs/world.h"

#include <jansson.h>

#define ITEM_ROWS_MAX_BYTES 8000u     // maximum size of packed rows, or of a part of them, in a record
#define ITEM_ROWS_MAX_TEXT (4u << 20) // maximum size of rows before packing
// First byte of a part of packed rows that exceed ITEM_ROWS_MAX_BYTES. Complete rows begin with a different byte.
#define ITEM_ROWS_FIRST_PART 1u
#define ITEM_ROWS_NEXT_PART 2u
#define ITEM_ROW_MAX_NAME 128u // maximum length of the name of an assemblage

// Returns a player's rows, or NULL with an error if the text is invalid. `given`: owned_list_group. Call between ticks.
json_t *item_rows_export(world_o *w, uint32_t player, uint32_t *given, error_info_t *error);

typedef struct item_rows_import_t {
  uint32_t player;     // number of the new owner, 1 to 32
  const char *ignored; // components to skip (metadata), each followed by '\n'; may be NULL
  // Reports a part of the rows that is dropped or parked, or a stale copy that is destroyed; may be NULL. The line
  // names the part and the reason.
  void (*report)(void *context, const char *line);
  // Reports each former name in the rows; may be NULL.
  void (*report_former)(void *context, const char *former, const char *current);
  void *context; // argument of both functions
  // Receives the parked values by item ("4294967301"): an object, or true if the whole row is parked. The caller adds
  // them to the exported rows. NULL: drops them. See item_parked.h.
  json_t *parked;
  bool parks; // true: parks all values that the game does not declare; false: only values that were parked before
} item_rows_import_t;

// Spawns the entities of the rows for a player. Drops and reports invalid values, and components and fields that the
// game does not declare; former names are read like current names. If an entity of the world has the number of a row,
// it is a stale copy, and is destroyed. Changes `rows`. Returns the number of entities with a row. Call between two
// ticks. Safe for untrusted rows.
uint32_t item_rows_import(world_o *w, json_t *rows, const item_rows_import_t *desc);

// Like item_rows_import, for rows of an operator (served/item_edit.h): rows with a negative number get a new number.
// Refuses instead of dropping: if a value is invalid, reports each entity with its first problem, and spawns nothing.
// Returns true on success.
bool item_rows_import_edited(world_o *w, json_t *rows, const item_rows_import_t *desc);

// Returns true if `rows` is a list of at most OWNED_MAX_ENTITIES valid rows, otherwise false with an error.
bool item_rows_check(const json_t *rows, error_info_t *error);
// Compresses rows. Returns the bytes, allocated with `a`, and their size. Returns NULL with an error if the text
// exceeds ITEM_ROWS_MAX_TEXT.
uint8_t *item_rows_pack(const json_t *rows, allocator_t *a, size_t *size, error_info_t *error);
// Removes and returns a row that item_rows_check refuses or, if all rows together exceed ITEM_ROWS_MAX_TEXT, the
// largest row. Returns NULL if item_rows_pack can pack all rows. `reason` receives a description of the problem.
json_t *item_rows_take_unstorable(json_t *rows, const char **reason);
// Decompresses packed rows. Returns the rows, or NULL with an error if the bytes are malformed or item_rows_check
// refuses the rows. Safe for untrusted bytes.
json_t *item_rows_unpack(const uint8_t *bytes, size_t size, error_info_t *error);

#endif
