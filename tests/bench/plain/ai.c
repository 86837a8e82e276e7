// Animals that choose what to do by their needs.
#include "plain.h"

#include <math.h>

enum { IDLE, EAT, FLEE, REST, HUNT, FOODS = 4 };
static const double FOOD[FOODS][2] = {{100, 100}, {900, 120}, {500, 600}, {80, 650}};

typedef struct animals_t {
  float *x, *y, *hunger, *fear, *energy;
  uint8_t *mode;
} animals_t;

// Moves animal i towards the nearest food, in doubles like the game.
static inline void eat(const animals_t *a, size_t i, double dt_s) {
  double food_x = 0, food_y = 0, nearest = 1e9, x = (double)a->x[i], y = (double)a->y[i];
  for (int k = 0; k < FOODS; ++k) {
    double dx = FOOD[k][0] - x, dy = FOOD[k][1] - y, square = dx * dx + dy * dy;
    if (square < nearest)
      food_x = dx, food_y = dy, nearest = square;
  }
  if (nearest < 25) {
    a->hunger[i] = 0;
    return;
  }
  double distance = sqrt(nearest);
  a->x[i] = (float)(x + food_x / distance * 40 * dt_s);
  a->y[i] = (float)(y + food_y / distance * 40 * dt_s);
}

// All other values are multiples of 1/64, so floats suffice.
SCALAR_LOOP void think(animals_t a, size_t count, float dt_s) {
  for (size_t i = 0; i < count; ++i) {
    float hunger = a.hunger[i] + 3 * dt_s, fear = a.fear[i] - 2 * dt_s, energy = a.energy[i];
    fear = fear > 0 ? fear : 0;
    a.hunger[i] = hunger;
    uint8_t mode = fear > 80 ? FLEE : energy < 20 ? REST : hunger > 60 ? EAT : energy > 90 ? HUNT : IDLE;
    a.mode[i] = mode;
    switch (mode) {
    case EAT: eat(&a, i, (double)dt_s); break;
    case FLEE:
      a.x[i] += 60 * dt_s;
      energy -= 5 * dt_s;
      break;
    case REST: energy += 10 * dt_s; break;
    case HUNT:
      a.y[i] += 50 * dt_s;
      energy -= 8 * dt_s;
      fear += 5 * dt_s;
      break;
    default: energy += dt_s; break;
    }
    a.fear[i] = fear;
    a.energy[i] = energy;
  }
}

void run_ai(uint32_t count, uint32_t ticks) {
  animals_t a = {memory(count, 4), memory(count, 4), memory(count, 4),
                 memory(count, 4), memory(count, 4), memory(count, 1)};
  for (uint32_t row = 0; row < count; ++row) {
    uint64_t i = row + 1;
    a.x[row] = (float)(i * 37 % 1000), a.y[row] = (float)(i * 91 % 700);
    a.hunger[row] = (float)(i * 13 % 100), a.fear[row] = (float)(i * 29 % 100), a.energy[row] = (float)(i * 53 % 100);
  }
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    think(a, count, 1.0f / 64);
    add_time("c", now_s() - began_s, count);
  }
  double place = 0, needs = 0, mode = 0;
  for (uint32_t i = 0; i < count; ++i) {
    place = place + (double)a.x[i] + (double)a.y[i];
    needs = needs + (double)a.hunger[i] + (double)a.fear[i] + (double)a.energy[i];
    mode += a.mode[i];
  }
  print_check("place", place);
  print_check("needs", needs);
  print_check("mode", mode);
}
