// The seven-system frame with an array of structs per component, as an object-oriented programmer would write it. The
// rows of each array are in the order of the entities; where the rows of an entity differ, arrays map the rows of one
// array to those of another.
#include "frame7.h"

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
  uint32_t stream[4]; // unused, as in the game
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
  uint8_t *sprite;
  uint32_t *moving_position;                                    // movement: velocity row → position row
  uint32_t *complex_data, *complex_velocity, *complex_position; // complex: rows of the nth entity
  uint32_t *sprite_position;                                    // render: sprite row → position row
  uint8_t grid[GRID_CELLS];
} game_t;

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

SCALAR_LOOP void movement(game_t *g) {
  for (uint32_t i = 0; i < g->moving; ++i) {
    position_t *p = &g->position[g->moving_position[i]];
    p->x += g->velocity[i].x * DT_S;
    p->y += g->velocity[i].y * DT_S;
  }
}

SCALAR_LOOP void data(game_t *g) {
  for (uint32_t i = 0; i < g->data_count; ++i) {
    data_t *d = &g->data[i];
    d->thingy = (d->thingy + 1) % 1000000;
    d->dingy += 0.0001 * (double)DT_S;
    d->mingy = !d->mingy;
    d->numgy = advance(d->stream);
  }
}

SCALAR_LOOP void complex_system(game_t *g) {
  for (uint32_t i = 0; i < g->complex; ++i) {
    data_t *d = &g->data[g->complex_data[i]];
    if (d->thingy % 10 == 0) {
      position_t *v = &g->velocity[g->complex_velocity[i]], *p = &g->position[g->complex_position[i]];
      float *wide = p->x > p->y ? &v->x : &v->y, *narrow = p->x > p->y ? &v->y : &v->x;
      *wide = draw_number(d->stream, -7, 9);
      *narrow = draw_number(d->stream, 0, 5);
    }
  }
}

SCALAR_LOOP void health(game_t *g) {
  for (uint32_t i = 0; i < g->players; ++i) {
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

SCALAR_LOOP void damage(game_t *g) {
  for (uint32_t i = 0; i < g->players; ++i) {
    int32_t total = g->damage[i].attack - g->damage[i].defence, hp = g->health[i].hp;
    if (hp > 0 && total > 0)
      g->health[i].hp = hp > total ? hp - total : 0;
  }
}

SCALAR_LOOP void sprite(game_t *g) {
  static const uint8_t BY_TYPE[] = {'h', 'k', '@'};
  for (uint32_t i = 0; i < g->players; ++i) {
    int32_t status = g->health[i].status;
    g->sprite[i] = status == SPAWNING ? '_' : status == DEAD ? '|' : BY_TYPE[g->player[i].type];
  }
}

SCALAR_LOOP void render(game_t *g) {
  for (uint32_t i = 0; i < g->drawn; ++i) {
    const position_t *p = &g->position[g->sprite_position[i]];
    if (p->x >= 0 && p->y >= 0 && p->x < GRID_WIDTH && p->y < GRID_HEIGHT)
      g->grid[(int)p->y * GRID_WIDTH + (int)p->x] = g->sprite[i];
  }
}

static void fill_player(game_t *g, const thing_t *t, uint32_t i) {
  uint32_t row = g->players++;
  g->player[row].type = t->type;
  g->health[row] = (health_t){.hp = t->hp, .max = t->hp, .status = SPAWNING};
  g->damage[row] = (damage_t){.attack = t->attack, .defence = t->defence};
  g->sprite[row] = ' ';
  g->sprite_position[g->drawn++] = i;
}

static void fill(game_t *g, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    thing_t t = describe(i, count);
    g->position[i] = (position_t){t.x, t.y};
    if (t.has_data) {
      g->data[g->data_count] = (data_t){.thingy = t.thingy};
      for (int k = 0; k < 4; ++k)
        g->data[g->data_count].stream[k] = t.stream[k];
      ++g->data_count;
    }
    if (t.moves) {
      g->velocity[g->moving] = (position_t){t.vx, t.vy};
      if (t.has_data) {
        g->complex_data[g->complex] = g->data_count - 1;
        g->complex_velocity[g->complex] = g->moving;
        g->complex_position[g->complex++] = i;
      }
      g->moving_position[g->moving++] = i;
    }
    if (t.plays)
      fill_player(g, &t, i);
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
  for (uint32_t i = 0; i < GRID_CELLS; ++i)
    g->grid[i] = ' ';
  fill(g, count);
  return g;
}

static void print_checks(const game_t *g, uint32_t count) {
  double position = 0, hp = 0, numgy = 0;
  for (uint32_t i = 0; i < count; ++i)
    position += (double)g->position[i].x + (double)g->position[i].y;
  for (uint32_t i = 0; i < g->players; ++i)
    hp += g->health[i].hp;
  for (uint32_t i = 0; i < g->data_count; ++i)
    numgy += g->data[i].numgy & 0xffff;
  print_frame_checks(position, hp, numgy, g->grid);
}

void run_frame7_objects(uint32_t count, uint32_t ticks) {
  game_t *g = create(count);
  for (uint32_t tick = 1; tick <= ticks; ++tick) {
    double began_s = now_s();
    movement(g);
    data(g);
    complex_system(g);
    health(g);
    damage(g);
    sprite(g);
    render(g);
    add_time("objects", now_s() - began_s, count);
    if (tick == CHECKED_FRAME)
      print_checks(g, count);
  }
}
