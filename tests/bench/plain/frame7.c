// A game frame of seven systems: movement, data, complex, health, damage, sprite, render. Each component has a table of
// structs, as in an entity component system. The order of entities is known; where the rows of an entity differ, arrays
// map the rows of one table to those of another. Runs on one thread, then on two threads that share the rows of all
// systems except render (whose rows are written in order) and wait for each other in a busy loop.
#include "plain.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

enum { GRID_WIDTH = 320, GRID_HEIGHT = 240, CHECKED_FRAME = 25 };
static const float DT_S = 1.0f / 64;

enum { NPC, MONSTER, HERO };
enum { SPAWNING, DEAD, ALIVE };

typedef struct position_t {
  float x, y;
} position_t;

typedef struct data_t {
  int32_t thingy;
  bool mingy;
  double dingy;
  uint32_t stream[4], numgy;
} data_t;

typedef struct player_t {
  uint32_t stream[4];
  int32_t type;
} player_t;

typedef struct health_t {
  int32_t hp, max, status;
} health_t;

typedef struct damage_t {
  int32_t attack, defence;
} damage_t;

// Tables of components, and for each row of some tables the row of the same entity in another table.
typedef struct game_t {
  uint32_t moving, data_count, complex, players, drawn;
  position_t *position, *velocity;
  data_t *data;
  player_t *player;
  health_t *health;
  damage_t *damage;
  char *sprite;
  uint32_t *moving_position;                                    // movement: velocity row → position row
  uint32_t *complex_data, *complex_velocity, *complex_position; // complex: rows of the nth entity
  uint32_t *sprite_position;                                    // render: sprite row → position row
  char grid[GRID_WIDTH * GRID_HEIGHT];
} game_t;

static uint32_t rotate(uint32_t v, int by) {
  return v << by | v >> (32 - by);
}

// xoshiro128**
static inline uint32_t advance(uint32_t *s) {
  uint32_t result = rotate(s[1] * 5, 7) * 9, t = s[1] << 9;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate(s[3], 11);
  return result;
}

static inline float draw_number(uint32_t *stream, int from, int to) {
  return (float)((int)(advance(stream) % (uint32_t)(to - from + 1)) + from);
}

__attribute__((noinline)) static void movement(game_t *g, uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; ++i) {
    position_t *p = &g->position[g->moving_position[i]];
    p->x += g->velocity[i].x * DT_S;
    p->y += g->velocity[i].y * DT_S;
  }
}

__attribute__((noinline)) static void data(game_t *g, uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; ++i) {
    data_t *d = &g->data[i];
    d->thingy = (d->thingy + 1) % 1000000;
    d->dingy += 0.0001 * (double)DT_S;
    d->mingy = !d->mingy;
    d->numgy = advance(d->stream);
  }
}

__attribute__((noinline)) static void complex_system(game_t *g, uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; ++i) {
    data_t *d = &g->data[g->complex_data[i]];
    if (d->thingy % 10 == 0) {
      position_t *v = &g->velocity[g->complex_velocity[i]], *p = &g->position[g->complex_position[i]];
      float *wide = p->x > p->y ? &v->x : &v->y, *narrow = p->x > p->y ? &v->y : &v->x;
      *wide = draw_number(d->stream, -7, 9);
      *narrow = draw_number(d->stream, 0, 5);
    }
  }
}

__attribute__((noinline)) static void health(game_t *g, uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; ++i) {
    health_t *h = &g->health[i];
    if (h->hp <= 0 && h->status != DEAD) {
      h->hp = 0;
      h->status = DEAD;
    } else if (h->status == DEAD && h->hp == 0) {
      h->hp = h->max;
      h->status = SPAWNING;
    } else {
      h->status = ALIVE;
    }
  }
}

__attribute__((noinline)) static void damage(game_t *g, uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; ++i) {
    int32_t total = g->damage[i].attack - g->damage[i].defence, hp = g->health[i].hp;
    if (hp > 0 && total > 0)
      g->health[i].hp = hp > total ? hp - total : 0;
  }
}

__attribute__((noinline)) static void sprite(game_t *g, uint32_t first, uint32_t end) {
  static const char BY_TYPE[] = {'h', 'k', '@'};
  for (uint32_t i = first; i < end; ++i) {
    int32_t status = g->health[i].status;
    g->sprite[i] = status == SPAWNING ? '_' : status == DEAD ? '|' : BY_TYPE[g->player[i].type];
  }
}

__attribute__((noinline)) static void render(game_t *g, uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; ++i) {
    const position_t *p = &g->position[g->sprite_position[i]];
    if (p->x >= 0 && p->y >= 0 && p->x < GRID_WIDTH && p->y < GRID_HEIGHT)
      g->grid[(int)p->y * GRID_WIDTH + (int)p->x] = g->sprite[i];
  }
}

static void seed_stream(uint32_t *stream, uint32_t i) {
  for (uint32_t k = 0; k < 4; ++k)
    stream[k] = scatter(i * 4 + k);
}

