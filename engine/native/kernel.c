// Runs recorded kernels over rows, in place or in blocks: gather, compute, scatter.
#include "native/kernel.h"

#include "base/assert.h"
#include "base/float_control.h"
#include "ecs/world.h"
#include "native/gather.h"
#include "native/straight.h"
#include "schedule/runs.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 24 * 1024 };
enum { IN_C = 8 }; // times that an operation takes where there is no machine code

typedef struct slot_t {
  uint32_t bytes;
  bool written;
  uint32_t manager, column, term;
  const column_view_t *view;
  uint8_t *scratch; // a block's worth for each worker, for when it is mapped
} slot_t;

// A run over `rows` rows, in parts of `part_rows`.
typedef struct kernel_run_t {
  uint32_t rows, part_rows;
  bool in_place;
  bool by_runs; // not in the query's order
} kernel_run_t;

// Rows from number `first` on, of a span or, where that is NULL, of the query.
typedef struct place_t {
  const row_span_t *span;
  uint32_t first;
} place_t;

struct kernel_o {
  lanes_o *lanes;
  uint32_t most_straight; // rows that are over in some 40 µs
  bool native;            // its last run was machine code
  straight_t straight;
  query_o *query;
  codegen_level_t level;
  slot_t slots[KERNEL_MAX_SLOTS];
  uint32_t slot_count;
  uint32_t block; // rows in a block, a multiple of 16
  uint32_t workers;
  bool complete, waits;
  bool unsound; // nothing is added any more, and it does not run
  error_t why;
  kernel_run_t now; // while it runs
  row_runs_t runs;
};

const lanes_o *kernel_lanes(const kernel_o *k) {
  return k->lanes;
}

kernel_o *kernel_create(query_o *q, uint32_t level, bool waits) {
  shoal_assert(q && level <= CODEGEN_AVX512, "a kernel runs over a query, at level %u", level);
  kernel_o *k = calloc(1, sizeof *k);
  shoal_assert(k, "no memory for a kernel");
  k->query = q;
  k->level = (codegen_level_t)level;
  k->waits = waits;
  k->lanes = lanes_create();
  k->workers = jobs_workers(world_jobs(q->world));
  return k;
}

void kernel_destroy(kernel_o *k) {
  if (!k)
    return;
  lanes_destroy(k->lanes);
  for (uint32_t i = 0; i < k->slot_count; ++i)
    free(k->slots[i].scratch);
  row_runs_fini(&k->runs);
  free(k);
}

// The first thing that is wrong is what is told.
__attribute__((format(printf, 2, 3))) static uint32_t refuse(kernel_o *k, const char *words, ...) {
  va_list list;
  va_start(list, words);
  if (!k->unsound)
    vsnprintf(k->why.text, sizeof k->why.text, words, list);
  va_end(list);
  k->unsound = true;
  return 0;
}

bool kernel_is_sound(const kernel_o *k, error_t *error) {
  if (k->unsound)
    *error = k->why;
  return !k->unsound && lanes_is_sound(k->lanes, error);
}

// --- slots

static uint32_t add_slot(kernel_o *k, slot_t slot) {
  if (k->slot_count == KERNEL_MAX_SLOTS)
    return refuse(k, "it has more than %u columns", KERNEL_MAX_SLOTS);
  k->slots[k->slot_count] = slot;
  return k->slot_count++;
}

// Every row has one: no row of the others' maps may be missing.
static const query_term_t *find_term(const query_o *q, uint32_t manager) {
  for (uint32_t i = 0; i < q->term_count; ++i)
    if (q->terms[i].manager->id == manager && q->terms[i].role == QUERY_WITH)
      return &q->terms[i];
  return NULL;
}

static bool can_calculate(field_type_t type) {
  return type == FIELD_F32 || type == FIELD_F64 || type == FIELD_I8 || type == FIELD_I16 || type == FIELD_I32 ||
         type == FIELD_U8 || type == FIELD_U16 || type == FIELD_BOOL;
}

