// An open plugin, and all plugins of a game.
#ifndef SHOAL_PLUGIN_PLUGIN_H
#define SHOAL_PLUGIN_PLUGIN_H

#include "base/array.h"
#include "plugin/asset.h"
#include "plugin/held_files.h"
#include "plugin/job.h"
#include "plugin/plugins.h"
#include "plugin/result.h"
#include "plugin/run.h"
#include "plugin/scope.h"
#include "plugin/thread.h"

#define PLUGIN_MAX_REPORTS 16u
#define PLUGIN_PATH_MAX 512u

typedef struct plugin_chunk_t plugin_chunk_t; // system_part.c

struct plugin_t {
  plugins_o *all;
  // library
  char name[COMPONENT_NAME_MAX];
  char path[PLUGIN_PATH_MAX];
  uint8_t *bytes; // content of the file
  size_t size;
  uint64_t hash;
  void *library;                   // NULL until it is open
  char copy[PLUGIN_PATH_MAX + 64]; // path of the opened copy; "" if there is none
  bool keeps;                      // the copy is kept while the library is open, because sanitizers read lines from it
  const shoal_plugin *def;         // declared in the library
  shoal_guard *guard;              // catches exceptions; NULL in C
  bool checks;                     // built with SHOAL_DEBUG: its columns are copies without slack
  // declarations, bound to the world
  access_o access;      // components, queries and values of the world
  uint32_t bound_count; // number of declared and used components (binding.h), which precede those found by name
  run_t *runs;          // systems, then observers
  uint32_t run_count, function_count;
  thread_t *threads;
  uint32_t thread_count;
  void *state; // the result of `open`
  bool opened;
  bool opening;       // being opened: may take over files of the previous instance
  bool stuck;         // a thread does not stop, so nothing is freed
  error_t lie;        // error of its managers, such as a wrong row count; "" if none
  allocator_t memory; // for shoal_resize
  _Atomic bool resizing;
  // calls by the plugin
  given_t *given;        // PLUGIN_MAX_VALUES per function
  plugin_built_t *built; // the same number, then PLUGIN_OTHERS_BUILT
  uint32_t next_built;
  ARRAY(plugin_job_t *) jobs;
  ARRAY(plugin_scope_t) scopes;
  open_scope_t open_scopes[PLUGIN_MAX_OPEN_SCOPES];
  uint32_t scope_depth;
  ARRAY(held_t) held;
  ARRAY(plugin_asset_t) assets;
  uint32_t asset_ticks;
  error_t answer; // last `why` of shoal/call.h
  char typed[INPUT_TEXT + 1];
  // calls to the plugin
  lent_t lent[PLUGIN_LENT];
  _Atomic uint32_t next_lent;
  context_t *nowhere;         // for contexts that have ended
  const char *_Atomic astray; // name of a function called with such a context; NULL if none
  _Atomic bool astray_over;   // true if the call had ended, false if another thread called
  _Atomic bool left_rules;    // changed the floating-point mode; reported later
  bool warned, told_threads;
  uint32_t looked_at; // number of calls of its systems that were checked for new threads
};

// A library that crashed while loading, or that failed in `open` while a previous one exists.
typedef struct refused_t {
  uint64_t hash; // hash of the library
  char why[512];
} refused_t;

struct plugins_o {
  plugins_desc_t desc;
  plugins_o *next; // next in the list of the process
  char game_folder[PLUGIN_PATH_MAX];
  char folders[PLUGINS_MAX_FOLDERS][PLUGIN_PATH_MAX];
  uint32_t folder_count;
  allocator_t memory;
  world_o *world;
  ARRAY(plugin_t *) list;    // in the order of opening
  ARRAY(plugin_t *) opening; // stack of plugins being opened: each needs the next one
  ARRAY(char *) missing;     // names
  ARRAY(refused_t) refused;
  int progress; // in the child of a probe: the pipe to the parent
  script_report_t reports[PLUGIN_MAX_REPORTS];
  uint32_t report_count;
  uint32_t generation; // number of the game in this process, so that copies of libraries have unique names
  bool failed;
  bool is_open, is_bound;
  bool quiet;       // in the child of a probe: nothing is logged
  pthread_t thread; // thread that runs the game
  uint32_t depth;   // nesting of calls between plugins
  plugin_chunk_t *chunks;
  uint32_t chunk_capacity, chunks_used;
  bool sharing;                 // parts of shoal_jobs are running
  _Atomic bool changed_in_part; // a part tried to change the world
  bool forsaken;                // a thread of a plugin does not stop
  int process;                  // id of the process that created this
  bool asked_outside;           // in a copy: a plugin with .reaches_outside was called
};

plugin_t *plugins_find(const plugins_o *p, const char *name); // NULL if it is not open; `p` may be NULL
// Returns the instance of the previous game that this one replaces; NULL if there is none.
plugin_t *plugin_before(const plugin_t *x);

// Returns whether a plugin is declared but not called: one with .reaches_outside in a copy of the game.
static inline bool plugin_rests(const plugin_t *x) {
  return x->all->desc.copied && x->def->reaches_outside;
}

#endif
