// Declares and compiles loops, and prints their state.
#include "base/aligned_memory.h"
#include "base/assert.h"
#include "base/hash.h"
#include "base/library_names.h"
#include "base/now.h"
#include "base/text_search.h"
#include "ecs/world.h"
#include "native/loop_internal.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { INTERPRETED_COST = 60 }; // cost of an instruction for one row, in hundredths of a nanosecond

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
  int options = 0;
  for (const char *cursor = mode; *cursor;) {
    size_t length = strcspn(cursor, ",");
    int mode_index = 0;
    if (length == 5 && strncmp(cursor, "swap", 4) == 0 && cursor[4] >= '1' && cursor[4] <= '9')
      mode_index = MODE_SWAP;
    while (mode_index < MODE_SWAP && mode_index < MODE_COUNT &&
           (strlen(MODES[mode_index]) != length || strncmp(MODES[mode_index], cursor, length) != 0))
      mode_index++;
    if (mode_index == MODE_COUNT)
      return -1;
    options |= 1 << mode_index;
    cursor += length + (cursor[length] == ',');
  }
  return options;
}

bool native_mode_check(const char *mode, error_info_t *error) {
  return parse_mode(mode) > 0 ||
         error_set(error,
                   "--native must be on, off, now, sse2, avx2 or avx512, or several of these separated by commas, "
                   "got %s",
                   mode);
}

static uint32_t set_count; // number of sets; main thread only

native_set_o *native_set_create(const char *mode) {
  native_set_o *set = calloc(1, sizeof *set);
  shoal_assert(set, "out of memory for compiled loops");
  int options = parse_mode(mode ? mode : "on");
  codegen_level_t best = codegen_best_level(), limit = CODEGEN_AVX512;
  for (int mode_index = MODE_AVX512; mode_index >= MODE_SSE2; --mode_index)
    if (options & 1 << mode_index)
      limit = (codegen_level_t)(CODEGEN_SSE2 + mode_index - MODE_SSE2);
  set->level = options & 1 << MODE_OFF                                              ? CODEGEN_NONE
               : limit < best || (best != CODEGEN_NONE && options & 1 << MODE_MAKE) ? limit
                                                                                    : best;
  set->waits_for_code = options & 1 << MODE_NOW;
  const char *swap = options & 1 << MODE_SWAP ? strstr(mode, "swap") : NULL;
  set->swap_seed = swap ? (uint32_t)(swap[4] - '0') : 0;
  set->guard = options & 1 << MODE_GUARD ? guard_create() : NULL;
  set->splits_all = options & 1 << MODE_SPLIT;
  set_count++;
  return set;
}

static void clear_loop(native_loop_o *loop) {
  codegen_release_code(loop->code);
  aligned_memory_free(loop->undo);
  free(loop->exit_rows);
  free(loop->limits);
  events_fini(loop);
  row_order_fini(&loop->row_order);
  interpreter_destroy(loop->interpreter);
  *loop = (native_loop_o){0};
}

void native_set_destroy(native_set_o *set) {
  for (uint32_t i = 0; set && i < set->count; ++i) {
    clear_loop(set->loops[i]);
    free(set->loops[i]);
  }
  for (uint32_t i = 0; set && i < JOBS_MAX_WORKERS; ++i) {
    if (set->workers[i])
      aligned_memory_free(set->workers[i]->blocks);
    free(set->workers[i]);
  }
  if (set) {
    guard_destroy(set->guard);
    array_free(&set->memory, &set->reported_nan);
    free(set->loops);
    if (--set_count == 0)
      codegen_stop_thread();
  }
  free(set);
}

uint32_t native_set_level(const native_set_o *set) {
  return (uint32_t)set->level;
}

bool native_set_waits_for_code(const native_set_o *set) {
  return set->waits_for_code;
}

uint32_t native_set_swap_seed(const native_set_o *set) {
  return set->swap_seed;
}

// --- explain and stats

static const char *find_refusal_reason(const native_loop_o *loop) {
  const codegen_code_t *code = loop->code;
  if (loop->refusal[0])
    return loop->refusal;
  if (!code)
    return "fewer than 256 rows so far";
  switch (codegen_state(code)) {
  case CODEGEN_PENDING: return "being compiled";
  case CODEGEN_REFUSED: return codegen_refusal(code);
  default: return NULL;
  }
}

static const char *describe_origin(const codegen_code_t *code) {
  return codegen_is_packaged(code) ? "read from the package in"
         : codegen_is_cached(code) ? "read from the cache in"
                                   : "compiled in";
}

