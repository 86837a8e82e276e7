// Reports systems that take long and do not run as vectorised machine code. Only the log and the cockpit show it: times
// differ between machines.
#include "host/slow_systems.h"

#include "base/hash.h"
#include "host/host_internal.h"
#include "native/loop.h"

#define MIN_COST_US 500.0

static bool is_reported(const slow_systems_t *s, uint64_t name_hash) {
  for (uint32_t i = 0; i < s->count; ++i)
    if (s->reported[i] == name_hash)
      return true;
  return s->count == MAX_SLOW_SYSTEMS;
}

static void report_if_slow(host_o *h, phase_t phase, uint32_t i) {
  const schedule_o *schedule = h->session.game->schedule;
  const char *name = schedule_system_name(schedule, phase, i);
  uint64_t name_hash = hash_text(name);
  double total_us, median_us = schedule_quantile(schedule, phase, i, 0.5);
  uint64_t runs;
  char reason[512];
  schedule_cost(schedule, phase, i, &total_us, &runs);
  if (runs < h->session.game->config.tick_rate || median_us < MIN_COST_US || is_reported(&h->slow_systems, name_hash) ||
      !native_set_find_slow_reason(vm_native_set(h->session.game->vm), name, reason, sizeof reason))
    return;
  h->slow_systems.reported[h->slow_systems.count++] = name_hash;
  log_info(h->session.log, "system %s takes %.1f ms a tick: %s", name, median_us / 1000, reason);
}

void slow_systems_report(host_o *h) {
  const game_o *game = h->session.game;
  const options_t *options = &h->session.options;
  bool is_shown = !options->headless && !options->package && !options->strict;
  if (!is_shown || !game->vm || !game->schedule || world_tick(game->world) % (uint64_t)game->config.tick_rate != 0)
    return;
  for (phase_t phase = PHASE_INPUT; phase < PHASE_COUNT; ++phase)
    for (uint32_t i = 0; i < schedule_system_count(game->schedule, phase); ++i)
      report_if_slow(h, phase, i);
}
