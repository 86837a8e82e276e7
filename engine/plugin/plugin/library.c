// Finds, copies, opens and checks the library files of plugins. Each library is opened as a copy with a unique name,
// because dlopen does not load a second library of the same name, and because a mapped file must not be overwritten.
#include "plugin/library.h"

#include "base/assert.h"
#include "base/exact_math.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/sort.h"
#include "crash/code_location.h"
#include "crash/symbols.h"
#include "plugin/guarded_call.h"
#include "plugin/row_check.h"
#include "process/child.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY_SUFFIX ".so"

// --- search

bool plugins_is_library(const char *path) {
  return path_ends_with(path, LIBRARY_SUFFIX);
}

// Looks for FOLDER/NAME.so and FOLDER/NAME/NAME.so. Returns true if one exists, and stores its path.
static bool find_in_folder(const char *folder, const char *name, char *path) {
  return (snprintf(path, PLUGIN_PATH_MAX, "%s/%s" LIBRARY_SUFFIX, folder, name) < (int)PLUGIN_PATH_MAX &&
          file_exists(path)) ||
         (snprintf(path, PLUGIN_PATH_MAX, "%s/%s/%s" LIBRARY_SUFFIX, folder, name, name) < (int)PLUGIN_PATH_MAX &&
          file_exists(path));
}

bool plugin_find_library(plugins_o *p, const char *name, char *path) {
  for (uint32_t i = 0; i < p->folder_count; ++i)
    if (find_in_folder(p->folders[i], name, path))
      return true;
  path[0] = 0;
  return false;
}

bool plugin_read_library(plugins_o *p, plugin_t *x, error_info_t *error) {
  shoal_assert(!x->bytes, "the library of %s is already loaded", x->name);
  size_t size = 0;
  char *bytes = file_read(&p->memory, x->path, &size, error);
  if (!bytes)
    return false;
  x->bytes = (uint8_t *)bytes;
  x->size = size;
  x->hash = hash_bytes(bytes, size, 0);
  return true;
}

void plugin_free_library_bytes(plugins_o *p, plugin_t *x) {
  file_free(&p->memory, (char *)x->bytes, x->size);
  x->bytes = NULL;
  x->size = 0;
}

// --- handshake: reads and checks the exported shoal_export

typedef struct size_check_t {
  const char *what;
  uint32_t theirs, ours;
} size_check_t;

// Returns false for a library that was built before `required` was appended to shoal_component.
static bool declares_required(const shoal_export *e) {
  return e->component_bytes != offsetof(shoal_component, required);
}

static bool check_sizes(const shoal_export *e, error_info_t *error) {
  bool has_required = declares_required(e);
  const size_check_t checks[] = {
      {"a pointer", e->pointer_bytes, sizeof(void *)},
      {"a size_t", e->size_bytes, sizeof(size_t)},
      {"an enum", e->enum_bytes, sizeof(shoal_component_kind)},
      {"shoal_plugin", e->plugin_bytes, sizeof(shoal_plugin)},
      {"shoal_component", has_required ? e->component_bytes : sizeof(shoal_component), sizeof(shoal_component)},
      {"shoal_field", e->field_bytes, sizeof(shoal_field)},
      {"shoal_manager", e->manager_bytes, sizeof(shoal_manager)},
      {"shoal_system", e->system_bytes, sizeof(shoal_system)},
      {"shoal_function", e->function_bytes, sizeof(shoal_function)},
      {"shoal_view", e->view_bytes, sizeof(shoal_view)},
      {"shoal_term", e->term_bytes, sizeof(shoal_term)},
      {"shoal_rows", e->table_bytes, sizeof(shoal_rows)},
      {"shoal_value", e->value_bytes, sizeof(shoal_value)},
  };
  for (size_t i = 0; i < sizeof checks / sizeof checks[0]; ++i)
    if (checks[i].theirs != checks[i].ours)
      return error_set(
          error, "%s has %u bytes in the plugin, but %u in Shoal: rebuild the plugin with Shoal's headers and flags",
          checks[i].what, checks[i].theirs, checks[i].ours);
  return true;
}

