// Measures calls on one world before and after 12,000 other worlds were created and destroyed. Prints "ratio N": the
// time of a call afterwards as a percentage of the time before.
#define _GNU_SOURCE
#include <shoal/ecs.h>

#include <stdio.h>
#include <time.h>

#define STONE_FIELDS(F) F(f32, x, 0)
SHOAL_COMPONENT(stone, STONE_FIELDS)

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double measure(shoal_world *w, shoal_entity e) {
  double best = 1e18, value;
  for (int run = 0; run < 20; ++run) {
    double start = now_ns();
    for (int i = 0; i < 2000; ++i)
      if (!shoal_get(w, e, &stone_component, 0, &value))
        return 1e18;
    double ns = (now_ns() - start) / 2000;
    best = ns < best ? ns : best;
  }
  return best;
}

int main(void) {
  shoal_world *w = shoal_ecs_create(SHOAL_COMPONENTS(stone));
  shoal_entity e = shoal_spawn(w, "");
  if (!shoal_add(w, e, &stone_component))
    return 1;
  double before = measure(w, e);
  shoal_world *destroyed = NULL;
  for (int i = 0; i < 12000; ++i) {
    destroyed = shoal_ecs_create(SHOAL_COMPONENTS(stone));
    if (!shoal_ecs_destroy(destroyed))
      return 1;
  }
  printf("ratio %.0f\n", measure(w, e) / before * 100);
  printf("destroyed %u %s\n", shoal_ecs_entity_count(destroyed), shoal_ecs_last_error());
  printf("foreign %u %s\n", shoal_ecs_entity_count((shoal_world *)(void *)&before), shoal_ecs_last_error());
  shoal_ecs_destroy(w);
  return 0;
}
