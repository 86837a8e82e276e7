// A plugin that crashes in the tick CRASH_TICK, or CRASH_AFTER ticks after it was loaded; without these macros, never.
#include <shoal/plugin.h>

#include <malloc.h>
#include <stdlib.h>

#define HEAT_FIELDS(F) F(f32, value, 20) F(f32, rate, 1)
SHOAL_COMPONENT(heat, HEAT_FIELDS)

#if defined(DAMAGE_HEAP)
__attribute__((noinline)) static void burn(void) {
  char *volatile block = malloc(3000), *volatile next = malloc(3000);
  free(block);
  free(block); // glibc aborts
  free(next);
}
#elif defined(DAMAGE_HEAP_SILENTLY)
// Overwrites the headers that follow blocks of several sizes, and the links of freed blocks, so that one of the next
// allocations of the host crashes.
__attribute__((noinline)) static void burn(void) {
  static const size_t sizes[] = {24, 40, 72, 200, 1000, 5000, 30000, 100000};
  enum { COUNT = sizeof sizes / sizeof *sizes };
  char *volatile blocks[COUNT], *volatile freed[COUNT][2];
  for (size_t i = 0; i < COUNT; ++i) {
    blocks[i] = malloc(sizes[i]);
    freed[i][0] = malloc(sizes[i]);
    freed[i][1] = malloc(sizes[i]);
  }
  for (size_t i = 0; i < COUNT; ++i) {
    free(freed[i][0]);
    free(freed[i][1]);
  }
  for (size_t i = 0; i < COUNT; ++i) {
    if (sizes[i] <= 1000) // larger freed blocks have no such link
      *(volatile size_t *)freed[i][1] = 3;
    *(volatile size_t *)(blocks[i] + malloc_usable_size(blocks[i])) = 3;
  }
}
#elif defined(EXITS)
__attribute__((noinline)) static void burn(void) {
  exit(0);
}
#else
__attribute__((noinline)) static void burn(void) {
  *(volatile int *)(uintptr_t)16 = 1;
}
#endif

#if defined(CRASH_TICK)
static bool is_due(uint64_t tick) {
  return tick == CRASH_TICK;
}
#elif defined(CRASH_AFTER)
static bool is_due(uint64_t tick) {
  static uint64_t first_tick;
  first_tick = first_tick ? first_tick : tick;
  return tick == first_tick + CRASH_AFTER;
}
#else
static bool is_due(uint64_t tick) {
  (void)tick;
  return false;
}
#endif

static void warm(shoal_context *c, const shoal_view *v, float dt_s) {
  float *value = SHOAL_COLUMN(v, heat, value);
  (void)dt_s;
  for (uint32_t i = 0; i < v->count; ++i)
    value[i] += 1;
  if (is_due(shoal_tick(c)))
    burn();
}

SHOAL_PLUGIN(.name = "stove", .version = 1, .components = SHOAL_COMPONENTS(heat),
             .systems = SHOAL_SYSTEMS({.name = "warm", .query = {"heat"}, .run = warm}))
