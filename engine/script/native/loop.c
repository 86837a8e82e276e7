// Declares and compiles loops, and prints their state.
#include "base/assert.h"
#include "base/hash.h"
#include "ecs/world.h"
#include "native/loop_internal.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COST_OF_INTERPRETED = 60 }; // cost of an instruction for one row, in hundredths of a nanosecond

static const char *const MODES[] = {"on", "off", "now", "sse2", "avx2", "avx512", "make", "guard", "split"};
enum {
  MODE_ON,
  MODE_OFF,
  MODE_NOW,
  MODE_SSE2,
  MODE_AVX2,
  MODE_AVX512,
  MODE_MAKE,
  MODE_GUARD,
  MODE_SPLIT,
  MODE_COUNT,
  MODE_SWAP = 16
};

// Returns the options of a mode as a bit set; -1 if an option is unknown.
static int parse_mode(const char *mode) {
  int found = 0;
  for (const char *at = mode; *at;) {
    size_t length = strcspn(at, ",");
    int mode_index = 0;
    if (length == 5 && strncmp(at, "swap", 4) == 0 && at[4] >= '1' && at[4] <= '9')
      mode_index = MODE_SWAP;
    while (mode_index < MODE_SWAP && mode_index < MODE_COUNT &&
           (strlen(MODES[mode_index]) != length || strncmp(MODES[mode_index], at, length) != 0))
      mode_index++;
    if (mode_index == MODE_COUNT)
      return -1;
    found |= 1 << mode_index;
    at += length + (at[length] == ',');
  }
  return found;
}

bool native_mode_check(const char *mode, error_info_t *error) {
  return parse_mode(mode) > 0 ||
         error_set(error,
                   "--native must be on, off, now, sse2, avx2 or avx512, or several of these separated by commas, "
                   "got %s",
                   mode);
}

native_set_o *native_set_create(const char *mode) {
  native_set_o *s = calloc(1, sizeof *s);
  shoal_assert(s, "out of memory for compiled loops");
  int bits = parse_mode(mode ? mode : "on");
  codegen_level_t best = codegen_best_level(), limit = CODEGEN_AVX512;
  for (int mode_index = MODE_AVX512; mode_index >= MODE_SSE2; --mode_index)
    if (bits & 1 << mode_index)
      limit = (codegen_level_t)(CODEGEN_SSE2 + mode_index - MODE_SSE2);
  s->level = bits & 1 << MODE_OFF                                              ? CODEGEN_NONE
             : limit < best || (best != CODEGEN_NONE && bits & 1 << MODE_MAKE) ? limit
                                                                               : best;
  s->waits = bits & 1 << MODE_NOW;
  const char *swap = bits & 1 << MODE_SWAP ? strstr(mode, "swap") : NULL;
  s->swaps = swap ? (uint32_t)(swap[4] - '0') : 0;
  s->guard = bits & 1 << MODE_GUARD ? guard_create() : NULL;
  s->splits = bits & 1 << MODE_SPLIT;
  return s;
}

static void loop_clear(native_loop_o *l) {
  codegen_release_code(l->code);
  free(l->undo);
  free(l->exit_rows);
  row_order_fini(&l->visits);
  interpreter_destroy(l->interpreter);
  *l = (native_loop_o){0};
}

void native_set_destroy(native_set_o *s) {
  for (uint32_t i = 0; s && i < s->count; ++i) {
    loop_clear(s->loops[i]);
    free(s->loops[i]);
  }
  for (uint32_t i = 0; s && i < JOBS_MAX_WORKERS; ++i) {
    if (s->workers[i])
      free(s->workers[i]->blocks);
    free(s->workers[i]);
  }
  if (s) {
    guard_destroy(s->guard);
    array_free(&s->memory, &s->reported_nan);
    free(s->loops);
  }
  free(s);
}

uint32_t native_set_level(const native_set_o *s) {
  return (uint32_t)s->level;
}

bool native_set_waits_for_code(const native_set_o *s) {
  return s->waits;
}

