// A copy of a component's rows, to see which of them are others now.
#ifndef SHOAL_ECS_SHADOW_H
#define SHOAL_ECS_SHADOW_H

#include "base/array.h"
#include "ecs/manager.h"

typedef struct shadow_t {
  manager_o *manager;
  uint64_t moves; // of the manager when it was copied
  uint32_t count, capacity;
  shoal_entity *owner;
  uint32_t *instance, *next;     // of MANY; next: while rows are looked up, those of one entity, row + 1
  void *data[SCHEMA_MAX_FIELDS]; // of columns that scripts see; NULL of others
  uint32_t bytes[SCHEMA_MAX_FIELDS];
  uint32_t *first; // by entity index: row + 1
  uint32_t first_capacity;
  ARRAY(uint32_t) changed; // rows of now with another value, ascending
  allocator_t *allocator;
} shadow_t;

void shadow_init(shadow_t *s, manager_o *m, allocator_t *a); // copies it
void shadow_fini(shadow_t *s);
void shadow_copy(shadow_t *s); // all is as it should be now
// Fills `changed`, and is the copy of now. → how many rows came, went or have other values.
uint32_t shadow_compare(shadow_t *s);

#endif
