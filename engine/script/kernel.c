#include "script/kernel.h"

#include "base/assert.h"
#include "ecs/world.h"

#include <orc/orc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 24 * 1024, MAX_PROGRAMS = 64, MAX_USES = 12 };

typedef struct slot_t {
  uint32_t bytes;
  bool is_column, written;
  uint32_t manager, column;
  const column_view_t *view; // of a column
  uint8_t *scratch;          // a block's worth for each worker; of a column, for when it is mapped
} slot_t;

typedef struct program_t {
  OrcProgram *orc;
  OrcExecutor *executors; // one for each worker
  struct {
    uint32_t slot;
    int variable;
  } uses[MAX_USES];
  uint32_t use_count;
  int dt_f32, dt_f64; // parameters; -1 for none
} program_t;

struct kernel_o {
  query_o *query;
  slot_t slots[KERNEL_MAX_SLOTS];
  uint32_t slot_count;
  program_t programs[MAX_PROGRAMS];
  uint32_t program_count;
  uint32_t block; // rows in a block, a multiple of 16
  uint32_t workers;
  uint32_t op_count;
};

// A run over `rows` rows, in parts of `part_rows`.
typedef struct kernel_run_t {
  const kernel_o *kernel;
  uint32_t rows, part_rows;
  bool in_place;
} kernel_run_t;

kernel_o *kernel_create(query_o *q) {
  orc_init();
  kernel_o *k = calloc(1, sizeof *k);
  shoal_assert(k, "no memory for a kernel");
  k->query = q;
  k->workers = jobs_workers(world_jobs(q->world));
  return k;
}

void kernel_destroy(kernel_o *k) {
  if (!k)
    return;
  for (uint32_t i = 0; i < k->program_count; ++i) {
    free(k->programs[i].executors);
    orc_program_free(k->programs[i].orc);
  }
  for (uint32_t i = 0; i < k->slot_count; ++i)
    free(k->slots[i].scratch);
  free(k);
}

static const column_view_t *find_view(query_o *q, uint32_t manager, uint32_t column) {
  for (uint32_t i = 0; i < q->term_count; ++i)
    if (q->terms[i].manager->id == manager && q->terms[i].role != QUERY_WITHOUT)
      return &q->terms[i].views[column];
  return NULL;
}

static uint32_t add_slot(kernel_o *k, slot_t slot) {
  shoal_assert(k->slot_count < KERNEL_MAX_SLOTS, "a kernel touches more than %d columns and values", KERNEL_MAX_SLOTS);
  k->slots[k->slot_count] = slot;
  return k->slot_count++;
}

uint32_t kernel_column(kernel_o *k, uint32_t manager, uint32_t column, uint32_t bytes, bool written) {
  for (uint32_t i = 0; i < k->slot_count; ++i) {
    slot_t *s = &k->slots[i];
    if (s->is_column && s->manager == manager && s->column == column) {
      s->written |= written;
      return i;
    }
  }
  const column_view_t *view = find_view(k->query, manager, column);
  return add_slot(
      k,
      (slot_t){
          .bytes = bytes, .is_column = true, .written = written, .manager = manager, .column = column, .view = view});
}

uint32_t kernel_scratch(kernel_o *k, uint32_t bytes) {
  return add_slot(k, (slot_t){.bytes = bytes});
}

static program_t *current(kernel_o *k) {
  return &k->programs[k->program_count - 1];
}

void kernel_begin(kernel_o *k) {
  shoal_assert(k->program_count < MAX_PROGRAMS, "a kernel has more than %d programs", MAX_PROGRAMS);
  k->programs[k->program_count++] = (program_t){.orc = orc_program_new(), .dt_f32 = -1, .dt_f64 = -1};
}

static const char *next_name(const program_t *p, char *name, size_t bytes) {
  snprintf(name, bytes, "v%d",
           p->orc->n_src_vars + p->orc->n_dest_vars + p->orc->n_const_vars + p->orc->n_temp_vars +
               p->orc->n_param_vars);
  return name;
}

int32_t kernel_use(kernel_o *k, uint32_t slot, bool destination) {
  program_t *p = current(k);
  char name[16];
  shoal_assert(p->use_count < MAX_USES, "a program uses more than %d arrays", MAX_USES);
  int bytes = (int)k->slots[slot].bytes;
  next_name(p, name, sizeof name);
  int variable =
      destination ? orc_program_add_destination(p->orc, bytes, name) : orc_program_add_source(p->orc, bytes, name);
  p->uses[p->use_count].slot = slot;
  p->uses[p->use_count++].variable = variable;
  return variable;
}

int32_t kernel_constant(kernel_o *k, uint32_t bytes, bool is_float, double value) {
  program_t *p = current(k);
  char name[16];
  next_name(p, name, sizeof name);
  if (!is_float && bytes == 8)
    return orc_program_add_constant_int64(p->orc, 8, (orc_int64)value, name);
  if (!is_float)
    return orc_program_add_constant(p->orc, (int)bytes, (int)(int64_t)value, name);
  return bytes == 8 ? orc_program_add_constant_double(p->orc, 8, value, name)
                    : orc_program_add_constant_float(p->orc, 4, (float)value, name);
}

