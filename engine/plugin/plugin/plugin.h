// An open plugin, and all plugins of a game.
#ifndef SHOAL_PLUGIN_PLUGIN_H
#define SHOAL_PLUGIN_PLUGIN_H

#include "access/access.h"
#include "base/array.h"
#include "plugin/context.h"
#include "plugin/plugins.h"

#include <pthread.h>

#define PLUGIN_MAX_REPORTS 16u
#define PLUGIN_PATH_MAX 512u

#define PLUGIN_MAX_OPEN_SCOPES 8u

// Parts of a plugin, defined in their own files.
typedef struct plugin_chunk_t plugin_chunk_t;   // defined in system_part.c
typedef struct thread_t thread_t;               // defined in thread.h
typedef struct result_memory_t result_memory_t; // defined in result.h
typedef struct built_table_t built_table_t;     // defined in result.h
typedef struct plugin_job_t plugin_job_t;       // defined in job.c
typedef struct held_file_t held_file_t;         // defined in held_files.h
typedef struct plugin_asset_t plugin_asset_t;   // defined in asset.h

// A profiling scope that has begun and not ended.
typedef struct open_scope_t {
  uint32_t scope; // index in `scopes`
  double began_us;
} open_scope_t;

struct plugin_t {
  plugins_o *plugins;
  // library
  char name[COMPONENT_NAME_MAX];
  char path[PLUGIN_PATH_MAX];
  uint8_t *bytes; // contents of the file
  size_t size;
  uint64_t hash;
  void *library;        // handle of the library; NULL until the library is open
  uint64_t loaded_tick; // tick in which a reload opened these bytes for the first time; 0: opened at the start
  char copy[PLUGIN_PATH_MAX + 64]; // path of the opened copy; "" if the library was not copied
  // True if the copy stays mapped and its file is kept, because sanitizers read debug information from the file.
  bool keeps_copy;
  const shoal_plugin *def;         // declarations exported by the library
  shoal_exception_guard_fn *guard; // calls a function and catches exceptions; NULL for plugins in C
  bool has_required;               // true if the library's shoal_component has the member `required`
  bool checks; // true if the library was built with SHOAL_DEBUG: columns are copied into buffers without slack
  // declarations, bound to the world
  access_o access;      // components, queries and values of the world that the plugin uses
  uint32_t bound_count; // number of declared and used components (binding.h); components found by name follow
  // True if the plugin uses `body`. Spatial queries of a system then find the bodies at their positions at the start of
  // the system.
  bool uses_bodies;
  run_t *runs; // the systems, followed by the observers
  uint32_t run_count, function_count;
  thread_t *threads;
  uint32_t thread_count;
  void *state; // result of `open`
  bool opened;
  bool opening;               // true while `open` runs, which may duplicate files of the previous instance
  bool thread_stuck;          // true if a thread has not stopped; the plugin's memory is then not freed
  error_info_t manager_error; // most recent error of a manager, such as a wrong row count; "" if no manager has failed
  allocator_t memory;         // memory of shoal_realloc
  _Atomic bool resizing;
  // data for calls by the plugin to the host
  result_memory_t *result_memory; // memory of function results; index: function × PLUGIN_MAX_VALUES + result
  built_table_t *tables;          // tables, indexed like `result_memory`; then PLUGIN_EXTRA_TABLES that are not results
  uint32_t next_table;
  ARRAY(plugin_job_t *) jobs;         // most recent request for each name
  ARRAY(plugin_job_t *) retired_jobs; // outdated requests whose threads have not ended yet
  ARRAY(plugin_scope_t) scopes;
  open_scope_t open_scopes[PLUGIN_MAX_OPEN_SCOPES];
  uint32_t scope_depth;
  ARRAY(held_file_t) held_files;
  ARRAY(plugin_asset_t) assets;
  uint32_t asset_ticks;
  // Message that the most recent shoal_try_… call returned through its parameter `error`.
  error_info_t last_failure;
  char text_input[INPUT_TEXT + 1];
  // data for calls by the host to the plugin
  context_slot_t slots[PLUGIN_CONTEXT_SLOTS];
  _Atomic uint32_t next_slot;
  context_t *ended_context; // context for calls with an ended context
  // Name of the host function that was called from the wrong thread or with an ended context, until the call is
  // reported, otherwise NULL
  const char *_Atomic misplaced_call;
  _Atomic bool misplaced_after_end; // true if the context had ended, false if the thread was wrong
  _Atomic bool changed_float_mode;  // true if a change of the floating-point mode by the plugin is not reported yet
  bool warned, warned_of_threads;
  uint32_t checked_calls; // number of calls to systems and functions checked for new threads so far
  // Number of threads that the plugin has started itself, minus the threads that ended during its calls. Unless it is
  // 0, the library must stay mapped.
  uint32_t undeclared_threads;
};

// A library that must not be opened, for one of these reasons:
// - The library crashed in the previous run (plugins_crashed_t).
// - The child of a probe crashed, exited or hung while opening the library.
// - The plugin failed in the child after its components were declared, and a previous library exists.
typedef struct rejected_library_t {
  uint64_t hash; // hash of the library file
  char reason[512];
} rejected_library_t;

struct plugins_o {
  plugins_desc_t desc;
  plugins_o *next; // next element in the process's list of plugins_o
  char game_folder[PLUGIN_PATH_MAX];
  char folders[PLUGINS_MAX_FOLDERS][PLUGIN_PATH_MAX];
  uint32_t folder_count;
  allocator_t memory;
  world_o *world;
  ARRAY(plugin_t *) list;    // open plugins in the order of opening
  ARRAY(plugin_t *) opening; // stack of the plugins being opened: each plugin needs the next plugin of the stack
  ARRAY(char *) missing;     // names of plugins that could not be opened
  ARRAY(rejected_library_t) rejected;
  int progress; // write end of the pipe to the parent; set in the child of a probe
  script_report_t reports[PLUGIN_MAX_REPORTS];
  uint32_t report_count;
  uint32_t generation; // one more than the generation of desc.previous, or 0; part of the names of library copies
  bool failed;
  bool is_open, is_bound;
  bool quiet;       // true in the child of a probe, which logs nothing
  pthread_t thread; // thread that runs the game
  uint32_t depth;   // current nesting depth of calls between plugins
  plugin_chunk_t *chunks;
  uint32_t chunk_capacity, chunks_used;
  uint32_t undeclared_threads;  // number of threads that plugins have started themselves in calls so far
  bool in_parallel_for;         // true if parts of shoal_parallel_for are running
  _Atomic bool changed_in_part; // true if a part has tried to change the world
  // True if SHOAL_CHECK_RACES is set. Each part of a parallel system then runs on its own thread, for ThreadSanitizer
  bool checks_races;
  bool leaks_on_exit;   // true if a plugin's thread has not stopped; this memory is then not freed
  long process;         // id of the process that created this object
  bool called_external; // true if a call to a plugin with .has_side_effects was rejected in a forked process
};

// Returns the open plugin with this name, or NULL if not found. `plugins` may be NULL.
plugin_t *plugins_find(const plugins_o *plugins, const char *name);
// Returns the instance of the previous game that this instance replaces, or NULL if there is no previous instance.
plugin_t *plugin_previous_instance(const plugin_t *plugin);

// Returns true if the plugin is declared but must not be called: it has .has_side_effects, and the game runs in a
// forked process.
static inline bool plugin_is_inactive(const plugin_t *plugin) {
  return plugin->plugins->desc.forked && plugin->def->has_side_effects;
}

#endif
