// Baselines for the benchmarks: each workload as a C programmer would write it by hand, without an entity system.
// Compiled with -O3 -march=native. A workload prints lines for tests/bench/run: `time NAME NS` (per operation, for the
// median tick, like the engine's --stats), `check NAME VALUE` (a result that the game must reproduce) and `about NAME
// VALUE` (a result that need only agree to six digits).
#ifndef SHOAL_BENCH_PLAIN_H
#define SHOAL_BENCH_PLAIN_H

#include <stddef.h>
#include <stdint.h>

// A loop that the compiler must vectorise: tests/bench/run fails if it does not.
#define LOOP __attribute__((noinline)) static
// A loop that the compiler cannot vectorise: rows depend on earlier rows, are read at random, or branch.
#define SCALAR_LOOP __attribute__((noinline)) static

double now_s(void);
// Records a tick in which `operations` operations took `seconds` seconds. The medians are printed by name at the end.
// Names must be literals.
void add_time(const char *name, double seconds, double operations);
void print_check(const char *name, double value);
// Like print_check, for results that may differ in the last digits because the game uses different functions.
void print_approximation(const char *name, double value);

// Returns zeroed memory, aligned to 64 bytes. Never freed, since the program is short-lived.
void *memory(size_t count, size_t element_bytes);

// A hash of i that Lua can reproduce: all products stay below 2^53.
uint32_t scatter(uint32_t i);

// Returns a random permutation of the numbers below `count`; the same one in each run. Never freed.
uint32_t *create_random_order(uint32_t count);

// A slot map: an id is an index and a generation; rows are dense, and the last row replaces a removed row.
enum { INDEX_BITS = 22, INDEX_MASK = (1 << INDEX_BITS) - 1 };
typedef struct slots_t {
  uint32_t *row;       // indexed by entity index
  uint8_t *generation; // indexed by entity index
  uint32_t *free;      // a stack of indices
  uint32_t free_count, used;
} slots_t;

slots_t slots_create(uint32_t capacity);

static inline uint32_t slots_allocate(slots_t *s, uint32_t row) {
  uint32_t index = s->free_count ? s->free[--s->free_count] : s->used++;
  s->row[index] = row;
  return (uint32_t)s->generation[index] << INDEX_BITS | index;
}

// Returns the row of a live id, or UINT32_MAX for any other id.
static inline uint32_t slots_row(const slots_t *s, uint32_t id) {
  uint32_t index = id & INDEX_MASK;
  return s->generation[index] == id >> INDEX_BITS ? s->row[index] : UINT32_MAX;
}

static inline void slots_release(slots_t *s, uint32_t id) {
  uint32_t index = id & INDEX_MASK;
  s->generation[index]++;
  s->free[s->free_count++] = index;
}

// Parameters: number of entities (or operations), number of repetitions.
void run_move(uint32_t count, uint32_t ticks);
void run_iterate(uint32_t count, uint32_t ticks);
void run_frame7(uint32_t count, uint32_t ticks);
void run_frame7_objects(uint32_t count, uint32_t ticks);
void run_create(uint32_t count, uint32_t ticks);
void run_component(uint32_t count, uint32_t ticks);
void run_read(uint32_t count, uint32_t ticks);
void run_assemblage(uint32_t count, uint32_t ticks);
void run_commands(uint32_t count, uint32_t ticks);
void run_events(uint32_t count, uint32_t ticks);
void run_collision(uint32_t count, uint32_t ticks);
void run_near(uint32_t count, uint32_t ticks);
void run_movers(uint32_t count, uint32_t ticks);
void run_physics(uint32_t count, uint32_t ticks);
void run_exact(uint32_t count, uint32_t ticks);
void run_concurrent_plugin(uint32_t count, uint32_t ticks);
void run_concurrent_lua(uint32_t count, uint32_t ticks);
void run_overlap(uint32_t count, uint32_t ticks);
void run_fragments(uint32_t count, uint32_t ticks);
void run_touch(uint32_t count, uint32_t ticks);
void run_rows(uint32_t count, uint32_t ticks);
void run_rows_single(uint32_t count, uint32_t ticks);
void run_ai(uint32_t count, uint32_t ticks);
void run_paths(uint32_t count, uint32_t ticks);
void run_nbody(uint32_t count, uint32_t ticks);
void run_optional(uint32_t count, uint32_t ticks);
void run_hits(uint32_t count, uint32_t ticks);
void run_sparks(uint32_t count, uint32_t ticks);
void run_references(uint32_t count, uint32_t ticks);
void run_hierarchy(uint32_t count, uint32_t ticks);
void run_relation(uint32_t count, uint32_t ticks);
void run_towers(uint32_t count, uint32_t ticks);
void run_farm(uint32_t count, uint32_t ticks);
void run_crafting(uint32_t count, uint32_t ticks);
void run_lists(uint32_t count, uint32_t ticks);
void run_cards(uint32_t count, uint32_t ticks);
void run_quests(uint32_t count, uint32_t ticks);
void run_labels(uint32_t count, uint32_t ticks);
void run_label_board(uint32_t count, uint32_t ticks);
void run_villagers(uint32_t count, uint32_t ticks);
void run_wildfire(uint32_t count, uint32_t ticks);
void run_small_systems(uint32_t count, uint32_t ticks);
void run_agents(uint32_t count, uint32_t ticks);
void run_flood(uint32_t count, uint32_t ticks);
void run_errors(uint32_t count, uint32_t ticks);
void run_flecs(uint32_t count, uint32_t ticks);
void run_flecs_entity(uint32_t count, uint32_t ticks);
void run_change_counters(uint32_t count, uint32_t ticks);
void run_entity(uint32_t count, uint32_t ticks);
void run_state(uint32_t count, uint32_t ticks);

#endif
