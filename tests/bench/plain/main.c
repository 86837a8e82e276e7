// Runs one workload and prints its times and checks (plain.h): plain WORKLOAD COUNT TICKS
#include "plain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

enum { MAX_NAMES = 32, MAX_SAMPLES = 1 << 16 };
static struct {
  const char *name;
  double ns[MAX_SAMPLES];
  size_t count;
} times[MAX_NAMES];

void add_time(const char *name, double seconds, double operations) {
  int i = 0;
  while (times[i].name && strcmp(times[i].name, name) != 0)
    ++i;
  times[i].name = name;
  if (times[i].count < MAX_SAMPLES)
    times[i].ns[times[i].count++] = seconds * 1e9 / operations;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void print_times(void) {
  for (int i = 0; i < MAX_NAMES && times[i].name; ++i) {
    qsort(times[i].ns, times[i].count, sizeof(double), compare);
    printf("time %s %.5f\n", times[i].name, times[i].ns[times[i].count / 2]);
  }
}

void print_check(const char *name, double value) {
  printf("check %s %.17g\n", name, value);
}

void print_approximation(const char *name, double value) {
  printf("about %s %.17g\n", name, value);
}

void *memory(size_t count, size_t element_bytes) {
  static size_t made_count;
  // Columns at equal addresses modulo 4096 would delay each other's loads and stores.
  size_t offset = made_count++ * 1088 % 4096, bytes = (count * element_bytes + 63) / 64 * 64;
  char *made = aligned_alloc(64, bytes + offset);
  if (made == NULL) {
    fprintf(stderr, "plain: no memory\n");
    exit(1);
  }
  return memset(made + offset, 0, bytes);
}

uint32_t scatter(uint32_t i) {
  uint32_t h = (uint32_t)((uint64_t)(i + 1) * 2654435761u);
  return h ^ h >> 15;
}

uint32_t *create_random_order(uint32_t count) {
  uint32_t *order = memory(count, sizeof *order), random = 1;
  for (uint32_t i = 0; i < count; ++i)
    order[i] = i;
  for (uint32_t i = count - 1; i > 0; --i) {
    random = random * 1664525u + 1013904223u;
    uint32_t k = (uint32_t)((uint64_t)random * (i + 1) >> 32), swapped = order[i];
    order[i] = order[k];
    order[k] = swapped;
  }
  return order;
}

slots_t slots_create(uint32_t capacity) {
  return (slots_t){.row = memory(capacity, sizeof(uint32_t)),
                   .generation = memory(capacity, 1),
                   .free = memory(capacity, sizeof(uint32_t))};
}

typedef struct workload_t {
  const char *name;
  void (*run)(uint32_t count, uint32_t ticks);
} workload_t;

#if defined BENCH_FLECS // a separate program, linked with flecs
static const workload_t WORKLOADS[] = {{"relation", run_flecs}, {"entity", run_flecs_entity}};
#elif defined BENCH_CHANGE_COUNTERS // a separate program, linked with the build's libraries
static const workload_t WORKLOADS[] = {{"change_counters", run_change_counters}};
#elif defined BENCH_ENTITY          // a separate program, linked with the build's libraries
static const workload_t WORKLOADS[] = {{"entity", run_entity}, {"state", run_state}};
#else
static const workload_t WORKLOADS[] = {
    {"move", run_move},
    {"iterate", run_iterate},
    {"frame7", run_frame7},
    {"frame7_objects", run_frame7_objects},
    {"create", run_create},
    {"component", run_component},
    {"read", run_read},
    {"assemblage", run_assemblage},
    {"commands", run_commands},
    {"events", run_events},
    {"physics", run_physics},
    {"exact", run_exact},
    {"collision", run_collision},
    {"near", run_near},
    {"movers", run_movers},
    {"concurrent_plugin", run_concurrent_plugin},
    {"concurrent_lua", run_concurrent_lua},
    {"overlap", run_overlap},
    {"fragments", run_fragments},
    {"touch", run_touch},
    {"rows", run_rows},
    {"rows_single", run_rows_single},
    {"ai", run_ai},
    {"paths", run_paths},
    {"nbody", run_nbody},
    {"optional", run_optional},
    {"hits", run_hits},
    {"sparks", run_sparks},
    {"references", run_references},
    {"hierarchy", run_hierarchy},
    {"relation", run_relation},
    {"towers", run_towers},
    {"farm", run_farm},
    {"crafting", run_crafting},
    {"lists", run_lists},
    {"cards", run_cards},
    {"quests", run_quests},
    {"labels", run_labels},
    {"label_board", run_label_board},
    {"villagers", run_villagers},
    {"wildfire", run_wildfire},
    {"small_systems", run_small_systems},
    {"agents", run_agents},
    {"flood", run_flood},
    {"errors", run_errors},
};
#endif

int main(int argc, char **argv) {
  uint32_t count = argc == 4 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
  uint32_t ticks = argc == 4 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
  for (size_t i = 0; count > 0 && ticks > 0 && i < sizeof WORKLOADS / sizeof *WORKLOADS; ++i)
    if (strcmp(WORKLOADS[i].name, argv[1]) == 0) {
      WORKLOADS[i].run(count, ticks);
      print_times();
      return 0;
    }
  fprintf(stderr, "usage: plain WORKLOAD COUNT TICKS\n");
  return 2;
}
