// A village: villagers follow the schedule of their job and walk to buildings.
#include "plain.h"

#include <math.h>
#include <stdbool.h>

enum { SLEEP, WORK, EAT, DRINK };
enum { JOBS = 4, ENTRIES = 6, BUILDINGS = 400, BLOCK = 64 };

typedef struct entry_t {
  int hour;
  uint8_t activity;
} entry_t;

static const entry_t SCHEDULES[JOBS][ENTRIES] = {
    {{0, SLEEP}, {5, WORK}, {12, EAT}, {13, WORK}, {18, DRINK}, {21, SLEEP}},
    {{0, SLEEP}, {7, WORK}, {12, EAT}, {13, WORK}, {19, DRINK}, {23, SLEEP}},
    {{0, WORK}, {6, SLEEP}, {14, EAT}, {15, DRINK}, {18, WORK}, {24, SLEEP}},
    {{0, SLEEP}, {4, WORK}, {11, EAT}, {12, WORK}, {20, SLEEP}, {24, SLEEP}},
};

typedef struct village_t {
  float homes[BUILDINGS][2], shops[BUILDINGS][2];
  float *restrict x, *restrict y, *restrict goal_x, *restrict goal_y, *restrict speed, *restrict tired;
  float *restrict hunger;
  uint8_t *restrict job, *restrict activity;
  float *restrict walks; // 1 until the villager arrives at its goal
  uint16_t *restrict home, *restrict work;
  int minute, hour;
} village_t;

static inline uint8_t choose_activity(const village_t *v, const uint8_t *plan, size_t i) {
  int job = v->job[i];
  uint8_t planned = job == 0 ? plan[0] : job == 1 ? plan[1] : job == 2 ? plan[2] : plan[3];
  return v->hunger[i] > 80 ? EAT : planned;
}

static void begin_activity(const village_t *v, size_t i, uint8_t activity) {
  const float tavern[2] = {2000, 2000};
  const float *goal = activity == WORK ? v->shops[v->work[i]] : activity == DRINK ? tavern : v->homes[v->home[i]];
  v->activity[i] = activity, v->walks[i] = 1;
  v->goal_x[i] = goal[0], v->goal_y[i] = goal[1];
}

// Compares a block of villagers in one step, because few of them change their activity. Columns are padded to whole
// blocks.
LOOP bool has_changes(const village_t *v, const uint8_t *plan, size_t first) {
  uint8_t difference = 0;
  for (size_t i = first; i < first + BLOCK; ++i)
    difference |= (uint8_t)(choose_activity(v, plan, i) ^ v->activity[i]);
  return difference != 0;
}

SCALAR_LOOP void decide(const village_t *v, size_t count) {
  uint8_t plan[JOBS] = {0};
  for (int job = 0; job < JOBS; ++job)
    for (int k = 0; k < ENTRIES; ++k)
      if (v->hour >= SCHEDULES[job][k].hour)
        plan[job] = SCHEDULES[job][k].activity;
  for (size_t first = 0; first < count; first += BLOCK) {
    if (!has_changes(v, plan, first))
      continue;
    for (size_t i = first; i < first + BLOCK && i < count; ++i) {
      uint8_t activity = choose_activity(v, plan, i);
      if (activity != v->activity[i])
        begin_activity(v, i, activity);
    }
  }
}

LOOP void rest(const village_t *v, size_t count) {
  float *restrict tired = v->tired, *restrict hunger = v->hunger;
  const uint8_t *restrict activity = v->activity;
  const float *restrict walks = v->walks;
  for (size_t i = 0; i < count; ++i) {
    double less = (double)tired[i] - 0.2, more = (double)tired[i] + 0.1;
    tired[i] = (float)(activity[i] == SLEEP ? (less > 0 ? less : 0) : (more < 100 ? more : 100));
    hunger[i] = (activity[i] == EAT) & !(walks[i] > 0) ? 0 : (float)((double)hunger[i] + 0.05);
  }
}

typedef const float *restrict in_t;
typedef float *restrict out_t;

LOOP void walk(out_t x, out_t y, out_t walks, in_t goal_x, in_t goal_y, in_t speed, in_t tired, size_t count,
               double dt_s) {
  for (size_t i = 0; i < count; ++i) {
    double from_x = (double)x[i], from_y = (double)y[i];
    double dx = (double)goal_x[i] - from_x, dy = (double)goal_y[i] - from_y;
    double distance = sqrt(dx * dx + dy * dy), step = (double)speed[i] * dt_s * 20 * (1 - (double)tired[i] / 200);
    float next_x = (float)(from_x + dx / distance * step), next_y = (float)(from_y + dy / distance * step);
    float left = (float)(distance - step), walking = walks[i];
    next_x = left <= 0 ? goal_x[i] : next_x, next_y = left <= 0 ? goal_y[i] : next_y;
    x[i] = walking > 0 ? next_x : x[i];
    y[i] = walking > 0 ? next_y : y[i];
    walks[i] = left <= 0 ? 0 : walking;
  }
}

static village_t create_village(uint32_t count) {
  village_t v = {.x = memory(count, 4), .y = memory(count, 4), .goal_x = memory(count, 4), .goal_y = memory(count, 4)};
  v.speed = memory(count, 4), v.tired = memory(count, 4), v.hunger = memory(count + BLOCK, 4);
  v.job = memory(count + BLOCK, 1), v.activity = memory(count + BLOCK, 1), v.walks = memory(count, 4);
  v.home = memory(count, 2), v.work = memory(count, 2);
  for (int i = 1; i <= BUILDINGS; ++i) {
    v.homes[i - 1][0] = (float)(i * 37 % 4000), v.homes[i - 1][1] = (float)(i * 91 % 4000);
    v.shops[i - 1][0] = (float)(i * 53 % 4000), v.shops[i - 1][1] = (float)(i * 29 % 4000);
  }
  for (uint32_t row = 0; row < count; ++row) {
    uint64_t i = row + 1;
    v.x[row] = (float)(i * 13 % 4000), v.y[row] = (float)(i * 17 % 4000), v.speed[row] = (float)(50 + i % 50);
    v.job[row] = (uint8_t)(i * 7919 % 101 % 4);
    v.home[row] = (uint16_t)(i * 31 % BUILDINGS), v.work[row] = (uint16_t)(i * 7 % BUILDINGS);
  }
  return v;
}

static void print_checks(const village_t *v, uint32_t count) {
  double place = 0, tired = 0, hunger = 0, walking = 0;
  for (uint32_t i = 0; i < count; ++i) {
    place = place + (double)v->x[i] + (double)v->y[i] * (double)((i + 1) % 7);
    tired += (double)v->tired[i], hunger += (double)v->hunger[i], walking += (double)v->walks[i];
  }
  print_check("place", place);
  print_check("tired", tired);
  print_check("hunger", hunger);
  print_check("walking", walking);
}

void run_villagers(uint32_t count, uint32_t ticks) {
  village_t v = create_village(count);
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    v.minute += 2;
    if (v.minute >= 60)
      v.minute = 0, v.hour = (v.hour + 1) % 24;
    double began_s = now_s();
    decide(&v, count);
    double decided_s = now_s();
    rest(&v, count);
    walk(v.x, v.y, v.walks, v.goal_x, v.goal_y, v.speed, v.tired, count, (double)(1.0f / 60));
    add_time("decide", decided_s - began_s, count);
    add_time("live", now_s() - decided_s, count);
  }
  print_checks(&v, count);
}
