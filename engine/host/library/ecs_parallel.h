// A part of a parallel loop of the standalone entity system.
#ifndef SHOAL_LIBRARY_ECS_PARALLEL_H
#define SHOAL_LIBRARY_ECS_PARALLEL_H

#include "access/part_queue.h"
#include "library/ecs_library.h"

struct ecs_part_t {
  access_world_t world; // must be the first member: the shoal_world that the part receives
  part_queue_t queue;
  pthread_t thread; // thread that runs the part
  bool is_running;
  error_info_t problem; // error of the part's first call that is not allowed
};

#endif
