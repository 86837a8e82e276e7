// Parts of parallel systems. The rows are divided into parts of a fixed size, independent of the number of workers.
// Each part may change its rows directly. All remaining changes are queued in one list per part. The lists are applied
// in the order of the parts, so the result does not depend on the number of workers. A system with .concurrent that is
// not parallel consists of a single part.
#include "plugin/system_part.h"

#include "access/part_queue.h"
#include "base/assert.h"
#include "plugin/call.h"
#include "plugin/guarded_call.h"
#include "plugin/report.h"

#include <pthread.h>
#include <string.h>

#define RACE_PARTS 8u // number of parts if SHOAL_CHECK_RACES is set: a test with few rows then has several parts

struct plugin_chunk_t {
  part_queue_t queue;  // must be the first member
  const char *warning; // warning to be logged after the run; NULL: no warning
  bool failed;
  error_info_t problem;
};

static plugin_chunk_t *get_chunk(const context_t *context) {
  shoal_assert(context->call_kind == PLUGIN_CALL_PART && context->chunk,
               "only parts of parallel systems have a chunk (call place %d)", (int)context->call_kind);
  return (plugin_chunk_t *)(void *)context->chunk;
}

void plugin_part_set_warning(const context_t *context, const char *message) {
  get_chunk(context)->warning = message;
}

static void apply_commands(run_t *run, const plugin_chunk_t *chunk, world_o *world) {
  error_info_t refusal = {0};
  part_queue_apply(&chunk->queue, world, &refusal);
  if (refusal.text[0] && !run->refusal_reported) {
    run->refusal_reported = true;
    log_warn(world_log(world), "system %s: shoal_remove: %s (reported once)", run->name, refusal.text);
  }
}

// --- runs

static plugin_chunk_t *get_part_chunk(const run_t *run, uint32_t part) {
  shoal_assert(part < run->part_count, "part %u is out of range (count %u)", part, run->part_count);
  return &run->plugin->plugins->chunks[run->first_chunk + part];
}

// Assigns chunks to a system. Several systems use chunks in parallel, so each gets the next free range.
static void begin_chunks(plugins_o *plugins, run_t *run) {
  uint32_t chunk_count = plugins->chunks_used + run->part_count;
  if (chunk_count > plugins->chunk_capacity) {
    plugins->chunks = alloc_resize(&plugins->memory, plugins->chunks, plugins->chunk_capacity * sizeof *plugins->chunks,
                                   chunk_count * sizeof *plugins->chunks);
    memset(plugins->chunks + plugins->chunk_capacity, 0,
           (chunk_count - plugins->chunk_capacity) * sizeof *plugins->chunks);
    plugins->chunk_capacity = chunk_count;
  }
  run->first_chunk = plugins->chunks_used;
  plugins->chunks_used = chunk_count;
  for (uint32_t i = 0; i < run->part_count; ++i) {
    plugin_chunk_t *chunk = get_part_chunk(run, i);
    part_queue_begin(&chunk->queue, plugins->world, run->name, i);
    chunk->failed = false;
    chunk->warning = NULL;
  }
}

void plugin_free_chunks(plugins_o *plugins) {
  for (uint32_t i = 0; i < plugins->chunk_capacity; ++i)
    part_queue_free(&plugins->chunks[i].queue);
  alloc_resize(&plugins->memory, plugins->chunks, plugins->chunk_capacity * sizeof *plugins->chunks, 0);
  plugins->chunks = NULL;
  plugins->chunk_capacity = 0;
}

void plugin_begin_parts(run_t *run) {
  shoal_assert(run->view.entities || run->view.count == 0, "entities must not be NULL (count %u)", run->view.count);
  uint32_t count = run->view.count;
  uint32_t part_rows = run->plugin->plugins->checks_races ? (count + RACE_PARTS - 1) / RACE_PARTS : PART_ROWS;
  run->part_rows = run->def->parallel ? part_rows : count;
  run->part_count = run->def->parallel && count > 0 ? (count + part_rows - 1) / part_rows : !run->def->parallel;
  begin_chunks(run->plugin->plugins, run);
  plugin_refresh_columns(run);
}

