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
  const char *note; // warning to be logged, or NULL
  bool failed;
  error_info_t problem;
};

static void *resize_or_abort(void *memory, size_t bytes) {
  void *more = realloc(memory, bytes);
  if (!more)
    abort();
  return more;
}

static plugin_chunk_t *get_chunk(const context_t *c) {
  shoal_assert(c->where == WHERE_PART && c->chunk, "only parts of parallel systems have a chunk (call place %d)",
               (int)c->where);
  return (plugin_chunk_t *)(void *)c->chunk;
}

void plugin_part_set_warning(const context_t *c, const char *message) {
  get_chunk(c)->note = message;
}

// --- events

void *const *plugin_part_emit_events(const context_t *context, const access_binding_t *b, uint32_t count) {
  plugin_chunk_t *c = get_chunk(context);
  shoal_assert(b->event, "%s is not an event", b->component->name);
  const columns_t *of = &b->event->columns;
  uint32_t n = b->component->column_count;
  size_t bytes = (n + of->column_count) * sizeof(void *), at = bytes;
  for (uint32_t i = 0; i < of->column_count; ++i)
    bytes += ((size_t)of->element_bytes[i] * count + 15) & ~(size_t)15;
  if (c->emitted_count == c->emitted_capacity) {
    c->emitted_capacity = c->emitted_capacity ? c->emitted_capacity * 2 : 16;
    c->emitted = resize_or_abort(c->emitted, c->emitted_capacity * sizeof *c->emitted);
  }
  void **block = resize_or_abort(NULL, bytes);
  c->emitted[c->emitted_count++] = block;
  // In the block, the pointers to all columns of the event follow the pointers to the columns that the plugin declares.
  for (uint32_t i = 0; i < of->column_count; ++i) {
    block[n + i] = (char *)block + at;
    scratch_fill_default(of, i, block[n + i], count);
    at += ((size_t)of->element_bytes[i] * count + 15) & ~(size_t)15;
  }
  for (uint32_t i = 0; i < n; ++i)
    block[i] = block[n + b->columns[i]];
  chunk_push(&c->list, CHUNK_EMIT, 0, b->event->id, count, c->emitted_count - 1, n);
  return (void *const *)block;
}

static void emit_event(const plugin_chunk_t *c, world_o *w, const chunk_command_t *x) {
  shoal_assert(x->column < c->emitted_count, "emission %u is out of range (count %u)", x->column, c->emitted_count);
  columns_t *to = event_fill_begin(w, x->a, x->b);
  void **block = c->emitted[x->column], **from = block + (size_t)x->value;
  for (uint32_t i = 0; i < to->column_count; ++i)
    memcpy(to->data[i], from[i], (size_t)to->element_bytes[i] * x->b);
  event_fill_end(w, x->a, true);
}

static void apply_commands(run_t *r, const plugin_chunk_t *c, world_o *w) {
  const chunk_t *list = &c->list;
  error_info_t refused = {0};
  for (uint32_t i = 0; (i = chunk_apply_until_emit(list, w, i, &refused)) < list->count; ++i)
    emit_event(c, w, &list->commands[i]);
  if (refused.text[0] && !r->refusal_reported) {
    r->refusal_reported = true;
    log_warn(world_log(w), "system %s: shoal_remove: %s (reported once)", r->name, refused.text);
  }
}

// --- runs

static plugin_chunk_t *get_part_chunk(const run_t *r, uint32_t part) {
  shoal_assert(part < r->part_count, "part %u is out of range (count %u)", part, r->part_count);
  return &r->plugin->plugins->chunks[r->first_chunk + part];
}

// Assigns chunks to a system. Several systems use chunks in parallel, so each gets the next free range.
static void begin_chunks(plugins_o *p, run_t *r) {
  uint32_t count = p->chunks_used + r->part_count;
  if (count > p->chunk_capacity) {
    p->chunks = alloc_resize(&p->memory, p->chunks, p->chunk_capacity * sizeof *p->chunks, count * sizeof *p->chunks);
    memset(p->chunks + p->chunk_capacity, 0, (count - p->chunk_capacity) * sizeof *p->chunks);
    p->chunk_capacity = count;
  }
  r->first_chunk = p->chunks_used;
  p->chunks_used = count;
  for (uint32_t i = 0; i < r->part_count; ++i) {
    plugin_chunk_t *c = get_part_chunk(r, i);
    shoal_assert(c->emitted_count == 0, "part %u of %s still contains events of an earlier run", i, r->name);
    chunk_begin(&c->list, p->world, r->name, i);
    c->failed = false;
    c->note = NULL;
  }
}

