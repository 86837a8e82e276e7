// Opens plugins by name and by path, each after the plugins that it needs. During a reload, the previous library is
// used for a plugin that cannot be opened.
#include "plugin/open.h"

#include "base/assert.h"
#include "process/child.h"
#include "base/files.h"
#include "base/nearest_name.h"
#include "plugin/declaration_check.h"
#include "plugin/instance.h"
#include "plugin/library.h"
#include "plugin/report.h"
#include "plugin/system_binding.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// --- progress reports of the child in which plugins are tried (plugin/probe.c)

static void report_opening(plugins_o *p, const plugin_t *x) {
  if (p->quiet)
    child_write(p->progress, &(open_progress_t){.hash = x->hash}, sizeof(open_progress_t));
}

// In the child: reports a plugin that failed after its components were declared. The parent then uses the previous
// library without trying the rejected library again.
static void report_rejected(plugins_o *p, const plugin_t *x, const error_info_t *error) {
  const plugin_t *older = plugin_previous_instance(x);
  open_progress_t line = {.hash = x->hash};
  if (!p->quiet || !older || older->hash == x->hash)
    return;
  line.refused.hash = x->hash;
  snprintf(line.refused.why, sizeof line.refused.why, "%.500s", error->text);
  child_write(p->progress, &line, sizeof line);
}

// --- opening a library

static bool is_missing_name(const plugins_o *p, const char *name) {
  for (uint32_t i = 0; i < p->missing.count; ++i)
    if (strcmp(p->missing.items[i], name) == 0)
      return true;
  return false;
}

static void add_missing_name(plugins_o *p, const char *name) {
  char *copy = alloc_copy_text(&p->memory, name);
  array_push(&p->memory, &p->missing, copy);
}

static const refused_library_t *find_rejected(const plugins_o *p, uint64_t hash) {
  for (uint32_t i = 0; i < p->refused.count; ++i)
    if (p->refused.items[i].hash == hash)
      return &p->refused.items[i];
  return NULL;
}

static bool open_dependencies(plugins_o *p, plugin_t *x, error_info_t *error);

// Parks systems that crashed in the previous game if their library is unchanged.
static void park_crashing_systems(plugins_o *p, plugin_t *x) {
  const plugin_t *older = plugins_find(p->desc.before, x->name);
  for (uint32_t i = 0; older && older->hash == x->hash && i < x->run_count; ++i)
    if (older->runs[i].crashes)
      plugin_park_crashing_system(p, &x->runs[i], "the system crashed before the reload");
}

// Opens a plugin whose library has been read into memory. Returns false with a message on failure.
static bool open_plugin_from_memory(plugins_o *p, plugin_t *x, error_info_t *error) {
  const refused_library_t *refused = find_rejected(p, x->hash);
  if (refused)
    return error_set(error, "%s", refused->why);
  report_opening(p, x);
  if (!plugin_load_library(p, x, error))
    return false;
  bool ok = plugin_check_declarations(p, x, error) && open_dependencies(p, x, error);
  report_opening(p, x);
  if (ok) {
    ok = plugin_begin_instance(p, x, error);
    if (ok)
      park_crashing_systems(p, x);
    else
      plugin_end_instance(p, x);
    if (!ok)
      report_rejected(p, x, error);
  }
  if (!ok)
    plugin_unload_library(x);
  return ok;
}

// Opens the previous game's library of the plugin, unless that library is the one that failed. `why` is the reason for
// the failure, including the path. Returns false if no library could be opened.
static bool open_previous_library(plugins_o *p, plugin_t *x, const char *why) {
  const plugin_t *older = plugins_find(p->desc.before, x->name);
  error_info_t error;
  if (!older || (x->bytes && older->hash == x->hash))
    return false;
  plugin_free_library_bytes(p, x);
  x->bytes = memcpy(alloc_resize(&p->memory, NULL, 0, older->size + 1), older->bytes, older->size);
  x->bytes[older->size] = 0;
  x->size = older->size;
  x->hash = older->hash;
  if (!open_plugin_from_memory(p, x, &error))
    return false;
  if (!p->desc.as_before)
    plugin_report(p, x->name, "%s: the previous library stays in use", why);
  return true;
}

