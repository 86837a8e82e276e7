// Managers of components in the standalone entity system: their storage, and the context that their functions receive.
#ifndef SHOAL_LIBRARY_ECS_MANAGER_H
#define SHOAL_LIBRARY_ECS_MANAGER_H

#include "access/custom_manager.h"
#include "library/ecs_library.h"
#include "shoal/api.h"

#include <stdatomic.h>

struct ecs_manager_t {
  // The first member of a manager, and the world after it, are the shoal_context that the manager's functions receive.
  const shoal_api *api;
  ecs_callee_t callee;
  ecs_t *ecs;
  custom_manager_t custom_manager;
  atomic_size_t allocated; // bytes from shoal_realloc that have not been freed
};

extern const shoal_api ecs_context_api;

// Returns the manager of a component declaration, or NULL if it has no manager.
ecs_manager_t *ecs_find_manager(const ecs_t *ecs, const shoal_component *component);
// Stores the error of the manager's current function, unless the function already has an error.
__attribute__((format(printf, 2, 3))) void ecs_fail_manager(ecs_manager_t *m, const char *format, ...);

#endif