uint32_t native_set_swap_seed(const native_set_o *s) {
  return s->swaps;
}

// --- explain and stats

static const char *find_refusal_reason(const native_loop_o *l) {
  const codegen_code_t *code = l->code;
  if (l->why[0])
    return l->why;
  if (!code)
    return "fewer than 256 rows so far";
  switch (codegen_state(code)) {
  case CODEGEN_WAITS: return "being compiled";
  case CODEGEN_REFUSED: return codegen_refusal(code);
  default: return NULL;
  }
}

static const char *describe_origin(const codegen_code_t *code) {
  return codegen_is_packaged(code) ? "read from the package in"
         : codegen_is_cached(code) ? "read from the cache in"
                                   : "compiled in";
}

static const char *describe_execution(const native_loop_o *l) {
  return l->interpreter ? "single precision, interpreted" : "in LuaJIT";
}

static void explain_loop(const native_loop_o *l, FILE *out) {
  const char *why = find_refusal_reason(l);
  if (why) {
    fprintf(out, "explain: %s (%s): %s: %s\n", l->system, l->at, describe_execution(l),
            l->interpreter && l->set->level == CODEGEN_NONE ? "nothing is compiled" : why);
    return;
  }
  uint32_t written = 0;
  for (uint32_t i = 0; i < l->slot_count; ++i)
    written += l->slots[i].written;
  fprintf(out,
          "explain: %s (%s): native, %s%s; %u columns, %u of them written; analysed in %u ticks, %s %.1f ms; %llu "
          "runs, %llu "
          "of them without calling Lua, %llu on several workers; %llu rows, %llu of them in Lua%s\n",
          l->system, l->at, codegen_level_name(l->set->level), l->interpreter ? ", single precision" : "",
          l->slot_count, written, l->analysis_ticks, describe_origin(l->code), codegen_compile_ms(l->code),
          (unsigned long long)l->runs, (unsigned long long)l->alone, (unsigned long long)l->split,
          (unsigned long long)l->rows, (unsigned long long)l->lua_rows,
          l->lua_rows > 0 && l->may_defer ? ", after all other rows" : "");
}

void native_set_print_explanations(const native_set_o *s, const char *system, FILE *out) {
  static const native_set_o NONE;
  s = s ? s : &NONE;
  uint32_t printed = 0;
  for (uint32_t i = 0; i < s->count; ++i)
    if (strcmp(system, "all") == 0 || strcmp(system, s->loops[i]->system) == 0) {
      explain_loop(s->loops[i], out);
      printed++;
    }
  if (s->level == CODEGEN_NONE)
    fprintf(out, "explain: nothing is compiled: --native off, --no-jit, or an unsupported processor\n");
  else if (printed == 0)
    fprintf(out, "explain: %s: no system of this name has update or each over a query\n", system);
}

void native_set_print_statistics(const native_set_o *s, FILE *out) {
  if (!s)
    return;
  uint32_t native = 0, waiting = 0, shipped = 0;
  for (uint32_t i = 0; i < s->count; ++i) {
    bool is_native = !find_refusal_reason(s->loops[i]);
    native += is_native;
    shipped += is_native && codegen_is_packaged(s->loops[i]->code);
    waiting += !s->loops[i]->why[0] && s->loops[i]->code && codegen_state(s->loops[i]->code) == CODEGEN_WAITS;
  }
  if (s->level != CODEGEN_NONE && s->count > 0)
    fprintf(out, "stats: native %u of %u systems over rows, %u of the package, %u being compiled, %s\n", native,
            s->count, shipped, waiting, codegen_level_name(s->level));
  if (s->analyses > 0)
    fprintf(out, "stats: native reading %.1f ms of the processor in %u ticks, %.2f ms at most in one\n",
            s->analysis_ns / 1e6, s->analyses, s->longest_analysis_ns / 1e6);
  codegen_statistics_t f = codegen_statistics();
  if (f.is_missing)
    fprintf(out, "stats: native nothing, LLVM is not installed: ./shoal deps installs it (libllvm15)\n");
  if (f.code_bytes > 0)
    fprintf(out,
            "stats: native code %.1f KB, %u compiled in %.1f ms, %.1f ms at most, LLVM opened in %.1f ms, %.1f MB\n",
            (double)f.code_bytes / 1024, f.compiled, f.ms, f.max_ms, f.open_ms, (double)f.compiler_bytes / 1048576);
}

