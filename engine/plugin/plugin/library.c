// Finds, copies, opens and checks the library files of plugins. Each library is opened as a copy with a unique name,
// for two reasons: the system loads a library of the same name only once, and a mapped file must not be overwritten.
#include "plugin/library.h"

#include "base/assert.h"
#include "base/dynamic_library.h"
#include "base/exact_math.h"
#include "base/file_system.h"
#include "base/files.h"
#include "base/folder_reader.h"
#include "base/hash.h"
#include "base/library_names.h"
#include "base/sort.h"
#include "base/user_folders.h"
#include "crash/code_location.h"
#include "crash/symbols.h"
#include "plugin/guarded_call.h"
#include "plugin/row_check.h"
#include "process/child.h"

#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- search

bool plugins_is_library(const char *path) {
  return path_ends_with(path, library_suffix());
}

// Looks for the library NAME in FOLDER and in FOLDER/NAME. Returns true and stores its path if it exists, or false if
// neither folder contains it.
static bool find_in_folder(const char *folder, const char *name, const char *suffix, char *path) {
  return (snprintf(path, PLUGIN_PATH_MAX, "%s/%s%s", folder, name, suffix) < (int)PLUGIN_PATH_MAX &&
          file_exists(path)) ||
         (snprintf(path, PLUGIN_PATH_MAX, "%s/%s/%s%s", folder, name, name, suffix) < (int)PLUGIN_PATH_MAX &&
          file_exists(path));
}

static bool find_library(const plugins_o *plugins, const char *name, const char *suffix, char *path) {
  for (uint32_t i = 0; i < plugins->folder_count; ++i)
    if (find_in_folder(plugins->folders[i], name, suffix, path))
      return true;
  path[0] = 0;
  return false;
}

bool plugin_find_library(plugins_o *plugins, const char *name, char *path) {
  return find_library(plugins, name, library_suffix(), path);
}

bool plugin_find_foreign_library(plugins_o *plugins, const char *name, char *path) {
  static const char *const SUFFIXES[] = {".so", ".dll", ".dylib"};
  for (size_t i = 0; i < sizeof SUFFIXES / sizeof *SUFFIXES; ++i)
    if (strcmp(SUFFIXES[i], library_suffix()) != 0 && find_library(plugins, name, SUFFIXES[i], path))
      return true;
  return false;
}

bool plugin_read_library(plugins_o *plugins, plugin_t *plugin, error_info_t *error) {
  shoal_assert(!plugin->bytes, "the library of %s is already loaded", plugin->name);
  size_t size = 0;
  char *bytes = file_read(&plugins->memory, plugin->path, &size, error);
  if (!bytes)
    return false;
  plugin->bytes = (uint8_t *)bytes;
  plugin->size = size;
  plugin->hash = hash_bytes(bytes, size, 0);
  return true;
}

void plugin_free_library_bytes(plugins_o *plugins, plugin_t *plugin) {
  file_free(&plugins->memory, (char *)plugin->bytes, plugin->size);
  plugin->bytes = NULL;
  plugin->size = 0;
}

// --- handshake: reads and checks the exported shoal_export

typedef struct size_check_t {
  const char *type;
  uint32_t plugin_bytes, host_bytes;
} size_check_t;

// Returns true if the library's shoal_component has the member `required`, or false if the library was built before
// that member was appended.
static bool declares_required(const shoal_export *exported) {
  return exported->component_bytes != offsetof(shoal_component, required);
}