static bool check_column(kernel_o *k, const query_term_t *term, uint32_t column, uint32_t bytes, bool written) {
  if (!term || column >= term->view_count)
    return refuse(k, "a column is not one of the query's");
  const field_t *f = &term->manager->schema.fields[column];
  if (!can_calculate(f->type) || bytes != field_size(f->type) || f->flags & FIELD_HIDDEN)
    return refuse(k, "%s.%s is no column for kernels, or not of %u bytes", term->manager->schema.name, f->name, bytes);
  if (written && f->flags & FIELD_READ_ONLY)
    return refuse(k, "%s.%s is kept by the host", term->manager->schema.name, f->name);
  return true;
}

uint32_t kernel_column(kernel_o *k, uint32_t manager, uint32_t column, uint32_t bytes, bool written) {
  const query_term_t *term = find_term(k->query, manager);
  if (k->unsound || !check_column(k, term, column, bytes, written))
    return 0;
  for (uint32_t i = 0; i < k->slot_count; ++i) {
    slot_t *s = &k->slots[i];
    if (s->manager == manager && s->column == column) {
      s->written |= written;
      return i;
    }
  }
  return add_slot(k, (slot_t){.bytes = bytes,
                              .written = written,
                              .manager = manager,
                              .column = column,
                              .term = (uint32_t)(term - k->query->terms),
                              .view = &term->views[column]});
}

// --- values

int32_t kernel_load(kernel_o *k, uint32_t slot) {
  if (k->unsound || slot >= k->slot_count)
    return (int32_t)refuse(k, "it has no slot %u", slot);
  return lanes_load(k->lanes, slot, k->slots[slot].bytes);
}

int32_t kernel_constant(kernel_o *k, uint32_t bytes, bool is_float, double value) {
  return lanes_constant(k->lanes, bytes, is_float, value);
}

int32_t kernel_dt(kernel_o *k, uint32_t bytes) {
  return lanes_dt(k->lanes, bytes);
}

int32_t kernel_op(kernel_o *k, const char *name, int32_t a, int32_t b) {
  return lanes_op(k->lanes, name, a, b);
}

void kernel_store(kernel_o *k, uint32_t slot, int32_t value) {
  if (k->unsound || slot >= k->slot_count || !k->slots[slot].written)
    refuse(k, "slot %u is not there, or not to be written", slot);
  else
    lanes_store(k->lanes, slot, k->slots[slot].bytes, value);
}

static uint64_t native_cost(const kernel_o *k) { // of a row, where nothing is looked up
  return lanes_op_count(k->lanes) + 2 * k->slot_count;
}

bool kernel_complete(kernel_o *k) {
  error_t error;
  k->complete = !k->unsound && lanes_complete(k->lanes, k->workers, &error);
  if (!k->complete)
    return false;
  straight_begin(&k->straight, k->query);
  for (uint32_t i = 0; i < k->slot_count; ++i)
    straight_add(&k->straight, k->query->terms[k->slots[i].term].manager, k->slots[i].column, k->slots[i].written);
  k->most_straight = (uint32_t)((KERNEL_SPLIT_COST - 1) / native_cost(k));
  return true;
}

// Every array of a block together fits the first cache; with a column that is gathered lines of it that others share.
static uint32_t block_rows(const kernel_o *k, bool gathers) {
  uint32_t bytes = 0;
  for (uint32_t i = 0; i < k->slot_count; ++i)
    bytes += k->slots[i].bytes * (gathers ? 4 : 1);
  uint32_t rows = BLOCK_BYTES / (bytes ? bytes : 1) / 16 * 16;
  return rows > KERNEL_MAX_BLOCK ? KERNEL_MAX_BLOCK : rows < 64 ? 64 : rows;
}

static uint8_t *scratch_of(const slot_t *s, uint32_t worker) {
  return s->scratch + (size_t)worker * KERNEL_MAX_BLOCK * s->bytes;
}

