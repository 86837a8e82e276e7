// What a C programmer would write by hand for each workload, without an entity system: the figures that Shoal is
// compared with. Compiled with -O3 -march=native. A workload prints lines for tests/bench/run: `time NAME NS` (per
// operation, the median tick, as the engine's --stats say it too) and `check NAME VALUE` (what the game must find as
// well).
#ifndef SHOAL_BENCH_PLAIN_H
#define SHOAL_BENCH_PLAIN_H

#include <stddef.h>
#include <stdint.h>

double now_s(void);
// One tick's share: `operations` took `seconds`. The medians by name are printed at the end. Names are literals.
void take_time(const char *name, double seconds, double operations);
void print_check(const char *name, double value);

// 64-byte aligned and zeroed; never freed, the program is short.
void *memory(size_t count, size_t element_bytes);

// A stream of numbers that the games can make as well: all products stay below 2^53.
uint32_t scatter(uint32_t i);

// A slot map: ids are index and generation, rows are dense and leave by swap-with-last.
enum { INDEX_BITS = 22, INDEX_MASK = (1 << INDEX_BITS) - 1 };
typedef struct slots_t {
  uint32_t *row;       // by index
  uint8_t *generation; // by index
  uint32_t *free;      // a stack of indices
  uint32_t free_count, used;
} slots_t;

slots_t slots_create(uint32_t capacity);

static inline uint32_t slots_take(slots_t *s, uint32_t row) {
  uint32_t index = s->free_count ? s->free[--s->free_count] : s->used++;
  s->row[index] = row;
  return (uint32_t)s->generation[index] << INDEX_BITS | index;
}

// Of a live id; UINT32_MAX of any other.
static inline uint32_t slots_row(const slots_t *s, uint32_t id) {
  uint32_t index = id & INDEX_MASK;
  return s->generation[index] == id >> INDEX_BITS ? s->row[index] : UINT32_MAX;
}

static inline void slots_give(slots_t *s, uint32_t id) {
  uint32_t index = id & INDEX_MASK;
  s->generation[index]++;
  s->free[s->free_count++] = index;
}

// Each takes the number of entities (or operations) and of repetitions.
void run_move(uint32_t count, uint32_t ticks);
void run_iterate(uint32_t count, uint32_t ticks);
void run_frame7(uint32_t count, uint32_t ticks);
void run_create(uint32_t count, uint32_t ticks);
void run_component(uint32_t count, uint32_t ticks);
void run_read(uint32_t count, uint32_t ticks);
void run_assemblage(uint32_t count, uint32_t ticks);
void run_commands(uint32_t count, uint32_t ticks);
void run_events(uint32_t count, uint32_t ticks);
void run_collision(uint32_t count, uint32_t ticks);
void run_physics(uint32_t count, uint32_t ticks);
void run_exact(uint32_t count, uint32_t ticks);
void run_together(uint32_t count, uint32_t ticks);
void run_beside(uint32_t count, uint32_t ticks);
void run_overlap(uint32_t count, uint32_t ticks);
void run_fragments(uint32_t count, uint32_t ticks);
void run_touch(uint32_t count, uint32_t ticks);
void run_rows(uint32_t count, uint32_t ticks);
void run_relation(uint32_t count, uint32_t ticks);
void run_flecs(uint32_t count, uint32_t ticks);
void run_free(uint32_t count, uint32_t ticks);

#endif
