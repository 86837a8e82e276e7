// Structural changes to a world: creating and destroying entities, adding and removing components, spawning prepared
// entities and applying recorded commands. The world has two fixed components, a slot map, and dense rows in which the
// last row replaces a removed row.
#include "plain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct pair_t {
  float x, y;
} pair_t;

// --- creating and destroying entities with two components

typedef struct bodies_t {
  slots_t slots;
  pair_t *position, *velocity;
  uint32_t *owner, *ids, count;
} bodies_t;

static bodies_t bodies_create(uint32_t capacity) {
  return (bodies_t){.slots = slots_create(capacity),
                    .position = memory(capacity, sizeof(pair_t)),
                    .velocity = memory(capacity, sizeof(pair_t)),
                    .owner = memory(capacity, sizeof(uint32_t)),
                    .ids = memory(capacity, sizeof(uint32_t))};
}

static inline uint32_t body_add(bodies_t *b, pair_t position, pair_t velocity) {
  uint32_t row = b->count++, id = slots_allocate(&b->slots, row);
  b->position[row] = position;
  b->velocity[row] = velocity;
  b->owner[row] = id;
  return id;
}

SCALAR_LOOP void bodies_fill(bodies_t *b, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    b->ids[i] = body_add(b, (pair_t){(float)(i & 1023), 0}, (pair_t){1, 2});
}

static void body_destroy(bodies_t *b, uint32_t id) {
  uint32_t row = slots_row(&b->slots, id);
  if (row == UINT32_MAX)
    return;
  uint32_t last = --b->count;
  b->slots.row[b->owner[last] & INDEX_MASK] = row;
  b->position[row] = b->position[last];
  b->velocity[row] = b->velocity[last];
  b->owner[row] = b->owner[last];
  slots_release(&b->slots, id);
}

SCALAR_LOOP void bodies_clear(bodies_t *b, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    body_destroy(b, b->ids[i]);
}

void run_create(uint32_t count, uint32_t ticks) {
  bodies_t b = bodies_create(count);
  double sum = 0;
  bodies_fill(&b, count); // touches the memory before the measurement
  bodies_clear(&b, count);
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    bodies_fill(&b, count);
    add_time("create", now_s() - began_s, count);
    sum += (double)b.position[count / 2].x;
    began_s = now_s();
    bodies_clear(&b, count);
    add_time("destroy", now_s() - began_s, count);
  }
  if (b.count != 0 || sum != (double)((count / 2) & 1023) * ticks)
    exit(1);
}

// --- adding and removing one component of 8 bytes with a sparse set

typedef struct set_t {
  uint32_t *row; // indexed by entity; row + 1, 0 for none
  uint32_t *owner, count;
  pair_t *value;
} set_t;

static void set_add(set_t *s, uint32_t index, pair_t value) {
  if (s->row[index] != 0)
    return;
  uint32_t row = s->count++;
  s->row[index] = row + 1;
  s->owner[row] = index;
  s->value[row] = value;
}

static void set_remove(set_t *s, uint32_t index) {
  uint32_t row = s->row[index];
  if (row == 0)
    return;
  uint32_t last = --s->count;
  s->row[s->owner[last]] = row;
  s->row[index] = 0;
  s->owner[row - 1] = s->owner[last];
  s->value[row - 1] = s->value[last];
}

static set_t set_create(uint32_t capacity) {
  return (set_t){memory(capacity, sizeof(uint32_t)), memory(capacity, sizeof(uint32_t)), 0,
                 memory(capacity, sizeof(pair_t))};
}

SCALAR_LOOP void set_fill(set_t *s, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    set_add(s, i, (pair_t){2, 3});
}

SCALAR_LOOP void set_clear(set_t *s, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    set_remove(s, i);
}

void run_component(uint32_t count, uint32_t ticks) {
  set_t s = set_create(count);
  set_fill(&s, count);
  set_clear(&s, count);
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    set_fill(&s, count);
    add_time("add", now_s() - began_s, count);
    if (s.count != count)
      exit(1);
    began_s = now_s();
    set_clear(&s, count);
    add_time("remove", now_s() - began_s, count);
  }
  if (s.count != 0)
    exit(1);
}

// --- reading a field of random live entities

SCALAR_LOOP double read_all(const slots_t *slots, const float *hp, const uint32_t *targets, uint32_t count) {
  double sum = 0;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t row = slots_row(slots, targets[i]);
    if (row != UINT32_MAX)
      sum += (double)hp[row];
  }
  return sum;
}

void run_read(uint32_t count, uint32_t ticks) {
  slots_t slots = slots_create(count);
  float *hp = memory(count, sizeof(float));
  uint32_t *ids = memory(count, sizeof(uint32_t)), *targets = memory(count, sizeof(uint32_t));
  for (uint32_t i = 0; i < count; ++i) {
    ids[i] = slots_allocate(&slots, i);
    hp[i] = (float)(i % 100);
  }
  for (uint32_t i = 0; i < count; ++i)
    targets[i] = ids[scatter(i) % count];
  double sum = 0;
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    sum = read_all(&slots, hp, targets, count);
    __asm__ volatile("" : : "r"(hp) : "memory"); // keeps the compiler from merging ticks
    add_time("c", now_s() - began_s, count);
  }
  print_check("sum", sum);
}

