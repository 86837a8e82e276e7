// Parallel loops of the standalone entity system over the rows of a query. The rows are divided into parts of a fixed
// size, and queued changes are applied in the order of the parts. Therefore the result does not depend on the number of
// threads.
#include "library/ecs_parallel.h"

#include "access/last_error.h"
#include "base/assert.h"

#include <string.h>

typedef struct parallel_run_t {
  ecs_t *ecs;
  const access_view_t *view;
  const shoal_view *all;
  shoal_ecs_part_fn *function;
  void *data;
} parallel_run_t;

// --- parts

static ecs_part_t *create_part(ecs_t *ecs) {
  ecs_part_t *part = alloc_resize(&ecs->access.memory, NULL, 0, sizeof *part);
  memset(part, 0, sizeof *part);
  part->callee.world = (access_world_t){{&ecs_callee_world_api}, &ecs->access, &part->queue.list};
  part->callee.kind = ECS_PART;
  return part;
}

static void begin_parts(ecs_t *ecs, uint32_t count) {
  while (ecs->parts.count < count) {
    ecs_part_t *part = create_part(ecs);
    array_push(&ecs->access.memory, &ecs->parts, part);
  }
  for (uint32_t i = 0; i < count; ++i) {
    part_queue_begin(&ecs->parts.items[i]->queue, ecs->access.world, "shoal_ecs_run_parallel", i);
    ecs->parts.items[i]->callee.problem.text[0] = '\0';
  }
}

void ecs_free_parts(ecs_t *ecs) {
  for (uint32_t i = 0; i < ecs->parts.count; ++i) {
    part_queue_free(&ecs->parts.items[i]->queue);
    alloc_resize(&ecs->access.memory, ecs->parts.items[i], sizeof(ecs_part_t), 0);
  }
  array_free(&ecs->access.memory, &ecs->parts);
}

static void run_part(void *context, uint32_t number, uint32_t worker) {
  const parallel_run_t *run = context;
  ecs_part_t *part = run->ecs->parts.items[number];
  access_view_part_t rows;
  (void)worker;
  access_view_get_part(run->view, run->all, number * PART_ROWS, PART_ROWS, &rows);
  part->callee.thread = pthread_self();
  part->callee.is_running = true;
  run->function(&part->callee.world.shared, &rows.view, run->data);
  part->callee.is_running = false;
}

// --- runs

// Matches all components that the program has declared, and updates their columns, because parts can read all of them.
static void refresh_columns(access_o *a) {
  for (uint32_t i = 0; i < a->bound.count; ++i) {
    access_binding_t *b = a->bound.items[i];
    if ((b->matched || access_match_binding(a, b)) && b->manager)
      access_refresh_columns(a, b);
  }
}

// Runs all parts. While they run, the program's declarations cannot change, since several threads read them.
static void run_parts(parallel_run_t *run, uint32_t count) {
  ecs_t *ecs = run->ecs;
  jobs_o *jobs = count > 1 ? ecs_get_jobs(ecs) : NULL;
  begin_parts(ecs, count);
  refresh_columns(&ecs->access);
  ecs->inside = "a part of shoal_ecs_run_parallel";
  ecs->access.part_query = run->view->query;
  ecs->access.desc.closed = true;
  jobs_run_parts(jobs, run_part, run, count);
  ecs->access.desc.closed = false;
  ecs->access.part_query = NULL;
  ecs->inside = NULL;
}

// Passes the queued changes of all parts to the world, or discards them if a part failed. Returns true on success, or
// false with an error if a part failed or a change was refused.
static bool apply_parts(ecs_t *ecs, uint32_t count, error_info_t *error) {
  const ecs_part_t *failed = NULL;
  for (uint32_t i = 0; i < count && !failed; ++i)
    failed = ecs->parts.items[i]->callee.problem.text[0] ? ecs->parts.items[i] : NULL;
  error->text[0] = '\0';
  for (uint32_t i = 0; i < count && !failed; ++i)
    part_queue_apply(&ecs->parts.items[i]->queue, ecs->access.world, error);
  for (uint32_t i = 0; i < count; ++i)
    part_queue_clear_events(&ecs->parts.items[i]->queue);
  if (failed)
    error_set(error, "%.400s: no changes of the parts are applied", failed->callee.problem.text);
  return !error->text[0];
}

bool shoal_ecs_run_parallel(shoal_world *w, const shoal_view *view, shoal_ecs_part_fn *part, void *data) {
  static const char function[] = "shoal_ecs_run_parallel";
  error_info_t error;
  ecs_t *ecs = ecs_check_call(w, function);
  if (!ecs || !part)
    return ecs ? access_fail("%s: `part` must not be NULL", function) : false;
  const access_view_t *open = access_find_open_view(&ecs->access, view);
  if (!open)
    return access_fail("%s: the view is not open: pass a view from shoal_query_begin", function);
  parallel_run_t run = {ecs, open, view, part, data};
  uint32_t count = (view->count + PART_ROWS - 1) / PART_ROWS;
  if (count == 0)
    return true;
  run_parts(&run, count);
  access_clear_error(); // parts that ran on this thread may have set an error
  return apply_parts(ecs, count, &error) || access_fail("%s: %s", function, error.text);
}