// Where the slot's rows are listed from the place on; NULL where they lie in line, from row_at on.
static const uint32_t *rows_at(const slot_t *s, place_t at) {
  const uint32_t *rows = NULL;
  if (!at.span)
    rows = s->view->rows;
  else if (at.span->rows)
    rows = at.span->rows[s->term];
  return rows ? rows + at.first : NULL;
}

static uint32_t row_at(const slot_t *s, place_t at) {
  return at.first + (at.span ? at.span->at[s->term] : 0);
}

// The next slot, where it can go together with this one: of the same rows, and both of four bytes, as most are.
static const slot_t *partner_of(const kernel_o *k, uint32_t i, place_t at, bool written) {
  const slot_t *s = &k->slots[i], *next = i + 1 < k->slot_count ? s + 1 : NULL;
  bool fits = next && s->bytes == 4 && next->bytes == 4 && (next->written || !written);
  return fits && rows_at(next, at) == rows_at(s, at) ? next : NULL;
}

static void gather_two(const slot_t *s, const slot_t *t, uint8_t *to_s, uint8_t *to_t, const uint32_t *restrict rows,
                       uint32_t count) {
  const uint32_t *restrict x = s->view->data, *restrict y = t->view->data;
  uint32_t *restrict a = (uint32_t *)(void *)to_s, *restrict b = (uint32_t *)(void *)to_t;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t row = rows[i];
    a[i] = x[row];
    b[i] = y[row];
  }
}

static void scatter_two(const slot_t *s, const slot_t *t, const uint8_t *from_s, const uint8_t *from_t,
                        const uint32_t *restrict rows, uint32_t count) {
  uint32_t *restrict x = s->view->data, *restrict y = t->view->data;
  const uint32_t *restrict a = (const uint32_t *)(const void *)from_s, *restrict b = (const void *)from_t;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t row = rows[i];
    x[row] = a[i];
    y[row] = b[i];
  }
}

static void *array_of(const slot_t *s, place_t at, uint32_t worker) {
  return rows_at(s, at) ? scratch_of(s, worker) : (uint8_t *)s->view->data + (size_t)row_at(s, at) * s->bytes;
}

// Denormal numbers are 0 as operands and results of a kernel's arithmetic, and nowhere else.
static void run_code(const kernel_o *k, place_t at, uint32_t count, uint32_t worker) {
  void *arrays[KERNEL_MAX_SLOTS];
  for (uint32_t i = 0; i < k->slot_count; ++i)
    arrays[i] = array_of(&k->slots[i], at, worker);
  uint64_t before = float_control();
  float_control_set(before | FLOAT_CONTROL_FLUSHES);
  lanes_run(k->lanes, arrays, count, worker);
  float_control_set(before);
}

static void gather_all(const kernel_o *k, place_t at, uint32_t count, uint32_t worker) {
  for (uint32_t i = 0; i < k->slot_count; ++i) {
    const slot_t *s = &k->slots[i], *next = partner_of(k, i, at, false);
    const uint32_t *rows = rows_at(s, at);
    if (rows && next)
      gather_two(s, &k->slots[++i], scratch_of(s, worker), scratch_of(next, worker), rows, count);
    else if (rows)
      rows_gather(scratch_of(s, worker), s->view->data, rows, s->bytes, count);
  }
}

static void scatter_all(const kernel_o *k, place_t at, uint32_t count, uint32_t worker) {
  for (uint32_t i = 0; i < k->slot_count; ++i) {
    const slot_t *s = &k->slots[i], *next = partner_of(k, i, at, true);
    const uint32_t *rows = s->written ? rows_at(s, at) : NULL;
    if (rows && next)
      scatter_two(s, &k->slots[++i], scratch_of(s, worker), scratch_of(next, worker), rows, count);
    else if (rows)
      rows_scatter(s->view->data, scratch_of(s, worker), rows, s->bytes, count);
  }
}