static void free_emitted_events(plugin_chunk_t *c) {
  for (uint32_t k = 0; k < c->emitted_count; ++k)
    free(c->emitted[k]);
  c->emitted_count = 0;
}

void plugin_free_chunks(plugins_o *p) {
  for (uint32_t i = 0; i < p->chunk_capacity; ++i) {
    free_emitted_events(&p->chunks[i]);
    chunk_free(&p->chunks[i].list);
    free(p->chunks[i].emitted);
  }
  alloc_resize(&p->memory, p->chunks, p->chunk_capacity * sizeof *p->chunks, 0);
  p->chunks = NULL;
  p->chunk_capacity = 0;
}

void plugin_begin_parts(run_t *r) {
  shoal_assert(r->view.entities || r->view.count == 0, "entities must not be NULL (count %u)", r->view.count);
  uint32_t count = r->view.count;
  r->part_rows = r->def->parallel ? PART_ROWS : count;
  r->part_count = r->def->parallel ? (count + PART_ROWS - 1) / PART_ROWS : 1;
  begin_chunks(r->plugin->plugins, r);
  plugin_refresh_columns(r);
}

static void call_part(run_t *r, uint32_t part, plugin_chunk_t *chunk) {
  void *columns[QUERY_MAX_TERMS][SHOAL_MAX_FIELDS];
  shoal_term terms[QUERY_MAX_TERMS];
  uint32_t first = part * r->part_rows, left = r->view.count - first;
  for (uint32_t i = 0; i < r->rows.term_count; ++i) {
    const access_term_t *t = &r->rows.terms[i];
    terms[i] = r->rows.shown[i];
    for (uint32_t c = 0; t->bound && c < t->bound->component->column_count; ++c) {
      columns[i][c] = (char *)t->columns[c] + (size_t)first * access_element_bytes(t->bound, c);
    }
    terms[i].columns = terms[i].columns ? (void *const *)columns[i] : NULL;
    terms[i].present = terms[i].present ? terms[i].present + first : NULL;
  }
  shoal_view view = {.count = left < r->part_rows ? left : r->part_rows,
                     .first = first,
                     .entities = r->view.entities ? r->view.entities + first : NULL,
                     .terms = terms,
                     .term_count = r->rows.term_count};
  context_t c = plugin_build_context(r->plugin, WHERE_PART);
  c.run = r;
  c.chunk = &chunk->list;
  chunk->failed = !plugin_call_system(r, &c, &view, r->dt_s);
  if (chunk->failed)
    chunk->problem = c.problem;
}

void plugin_run_part(void *run, uint32_t part, uint32_t worker) {
  run_t *r = run;
  plugin_chunk_t *chunk = get_part_chunk(r, part);
  bool whole = !r->def->parallel;
  (void)worker;
  if (whole)
    access_view_gather(&r->plugin->access, &r->rows);
  if (whole && r->checks_reads)
    plugin_copy_reads(r);
  call_part(r, part, chunk);
  if (whole && r->checks_reads && !chunk->failed)
    chunk->failed = !plugin_check_reads_unchanged(r, &chunk->problem);
  if (whole)
    access_view_scatter(&r->plugin->access, &r->rows);
}

bool plugin_end_parts(run_t *r, error_info_t *error) {
  plugins_o *p = r->plugin->plugins;
  const plugin_chunk_t *failed = NULL;
  plugin_report_float_mode(r->plugin);
  for (uint32_t i = 0; i < r->part_count; ++i)
    if (get_part_chunk(r, i)->note)
      plugin_warn_once(r->plugin, get_part_chunk(r, i)->note);
  for (uint32_t i = 0; i < r->part_count && !failed; ++i)
    failed = get_part_chunk(r, i)->failed ? get_part_chunk(r, i) : NULL;
  for (uint32_t i = 0; i < r->part_count && !failed; ++i)
    apply_commands(r, get_part_chunk(r, i), p->world);
  if (failed)
    *error = failed->problem;
  for (uint32_t i = 0; i < r->part_count; ++i)
    free_emitted_events(get_part_chunk(r, i));
  p->chunks_used -= r->part_count;
  return !failed;
}