static void call_part(run_t *run, uint32_t part, plugin_chunk_t *chunk) {
  access_view_part_t rows;
  access_view_get_part(&run->rows, &run->view, part * run->part_rows, run->part_rows, &rows);
  context_t context = plugin_build_context(run->plugin, PLUGIN_CALL_PART);
  context.run = run;
  context.chunk = &chunk->queue.list;
  chunk->failed = !plugin_call_system(run, &context, &rows.view, run->dt_s);
  if (chunk->failed)
    chunk->problem = context.problem;
}

void plugin_run_part(void *context, uint32_t part, uint32_t worker) {
  run_t *run = context;
  plugin_chunk_t *chunk = get_part_chunk(run, part);
  bool is_single = !run->def->parallel;
  (void)worker;
  if (is_single)
    access_view_gather(&run->plugin->access, &run->rows);
  if (is_single && run->checks_reads)
    plugin_copy_reads(run);
  part_check_enter(run, part);
  call_part(run, part, chunk);
  part_check_leave(run, part);
  if (is_single && run->checks_reads && !chunk->failed)
    chunk->failed = !plugin_check_reads_unchanged(run, &chunk->problem);
  if (is_single)
    access_view_scatter(&run->plugin->access, &run->rows);
}

typedef struct part_thread_t {
  run_t *run;
  uint32_t part;
  pthread_t thread;
} part_thread_t;

static void *run_part_thread(void *argument) {
  const part_thread_t *t = argument;
  plugin_run_part(t->run, t->part, t->part);
  return NULL;
}

// Runs each part on its own thread. All threads are created before the first thread is joined, so nothing orders the
// parts and ThreadSanitizer reports a race even if they happen to run sequentially.
static void run_parts_on_threads(run_t *run) {
  part_thread_t threads[RACE_PARTS];
  uint32_t count = 0;
  shoal_assert(run->part_count <= RACE_PARTS, "part count %u is out of range", run->part_count);
  for (; count < run->part_count; ++count) {
    threads[count] = (part_thread_t){.run = run, .part = count};
    if (pthread_create(&threads[count].thread, NULL, run_part_thread, &threads[count]) != 0)
      break;
  }
  for (uint32_t i = count; i < run->part_count; ++i)
    plugin_run_part(run, i, i);
  for (uint32_t i = 0; i < count; ++i)
    pthread_join(threads[i].thread, NULL);
}

void plugin_run_parts(run_t *run, jobs_o *jobs) {
  const plugins_o *plugins = run->plugin->plugins;
  // A forked process starts no threads here, because ThreadSanitizer does not support new threads there.
  if (plugins->checks_races && run->def->parallel && !plugins->desc.forked)
    run_parts_on_threads(run);
  else
    jobs_run_parts(run->part_check.is_in_order ? NULL : jobs, plugin_run_part, run, run->part_count);
}

bool plugin_end_parts(run_t *run, error_info_t *error) {
  plugins_o *plugins = run->plugin->plugins;
  const plugin_chunk_t *failed = NULL;
  plugin_report_float_mode(run->plugin);
  for (uint32_t i = 0; i < run->part_count; ++i)
    if (get_part_chunk(run, i)->warning)
      plugin_warn_once(run->plugin, get_part_chunk(run, i)->warning);
  for (uint32_t i = 0; i < run->part_count && !failed; ++i)
    failed = get_part_chunk(run, i)->failed ? get_part_chunk(run, i) : NULL;
  for (uint32_t i = 0; i < run->part_count && !failed; ++i)
    apply_commands(run, get_part_chunk(run, i), plugins->world);
  if (failed)
    *error = failed->problem;
  for (uint32_t i = 0; i < run->part_count; ++i)
    part_queue_clear_events(&get_part_chunk(run, i)->queue);
  plugins->chunks_used -= run->part_count;
  return !failed;
}
