// A game frame of seven systems in columns: movement, data (with its random numbers in a separate loop), complex,
// health, damage, sprite, render. Entities are ordered by their components, so only the loop of render maps rows. Runs
// on one thread, then on two threads that share the rows of all systems except render (whose rows are written in order)
// and wait for each other in a busy loop.
#include "frame7.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

// The first `both` entities have velocity and data, followed by entities with velocity only, then entities with data
// only.
typedef struct game_t {
  uint32_t both, moving, with_data, players;
  float *x, *y, *vx, *vy;
  int32_t *thingy;
  double *dingy;
  uint8_t *mingy;
  uint32_t *stream[4], *numgy;
  int32_t *type, *hp, *max, *status, *attack, *defence;
  uint8_t *sprite;
  uint32_t *sprite_position; // sprite row → position row
  uint8_t grid[GRID_CELLS];
} game_t;

LOOP void movement(float *restrict x, float *restrict y, const float *restrict vx, const float *restrict vy,
                   size_t count) {
  for (size_t i = 0; i < count; ++i) {
    x[i] += vx[i] * DT_S;
    y[i] += vy[i] * DT_S;
  }
}

LOOP void data(int32_t *restrict thingy, double *restrict dingy, uint8_t *restrict mingy, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    int32_t next = thingy[i] + 1;
    thingy[i] = next >= 1000000 ? 0 : next;
    dingy[i] += 0.0001 * (double)DT_S;
    mingy[i] = mingy[i] == 0;
  }
}

// xoshiro128**
LOOP void data_stream(uint32_t *restrict s0, uint32_t *restrict s1, uint32_t *restrict s2, uint32_t *restrict s3,
                      uint32_t *restrict numgy, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    uint32_t a = s0[i], b = s1[i], c = s2[i] ^ a, d = s3[i] ^ b;
    numgy[i] = rotate(b * 5, 7) * 9;
    s0[i] = a ^ d;
    s1[i] = b ^ c;
    s2[i] = c ^ b << 9;
    s3[i] = rotate(d, 11);
  }
}

static inline uint32_t advance(game_t *g, uint32_t i) {
  uint32_t a = g->stream[0][i], b = g->stream[1][i], c = g->stream[2][i] ^ a, d = g->stream[3][i] ^ b;
  g->stream[0][i] = a ^ d;
  g->stream[1][i] = b ^ c;
  g->stream[2][i] = c ^ b << 9;
  g->stream[3][i] = rotate(d, 11);
  return rotate(b * 5, 7) * 9;
}

// One row in ten draws two numbers.
SCALAR_LOOP void complex_system(game_t *g, uint32_t first, uint32_t end) {
  const int32_t *restrict thingy = g->thingy;
  for (uint32_t i = first; i < end; ++i)
    if (thingy[i] % 10 == 0) {
      float wide = (float)((int32_t)(advance(g, i) % 17) - 7), narrow = (float)(advance(g, i) % 6);
      bool is_wide = g->x[i] > g->y[i];
      g->vx[i] = is_wide ? wide : narrow;
      g->vy[i] = is_wide ? narrow : wide;
    }
}

LOOP void health(int32_t *restrict hp, const int32_t *restrict max, int32_t *restrict status, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    int32_t left = hp[i], full = max[i]; // loaded in any case, so that the stores need no mask
    bool is_dead = status[i] == DEAD, dies = left <= 0 && !is_dead, rises = left == 0 && is_dead;
    left = rises ? full : left;
    hp[i] = dies ? 0 : left;
    status[i] = dies ? DEAD : rises ? SPAWNING : ALIVE;
  }
}

LOOP void damage(int32_t *restrict hp, const int32_t *restrict attack, const int32_t *restrict defence, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    int32_t total = attack[i] - defence[i], left = hp[i] > total ? hp[i] - total : 0;
    hp[i] = hp[i] > 0 && total > 0 ? left : hp[i];
  }
}

LOOP void sprite(uint8_t *restrict out, const int32_t *restrict status, const int32_t *restrict type, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    int32_t alive = type[i] == HERO ? '@' : type[i] == MONSTER ? 'k' : 'h';
    out[i] = (uint8_t)(status[i] == SPAWNING ? '_' : status[i] == DEAD ? '|' : alive);
  }
}

// Writes to cells in the order of the rows.
SCALAR_LOOP void render(game_t *g, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    float x = g->x[g->sprite_position[i]], y = g->y[g->sprite_position[i]];
    if (x >= 0 && y >= 0 && x < GRID_WIDTH && y < GRID_HEIGHT)
      g->grid[(int)y * GRID_WIDTH + (int)x] = g->sprite[i];
  }
}

// --- the world

static void fill_row(game_t *g, const thing_t *t, uint32_t position, uint32_t data_row) {
  g->x[position] = t->x, g->y[position] = t->y;
  if (t->moves)
    g->vx[position] = t->vx, g->vy[position] = t->vy;
  if (t->has_data)
    g->thingy[data_row] = t->thingy;
  for (int k = 0; t->has_data && k < 4; ++k)
    g->stream[k][data_row] = t->stream[k];
}