// --- creating

// Returns the loop of a system. Each system has one loop; an existing loop is cleared.
static native_loop_o *find_or_add_loop(native_set_o *s, const char *system) {
  for (uint32_t i = 0; i < s->count; ++i)
    if (strcmp(s->loops[i]->system, system) == 0) {
      loop_clear(s->loops[i]);
      return s->loops[i];
    }
  if (s->count == s->capacity) {
    s->capacity = s->capacity ? s->capacity * 2 : 16;
    s->loops = realloc(s->loops, s->capacity * sizeof(native_loop_o *));
  }
  native_loop_o *l = calloc(1, sizeof *l);
  if (!s->loops || !l)
    abort();
  s->loops[s->count++] = l;
  return l;
}

static native_loop_o *begin_loop(native_set_o *s, const char *system, const char *at) {
  native_loop_o *l = find_or_add_loop(s, system);
  snprintf(l->system, sizeof l->system, "%s", system);
  snprintf(l->at, sizeof l->at, "%s", at);
  const char *colon = strrchr(l->at, ':');
  snprintf(l->file, sizeof l->file, "%.*s", (int)(colon ? colon - l->at : (ptrdiff_t)strlen(l->at)), l->at);
  l->set = s;
  return l;
}

__attribute__((format(printf, 2, 3))) static bool refuse(native_loop_o *l, const char *bits, ...) {
  va_list list;
  va_start(list, bits);
  if (!l->is_refused)
    vsnprintf(l->why, sizeof l->why, bits, list);
  va_end(list);
  l->is_refused = true;
  return false;
}

void native_set_refuse_system(native_set_o *s, const char *system, const char *at, const char *why) {
  refuse(begin_loop(s, system, at), "%s", why);
}

static int32_t look_up_entity(const native_lookup_t *lookup, shoal_entity e) {
  const entities_t *all = lookup->entities;
  if (!entities_is_alive(all, e))
    return -1;
  uint32_t i = shoal_entity_index(e);
  if (lookup->kind == NATIVE_LOOKUP_STATE)
    return all->marks[i] & MARK_QUEUED ? NATIVE_QUEUED : (int32_t)all->state[i];
  return lookup->kind == NATIVE_LOOKUP_ALIVE && all->marks[i] & MARK_DOOMED ? -1 : 0;
}

// Looks up the rows of many entities, like manager_row, but loads the manager's pointers only once, before the loop.
// Returns false if a row is missing.
static bool find_rows(const manager_o *m, const uint32_t *restrict ids, int32_t *restrict out, int64_t count) {
  uint32_t *const *pages = m->pages, page_count = m->page_count;
  const shoal_entity *owner = m->owner;
  // Computed here and not from `out` afterwards, because wide loads directly after the stores would stall.
  int32_t all = 0;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t row = index_get(pages, page_count, ids[i]);
    int32_t found = row != 0 && owner[row - 1] == ids[i] ? (int32_t)(row - 1) : -1;
    out[i] = found;
    all |= found;
  }
  return all >= 0;
}

static void mark_queued_rows(const entities_t *all, const uint32_t *ids, int32_t *out, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (out[i] < 0 && entities_is_alive(all, ids[i]) && all->marks[shoal_entity_index(ids[i])] & MARK_QUEUED)
      out[i] = NATIVE_QUEUED;
}

