// Parts of parallel systems. The rows are divided into parts of a fixed size, independent of the number of workers.
// Each part may change its rows directly; all other changes are queued in one list per part. The lists are applied in
// the order of the parts, so the result does not depend on the number of workers. A system with .concurrent that is not
// parallel consists of a single part.
#include "plugin/system_part.h"

#include "base/assert.h"
#include "plugin/call.h"
#include "plugin/guarded_call.h"
#include "plugin/report.h"
#include "schedule/command_chunk.h"

#include <stdlib.h>
#include <string.h>

// Must not be changed: every part has a separate random stream, so results depend on the size of parts.
#define PART_ROWS 16384u

struct plugin_chunk_t {
  // Must be the first member. In a CHUNK_EMIT, `column` is the index of a block in `emitted`, `b` is the number of
  // rows, and `value` is the position, in that block, of the address of the event's first column.
  chunk_t list;
  void **emitted; // one block per emission: column addresses, then columns; allocated with malloc, like the list
  uint32_t emitted_count, emitted_capacity;
  const char *warning; // warning to be logged, or NULL
  bool failed;
  error_info_t problem;
};

static void *resize_or_abort(void *memory, size_t bytes) {
  void *resized = realloc(memory, bytes);
  if (!resized)
    abort();
  return resized;
}

static plugin_chunk_t *get_chunk(const context_t *context) {
  shoal_assert(context->call_kind == PLUGIN_CALL_PART && context->chunk,
               "only parts of parallel systems have a chunk (call place %d)", (int)context->call_kind);
  return (plugin_chunk_t *)(void *)context->chunk;
}

void plugin_part_set_warning(const context_t *context, const char *message) {
  get_chunk(context)->warning = message;
}

// --- events

void *const *plugin_part_emit_events(const context_t *context, const access_binding_t *binding, uint32_t count) {
  plugin_chunk_t *chunk = get_chunk(context);
  shoal_assert(binding->event, "%s is not an event", binding->component->name);
  const columns_t *columns = &binding->event->columns;
  uint32_t declared_count = binding->component->column_count;
  size_t bytes = (declared_count + columns->column_count) * sizeof(void *), offset = bytes;
  for (uint32_t i = 0; i < columns->column_count; ++i)
    bytes += ((size_t)columns->element_bytes[i] * count + 15) & ~(size_t)15;
  if (chunk->emitted_count == chunk->emitted_capacity) {
    chunk->emitted_capacity = chunk->emitted_capacity ? chunk->emitted_capacity * 2 : 16;
    chunk->emitted = resize_or_abort(chunk->emitted, chunk->emitted_capacity * sizeof *chunk->emitted);
  }
  void **block = resize_or_abort(NULL, bytes);
  chunk->emitted[chunk->emitted_count++] = block;
  // In the block, the pointers to all columns of the event follow the pointers to the columns that the plugin declares.
  for (uint32_t i = 0; i < columns->column_count; ++i) {
    block[declared_count + i] = (char *)block + offset;
    scratch_fill_default(columns, i, block[declared_count + i], count);
    offset += ((size_t)columns->element_bytes[i] * count + 15) & ~(size_t)15;
  }
  for (uint32_t i = 0; i < declared_count; ++i)
    block[i] = block[declared_count + binding->columns[i]];
  chunk_push(&chunk->list, CHUNK_EMIT, 0, binding->event->id, count, chunk->emitted_count - 1, declared_count);
  return (void *const *)block;
}

static void emit_event(const plugin_chunk_t *chunk, world_o *world, const chunk_command_t *command) {
  shoal_assert(command->column < chunk->emitted_count, "emission %u is out of range (count %u)", command->column,
               chunk->emitted_count);
  columns_t *target = event_fill_begin(world, command->a, command->b);
  void **block = chunk->emitted[command->column], **source = block + (size_t)command->value;
  for (uint32_t i = 0; i < target->column_count; ++i)
    memcpy(target->data[i], source[i], (size_t)target->element_bytes[i] * command->b);
  event_fill_end(world, command->a, true);
}

static void apply_commands(run_t *run, const plugin_chunk_t *chunk, world_o *world) {
  const chunk_t *commands = &chunk->list;
  error_info_t refusal = {0};
  for (uint32_t i = 0; (i = chunk_apply_until_emit(commands, world, i, &refusal)) < commands->count; ++i)
    emit_event(chunk, world, &commands->commands[i]);
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
    shoal_assert(chunk->emitted_count == 0, "part %u of %s still contains events of an earlier run", i, run->name);
    chunk_begin(&chunk->list, plugins->world, run->name, i);
    chunk->failed = false;
    chunk->warning = NULL;
  }
}

static void free_emitted_events(plugin_chunk_t *chunk) {
  for (uint32_t i = 0; i < chunk->emitted_count; ++i)
    free(chunk->emitted[i]);
  chunk->emitted_count = 0;
}

void plugin_free_chunks(plugins_o *plugins) {
  for (uint32_t i = 0; i < plugins->chunk_capacity; ++i) {
    free_emitted_events(&plugins->chunks[i]);
    chunk_free(&plugins->chunks[i].list);
    free(plugins->chunks[i].emitted);
  }
  alloc_resize(&plugins->memory, plugins->chunks, plugins->chunk_capacity * sizeof *plugins->chunks, 0);
  plugins->chunks = NULL;
  plugins->chunk_capacity = 0;
}

void plugin_begin_parts(run_t *run) {
  shoal_assert(run->view.entities || run->view.count == 0, "entities must not be NULL (count %u)", run->view.count);
  uint32_t count = run->view.count;
  run->part_rows = run->def->parallel ? PART_ROWS : count;
  run->part_count = run->def->parallel ? (count + PART_ROWS - 1) / PART_ROWS : 1;
  begin_chunks(run->plugin->plugins, run);
  plugin_refresh_columns(run);
}

static void call_part(run_t *run, uint32_t part, plugin_chunk_t *chunk) {
  void *columns[QUERY_MAX_TERMS][SHOAL_MAX_COLUMNS];
  shoal_term terms[QUERY_MAX_TERMS];
  uint32_t first_row = part * run->part_rows, remaining = run->view.count - first_row;
  for (uint32_t i = 0; i < run->rows.term_count; ++i) {
    const access_term_t *term = &run->rows.terms[i];
    terms[i] = run->rows.shown[i];
    for (uint32_t column = 0; term->bound && column < term->bound->component->column_count; ++column) {
      columns[i][column] =
          (char *)term->columns[column] + (size_t)first_row * access_element_bytes(term->bound, column);
    }
    terms[i].columns = terms[i].columns ? (void *const *)columns[i] : NULL;
    terms[i].present = terms[i].present ? terms[i].present + first_row : NULL;
  }
  shoal_view view = {.count = remaining < run->part_rows ? remaining : run->part_rows,
                     .first = first_row,
                     .entities = run->view.entities ? run->view.entities + first_row : NULL,
                     .terms = terms,
                     .term_count = run->rows.term_count};
  context_t context = plugin_build_context(run->plugin, PLUGIN_CALL_PART);
  context.run = run;
  context.chunk = &chunk->list;
  chunk->failed = !plugin_call_system(run, &context, &view, run->dt_s);
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
  call_part(run, part, chunk);
  if (is_single && run->checks_reads && !chunk->failed)
    chunk->failed = !plugin_check_reads_unchanged(run, &chunk->problem);
  if (is_single)
    access_view_scatter(&run->plugin->access, &run->rows);
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
    free_emitted_events(get_part_chunk(run, i));
  plugins->chunks_used -= run->part_count;
  return !failed;
}
