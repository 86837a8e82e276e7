// A declaration that a program uses, matched with a component, single or event of the world.
#ifndef SHOAL_ACCESS_BOUND_H
#define SHOAL_ACCESS_BOUND_H

#include "access/scratch.h"
#include "ecs/world.h"

typedef struct access_bound_t {
  const shoal_component *component;
  shoal_component *described; // by access_describe; NULL: the program's own declaration
  manager_o *manager;         // NULL for events
  event_o *event;
  bool matched;
  uint32_t *columns; // the store's column, indexed by the declaration's
  void **data;       // the pointers that shoal_rows_of, shoal_hear and shoal_emit_begin return
  scratch_t scratch;
  uint32_t filling; // rows between emit_begin and emit_end
  uint64_t heard;   // number of the first event row that was not heard yet
} access_bound_t;

#endif
