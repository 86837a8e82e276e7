// A part of a parallel loop of the standalone entity system.
#ifndef SHOAL_LIBRARY_ECS_PARALLEL_H
#define SHOAL_LIBRARY_ECS_PARALLEL_H

#include "access/part_queue.h"
#include "library/ecs_library.h"

struct ecs_part_t {
  ecs_callee_t callee; // must be the first member
  part_queue_t queue;
};

#endif