int32_t kernel_dt(kernel_o *k, uint32_t bytes) {
  program_t *p = current(k);
  if (bytes == 8) {
    if (p->dt_f64 < 0)
      p->dt_f64 = orc_program_add_parameter_double(p->orc, 8, "dt64");
    return p->dt_f64;
  }
  if (p->dt_f32 < 0)
    p->dt_f32 = orc_program_add_parameter_float(p->orc, 4, "dt32");
  return p->dt_f32;
}

int32_t kernel_temporary(kernel_o *k, uint32_t bytes) {
  program_t *p = current(k);
  char name[16];
  return orc_program_add_temporary(p->orc, (int)bytes, next_name(p, name, sizeof name));
}

void kernel_op(kernel_o *k, const char *opcode, int32_t to, int32_t a, int32_t b) {
  orc_program_append(current(k)->orc, opcode, to, a, b);
  k->op_count++;
}

bool kernel_compile(kernel_o *k) {
  program_t *p = current(k);
  OrcCompileResult result = orc_program_compile(p->orc);
  p->executors = calloc(k->workers, sizeof *p->executors);
  shoal_assert(p->executors, "no memory for a kernel's executors");
  for (uint32_t i = 0; i < k->workers; ++i)
    orc_executor_set_program(&p->executors[i], p->orc);
  return ORC_COMPILE_RESULT_IS_SUCCESSFUL(result);
}

// Every array of a block together fits the first cache.
static uint32_t block_rows(const kernel_o *k) {
  uint32_t bytes = 0;
  for (uint32_t i = 0; i < k->slot_count; ++i)
    bytes += k->slots[i].bytes;
  uint32_t rows = BLOCK_BYTES / (bytes ? bytes : 1) / 16 * 16;
  return rows > KERNEL_MAX_BLOCK ? KERNEL_MAX_BLOCK : rows < 64 ? 64 : rows;
}

static uint8_t *scratch_of(const slot_t *s, uint32_t worker) {
  return s->scratch + (size_t)worker * KERNEL_MAX_BLOCK * s->bytes;
}

static void gather(const slot_t *restrict s, uint8_t *restrict to, uint32_t first, uint32_t count) {
  const uint32_t *rows = s->view->rows + first;
  if (s->bytes == 4)
    for (uint32_t i = 0; i < count; ++i)
      ((uint32_t *)(void *)to)[i] = ((const uint32_t *)s->view->data)[rows[i]];
  else if (s->bytes == 2)
    for (uint32_t i = 0; i < count; ++i)
      ((uint16_t *)(void *)to)[i] = ((const uint16_t *)s->view->data)[rows[i]];
  else if (s->bytes == 8)
    for (uint32_t i = 0; i < count; ++i)
      ((uint64_t *)(void *)to)[i] = ((const uint64_t *)s->view->data)[rows[i]];
  else
    for (uint32_t i = 0; i < count; ++i)
      to[i] = ((const uint8_t *)s->view->data)[rows[i]];
}

static void scatter(const slot_t *restrict s, const uint8_t *restrict from, uint32_t first, uint32_t count) {
  const uint32_t *rows = s->view->rows + first;
  if (s->bytes == 4)
    for (uint32_t i = 0; i < count; ++i)
      ((uint32_t *)s->view->data)[rows[i]] = ((const uint32_t *)(const void *)from)[i];
  else if (s->bytes == 2)
    for (uint32_t i = 0; i < count; ++i)
      ((uint16_t *)s->view->data)[rows[i]] = ((const uint16_t *)(const void *)from)[i];
  else if (s->bytes == 8)
    for (uint32_t i = 0; i < count; ++i)
      ((uint64_t *)s->view->data)[rows[i]] = ((const uint64_t *)(const void *)from)[i];
  else
    for (uint32_t i = 0; i < count; ++i)
      ((uint8_t *)s->view->data)[rows[i]] = from[i];
}

static bool is_mapped(const slot_t *s) {
  return s->is_column && s->view->rows;
}

static void *array_of(const slot_t *s, uint32_t first, uint32_t worker) {
  return s->is_column && !s->view->rows ? (uint8_t *)s->view->data + (size_t)first * s->bytes : scratch_of(s, worker);
}

// Not inlined: ORC 0.4.33 does not bring back every register that belongs to the caller when a program has many arrays (r15 came
// back changed). Said to be changed after the call, they are saved and restored here.
__attribute__((noinline)) static void run_program(const kernel_o *k, const program_t *p, uint32_t first, uint32_t count,
                                                  uint32_t worker) {
  OrcExecutor *ex = &p->executors[worker];
  orc_executor_set_n(ex, (int)count);
  for (uint32_t i = 0; i < p->use_count; ++i)
    orc_executor_set_array(ex, p->uses[i].variable, array_of(&k->slots[p->uses[i].slot], first, worker));
  orc_executor_run(ex);
#if defined(__x86_64__)
  __asm__ volatile("" : : : "rbx", "r12", "r13", "r14", "r15", "memory");
#endif
}