static bool check_sizes(const shoal_export *exported, error_info_t *error) {
  bool has_required = declares_required(exported);
  const size_check_t checks[] = {
      {"a pointer", exported->pointer_bytes, sizeof(void *)},
      {"a size_t", exported->size_bytes, sizeof(size_t)},
      {"an enum", exported->enum_bytes, sizeof(shoal_component_kind)},
      {"shoal_plugin", exported->plugin_bytes, sizeof(shoal_plugin)},
      {"shoal_component", has_required ? exported->component_bytes : sizeof(shoal_component), sizeof(shoal_component)},
      {"shoal_field", exported->field_bytes, sizeof(shoal_field)},
      {"shoal_manager", exported->manager_bytes, sizeof(shoal_manager)},
      {"shoal_system", exported->system_bytes, sizeof(shoal_system)},
      {"shoal_function", exported->function_bytes, sizeof(shoal_function)},
      {"shoal_view", exported->view_bytes, sizeof(shoal_view)},
      {"shoal_term", exported->term_bytes, sizeof(shoal_term)},
      {"shoal_rows", exported->table_bytes, sizeof(shoal_rows)},
      {"shoal_value", exported->value_bytes, sizeof(shoal_value)},
  };
  for (size_t i = 0; i < sizeof checks / sizeof checks[0]; ++i)
    if (checks[i].plugin_bytes != checks[i].host_bytes)
      return error_set(
          error, "%s has %u bytes in the plugin, but %u in Shoal: rebuild the plugin with Shoal's headers and flags",
          checks[i].type, checks[i].plugin_bytes, checks[i].host_bytes);
  return true;
}

#define FIRST_VERSION_WITH_THESE_NAMES 9u // first version whose plugin sources need no renaming, only a new build

static bool check_version(const shoal_export *exported, error_info_t *error) {
  if (exported->magic != SHOAL_EXPORT_MAGIC)
    return error_set(error, SHOAL_EXPORT_NAME " begins with %08x, expected %08x: the library is not a plugin",
                     exported->magic, SHOAL_EXPORT_MAGIC);
  if (exported->api_version != SHOAL_API_VERSION)
    return error_set(
        error, "the plugin was built for version %u of the plugin interface, but Shoal provides version %u: %s",
        exported->api_version, SHOAL_API_VERSION,
        exported->api_version > SHOAL_API_VERSION ? "update Shoal, or rebuild the plugin with these headers"
        : exported->api_version < FIRST_VERSION_WITH_THESE_NAMES
            ? "rename the words of its sources (engine/docs/stability.md#from-api-8-to-9), and rebuild the "
              "plugin"
            : "rebuild the plugin with the headers of this version");
  return exported->export_bytes == sizeof *exported ||
         error_set(error, "shoal_export has %u bytes in the plugin, but %zu in Shoal: rebuild the plugin",
                   exported->export_bytes, sizeof *exported);
}

static bool check_export(const shoal_export *exported, error_info_t *error) {
  if (!check_version(exported, error))
    return false;
  if (!check_sizes(exported, error))
    return false;
  if (exported->api_bytes > sizeof(shoal_api))
    return error_set(error,
                     "the plugin requires %u bytes of shoal_api, but Shoal provides %zu: update Shoal, or rebuild the "
                     "plugin for this version",
                     exported->api_bytes, sizeof(shoal_api));
  if (exported->math_bytes > sizeof(shoal_math))
    return error_set(error,
                     "the plugin requires %u bytes of shoal_math, but Shoal provides %zu: update Shoal, or rebuild the "
                     "plugin for this version",
                     exported->math_bytes, sizeof(shoal_math));
  if (exported->flags & SHOAL_BUILD_FAST_MATH)
    return error_set(error,
                     "the plugin was built with -ffast-math (flags %u, expected 0), so results would "
                     "differ between processors: build the plugin without -ffast-math",
                     exported->flags);
  if (exported->flags != 0)
    return error_set(error,
                     "the plugin was built with unknown flags (%u, expected 0): rebuild the plugin with the "
                     "headers of this version",
                     exported->flags);
  if (!exported->plugin || !exported->math)
    return error_set(error, SHOAL_EXPORT_NAME " contains no plugin: end the file with SHOAL_PLUGIN(…)");
  return true;
}

