// The plugins of a game: opening, scheduling, binding, comparison with the previous game's plugins, closing.
#include "plugin/plugins.h"

#include "access/last_error.h"
#include "crash/symbols.h"
#include "base/assert.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/library_names.h"
#include "base/nearest_name.h"
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
#include "process/child.h"

#include <stdio.h>
#include <string.h>
#include <stdlib.h>

// --- life cycle

static void add_folder(plugins_o *plugins, const char *folder) {
  if (plugins->folder_count < PLUGINS_MAX_FOLDERS && strlen(folder) < PLUGIN_PATH_MAX)
    snprintf(plugins->folders[plugins->folder_count++], PLUGIN_PATH_MAX, "%s", folder);
}

// Adds the folder of a library specified by path to the search folders.
static void add_parent_folder(plugins_o *plugins, const char *path) {
  char folder[PLUGIN_PATH_MAX];
  const char *slash = strrchr(path, '/');
  if (!slash)
    snprintf(folder, sizeof folder, ".");
  else
    snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
  add_folder(plugins, folder);
}

plugins_o *plugins_create(const plugins_desc_t *desc) {
  shoal_assert(desc->world && desc->game_folder, "world and game_folder must not be NULL");
  shoal_assert(desc->previous || !desc->reuses_libraries, "reuses_libraries requires the plugins of a previous game");
  allocator_t memory = {0};
  plugins_o *plugins = alloc_resize(&memory, NULL, 0, sizeof *plugins);
  memset(plugins, 0, sizeof *plugins);
  plugins->memory = memory;
  plugins->desc = *desc;
  plugins->world = desc->world;
  plugins->thread = pthread_self();
  plugins->process = process_id();
  plugins->checks_races = getenv("SHOAL_CHECK_RACES") != NULL;
  plugins_register(plugins);
  plugins->generation = desc->previous ? desc->previous->generation + 1 : 0;
  for (uint32_t i = 0; i < desc->extra_count; ++i) {
    if (file_is_folder(desc->extra[i]))
      add_folder(plugins, desc->extra[i]);
    else
      add_parent_folder(plugins, desc->extra[i]);
  }
  path_join(plugins->game_folder, sizeof plugins->game_folder, desc->game_folder, "plugins");
  add_folder(plugins, plugins->game_folder);
  if (desc->shipped)
    add_folder(plugins, desc->shipped);
  if (desc->crashed.hash != 0) {
    rejected_library_t rejected = {.hash = desc->crashed.hash};
    snprintf(rejected.reason, sizeof rejected.reason, "%s", desc->crashed.reason);
    array_push(&plugins->memory, &plugins->rejected, rejected);
  }
  crash_install_handler_in_children();
  return plugins;
}

void plugins_add_folder(plugins_o *plugins, const char *folder) {
  for (uint32_t i = 0; i < plugins->folder_count; ++i)
    if (strcmp(plugins->folders[i], folder) == 0)
      return;
  add_folder(plugins, folder);
}

void plugins_destroy(plugins_o *plugins) {
  if (!plugins)
    return;
  for (uint32_t i = 0; i < plugins->report_count; ++i) // log the reports that the host has not read
    log_error(plugins->desc.log, "%s: %s", plugins->reports[i].piece, plugins->reports[i].message);
  plugin_close_all(plugins);
  plugins_unregister(plugins);
  plugin_free_chunks(plugins);
  array_free(&plugins->memory, &plugins->list);
  array_free(&plugins->memory, &plugins->missing);
  array_free(&plugins->memory, &plugins->rejected);
  if (plugins->leaks_on_exit) // leak this memory: a thread still uses it
    return;
  allocator_t memory = plugins->memory;
  alloc_resize(&memory, plugins, sizeof *plugins, 0);
  shoal_assert(memory.blocks == 0, "plugins leaked %zu bytes in %llu blocks", memory.bytes,
               (unsigned long long)memory.blocks);
}

// --- opening

// Returns true if these plugins are already running unchanged and therefore need no trial.
static bool has_same_plugins(plugins_o *plugins, const char *const *names, uint32_t count) {
  const plugins_o *previous = plugins->desc.previous;
  bool unchanged = previous != NULL && previous->missing.count == 0;
  for (uint32_t i = 0; i < count && unchanged; ++i)
    unchanged = plugins_find(previous, names[i]) != NULL;
  for (uint32_t i = 0; previous && i < previous->list.count && unchanged; ++i) {
    const plugin_t *running = previous->list.items[i];
    plugin_t current = {0};
    snprintf(current.path, sizeof current.path, "%s", running->path);
    unchanged = plugin_read_library(plugins, &current, NULL) && current.hash == running->hash;
    plugin_free_library_bytes(plugins, &current);
  }
  return unchanged;
}