static bool check_version(const shoal_export *e, error_info_t *error) {
  if (e->magic != SHOAL_EXPORT_MAGIC)
    return error_set(error, SHOAL_EXPORT_NAME " begins with %08x, expected %08x: the library is not a plugin", e->magic,
                     SHOAL_EXPORT_MAGIC);
  if (e->api_version != SHOAL_API_VERSION)
    return error_set(
        error, "the plugin was built for version %u of the plugin interface, but Shoal provides version %u: %s",
        e->api_version, SHOAL_API_VERSION,
        e->api_version > SHOAL_API_VERSION
            ? "update Shoal, or rebuild the plugin with these headers"
            : "rename the words of its sources (engine/docs/stability.md#from-api-8-to-9), and rebuild the "
              "plugin");
  return e->export_bytes == sizeof *e ||
         error_set(error, "shoal_export has %u bytes in the plugin, but %zu in Shoal: rebuild the plugin",
                   e->export_bytes, sizeof *e);
}

static bool check_export(const shoal_export *e, error_info_t *error) {
  if (!check_version(e, error))
    return false;
  if (!check_sizes(e, error))
    return false;
  if (e->api_bytes > sizeof(shoal_api))
    return error_set(error,
                     "the plugin requires %u bytes of shoal_api, but Shoal provides %zu: update Shoal, or rebuild the "
                     "plugin for this version",
                     e->api_bytes, sizeof(shoal_api));
  if (e->math_bytes > sizeof(shoal_math))
    return error_set(error,
                     "the plugin requires %u bytes of shoal_math, but Shoal provides %zu: update Shoal, or rebuild the "
                     "plugin for this version",
                     e->math_bytes, sizeof(shoal_math));
  if (e->flags & SHOAL_BUILD_FAST_MATH)
    return error_set(error,
                     "the plugin was built with -ffast-math (flags %u, expected 0), so results would "
                     "differ between processors: build the plugin without -ffast-math",
                     e->flags);
  if (e->flags != 0)
    return error_set(error,
                     "the plugin was built with unknown flags (%u, expected 0): rebuild the plugin with the "
                     "headers of this version",
                     e->flags);
  if (!e->plugin || !e->math)
    return error_set(error, SHOAL_EXPORT_NAME " contains no plugin: end the file with SHOAL_PLUGIN(…)");
  return true;
}

#define FUNCTION(name_, c_name_) .name_ = exact_##c_name_,
static const shoal_math functions = {SHOAL_MATH_UNARY(FUNCTION) SHOAL_MATH_BINARY(FUNCTION).qsort = sort_stable};

// --- copies of libraries

static const char *get_copies_folder(void) {
  const char *folder = getenv("TMPDIR");
  return folder && folder[0] ? folder : "/tmp";
}

// Returns the id of the process that wrote a copy named shoal-PROCESS-GENERATION-NAME-XXXXXX.so; 0 for other names.
static long parse_copy_owner(const char *name) {
  long process = 0;
  unsigned generation = 0;
  int length = 0;
  bool is_copy = sscanf(name, "shoal-%ld-%u-%n", &process, &generation, &length) == 2 && length > 0;
  return is_copy && path_ends_with(name, LIBRARY_SUFFIX) ? process : 0;
}

void plugin_remove_stale_copies(void) {
  DIR *entries = opendir(get_copies_folder());
  for (struct dirent *entry; entries && (entry = readdir(entries));) {
    long process = parse_copy_owner(entry->d_name);
    if (process > 0 && !process_exists(process))
      unlinkat(dirfd(entries), entry->d_name, 0);
  }
  if (entries)
    closedir(entries);
}

static bool write_library_copy(const plugins_o *p, const plugin_t *x, char *path, size_t room, error_info_t *error) {
  int n = snprintf(path, room, "%s/shoal-%ld-%u-%s-XXXXXX" LIBRARY_SUFFIX, get_copies_folder(), (long)getpid(),
                   p->generation, x->name);
  if (n < 0 || (size_t)n >= room)
    return error_set(error, "the path of the temporary folder is too long: set TMPDIR to a shorter path");
  int file = mkstemps(path, (int)strlen(LIBRARY_SUFFIX));
  if (file < 0)
    return error_set(error, "cannot create a copy of the library at %s: set TMPDIR to a writable folder", path);
  size_t done = 0;
  for (ssize_t wrote = 1; done < x->size && wrote > 0; done += wrote > 0 ? (size_t)wrote : 0)
    wrote = write(file, x->bytes + done, x->size - done);
  close(file);
  if (done == x->size)
    return true;
  unlink(path);
  return error_set(error, "cannot write a copy of the library to %s: free disk space, or set TMPDIR to another folder",
                   path);
}