static void look_up_entities(const native_call_t *call, int64_t lookup, const uint32_t *ids, int32_t *out,
                             int64_t count) {
  const native_lookup_t *query = &call->lookups[lookup];
  if (query->kind == NATIVE_LOOKUP_ROW) {
    if (!find_rows(query->manager, ids, out, count))
      mark_queued_rows(query->entities, ids, out, count);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    out[i] = look_up_entity(query, ids[i]);
}

static void test_solid_tiles(const native_call_t *call, uint32_t *ids, const double *columns, const double *rows,
                             int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    ids[i] = ids[i] == 0 ? UINT32_MAX : (uint32_t)call->is_solid(call->world, ids[i], columns[i], rows[i], NULL);
}

static void record_report(const native_call_t *call, int64_t report, int64_t row, const double *values,
                          const uint8_t *bad, int64_t count) {
  // Several workers may report at the same time; the report of the lowest row is kept.
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  int64_t first = 0;
  while (first < count && !bad[first])
    ++first;
  if (first == count || call->base + row + first >= call->end)
    return;
  pthread_mutex_lock(&lock);
  native_report_t *r = &call->reports[report];
  for (int64_t i = first; i < count && call->base + row + i < call->end; ++i) {
    int64_t at = call->query_rows ? call->query_rows[call->base + row + i] : call->base + row + i;
    if (bad[i] && at < r->row)
      *r = (native_report_t){at, values[i]};
  }
  pthread_mutex_unlock(&lock);
}

double native_loop_pop_report(native_loop_o *l, uint32_t report, double *value) {
  shoal_assert(report < NATIVE_MAX_REPORTS, "report %u is out of range (count %u)", report, NATIVE_MAX_REPORTS);
  native_report_t *r = &l->reports[report];
  double row = r->row == INT64_MAX ? -1 : (double)r->row;
  *value = r->value;
  r->row = INT64_MAX;
  return row;
}

native_loop_o *native_loop_create(native_set_o *s, const char *system, const char *at, query_o *q) {
  native_loop_o *l = begin_loop(s, system, at);
  l->query = q;
  l->call.functions = native_exact_functions();
  l->call.find = look_up_entities;
  l->call.links = world_links_written(q->world);
  l->call.note_report = record_report;
  l->call.reports = l->reports;
  l->call.end = INT64_MAX;
  for (uint32_t i = 0; i < NATIVE_MAX_REPORTS; ++i)
    l->reports[i].row = INT64_MAX;
  refuse(l, "an incomplete loop");
  l->is_refused = false;
  return l;
}

// Returns true for numbers and for types that are stored as one number: booleans, enums, ids of strings and assets, and
// entities.
static bool is_number_type(field_type_t type) {
  return (type >= FIELD_F32 && type <= FIELD_BOOL) || type == FIELD_ENUM || type == FIELD_STRING ||
         type == FIELD_ASSET || type == FIELD_ENTITY;
}

static int32_t add_slot(native_loop_o *l, slot_t slot) {
  if (l->is_refused || l->slot_count == NATIVE_MAX_COLUMNS) {
    refuse(l, "more than %u columns", NATIVE_MAX_COLUMNS);
    return -1;
  }
  l->slots[l->slot_count] = slot;
  return (int32_t)l->slot_count++;
}

// Refuses the loop and returns false if it writes rows that occur repeatedly in the query: if an entity has several
// instances of one component, each of them is paired with the same rows of the entity's other components.
static bool check_rows_are_distinct(native_loop_o *l, const manager_o *m, bool written) {
  const query_o *q = l->query;
  for (uint32_t i = 0; i < q->term_count; ++i) {
    const manager_o *other = q->terms[i].manager;
    if (written && other != m && q->terms[i].role == QUERY_WITH && other->schema.kind == SCHEMA_MANY)
      return refuse(l, "a write to %s, whose rows are shared by several %s of an entity", m->schema.name,
                    other->schema.name);
  }
  return true;
}

static bool check_column(native_loop_o *l, const manager_o *m, uint32_t column, bool written) {
  const field_t *f = &m->schema.fields[column];
  bool has_side_effects = f->type == FIELD_ASSET;
  return (is_number_type(f->type) && !(f->flags & FIELD_HIDDEN) &&
          (!written || !(f->flags & FIELD_READ_ONLY || has_side_effects))) ||
         refuse(l, "%s.%s, which is hidden, read-only or not numeric", m->schema.name, f->name);
}

int32_t native_loop_add_entities(native_loop_o *l) {
  return add_slot(l, (slot_t){.bytes = sizeof(shoal_entity), .view = &l->query->entity_view});
}

int32_t native_loop_add_presence(native_loop_o *l, uint32_t manager) {
  for (uint32_t i = 0; i < l->query->term_count; ++i) {
    const query_term_t *t = &l->query->terms[i];
    if (t->manager->id == manager && (t->role == QUERY_ANY || t->role == QUERY_OPTIONAL))
      return add_slot(l, (slot_t){.bytes = sizeof(uint32_t), .is_row_map = true, .view = &t->present});
  }
  refuse(l, "component %u, which is neither in `optional` nor in `any` of the query", manager);
  return -1;
}

int32_t native_loop_add_column(native_loop_o *l, uint32_t manager, uint32_t column, bool written) {
  const query_term_t *term = query_find_with(l->query, manager);
  if (l->is_refused || !term || column >= term->manager->schema.field_count) {
    refuse(l, "a column that is not in the query");
    return -1;
  }
  if (!check_column(l, term->manager, column, written) || !check_rows_are_distinct(l, term->manager, written))
    return -1;
  return add_slot(l, (slot_t){.manager = manager,
                              .column = column,
                              .bytes = field_size(term->manager->schema.fields[column].type),
                              .written = written,
                              .view = &term->views[column]});
}

int32_t native_loop_add_query_column(native_loop_o *l, query_o *q, uint32_t manager, uint32_t column, bool rows) {
  const query_term_t *term = query_find_with(q, manager);
  if (l->is_refused || q->world != l->query->world || !term || column >= term->manager->schema.field_count) {
    refuse(l, "a column that is not in the other query");
    return -1;
  }
  if (!check_column(l, term->manager, column, false))
    return -1;
  return add_slot(l, (slot_t){.manager = manager,
                              .column = column,
                              .bytes = rows ? sizeof(uint32_t) : field_size(term->manager->schema.fields[column].type),
                              .any_row = true,
                              .is_row_map = rows,
                              .view = &term->views[column]});
}

bool native_are_queries_disjoint(const query_o *q, const query_o *other) {
  const column_view_t *ids = &other->entity_view;
  for (uint32_t i = 0; i < other->count; ++i) {
    shoal_entity e = ((const shoal_entity *)ids->data)[ids->rows ? ids->rows[i] : i];
    bool has_all = true;
    for (uint32_t k = 0; k < q->term_count && has_all; ++k)
      has_all = q->terms[k].role != QUERY_WITH || manager_row(q->terms[k].manager, e) != ROW_NONE;
    if (has_all)
      return false;
  }
  return true;
}

static manager_o *find_manager(native_loop_o *l, uint32_t id) {
  world_o *w = l->query->world;
  manager_o *m = id > 0 && id <= world_manager_count(w) ? world_manager(w, id) : NULL;
  if (!m || m->schema.kind != SCHEMA_COMPONENT)
    refuse(l, "component %u of other entities, which is a singleton or may have several rows per entity", id);
  return m && m->schema.kind == SCHEMA_COMPONENT ? m : NULL;
}

int32_t native_loop_add_component_column(native_loop_o *l, uint32_t manager, uint32_t column, bool written) {
  const manager_o *m = find_manager(l, manager);
  if (!m || column >= m->schema.field_count || !check_column(l, m, column, written))
    return -1;
  return add_slot(l, (slot_t){.manager = manager,
                              .column = column,
                              .bytes = field_size(m->schema.fields[column].type),
                              .written = written});
}

int32_t native_loop_add_lookup(native_loop_o *l, uint32_t kind, uint32_t manager) {
  const manager_o *m = kind == NATIVE_LOOKUP_ROW ? find_manager(l, manager) : NULL;
  if ((kind == NATIVE_LOOKUP_ROW && !m) || l->lookup_count == NATIVE_MAX_LOOKUPS || kind > NATIVE_LOOKUP_STATE) {
    refuse(l, "more than %u kinds of lookups", NATIVE_MAX_LOOKUPS);
    return -1;
  }
  const entities_t *entities = world_entities(l->query->world);
  l->call.lookups[l->lookup_count] =
      (native_lookup_t){.manager = m, .entities = entities, .kind = (native_lookup_kind_t)kind};
  return (int32_t)l->lookup_count++;
}

bool native_loop_add_read(native_loop_o *l, uint32_t manager) {
  if (l->read_count == NATIVE_MAX_READS)
    return refuse(l, "more than %u singletons and components of other entities", NATIVE_MAX_READS);
  l->reads[l->read_count++] = manager;
  return true;
}

void native_loop_set_line(native_loop_o *l, int32_t column, uint32_t line) {
  shoal_assert(column >= 0 && (uint32_t)column < l->slot_count, "column %d is out of range (count %u)", column,
               l->slot_count);
  slot_t *s = &l->slots[column];
  s->line = line;
  s->replaces_nan = s->written && !s->is_row_map && !s->any_row && s->manager != 0 &&
                    world_manager(l->query->world, s->manager)->schema.fields[s->column].flags & FIELD_REJECTS_NAN;
}

bool native_set_add_nan_report(native_set_o *s, const char *text) {
  enum { MAX_REPORTS = 256 };
  return log_once_add(&s->reported_nan, &s->memory, hash_bytes(text, strlen(text), 0), MAX_REPORTS);
}

uint32_t native_loop_list_access(const native_loop_o *l, system_access_t *out) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < l->slot_count; ++i) {
    const slot_t *s = &l->slots[i];
    uint64_t column = UINT64_C(1) << s->column;
    if (s->manager > 0)
      out[count++] =
          (system_access_t){.manager = s->manager, .reads = column, .writes = s->written ? column : 0, .line = s->line};
  }
  for (uint32_t i = 0; i < l->read_count; ++i)
    out[count++] = (system_access_t){.manager = l->reads[i], .reads = UINT64_MAX};
  for (uint32_t i = 0; i < l->exit_access_count; ++i)
    out[count++] = l->exit_access[i];
  return count;
}

