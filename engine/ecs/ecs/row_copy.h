// A saved copy of a component's rows, to detect changed rows.
#ifndef SHOAL_ECS_ROW_COPY_H
#define SHOAL_ECS_ROW_COPY_H

#include "base/array.h"
#include "ecs/manager.h"

typedef struct row_copy_t {
  manager_o *manager;
  uint64_t moves; // the manager's `moves` at the time of the copy
  uint32_t count, capacity;
  shoal_entity *owner;
  // For `many` components only, indexed by row. `instance`: name of the instance (string id). `next`, set during a
  // comparison: the entity's next row, plus 1; 0 after its last row.
  uint32_t *instance, *next;
  void *data[SCHEMA_MAX_FIELDS]; // visible columns; NULL for hidden columns
  uint32_t bytes[SCHEMA_MAX_FIELDS];
  uint32_t *first_rows; // indexed by entity: row + 1
  uint32_t first_row_capacity;
  ARRAY(uint32_t) changed; // current rows with changed values, ascending
  allocator_t *allocator;
} row_copy_t;

void row_copy_init(row_copy_t *copy, manager_o *m, allocator_t *a); // initializes a copy with the current rows
void row_copy_fini(row_copy_t *copy);
void row_copy_refresh(row_copy_t *copy); // replaces the copy with the current rows
// Lists the rows with changed values in `changed`, then copies the current rows. Returns the number of rows that were
// added, removed or changed.
uint32_t row_copy_compare_and_refresh(row_copy_t *copy);

#endif