static void run_block(const kernel_o *k, uint32_t first, uint32_t count, uint32_t worker) {
  for (uint32_t i = 0; i < k->slot_count; ++i)
    if (is_mapped(&k->slots[i]))
      gather(&k->slots[i], scratch_of(&k->slots[i], worker), first, count);
  for (uint32_t i = 0; i < k->program_count; ++i)
    run_program(k, &k->programs[i], first, count, worker);
  for (uint32_t i = 0; i < k->slot_count; ++i)
    if (is_mapped(&k->slots[i]) && k->slots[i].written)
      scatter(&k->slots[i], scratch_of(&k->slots[i], worker), first, count);
}

// What the kernel writes it writes for all rows.
static void mark_written(const kernel_o *k, uint32_t first, uint32_t count) {
  for (uint32_t i = 0; i < k->slot_count; ++i) {
    const slot_t *s = &k->slots[i];
    if (!s->is_column || !s->written || !s->view->marks)
      continue;
    if (!s->view->rows)
      memset(s->view->marks + first, 1, count);
    else
      for (uint32_t row = first; row < first + count; ++row)
        s->view->marks[s->view->rows[row]] = 1;
  }
}

// Scratch is for blocks only; most kernels never need any.
static void prepare_blocks(kernel_o *k) {
  if (!k->block)
    k->block = block_rows(k);
  for (uint32_t i = 0; i < k->slot_count; ++i) {
    slot_t *s = &k->slots[i];
    if (!s->scratch && (!s->is_column || s->view->rows)) {
      s->scratch = aligned_alloc(64, (size_t)k->workers * KERNEL_MAX_BLOCK * s->bytes);
      shoal_assert(s->scratch, "no memory for a kernel's block");
    }
  }
}

static void set_dt(kernel_o *k, float dt_s) {
  for (uint32_t i = 0; i < k->program_count; ++i) {
    program_t *p = &k->programs[i];
    for (uint32_t worker = 0; worker < k->workers; ++worker) {
      if (p->dt_f32 >= 0)
        orc_executor_set_param_float(&p->executors[worker], p->dt_f32, dt_s);
      if (p->dt_f64 >= 0)
        orc_executor_set_param_double(&p->executors[worker], p->dt_f64, (double)dt_s);
    }
  }
}

static void run_part(void *context, uint32_t part, uint32_t worker) {
  const kernel_run_t *r = context;
  const kernel_o *k = r->kernel;
  uint32_t first = part * r->part_rows, end = r->rows - first < r->part_rows ? r->rows : first + r->part_rows;
  mark_written(k, first, end - first);
  if (r->in_place) {
    run_program(k, &k->programs[0], first, end - first, worker);
    return;
  }
  for (; first < end; first += k->block)
    run_block(k, first, end - first < k->block ? end - first : k->block, worker);
}

// With a component of several instances an entity has several rows, which share the rows of its other components: what one
// writes there the next one reads.
static bool rows_repeat(const kernel_o *k) {
  bool many = false, shared = false;
  for (uint32_t i = 0; i < k->query->term_count; ++i)
    many |= k->query->terms[i].role == QUERY_WITH && k->query->terms[i].manager->schema.kind == SCHEMA_MANY;
  for (uint32_t i = 0; many && i < k->slot_count; ++i)
    shared |= k->slots[i].is_column && k->slots[i].written &&
              world_manager(k->query->world, k->slots[i].manager)->schema.kind != SCHEMA_MANY;
  return shared;
}

// What a row costs, in units of about a hundredth of a nanosecond: an operation one, an array two, a gather or scatter 32.
static uint64_t row_cost(const kernel_o *k) {
  uint64_t cost = k->op_count;
  for (uint32_t i = 0; i < k->program_count; ++i)
    cost += 2 * k->programs[i].use_count;
  for (uint32_t i = 0; i < k->slot_count; ++i)
    cost += is_mapped(&k->slots[i]) ? (k->slots[i].written ? 64u : 32u) : 0u;
  return cost;
}

// Some parts for each worker, so that one who is late does not keep the others waiting long.
static uint32_t rows_of_part(const kernel_o *k, uint32_t rows) {
  if (k->workers == 1 || rows * row_cost(k) < KERNEL_SPLIT_COST || rows_repeat(k))
    return rows;
  uint32_t wanted = rows / (k->workers * 4) + 1;
  return ((wanted < KERNEL_LEAST_PART ? KERNEL_LEAST_PART : wanted) + 63) / 64 * 64;
}

void kernel_run(kernel_o *k, float dt_s) {
  kernel_run_t r = {.kernel = k, .rows = k->query->count, .in_place = k->program_count == 1};
  for (uint32_t i = 0; i < k->slot_count; ++i)
    r.in_place = r.in_place && k->slots[i].is_column && !k->slots[i].view->rows;
  if (r.rows == 0)
    return;
  set_dt(k, dt_s);
  if (!r.in_place)
    prepare_blocks(k);
  r.part_rows = rows_of_part(k, r.rows);
  jobs_run(world_jobs(k->query->world), run_part, &r, (r.rows - 1) / r.part_rows + 1);
}
