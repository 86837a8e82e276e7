// Measures rollbacks of a match: rollback_times [--rounds N] [--players N] [--seed N] [--exec CODE] GAME
//
// Runs a game that declares players with random inputs, as a peer of a match does. In each round, CODE runs, which can
// press the buttons of menus, for which there is no input; then eight ticks run, and run again after a restore, each
// followed by a copy of the state. Prints the CPU time of the thread for a rollback (a restore, eight ticks and eight
// copies) and for each of its parts, and the hash of the last tick, which must be the same in all builds. Exits with 1
// if a tick has a different hash when it runs again.
#define _POSIX_C_SOURCE 200809L
#include "base/random.h"
#include "ecs/world_hash.h"
#include "host/host.h"
#include "host/host_internal.h"
#include "match/match_game.h"

#include "../cpu_time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 8u
#define MAX_ROUNDS 10000u
#define WARM_UP 100u // rounds that are not measured
#define HELD_ACTIONS 16u

typedef enum part_t { PART_ROLLBACK, PART_RESTORE, PART_TICKS, PART_SAVES, PART_COUNT } part_t;
static const char *const PART_NAMES[] = {"rollback of 8 ticks", "  restore", "  8 ticks", "  8 copies"};

static double times_ms[PART_COUNT][MAX_ROUNDS];

// Each player changes about one action in ten ticks.
static void change_inputs(random_t *r, player_inputs_t *inputs, uint32_t players) {
  inputs->present = (uint8_t)((1u << players) - 1);
  for (uint32_t i = 0; i < players; ++i) {
    player_input_t *input = &inputs->players[i];
    uint32_t action = random_u32(r) % HELD_ACTIONS;
    input->pressed = input->released = 0;
    if (random_u32(r) % 10 != 0)
      continue;
    *(input->values[action] ? &input->released : &input->pressed) = UINT64_C(1) << action;
    input->values[action] = input->values[action] ? 0 : 127;
  }
}

static uint64_t run_tick(const match_world_t *world, const player_inputs_t *inputs, uint64_t tick) {
  record_t record = {.number = tick, .kind = RECORD_TICK, .tick = tick, .inputs = *inputs};
  uint64_t hash = 0;
  world->run(world->context, &record, MATCH_RUN_PREDICTED, &hash);
  return hash;
}

// Runs DEPTH ticks after `tick`, restores the state and runs them again. Stores the CPU time of each part in `out_ms`.
// Returns false if a hash differs.
static bool run_round(const match_world_t *world, player_inputs_t *inputs, random_t *r, uint32_t players, uint64_t tick,
                      double *out_ms) {
  uint64_t hashes[DEPTH];
  bool ok = true;
  for (uint32_t i = 0; i < DEPTH; ++i) {
    inputs[i] = inputs[(i + DEPTH - 1) % DEPTH];
    change_inputs(r, &inputs[i], players);
    hashes[i] = run_tick(world, &inputs[i], tick + 1 + i);
  }
  double start_ms = get_cpu_ms(), part_ms = start_ms;
  world->restore(world->context, (uint32_t)(tick % MATCH_SLOTS));
  memset(out_ms, 0, PART_COUNT * sizeof *out_ms);
  out_ms[PART_RESTORE] = get_cpu_ms() - start_ms;
  for (uint32_t i = 0; i < DEPTH; ++i) {
    part_ms = get_cpu_ms();
    ok &= run_tick(world, &inputs[i], tick + 1 + i) == hashes[i];
    double run_ms = get_cpu_ms();
    world->save(world->context, (uint32_t)((tick + 1 + i) % MATCH_SLOTS));
    out_ms[PART_TICKS] += run_ms - part_ms;
    out_ms[PART_SAVES] += get_cpu_ms() - run_ms;
  }
  out_ms[PART_ROLLBACK] = get_cpu_ms() - start_ms;
  return ok;
}

static bool exec(const game_o *game, const char *code) {
  script_report_t report = {0};
  bool ok = vm_exec(game->vm, code, "--exec", NULL, 0, &report);
  if (!ok)
    fprintf(stderr, "rollback_times: --exec: %s\n", report.message);
  return ok;
}

static bool measure(game_o *game, uint32_t rounds, uint32_t players, uint32_t seed, const char *code) {
  static player_inputs_t inputs[DEPTH];
  random_t r;
  match_game_o *mg = match_game_create(&(match_game_desc_t){.game = game});
  match_world_t world = match_game_get_world(mg);
  uint64_t tick = world_tick(game->world);
  bool ok = true;
  random_seed(&r, seed);
  for (uint32_t round = 0; round < WARM_UP + rounds && ok; ++round, tick += DEPTH) {
    double ms[PART_COUNT];
    if (!exec(game, code)) {
      match_game_destroy(mg);
      return false;
    }
    world.save(world.context, (uint32_t)(tick % MATCH_SLOTS));
    ok = run_round(&world, inputs, &r, players, tick, ms);
    for (uint32_t part = 0; part < PART_COUNT && round >= WARM_UP; ++part)
      times_ms[part][round - WARM_UP] = ms[part];
  }
  for (uint32_t part = 0; part < PART_COUNT && ok; ++part) {
    qsort(times_ms[part], rounds, sizeof *times_ms[part], compare_times);
    printf("%-20s p50 %.2f ms, p99 %.2f ms, max %.2f ms\n", PART_NAMES[part], times_ms[part][rounds / 2],
           times_ms[part][rounds * 99 / 100], times_ms[part][rounds - 1]);
  }
  if (ok)
    printf("tick %llu hash %016llx\n", (unsigned long long)tick, (unsigned long long)world_hash(game->world));
  else
    fprintf(stderr, "rollback_times: a tick after %llu differs when it runs again\n", (unsigned long long)tick);
  match_game_destroy(mg);
  return ok;
}

int main(int argc, char **argv) {
  uint32_t rounds = 1000, seed = 1;
  const char *code = "";
  options_t options = {.command = OPTIONS_RUN,
                       .program = argv[0],
                       .headless = true,
                       .seed = 1,
                       .has_seed = true,
                       .temporary_saves = true,
                       .players = 2,
                       .log_level = LOG_NONE};
  for (int i = 1; i < argc; ++i) {
    if (i + 1 < argc && strcmp(argv[i], "--rounds") == 0)
      rounds = (uint32_t)atoi(argv[++i]);
    else if (i + 1 < argc && strcmp(argv[i], "--players") == 0)
      options.players = (uint32_t)atoi(argv[++i]);
    else if (i + 1 < argc && strcmp(argv[i], "--seed") == 0)
      seed = (uint32_t)atoi(argv[++i]);
    else if (i + 1 < argc && strcmp(argv[i], "--exec") == 0)
      code = argv[++i];
    else
      options.target = argv[i];
  }
  if (!options.target || rounds < 1 || rounds > MAX_ROUNDS || options.players < 1 || options.players > PLAYER_MAX) {
    fprintf(stderr, "usage: rollback_times [--rounds N] [--players N] [--seed N] [--exec CODE] GAME\n");
    return 2;
  }
  error_info_t error = {0};
  host_o *h = host_create(&options, &error);
  if (!h) {
    fprintf(stderr, "rollback_times: %s\n", error.text);
    return 2;
  }
  bool ok = measure(h->session.game, rounds, options.players, seed, code);
  host_destroy(h);
  return ok ? 0 : 1;
}