static const char *describe_execution(const native_loop_o *loop) {
  return loop->interpreter ? "single precision, interpreted" : "in LuaJIT";
}

static bool prefers_lua(const native_loop_o *loop) {
  return loop->lua_ns < loop->native_ns;
}

// Prints the limits of a loop and, once they are measured, the costs of a row as machine code and in LuaJIT.
static void print_limits(const native_loop_o *loop, FILE *out) {
  if (loop->native_ns > 0)
    fprintf(out, "; %.1f ns a row, %.1f in LuaJIT", loop->native_ns, loop->lua_ns);
  fprintf(out, "%s%s\n", loop->limits ? "; " : "", loop->limits ? loop->limits : "");
}

static void explain_loop(const native_loop_o *loop, FILE *out) {
  const char *reason = find_refusal_reason(loop);
  if (reason) {
    fprintf(out, "explain: %s (%s): %s: %s\n", loop->system, loop->location, describe_execution(loop),
            loop->interpreter && loop->set->level == CODEGEN_NONE ? "nothing is compiled" : reason);
    return;
  }
  uint32_t written = 0;
  for (uint32_t i = 0; i < loop->slot_count; ++i)
    written += loop->slots[i].written;
  fprintf(out,
          "explain: %s (%s): %s, %s%s; %u column%s, %u of them written; analysed in %u ticks, %s %.1f ms; %llu "
          "runs, %llu "
          "of them without calling Lua, %llu on several workers; %llu rows, %llu of them in Lua%s",
          loop->system, loop->location, prefers_lua(loop) ? "in LuaJIT, faster than machine code" : "native",
          codegen_level_name(loop->set->level), loop->interpreter ? ", single precision" : "", loop->slot_count,
          loop->slot_count == 1 ? "" : "s", written, loop->analysis_ticks, describe_origin(loop->code),
          codegen_compile_ms(loop->code), (unsigned long long)loop->runs, (unsigned long long)loop->runs_without_lua,
          (unsigned long long)loop->split_runs, (unsigned long long)loop->rows, (unsigned long long)loop->lua_rows,
          loop->lua_rows > 0 && loop->can_defer ? ", after all other rows" : "");
  print_limits(loop, out);
}

// Returns true if the name belongs to the system or one of its loops: "move", "move, loop 2".
static bool is_loop_of(const native_loop_o *loop, const char *system) {
  size_t length = strlen(system);
  return strncmp(loop->system, system, length) == 0 && (loop->system[length] == 0 || loop->system[length] == ',');
}

bool native_set_find_slow_reason(const native_set_o *set, const char *system, char *out, size_t size) {
  for (uint32_t i = 0; set && set->level != CODEGEN_NONE && i < set->count; ++i) {
    const native_loop_o *loop = set->loops[i];
    bool is_known = loop->refusal[0] || (loop->code && codegen_state(loop->code) != CODEGEN_PENDING);
    if (!is_loop_of(loop, system) || !is_known)
      continue;
    const char *reason = find_refusal_reason(loop);
    if (reason)
      snprintf(out, size, "%s: %s: %s", loop->location, describe_execution(loop), reason);
    else if (prefers_lua(loop))
      snprintf(out, size, "%s: in LuaJIT, faster than machine code%s%s", loop->location, loop->limits ? "; " : "",
               loop->limits ? loop->limits : "");
    else if (loop->limits)
      snprintf(out, size, "%s: %s", loop->location, loop->limits);
    else
      continue;
    return true;
  }
  return false;
}

void native_set_print_explanations(const native_set_o *set, const char *system, FILE *out) {
  static const native_set_o NONE;
  set = set ? set : &NONE;
  uint32_t printed = 0;
  for (uint32_t i = 0; i < set->count; ++i)
    if (strcmp(system, "all") == 0 || is_loop_of(set->loops[i], system)) {
      explain_loop(set->loops[i], out);
      printed++;
    }
  if (set->level == CODEGEN_NONE)
    fprintf(out, "explain: nothing is compiled: --native off, --no-jit, or an unsupported processor\n");
  else if (printed == 0 && strncmp(system, "shoal.", 6) != 0)
    fprintf(out, "explain: %s: no system of this name has update or each over a query\n", system);
}

