// Calls code of a plugin. All calls to a plugin's functions go through plugin_call_guarded, so that
// - crash reports name the function that was running,
// - a function that does not return terminates the program with a report (process/foreign_call.h), and
// - C++ exceptions become failures with a message.
//
// Exceptions are caught by code inside the plugin (shoal_export.guard), so that destructors run and the host does not
// depend on C++. On all supported processors, compilers also emit unwind tables for C functions.
#include "plugin/guarded_call.h"

#include "base/assert.h"
#include "base/float_control.h"
#include "process/foreign_call.h"
#include "plugin/report.h"
#include "plugin/row_check.h"
#include "plugin/profile_scope.h"

#include <fenv.h>
#include <langinfo.h>
#include <locale.h>
#include <sys/stat.h>

#define MAX_MS 10000u      // maximum CPU time of a call, in ms, unless BUDGET_FACTOR results in a lower limit
#define BUDGET_FACTOR 100u // maximum CPU time of a call as a multiple of the script budget
#define LOADING_FACTOR 3u  // factor applied to both limits while a plugin is loading
#define CHECKED_CALLS 64u  // number of calls to systems and functions that are checked for new threads

uint32_t plugin_call_budget_ms(const plugin_t *x, call_place_t where) {
  uint32_t script_ms = x->plugins->desc.budget_ms;
  uint32_t ms = script_ms < MAX_MS / BUDGET_FACTOR ? script_ms * BUDGET_FACTOR : MAX_MS;
  return where == WHERE_LOADING ? ms * LOADING_FACTOR : ms;
}

static void restore_locale(plugin_t *x) {
  if (nl_langinfo(RADIXCHAR)[0] == '.')
    return;
  setlocale(LC_NUMERIC, "C");
  plugin_warn_once(x, "a call changed the numeric locale (setlocale): the locale was restored");
}

void plugin_report_float_mode(plugin_t *x) {
  if (x->changed_float_mode)
    plugin_warn_once(x, "a call changed the floating-point mode (rounding, subnormal numbers): the mode was restored");
  x->changed_float_mode = false;
  restore_locale(x);
}

// Restores the floating-point mode, which affects all later computations.
static void restore_float_mode(plugin_t *x, const plugin_callee_t *piece, uint64_t float_mode) {
  fesetround(FE_TONEAREST); // also resets registers that float_control_set does not set
  float_control_set(float_mode);
  x->changed_float_mode = true;
  if (piece->where != WHERE_PART)
    plugin_report_float_mode(x);
}

// --- detection of undeclared threads

// Returns the number of threads of the process plus a constant, or 0 if it is unknown.
static uint32_t count_threads(void) {
  struct stat tasks;
  return stat("/proc/self/task", &tasks) == 0 ? (uint32_t)tasks.st_nlink : 0;
}

// Returns true if new threads are counted during this call. Systems and functions are called frequently, so only their
// first calls are checked. Parts are excluded, because they run on several threads in parallel.
static bool should_count_threads(plugin_t *x, call_place_t where) {
  bool frequent = where == WHERE_SYSTEM || where == WHERE_FUNCTION;
  return where == WHERE_LOADING || (frequent && x->checked_calls < CHECKED_CALLS && ++x->checked_calls > 0);
}

// Counts the threads started by the call, excluding those started by nested calls to plugins, and warns once. If
// threads have ended instead, reduces the plugin's count.
static void record_new_threads(plugin_t *x, const plugin_callee_t *piece, uint32_t before, uint32_t nested) {
  uint32_t now = count_threads(), others = before + x->plugins->undeclared_threads - nested;
  if (now < others && x->undeclared_threads > 0)
    x->undeclared_threads -= others - now < x->undeclared_threads ? others - now : x->undeclared_threads;
  if (now <= others)
    return;
  x->undeclared_threads += now - others;
  x->plugins->undeclared_threads += now - others;
  if (x->warned_of_threads || x->plugins->quiet || x->plugins->desc.copied)
    return;
  x->warned_of_threads = true;
  log_warn(x->plugins->desc.log,
           "plugin %s: %s%s%s started an undeclared thread, which does not exist in forked processes: declare the "
           "thread in .threads (<shoal/external_resources.h>)",
           x->name, piece->kind, piece->name ? " " : "", piece->name ? piece->name : "");
}

// --- entering

bool plugin_call_guarded(plugin_t *x, const plugin_callee_t *piece, void (*call)(void *data), void *data,
                         error_info_t *error) {
  shoal_assert(x && call && piece->kind, "plugin, call and kind must not be NULL");
  foreign_call_t foreign = {
      .owner = x->name, .kind = piece->kind, .name = piece->name, .budget_ms = plugin_call_budget_ms(x, piece->where)};
  char what[512] = "";
  bool ok = true;
  uint64_t float_mode = float_control_get();
  uint32_t threads = should_count_threads(x, piece->where) ? count_threads() : 0,
           nested = x->plugins->undeclared_threads;
  uint32_t open = piece->where == WHERE_PART ? 0 : x->access.open.count;
  uint32_t scopes = piece->where == WHERE_PART ? 0 : x->scope_depth;
  error_info_t checked, *outer = plugin_begin_checks(&checked);
  context_slot_t *before = plugin_suspend_slot();
  foreign_begin_call(&foreign);
  if (x->guard)
    ok = x->guard(call, data, what, sizeof what);
  else
    call(data);
  foreign_end_call(&foreign);
  plugin_restore_slot(before);
  plugin_end_checks(outer);
  if (threads > 0)
    record_new_threads(x, piece, threads, nested);
  if (float_control_get() != float_mode)
    restore_float_mode(x, piece, float_mode);
  if (piece->where != WHERE_PART) {
    restore_locale(x);
    access_close_queries(&x->access, open);
    plugin_end_scopes(x, scopes);
  }
  if (!ok)
    return error_set(error, "an exception was thrown: %.500s", what);
  if (checked.text[0])
    return error_set(error, "%s", checked.text);
  if (piece->where == WHERE_PART || !x->misplaced_call)
    return true;
  plugin_report_misplaced_call(x, error);
  return false;
}
