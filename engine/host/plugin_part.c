// Parts of parallel systems: the rows are cut into parts of a fixed size, whatever the number of workers. What a part wants besides
// its own rows is kept in a list of its own; the lists are carried out in the order of the parts, so that the world cannot tell how
// many workers there were.
#include "host/plugins_state.h"

#include "base/assert.h"
#include "base/hash.h"
#include "script/parallel.h"

#include <stdlib.h>
#include <string.h>

#define PART_ROWS 16384u // part of what a game computes: every part has a random stream

typedef struct part_command_t {
  uint32_t kind; // chunk_command_kind_t; of CHUNK_EMIT `column` is the first of `b` rows in `rows`
  shoal_entity e;
  uint32_t a, b, column;
  double value;
} part_command_t;

struct plugin_chunk_t {
  random_t random;
  part_command_t *commands; // kept from run to run; by malloc, since parts run on several threads
  uint32_t count, capacity;
  void **emitted; // the columns of each emit: one block, the pointers first
  uint32_t emitted_count, emitted_capacity;
  bool failed;
  error_t problem;
};

typedef struct parts_t {
  run_t *run;
  const shoal_view *whole;
  float dt_s;
} parts_t;

static void *grown(void *memory, size_t bytes) {
  void *more = realloc(memory, bytes);
  if (!more)
    abort();
  return more;
}

void chunk_queue(plugin_chunk_t *c, uint32_t kind, shoal_entity e, const bound_t *b, uint32_t instance, uint32_t column,
                 double value) {
  if (c->count == c->capacity) {
    c->capacity = c->capacity ? c->capacity * 2 : 64;
    c->commands = grown(c->commands, c->capacity * sizeof *c->commands);
  }
  c->commands[c->count++] = (part_command_t){
      .kind = kind, .e = e, .a = b && b->manager ? b->manager->id : 0, .b = instance, .column = column, .value = value};
}

uint32_t chunk_random_u32(plugin_chunk_t *c) {
  return random_u32(&c->random);
}

// --- events

void *const *chunk_emit(plugin_chunk_t *c, bound_t *b, uint32_t count) {
  const columns_t *of = &b->event->columns;
  uint32_t n = b->component->column_count;
  size_t bytes = (n + of->column_count) * sizeof(void *), at = bytes;
  for (uint32_t i = 0; i < of->column_count; ++i)
    bytes += ((size_t)of->element_bytes[i] * count + 15) & ~(size_t)15;
  if (c->emitted_count == c->emitted_capacity) {
    c->emitted_capacity = c->emitted_capacity ? c->emitted_capacity * 2 : 16;
    c->emitted = grown(c->emitted, c->emitted_capacity * sizeof *c->emitted);
  }
  void **block = grown(NULL, bytes);
  c->emitted[c->emitted_count++] = block;
  for (uint32_t i = 0; i < of->column_count; ++i) { // the store's own, behind the plugin's
    block[n + i] = (char *)block + at;
    plugin_fill_default(of, i, block[n + i], count);
    at += ((size_t)of->element_bytes[i] * count + 15) & ~(size_t)15;
  }
  for (uint32_t i = 0; i < n; ++i)
    block[i] = block[n + b->columns[i]];
  chunk_queue(c, CHUNK_EMIT, 0, NULL, count, c->emitted_count - 1, n);
  c->commands[c->count - 1].a = b->event->id;
  return (void *const *)block;
}

static void emit(world_o *w, const plugin_chunk_t *c, const part_command_t *x) {
  columns_t *to = event_fill_begin(w, x->a, x->b);
  void **block = c->emitted[x->column], **from = block + (size_t)x->value;
  for (uint32_t i = 0; i < to->column_count; ++i)
    memcpy(to->data[i], from[i], (size_t)to->element_bytes[i] * x->b);
  event_fill_end(w, x->a, true);
}

// --- the run

static void begin_chunks(plugins_o *p, const run_t *r, uint32_t count) {
  if (count > p->chunk_capacity) {
    p->chunks = alloc_resize(&p->memory, p->chunks, p->chunk_capacity * sizeof *p->chunks, count * sizeof *p->chunks);
    memset(p->chunks + p->chunk_capacity, 0, (count - p->chunk_capacity) * sizeof *p->chunks);
    p->chunk_capacity = count;
  }
  uint64_t tick = world_tick(p->world), seed = hash_text(r->name);
  seed = hash_bytes(&tick, sizeof tick, seed);
  seed = hash_bytes(world_random(p->world), sizeof(random_t), seed);
  for (uint32_t i = 0; i < count; ++i) {
    p->chunks[i].count = 0;
    p->chunks[i].failed = false;
    random_seed(&p->chunks[i].random, hash_bytes(&i, sizeof i, seed));
  }
}