// Logs that a plugin has been opened, unless the previous game ran the same library.
static void log_opened(const plugins_o *plugins, const plugin_t *plugin) {
  const plugin_t *previous = plugins_find(plugins->desc.previous, plugin->name);
  if (!previous || previous->hash != plugin->hash)
    log_info(plugins->desc.log, "plugin %s, version %u: %s", plugin->name, plugin->def->version, plugin->path);
}

void plugins_open(plugins_o *plugins, const char *const *names, uint32_t count) {
  if (plugins->is_open)
    return;
  plugins->is_open = true;
  if (count == 0 && plugins->desc.extra_count == 0)
    return;
  error_info_t error;
  if (!plugins_stop_threads(&error))
    log_error(plugins->desc.log, "%s", error.text);
  while (!plugins->desc.reuses_libraries && !has_same_plugins(plugins, names, count) &&
         plugin_probe_libraries(plugins, names, count))
    ;
  if (!plugins->desc.previous && !plugins->quiet)
    plugin_remove_stale_copies(); // also removes the copies of trials that just crashed
  plugin_open_all(plugins, names, count);
  for (uint32_t i = 0; i < plugins->list.count && !plugins->desc.reuses_libraries; ++i)
    log_opened(plugins, plugins->list.items[i]);
}

void plugins_set_screen(plugins_o *plugins, int width, int height) {
  shoal_assert(width > 0 && height > 0, "the logical screen size must be positive, got %d × %d", width, height);
  plugins->desc.width = width;
  plugins->desc.height = height;
}

// --- the schedule

// Replaces the names of the plugin's own systems with their full names ("heat.cool").
static void resolve_full_names(plugin_t *plugin, const char *const *names, const char **out) {
  uint32_t count = 0;
  for (; count < SHOAL_MAX_NAMES && names[count]; ++count) {
    out[count] = names[count];
    for (uint32_t i = 0; i < plugin->run_count; ++i)
      if (strcmp(plugin->runs[i].def->name, names[count]) == 0)
        out[count] = plugin->runs[i].name;
  }
  out[count] = NULL;
}

bool plugins_schedule(plugins_o *plugins, schedule_o *schedule, error_info_t *error) {
  const char *after[SHOAL_MAX_NAMES + 1], *before[SHOAL_MAX_NAMES + 1];
  for (uint32_t i = 0; i < plugins->list.count; ++i) {
    plugin_t *plugin = plugins->list.items[i];
    for (uint32_t k = 0; k < plugin->run_count; ++k) {
      run_t *run = &plugin->runs[k];
      resolve_full_names(plugin, run->def->after, after);
      resolve_full_names(plugin, run->def->before, before);
      system_desc_t desc = {.name = run->name,
                            .phase = run->phase,
                            .priority = run->def->priority,
                            .after = after,
                            .before = before,
                            .every = run->def->interval_ticks,
                            .run = plugin_run_system,
                            .context = run};
      if (!schedule_add_system(schedule, &desc, error))
        return false;
    }
  }
  return true;
}

static void offer_systems(const schedule_o *schedule, nearest_name_t *nearest) {
  for (phase_t phase = PHASE_INPUT; phase < PHASE_COUNT; ++phase)
    for (uint32_t i = 0; i < schedule_system_count(schedule, phase); ++i)
      nearest_name_offer(nearest, schedule_system_name(schedule, phase, i));
}

// Returns true if the name looks like a system of a plugin that this game does not use. Such a name has a dot, the part
// before the dot is not the name of an open plugin, and no system has a similar name.
static bool belongs_to_unused_plugin(const plugins_o *plugins, const char *name, const nearest_name_t *nearest) {
  const char *dot = strchr(name, '.');
  if (!dot || strncmp(name, "shoal.", 6) == 0 || nearest->best[0])
    return false;
  char plugin_name[COMPONENT_NAME_MAX];
  snprintf(plugin_name, sizeof plugin_name, "%.*s", (int)(dot - name), name);
  return !plugins_find(plugins, plugin_name);
}

static void check_order(plugin_t *plugin, const run_t *run, const schedule_o *schedule, bool is_after) {
  const char *names[SHOAL_MAX_NAMES + 1], *key = is_after ? "after" : "before";
  resolve_full_names(plugin, is_after ? run->def->after : run->def->before, names);
  for (uint32_t i = 0; names[i]; ++i) {
    char hint[NEAREST_NAME_MAX_BYTES + 32];
    nearest_name_t nearest;
    nearest_name_init(&nearest, names[i]);
    phase_t phase;
    uint32_t index;
    if (!schedule_find_system(schedule, names[i], &phase, &index))
      offer_systems(schedule, &nearest);
    bool is_impossible = is_after ? phase > run->phase : phase < run->phase;
    if (phase == PHASE_NONE && !belongs_to_unused_plugin(plugin->plugins, names[i], &nearest))
      plugin_report(plugin->plugins, run->name, ".%s: unknown system %.100s%s", key, names[i],
                    nearest_name_hint(&nearest, hint, sizeof hint));
    else if (phase != PHASE_NONE && is_impossible)
      plugin_report(plugin->plugins, run->name,
                    ".%s: system %.100s runs in phase %s, %s the phase of this system (%s): change .phase", key,
                    names[i], phase_name(phase), is_after ? "after" : "before", phase_name(run->phase));
  }
}