bool native_loop_is_guarded(const native_loop_o *l) {
  return l->set->guard != NULL;
}

uint64_t native_loop_id(const native_loop_o *l) {
  return l->number;
}

void native_loop_set_solid_lookup(native_loop_o *l, native_is_solid_t is_solid) {
  l->call.solid = test_solid_tiles;
  l->call.world = l->query->world;
  l->call.is_solid = is_solid;
}

double *native_loop_parameters(native_loop_o *l, uint32_t count) {
  if (count > NATIVE_MAX_PARAMETERS) {
    refuse(l, "more than %u parameters", NATIVE_MAX_PARAMETERS);
    return NULL;
  }
  l->parameter_count = count;
  return l->call.parameters;
}

// Prepares the fast path for code that only uses columns of its own rows and has no side exits.
static void init_contiguous_rows(native_loop_o *l) {
  bool may_be = l->order == NATIVE_ROWS_WITHOUT_EXITS && l->width > 1;
  for (uint32_t i = 0; i < l->slot_count; ++i)
    may_be &= l->slots[i].view && !l->slots[i].any_row && !l->slots[i].is_row_map;
  contiguous_init(&l->contiguous, may_be ? l->query : NULL);
  for (uint32_t i = 0; may_be && i < l->slot_count; ++i) {
    const slot_t *s = &l->slots[i];
    contiguous_add_column(&l->contiguous, s->manager ? world_manager(l->query->world, s->manager) : NULL, s->column,
                          s->written);
  }
}

