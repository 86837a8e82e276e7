// Limits a statement's memory: SQLite's allocations are counted per thread while a statement is prepared and runs. A
// query of a few lines can expand to millions of nested subqueries (WITH b AS (… a, a), c AS (… b, b), …), and parsing
// is not counted in steps.
//
// Allocation is also the only place to check for a stop while SQLite parses a statement, or runs a built-in function on
// a large string (json_…, hex, upper, quote). A refused allocation ends the statement. No steps are charged here,
// because the number of allocations depends on earlier allocations.
//
// SQLite has one set of allocation functions per process, so this file replaces them for all connections. Only the
// thread that runs a limited statement is ever refused.
#include "sql/sql_internal.h"

#include "base/assert.h"

#include <pthread.h>

typedef struct limit_t {
  bool on, refused;
  sql_o *sql;
  size_t used, max; // in bytes; `used` counts since sql_memory_begin_counting
} limit_t;

static _Thread_local limit_t limit;
static sqlite3_mem_methods real;

static bool check_allocation_limit(size_t bytes) {
  if (!limit.on)
    return true;
  bool fits = limit.used + bytes <= limit.max;
  limit.refused |= !fits;
  return fits && sql_can_continue(limit.sql);
}

static void count_bytes(size_t before, size_t after) {
  if (!limit.on)
    return;
  limit.used += after;
  limit.used -= before < limit.used ? before : limit.used; // at least 0: the block may be older than the statement
}

static void *allocate_counted(int bytes) {
  void *memory = check_allocation_limit((size_t)bytes) ? real.xMalloc(bytes) : NULL;
  count_bytes(0, memory ? (size_t)real.xSize(memory) : 0);
  return memory;
}

static void free_counted(void *memory) {
  count_bytes(memory ? (size_t)real.xSize(memory) : 0, 0);
  real.xFree(memory);
}

static void *resize_counted(void *memory, int bytes) {
  size_t before = memory ? (size_t)real.xSize(memory) : 0;
  if ((size_t)bytes > before && !check_allocation_limit((size_t)bytes - before))
    return NULL;
  void *moved = real.xRealloc(memory, bytes);
  if (moved)
    count_bytes(before, (size_t)real.xSize(moved));
  return moved;
}

static void install_allocator(void) {
  if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real) != SQLITE_OK)
    return;
  sqlite3_mem_methods counted = real;
  counted.xMalloc = allocate_counted;
  counted.xFree = free_counted;
  counted.xRealloc = resize_counted;
  sqlite3_config(SQLITE_CONFIG_MALLOC, &counted); // has no effect if SQLite is already in use
}

void sql_memory_install(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install_allocator);
}

void sql_memory_begin_counting(sql_o *s, size_t max_bytes) {
  shoal_assert(!limit.on, "another statement's memory is already limited");
  shoal_assert(max_bytes > 0, "the memory limit must be greater than 0");
  limit = (limit_t){.on = true, .sql = s, .max = max_bytes};
}

bool sql_memory_end_counting(void) {
  shoal_assert(limit.on, "no memory limit is active");
  bool refused = limit.refused;
  limit = (limit_t){0};
  return refused;
}