void native_set_print_statistics(const native_set_o *set, FILE *out) {
  if (!set)
    return;
  uint32_t native_count = 0, pending_count = 0, packaged_count = 0;
  for (uint32_t i = 0; i < set->count; ++i) {
    bool is_native = !find_refusal_reason(set->loops[i]);
    native_count += is_native;
    packaged_count += is_native && codegen_is_packaged(set->loops[i]->code);
    pending_count +=
        !set->loops[i]->refusal[0] && set->loops[i]->code && codegen_state(set->loops[i]->code) == CODEGEN_PENDING;
  }
  if (set->level != CODEGEN_NONE && set->count > 0)
    fprintf(out, "stats: native %u of %u systems over rows, %u from the package, %u being compiled, %s\n", native_count,
            set->count, packaged_count, pending_count, codegen_level_name(set->level));
  if (set->analysis_count > 0)
    fprintf(out, "stats: native analysis took %.1f ms of CPU time in %u ticks, at most %.2f ms in one tick\n",
            set->analysis_ns / 1e6, set->analysis_count, set->longest_analysis_ns / 1e6);
  codegen_statistics_t statistics = codegen_statistics();
  if (statistics.is_missing)
    fprintf(out, "stats: native nothing, LLVM is not installed: %s\n", library_hint_of_llvm());
  if (statistics.code_bytes > 0)
    fprintf(out,
            "stats: native code %.1f KB, %u compiled in %.1f ms, %.1f ms at most, LLVM opened in %.1f ms, %.1f MB\n",
            (double)statistics.code_bytes / 1024, statistics.compiled, statistics.ms, statistics.max_ms,
            statistics.open_ms, (double)statistics.compiler_bytes / 1048576);
}

// --- creating

// Returns the loop of a system: an existing loop is cleared; otherwise, a new loop is added to the set.
static native_loop_o *find_or_add_loop(native_set_o *set, const char *system) {
  for (uint32_t i = 0; i < set->count; ++i)
    if (strcmp(set->loops[i]->system, system) == 0) {
      clear_loop(set->loops[i]);
      return set->loops[i];
    }
  if (set->count == set->capacity) {
    set->capacity = set->capacity ? set->capacity * 2 : 16;
    set->loops = realloc(set->loops, set->capacity * sizeof(native_loop_o *));
  }
  native_loop_o *loop = calloc(1, sizeof *loop);
  if (!set->loops || !loop)
    abort();
  set->loops[set->count++] = loop;
  return loop;
}

static native_loop_o *begin_loop(native_set_o *set, const char *system, const char *location) {
  native_loop_o *loop = find_or_add_loop(set, system);
  snprintf(loop->system, sizeof loop->system, "%s", system);
  snprintf(loop->location, sizeof loop->location, "%s", location);
  const char *colon = strrchr(loop->location, ':');
  snprintf(loop->file, sizeof loop->file, "%.*s",
           (int)(colon ? colon - loop->location : (ptrdiff_t)strlen(loop->location)), loop->location);
  loop->set = set;
  return loop;
}

__attribute__((format(printf, 2, 3))) static bool refuse(native_loop_o *loop, const char *message, ...) {
  va_list arguments;
  va_start(arguments, message);
  if (!loop->is_refused)
    vsnprintf(loop->refusal, sizeof loop->refusal, message, arguments);
  va_end(arguments);
  loop->is_refused = true;
  return false;
}

void native_set_refuse_system(native_set_o *set, const char *system, const char *location, const char *reason) {
  refuse(begin_loop(set, system, location), "%s", reason);
}

static int32_t look_up_entity(const native_lookup_t *lookup, shoal_entity entity) {
  const entities_t *entities = lookup->entities;
  if (!entities_is_alive(entities, entity))
    return -1;
  uint32_t index = shoal_entity_index(entity);
  if (lookup->kind == NATIVE_LOOKUP_STATE)
    return entities->marks[index] & MARK_QUEUED ? NATIVE_QUEUED : (int32_t)entities->state[index];
  return lookup->kind == NATIVE_LOOKUP_ALIVE && entities->marks[index] & MARK_DOOMED ? -1 : 0;
}

// maximum number of rows whose index and owners (8 bytes per row) fit in a typical L2 cache
#define MAX_CACHED_ROWS 65536u

// Looks up the rows of many entities, like manager_row, but loads the manager's pointers only once, before the loop.
// Returns true on success, or false if a row is missing.
static bool find_rows(const manager_o *manager, const uint32_t *restrict ids, int32_t *restrict out, int64_t count) {
  uint32_t *const *pages = manager->pages, page_count = manager->page_count;
  const shoal_entity *owner = manager->owner;
  // Computed here and not from `out` afterwards, because wide loads directly after the stores would stall.
  int32_t combined = 0;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t row = index_get(pages, page_count, ids[i]);
    int32_t found_row = row != 0 && owner[row - 1] == ids[i] ? (int32_t)(row - 1) : -1;
    out[i] = found_row;
    combined |= found_row;
  }
  return combined >= 0;
}

