// The plugins of a game: opening, scheduling, binding, comparison with the previous game's plugins, closing.
#include "plugin/plugins.h"

#include "access/last_error.h"
#include "base/assert.h"
#include "base/files.h"
#include "crash/signal_handler.h"
#include "plugin/library.h"
#include "plugin/manager.h"
#include "plugin/open.h"
#include "plugin/system_part.h"
#include "plugin/probe.h"
#include "plugin/report.h"
#include "plugin/system.h"
#include "plugin/asset.h"
#include "plugin/binding.h"
#include "plugin/thread.h"
#include "plugin/system_binding.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// --- life cycle

static void add_folder(plugins_o *p, const char *folder) {
  if (p->folder_count < PLUGINS_MAX_FOLDERS && strlen(folder) < PLUGIN_PATH_MAX)
    snprintf(p->folders[p->folder_count++], PLUGIN_PATH_MAX, "%s", folder);
}

// Adds the folder of a library specified by path to the search folders.
static void add_parent_folder(plugins_o *p, const char *path) {
  char folder[PLUGIN_PATH_MAX];
  const char *slash = strrchr(path, '/');
  if (!slash)
    snprintf(folder, sizeof folder, ".");
  else
    snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
  add_folder(p, folder);
}

plugins_o *plugins_create(const plugins_desc_t *desc) {
  shoal_assert(desc->world && desc->game_folder, "world and game_folder must not be NULL");
  shoal_assert(desc->before || !desc->as_before, "as_before requires the plugins of a previous game");
  allocator_t memory = {0};
  plugins_o *p = alloc_resize(&memory, NULL, 0, sizeof *p);
  memset(p, 0, sizeof *p);
  p->memory = memory;
  p->desc = *desc;
  p->world = desc->world;
  p->thread = pthread_self();
  p->process = getpid();
  plugins_register(p);
  p->generation = desc->before ? desc->before->generation + 1 : 0;
  for (uint32_t i = 0; i < desc->extra_count; ++i) {
    if (file_is_folder(desc->extra[i]))
      add_folder(p, desc->extra[i]);
    else
      add_parent_folder(p, desc->extra[i]);
  }
  path_join(p->game_folder, sizeof p->game_folder, desc->game_folder, "plugins");
  add_folder(p, p->game_folder);
  if (desc->shipped)
    add_folder(p, desc->shipped);
  crash_install_handler_in_children();
  return p;
}

void plugins_add_folder(plugins_o *p, const char *folder) {
  for (uint32_t i = 0; i < p->folder_count; ++i)
    if (strcmp(p->folders[i], folder) == 0)
      return;
  add_folder(p, folder);
}

void plugins_destroy(plugins_o *p) {
  if (!p)
    return;
  for (uint32_t i = 0; i < p->report_count; ++i) // log the reports that the host has not read
    log_error(p->desc.log, "%s: %s", p->reports[i].piece, p->reports[i].message);
  plugin_close_all(p);
  plugins_unregister(p);
  plugin_free_chunks(p);
  array_free(&p->memory, &p->list);
  array_free(&p->memory, &p->missing);
  array_free(&p->memory, &p->refused);
  if (p->leaks_on_exit) // leak this memory: a thread still uses it
    return;
  allocator_t memory = p->memory;
  alloc_resize(&memory, p, sizeof *p, 0);
  shoal_assert(memory.blocks == 0, "plugins leaked %zu bytes in %llu blocks", memory.bytes,
               (unsigned long long)memory.blocks);
}

// --- opening

// Returns true if these plugins are already running unchanged and therefore need no trial.
static bool has_same_plugins(plugins_o *p, const char *const *names, uint32_t count) {
  const plugins_o *before = p->desc.before;
  bool known = before != NULL && before->missing.count == 0;
  for (uint32_t i = 0; i < count && known; ++i)
    known = plugins_find(before, names[i]) != NULL;
  for (uint32_t i = 0; before && i < before->list.count && known; ++i) {
    const plugin_t *older = before->list.items[i];
    plugin_t now = {0};
    snprintf(now.path, sizeof now.path, "%s", older->path);
    known = plugin_read_library(p, &now, NULL) && now.hash == older->hash;
    plugin_free_library_bytes(p, &now);
  }
  return known;
}

// Logs that a plugin has been opened, unless the previous game ran the same library.
static void log_opened(const plugins_o *p, const plugin_t *x) {
  const plugin_t *older = plugins_find(p->desc.before, x->name);
  if (!older || older->hash != x->hash)
    log_info(p->desc.log, "plugin %s, version %u: %s", x->name, x->def->version, x->path);
}

