// What a room above hears of rows and of entities that die, to keep what follows from the columns and is no part of the
// state (relation/). One for a world, NULL where nobody listens. Of components for which `told` is set (manager.h).
// Main thread, at sync points.
#ifndef SHOAL_ECS_ROWS_PORT_H
#define SHOAL_ECS_ROWS_PORT_H

#include "ecs/manager.h"

struct command_t;
typedef struct rows_port_t {
  void *context;
  // Rows [first, first + count) are there, with their values.
  void (*came)(void *context, manager_o *m, uint32_t first, uint32_t count);
  // This row is about to go; the last one takes its place.
  void (*going)(void *context, manager_o *m, uint32_t row);
  // Those of these entities that have one of a plain component are about to go.
  void (*going_many)(void *context, manager_o *m, const shoal_entity *entities, uint32_t count);
  void (*written)(void *context, manager_o *m, uint32_t row, uint32_t column); // by world_set
  void (*replaced)(void *context, manager_o *m);                               // all its rows are others
  // These die in one batch. It may destroy further ones with world_destroy: they join it, and it is called again.
  void (*dying)(void *context, world_o *w, const shoal_entity *entities, uint32_t count);
  void (*dead)(void *context, world_o *w, const shoal_entity *entities, uint32_t count); // the whole batch, rows there
  void (*run_pairs)(void *context, world_o *w, const struct command_t *c);               // COMMAND_PAIRS
  void (*tick_ends)(void *context, world_o *w);
  void (*fini)(void *context, world_o *w);
} rows_port_t;

#endif
