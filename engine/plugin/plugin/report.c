// Failures of plugins: reports for the host, parked systems, warnings in the log.
#include "plugin/report.h"

#include "base/assert.h"
#include "content/parked_pieces.h"
#include "plugin/system_binding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void plugin_report(plugins_o *plugins, const char *piece, const char *format, ...) {
  shoal_assert(piece, "piece must not be NULL");
  va_list arguments;
  if (plugins->quiet || plugins->report_count == PLUGIN_MAX_REPORTS)
    return;
  script_report_t *report = &plugins->reports[plugins->report_count++];
  *report = (script_report_t){.tick = world_tick(plugins->world)};
  snprintf(report->piece, sizeof report->piece, "plugin %s", piece);
  va_start(arguments, format);
  vsnprintf(report->message, sizeof report->message, format, arguments);
  va_end(arguments);
}

uint32_t plugins_pop_reports(plugins_o *plugins, script_report_t *out, uint32_t max) {
  shoal_assert(out || max == 0, "out must not be NULL (capacity %u)", max);
  uint32_t count = plugins->report_count < max ? plugins->report_count : max;
  memcpy(out, plugins->reports, count * sizeof *out);
  memmove(plugins->reports, plugins->reports + count, (plugins->report_count - count) * sizeof *out);
  plugins->report_count -= count;
  return count;
}

bool plugins_pop_failure(plugins_o *plugins) {
  bool failed = plugins->failed;
  plugins->failed = false;
  return failed;
}

static void add_parked(plugins_o *plugins, parked_kind_t kind, const char *name, const char *message, bool drawing) {
  parked_t parked = {.kind = kind, .tick = world_tick(plugins->world), .drawing = drawing};
  char piece[sizeof parked.error.piece];
  snprintf(parked.name, sizeof parked.name, "%s", name);
  snprintf(piece, sizeof piece, "plugin %s", name);
  error_set(&parked.error, "%s", message);
  error_set_piece(&parked.error, piece);
  if (plugins->desc.parked && !plugins->quiet)
    parked_list_add(plugins->desc.parked, &parked);
}

void plugin_fail(plugin_t *plugin, const char *message) {
  plugin_report(plugin->plugins, plugin->name, "%s", message);
  for (uint32_t i = 0; i < plugin->run_count; ++i)
    plugin->runs[i].parked = plugin->runs[i].permanent = true;
  add_parked(plugin->plugins, PARKED_PLUGIN, plugin->name, message, false);
}

void plugin_fail_run(run_t *run, const char *message) {
  plugins_o *plugins = run->plugin->plugins;
  run->parked = true;
  if (!plugins->desc.parked || !parked_is_repeated(plugins->desc.parked, run->name, message))
    plugin_report(plugins, run->name, "%s", message);
  add_parked(plugins, PARKED_PLUGIN_SYSTEM, run->name, message, run->phase == PHASE_RENDER);
  if (run->ready && !run->permanent && !plugins->quiet)
    parked_pieces_record_failure(plugins->world, run->name, false, run->phase == PHASE_RENDER);
}

void plugin_report_recovery(run_t *run) {
  unsigned long long failures = run->tried ? parked_pieces_record_success(run->plugin->plugins->world, run->name) : 0;
  run->tried = false;
  if (failures > 0)
    log_info(run->plugin->plugins->desc.log, "%s runs again after %llu failure%s", run->name, failures,
             failures > 1 ? "s" : "");
}

void plugins_update_parked_systems(plugins_o *plugins) {
  for (uint32_t i = 0; i < plugins->list.count; ++i)
    for (uint32_t k = 0; k < plugins->list.items[i]->run_count; ++k) {
      run_t *run = &plugins->list.items[i]->runs[k];
      parked_state_t state = parked_piece_state(plugins->world, parked_piece_find(plugins->world, run->name));
      if (!run->ready || run->permanent)
        continue;
      run->parked = state == PARKED_STATE_WAITING;
      run->tried = state == PARKED_STATE_TRIED;
    }
}

void plugin_park_crashing_system(plugins_o *plugins, run_t *run, const char *message) {
  run->parked = run->permanent = run->crashes = true;
  add_parked(plugins, PARKED_PLUGIN_SYSTEM, run->name, message, run->phase == PHASE_RENDER);
}

bool plugins_park_system(plugins_o *plugins, const char *system, const char *message) {
  for (uint32_t i = 0; i < plugins->list.count; ++i)
    for (uint32_t k = 0; k < plugins->list.items[i]->run_count; ++k)
      if (strcmp(plugins->list.items[i]->runs[k].name, system) == 0 && !plugins->list.items[i]->runs[k].parked) {
        plugin_park_crashing_system(plugins, &plugins->list.items[i]->runs[k], message);
        return true;
      }
  return false;
}

void plugin_warn_once(plugin_t *plugin, const char *message) {
  if (plugin->warned)
    return;
  plugin->warned = true;
  log_warn(plugin->plugins->desc.log, "plugin %s: %s (reported once)", plugin->name, message);
}