#define FUNCTION(name_, c_name_) .name_ = exact_##c_name_,
static const shoal_math MATH_FUNCTIONS = {SHOAL_MATH_UNARY(FUNCTION) SHOAL_MATH_BINARY(FUNCTION).qsort = sort_stable};

// --- copies of libraries

// Returns the id of the process that wrote a copy named shoal-PROCESS-GENERATION-NAME-XXXXXX.so, or 0 if the name has a
// different form.
static long parse_copy_owner(const char *name) {
  long process = 0;
  unsigned generation = 0;
  int length = 0;
  bool is_copy = sscanf(name, "shoal-%ld-%u-%n", &process, &generation, &length) == 2 && length > 0;
  return is_copy && path_ends_with(name, library_suffix()) ? process : 0;
}

void plugin_remove_stale_copies(void) {
  folder_reader_o *reader = folder_reader_open(user_folder_temporary());
  for (const char *name; reader && (name = folder_reader_next(reader, NULL));) {
    long process = parse_copy_owner(name);
    if (process > 0 && !process_exists(process))
      folder_reader_remove_file(reader, name);
  }
  folder_reader_close(reader);
}

static bool write_library_copy(const plugins_o *plugins, const plugin_t *plugin, char *path, size_t capacity,
                               error_info_t *error) {
  int length = snprintf(path, capacity, "%s/shoal-%ld-%u-%s-XXXXXX%s", user_folder_temporary(), process_id(),
                        plugins->generation, plugin->name, library_suffix());
  if (length < 0 || (size_t)length >= capacity)
    return error_set(error, "the path of the temporary folder is too long: set TMPDIR to a shorter path");
  int file = file_system_create_temporary(path, strlen(library_suffix()));
  if (file < 0)
    return error_set(error, "cannot create a copy of the library at %s: set TMPDIR to a writable folder", path);
  bool ok = file_write_all(file, plugin->bytes, plugin->size);
  file_system_close(file);
  if (ok)
    return true;
  remove(path);
  return error_set(
      error, "cannot write a copy of the library to %s: free disk space, or set TMPDIR to a different folder", path);
}

// Stores the loader's error message without the name of the copy, which is meaningless to users.
static void set_loader_error(const char *copy, error_info_t *error) {
  const char *message = dynamic_library_error();
  if (strncmp(message, copy, strlen(copy)) == 0)
    message += strlen(copy) + (message[strlen(copy)] == ':');
  error_set(error, "the dynamic loader cannot load the library: %.900s", message + strspn(message, " "));
}

typedef struct library_call_t {
  plugin_t *plugin;
  const char *path;
} library_call_t;

static void open_library_copy(void *data) {
  const library_call_t *call = data;
  call->plugin->library = dynamic_library_open(call->path);
}

static void close_library_copy(void *data) {
  dynamic_library_close(data);
}

// Warns about variables that keep values between ticks outside the world. The warning is not repeated while the library
// is unchanged.
static void warn_about_statics(const plugins_o *plugins, const plugin_t *plugin) {
  enum { MAX_SHOWN = 3 };
  symbols_static_t statics[MAX_SHOWN];
  const plugin_t *previous = plugins_find(plugins->desc.previous, plugin->name);
  if (plugins->quiet || (previous && previous->hash == plugin->hash))
    return;
  uint32_t count = symbols_find_statics(plugin->bytes, plugin->size, statics, MAX_SHOWN);
  for (uint32_t i = 0; i < count && i < MAX_SHOWN; ++i)
    log_warn(
        plugins->desc.log,
        "plugin %s: %s: writable static variable %s (%llu bytes): a reload resets it, and all worlds of the process "
        "share it: keep state in a column or a manager, keep scratch data in memory from shoal_realloc, or make the "
        "variable const",
        plugin->name, statics[i].file[0] ? statics[i].file : plugin->path, statics[i].name,
        (unsigned long long)statics[i].size_bytes);
  if (count > MAX_SHOWN)
    log_warn(plugins->desc.log, "plugin %s: %u more writable static variable%s: run nm %s to list them", plugin->name,
             count - MAX_SHOWN, count - MAX_SHOWN == 1 ? "" : "s", plugin->path);
}

