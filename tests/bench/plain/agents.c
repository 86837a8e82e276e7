// Agents with four states. An agent that stops idling continues with its next state in the same tick.
#include "plain.h"

#include <math.h>

typedef enum state_t { IDLE, WALK, EAT, SLEEP } state_t;

typedef struct agent_t {
  float x, y, vx, vy, hunger, energy, food, left;
  uint32_t id;
  state_t state;
} agent_t;

static const float DT = 1 / 64.0f;

static void enter(agent_t *a, state_t state, uint32_t tick) {
  static const float times[] = {[IDLE] = 0.5f, [WALK] = 1, [EAT] = 0.75f, [SLEEP] = 1.25f};
  a->food += a->state == WALK;
  a->state = state;
  a->left = times[state];
  if (state == WALK) {
    float angle = (float)a->id * 0.7f + (float)tick;
    a->vx = 40 * cosf(angle), a->vy = 40 * sinf(angle);
  }
}

static void idle(agent_t *a, uint32_t tick) {
  a->hunger += DT;
  a->left -= DT;
  if (a->left <= 0)
    enter(a, a->energy < 20 ? SLEEP : a->hunger > 60 ? EAT : WALK, tick);
}

static void act(agent_t *a, uint32_t tick) {
  if (a->state == WALK)
    a->x += a->vx * DT, a->y += a->vy * DT, a->energy -= 6 * DT;
  else if (a->state == EAT)
    a->hunger = fmaxf(0, a->hunger - 60 * DT);
  else
    a->energy = fminf(100, a->energy + 30 * DT);
  a->left -= DT;
  if (a->left <= 0)
    enter(a, IDLE, tick);
}

SCALAR_LOOP void update_agents(agent_t *agents, uint32_t count, uint32_t tick) {
  for (uint32_t i = 0; i < count; ++i) {
    agent_t *a = &agents[i];
    if (a->state == IDLE)
      idle(a, tick);
    if (a->state != IDLE)
      act(a, tick);
  }
}

static void print_checks(const agent_t *agents, uint32_t count) {
  double hunger = 0, energy = 0, food = 0;
  for (uint32_t i = 0; i < count; ++i) {
    double weight = agents[i].id % 7 + 1;
    hunger += (double)agents[i].hunger * weight;
    energy += (double)agents[i].energy * weight;
    food += (double)agents[i].food * weight;
  }
  print_check("hunger", hunger);
  print_check("energy", energy);
  print_check("food", food);
}

void run_agents(uint32_t count, uint32_t ticks) {
  agent_t *agents = memory(count, sizeof *agents);
  for (uint32_t i = 1; i <= count; ++i)
    agents[i - 1] = (agent_t){.x = (float)(i * 37 % 1000),
                              .y = (float)(i * 91 % 700),
                              .hunger = (float)(i * 13 % 100),
                              .energy = (float)(i * 29 % 100),
                              .left = (float)(i % 50) / 64,
                              .id = i};
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    update_agents(agents, count, tick);
    add_time("c", now_s() - began_s, count);
  }
  print_checks(agents, count);
}
