// Inventories: each crafter has a short array of stacks, which is searched from the start.
#include "plain.h"

#include <stdbool.h>

enum { WOOD, IRON, FIBRE, PLANK, NAIL, CRATE, ROPE, ITEMS };
enum { PRODUCTS = 4, NEEDS = 3, SOLD = 5 };

typedef struct need_t {
  uint8_t item;
  int32_t count; // needed number of items; 0 after the last need
} need_t;

static const int32_t TICKS[PRODUCTS] = {10, 8, 20, 12};
static const need_t RECIPES[PRODUCTS][NEEDS] = {
    {{WOOD, 2}},
    {{IRON, 1}},
    {{WOOD, 2}, {IRON, 1}, {FIBRE, 1}},
    {{FIBRE, 3}},
};

typedef struct inventory_t {
  uint32_t count;
  uint8_t item[ITEMS];
  int32_t amount[ITEMS];
} inventory_t;

typedef struct crafters_t {
  inventory_t *inventory;
  uint8_t *makes;
  int32_t *timer, *made;
  uint32_t failures;
} crafters_t;

static inline int32_t find_stack(const inventory_t *v, uint8_t item) {
  for (uint32_t k = 0; k < v->count; ++k)
    if (v->item[k] == item)
      return (int32_t)k;
  return -1;
}

static void give(inventory_t *v, uint8_t item, int32_t amount) {
  int32_t k = find_stack(v, item);
  if (k < 0) {
    k = (int32_t)v->count++;
    v->item[k] = item, v->amount[k] = 0;
  }
  v->amount[k] += amount;
}

static void remove_stack(inventory_t *v, uint32_t k) {
  uint32_t last = --v->count;
  v->item[k] = v->item[last], v->amount[k] = v->amount[last];
}

static void take(inventory_t *v, uint8_t item, int32_t amount) {
  uint32_t k = (uint32_t)find_stack(v, item);
  v->amount[k] -= amount;
  if (v->amount[k] == 0)
    remove_stack(v, k);
}

SCALAR_LOOP void gather(const crafters_t *c, uint32_t count, uint32_t tick) {
  for (uint32_t i = tick % 10 + 1; i <= count; i += 10)
    give(&c->inventory[i - 1], (uint8_t)((i + tick) % 3), 1);
}

static bool can_make(const inventory_t *v, const need_t *needs) {
  for (int k = 0; k < NEEDS && needs[k].count; ++k) {
    int32_t stack = find_stack(v, needs[k].item);
    if (stack < 0 || v->amount[stack] < needs[k].count)
      return false;
  }
  return true;
}

SCALAR_LOOP void make(crafters_t *c, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    if (--c->timer[i] > 0)
      continue;
    const need_t *needs = RECIPES[c->makes[i]];
    c->timer[i] = TICKS[c->makes[i]];
    if (!can_make(&c->inventory[i], needs)) {
      c->failures++;
      continue;
    }
    for (int k = 0; k < NEEDS && needs[k].count; ++k)
      take(&c->inventory[i], needs[k].item, needs[k].count);
    give(&c->inventory[i], (uint8_t)(PLANK + c->makes[i]), 1);
    c->made[i]++;
  }
}

SCALAR_LOOP void sell(const crafters_t *c, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    inventory_t *v = &c->inventory[i];
    for (uint32_t k = 0; k < v->count;)
      if (v->amount[k] >= SOLD && v->item[k] >= PLANK)
        remove_stack(v, k);
      else
        ++k;
  }
}

static void print_checks(const crafters_t *c, uint32_t count) {
  double made = 0, stacks = 0, items = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const inventory_t *v = &c->inventory[i];
    made += (double)c->made[i] * ((i + 1) % 11), stacks += v->count;
    for (uint32_t k = 0; k < v->count; ++k)
      items += (double)v->amount[k] * (1 + v->item[k]);
  }
  print_check("made", made);
  print_check("stacks", stacks);
  print_check("items", items);
  print_check("failures", c->failures);
}

void run_crafting(uint32_t count, uint32_t ticks) {
  crafters_t c = {memory(count, sizeof(inventory_t)), memory(count, 1), memory(count, 4), memory(count, 4), 0};
  for (uint32_t row = 0; row < count; ++row) {
    uint64_t i = row + 1;
    c.makes[row] = (uint8_t)(i * 7919 % 101 % 4), c.timer[row] = (int32_t)(i * 37 % 20);
    give(&c.inventory[row], WOOD, 4);
  }
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    gather(&c, count, tick);
    double gathered_s = now_s();
    make(&c, count);
    double made_s = now_s();
    sell(&c, count);
    add_time("gather", gathered_s - began_s, count / 10.0);
    add_time("make", made_s - gathered_s, count);
    add_time("sell", now_s() - made_s, count);
  }
  print_checks(&c, count);
}
