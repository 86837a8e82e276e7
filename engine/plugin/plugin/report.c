// Failures of plugins: reports for the host, parked systems, warnings in the log.
#include "plugin/report.h"

#include "base/assert.h"
#include "content/parked_pieces.h"
#include "plugin/system_binding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void plugin_report(plugins_o *p, const char *piece, const char *format, ...) {
  shoal_assert(piece, "piece must not be NULL");
  va_list arguments;
  if (p->quiet || p->report_count == PLUGIN_MAX_REPORTS)
    return;
  script_report_t *r = &p->reports[p->report_count++];
  *r = (script_report_t){.tick = world_tick(p->world)};
  snprintf(r->piece, sizeof r->piece, "plugin %s", piece);
  va_start(arguments, format);
  vsnprintf(r->message, sizeof r->message, format, arguments);
  va_end(arguments);
}

uint32_t plugins_pop_reports(plugins_o *p, script_report_t *out, uint32_t max) {
  shoal_assert(out || max == 0, "out must not be NULL (capacity %u)", max);
  uint32_t count = p->report_count < max ? p->report_count : max;
  memcpy(out, p->reports, count * sizeof *out);
  memmove(p->reports, p->reports + count, (p->report_count - count) * sizeof *out);
  p->report_count -= count;
  return count;
}

bool plugins_pop_failure(plugins_o *p) {
  bool failed = p->failed;
  p->failed = false;
  return failed;
}

static void add_parked(plugins_o *p, parked_kind_t kind, const char *name, const char *message, bool drawing) {
  parked_t x = {.kind = kind, .tick = world_tick(p->world), .drawing = drawing};
  char piece[sizeof x.error.piece];
  snprintf(x.name, sizeof x.name, "%s", name);
  snprintf(piece, sizeof piece, "plugin %s", name);
  error_set(&x.error, "%s", message);
  error_set_piece(&x.error, piece);
  if (p->desc.parked && !p->quiet)
    parked_list_add(p->desc.parked, &x);
}

void plugin_fail(plugin_t *x, const char *message) {
  plugin_report(x->plugins, x->name, "%s", message);
  for (uint32_t i = 0; i < x->run_count; ++i)
    x->runs[i].parked = x->runs[i].permanent = true;
  add_parked(x->plugins, PARKED_PLUGIN, x->name, message, false);
}

void plugin_fail_run(run_t *r, const char *message) {
  plugins_o *p = r->plugin->plugins;
  r->parked = true;
  if (!p->desc.parked || !parked_is_repeated(p->desc.parked, r->name, message))
    plugin_report(p, r->name, "%s", message);
  add_parked(p, PARKED_PLUGIN_SYSTEM, r->name, message, r->phase == PHASE_RENDER);
  if (r->ready && !r->permanent && !p->quiet)
    parked_pieces_record_failure(p->world, r->name, false, r->phase == PHASE_RENDER);
}

void plugin_report_recovery(run_t *r) {
  unsigned long long failures = r->tried ? parked_pieces_record_success(r->plugin->plugins->world, r->name) : 0;
  r->tried = false;
  if (failures > 0)
    log_info(r->plugin->plugins->desc.log, "%s runs again after %llu failure%s", r->name, failures,
             failures > 1 ? "s" : "");
}

void plugins_update_parked_systems(plugins_o *p) {
  for (uint32_t i = 0; i < p->list.count; ++i)
    for (uint32_t k = 0; k < p->list.items[i]->run_count; ++k) {
      run_t *r = &p->list.items[i]->runs[k];
      parked_state_t state = parked_piece_state(p->world, parked_piece_find(p->world, r->name));
      if (!r->ready || r->permanent)
        continue;
      r->parked = state == PARKED_STATE_WAITING;
      r->tried = state == PARKED_STATE_TRIED;
    }
}

void plugin_park_crashing_system(plugins_o *p, run_t *r, const char *message) {
  r->parked = r->permanent = r->crashes = true;
  add_parked(p, PARKED_PLUGIN_SYSTEM, r->name, message, r->phase == PHASE_RENDER);
}

bool plugins_park_system(plugins_o *p, const char *system, const char *message) {
  for (uint32_t i = 0; i < p->list.count; ++i)
    for (uint32_t k = 0; k < p->list.items[i]->run_count; ++k)
      if (strcmp(p->list.items[i]->runs[k].name, system) == 0 && !p->list.items[i]->runs[k].parked) {
        plugin_park_crashing_system(p, &p->list.items[i]->runs[k], message);
        return true;
      }
  return false;
}

void plugin_warn_once(plugin_t *x, const char *message) {
  if (x->warned)
    return;
  x->warned = true;
  log_warn(x->plugins->desc.log, "plugin %s: %s (reported once)", x->name, message);
}
