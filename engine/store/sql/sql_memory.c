// Limits a statement's memory. SQLite's allocations are counted per thread while a statement is prepared and runs. The
// limit is necessary because a query of a few lines can expand to millions of nested subqueries (WITH b AS (… a, a), c
// AS (… b, b), …), and parsing is not counted in steps.
//
// Allocation is also the only place to check for a stop while SQLite parses a statement, or runs a built-in function on
// a large string (json_…, hex, upper, quote). A refused allocation ends the statement. No steps are charged here,
// because the number of allocations depends on earlier allocations.
//
// SQLite has one set of allocation functions per process, so this file replaces them for all connections. Only
// allocations of a thread that runs a limited statement are ever refused.
#include "sql/sql_internal.h"

#include "base/assert.h"

#include <pthread.h>

typedef struct limit_t {
  bool enabled, exceeded;
  bool (*can_continue)(void *context);
  void *context;
  size_t used_bytes, max_bytes; // memory in bytes; `used_bytes` counts since sql_memory_begin_counting
} limit_t;

static _Thread_local limit_t limit;
static sqlite3_mem_methods original_methods;

static bool check_allocation_limit(size_t bytes) {
  if (!limit.enabled)
    return true;
  bool fits = limit.used_bytes + bytes <= limit.max_bytes;
  limit.exceeded |= !fits;
  return fits && limit.can_continue(limit.context);
}

static void count_bytes(size_t freed_bytes, size_t allocated_bytes) {
  if (!limit.enabled)
    return;
  limit.used_bytes += allocated_bytes;
  limit.used_bytes -= freed_bytes < limit.used_bytes
                          ? freed_bytes
                          : limit.used_bytes; // clamped to 0, because the block may be older than the statement
}

static void *allocate_counted(int bytes) {
  void *memory = check_allocation_limit((size_t)bytes) ? original_methods.xMalloc(bytes) : NULL;
  count_bytes(0, memory ? (size_t)original_methods.xSize(memory) : 0);
  return memory;
}

static void free_counted(void *memory) {
  count_bytes(memory ? (size_t)original_methods.xSize(memory) : 0, 0);
  original_methods.xFree(memory);
}

static void *resize_counted(void *memory, int bytes) {
  size_t old_bytes = memory ? (size_t)original_methods.xSize(memory) : 0;
  if ((size_t)bytes > old_bytes && !check_allocation_limit((size_t)bytes - old_bytes))
    return NULL;
  void *moved = original_methods.xRealloc(memory, bytes);
  if (moved)
    count_bytes(old_bytes, (size_t)original_methods.xSize(moved));
  return moved;
}

static void install_allocator(void) {
  if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &original_methods) != SQLITE_OK)
    return;
  sqlite3_mem_methods counted = original_methods;
  counted.xMalloc = allocate_counted;
  counted.xFree = free_counted;
  counted.xRealloc = resize_counted;
  sqlite3_config(SQLITE_CONFIG_MALLOC, &counted); // has no effect if SQLite is already in use
}

void sql_memory_install(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install_allocator);
}

void sql_memory_begin_counting(bool (*can_continue)(void *context), void *context, size_t max_bytes) {
  shoal_assert(!limit.enabled, "another statement's memory is already limited");
  shoal_assert(max_bytes > 0, "the memory limit must be greater than 0");
  limit = (limit_t){.enabled = true, .can_continue = can_continue, .context = context, .max_bytes = max_bytes};
}

bool sql_memory_end_counting(void) {
  shoal_assert(limit.enabled, "no memory limit is active");
  bool exceeded = limit.exceeded;
  limit = (limit_t){0};
  return exceeded;
}
