// Deferred side exits: all other rows run first, split among workers, and Lua then runs the exiting rows in row order.
// No undo copies are needed and no row runs twice. The front end (scripts/shoal/compile) proves that the result equals
// that of a run in row order: the code of an exit cannot fail, and no row reads what that code changes.
#include "base/assert.h"
#include "ecs/world.h"
#include "native/loop_internal.h"

#include <stdlib.h>
#include <string.h>

native_exits_t *native_loop_allow_deferral(native_loop_o *l, bool changes) {
  l->may_defer = true;
  l->changes = changes;
  return &l->exits;
}

bool native_loop_declare_exit_access(native_loop_o *l, uint32_t manager, uint32_t column, bool written) {
  if (l->exit_access_count == NATIVE_MAX_EXIT_ACCESSES || column >= 64)
    return false;
  uint64_t bit = UINT64_C(1) << column;
  l->exit_access[l->exit_access_count++] =
      (system_access_t){.manager = manager, .reads = bit, .writes = written ? bit : 0};
  return true;
}

// Defers exits only if the world can hold the entities that all rows may spawn, because spawning fails in a full world.
// Returns true if exits are deferred.
bool native_loop_set_deferral(native_loop_o *l, bool defers, uint32_t spawns) {
  const entities_t *entities = world_entities(l->query->world);
  l->defers = l->may_defer && defers && (uint64_t)l->query->count * spawns <= entities_available(entities) &&
              exits_reserve(l, l->query->count);
  return l->defers;
}

bool native_loop_changes_structure(const native_loop_o *l) {
  return l->may_defer && l->changes;
}

bool exits_reserve(native_loop_o *l, uint32_t rows) {
  if (rows > l->exit_capacity) {
    free(l->exit_rows);
    l->exit_rows = malloc((size_t)rows * sizeof *l->exit_rows);
    l->exit_capacity = l->exit_rows ? rows : 0;
    l->exits = (native_exits_t){0};
  }
  return rows <= l->exit_capacity;
}

uint32_t exits_collect(native_loop_o *l, uint32_t parts) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < parts; ++i) {
    uint32_t first = i * l->part_rows, count_of_part = l->part_done[i];
    shoal_assert(first + count_of_part <= l->exit_capacity, "%u exits from row %u exceed the capacity %u",
                 count_of_part, first, l->exit_capacity);
    memmove(l->exit_rows + count, l->exit_rows + first, count_of_part * sizeof *l->exit_rows);
    count += count_of_part;
  }
  l->exits = (native_exits_t){.rows = l->exit_rows, .count = (int32_t)count};
  return count;
}