// Like find_rows, for components that exceed the cache: three passes, of which the first two prefetch data for the next
// pass, so that the cache misses of all ids overlap. For components that fit the cache, three passes take a quarter
// longer than one pass.
static bool find_rows_out_of_cache(const manager_o *manager, const uint32_t *restrict ids, int32_t *restrict out,
                                   int64_t count) {
  uint32_t *const *pages = manager->pages, page_count = manager->page_count;
  const shoal_entity *owner = manager->owner;
  for (int64_t i = 0; i < count; ++i)
    index_prefetch(pages, page_count, ids[i]);
  for (int64_t i = 0; i < count; ++i) {
    out[i] = (int32_t)index_get(pages, page_count, ids[i]) - 1;
    __builtin_prefetch(&owner[out[i] < 0 ? 0 : out[i]]);
  }
  int32_t combined = 0;
  for (int64_t i = 0; i < count; ++i) {
    out[i] = out[i] >= 0 && owner[out[i]] == ids[i] ? out[i] : -1;
    combined |= out[i];
  }
  return combined >= 0;
}

static void mark_queued_rows(const entities_t *entities, const uint32_t *ids, int32_t *out, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (out[i] < 0 && entities_is_alive(entities, ids[i]) && entities->marks[shoal_entity_index(ids[i])] & MARK_QUEUED)
      out[i] = NATIVE_QUEUED;
}

