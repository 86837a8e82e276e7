// Opens plugins by name and by path, each after the plugins that it needs. During a reload, the previous library is
// used for a plugin that cannot be opened.
#include "plugin/open.h"

#include "base/assert.h"
#include "base/file_status.h"
#include "process/child.h"
#include "base/files.h"
#include "base/library_names.h"
#include "base/nearest_name.h"
#include "plugin/declaration_check.h"
#include "plugin/instance.h"
#include "plugin/library.h"
#include "plugin/report.h"
#include "plugin/system_binding.h"

#include <stdio.h>
#include <string.h>

// --- progress reports of the child in which plugins are tried (plugin/probe.c)

static void report_opening(plugins_o *plugins, const plugin_t *plugin) {
  if (plugins->quiet)
    child_write(plugins->progress, &(open_progress_t){.hash = plugin->hash}, sizeof(open_progress_t));
}

// Called in the child of a probe: reports a plugin that failed after its components were declared, if a different
// previous library exists. The parent then uses the previous library without trying the rejected library again.
static void report_rejected(plugins_o *plugins, const plugin_t *plugin, const error_info_t *error) {
  const plugin_t *previous = plugin_previous_instance(plugin);
  open_progress_t progress = {.hash = plugin->hash};
  if (!plugins->quiet || !previous || previous->hash == plugin->hash)
    return;
  progress.rejected.hash = plugin->hash;
  snprintf(progress.rejected.reason, sizeof progress.rejected.reason, "%.500s", error->text);
  child_write(plugins->progress, &progress, sizeof progress);
}

// --- opening a library

static bool is_missing_name(const plugins_o *plugins, const char *name) {
  for (uint32_t i = 0; i < plugins->missing.count; ++i)
    if (strcmp(plugins->missing.items[i], name) == 0)
      return true;
  return false;
}

static void add_missing_name(plugins_o *plugins, const char *name) {
  char *copy = alloc_copy_text(&plugins->memory, name);
  array_push(&plugins->memory, &plugins->missing, copy);
}

static const rejected_library_t *find_rejected(const plugins_o *plugins, uint64_t hash) {
  for (uint32_t i = 0; i < plugins->rejected.count; ++i)
    if (plugins->rejected.items[i].hash == hash)
      return &plugins->rejected.items[i];
  return NULL;
}

static bool open_dependencies(plugins_o *plugins, plugin_t *plugin, error_info_t *error);

// Parks systems that crashed in the previous game if their library is unchanged.
static void park_crashing_systems(plugins_o *plugins, plugin_t *plugin) {
  const plugin_t *previous = plugins_find(plugins->desc.previous, plugin->name);
  for (uint32_t i = 0; previous && previous->hash == plugin->hash && i < plugin->run_count; ++i)
    if (previous->runs[i].crashes)
      plugin_park_crashing_system(plugins, &plugin->runs[i], "the system crashed before the reload");
}

// Opens a plugin whose library has been read into memory. Returns true on success, or false with a message.
static bool open_plugin_from_memory(plugins_o *plugins, plugin_t *plugin, error_info_t *error) {
  const rejected_library_t *rejected = find_rejected(plugins, plugin->hash);
  if (rejected)
    return error_set(error, "%s", rejected->reason);
  report_opening(plugins, plugin);
  if (!plugin_load_library(plugins, plugin, error))
    return false;
  bool ok = plugin_check_declarations(plugins, plugin, error) && open_dependencies(plugins, plugin, error);
  report_opening(plugins, plugin);
  if (ok) {
    ok = plugin_begin_instance(plugins, plugin, error);
    if (ok)
      park_crashing_systems(plugins, plugin);
    else
      plugin_end_instance(plugins, plugin);
    if (!ok)
      report_rejected(plugins, plugin, error);
  }
  if (!ok)
    plugin_unload_library(plugin);
  return ok;
}

// Opens the previous game's library of the plugin, unless it is the library that failed. `reason` is the reason for the
// failure, including the path. Returns true on success, or false if no library could be opened.
static bool open_previous_library(plugins_o *plugins, plugin_t *plugin, const char *reason) {
  const plugin_t *previous = plugins_find(plugins->desc.previous, plugin->name);
  error_info_t error;
  if (!previous || (plugin->bytes && previous->hash == plugin->hash))
    return false;
  plugin_free_library_bytes(plugins, plugin);
  plugin->bytes = memcpy(alloc_resize(&plugins->memory, NULL, 0, previous->size + 1), previous->bytes, previous->size);
  plugin->bytes[previous->size] = 0;
  plugin->size = previous->size;
  plugin->hash = previous->hash;
  if (!open_plugin_from_memory(plugins, plugin, &error))
    return false;
  if (!plugins->desc.reuses_libraries)
    plugin_report(plugins, plugin->name, "%s: the previous library stays in use", reason);
  return true;
}