static void fill_player(game_t *g, const thing_t *t, uint32_t position) {
  uint32_t row = g->players++;
  g->type[row] = t->type;
  g->hp[row] = g->max[row] = t->hp;
  g->status[row] = SPAWNING;
  g->attack[row] = t->attack, g->defence[row] = t->defence;
  g->sprite[row] = ' ';
  g->sprite_position[row] = position;
}

static void fill(game_t *g, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    thing_t t = describe(i, count);
    g->both += t.moves && t.has_data;
    g->moving += t.moves;
    g->with_data += t.has_data;
  }
  uint32_t both = 0, moving = g->both, with_data = g->both;
  for (uint32_t i = 0; i < count; ++i) {
    thing_t t = describe(i, count);
    uint32_t data_row = t.moves && t.has_data ? both : with_data;
    uint32_t position = !t.moves ? g->moving + with_data - g->both : t.has_data ? both : moving;
    fill_row(g, &t, position, data_row);
    both += t.moves && t.has_data;
    moving += !t.has_data;
    with_data += !t.moves;
    if (t.plays)
      fill_player(g, &t, position);
  }
}

static game_t *create(uint32_t count) {
  game_t *g = memory(1, sizeof *g);
  float **const FLOATS[] = {&g->x, &g->y, &g->vx, &g->vy};
  int32_t **const INTEGERS[] = {&g->thingy, &g->type, &g->hp, &g->max, &g->status, &g->attack, &g->defence};
  uint32_t **const WORDS[] = {&g->stream[0], &g->stream[1], &g->stream[2],
                              &g->stream[3], &g->numgy,     &g->sprite_position};
  for (size_t i = 0; i < sizeof FLOATS / sizeof *FLOATS; ++i)
    *FLOATS[i] = memory(count, sizeof(float));
  for (size_t i = 0; i < sizeof INTEGERS / sizeof *INTEGERS; ++i)
    *INTEGERS[i] = memory(count, sizeof(int32_t));
  for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; ++i)
    *WORDS[i] = memory(count, sizeof(uint32_t));
  g->dingy = memory(count, sizeof(double));
  g->mingy = memory(count, 1);
  g->sprite = memory(count, 1);
  for (uint32_t i = 0; i < GRID_CELLS; ++i)
    g->grid[i] = ' ';
  fill(g, count);
  return g;
}

static void print_checks(const game_t *g, uint32_t count) {
  double position = 0, hp = 0, numgy = 0;
  for (uint32_t i = 0; i < count; ++i)
    position += (double)g->x[i] + (double)g->y[i];
  for (uint32_t i = 0; i < g->players; ++i)
    hp += g->hp[i];
  for (uint32_t i = 0; i < g->with_data; ++i)
    numgy += g->numgy[i] & 0xffff;
  print_frame_checks(position, hp, numgy, g->grid);
}

// --- the frame

enum { MOVEMENT, DATA, DATA_STREAM, COMPLEX, HEALTH, DAMAGE, SPRITE, RENDER, STEPS };
static const char *const NAMES[STEPS] = {"movement", "data",   "data_stream", "complex",
                                         "health",   "damage", "sprite",      "render"};

static void run_step(game_t *g, uint32_t step, uint32_t i, uint32_t end) {
  size_t count = end - i;
  uint32_t **s = g->stream;
  switch (step) {
  case MOVEMENT: movement(g->x + i, g->y + i, g->vx + i, g->vy + i, count); break;
  case DATA: data(g->thingy + i, g->dingy + i, g->mingy + i, count); break;
  case DATA_STREAM: data_stream(s[0] + i, s[1] + i, s[2] + i, s[3] + i, g->numgy + i, count); break;
  case COMPLEX: complex_system(g, i, end); break;
  case HEALTH: health(g->hp + i, g->max + i, g->status + i, count); break;
  case DAMAGE: damage(g->hp + i, g->attack + i, g->defence + i, count); break;
  case SPRITE: sprite(g->sprite + i, g->status + i, g->type + i, count); break;
  default: render(g, count); break;
  }
}

static uint32_t rows_of(const game_t *g, uint32_t step) {
  const uint32_t ROWS[STEPS] = {g->moving,  g->with_data, g->with_data, g->both,
                                g->players, g->players,   g->players,   g->players};
  return ROWS[step];
}

static void run_on_one(game_t *g, uint32_t count, uint32_t ticks) {
  for (uint32_t tick = 1; tick <= ticks; ++tick) {
    double at[STEPS + 1];
    for (uint32_t i = 0; i < STEPS; ++i)
      at[i] = now_s(), run_step(g, i, 0, rows_of(g, i));
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
      run_step(h->game, step, rows / 2, rows);
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
      run_step(g, i, 0, i == RENDER ? rows_of(g, i) : rows_of(g, i) / 2);
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