static SYSV_ABI void look_up_entities(const native_call_t *call, int64_t lookup, const uint32_t *ids, int32_t *out,
                                      int64_t count) {
  const native_lookup_t *query = &call->lookups[lookup];
  if (query->kind == NATIVE_LOOKUP_ROW) {
    bool is_cached = query->manager->count <= MAX_CACHED_ROWS;
    if (!(is_cached ? find_rows : find_rows_out_of_cache)(query->manager, ids, out, count))
      mark_queued_rows(query->entities, ids, out, count);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    out[i] = look_up_entity(query, ids[i]);
}

static SYSV_ABI void test_solid_tiles(const native_call_t *call, uint32_t *ids, const double *columns,
                                      const double *rows, int64_t count) {
  call->test_solid(call->world, ids, columns, rows, count);
}

static SYSV_ABI void record_report(const native_call_t *call, int64_t report, int64_t row, const double *values,
                                   const uint8_t *flags, int64_t count) {
  // Several workers may report at the same time; the report of the lowest row is kept.
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  int64_t first_flagged = 0;
  while (first_flagged < count && !flags[first_flagged])
    ++first_flagged;
  if (first_flagged == count || call->base + row + first_flagged >= call->end)
    return;
  pthread_mutex_lock(&lock);
  native_report_t *recorded = &call->reports[report];
  for (int64_t i = first_flagged; i < count && call->base + row + i < call->end; ++i) {
    int64_t query_row = call->query_rows ? call->query_rows[call->base + row + i] : call->base + row + i;
    if (flags[i] && query_row < recorded->row)
      *recorded = (native_report_t){query_row, values[i]};
  }
  pthread_mutex_unlock(&lock);
}

double native_loop_pop_report(native_loop_o *loop, uint32_t report, double *value) {
  shoal_assert(report < NATIVE_MAX_REPORTS, "report %u is out of range (count %u)", report, NATIVE_MAX_REPORTS);
  native_report_t *recorded = &loop->reports[report];
  double row = recorded->row == INT64_MAX ? -1 : (double)recorded->row;
  *value = recorded->value;
  recorded->row = INT64_MAX;
  return row;
}

native_loop_o *native_loop_create(native_set_o *set, const char *system, const char *location, query_o *query) {
  native_loop_o *loop = begin_loop(set, system, location);
  loop->query = query;
  loop->call.functions = exact_math_arrays();
  loop->call.find = look_up_entities;
  loop->call.links = world_links_written(query->world);
  loop->call.record_report = record_report;
  loop->call.reports = loop->reports;
  loop->call.end = INT64_MAX;
  native_loop_set_iterations(loop, -1, 1, 1);
  for (uint32_t i = 0; i < NATIVE_MAX_REPORTS; ++i)
    loop->reports[i].row = INT64_MAX;
  refuse(loop, "an incomplete loop");
  loop->is_refused = false;
  return loop;
}

// Returns true for numbers and for types that are stored as one number: booleans, enums, ids of strings and assets, and
// entities.
static bool is_number_type(field_type_t type) {
  return (type >= FIELD_F32 && type <= FIELD_BOOL) || type == FIELD_ENUM || type == FIELD_STRING ||
         type == FIELD_ASSET || type == FIELD_ENTITY;
}

static int32_t add_slot(native_loop_o *loop, slot_t slot) {
  if (loop->is_refused || loop->slot_count == NATIVE_MAX_COLUMNS) {
    refuse(loop, "more than %u columns", NATIVE_MAX_COLUMNS);
    return -1;
  }
  loop->slots[loop->slot_count] = slot;
  return (int32_t)loop->slot_count++;
}

// Returns true if the loop may write its columns. Refuses the loop and returns false if it writes rows that occur
// several times in the query. This happens if an entity has several instances of one component: each instance is paired
// with the same rows of the entity's remaining components.
static bool check_rows_are_distinct(native_loop_o *loop, const manager_o *manager, bool written) {
  const query_o *query = loop->query;
  for (uint32_t i = 0; i < query->term_count; ++i) {
    const manager_o *term_manager = query->terms[i].manager;
    if (written && term_manager != manager && query->terms[i].role == QUERY_WITH &&
        term_manager->schema.kind == SCHEMA_MANY)
      return refuse(loop, "a write to %s, whose rows are shared by several %s of an entity", manager->schema.name,
                    term_manager->schema.name);
  }
  return true;
}

static bool check_column(native_loop_o *loop, const manager_o *manager, uint32_t column, bool written) {
  const field_t *field = &manager->schema.fields[column];
  bool has_side_effects = field->type == FIELD_ASSET;
  return (is_number_type(field->type) && !(field->flags & FIELD_HIDDEN) &&
          (!written || !(field->flags & FIELD_READ_ONLY || has_side_effects))) ||
         refuse(loop, "%s.%s, which is hidden, read-only or not numeric", manager->schema.name, field->name);
}

int32_t native_loop_add_entities(native_loop_o *loop) {
  return add_slot(loop, (slot_t){.bytes = sizeof(shoal_entity), .view = &loop->query->entity_view});
}

int32_t native_loop_add_presence(native_loop_o *loop, uint32_t manager) {
  for (uint32_t i = 0; i < loop->query->term_count; ++i) {
    const query_term_t *term = &loop->query->terms[i];
    if (term->manager->id == manager && (term->role == QUERY_ANY || term->role == QUERY_OPTIONAL))
      return add_slot(loop, (slot_t){.bytes = sizeof(uint32_t), .is_row_map = true, .view = &term->present});
  }
  refuse(loop, "component %u, which is neither in `optional` nor in `any` of the query", manager);
  return -1;
}

int32_t native_loop_add_column(native_loop_o *loop, uint32_t manager, uint32_t column, bool written) {
  const query_term_t *term = query_find_with(loop->query, manager);
  if (loop->is_refused || !term || column >= term->view_count) {
    refuse(loop, "a column that is not in the query");
    return -1;
  }
  if (!check_column(loop, term->manager, column, written) || !check_rows_are_distinct(loop, term->manager, written))
    return -1;
  return add_slot(loop, (slot_t){.manager = manager,
                                 .column = column,
                                 .bytes = field_size(term->manager->schema.fields[column].type),
                                 .written = written,
                                 .is_derived = column >= term->manager->schema.field_count,
                                 .view = &term->views[column]});
}

int32_t native_loop_add_query_column(native_loop_o *loop, query_o *query, uint32_t manager, uint32_t column,
                                     bool is_row_map) {
  const query_term_t *term = query_find_with(query, manager);
  if (loop->is_refused || query->world != loop->query->world || !term || column >= term->manager->schema.field_count) {
    refuse(loop, "a column that is not in the other query");
    return -1;
  }
  if (!check_column(loop, term->manager, column, false))
    return -1;
  return add_slot(
      loop, (slot_t){.manager = manager,
                     .column = column,
                     .bytes = is_row_map ? sizeof(uint32_t) : field_size(term->manager->schema.fields[column].type),
                     .is_random_access = true,
                     .is_row_map = is_row_map,
                     .view = &term->views[column]});
}

bool native_are_queries_disjoint(const query_o *required, const query_o *candidates) {
  const column_view_t *ids = &candidates->entity_view;
  for (uint32_t i = 0; i < candidates->count; ++i) {
    shoal_entity entity = ((const shoal_entity *)ids->data)[ids->rows ? ids->rows[i] : i];
    bool has_all = true;
    for (uint32_t k = 0; k < required->term_count && has_all; ++k)
      has_all = required->terms[k].role != QUERY_WITH || manager_row(required->terms[k].manager, entity) != ROW_NONE;
    if (has_all)
      return false;
  }
  return true;
}

bool native_is_query_aligned(const query_o *query, uint32_t manager) {
  const query_term_t *term = query_find_with(query, manager);
  return term && term->misaligned == 0;
}

static manager_o *find_manager(native_loop_o *loop, uint32_t id) {
  world_o *world = loop->query->world;
  manager_o *manager = id > 0 && id <= world_manager_count(world) ? world_manager(world, id) : NULL;
  if (!manager || manager->schema.kind != SCHEMA_COMPONENT)
    refuse(loop, "component %u of other entities, which is a singleton or may have several rows per entity", id);
  return manager && manager->schema.kind == SCHEMA_COMPONENT ? manager : NULL;
}

int32_t native_loop_add_component_column(native_loop_o *loop, uint32_t manager, uint32_t column, bool written) {
  const manager_o *component = find_manager(loop, manager);
  if (!component || column >= component->schema.field_count || !check_column(loop, component, column, written))
    return -1;
  return add_slot(loop, (slot_t){.manager = manager,
                                 .column = column,
                                 .bytes = field_size(component->schema.fields[column].type),
                                 .written = written});
}

int32_t native_loop_add_lookup(native_loop_o *loop, uint32_t kind, uint32_t manager) {
  const manager_o *component = kind == NATIVE_LOOKUP_ROW ? find_manager(loop, manager) : NULL;
  if ((kind == NATIVE_LOOKUP_ROW && !component) || loop->lookup_count == NATIVE_MAX_LOOKUPS ||
      kind > NATIVE_LOOKUP_STATE) {
    refuse(loop, "more than %u kinds of lookups", NATIVE_MAX_LOOKUPS);
    return -1;
  }
  const entities_t *entities = world_entities(loop->query->world);
  loop->call.lookups[loop->lookup_count] =
      (native_lookup_t){.manager = component, .entities = entities, .kind = (native_lookup_kind_t)kind};
  return (int32_t)loop->lookup_count++;
}

bool native_loop_add_read(native_loop_o *loop, uint32_t manager) {
  if (loop->read_count == NATIVE_MAX_READS)
    return refuse(loop, "more than %u singletons and components of other entities", NATIVE_MAX_READS);
  loop->reads[loop->read_count++] = manager;
  return true;
}

void native_loop_set_line(native_loop_o *loop, int32_t column, uint32_t line) {
  shoal_assert(column >= 0 && (uint32_t)column < loop->slot_count, "column %d is out of range (count %u)", column,
               loop->slot_count);
  slot_t *slot = &loop->slots[column];
  slot->line = line;
  slot->replaces_nan =
      slot->written && !slot->is_row_map && !slot->is_random_access && slot->manager != 0 &&
      world_manager(loop->query->world, slot->manager)->schema.fields[slot->column].flags & FIELD_REJECTS_NAN;
}

bool native_set_add_nan_report(native_set_o *set, const char *text) {
  enum { MAX_REPORTS = 256 };
  return log_once_add(&set->reported_nan, &set->memory, hash_bytes(text, strlen(text), 0), MAX_REPORTS);
}

uint32_t native_loop_list_access(const native_loop_o *loop, system_access_t *out) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < loop->slot_count; ++i) {
    const slot_t *slot = &loop->slots[i];
    uint64_t column = UINT64_C(1) << slot->column;
    if (slot->is_derived) // a derived field may depend on every field, also in the rows of other entities
      out[count++] = (system_access_t){.manager = slot->manager, .reads = UINT64_MAX, .line = slot->line};
    else if (slot->manager > 0)
      out[count++] = (system_access_t){
          .manager = slot->manager, .reads = column, .writes = slot->written ? column : 0, .line = slot->line};
  }
  for (uint32_t i = 0; i < loop->read_count; ++i)
    out[count++] = (system_access_t){.manager = loop->reads[i], .reads = UINT64_MAX};
  for (uint32_t i = 0; i < loop->exit_access_count; ++i)
    out[count++] = loop->exit_access[i];
  return count;
}