static uint64_t generate_id(void) {
  static atomic_uint_fast64_t last;
  return atomic_fetch_add(&last, 1) + 1;
}

bool native_loop_set_instructions(native_loop_o *l, const interpreter_instruction_t *instructions, uint32_t count,
                                  uint32_t prologue, uint32_t registers, uint32_t width, uint32_t order) {
  shoal_assert(width > 0 && width <= NATIVE_MAX_WIDTH && (width & (width - 1)) == 0,
               "rows per vector must be a power of 2 up to NATIVE_MAX_WIDTH, got %u", width);
  error_info_t error;
  if (l->is_refused || l->interpreter)
    return false;
  l->interpreter = interpreter_create(&(interpreter_desc_t){.instructions = instructions,
                                                            .count = count,
                                                            .prologue = prologue,
                                                            .registers = registers,
                                                            .columns = l->slot_count,
                                                            .parameters = l->parameter_count,
                                                            .lookups = l->lookup_count,
                                                            .reports = NATIVE_MAX_REPORTS,
                                                            .row_by_row = width == 1},
                                      &error);
  if (!l->interpreter)
    return refuse(l, "%s", error.text);
  l->why[0] = 0;
  l->order = (native_rows_t)order;
  l->row_cost = (count - prologue) * COST_OF_INTERPRETED;
  l->width = width;
  l->number = generate_id(); // kept when compiled code replaces the interpreter: both access the same columns
  init_contiguous_rows(l);
  return true;
}

