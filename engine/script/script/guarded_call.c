// Guarded calls into Lua, their budgets, and the error messages of stopped calls.
#include "script/guarded_call.h"

#include "base/assert.h"
#include "script/report.h"
#include "script/script.h"
#include "script/vm.h"
#include "sql/sql.h"
#include "watchdog/watchdog.h"

#include <stdio.h>

static bool is_load_limited(const vm_o *vm, script_budget_t budget) {
  return budget == SCRIPT_BUDGET_LOAD && vm->load_limit_ms > 0 && vm->desc.budgets.ms[budget] > vm->load_limit_ms;
}

uint32_t vm_budget_ms(const vm_o *vm, script_budget_t budget) {
  shoal_assert(budget < SCRIPT_BUDGETS, "unknown budget %d", (int)budget);
  uint32_t ms = is_load_limited(vm, budget) ? vm->load_limit_ms : vm->desc.budgets.ms[budget];
  ms *= vm->budget_factor;
  return vm->desc.budgets.fixed ? ms : (uint32_t)(ms * watchdog_get_slowness());
}

void vm_set_budget_factor(vm_o *vm, uint32_t factor) {
  shoal_assert(factor > 0, "the factor must not be 0");
  vm->budget_factor = factor;
}

void vm_limit_load(vm_o *vm, uint32_t limit_ms) {
  vm->load_limit_ms = limit_ms;
}

void vm_restart_budget(vm_o *vm, uint32_t budget) {
  vm->budget = budget < SCRIPT_BUDGETS ? (script_budget_t)budget : SCRIPT_BUDGET_SYSTEM;
  watchdog_set_budget(vm_budget_ms(vm, vm->budget));
}

void vm_set_budgets(vm_o *vm, double system_ms, double start_ms, double load_ms) {
  const double ms[SCRIPT_BUDGETS] = {system_ms, start_ms, load_ms};
  if (vm->desc.budgets.fixed)
    return;
  for (uint32_t i = 0; i < SCRIPT_BUDGETS; ++i)
    if (ms[i] >= 0)
      vm->desc.budgets.ms[i] = (uint32_t)ms[i];
  vm_restart_budget(vm, vm->budget);
}

void vm_set_sql_steps(vm_o *vm, double steps) {
  shoal_assert(steps >= 0 && steps <= 1e15, "sql_steps must be in [0, 1e15], got %g", steps);
  if (vm->desc.sql)
    sql_set_script_steps(vm->desc.sql, (uint64_t)steps);
}

static void format_time_stop(const vm_o *vm, char *out, size_t bytes) {
  static const char *const names[SCRIPT_BUDGETS] = {"system", "start", "load"};
  if (is_load_limited(vm, vm->budget)) {
    snprintf(out, bytes,
             "stopped after %u ms, because it took more than twice the time of its trial: save the file again to retry",
             vm->load_limit_ms);
    return;
  }
  char setting[64] = "--budget", slow_machine_note[64] = "";
  if (!vm->desc.budgets.fixed)
    snprintf(setting, sizeof setting, "budget.%s in game.lua", names[vm->budget]);
  if (!vm->desc.budgets.fixed && watchdog_get_slowness() > 1)
    snprintf(slow_machine_note, sizeof slow_machine_note, ", times %.1f on this slow machine", watchdog_get_slowness());
  snprintf(out, bytes, "stopped after %u ms (%s%s): look for an endless loop, or split the work over several ticks",
           vm->desc.budgets.ms[vm->budget], setting, slow_machine_note);
}

static void format_memory_stop(const vm_o *vm, char *out, size_t bytes) {
  size_t history_mb = vm->history_bytes >> 20;
  if (history_mb == 0)
    snprintf(
        out, bytes,
        "stopped because the scripts use more than %u MB (--memory): look for a table that grows, or raise --memory",
        vm->desc.memory_mb);
  else
    snprintf(out, bytes,
             "stopped because the scripts use more than %zu MB (%u MB of --memory, minus %zu MB for the history, see "
             "--history): look for a table that grows, or raise --memory",
             vm_memory_limit(vm) >> 20, vm->desc.memory_mb, history_mb);
}

static void report_stop(vm_o *vm, watchdog_reason_t reason) {
  script_report_t *report = &vm->caught;
  shoal_assert(reason != WATCHDOG_NONE, "a stopped script must have a stop reason");
  report->stopped = true;
  if (reason == WATCHDOG_TIME)
    format_time_stop(vm, report->message, sizeof report->message);
  else if (reason == WATCHDOG_MEMORY)
    format_memory_stop(vm, report->message, sizeof report->message);
  else if (reason == WATCHDOG_STACK)
    snprintf(report->message, sizeof report->message, "%s", VM_OVERFLOW);
  else
    snprintf(report->message, sizeof report->message, "stopped because the program is exiting");
  vm->interrupted |= reason == WATCHDOG_INTERRUPT;
}

bool vm_was_interrupted(const vm_o *vm) {
  return vm->interrupted;
}

static void record_stack(const watchdog_guard_t *guard, lua_State *L) {
  vm_o *vm = guard->context;
  vm_set_caught_error(vm, "");
  report_read_stack(L, &vm->caught);
  vm->failed_code = (report_running_code_t){0};
  if (guard->reason != WATCHDOG_STACK) // pushing a local to a full stack would raise a second error
    report_read_running_code(L, &vm->failed_code);
}

// Returns true if the script must be stopped because of its memory. The limit applies to live memory, so whether a
// script is stopped does not depend on when garbage was last collected. Compiled and interpreted code can keep
// different values alive, hence the margin of 10 %.
static bool is_memory_full(const watchdog_guard_t *guard) {
  const vm_o *vm = guard->context;
  return vm_used_memory(vm) >= vm_memory_limit(vm) / 10 * 9;
}

bool vm_call_with_budget(vm_o *vm, const char *name, int arguments, int results, script_budget_t budget) {
  watchdog_guard_t guard;
  volatile bool ok = false, left_by_hook = false;
  shoal_assert(!vm->stopped, "%s called in a stopped VM: call vm_rebuild first", name);
  vm_set_caught_error(vm, "");
  vm->budget = budget;
  if (setjmp(guard.out) == 0) {
    watchdog_begin(&guard, vm->L, vm_budget_ms(vm, budget));
    guard.context = vm;
    guard.inspect = record_stack;
    guard.is_full = is_memory_full;
    ok = vm_call(vm, name, arguments, results);
  } else {
    left_by_hook = true;
  }
  watchdog_reason_t reason = watchdog_end(&guard);
  if (reason == WATCHDOG_NONE) {
    // Running out of memory is treated as a stop, because it depends on when the collector last ran.
    vm->stopped = vm->caught.stopped = vm->out_of_memory;
    return ok;
  }
  vm->stopped = true;
  log_debug(vm->desc.log, "watchdog: %s stopped by %s after %.1f ms", name, left_by_hook ? "the hook" : "a Lua error",
            watchdog_spent_ms(&guard));
  report_stop(vm, reason);
  return false;
}