static void free_plugin(plugins_o *plugins, plugin_t *plugin) {
  if (plugin->thread_stuck) { // leak the plugin's memory: the thread still uses it
    plugins->leaks_on_exit = true;
    return;
  }
  plugin_unload_library(plugin);
  file_free(&plugins->memory, (char *)plugin->bytes, plugin->size);
  alloc_resize(&plugins->memory, plugin->ended_context, sizeof *plugin->ended_context, 0);
  alloc_resize(&plugins->memory, plugin, sizeof *plugin, 0);
}

static void prepend_path_to_error(error_info_t *error, const char *path) {
  error_info_t original = *error;
  error_set(error, "%s: %s", path, original.text);
}

static bool open_plugin(plugins_o *plugins, const char *name, const char *path) {
  shoal_assert(!plugins_find(plugins, name), "plugin %s is opened twice", name);
  error_info_t error = {0};
  plugin_t *plugin = alloc_resize(&plugins->memory, NULL, 0, sizeof *plugin);
  *plugin = (plugin_t){.plugins = plugins};
  snprintf(plugin->name, sizeof plugin->name, "%s", name);
  snprintf(plugin->path, sizeof plugin->path, "%s", path);
  plugin->ended_context = alloc_resize(&plugins->memory, NULL, 0, sizeof *plugin->ended_context);
  *plugin->ended_context = plugin_build_context(plugin, PLUGIN_CALL_ENDED);
  array_push(&plugins->memory, &plugins->opening, plugin);
  bool is_unreadable = !plugins->desc.reuses_libraries && !plugin_read_library(plugins, plugin, &error);
  bool ok = !plugins->desc.reuses_libraries && !is_unreadable && open_plugin_from_memory(plugins, plugin, &error);
  if (!ok && !is_unreadable)
    prepend_path_to_error(&error, path); // errors of plugin_read_library contain the path
  ok = ok || open_previous_library(plugins, plugin, error.text);
  shoal_assert(plugins->opening.items[plugins->opening.count - 1] == plugin,
               "plugin %s must be the plugin that is being opened", plugin->name);
  plugins->opening.count--;
  if (ok) {
    array_push(&plugins->memory, &plugins->list, plugin);
    return true;
  }
  const plugins_crashed_t *crashed = &plugins->desc.crashed;
  if (crashed->hash == 0 || crashed->hash != plugin->hash || !crashed->is_reported)
    plugin_report(plugins, name, "%s", error.text);
  add_missing_name(plugins, name);
  free_plugin(plugins, plugin);
  return false;
}

// --- opening by name

// Detects cycles in .dependencies. Returns true if the plugin `name` is already being opened. The message shows the
// cycle as "a → b → a".
static bool reject_cycle(plugins_o *plugins, const char *name, error_info_t *error) {
  char cycle[600] = "";
  size_t length = 0;
  bool in_cycle = false;
  for (uint32_t i = 0; i < plugins->opening.count; ++i) {
    in_cycle |= strcmp(plugins->opening.items[i]->name, name) == 0;
    if (in_cycle && length < sizeof cycle - 80)
      length += (size_t)snprintf(cycle + length, sizeof cycle - length, "%s → ", plugins->opening.items[i]->name);
  }
  return in_cycle && !error_set(error, "cyclic .dependencies: %s%s", cycle, name);
}

static const char *format_plugin_hint(plugins_o *plugins, const char *name, char *out, uint32_t out_bytes) {
  nearest_name_t nearest;
  nearest_name_init(&nearest, name);
  for (uint32_t i = 0; i < plugins->folder_count; ++i) {
    file_list_t list = {0};
    if (!file_list(&plugins->memory, plugins->folders[i], library_suffix(), &list, NULL))
      continue;
    for (uint32_t k = 0; k < list.count; ++k) {
      char plugin_name[NEAREST_NAME_MAX_BYTES];
      const char *slash = strrchr(list.paths[k], '/'), *file_name = slash ? slash + 1 : list.paths[k];
      snprintf(plugin_name, sizeof plugin_name, "%.*s", (int)(strlen(file_name) - strlen(library_suffix())), file_name);
      nearest_name_offer(&nearest, plugin_name);
    }
    file_list_free(&plugins->memory, &list);
  }
  return nearest_name_hint(&nearest, out, out_bytes);
}