bool native_loop_is_guarded(const native_loop_o *loop) {
  return loop->set->guard != NULL;
}

uint64_t native_loop_id(const native_loop_o *loop) {
  return loop->id;
}

void native_loop_set_solid_lookup(native_loop_o *loop, native_test_solid_t test_solid) {
  loop->call.find_solid = test_solid_tiles;
  loop->call.world = loop->query->world;
  loop->call.test_solid = test_solid;
}

double *native_loop_parameters(native_loop_o *loop, uint32_t count) {
  if (count > NATIVE_MAX_PARAMETERS) {
    refuse(loop, "more than %u parameters", NATIVE_MAX_PARAMETERS);
    return NULL;
  }
  loop->parameter_count = count;
  return loop->call.parameters;
}

// Prepares the fast path for code that only uses columns of its own rows and has no side exits.
static void init_contiguous_rows(native_loop_o *loop) {
  bool is_possible = loop->order == NATIVE_ROWS_WITHOUT_EXITS && loop->width > 1;
  for (uint32_t i = 0; i < loop->slot_count; ++i)
    is_possible &= loop->slots[i].view && !loop->slots[i].is_random_access && !loop->slots[i].is_row_map &&
                   !loop->slots[i].is_derived;
  contiguous_init(&loop->contiguous, is_possible ? loop->query : NULL);
  for (uint32_t i = 0; is_possible && i < loop->slot_count; ++i) {
    const slot_t *slot = &loop->slots[i];
    contiguous_add_column(&loop->contiguous, slot->manager ? world_manager(loop->query->world, slot->manager) : NULL,
                          slot->column, slot->written);
  }
}