// Stores the loader's error message without the name of the copy, which would mean nothing to users.
static void set_loader_error(const char *copy, error_info_t *error) {
  const char *message = dlerror(), *at = message ? strstr(message, copy) : NULL;
  if (at == message && message)
    message += strlen(copy) + (message[strlen(copy)] == ':');
  while (message && *message == ' ')
    ++message;
  error_set(error, "the dynamic loader cannot load the library: %.900s", message ? message : "unknown reason");
}

typedef struct copy_t {
  plugin_t *x;
  const char *path;
} copy_t;

static void open_library_copy(void *data) {
  const copy_t *copy = data;
  copy->x->library = dlopen(copy->path, RTLD_NOW | RTLD_LOCAL);
}

static void close_library_copy(void *data) {
  dlclose(data);
}

// Warns about variables that keep values between ticks outside the world. The warning is not repeated while the library
// is unchanged.
static void warn_about_statics(const plugins_o *p, const plugin_t *x) {
  enum { MAX_SHOWN = 3 };
  symbols_static_t found[MAX_SHOWN];
  const plugin_t *older = plugins_find(p->desc.before, x->name);
  if (p->quiet || (older && older->hash == x->hash))
    return;
  uint32_t count = symbols_find_statics(x->bytes, x->size, found, MAX_SHOWN);
  for (uint32_t i = 0; i < count && i < MAX_SHOWN; ++i)
    log_warn(
        p->desc.log,
        "plugin %s: %s: writable static variable %s (%llu bytes): a reload resets it, and all worlds of the process "
        "share it: keep state in a column or a manager, keep scratch data in memory from shoal_realloc, or make the "
        "variable const",
        x->name, found[i].file[0] ? found[i].file : x->path, found[i].name, (unsigned long long)found[i].size_bytes);
  if (count > MAX_SHOWN)
    log_warn(p->desc.log, "plugin %s: %u more writable static variable%s: run nm %s to list them", x->name,
             count - MAX_SHOWN, count - MAX_SHOWN == 1 ? "" : "s", x->path);
}

bool plugin_load_library(plugins_o *p, plugin_t *x, error_info_t *error) {
  shoal_assert(!x->library, "the library of %s must be closed", x->name);
  char *copy = x->copy;
  fenv_t arithmetic;
  if (!write_library_copy(p, x, copy, sizeof x->copy, error))
    return false;
  crash_library_add(&(crash_library_t){x->name, x->path, copy, x->bytes, x->size});
  fegetenv(&arithmetic); // the library's constructors may change the floating-point mode
  plugin_call_guarded(x, &(plugin_callee_t){WHERE_LOADING, "library constructors", NULL}, open_library_copy,
                      &(copy_t){x, copy}, error);
  fesetenv(&arithmetic);
  if (!x->library)
    set_loader_error(copy, error);
  x->keeps = getenv("SHOAL_KEEP_LIBRARIES") != NULL;
  if (!x->keeps || !x->library)
    unlink(copy);
  if (!x->library) {
    crash_library_remove(copy);
    return false;
  }
  const shoal_export *e = dlsym(x->library, SHOAL_EXPORT_NAME);
  if (!e)
    error_set(error, "the library has no symbol " SHOAL_EXPORT_NAME ": end the file with SHOAL_PLUGIN(…)");
  bool ok = e && check_export(e, error);
  if (ok) {
    x->def = e->plugin;
    x->guard = e->guard;
    x->has_required = declares_required(e);
    *e->math = &functions;
    x->checks = plugin_install_row_check(x->library);
    warn_about_statics(p, x);
  } else {
    plugin_unload_library(x);
  }
  return ok;
}

// Returns true if the library must stay mapped until the process ends, because its own threads may still execute its
// code.
static bool must_stay_mapped(const plugin_t *x) {
  if (x->undeclared_threads > 0 && !x->plugins->quiet)
    log_debug(x->plugins->desc.log, "plugin %s: the library stays mapped, because %u undeclared threads may still run",
              x->name, x->undeclared_threads);
  return x->undeclared_threads > 0;
}

void plugin_unload_library(plugin_t *x) {
  shoal_assert(!x->opened, "plugin %s must be closed before its library", x->name);
  error_info_t error;
  x->guard = NULL; // the guard is code in the library that is being unloaded
  if (x->library && !must_stay_mapped(x))
    plugin_call_guarded(x, &(plugin_callee_t){WHERE_LOADING, "library destructors", NULL}, close_library_copy,
                        x->library, &error);
  if (x->library)
    crash_library_remove(x->copy);
  if (x->library && x->keeps)
    unlink(x->copy);
  x->library = NULL;
  x->def = NULL;
}