// Entities live for one tick; only reading them is timed.
void run_touch(uint32_t count, uint32_t ticks) {
  slots_t slots = slots_create(2 * count);
  float *hp = memory(count, sizeof *hp);
  uint32_t *ids = memory(count, sizeof *ids);
  double sum = 0;
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    for (uint32_t i = 0; i < count; ++i) {
      ids[i] = slots_allocate(&slots, i);
      hp[i] = (float)((i + 1 + tick) % 100);
    }
    double began_s = now_s();
    sum = read_all(&slots, hp, ids, count);
    __asm__ volatile("" : : "r"(hp) : "memory");
    add_time("c", now_s() - began_s, count);
    for (uint32_t i = 0; i < count; ++i)
      slots_release(&slots, ids[i]);
  }
  print_check("first", sum);
  print_check("again", sum);
}

// --- spawning a prepared entity of 8 components and 88 bytes with two overridden fields

enum { PARTS = 8 };
static const size_t PART_BYTES[PARTS] = {8, 8, 16, 12, 12, 16, 8, 8};

typedef struct crowd_t {
  slots_t slots;
  char *part[PARTS];
  uint32_t *ids, *owner, count;
} crowd_t;

SCALAR_LOOP void crowd_fill(crowd_t *c, const char (*prepared)[16], uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t row = c->count++, id = slots_allocate(&c->slots, row);
    c->owner[row] = id;
    c->ids[i] = id;
#define PART(k, bytes) memcpy(c->part[k] + (size_t)row * (bytes), prepared[k], bytes)
    PART(0, 8), PART(1, 8), PART(2, 16), PART(3, 12), PART(4, 12), PART(5, 16), PART(6, 8), PART(7, 8);
#undef PART
    float own[2] = {(float)(i & 1023), (float)(i & 511)};
    memcpy(c->part[0] + (size_t)row * 8, &own[0], sizeof(float));
    memcpy(c->part[1] + (size_t)row * 8, &own[1], sizeof(float));
  }
}

static void crowd_clear(crowd_t *c) {
  for (uint32_t i = c->count; i-- > 0;)
    slots_release(&c->slots, c->owner[i]);
  c->count = 0;
}

void run_assemblage(uint32_t count, uint32_t ticks) {
  crowd_t c = {
      .slots = slots_create(count), .ids = memory(count, sizeof(uint32_t)), .owner = memory(count, sizeof(uint32_t))};
  char prepared[PARTS][16];
  for (int k = 0; k < PARTS; ++k) {
    c.part[k] = memory(count, PART_BYTES[k]);
    memset(prepared[k], k, sizeof prepared[k]);
  }
  double sum = 0;
  crowd_fill(&c, (const char(*)[16])prepared, count);
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    crowd_clear(&c);
    double began_s = now_s();
    crowd_fill(&c, (const char(*)[16])prepared, count);
    add_time("c", now_s() - began_s, count);
    float x;
    memcpy(&x, c.part[0] + (size_t)(count / 2) * 8, sizeof x);
    sum += (double)x;
  }
  if (sum != (double)((count / 2) & 1023) * ticks)
    exit(1);
  double all = 0;
  for (uint32_t i = 0; i < count; ++i) {
    float x;
    memcpy(&x, c.part[0] + (size_t)i * 8, sizeof x);
    all += (double)x;
  }
  print_check("x", all);
}

// --- recorded commands: one component is removed and another added, for each entity

typedef struct command_t {
  uint32_t id, kind;
  pair_t value;
} command_t;

enum { ADD_EXTRA, REMOVE_EXTRA, ADD_OTHER, REMOVE_OTHER };

SCALAR_LOOP uint32_t record(command_t *list, const uint32_t *ids, uint32_t count, int back) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < count; ++i) {
    list[n++] = (command_t){ids[i], back ? ADD_OTHER : ADD_EXTRA, {1, 2}};
    list[n++] = (command_t){ids[i], back ? REMOVE_EXTRA : REMOVE_OTHER, {0, 0}};
  }
  return n;
}

SCALAR_LOOP void apply(const command_t *list, uint32_t count, const slots_t *slots, set_t *extra, set_t *other) {
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t index = list[i].id & INDEX_MASK;
    if (slots_row(slots, list[i].id) == UINT32_MAX)
      continue;
    switch (list[i].kind) {
    case ADD_EXTRA: set_add(extra, index, list[i].value); break;
    case REMOVE_EXTRA: set_remove(extra, index); break;
    case ADD_OTHER: set_add(other, index, list[i].value); break;
    default: set_remove(other, index); break;
    }
  }
}

void run_commands(uint32_t count, uint32_t ticks) {
  slots_t slots = slots_create(count);
  set_t extra = set_create(count), other = set_create(count);
  uint32_t *ids = memory(count, sizeof(uint32_t));
  command_t *list = memory((size_t)count * 2, sizeof(command_t));
  for (uint32_t i = 0; i < count; ++i) {
    ids[i] = slots_allocate(&slots, i);
    set_add(&other, i, (pair_t){1, 2});
  }
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    apply(list, record(list, ids, count, tick % 2 == 1), &slots, &extra, &other);
    add_time("c", now_s() - began_s, 2.0 * count);
  }
  if (extra.count + other.count != count)
    exit(1);
}
