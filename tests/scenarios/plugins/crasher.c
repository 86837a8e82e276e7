// A plugin that crashes at the location selected by -DAT=…; its functions are named after the locations.
#define _GNU_SOURCE
#include <shoal/plugin.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CONSTRUCTOR 1
#define CREATE 2
#define OPEN 3
#define SYSTEM 4
#define WORKER 5
#define OWN_THREAD 6
#define C_LIBRARY 7
#define FUNCTION 8
#define FIRST_TICK 9
#define CLOSE 10
#define HEAP 11

static void crash_here(void);
static void corrupt_heap(void);
#define CRASH_POINT(at_, function_)                                                                                    \
  __attribute__((noinline)) static void function_(void) {                                                              \
    if (AT == at_)                                                                                                     \
      crash_here();                                                                                                    \
    __asm__ volatile("");                                                                                              \
  }

CRASH_POINT(CONSTRUCTOR, in_constructor)
CRASH_POINT(CREATE, in_create)
CRASH_POINT(OPEN, in_open)
CRASH_POINT(SYSTEM, in_system)
CRASH_POINT(WORKER, in_worker)
CRASH_POINT(OWN_THREAD, in_thread)
CRASH_POINT(C_LIBRARY, in_library)
CRASH_POINT(FUNCTION, in_function)
CRASH_POINT(FIRST_TICK, in_first_tick)
CRASH_POINT(CLOSE, in_close)

__attribute__((constructor)) static void construct(void) {
  in_constructor();
}

#define MARK_FIELDS(F) F(f32, value, 1)
static void *create(shoal_context *c) {
  in_create();
  return shoal_realloc(c, NULL, 0, 1);
}
static void destroy(shoal_context *c, void *self) {
  shoal_realloc(c, self, 1, 0);
}
static uint32_t rows;
static void attach(shoal_context *c, void *self, const shoal_entity *entities, uint32_t count) {
  (void)c, (void)self, (void)entities;
  rows += count;
}
static void detach(shoal_context *c, void *self, const shoal_entity *entities, uint32_t count) {
  (void)c, (void)self, (void)entities;
  rows -= count;
}
static uint32_t count_rows(void *self) {
  (void)self;
  return rows;
}
static size_t save_bytes(shoal_context *c, void *self) {
  (void)c, (void)self;
  return 0;
}
static void save(shoal_context *c, void *self, void *bytes) {
  (void)c, (void)self, (void)bytes;
}
static bool load(shoal_context *c, void *self, const void *bytes, size_t size) {
  (void)c, (void)self, (void)size;
  rows = bytes ? rows : 0;
  return true;
}
static const shoal_manager manager = {1, create, destroy, attach, detach, count_rows, save_bytes, save, load, NULL};
SHOAL_COMPONENT_WITH_MANAGER(victim, MARK_FIELDS, &manager)

#line 100 "crasher.c"
__attribute__((noinline)) static void crash_here(void) {
  if (AT == C_LIBRARY)
    abort();
  *(volatile int *)(uintptr_t)16 = AT;
}

#line 110
__attribute__((noinline)) static void corrupt_heap(void) {
  char *volatile block = malloc(3000), *volatile next = malloc(3000);
  free(block);
  free(block); // glibc aborts while the heap is locked
  free(next);
}

static void *run_thread(void *data) {
  in_thread();
  return data;
}

static void *open_it(shoal_context *c) {
  in_open();
  return shoal_realloc(c, NULL, 0, 1);
}

static void close_it(shoal_context *c, void *state) {
  in_close();
  shoal_realloc(c, state, 1, 0);
}

static void work(shoal_context *c, const shoal_view *v, float dt_s) {
  pthread_t thread;
  (void)dt_s;
  in_first_tick();
  if (shoal_tick(c) != (AT == WORKER ? 6 : 3)) // a parallel system runs on one thread in the first four ticks
    return;
  if (v->first > 0)
    in_worker();
  in_system();
  in_library();
  if (AT == HEAP)
    corrupt_heap();
  if (AT == OWN_THREAD && pthread_create(&thread, NULL, run_thread, NULL) == 0)
    pthread_join(thread, NULL);
}

static void call(shoal_context *c, const shoal_value *arguments, shoal_value *results) {
  (void)c, (void)arguments, (void)results;
  in_function();
}

SHOAL_PLUGIN(.name = "crasher", .version = 1, .components = SHOAL_COMPONENTS(victim),
             .systems = SHOAL_SYSTEMS({.name = "work", .query = {"victim"}, .parallel = AT == WORKER, .run = work}),
             .functions = SHOAL_FUNCTIONS({.name = "crash", .call = call}), .open = open_it, .close = close_it)
