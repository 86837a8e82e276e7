// Calls a plugin's code. All calls to a plugin's functions go through plugin_call_guarded, so that
// - crash reports name the function that was running,
// - a function that does not return terminates the program with a report (process/foreign_call.h), and
// - C++ exceptions become failures with a message.
//
// Exceptions are caught by code inside the plugin (shoal_export.guard), so that destructors run and the host does not
// depend on C++. On all supported processors, compilers also emit unwind tables for C functions.
#include "plugin/guarded_call.h"

#include "access/last_error.h"
#include "base/assert.h"
#include "base/float_control.h"
#include "process/foreign_call.h"
#include "plugin/report.h"
#include "plugin/row_check.h"
#include "plugin/profile_scope.h"
#include "process/threads.h"

#include <fenv.h>
#include <locale.h>

#define MAX_CALL_MS 10000u // maximum CPU time of a call, in ms, unless BUDGET_FACTOR results in a lower limit
#define BUDGET_FACTOR 100u // maximum CPU time per call as a multiple of the script budget
#define LOADING_FACTOR 3u  // factor applied to both limits while a plugin is loading
#define CHECKED_CALLS 64u  // number of calls to systems and functions that are checked for new threads

uint32_t plugin_call_budget_ms(const plugin_t *plugin, plugin_call_kind_t call_kind) {
  uint32_t script_ms = plugin->plugins->desc.budget_ms;
  uint32_t ms = script_ms < MAX_CALL_MS / BUDGET_FACTOR ? script_ms * BUDGET_FACTOR : MAX_CALL_MS;
  return call_kind == PLUGIN_CALL_LOADING ? ms * LOADING_FACTOR : ms;
}

static void restore_locale(plugin_t *plugin) {
  if (localeconv()->decimal_point[0] == '.')
    return;
  setlocale(LC_NUMERIC, "C");
  plugin_warn_once(plugin, "a call changed the numeric locale (setlocale): the locale was restored");
}

void plugin_report_float_mode(plugin_t *plugin) {
  if (plugin->changed_float_mode)
    plugin_warn_once(plugin,
                     "a call changed the floating-point mode (rounding, subnormal numbers): the mode was restored");
  plugin->changed_float_mode = false;
  restore_locale(plugin);
}

// Restores the floating-point mode after a plugin has changed it, and reports the change unless the plugin runs a part.
static void restore_float_mode(plugin_t *plugin, const plugin_callee_t *callee, uint64_t float_mode) {
  fesetround(FE_TONEAREST); // also resets registers that float_control_set does not set
  float_control_set(float_mode);
  plugin->changed_float_mode = true;
  if (callee->call_kind != PLUGIN_CALL_PART)
    plugin_report_float_mode(plugin);
}

// --- detection of undeclared threads

// Returns true if new threads are counted during this call. Systems and functions are called frequently, so only their
// first calls are checked. Parts are excluded, because they run on several threads in parallel.
static bool should_count_threads(plugin_t *plugin, plugin_call_kind_t call_kind) {
  bool is_frequent = call_kind == PLUGIN_CALL_SYSTEM || call_kind == PLUGIN_CALL_FUNCTION;
  return call_kind == PLUGIN_CALL_LOADING ||
         (is_frequent && plugin->checked_calls < CHECKED_CALLS && ++plugin->checked_calls > 0);
}

// Counts the threads started by the call, excluding threads started by nested calls to plugins, and warns once. If
// threads have ended instead, reduces the plugin's count.
static void record_new_threads(plugin_t *plugin, const plugin_callee_t *callee, uint32_t previous_count,
                               uint32_t previous_undeclared) {
  uint32_t count = threads_count(),
           expected = previous_count + plugin->plugins->undeclared_threads - previous_undeclared;
  if (count < expected && plugin->undeclared_threads > 0)
    plugin->undeclared_threads -=
        expected - count < plugin->undeclared_threads ? expected - count : plugin->undeclared_threads;
  if (count <= expected)
    return;
  plugin->undeclared_threads += count - expected;
  plugin->plugins->undeclared_threads += count - expected;
  if (plugin->warned_of_threads || plugin->plugins->quiet || plugin->plugins->desc.forked)
    return;
  plugin->warned_of_threads = true;
  log_warn(plugin->plugins->desc.log,
           "plugin %s: %s%s%s started an undeclared thread, which does not exist in forked processes: declare the "
           "thread in .threads (<shoal/external_resources.h>)",
           plugin->name, callee->kind, callee->name ? " " : "", callee->name ? callee->name : "");
}

// --- entering

bool plugin_call_guarded(plugin_t *plugin, const plugin_callee_t *callee, void (*call)(void *data), void *data,
                         error_info_t *error) {
  shoal_assert(plugin && call && callee->kind, "plugin, call and kind must not be NULL");
  foreign_call_t foreign_call = {.owner = plugin->name,
                                 .kind = callee->kind,
                                 .name = callee->name,
                                 .budget_ms = plugin_call_budget_ms(plugin, callee->call_kind)};
  char exception[512] = "";
  bool ok = true;
  uint64_t float_mode = float_control_get();
  uint32_t thread_count = should_count_threads(plugin, callee->call_kind) ? threads_count() : 0,
           undeclared = plugin->plugins->undeclared_threads;
  uint32_t open_queries = callee->call_kind == PLUGIN_CALL_PART ? 0 : plugin->access.open.count;
  uint32_t scope_depth = callee->call_kind == PLUGIN_CALL_PART ? 0 : plugin->scope_depth;
  error_info_t row_error, *outer_error = plugin_begin_checks(&row_error);
  context_slot_t *suspended = plugin_suspend_slot();
  foreign_begin_call(&foreign_call);
  if (plugin->guard)
    ok = plugin->guard(call, data, exception, sizeof exception);
  else
    call(data);
  foreign_end_call(&foreign_call);
  plugin_restore_slot(suspended);
  plugin_end_checks(outer_error);
  if (thread_count > 0)
    record_new_threads(plugin, callee, thread_count, undeclared);
  if (float_control_get() != float_mode)
    restore_float_mode(plugin, callee, float_mode);
  if (callee->call_kind != PLUGIN_CALL_PART) {
    restore_locale(plugin);
    access_clear_error();
    if (!access_close_queries(&plugin->access, open_queries) && !row_error.text[0])
      error_set(&row_error, "%s", access_error_text());
    plugin_end_scopes(plugin, scope_depth);
  }
  if (!ok)
    return error_set(error, "an exception was thrown: %.500s", exception);
  if (row_error.text[0])
    return error_set(error, "%s", row_error.text);
  if (callee->call_kind == PLUGIN_CALL_PART || !plugin->misplaced_call)
    return true;
  plugin_report_misplaced_call(plugin, error);
  return false;
}