static void free_plugin(plugins_o *p, plugin_t *x) {
  if (x->thread_stuck) { // leak the plugin's memory: the thread still uses it
    p->leaks_on_exit = true;
    return;
  }
  plugin_unload_library(x);
  file_free(&p->memory, (char *)x->bytes, x->size);
  alloc_resize(&p->memory, x->ended_context, sizeof *x->ended_context, 0);
  alloc_resize(&p->memory, x, sizeof *x, 0);
}

static void append_path_to_error(error_info_t *error, const char *path) {
  error_info_t before = *error;
  error_set(error, "%s: %s", path, before.text);
}

static bool open_plugin(plugins_o *p, const char *name, const char *path) {
  shoal_assert(!plugins_find(p, name), "plugin %s is opened twice", name);
  error_info_t error = {0};
  plugin_t *x = alloc_resize(&p->memory, NULL, 0, sizeof *x);
  *x = (plugin_t){.plugins = p};
  snprintf(x->name, sizeof x->name, "%s", name);
  snprintf(x->path, sizeof x->path, "%s", path);
  x->ended_context = alloc_resize(&p->memory, NULL, 0, sizeof *x->ended_context);
  *x->ended_context = plugin_build_context(x, WHERE_ENDED);
  array_push(&p->memory, &p->opening, x);
  bool is_unreadable = !p->desc.as_before && !plugin_read_library(p, x, &error);
  bool ok = !p->desc.as_before && !is_unreadable && open_plugin_from_memory(p, x, &error);
  if (!ok && !is_unreadable)
    append_path_to_error(&error, path); // errors of plugin_read_library contain the path
  ok = ok || open_previous_library(p, x, error.text);
  shoal_assert(p->opening.items[p->opening.count - 1] == x, "plugin %s must be the plugin that is being opened",
               x->name);
  p->opening.count--;
  if (ok) {
    array_push(&p->memory, &p->list, x);
    return true;
  }
  plugin_report(p, name, "%s", error.text);
  add_missing_name(p, name);
  free_plugin(p, x);
  return false;
}

// --- opening by name

// Detects cycles in .dependencies. Returns true if the plugin `name` is already being opened; the message shows the
// cycle as "a → b → a".
static bool reject_cycle(plugins_o *p, const char *name, error_info_t *error) {
  char cycle[600] = "";
  size_t used = 0;
  bool inside = false;
  for (uint32_t i = 0; i < p->opening.count; ++i) {
    inside |= strcmp(p->opening.items[i]->name, name) == 0;
    if (inside && used < sizeof cycle - 80)
      used += (size_t)snprintf(cycle + used, sizeof cycle - used, "%s → ", p->opening.items[i]->name);
  }
  return inside && !error_set(error, "cyclic .dependencies: %s%s", cycle, name);
}

static const char *format_plugin_hint(plugins_o *p, const char *name, char *out, uint32_t out_bytes) {
  nearest_name_t meant;
  nearest_name_init(&meant, name);
  for (uint32_t i = 0; i < p->folder_count; ++i) {
    file_list_t list = {0};
    if (!file_list(&p->memory, p->folders[i], ".so", &list, NULL))
      continue;
    for (uint32_t k = 0; k < list.count; ++k) {
      char known[SIMILAR_MAX];
      const char *slash = strrchr(list.paths[k], '/'), *base = slash ? slash + 1 : list.paths[k];
      snprintf(known, sizeof known, "%.*s", (int)(strlen(base) - strlen(".so")), base);
      nearest_name_offer(&meant, known);
    }
    file_list_free(&p->memory, &list);
  }
  return nearest_name_hint(&meant, out, out_bytes);
}

