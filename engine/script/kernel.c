#include "script/kernel.h"

#include "base/assert.h"

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
  uint8_t *scratch;          // a block's worth; of a column, for when it is mapped
} slot_t;

typedef struct program_t {
  OrcProgram *orc;
  OrcExecutor *executor;
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
};

kernel_o *kernel_create(query_o *q) {
  orc_init();
  kernel_o *k = calloc(1, sizeof *k);
  shoal_assert(k, "no memory for a kernel");
  k->query = q;
  return k;
}

void kernel_destroy(kernel_o *k) {
  if (!k)
    return;
  for (uint32_t i = 0; i < k->program_count; ++i) {
    if (k->programs[i].executor)
      orc_executor_free(k->programs[i].executor);
    orc_program_free(k->programs[i].orc);
  }
  for (uint32_t i = 0; i < k->slot_count; ++i)
    free(k->slots[i].scratch);
  free(k);
}

static const column_view_t *find_view(query_o *q, uint32_t manager, uint32_t column) {
  for (uint32_t i = 0; i < q->term_count; ++i)
    if (q->terms[i].manager->id == manager)
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
  return add_slot(k, (slot_t){.bytes = bytes,
                              .is_column = true,
                              .written = written,
                              .manager = manager,
                              .column = column,
                              .view = view});
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
  snprintf(name, bytes, "v%d", p->orc->n_src_vars + p->orc->n_dest_vars + p->orc->n_const_vars + p->orc->n_temp_vars +
                                   p->orc->n_param_vars);
  return name;
}

int32_t kernel_use(kernel_o *k, uint32_t slot, bool destination) {
  program_t *p = current(k);
  char name[16];
  shoal_assert(p->use_count < MAX_USES, "a program uses more than %d arrays", MAX_USES);
  int bytes = (int)k->slots[slot].bytes;
  next_name(p, name, sizeof name);
  int variable = destination ? orc_program_add_destination(p->orc, bytes, name)
                             : orc_program_add_source(p->orc, bytes, name);
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
}

bool kernel_compile(kernel_o *k) {
  program_t *p = current(k);
  OrcCompileResult result = orc_program_compile(p->orc);
  p->executor = orc_executor_new(p->orc);
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

static void gather(const slot_t *restrict s, uint32_t first, uint32_t count) {
  const uint32_t *rows = s->view->rows + first;
  if (s->bytes == 4)
    for (uint32_t i = 0; i < count; ++i)
      ((uint32_t *)(void *)s->scratch)[i] = ((const uint32_t *)s->view->data)[rows[i]];
  else if (s->bytes == 2)
    for (uint32_t i = 0; i < count; ++i)
      ((uint16_t *)(void *)s->scratch)[i] = ((const uint16_t *)s->view->data)[rows[i]];
  else if (s->bytes == 8)
    for (uint32_t i = 0; i < count; ++i)
      ((uint64_t *)(void *)s->scratch)[i] = ((const uint64_t *)s->view->data)[rows[i]];
  else
    for (uint32_t i = 0; i < count; ++i)
      s->scratch[i] = ((const uint8_t *)s->view->data)[rows[i]];
}

static void scatter(const slot_t *restrict s, uint32_t first, uint32_t count) {
  const uint32_t *rows = s->view->rows + first;
  if (s->bytes == 4)
    for (uint32_t i = 0; i < count; ++i)
      ((uint32_t *)s->view->data)[rows[i]] = ((const uint32_t *)(const void *)s->scratch)[i];
  else if (s->bytes == 2)
    for (uint32_t i = 0; i < count; ++i)
      ((uint16_t *)s->view->data)[rows[i]] = ((const uint16_t *)(const void *)s->scratch)[i];
  else if (s->bytes == 8)
    for (uint32_t i = 0; i < count; ++i)
      ((uint64_t *)s->view->data)[rows[i]] = ((const uint64_t *)(const void *)s->scratch)[i];
  else
    for (uint32_t i = 0; i < count; ++i)
      ((uint8_t *)s->view->data)[rows[i]] = s->scratch[i];
}

static bool is_mapped(const slot_t *s) {
  return s->is_column && s->view->rows;
}

static void *array_of(const slot_t *s, uint32_t first) {
  return s->is_column && !s->view->rows ? (uint8_t *)s->view->data + (size_t)first * s->bytes : s->scratch;
}

static void run_program(const kernel_o *k, const program_t *p, uint32_t first, uint32_t count) {
  OrcExecutor *ex = p->executor;
  orc_executor_set_n(ex, (int)count);
  for (uint32_t i = 0; i < p->use_count; ++i)
    orc_executor_set_array(ex, p->uses[i].variable, array_of(&k->slots[p->uses[i].slot], first));
  orc_executor_run(ex);
}

static void run_block(const kernel_o *k, uint32_t first, uint32_t count) {
  for (uint32_t i = 0; i < k->slot_count; ++i)
    if (is_mapped(&k->slots[i]))
      gather(&k->slots[i], first, count);
  for (uint32_t i = 0; i < k->program_count; ++i)
    run_program(k, &k->programs[i], first, count);
  for (uint32_t i = 0; i < k->slot_count; ++i)
    if (is_mapped(&k->slots[i]) && k->slots[i].written)
      scatter(&k->slots[i], first, count);
}

// Scratch is for blocks only; most kernels never need any.
static void prepare_blocks(kernel_o *k) {
  if (!k->block)
    k->block = block_rows(k);
  for (uint32_t i = 0; i < k->slot_count; ++i) {
    slot_t *s = &k->slots[i];
    if (!s->scratch && (!s->is_column || s->view->rows)) {
      s->scratch = aligned_alloc(64, ((size_t)KERNEL_MAX_BLOCK * s->bytes + 63) / 64 * 64);
      shoal_assert(s->scratch, "no memory for a kernel's block");
    }
  }
}

static void set_dt(kernel_o *k, float dt_s) {
  for (uint32_t i = 0; i < k->program_count; ++i) {
    program_t *p = &k->programs[i];
    if (p->dt_f32 >= 0)
      orc_executor_set_param_float(p->executor, p->dt_f32, dt_s);
    if (p->dt_f64 >= 0)
      orc_executor_set_param_double(p->executor, p->dt_f64, (double)dt_s);
  }
}

void kernel_run(kernel_o *k, float dt_s) {
  uint32_t rows = k->query->count;
  bool in_place = k->program_count == 1;
  for (uint32_t i = 0; i < k->slot_count; ++i)
    in_place = in_place && k->slots[i].is_column && !k->slots[i].view->rows;
  set_dt(k, dt_s);
  if (in_place) {
    run_program(k, &k->programs[0], 0, rows);
    return;
  }
  prepare_blocks(k);
  for (uint32_t first = 0; first < rows; first += k->block)
    run_block(k, first, rows - first < k->block ? rows - first : k->block);
}