static void run_block(const kernel_o *k, place_t at, uint32_t count, uint32_t worker) {
  gather_all(k, at, count, worker);
  run_code(k, at, count, worker);
  scatter_all(k, at, count, worker);
}

// What the kernel writes it writes for all rows.
static void mark_written(const kernel_o *k, place_t at, uint32_t count) {
  for (uint32_t i = 0; i < k->slot_count; ++i) {
    const slot_t *s = &k->slots[i];
    if (!s->written || !s->view->marks)
      continue;
    const uint32_t *rows = rows_at(s, at);
    if (!rows)
      memset(s->view->marks + row_at(s, at), 1, count);
    for (uint32_t row = 0; rows && row < count; ++row)
      s->view->marks[rows[row]] = 1;
  }
}

// Scratch is for blocks only; most kernels never need any.
static void prepare_blocks(kernel_o *k, bool gathers) {
  k->block = block_rows(k, gathers);
  shoal_assert(k->block > 0 && k->block % 16 == 0 && k->block <= KERNEL_MAX_BLOCK, "blocks of %u rows", k->block);
  for (uint32_t i = 0; i < k->slot_count; ++i) {
    slot_t *s = &k->slots[i];
    if (!s->scratch) {
      s->scratch = aligned_alloc(64, (size_t)k->workers * KERNEL_MAX_BLOCK * s->bytes);
      shoal_assert(s->scratch, "no memory for a kernel's block");
    }
  }
}

static void run_rows(const kernel_o *k, place_t at, uint32_t count, bool in_place, uint32_t worker) {
  mark_written(k, at, count);
  if (in_place) {
    run_code(k, at, count, worker);
    return;
  }
  for (uint32_t done = 0; done < count; done += k->block) {
    uint32_t left = count - done;
    run_block(k, (place_t){at.span, at.first + done}, left < k->block ? left : k->block, worker);
  }
}

void kernel_run_part(void *kernel, uint32_t part, uint32_t worker) {
  const kernel_o *k = kernel;
  const kernel_run_t *r = &k->now;
  uint32_t first = part * r->part_rows, end = r->rows - first < r->part_rows ? r->rows : first + r->part_rows;
  shoal_assert(worker < k->workers && first < r->rows, "worker %u of %u at row %u of %u", worker, k->workers, first,
               r->rows);
  if (!r->by_runs)
    run_rows(k, (place_t){NULL, first}, end - first, r->in_place, worker);
  while (r->by_runs && first < end) {
    row_span_t span = row_runs_span(&k->runs, first, end - first);
    run_rows(k, (place_t){&span, span.from}, span.count, r->in_place && !span.rows, worker);
    first += span.count;
  }
}

// With a component of several instances an entity has several rows, which share the rows of its other components:
// what one writes there the next one reads.
static bool rows_repeat(const kernel_o *k) {
  bool many = false, shared = false;
  for (uint32_t i = 0; i < k->query->term_count; ++i)
    many |= k->query->terms[i].role == QUERY_WITH && k->query->terms[i].manager->schema.kind == SCHEMA_MANY;
  for (uint32_t i = 0; many && i < k->slot_count; ++i)
    shared |= k->slots[i].written && world_manager(k->query->world, k->slots[i].manager)->schema.kind != SCHEMA_MANY;
  return shared;
}

// What all rows cost, in units of about a hundredth of a nanosecond: of a row an operation one, an array two, a gather
// or scatter 32.
static uint64_t cost_of(const kernel_o *k, uint32_t rows) {
  uint64_t cost = native_cost(k) + (k->native ? 0 : (IN_C - 1) * lanes_op_count(k->lanes)), looked_up = 0;
  for (uint32_t i = 0; i < k->slot_count; ++i)
    looked_up += k->slots[i].view->rows ? (k->slots[i].written ? 64u : 32u) : 0u;
  return rows * cost + (k->now.by_runs ? rows - k->runs.in_runs : rows) * looked_up;
}