// Estimates the cost of a row from its IR, in hundredths of a nanosecond: an upper bound if the columns are in the
// caches. A function is called for all rows of a block; its cost is counted once per row.
static uint64_t estimate_cost(const char *text, uint32_t length, uint32_t width) {
  enum { INSTRUCTION = 20, DIVISION = 120, FUNCTION = 800, LOOKUP = 300 };
  uint64_t of_vector = 0, of_row = 0;
  for (const char *at = text, *end = text + length, *next; at < end; at = next) {
    const char *line_end = memchr(at, '\n', (size_t)(end - at));
    next = line_end ? line_end + 1 : end;
    size_t bytes = (size_t)(next - at);
    if (*at != ' ')
      continue;
    if (memmem(at, bytes, "call void %", 11))
      of_row += memmem(at, bytes, "%find", 5) ? LOOKUP : FUNCTION;
    else
      of_vector += memmem(at, bytes, "div ", 4) || memmem(at, bytes, ".sqrt", 5) ? DIVISION : INSTRUCTION;
  }
  return of_row + of_vector / width;
}

bool native_loop_compile(native_loop_o *l, const char *text, uint32_t length, uint32_t width, uint32_t order) {
  shoal_assert(width > 0 && width <= NATIVE_MAX_WIDTH && (width & (width - 1)) == 0,
               "rows per vector must be a power of 2 up to NATIVE_MAX_WIDTH, got %u", width);
  if (l->is_refused || l->code || l->set->level == CODEGEN_NONE)
    return false;
  if (length == 0 || length > CODEGEN_MAX_TEXT)
    return refuse(l, "code of %u bytes (at most %zu)", length, CODEGEN_MAX_TEXT);
  l->why[0] = 0;
  l->order = (native_rows_t)order;
  l->width = width;
  l->row_cost = estimate_cost(text, length, width);
  l->number = l->interpreter ? l->number : generate_id();
  l->code = codegen_request_code(text, length, l->set->level);
  init_contiguous_rows(l);
  return true;
}

void native_loop_record_analysis_ticks(native_loop_o *l, uint32_t analysis_ticks) {
  l->analysis_ticks = analysis_ticks;
}

bool native_loop_is_ready(native_loop_o *l) {
  if (l->entry || !l->code || l->is_refused)
    return l->entry || l->interpreter;
  if ((l->set->waits ? codegen_wait_until_done(l->code) : codegen_state(l->code)) == CODEGEN_READY)
    *(void **)&l->entry = codegen_entry(l->code);
  return l->entry || l->interpreter;
}

// --- clocks

static double read_clock_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

double native_clock_ns(void) {
  return read_clock_ns(CLOCK_MONOTONIC);
}

double native_processor_ns(void) {
  return read_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

void native_set_record_analysis(native_set_o *s, double processor_ns) {
  s->analyses++;
  s->analysis_ns += processor_ns;
  s->longest_analysis_ns = processor_ns > s->longest_analysis_ns ? processor_ns : s->longest_analysis_ns;
}