static bool open_plugin_by_name(plugins_o *plugins, const char *name, error_info_t *error) {
  char path[PLUGIN_PATH_MAX], folder_list[700] = "";
  size_t length = 0;
  if (plugins_find(plugins, name))
    return true;
  if (reject_cycle(plugins, name, error))
    return false;
  if (is_missing_name(plugins, name))
    return error_set(error, "cannot open plugin %s: see the error in the log", name);
  if (plugin_find_library(plugins, name, path) || plugins_find(plugins->desc.previous, name)) {
    if (!path[0])
      snprintf(path, sizeof path, "%s", plugins_find(plugins->desc.previous, name)->path);
    return open_plugin(plugins, name, path) ||
           error_set(error, "cannot open plugin %s: see the error in the log", name);
  }
  for (uint32_t i = 0; i < plugins->folder_count && length < sizeof folder_list; ++i)
    length +=
        (size_t)snprintf(folder_list + length, sizeof folder_list - length, "%s%s", i ? ", " : "", plugins->folders[i]);
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  if (plugin_find_foreign_library(plugins, name, path))
    plugin_report(plugins, name, "%s is a library for a different system: build the plugin for this system", path);
  else
    plugin_report(plugins, name, "%s%s not found (searched %s)%s", name, library_suffix(), folder_list,
                  format_plugin_hint(plugins, name, hint, sizeof hint));
  add_missing_name(plugins, name);
  return error_set(error, "plugin %s not found", name);
}

static bool open_dependencies(plugins_o *plugins, plugin_t *plugin, error_info_t *error) {
  error_info_t dependency_error;
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && plugin->def->dependencies[i]; ++i)
    if (!open_plugin_by_name(plugins, plugin->def->dependencies[i], &dependency_error))
      return error_set(error, "cannot open plugin %s of .dependencies: %.800s", plugin->def->dependencies[i],
                       dependency_error.text);
  return true;
}

// --- opening by path

static bool is_same_file(const char *a_path, const char *b_path) {
  file_status_t a, b;
  return file_status(a_path, &a) && file_status(b_path, &b) && file_status_is_same(&a, &b);
}

// Opens the library …/NAME.so as the plugin NAME. Reports a conflict if a different file has been opened under this
// name.
static void open_plugin_file(plugins_o *plugins, const char *path) {
  char name[COMPONENT_NAME_MAX];
  const char *slash = strrchr(path, '/');
  const char *file_name = slash ? slash + 1 : path;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(file_name, "."), file_name);
  const plugin_t *existing = plugins_find(plugins, name);
  if (existing && !is_same_file(existing->path, path))
    plugin_report(plugins, name, "%s: two plugins are named %s (the other file is %s): remove one of them", path, name,
                  existing->path);
  if (!existing && !is_missing_name(plugins, name))
    open_plugin(plugins, name, path);
}

static void open_extra_plugins(plugins_o *plugins, const char *path) {
  file_list_t list = {0};
  char file[PLUGIN_PATH_MAX];
  error_info_t error;
  if (!file_is_folder(path)) {
    open_plugin_file(plugins, path);
    return;
  }
  if (!file_list(&plugins->memory, path, library_suffix(), &list, &error)) {
    plugin_report(plugins, path, "%s", error.text);
    return;
  }
  for (uint32_t i = 0; i < list.count; ++i)
    open_plugin_file(plugins, path_join(file, sizeof file, path, list.paths[i]));
  file_list_free(&plugins->memory, &list);
}

// --- all plugins

void plugin_open_all(plugins_o *plugins, const char *const *names, uint32_t count) {
  error_info_t error;
  for (uint32_t i = 0; i < count; ++i)
    open_plugin_by_name(plugins, names[i], &error);
  for (uint32_t i = 0; i < plugins->desc.extra_count; ++i)
    open_extra_plugins(plugins, plugins->desc.extra[i]);
  array_free(&plugins->memory, &plugins->opening);
}

void plugin_close_all(plugins_o *plugins) {
  shoal_assert(!plugins->in_parallel_for, "cannot close plugins while parts of shoal_parallel_for run");
  shoal_assert(plugins->opening.count == 0, "cannot close plugins while one is being opened");
  while (plugins->list.count > 0) {
    plugin_t *plugin = plugins->list.items[--plugins->list.count];
    plugin_end_instance(plugins, plugin);
    free_plugin(plugins, plugin);
  }
  for (uint32_t i = 0; i < plugins->missing.count; ++i)
    alloc_resize(&plugins->memory, plugins->missing.items[i], strlen(plugins->missing.items[i]) + 1, 0);
  plugins->missing.count = 0;
}