void plugins_check_order(plugins_o *plugins, const schedule_o *schedule) {
  for (uint32_t i = 0; i < plugins->list.count; ++i) {
    plugin_t *plugin = plugins->list.items[i];
    for (uint32_t k = 0; k < plugin->run_count; ++k) {
      check_order(plugin, &plugin->runs[k], schedule, true);
      check_order(plugin, &plugin->runs[k], schedule, false);
    }
  }
}

static void bind_used_components(plugins_o *plugins, plugin_t *plugin) {
  for (uint32_t i = 0; i < plugin->bound_count; ++i)
    if (!plugin_binding_at(plugin, i)->is_declared &&
        !access_match_binding(&plugin->access, &plugin_binding_at(plugin, i)->shared))
      plugin_report(plugins, plugin->name, "%s", access_error_text());
}

void plugins_bind(plugins_o *plugins) {
  error_info_t error;
  if (plugins->is_bound)
    return;
  plugins->is_bound = true;
  for (uint32_t i = 0; i < plugins->list.count; ++i) {
    plugin_t *plugin = plugins->list.items[i];
    bind_used_components(plugins, plugin);
    for (uint32_t k = 0; k < plugin->run_count; ++k)
      if (!plugin_bind_run(plugins, &plugin->runs[k], &error))
        plugin_fail_run(&plugin->runs[k], error.text);
  }
  plugins->desc.previous = NULL;
}

void plugins_declare_parallel(const plugins_o *plugins, schedule_o *schedule) {
  for (uint32_t i = 0; i < plugins->list.count; ++i)
    for (uint32_t k = 0; k < plugins->list.items[i]->run_count; ++k)
      plugin_declare_parallel(&plugins->list.items[i]->runs[k], schedule);
}

// Starts threads and jobs, and unloads unused assets. In a forked process, first marks the plugins as copied. Also
// interns the names of render systems, so that the world's string table does not depend on the number of frames drawn.
// Assets and names are handled only from the second tick, because existing recordings were made that way.
void plugins_begin_tick(plugins_o *plugins) {
  world_o *world = plugins->world;
  if (process_id() != plugins->process)
    plugins_mark_forked(plugins);
  plugins_start_threads(plugins);
  for (uint32_t i = 0; i < plugins->list.count && world_tick(world) > 0; ++i) {
    plugin_t *plugin = plugins->list.items[i];
    plugin_sweep_assets(plugin);
    for (uint32_t k = 0; k < plugin->run_count; ++k) {
      const run_t *run = &plugin->runs[k];
      bool is_due = run->def->interval_ticks <= 1 || world_tick(world) % run->def->interval_ticks == 0;
      if (run->phase == PHASE_RENDER && run->ready && !run->parked && is_due)
        strings_intern(world_strings(world), run->name);
    }
  }
}

// --- functions for the host

bool plugins_are_open(const plugins_o *plugins) {
  return plugins->list.count > 0;
}

bool plugins_have_systems(const plugins_o *plugins) {
  for (uint32_t i = 0; i < plugins->list.count; ++i)
    for (uint32_t k = 0; k < plugins->list.items[i]->run_count; ++k)
      if (!plugins->list.items[i]->runs[k].parked)
        return true;
  return false;
}

void plugins_mark_forked(plugins_o *plugins) {
  plugins->desc.forked = true;
  for (uint32_t i = 0; i < plugins->list.count; ++i) {
    plugin_t *plugin = plugins->list.items[i];
    for (uint32_t k = 0; k < plugin->bound_count && plugin_is_inactive(plugin); ++k)
      plugin_binding_at(plugin, k)->custom_manager.is_inactive = true;
  }
}

bool plugins_called_external(const plugins_o *plugins) {
  return plugins->called_external;
}

bool plugins_need_reload(plugins_o *plugins, char *out, size_t out_bytes) {
  for (uint32_t i = 0; i < plugins->list.count; ++i) {
    const plugin_t *plugin = plugins->list.items[i];
    plugin_t current = {0};
    snprintf(current.path, sizeof current.path, "%s", plugin->path);
    bool unchanged = !plugin_read_library(plugins, &current, NULL) || current.hash == plugin->hash;
    plugin_free_library_bytes(plugins, &current);
    snprintf(out, out_bytes, "%s%s", plugin->name, library_suffix());
    if (!unchanged)
      return true;
  }
  for (uint32_t i = 1; i <= world_manager_count(plugins->world); ++i) {
    const manager_o *manager = world_manager(plugins->world, i);
    snprintf(out, out_bytes, "plugin of %s", manager->schema.name);
    if (manager->foreign_storage.size > 0)
      return true;
  }
  return false;
}