static uint64_t generate_id(void) {
  static atomic_uint_fast64_t last;
  return atomic_fetch_add(&last, 1) + 1;
}

static bool contains(const char *line, size_t bytes, const char *pattern) {
  return text_search_bytes(line, bytes, pattern, strlen(pattern));
}

// Returns 1 for the label that begins an inner loop's body, "loop1body:", -1 for the label that ends the loop, and 0
// for any other line.
static int get_nesting_change(const char *line, size_t bytes) {
  if (bytes < 6 || memcmp(line, "loop", 4) != 0)
    return 0;
  return contains(line, bytes, "body:") ? 1 : contains(line, bytes, "end:") ? -1 : 0;
}

// Estimates the cost of a row, and of an iteration of its inner loops, from its IR, in hundredths of a nanosecond: an
// upper bound if the columns are in the caches. A function is called for all rows of a block; its cost is counted once
// per row.
static void estimate_cost(native_loop_o *loop, const char *text, uint32_t length) {
  enum { INSTRUCTION = 20, DIVISION = 120, FUNCTION = 800, LOOKUP = 300 };
  uint64_t vector_cost[2] = {0}, row_cost[2] = {0}; // [0]: outside inner loops; [1]: inside inner loops
  int nesting = 0;
  for (const char *line = text, *end = text + length, *next; line < end; line = next) {
    const char *line_end = memchr(line, '\n', (size_t)(end - line));
    next = line_end ? line_end + 1 : end;
    size_t bytes = (size_t)(next - line);
    nesting += get_nesting_change(line, bytes);
    if (*line != ' ')
      continue;
    bool in_loop = nesting > 0;
    if (contains(line, bytes, "call void %"))
      row_cost[in_loop] += contains(line, bytes, "%find") ? LOOKUP : FUNCTION;
    else
      vector_cost[in_loop] += contains(line, bytes, "div ") || contains(line, bytes, ".sqrt") ? DIVISION : INSTRUCTION;
  }
  loop->row_cost = row_cost[0] + vector_cost[0] / loop->width;
  loop->loop_cost = row_cost[1] + vector_cost[1] / loop->width;
}

// Like estimate_cost, for instructions of the interpreter. A jump backwards ends an inner loop.
static void estimate_interpreted_cost(native_loop_o *loop, const interpreter_instruction_t *instructions,
                                      uint32_t first, uint32_t count) {
  uint32_t in_loops = 0;
  for (uint32_t i = first, end = first; i < count; ++i)
    if (instructions[i].operation == (uint16_t)interpreter_find_operation("jump") && instructions[i].to <= (int32_t)i) {
      uint32_t begin = (uint32_t)instructions[i].to;
      in_loops = begin < end ? in_loops - (end - begin < in_loops ? end - begin : in_loops) : in_loops;
      in_loops += i - begin;
      end = i;
    }
  loop->row_cost = (count - first - in_loops) * INTERPRETED_COST;
  loop->loop_cost = in_loops * INTERPRETED_COST;
}