// Some parts for each worker, so that one who is late does not keep the others waiting long.
static uint32_t rows_of_part(const kernel_o *k, uint32_t rows) {
  if (k->workers == 1 || cost_of(k, rows) < KERNEL_SPLIT_COST || rows_repeat(k))
    return rows;
  uint32_t wanted = rows / (k->workers * 4) + 1;
  return ((wanted < KERNEL_LEAST_PART ? KERNEL_LEAST_PART : wanted) + 63) / 64 * 64;
}

static uint32_t prepare(kernel_o *k, float dt_s) {
  shoal_assert(dt_s >= 0, "time that goes back %g s", (double)dt_s);
  shoal_assert(!k->unsound && k->complete, "a kernel runs that was refused or is not complete: %s", k->why.text);
  shoal_assert(k->query->open > 0, "a kernel runs over query %u, which is closed", k->query->id);
  shoal_assert(k->workers >= jobs_workers(world_jobs(k->query->world)), // fewer in a copy of the process
               "a kernel is made for %u workers", k->workers);
  kernel_run_t *r = &k->now;
  *r = (kernel_run_t){.rows = k->query->count, .in_place = true};
  bool is_mapped = false;
  for (uint32_t i = 0; i < k->slot_count; ++i)
    is_mapped |= k->slots[i].view->rows != NULL;
  if (r->rows == 0)
    return 0;
  if (r->rows >= KERNEL_LEAST_ROWS || k->waits)
    lanes_want(k->lanes, k->level, k->waits);
  k->native = lanes_prepare(k->lanes, dt_s);
  r->by_runs = is_mapped && row_runs_look(&k->runs, k->query);
  r->in_place = !is_mapped || r->by_runs;
  if (!r->in_place || (r->by_runs && k->runs.in_runs < r->rows))
    prepare_blocks(k, is_mapped);
  r->part_rows = rows_of_part(k, r->rows);
  shoal_assert(r->part_rows == r->rows || r->part_rows % 64 == 0, "parts of %u rows: two share a cache line",
               r->part_rows);
  return (r->rows - 1) / r->part_rows + 1;
}

void kernel_run(kernel_o *k, float dt_s) {
  uint32_t parts = prepare(k, dt_s);
  jobs_run(world_jobs(k->query->world), kernel_run_part, k, parts);
}

bool kernel_ran_straight(kernel_o *k, float dt_s) {
  void *columns[STRAIGHT_MOST];
  uint8_t *marks[STRAIGHT_MOST];
  uint32_t rows = straight_look(&k->straight, columns, marks);
  if (rows == 0 || rows > k->most_straight || !lanes_prepare(k->lanes, dt_s))
    return false;
  for (uint32_t i = 0; i < k->straight.count; ++i)
    if (marks[i])
      memset(marks[i], 1, rows);
  uint64_t before = float_control();
  float_control_set(before | FLOAT_CONTROL_FLUSHES);
  lanes_run(k->lanes, columns, rows, 0);
  float_control_set(before);
  k->native = true;
  return true;
}

bool kernel_is_brief(const kernel_o *k) {
  uint32_t rows = k->query->count;
  return (!k->now.by_runs || k->runs.in_runs <= rows) && cost_of(k, rows) < KERNEL_SPLIT_COST;
}

bool kernel_is_native(const kernel_o *k) {
  return k->native;
}

query_o *kernel_query(const kernel_o *k) {
  return k->query;
}

uint32_t kernel_run_begin(kernel_o *k, float dt_s) {
  uint32_t parts = prepare(k, dt_s);
  if (parts > 0)
    query_open(k->query);
  return parts;
}

void kernel_run_end(kernel_o *k) {
  query_close(k->query);
}

uint32_t kernel_access(const kernel_o *k, system_access_t *out) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < k->slot_count; ++i) {
    const slot_t *s = &k->slots[i];
    uint64_t column = UINT64_C(1) << s->column;
    out[count++] = (system_access_t){.manager = s->manager, .reads = column, .writes = s->written ? column : 0};
  }
  return count;
}
