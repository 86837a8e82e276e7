// Animals that choose what to do by their needs.
#include "plain.h"

#include <math.h>

enum { IDLE, EAT, FLEE, REST, HUNT, FOODS = 4 };
static const double FOOD[FOODS][2] = {{100, 100}, {900, 120}, {500, 600}, {80, 650}};

// No branches, so that the loop is vectorised. Positions are computed in doubles, like in the game. All remaining
// values are multiples of 1/64, so floats suffice.
LOOP void think(size_t count, float *restrict x, float *restrict y, float *restrict hunger, float *restrict fear,
                float *restrict energy, uint8_t *restrict mode, float dt_s) {
  for (size_t i = 0; i < count; ++i) {
    float new_hunger = hunger[i] + 3 * dt_s, new_fear = fear[i] - 2 * dt_s, old_energy = energy[i];
    new_fear = new_fear > 0 ? new_fear : 0;
    int m = old_energy > 90 ? HUNT : IDLE;
    m = new_hunger > 60 ? EAT : m;
    m = old_energy < 20 ? REST : m;
    m = new_fear > 80 ? FLEE : m;
    double from_x = (double)x[i], from_y = (double)y[i];
    double food_x = FOOD[0][0] - from_x, food_y = FOOD[0][1] - from_y, nearest = food_x * food_x + food_y * food_y;
    for (int k = 1; k < FOODS; ++k) {
      double dx = FOOD[k][0] - from_x, dy = FOOD[k][1] - from_y, square = dx * dx + dy * dy;
      food_x = square < nearest ? dx : food_x;
      food_y = square < nearest ? dy : food_y;
      nearest = square < nearest ? square : nearest;
    }
    double distance = sqrt(nearest);
    float to_x = (float)(from_x + food_x / distance * 40 * (double)dt_s);
    float to_y = (float)(from_y + food_y / distance * 40 * (double)dt_s);
    int arrives = nearest < 25;
    to_x = arrives ? x[i] : to_x;
    to_y = arrives ? y[i] : to_y;
    float eaten = arrives ? 0 : new_hunger;
    float spent = m == FLEE ? -5 * dt_s : dt_s;
    spent = m == REST ? 10 * dt_s : spent;
    spent = m == HUNT ? -8 * dt_s : spent;
    spent = m == EAT ? 0 : spent;
    x[i] = m == EAT ? to_x : m == FLEE ? x[i] + 60 * dt_s : x[i];
    y[i] = m == EAT ? to_y : m == HUNT ? y[i] + 50 * dt_s : y[i];
    hunger[i] = m == EAT ? eaten : new_hunger;
    fear[i] = m == HUNT ? new_fear + 5 * dt_s : new_fear;
    energy[i] = old_energy + spent;
    mode[i] = (uint8_t)m;
  }
}

typedef struct animals_t {
  float *x, *y, *hunger, *fear, *energy;
  uint8_t *mode;
} animals_t;

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
    think(count, a.x, a.y, a.hunger, a.fear, a.energy, a.mode, 1.0f / 64);
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