bool native_loop_set_instructions(native_loop_o *loop, const interpreter_instruction_t *instructions, uint32_t count,
                                  uint32_t prologue, uint32_t registers, uint32_t width, uint32_t order) {
  shoal_assert(width > 0 && width <= NATIVE_MAX_WIDTH && (width & (width - 1)) == 0,
               "rows per vector must be a power of 2 up to NATIVE_MAX_WIDTH, got %u", width);
  error_info_t error;
  if (loop->is_refused || loop->interpreter)
    return false;
  loop->interpreter = interpreter_create(&(interpreter_desc_t){.instructions = instructions,
                                                               .count = count,
                                                               .prologue = prologue,
                                                               .registers = registers,
                                                               .columns = loop->slot_count,
                                                               .parameters = loop->parameter_count,
                                                               .lookups = loop->lookup_count,
                                                               .reports = NATIVE_MAX_REPORTS,
                                                               .row_by_row = width == 1},
                                         &error);
  if (!loop->interpreter)
    return refuse(loop, "%s", error.text);
  loop->refusal[0] = 0;
  loop->order = (native_rows_t)order;
  estimate_interpreted_cost(loop, instructions, prologue, count);
  loop->width = width;
  loop->id = generate_id(); // kept when compiled code replaces the interpreter: both access the same columns
  init_contiguous_rows(loop);
  return true;
}

void native_loop_set_iterations(native_loop_o *loop, int32_t parameter, double max_stop, double step) {
  shoal_assert(parameter < (int32_t)NATIVE_MAX_PARAMETERS && step > 0, "invalid parameter %d or step %f", parameter,
               step);
  loop->stop_parameter = parameter;
  loop->max_stop = max_stop;
  loop->step = step;
}

bool native_loop_compile(native_loop_o *loop, const char *text, uint32_t length, uint32_t width, uint32_t order) {
  shoal_assert(width > 0 && width <= NATIVE_MAX_WIDTH && (width & (width - 1)) == 0,
               "rows per vector must be a power of 2 up to NATIVE_MAX_WIDTH, got %u", width);
  if (loop->is_refused || loop->code || loop->set->level == CODEGEN_NONE)
    return false;
  if (length == 0 || length > CODEGEN_MAX_TEXT)
    return refuse(loop, "code of %u bytes (at most %zu)", length, CODEGEN_MAX_TEXT);
  loop->refusal[0] = 0;
  loop->order = (native_rows_t)order;
  loop->width = width;
  estimate_cost(loop, text, length);
  loop->id = loop->interpreter ? loop->id : generate_id();
  loop->code = codegen_request_code(text, length, loop->set->level);
  init_contiguous_rows(loop);
  return true;
}

void native_loop_record_analysis_ticks(native_loop_o *loop, uint32_t analysis_ticks) {
  loop->analysis_ticks = analysis_ticks;
}

void native_loop_record_limits(native_loop_o *loop, const char *limits) {
  size_t bytes = strlen(limits) + 1;
  char *copy = bytes > 1 ? malloc(bytes) : NULL;
  if (copy)
    memcpy(copy, limits, bytes);
  free(loop->limits);
  loop->limits = copy;
}

void native_loop_record_costs(native_loop_o *loop, double lua_ns, double native_ns) {
  loop->lua_ns = lua_ns;
  loop->native_ns = native_ns;
}

bool native_loop_is_ready(native_loop_o *loop) {
  if (loop->entry || !loop->code || loop->is_refused)
    return loop->entry || loop->interpreter;
  if ((loop->set->waits_for_code ? codegen_wait_until_done(loop->code) : codegen_state(loop->code)) == CODEGEN_READY)
    *(void **)&loop->entry = codegen_entry(loop->code);
  return loop->entry || loop->interpreter;
}

const char *native_loop_find_failure(native_loop_o *loop, bool waits) {
  if (!loop->code || (waits ? codegen_wait_until_done(loop->code) : codegen_state(loop->code)) == CODEGEN_PENDING)
    return NULL;
  return codegen_has_failed(loop->code) ? codegen_refusal(loop->code) : "";
}

// --- clocks

double native_clock_ns(void) {
  return (double)now_ns();
}

double native_processor_ns(void) {
  return (double)now_thread_ns();
}

void native_set_record_analysis(native_set_o *set, double processor_ns) {
  set->analysis_count++;
  set->analysis_ns += processor_ns;
  set->longest_analysis_ns = processor_ns > set->longest_analysis_ns ? processor_ns : set->longest_analysis_ns;
}