void plugins_open(plugins_o *p, const char *const *names, uint32_t count) {
  if (p->is_open)
    return;
  p->is_open = true;
  if (count == 0 && p->desc.extra_count == 0)
    return;
  error_info_t error;
  if (!plugins_stop_threads(&error))
    log_error(p->desc.log, "%s", error.text);
  while (!p->desc.as_before && !has_same_plugins(p, names, count) && plugin_probe_libraries(p, names, count))
    ;
  if (!p->desc.before && !p->quiet)
    plugin_remove_stale_copies(); // also removes the copies of trials that just crashed
  plugin_open_all(p, names, count);
  for (uint32_t i = 0; i < p->list.count && !p->desc.as_before; ++i)
    log_opened(p, p->list.items[i]);
}

void plugins_set_screen(plugins_o *p, int width, int height) {
  shoal_assert(width > 0 && height > 0, "the logical screen size must be positive, got %d × %d", width, height);
  p->desc.width = width;
  p->desc.height = height;
}

// --- the schedule

// Replaces the names of the plugin's own systems by their full names ("heat.cool").
static void resolve_full_names(plugin_t *x, const char *const *names, const char **out) {
  uint32_t count = 0;
  for (; count < SHOAL_MAX_NAMES && names[count]; ++count) {
    out[count] = names[count];
    for (uint32_t i = 0; i < x->run_count; ++i)
      if (strcmp(x->runs[i].def->name, names[count]) == 0)
        out[count] = x->runs[i].name;
  }
  out[count] = NULL;
}

bool plugins_schedule(plugins_o *p, schedule_o *s, error_info_t *error) {
  const char *after[SHOAL_MAX_NAMES + 1], *before[SHOAL_MAX_NAMES + 1];
  for (uint32_t i = 0; i < p->list.count; ++i) {
    plugin_t *x = p->list.items[i];
    for (uint32_t k = 0; k < x->run_count; ++k) {
      run_t *r = &x->runs[k];
      resolve_full_names(x, r->def->after, after);
      resolve_full_names(x, r->def->before, before);
      system_desc_t desc = {.name = r->name,
                            .phase = r->phase,
                            .priority = r->def->priority,
                            .after = after,
                            .before = before,
                            .every = r->def->interval_ticks,
                            .run = plugin_run_system,
                            .context = r};
      if (!schedule_add_system(s, &desc, error))
        return false;
    }
  }
  return true;
}

static void bind_used_components(plugins_o *p, plugin_t *x) {
  for (uint32_t i = 0; i < x->bound_count; ++i)
    if (!plugin_binding_at(x, i)->own && !access_match_binding(&x->access, &plugin_binding_at(x, i)->shared))
      plugin_report(p, x->name, "%s", access_error_text());
}

static void declare_missing_components(plugins_o *p) {
  world_o *older = p->desc.before ? p->desc.before->world : NULL;
  for (uint32_t i = 1; older && i <= world_manager_count(older); ++i) {
    const manager_o *m = world_manager(older, i);
    bool kept = strncmp(m->schema.origin, "kept, ", 6) == 0;
    if ((!kept && strncmp(m->schema.origin, "plugin ", 7) != 0) || world_find_manager(p->world, m->schema.name))
      continue;
    schema_t copy = m->schema; // a shallow copy that shares the strings of the original
    if (!kept)
      snprintf(copy.origin, sizeof copy.origin, "kept from %.100s", m->schema.origin);
    if (world_declare_schema(p->world, &copy, NULL) != 0)
      log_warn(p->desc.log, "no plugin provides component %s (%s): keeping %u rows", m->schema.name, m->schema.origin,
               m->count);
  }
}

void plugins_bind(plugins_o *p, bool reloaded) {
  error_info_t error;
  if (p->is_bound)
    return;
  p->is_bound = true;
  for (uint32_t i = 0; i < p->list.count; ++i) {
    plugin_t *x = p->list.items[i];
    bind_used_components(p, x);
    for (uint32_t k = 0; k < x->run_count; ++k)
      if (!plugin_bind_run(p, &x->runs[k], &error))
        plugin_fail_run(&x->runs[k], error.text);
  }
  if (reloaded)
    declare_missing_components(p);
  p->desc.before = NULL;
}

void plugins_declare_parallel(const plugins_o *p, schedule_o *s) {
  for (uint32_t i = 0; i < p->list.count; ++i)
    for (uint32_t k = 0; k < p->list.items[i]->run_count; ++k)
      plugin_declare_parallel(&p->list.items[i]->runs[k], s);
}