// Returns the tick in which a reload opened the bytes of this library for the first time, or 0 if the library was
// opened at the start.
static uint64_t find_loaded_tick(const plugins_o *plugins, const plugin_t *plugin) {
  const plugin_t *previous = plugins_find(plugins->desc.previous, plugin->name);
  if (previous && previous->hash == plugin->hash)
    return previous->loaded_tick;
  return plugins->desc.previous ? world_tick(plugins->desc.previous->world) : 0;
}

bool plugin_load_library(plugins_o *plugins, plugin_t *plugin, error_info_t *error) {
  shoal_assert(!plugin->library, "the library of %s must be closed", plugin->name);
  char *copy = plugin->copy;
  fenv_t float_environment;
  if (!write_library_copy(plugins, plugin, copy, sizeof plugin->copy, error))
    return false;
  plugin->loaded_tick = find_loaded_tick(plugins, plugin);
  crash_library_add(&(crash_library_t){.name = plugin->name,
                                       .path = plugin->path,
                                       .copy_path = copy,
                                       .bytes = plugin->bytes,
                                       .size = plugin->size,
                                       .loaded_tick = plugin->loaded_tick});
  fegetenv(&float_environment); // the library's constructors may change the floating-point mode
  plugin_call_guarded(plugin, &(plugin_callee_t){PLUGIN_CALL_LOADING, "library constructors", NULL}, open_library_copy,
                      &(library_call_t){plugin, copy}, error);
  fesetenv(&float_environment);
  if (!plugin->library)
    set_loader_error(copy, error);
  plugin->keeps_copy = getenv("SHOAL_KEEP_LIBRARIES") != NULL;
  if (!plugin->keeps_copy || !plugin->library)
    remove(copy);
  if (!plugin->library) {
    crash_library_remove(copy);
    return false;
  }
  const shoal_export *exported = dynamic_library_find(plugin->library, SHOAL_EXPORT_NAME);
  if (!exported)
    error_set(error, "the library has no symbol " SHOAL_EXPORT_NAME ": end the file with SHOAL_PLUGIN(…)");
  bool ok = exported && check_export(exported, error);
  if (ok) {
    plugin->def = exported->plugin;
    plugin->guard = exported->guard;
    plugin->has_required = declares_required(exported);
    *exported->math = &MATH_FUNCTIONS;
    plugin->checks = plugin_install_row_check(plugin->library);
    warn_about_statics(plugins, plugin);
  } else {
    plugin_unload_library(plugin);
  }
  return ok;
}

// Returns true if the library must stay mapped until the process ends, because its own threads may still execute its
// code, or because sanitizers must be able to name its functions at exit.
static bool must_stay_mapped(const plugin_t *plugin) {
  if (plugin->keeps_copy)
    return true;
  if (plugin->undeclared_threads > 0 && !plugin->plugins->quiet)
    log_debug(plugin->plugins->desc.log,
              "plugin %s: the library stays mapped, because %u undeclared threads may still run", plugin->name,
              plugin->undeclared_threads);
  return plugin->undeclared_threads > 0;
}

void plugin_unload_library(plugin_t *plugin) {
  shoal_assert(!plugin->opened, "plugin %s must be closed before its library", plugin->name);
  error_info_t error;
  plugin->guard = NULL; // the guard is code in the library that is being unloaded
  if (plugin->library && !must_stay_mapped(plugin))
    plugin_call_guarded(plugin, &(plugin_callee_t){PLUGIN_CALL_LOADING, "library destructors", NULL},
                        close_library_copy, plugin->library, &error);
  if (plugin->library)
    crash_library_remove(plugin->copy);
  plugin->library = NULL;
  plugin->def = NULL;
}