void plugins_test_managers(plugins_o *plugins) {
  for (uint32_t i = 0; i < plugins->list.count; ++i)
    plugin_test_managers(plugins->list.items[i]);
}

bool plugins_check_managers(const plugins_o *plugins, const plugins_o *previous, error_info_t *error) {
  for (uint32_t i = 0; i < plugins->list.count; ++i) {
    const plugin_t *plugin = plugins->list.items[i], *earlier = plugins_find(previous, plugin->name);
    bool is_known = earlier && earlier->hash == plugin->hash && earlier->manager_error.text[0];
    if (plugin->manager_error.text[0] && !is_known)
      return error_set(error, "plugin %s: %s", plugin->name, plugin->manager_error.text);
  }
  return true;
}

bool plugins_find_difference(const plugins_o *current, const plugins_o *previous, uint32_t i, char *out,
                             size_t out_bytes) {
  for (uint32_t k = 0; k < current->list.count + previous->list.count; ++k) {
    bool is_current = k < current->list.count;
    const plugin_t *plugin = is_current ? current->list.items[k] : previous->list.items[k - current->list.count];
    const plugin_t *counterpart = plugins_find(is_current ? previous : current, plugin->name);
    bool differs = is_current ? !counterpart || counterpart->hash != plugin->hash : !counterpart;
    if (!differs || i-- > 0)
      continue;
    snprintf(out, out_bytes, "%s%s", plugin->name, library_suffix());
    return true;
  }
  return false;
}

// --- identity

static uint64_t hash_declared_text(const char *text, uint64_t hash) {
  return text ? hash_bytes(text, strlen(text) + 1, hash) : hash_bytes("", 1, hash + 1);
}

static uint64_t hash_declaration(const shoal_component *component, uint64_t hash) {
  const uint32_t numbers[] = {(uint32_t)component->kind, component->field_count, component->column_count,
                              component->manager ? component->manager->version + 1 : 0};
  hash = hash_bytes(numbers, sizeof numbers, hash_declared_text(component->name, hash));
  for (uint32_t i = 0; i < component->field_count; ++i) {
    const shoal_field *field = &component->fields[i];
    const uint32_t kind[] = {(uint32_t)field->type, field->flags};
    hash = hash_bytes(kind, sizeof kind, hash_declared_text(field->name, hash));
    hash = hash_bytes(&field->default_number, sizeof field->default_number, hash);
    hash = hash_bytes(field->default_vector, sizeof field->default_vector, hash);
    hash = hash_declared_text(field->default_string, hash);
  }
  return hash;
}

// Returns true if the plugin's code affects the simulation: it has observers, threads, systems outside the render
// phase, or functions that are not pure, whose results scripts use.
static bool takes_part_in_simulation(const plugin_t *plugin) {
  bool takes_part = plugin->def->observers != NULL || plugin->thread_count > 0;
  for (uint32_t i = 0; i < plugin->run_count; ++i)
    takes_part |= plugin->runs[i].phase != PHASE_RENDER;
  for (uint32_t i = 0; i < plugin->function_count; ++i)
    takes_part |= !plugin->def->functions[i].pure;
  return takes_part;
}

bool plugins_get_identity(const plugins_o *plugins, uint32_t i, plugin_identity_t *out) {
  if (i >= plugins->list.count)
    return false;
  const plugin_t *plugin = plugins->list.items[i];
  *out = (plugin_identity_t){
      .name = plugin->name, .version = plugin->def->version, .has_side_effects = plugin->def->has_side_effects};
  if (!plugin->def->on_restore && takes_part_in_simulation(plugin)) {
    symbols_static_t variable;
    uint32_t count = plugin->bytes ? symbols_find_statics(plugin->bytes, plugin->size, &variable, 1) : 0;
    out->has_hidden_state = plugin->state != NULL || count > 0;
    if (count > 0)
      snprintf(out->static_variable, sizeof out->static_variable, "%.80s%s%.64s%s", variable.name,
               variable.file[0] ? " (" : "", variable.file, variable.file[0] ? ")" : "");
  }
  for (uint32_t k = 0; plugin->def->components && plugin->def->components[k]; ++k)
    out->schema_hash = hash_declaration(plugin->def->components[k], out->schema_hash);
  return true;
}

const char *plugins_path(const plugins_o *plugins, uint32_t i) {
  return i < plugins->list.count ? plugins->list.items[i]->path : NULL;
}

const char *plugins_folder(const plugins_o *plugins, uint32_t i) {
  return i < plugins->folder_count ? plugins->folders[i] : NULL;
}