// Fills the tables by the same rules as frame7/systems/setup.lua.
static void fill(game_t *g, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    bool third_quarter = i >= count / 2 && i < count / 4 * 3;
    bool moves = !(third_quarter && i % 64 == 0), has_data = !(third_quarter && i % 64 == 32);
    g->position[i] = (position_t){(float)(scatter(i) % GRID_WIDTH), (float)(scatter(i + count) % GRID_HEIGHT)};
    if (has_data) {
      g->data[g->data_count] = (data_t){.thingy = (int32_t)(i % 1000)};
      seed_stream(g->data[g->data_count++].stream, i);
    }
    if (moves) {
      g->velocity[g->moving] = (position_t){(float)(i % 7), (float)(i % 5)};
      if (has_data) {
        g->complex_data[g->complex] = g->data_count - 1;
        g->complex_velocity[g->complex] = g->moving;
        g->complex_position[g->complex++] = i;
      }
      g->moving_position[g->moving++] = i;
    }
    if (i % 2 == 0) {
      uint32_t p = g->players++;
      seed_stream(g->player[p].stream, i + count);
      g->player[p].type = i % 6 == 0 ? HERO : i % 6 == 2 ? MONSTER : NPC;
      g->health[p] = (health_t){.hp = 60 + (int32_t)(i % 41), .max = 60 + (int32_t)(i % 41), .status = SPAWNING};
      g->damage[p] = (damage_t){.attack = 4 + (int32_t)(i % 37), .defence = 2 + (int32_t)(i % 11)};
      g->sprite[p] = ' ';
      g->sprite_position[g->drawn++] = i;
    }
  }
}

static game_t *create(uint32_t count) {
  game_t *g = memory(1, sizeof *g);
  g->position = memory(count, sizeof(position_t));
  g->velocity = memory(count, sizeof(position_t));
  g->data = memory(count, sizeof(data_t));
  g->player = memory(count, sizeof(player_t));
  g->health = memory(count, sizeof(health_t));
  g->damage = memory(count, sizeof(damage_t));
  g->sprite = memory(count, 1);
  g->moving_position = memory(count, sizeof(uint32_t));
  g->complex_data = memory(count, sizeof(uint32_t));
  g->complex_velocity = memory(count, sizeof(uint32_t));
  g->complex_position = memory(count, sizeof(uint32_t));
  g->sprite_position = memory(count, sizeof(uint32_t));
  for (uint32_t i = 0; i < sizeof g->grid; ++i)
    g->grid[i] = ' ';
  fill(g, count);
  return g;
}

static void print_checks(const game_t *g, uint32_t count) {
  double position = 0, hp = 0, numgy = 0, grid = 0;
  for (uint32_t i = 0; i < count; ++i)
    position += (double)g->position[i].x + (double)g->position[i].y;
  for (uint32_t i = 0; i < g->players; ++i)
    hp += g->health[i].hp;
  for (uint32_t i = 0; i < g->data_count; ++i)
    numgy += g->data[i].numgy & 0xffff;
  for (uint32_t i = 0; i < sizeof g->grid; ++i)
    grid += (double)g->grid[i] * (double)(1 + i % 97);
  print_check("position", position);
  print_check("hp", hp);
  print_check("numgy", numgy);
  print_check("grid", grid);
}

typedef void (*step_t)(game_t *g, uint32_t first, uint32_t end);

enum { STEPS = 7, RENDER = 6 };
static const char *const NAMES[STEPS] = {"movement", "data", "complex", "health", "damage", "sprite", "render"};
static const step_t RUN[STEPS] = {movement, data, complex_system, health, damage, sprite, render};

static uint32_t rows_of(const game_t *g, uint32_t step) {
  const uint32_t ROWS[STEPS] = {g->moving, g->data_count, g->complex, g->players, g->players, g->players, g->drawn};
  return ROWS[step];
}

static void run_on_one(game_t *g, uint32_t count, uint32_t ticks) {
  for (uint32_t tick = 1; tick <= ticks; ++tick) {
    double at[STEPS + 1];
    for (uint32_t i = 0; i < STEPS; ++i)
      at[i] = now_s(), RUN[i](g, 0, rows_of(g, i));
    at[STEPS] = now_s();
    for (int i = 0; i < STEPS; ++i)
      add_time(NAMES[i], at[i + 1] - at[i], count);
    add_time("c", at[STEPS] - at[0], count);
    if (tick == CHECKED_FRAME)
      print_checks(g, count);
  }
}

// Argument of process_second_halves. Steps are numbered continuously across ticks.
typedef struct helper_t {
  game_t *game;
  uint32_t steps;               // number of steps in all ticks
  _Atomic uint32_t asked, done; // asked: steps requested; done: steps completed
} helper_t;

// Runs on the second thread: processes the second half of the rows of every step except RENDER.
static void *process_second_halves(void *argument) {
  helper_t *h = argument;
  for (uint32_t i = 0; i < h->steps; ++i) {
    uint32_t step = i % STEPS, rows = rows_of(h->game, step);
    while (atomic_load(&h->asked) <= i)
      ;
    if (step != RENDER)
      RUN[step](h->game, rows / 2, rows);
    atomic_store(&h->done, i + 1);
  }
  return NULL;
}

static void run_on_two(game_t *g, uint32_t count, uint32_t ticks) {
  helper_t h = {.game = g, .steps = ticks * STEPS};
  pthread_t thread;
  pthread_create(&thread, NULL, process_second_halves, &h);
  for (uint32_t tick = 1; tick <= ticks; ++tick) {
    double began_s = now_s();
    for (uint32_t i = 0; i < STEPS; ++i) {
      atomic_store(&h.asked, (tick - 1) * STEPS + i + 1);
      RUN[i](g, 0, i == RENDER ? rows_of(g, i) : rows_of(g, i) / 2);
      while (atomic_load(&h.done) < (tick - 1) * STEPS + i + 1)
        ;
    }
    add_time("two", now_s() - began_s, count);
    if (tick == CHECKED_FRAME)
      print_checks(g, count);
  }
  pthread_join(thread, NULL);
}

static bool has_two_cores(void) {
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 1;
}

void run_frame7(uint32_t count, uint32_t ticks) {
  run_on_one(create(count), count, ticks);
  if (has_two_cores()) // on a single core, each thread would wait for the end of the other's time slice
    run_on_two(create(count), count, ticks);
}
