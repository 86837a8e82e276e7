// Compiles recorded programs by ORC and runs them over blocks of rows: gather, compute, scatter.
#include "script/kernel.h"

#include "base/assert.h"
#include "base/float_control.h"
#include "ecs/world.h"
#include "schedule/runs.h"

#include <orc/orc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ORC's code for NEON estimates quotients and roots and keeps denormals: other bits than its code for SSE. Its
// functions in C give the same bits, an operation after the other.
#if defined(__x86_64__)
#define HAS_MACHINE_CODE true
#define RUN(executor) orc_executor_run(executor)
#else
#define HAS_MACHINE_CODE false
#define RUN(executor) orc_executor_emulate(executor)
#endif

enum { BLOCK_BYTES = 24 * 1024, MAX_PROGRAMS = 64 };

// Of a program: ORC's own limits, and as many instructions and variables as leave it room for those that it adds
// (design/0011). kernel/plan.lua cuts programs so that they keep to these.
enum { MAX_DESTINATIONS = 4, MAX_SOURCES = 8, MAX_CONSTANTS = 8, MAX_TEMPORARIES = 16 };
enum { MAX_INSTRUCTIONS = 90, MAX_VARIABLES = 60, MAX_USES = MAX_DESTINATIONS + MAX_SOURCES };

typedef struct slot_t {
  uint32_t bytes;
  bool is_column, written;
  bool filled; // there is something to read
  uint32_t manager, column, term;
  const column_view_t *view; // of a column
  uint8_t *scratch;          // a block's worth for each worker; of a column, for when it is mapped
} slot_t;

typedef enum role_t { ROLE_NONE, ROLE_SOURCE, ROLE_DESTINATION, ROLE_CONSTANT, ROLE_PARAMETER, ROLE_TEMPORARY } role_t;

typedef struct variable_t {
  role_t role;
  uint32_t bytes, slot; // slot: of sources and destinations
  bool filled;
  bool loaded; // constants and parameters are, once a program
} variable_t;

typedef struct program_t {
  OrcProgram *orc;
  OrcExecutor *executors; // one for each worker
  variable_t variables[ORC_N_VARIABLES];
  uint32_t instruction_count, variable_count; // with those that ORC adds
  struct {
    uint32_t slot;
    int variable;
  } uses[MAX_USES];
  uint32_t use_count;
  int dt_f32, dt_f64; // parameters; -1 for none
} program_t;

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
  query_o *query;
  slot_t slots[KERNEL_MAX_SLOTS];
  uint32_t slot_count;
  program_t programs[MAX_PROGRAMS];
  uint32_t program_count;
  uint32_t block; // rows in a block, a multiple of 16
  uint32_t workers;
  uint32_t op_count;
  bool unsound; // nothing is added any more, and it does not run
  error_t why;
  kernel_run_t now; // while it runs
  row_runs_t runs;
};

kernel_o *kernel_create(query_o *q) {
  shoal_assert(q, "a kernel runs over a query");
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
  return !k->unsound;
}

// --- slots

static uint32_t add_slot(kernel_o *k, slot_t slot) {
  if (k->slot_count == KERNEL_MAX_SLOTS)
    return refuse(k, "it has more than %d columns and values", KERNEL_MAX_SLOTS);
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
    if (s->is_column && s->manager == manager && s->column == column) {
      s->written |= written;
      return i;
    }
  }
  return add_slot(k, (slot_t){.bytes = bytes,
                              .is_column = true,
                              .filled = true,
                              .written = written,
                              .manager = manager,
                              .column = column,
                              .term = (uint32_t)(term - k->query->terms),
                              .view = &term->views[column]});
}