static bool open_plugin_by_name(plugins_o *p, const char *name, error_info_t *error) {
  char path[PLUGIN_PATH_MAX], searched[700] = "";
  size_t used = 0;
  if (plugins_find(p, name))
    return true;
  if (reject_cycle(p, name, error))
    return false;
  if (is_missing_name(p, name))
    return error_set(error, "cannot open plugin %s: see the error in the log", name);
  if (plugin_find_library(p, name, path) || plugins_find(p->desc.before, name)) {
    if (!path[0])
      snprintf(path, sizeof path, "%s", plugins_find(p->desc.before, name)->path);
    return open_plugin(p, name, path) || error_set(error, "cannot open plugin %s: see the error in the log", name);
  }
  for (uint32_t i = 0; i < p->folder_count && used < sizeof searched; ++i)
    used += (size_t)snprintf(searched + used, sizeof searched - used, "%s%s", i ? ", " : "", p->folders[i]);
  char hint[SIMILAR_MAX + 32];
  plugin_report(p, name, "%s.so not found (searched %s)%s", name, searched,
                format_plugin_hint(p, name, hint, sizeof hint));
  add_missing_name(p, name);
  return error_set(error, "plugin %s not found", name);
}

static bool open_dependencies(plugins_o *p, plugin_t *x, error_info_t *error) {
  error_info_t why;
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && x->def->dependencies[i]; ++i)
    if (!open_plugin_by_name(p, x->def->dependencies[i], &why))
      return error_set(error, "cannot open plugin %s of .dependencies: %.800s", x->def->dependencies[i], why.text);
  return true;
}

// --- opening by path

static bool is_same_file(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

// Opens the library …/NAME.so as the plugin NAME.
static void open_plugin_file(plugins_o *p, const char *path) {
  char name[COMPONENT_NAME_MAX];
  const char *slash = strrchr(path, '/');
  const char *base = slash ? slash + 1 : path;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(base, "."), base);
  const plugin_t *there = plugins_find(p, name);
  if (there && !is_same_file(there->path, path))
    plugin_report(p, name, "%s: two plugins are named %s (the other file is %s): remove one of them", path, name,
                  there->path);
  if (!there && !is_missing_name(p, name))
    open_plugin(p, name, path);
}

static void open_extra_plugins(plugins_o *p, const char *path) {
  file_list_t list = {0};
  char file[PLUGIN_PATH_MAX];
  error_info_t error;
  if (!file_is_folder(path)) {
    open_plugin_file(p, path);
    return;
  }
  if (!file_list(&p->memory, path, ".so", &list, &error)) {
    plugin_report(p, path, "%s", error.text);
    return;
  }
  for (uint32_t i = 0; i < list.count; ++i)
    open_plugin_file(p, path_join(file, sizeof file, path, list.paths[i]));
  file_list_free(&p->memory, &list);
}

// --- all plugins

void plugin_open_all(plugins_o *p, const char *const *names, uint32_t count) {
  error_info_t error;
  for (uint32_t i = 0; i < count; ++i)
    open_plugin_by_name(p, names[i], &error);
  for (uint32_t i = 0; i < p->desc.extra_count; ++i)
    open_extra_plugins(p, p->desc.extra[i]);
  array_free(&p->memory, &p->opening);
}

void plugin_close_all(plugins_o *p) {
  shoal_assert(!p->in_parallel_for, "cannot close plugins while parts of shoal_parallel_for run");
  shoal_assert(p->opening.count == 0, "cannot close plugins while one is being opened");
  while (p->list.count > 0) {
    plugin_t *x = p->list.items[--p->list.count];
    plugin_end_instance(p, x);
    free_plugin(p, x);
  }
  for (uint32_t i = 0; i < p->missing.count; ++i)
    alloc_resize(&p->memory, p->missing.items[i], strlen(p->missing.items[i]) + 1, 0);
  p->missing.count = 0;
}
