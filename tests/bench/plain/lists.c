// Inventories as arrays: each crafter gathers materials, makes the item of its recipe and sells finished items.
#include "plain.h"

#include <stdbool.h>
#include <string.h>

enum { CAPACITY = 12, RECIPES = 3, MAX_NEEDS = 3, FIRST_PRODUCT = 11, LAST_PRODUCT = 13 };

typedef struct need_t {
  uint16_t item, count;
} need_t;

static const struct {
  uint16_t gives;
  uint32_t need_count;
  need_t needs[MAX_NEEDS];
} RECIPE[RECIPES] = {{11, 1, {{1, 2}}}, {12, 2, {{2, 1}, {3, 1}}}, {13, 3, {{1, 1}, {2, 1}, {3, 1}}}};

typedef struct crafter_t {
  uint16_t items[CAPACITY]; // items past the end are 0
  uint8_t count, makes;
  int32_t made, failures;
} crafter_t;

static inline uint32_t count_items(const crafter_t *c, uint16_t item) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < CAPACITY; ++i)
    n += c->items[i] == item;
  return n;
}

// Removes the last `n` items of this kind.
static inline void take(crafter_t *c, uint16_t item, uint32_t n) {
  for (uint32_t i = c->count; n > 0 && i-- > 0;) {
    if (c->items[i] != item)
      continue;
    memmove(c->items + i, c->items + i + 1, (c->count - 1u - i) * sizeof *c->items);
    c->items[--c->count] = 0, --n;
  }
}

SCALAR_LOOP void gather(crafter_t *crafters, uint32_t count, uint32_t tick) {
  for (uint32_t i = 0; i < count; ++i) {
    crafter_t *c = &crafters[i];
    if ((i + 1 + tick) % 4 == 0 && c->count < 10)
      c->items[c->count++] = (uint16_t)(((i + 1) * 7 + tick) % 3 + 1);
  }
}

SCALAR_LOOP void make(crafter_t *crafters, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    crafter_t *c = &crafters[i];
    bool has_all = true;
    for (uint32_t k = 0; has_all && k < RECIPE[c->makes].need_count; ++k)
      has_all = count_items(c, RECIPE[c->makes].needs[k].item) >= RECIPE[c->makes].needs[k].count;
    if (!has_all) {
      c->failures++;
      continue;
    }
    for (uint32_t k = 0; k < RECIPE[c->makes].need_count; ++k)
      take(c, RECIPE[c->makes].needs[k].item, RECIPE[c->makes].needs[k].count);
    c->items[c->count++] = RECIPE[c->makes].gives;
    c->made++;
  }
}

SCALAR_LOOP void sell(crafter_t *crafters, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    for (uint16_t item = FIRST_PRODUCT; item <= LAST_PRODUCT; ++item)
      if (count_items(&crafters[i], item) >= 3)
        take(&crafters[i], item, 3);
}

static void print_checks(const crafter_t *crafters, uint32_t count) {
  double made = 0, failures = 0, items = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const crafter_t *c = &crafters[i];
    made += (double)c->made * ((i + 1) % 11), failures += (double)c->failures * ((i + 1) % 7);
    for (uint32_t k = 0; k < c->count; ++k)
      items += (double)c->items[k] * (k + 1) * ((i + 1) % 13);
  }
  print_check("made", made);
  print_check("failures", failures);
  print_check("items", items);
}

void run_lists(uint32_t count, uint32_t ticks) {
  crafter_t *crafters = memory(count, sizeof *crafters);
  for (uint32_t i = 0; i < count; ++i) {
    crafters[i].makes = (uint8_t)((i + 1) % RECIPES);
    crafters[i].items[crafters[i].count++] = (uint16_t)((i + 1) % 3 + 1);
  }
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    gather(crafters, count, tick);
    make(crafters, count);
    sell(crafters, count);
    add_time("c", now_s() - began_s, count);
  }
  print_checks(crafters, count);
}