static bool is_size(uint32_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

uint32_t kernel_scratch(kernel_o *k, uint32_t bytes) {
  if (k->unsound || !is_size(bytes))
    return refuse(k, "a value of %u bytes", bytes);
  return add_slot(k, (slot_t){.bytes = bytes});
}

// --- programs

static program_t *current(kernel_o *k) {
  return &k->programs[k->program_count - 1];
}

void kernel_begin(kernel_o *k) {
  if (k->program_count == MAX_PROGRAMS || (k->program_count > 0 && !current(k)->executors))
    refuse(k, "it has more than %d programs, or one that is not compiled", MAX_PROGRAMS);
  if (k->unsound)
    return;
  k->programs[k->program_count++] = (program_t){.orc = orc_program_new(), .dt_f32 = -1, .dt_f64 = -1};
}

static const char *next_name(const program_t *p, char *name, size_t bytes) {
  snprintf(name, bytes, "v%d",
           p->orc->n_src_vars + p->orc->n_dest_vars + p->orc->n_const_vars + p->orc->n_temp_vars +
               p->orc->n_param_vars);
  return name;
}

// May a program have another variable of that role?
static bool has_room(kernel_o *k, role_t role, uint32_t bytes, int now, int most) {
  if (k->unsound || k->program_count == 0 || !is_size(bytes) || now >= most)
    refuse(k, "a program of it has more than %d variables of kind %d, or one of %u bytes", most, (int)role, bytes);
  return !k->unsound;
}

static int32_t keep_variable(program_t *p, int32_t index, variable_t v) {
  shoal_assert(index >= 0 && index < ORC_N_VARIABLES, "ORC gave a variable the number %d", index);
  shoal_assert(p->variables[index].role == ROLE_NONE, "ORC gave two variables the number %d", index);
  p->variables[index] = v;
  return index;
}

static bool may_use(kernel_o *k, uint32_t slot, bool destination) {
  if (k->unsound || slot >= k->slot_count)
    return refuse(k, "it has no slot %u", slot);
  const slot_t *s = &k->slots[slot];
  if (destination ? s->is_column && !s->written : !s->filled)
    return refuse(k, "slot %u cannot be %s", slot, destination ? "written" : "read: it is empty");
  const program_t *p = current(k);
  return destination ? has_room(k, ROLE_DESTINATION, s->bytes, p->orc->n_dest_vars, MAX_DESTINATIONS)
                     : has_room(k, ROLE_SOURCE, s->bytes, p->orc->n_src_vars, MAX_SOURCES);
}

int32_t kernel_use(kernel_o *k, uint32_t slot, bool destination) {
  char name[16];
  if (k->program_count == 0 || !may_use(k, slot, destination))
    return (int32_t)refuse(k, "slot %u is used outside a program", slot);
  program_t *p = current(k);
  shoal_assert(p->use_count < MAX_USES, "a program uses more than %d arrays", MAX_USES);
  int bytes = (int)k->slots[slot].bytes;
  next_name(p, name, sizeof name);
  int variable =
      destination ? orc_program_add_destination(p->orc, bytes, name) : orc_program_add_source(p->orc, bytes, name);
  p->uses[p->use_count].slot = slot;
  p->uses[p->use_count++].variable = variable;
  return keep_variable(p, variable,
                       (variable_t){.role = destination ? ROLE_DESTINATION : ROLE_SOURCE,
                                    .bytes = (uint32_t)bytes,
                                    .slot = slot,
                                    .filled = k->slots[slot].filled});
}

static bool fits(double value, uint32_t bytes) {
  double most = bytes == 8 ? 0x1p63 : 0x1p31;
  return value >= -most && value < most;
}

static int32_t add_constant(program_t *p, uint32_t bytes, bool is_float, double value) {
  char name[16];
  next_name(p, name, sizeof name);
  if (!is_float && bytes == 8)
    return orc_program_add_constant_int64(p->orc, 8, (orc_int64)value, name);
  if (!is_float)
    return orc_program_add_constant(p->orc, (int)bytes, (int)value, name);
  return bytes == 8 ? orc_program_add_constant_double(p->orc, 8, value, name)
                    : orc_program_add_constant_float(p->orc, 4, (float)value, name);
}

int32_t kernel_constant(kernel_o *k, uint32_t bytes, bool is_float, double value) {
  if (is_float ? bytes != 4 && bytes != 8 : !fits(value, bytes))
    return (int32_t)refuse(k, "a constant of it, %g, does not fit %u bytes", value, bytes);
  if (!has_room(k, ROLE_CONSTANT, bytes, k->program_count ? current(k)->orc->n_const_vars : 0, MAX_CONSTANTS))
    return 0;
  program_t *p = current(k);
  return keep_variable(p, add_constant(p, bytes, is_float, value),
                       (variable_t){.role = ROLE_CONSTANT, .bytes = bytes, .filled = true});
}

int32_t kernel_dt(kernel_o *k, uint32_t bytes) {
  if (!has_room(k, ROLE_PARAMETER, bytes, bytes < 4, 1))
    return 0;
  program_t *p = current(k);
  int *at = bytes == 8 ? &p->dt_f64 : &p->dt_f32;
  if (*at < 0) {
    *at = bytes == 8 ? orc_program_add_parameter_double(p->orc, 8, "dt64")
                     : orc_program_add_parameter_float(p->orc, 4, "dt32");
    keep_variable(p, *at, (variable_t){.role = ROLE_PARAMETER, .bytes = bytes, .filled = true});
  }
  return *at;
}

int32_t kernel_temporary(kernel_o *k, uint32_t bytes) {
  char name[16];
  if (!has_room(k, ROLE_TEMPORARY, bytes, k->program_count ? current(k)->orc->n_temp_vars : 0, MAX_TEMPORARIES))
    return 0;
  program_t *p = current(k);
  return keep_variable(p, orc_program_add_temporary(p->orc, (int)bytes, next_name(p, name, sizeof name)),
                       (variable_t){.role = ROLE_TEMPORARY, .bytes = bytes});
}

// --- operations

// One of those that calculate a row's value from values of that row: no loads and stores of their own, no sums over
// rows, one result. NULL for any other.
static const OrcStaticOpcode *find_operation(const char *name) {
  const OrcStaticOpcode *o = orc_opcode_find_by_name(name);
  bool plain = o && (o->flags & ~(unsigned)(ORC_STATIC_OPCODE_FLOAT | ORC_STATIC_OPCODE_COPY)) == 0;
  return plain && o->dest_size[1] == 0 && o->src_size[0] != 0 && o->src_size[2] == 0 ? o : NULL;
}

static variable_t *variable_of(program_t *p, int32_t index) {
  return index >= 0 && index < ORC_N_VARIABLES ? &p->variables[index] : NULL;
}

// An operand in an array is loaded each time, a constant once.
static bool read_operand(program_t *p, int32_t index, int bytes) {
  variable_t *v = variable_of(p, index);
  if (bytes == 0)
    return index == 0; // there is none
  if (!v || v->role == ROLE_NONE || (int)v->bytes != bytes || !v->filled)
    return false;
  bool is_array = v->role == ROLE_SOURCE || v->role == ROLE_DESTINATION;
  if (is_array || (v->role != ROLE_TEMPORARY && !v->loaded)) {
    ++p->instruction_count;
    ++p->variable_count;
  }
  v->loaded = true;
  return true;
}

// A result in an array is stored.
static bool write_result(kernel_o *k, program_t *p, int32_t index, int bytes) {
  variable_t *v = variable_of(p, index);
  if (!v || (v->role != ROLE_TEMPORARY && v->role != ROLE_DESTINATION) || (int)v->bytes != bytes)
    return false;
  if (v->role == ROLE_DESTINATION)
    k->slots[v->slot].filled = true;
  p->instruction_count += v->role == ROLE_DESTINATION ? 2 : 1;
  ++p->variable_count;
  v->filled = true;
  return true;
}

void kernel_op(kernel_o *k, const char *opcode, int32_t to, int32_t a, int32_t b) {
  if (k->unsound || k->program_count == 0) {
    refuse(k, "an operation stands outside a program");
    return;
  }
  program_t *p = current(k);
  const OrcStaticOpcode *o = find_operation(opcode);
  if (!o || !read_operand(p, a, o->src_size[0]) || !read_operand(p, b, o->src_size[1]) ||
      !write_result(k, p, to, o->dest_size[0]))
    refuse(k, "%.16s is no operation of kernels, or its operands are not of its sizes or empty", opcode);
  else if (p->instruction_count > MAX_INSTRUCTIONS || p->variable_count > MAX_VARIABLES)
    refuse(k, "a program of it has more than %d instructions or %d variables", MAX_INSTRUCTIONS, MAX_VARIABLES);
  if (k->unsound)
    return;
  orc_program_append(p->orc, opcode, to, a, b);
  ++k->op_count;
}

bool kernel_compile(kernel_o *k) {
  if (k->unsound || k->program_count == 0 || current(k)->executors)
    return refuse(k, "there is no program to compile");
  program_t *p = current(k);
  if (p->orc->n_insns == 0)
    return refuse(k, "a program of it has no operation");
  OrcCompileResult result = orc_program_compile(p->orc);
  if (!p->orc->orccode) // ORC would end the process when it runs
    return refuse(k, "ORC says %#x", (unsigned)result);
  p->executors = calloc(k->workers, sizeof *p->executors);
  shoal_assert(p->executors, "no memory for a kernel's executors");
  for (uint32_t i = 0; i < k->workers; ++i)
    orc_executor_set_program(&p->executors[i], p->orc);
  return HAS_MACHINE_CODE && ORC_COMPILE_RESULT_IS_SUCCESSFUL(result);
}

// Every array of a block together fits the first cache; with a column that is gathered lines of it that others share.
static uint32_t block_rows(const kernel_o *k, bool gathers) {
  uint32_t bytes = 0;
  for (uint32_t i = 0; i < k->slot_count; ++i)
    bytes += k->slots[i].bytes * (gathers && k->slots[i].is_column ? 4 : 1);
  uint32_t rows = BLOCK_BYTES / (bytes ? bytes : 1) / 16 * 16;
  return rows > KERNEL_MAX_BLOCK ? KERNEL_MAX_BLOCK : rows < 64 ? 64 : rows;
}

static uint8_t *scratch_of(const slot_t *s, uint32_t worker) {
  return s->scratch + (size_t)worker * KERNEL_MAX_BLOCK * s->bytes;
}

// Where the slot's rows are listed from the place on; NULL where they lie in line, from row_at on, and for scratch.
static const uint32_t *rows_at(const slot_t *s, place_t at) {
  const uint32_t *rows = NULL;
  if (s->is_column && !at.span)
    rows = s->view->rows;
  else if (s->is_column && at.span->rows)
    rows = at.span->rows[s->term];
  return rows ? rows + at.first : NULL;
}

static uint32_t row_at(const slot_t *s, place_t at) {
  return at.first + (at.span ? at.span->at[s->term] : 0);
}

static void gather(const slot_t *restrict s, uint8_t *restrict to, const uint32_t *restrict rows, uint32_t count) {
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

static void scatter(const slot_t *restrict s, const uint8_t *restrict from, const uint32_t *restrict rows,
                    uint32_t count) {
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
  return s->is_column && !rows_at(s, at) ? (uint8_t *)s->view->data + (size_t)row_at(s, at) * s->bytes
                                         : scratch_of(s, worker);
}

// Not inlined: ORC 0.4.33 does not bring back every register that belongs to the caller when a program has many
// arrays (r15 came back changed). Said to be changed after the call, they are saved and restored here.
__attribute__((noinline)) static void run_program(const kernel_o *k, const program_t *p, place_t at, uint32_t count,
                                                  uint32_t worker) {
  OrcExecutor *ex = &p->executors[worker];
  orc_executor_set_n(ex, (int)count);
  for (uint32_t i = 0; i < p->use_count; ++i)
    orc_executor_set_array(ex, p->uses[i].variable, array_of(&k->slots[p->uses[i].slot], at, worker));
  // Denormal numbers are 0 as operands and results of a kernel's arithmetic, and nowhere else: ORC's machine code says
  // so to the processor and leaves it at that; here it is said for all of ORC's ways, and taken back.
  uint64_t before = float_control();
  float_control_set(before | FLOAT_CONTROL_FLUSHES);
  RUN(ex);
#if defined(__x86_64__)
  __asm__ volatile("" : : : "rbx", "r12", "r13", "r14", "r15", "memory");
#endif
  float_control_set(before);
}

static void gather_all(const kernel_o *k, place_t at, uint32_t count, uint32_t worker) {
  for (uint32_t i = 0; i < k->slot_count; ++i) {
    const slot_t *s = &k->slots[i], *next = partner_of(k, i, at, false);
    const uint32_t *rows = rows_at(s, at);
    if (rows && next)
      gather_two(s, &k->slots[++i], scratch_of(s, worker), scratch_of(next, worker), rows, count);
    else if (rows)
      gather(s, scratch_of(s, worker), rows, count);
  }
}

static void scatter_all(const kernel_o *k, place_t at, uint32_t count, uint32_t worker) {
  for (uint32_t i = 0; i < k->slot_count; ++i) {
    const slot_t *s = &k->slots[i], *next = partner_of(k, i, at, true);
    const uint32_t *rows = s->written ? rows_at(s, at) : NULL;
    if (rows && next)
      scatter_two(s, &k->slots[++i], scratch_of(s, worker), scratch_of(next, worker), rows, count);
    else if (rows)
      scatter(s, scratch_of(s, worker), rows, count);
  }
}

static void run_block(const kernel_o *k, place_t at, uint32_t count, uint32_t worker) {
  gather_all(k, at, count, worker);
  for (uint32_t i = 0; i < k->program_count; ++i)
    run_program(k, &k->programs[i], at, count, worker);
  scatter_all(k, at, count, worker);
}

// What the kernel writes it writes for all rows.
static void mark_written(const kernel_o *k, place_t at, uint32_t count) {
  for (uint32_t i = 0; i < k->slot_count; ++i) {
    const slot_t *s = &k->slots[i];
    if (!s->is_column || !s->written || !s->view->marks)
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

static void run_rows(const kernel_o *k, place_t at, uint32_t count, bool in_place, uint32_t worker) {
  mark_written(k, at, count);
  if (in_place) {
    run_program(k, &k->programs[0], at, count, worker);
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
    shared |= k->slots[i].is_column && k->slots[i].written &&
              world_manager(k->query->world, k->slots[i].manager)->schema.kind != SCHEMA_MANY;
  return shared;
}

// What all rows cost, in units of about a hundredth of a nanosecond: of a row an operation one, an array two, a gather
// or scatter 32.
static uint64_t cost_of(const kernel_o *k, uint32_t rows) {
  uint64_t cost = k->op_count, looked_up = 0;
  for (uint32_t i = 0; i < k->program_count; ++i)
    cost += 2 * k->programs[i].use_count;
  for (uint32_t i = 0; i < k->slot_count; ++i)
    looked_up += k->slots[i].is_column && k->slots[i].view->rows ? (k->slots[i].written ? 64u : 32u) : 0u;
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
  shoal_assert(!k->unsound && k->program_count > 0 && current(k)->executors,
               "a kernel runs that was refused or is not complete: %s", k->why.text);
  shoal_assert(k->query->open > 0, "a kernel runs over query %u, which is closed", k->query->id);
  shoal_assert(k->workers >= jobs_workers(world_jobs(k->query->world)), // fewer in a copy of the process
               "a kernel is made for %u workers", k->workers);
  kernel_run_t *r = &k->now;
  *r = (kernel_run_t){.rows = k->query->count, .in_place = k->program_count == 1};
  bool is_mapped = false;
  for (uint32_t i = 0; i < k->slot_count; ++i) {
    r->in_place = r->in_place && k->slots[i].is_column;
    is_mapped |= k->slots[i].is_column && k->slots[i].view->rows;
  }
  if (r->rows == 0)
    return 0;
  set_dt(k, dt_s);
  r->by_runs = is_mapped && row_runs_look(&k->runs, k->query);
  r->in_place = r->in_place && (!is_mapped || r->by_runs);
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

bool kernel_is_brief(const kernel_o *k) {
  uint32_t rows = k->query->count;
  return (!k->now.by_runs || k->runs.in_runs <= rows) && cost_of(k, rows) < KERNEL_SPLIT_COST;
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
    if (s->is_column)
      out[count++] = (system_access_t){.manager = s->manager, .reads = column, .writes = s->written ? column : 0};
  }
  return count;
}
