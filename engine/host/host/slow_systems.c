// Reports systems that take long and do not run as vectorised machine code. The reports appear only in the log and in
// the cockpit, because times differ between machines.
#include "host/slow_systems.h"

#include "base/hash.h"
#include "base/library_names.h"
#include "host/host_internal.h"
#include "native/loop.h"

#define MIN_COST_US 500.0
enum { MAX_REPORTED = 64 };

static void report_if_slow(host_o *h, phase_t phase, uint32_t i) {
  const schedule_o *schedule = h->session.game->schedule;
  const char *name = schedule_system_name(schedule, phase, i);
  schedule_run_t latest;
  char reason[512];
  schedule_latest_run(schedule, phase, i, &latest);
  if (latest.runs < h->session.game->config.tick_rate || latest.spent_us < MIN_COST_US)
    return; // computing the median needs sorting, so it is skipped if the latest run was fast
  double median_us = schedule_quantile(schedule, phase, i, 0.5);
  if (median_us >= MIN_COST_US &&
      native_set_find_slow_reason(vm_native_set(h->session.game->vm), name, reason, sizeof reason) &&
      log_once_add(&h->slow_systems, &h->session.memory, hash_text(name), MAX_REPORTED))
    log_info(h->session.log, "system %s takes %.1f ms a tick: %s", name, median_us / 1000, reason);
}

static void report_missing_compiler(host_o *h) {
  static const char MESSAGE[] = "LLVM is not installed, so systems without cached code run in LuaJIT";
  if (codegen_statistics().is_missing &&
      log_once_add(&h->slow_systems, &h->session.memory, hash_text(MESSAGE), MAX_REPORTED))
    log_info(h->session.log, "%s: %s", MESSAGE, library_hint_of_llvm());
}

void slow_systems_report(host_o *h) {
  const game_o *game = h->session.game;
  const options_t *options = &h->session.options;
  if (options->package || options->strict || !game->vm || !game->schedule ||
      world_tick(game->world) % (uint64_t)game->config.tick_rate != 0)
    return;
  report_missing_compiler(h);
  if (options->headless)
    return;
  for (phase_t phase = PHASE_INPUT; phase < PHASE_COUNT; ++phase)
    for (uint32_t i = 0; i < schedule_system_count(game->schedule, phase); ++i)
      report_if_slow(h, phase, i);
}