// Starts threads and jobs, and unloads unused assets; in a forked process, first marks the plugins as copied. Also
// interns the names of render systems, so that the world's string table does not depend on the number of frames drawn.
// Assets and names are handled from the second tick on, because existing recordings were made that way.
void plugins_begin_tick(plugins_o *p) {
  world_o *w = p->world;
  if (getpid() != p->process)
    plugins_mark_forked(p);
  plugins_start_threads(p);
  for (uint32_t i = 0; i < p->list.count && world_tick(w) > 0; ++i) {
    plugin_t *x = p->list.items[i];
    plugin_sweep_assets(x);
    for (uint32_t k = 0; k < x->run_count; ++k) {
      const run_t *r = &x->runs[k];
      bool due = r->def->interval_ticks <= 1 || world_tick(w) % r->def->interval_ticks == 0;
      if (r->phase == PHASE_RENDER && r->ready && !r->parked && due)
        strings_intern(world_strings(w), r->name);
    }
  }
}

// --- functions for the host

bool plugins_are_open(const plugins_o *p) {
  return p->list.count > 0;
}

bool plugins_have_systems(const plugins_o *p) {
  for (uint32_t i = 0; i < p->list.count; ++i)
    for (uint32_t k = 0; k < p->list.items[i]->run_count; ++k)
      if (!p->list.items[i]->runs[k].parked)
        return true;
  return false;
}

bool plugins_find_unknown_columns(const plugins_o *p, const char *system, char *out, size_t bytes) {
  for (uint32_t i = 0; i < p->list.count; ++i)
    for (uint32_t k = 0; k < p->list.items[i]->run_count; ++k) {
      const run_t *r = &p->list.items[i]->runs[k];
      for (uint32_t t = 0; t < r->rows.term_count && strcmp(r->name, system) == 0; ++t)
        if (!r->rows.terms[t].bound && r->rows.terms[t].role != QUERY_WITHOUT) {
          snprintf(out, bytes, "%s", r->rows.shown[t].name);
          return true;
        }
    }
  return false;
}

void plugins_mark_forked(plugins_o *p) {
  p->desc.copied = true;
  for (uint32_t i = 0; i < p->list.count; ++i) {
    plugin_t *x = p->list.items[i];
    for (uint32_t k = 0; k < x->bound_count && plugin_is_inactive(x); ++k)
      plugin_binding_at(x, k)->unreliable = true; // prevents calls to the component's manager
  }
}

bool plugins_called_external(const plugins_o *p) {
  return p->called_external;
}

bool plugins_need_reload(plugins_o *p, char *out, size_t out_bytes) {
  for (uint32_t i = 0; i < p->list.count; ++i) {
    const plugin_t *x = p->list.items[i];
    plugin_t now = {0};
    snprintf(now.path, sizeof now.path, "%s", x->path);
    bool same = !plugin_read_library(p, &now, NULL) || now.hash == x->hash;
    plugin_free_library_bytes(p, &now);
    snprintf(out, out_bytes, "%s.so", x->name);
    if (!same)
      return true;
  }
  for (uint32_t i = 1; i <= world_manager_count(p->world); ++i) {
    const manager_o *m = world_manager(p->world, i);
    snprintf(out, out_bytes, "plugin of %s", m->schema.name);
    if (m->kept.size > 0)
      return true;
  }
  return false;
}

void plugins_test_managers(plugins_o *p) {
  for (uint32_t i = 0; i < p->list.count; ++i)
    plugin_test_managers(p->list.items[i]);
}

bool plugins_check_managers(const plugins_o *p, const plugins_o *before, error_info_t *error) {
  for (uint32_t i = 0; i < p->list.count; ++i) {
    const plugin_t *x = p->list.items[i], *older = plugins_find(before, x->name);
    bool known = older && older->hash == x->hash && older->manager_error.text[0];
    if (x->manager_error.text[0] && !known)
      return error_set(error, "plugin %s: %s", x->name, x->manager_error.text);
  }
  return true;
}

bool plugins_find_difference(const plugins_o *now, const plugins_o *before, uint32_t i, char *out, size_t out_bytes) {
  for (uint32_t k = 0; k < now->list.count + before->list.count; ++k) {
    bool mine = k < now->list.count;
    const plugin_t *x = mine ? now->list.items[k] : before->list.items[k - now->list.count];
    const plugin_t *other = plugins_find(mine ? before : now, x->name);
    bool differs = mine ? !other || other->hash != x->hash : !other;
    if (!differs || i-- > 0)
      continue;
    snprintf(out, out_bytes, "%s.so", x->name);
    return true;
  }
  return false;
}

const char *plugins_path(const plugins_o *p, uint32_t i) {
  return i < p->list.count ? p->list.items[i]->path : NULL;
}

const char *plugins_folder(const plugins_o *p, uint32_t i) {
  return i < p->folder_count ? p->folders[i] : NULL;
}