static void end_chunks(plugins_o *p, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    plugin_chunk_t *c = &p->chunks[i];
    for (uint32_t k = 0; k < c->emitted_count; ++k)
      free(c->emitted[k]);
    c->emitted_count = 0;
  }
}

void plugin_free_chunks(plugins_o *p) {
  end_chunks(p, p->chunk_capacity);
  for (uint32_t i = 0; i < p->chunk_capacity; ++i) {
    free(p->chunks[i].commands);
    free(p->chunks[i].emitted);
  }
  alloc_resize(&p->memory, p->chunks, p->chunk_capacity * sizeof *p->chunks, 0);
  p->chunks = NULL;
  p->chunk_capacity = 0;
}

static void run_part(void *context, uint32_t part, uint32_t worker) {
  const parts_t *parts = context;
  run_t *r = parts->run;
  plugin_chunk_t *chunk = &r->plugin->all->chunks[part];
  void *columns[QUERY_MAX_TERMS][SHOAL_MAX_FIELDS];
  shoal_term terms[QUERY_MAX_TERMS];
  uint32_t first = part * PART_ROWS, left = parts->whole->count - first;
  (void)worker;
  for (uint32_t i = 0; i < r->term_count; ++i) {
    const term_run_t *t = &r->terms[i];
    terms[i] = r->shown[i];
    for (uint32_t c = 0; t->bound && c < t->bound->component->column_count; ++c) {
      uint32_t bytes = t->bound->manager->columns.element_bytes[t->bound->columns[c]];
      columns[i][c] = (char *)t->columns[c] + (size_t)first * bytes;
    }
    terms[i].columns = terms[i].columns ? (void *const *)columns[i] : NULL;
    terms[i].there = terms[i].there ? terms[i].there + first : NULL;
  }
  shoal_view view = {.count = left < PART_ROWS ? left : PART_ROWS,
                     .first = first,
                     .entities = parts->whole->entities + first,
                     .terms = terms,
                     .term_count = r->term_count};
  context_t c = plugin_context(r->plugin, WHERE_PART);
  c.run = r;
  c.chunk = chunk;
  r->def->run(&c.shared, &view, parts->dt_s);
  chunk->failed = c.failed;
  if (c.failed)
    chunk->problem = c.problem;
}

static void apply(world_o *w, const plugin_chunk_t *c) {
  error_t error;
  for (uint32_t i = 0; i < c->count; ++i) {
    const part_command_t *x = &c->commands[i];
    switch (x->kind) {
    case CHUNK_DESTROY: world_destroy(w, x->e); break;
    case CHUNK_ADD: world_add(w, x->e, x->a, x->b, &error); break;
    case CHUNK_REMOVE: world_remove(w, x->e, x->a, x->b); break;
    case CHUNK_SET: world_set(w, x->e, x->a, x->b, x->column, x->value, &error); break;
    case CHUNK_EMIT: emit(w, c, x); break;
    default: shoal_assert(false, "part command of kind %u", x->kind); break;
    }
  }
}

bool plugin_run_parts(run_t *r, const shoal_view *whole, float dt_s, error_t *error) {
  plugins_o *p = r->plugin->all;
  uint32_t parts = (whole->count + PART_ROWS - 1) / PART_ROWS;
  parts_t context = {.run = r, .whole = whole, .dt_s = dt_s};
  begin_chunks(p, r, parts);
  plugin_refresh(r->plugin);
  jobs_run(p->quiet ? NULL : world_jobs(p->world), run_part, &context, parts);
  const plugin_chunk_t *failed = NULL;
  for (uint32_t i = 0; i < parts && !failed; ++i)
    failed = p->chunks[i].failed ? &p->chunks[i] : NULL;
  for (uint32_t i = 0; i < parts && !failed; ++i)
    apply(p->world, &p->chunks[i]);
  if (failed)
    *error = failed->problem;
  end_chunks(p, parts);
  return !failed;
}
