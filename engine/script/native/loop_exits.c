// Deferred side exits: all remaining rows run first, split among workers, and Lua then runs the exiting rows in row
// order. No undo copies are needed and no row runs twice. The front end (scripts/shoal/compile) proves that the result
// equals the result of a run in row order: the code of an exit cannot fail, and no row reads data that this code
// changes.
#include "base/assert.h"
#include "ecs/state_changes.h"
#include "ecs/world.h"
#include "native/loop_internal.h"

#include <stdlib.h>
#include <string.h>

native_exits_t *native_loop_allow_deferral(native_loop_o *loop, bool changes) {
  loop->can_defer = true;
  loop->exits_change_structure = changes;
  return &loop->exits;
}

bool native_loop_declare_exit_access(native_loop_o *loop, uint32_t manager, uint32_t column, bool written) {
  if (loop->exit_access_count == NATIVE_MAX_EXIT_ACCESSES || column >= 64)
    return false;
  uint64_t bit = UINT64_C(1) << column;
  loop->exit_access[loop->exit_access_count++] =
      (system_access_t){.manager = manager, .reads = bit, .writes = written ? bit : 0};
  return true;
}

bool native_loop_declare_exit_state(native_loop_o *loop, uint32_t state_name) {
  if (loop->entered_state_count == NATIVE_MAX_ENTERED_STATES)
    return false;
  loop->entered_states[loop->entered_state_count++] = state_name;
  return true;
}

static bool can_enter_states(const native_loop_o *loop) {
  const query_o *q = loop->query;
  return loop->entered_state_count == 0 ||
         world_can_enter_states(q->world, q->entities, q->count, loop->entered_states, loop->entered_state_count);
}

// Defers exits only if no exit can fail: the world must be able to hold the entities that all rows may spawn, because
// spawning fails in a full world, and each entity must have the states that exits enter. Returns true if exits are
// deferred.
bool native_loop_set_deferral(native_loop_o *loop, bool defers, uint32_t spawns) {
  const entities_t *entities = world_entities(loop->query->world);
  loop->defers = loop->can_defer && defers && (uint64_t)loop->query->count * spawns <= entities_available(entities) &&
                 can_enter_states(loop) && exits_reserve(loop, loop->query->count);
  return loop->defers;
}

bool native_loop_changes_structure(const native_loop_o *loop) {
  return loop->can_defer && loop->exits_change_structure;
}

bool exits_reserve(native_loop_o *loop, uint32_t rows) {
  if (rows > loop->exit_capacity) {
    free(loop->exit_rows);
    loop->exit_rows = malloc((size_t)rows * sizeof *loop->exit_rows);
    loop->exit_capacity = loop->exit_rows ? rows : 0;
    loop->exits = (native_exits_t){0};
  }
  return rows <= loop->exit_capacity;
}

uint32_t exits_collect(native_loop_o *loop, uint32_t parts) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < parts; ++i) {
    uint32_t first_row = i * loop->part_rows, part_count = loop->part_results[i];
    shoal_assert(first_row + part_count <= loop->exit_capacity, "%u exits from row %u exceed the capacity %u",
                 part_count, first_row, loop->exit_capacity);
    memmove(loop->exit_rows + count, loop->exit_rows + first_row, part_count * sizeof *loop->exit_rows);
    count += part_count;
  }
  loop->exits = (native_exits_t){.rows = loop->exit_rows, .count = (int32_t)count};
  return count;
}
