// The plugins of one game: finds, copies and opens their libraries, declares their components in the game's world, adds
// their systems to its schedule, and closes the libraries with the game. Each game_o has separate copies of the
// libraries, so a reload can open the new copies while the old copies are open, and then close either. Main thread
// only.
//
// A plugin that cannot be opened (not found, wrong version, crash while loading, …) is reported, and the game runs
// without it. In a reload, its previous library is used instead.
#ifndef SHOAL_PLUGIN_PLUGINS_H
#define SHOAL_PLUGIN_PLUGINS_H

#include "schedule/schedule.h"
#include "ecs/world.h"
#include "platform/assets.h"
#include "platform/input.h"
#include "render/draw.h"
#include "script/script.h"
#include "shoal/api.h"
#include "shoal/world.h"
#include "time/external_input.h"

#define PLUGINS_MAX_FOLDERS 64

typedef struct plugins_o plugins_o;

// A library that crashed in the previous run of the program, and stays closed until its file changes.
typedef struct plugins_crashed_t {
  uint64_t hash;      // hash of the library's bytes; 0: no library
  const char *reason; // reason for which the library is not opened; borrowed
  bool is_reported;   // true if the caller reports the crash
} plugins_crashed_t;

typedef struct plugins_desc_t {
  world_o *world;           // world of the game; borrowed; must outlive the plugins
  const char *game_folder;  // folder of the game; its subfolder plugins/ is searched after `extra`, before `shipped`
  const char *shipped;      // folder of the plugins bundled with Shoal; may be NULL
  const char *const *extra; // libraries or folders from --plugin, loaded even if the game does not name them; borrowed
  uint32_t extra_count;
  const assets_t *assets; // assets of the game; borrowed; may be NULL
  draw_o *draw;           // draw list; borrowed. NULL: drawing calls have no effect
  int width, height;      // size of the logical screen in pixels; see plugins_set_screen
  // Budget of a script function, in ms; 0: no limits. The limit for plugins is a multiple of this budget
  uint32_t budget_ms;
  plugins_o *previous; // plugins of the previous game, a fallback for plugins_open and plugins_bind
  plugins_crashed_t crashed;
  bool forked; // true if the game runs in a forked process: plugins with .has_side_effects are declared, but not called
  // True if all plugins are opened from `previous`, regardless of the files on disk.
  bool reuses_libraries;
  external_o *external; // recorded external input; borrowed. NULL: no external input is available
  const input_state_t *input, *previous_input; // input samples of this and the previous tick; borrowed; may be NULL
  parked_list_t *parked;                       // list that receives parked systems; borrowed
  const shoal_api *api;                        // functions that plugins can call; borrowed
  const shoal_world_api *world_api;            // functions of <shoal/world.h>; borrowed
  log_o *log;                                  // log for messages about plugins; borrowed
} plugins_desc_t;

#define PLUGIN_SCOPE_NAME 160
#define PLUGIN_SCOPE_RECENT 64u
// A profiling scope of a plugin (shoal/profile.h).
typedef struct plugin_scope_t {
  char name[PLUGIN_SCOPE_NAME]; // full name, such as "heat.cool: solve"
  double total_us;
  uint64_t runs;
  float recent_us[PLUGIN_SCOPE_RECENT]; // durations of the most recent runs in µs; a ring buffer
} plugin_scope_t;
// Returns the i-th scope of all plugins, or NULL after the last scope. `median_us` receives the median of its recent
// durations; may be NULL.
const plugin_scope_t *plugins_get_scope(const plugins_o *plugins, uint32_t i, double *median_us);

plugins_o *plugins_create(const plugins_desc_t *desc);
// Destroys the plugins. Call after destroying the VM and the schedule, and before destroying the world. Accepts NULL.
void plugins_destroy(plugins_o *plugins);

// Adds a folder that is searched for libraries after all previously added folders. Does nothing if the folder has
// already been added, if its path is too long, or if there are PLUGINS_MAX_FOLDERS folders. Call before plugins_open.
void plugins_add_folder(plugins_o *plugins, const char *folder);
// Opens the plugins that the game names, the plugins that these need, and the plugins in `extra`, and declares their
// components. The order depends only on the names. Failures are added to the reports. Does nothing if called again. If
// there are no plugins to open, any thread may call it.
void plugins_open(plugins_o *plugins, const char *const *names, uint32_t count);
// Adds the plugins' systems to the schedule. Returns true on success, or false with a message if a name is already
// used.
bool plugins_schedule(plugins_o *plugins, schedule_o *schedule, error_info_t *error);
// Reports two kinds of mistakes: names in `after` and `before` that no system has, and names of systems whose phase
// makes the order impossible. Call when the schedule contains all systems.
void plugins_check_order(plugins_o *plugins, const schedule_o *schedule);
// Binds plugins to the world after all declarations: finds the components that they use and creates their queries.
// Reports and parks the systems that cannot be bound, for example because a component is missing. After this call, the
// previous game may be destroyed.
void plugins_bind(plugins_o *plugins);
// Declares to the schedule the queries of all systems, and the columns that systems with .concurrent read and write.
// Call after plugins_bind.
void plugins_declare_parallel(const plugins_o *plugins, schedule_o *schedule);
// Reloads a changed asset in the plugins that have requested it. If the previous object is kept, stores the reason in
// `why`. Call between two ticks.
asset_fate_t plugins_reload_asset(plugins_o *plugins, const char *name, error_info_t *why);
// Loads a file in the plugins that declare its extension, unless they have already loaded it. A file loaded in this way
// stays loaded at least until it is used. Logs problems. Returns true on success, or false if no plugin declares the
// extension or the name is too long. Call between two ticks.
bool plugins_preload_asset(plugins_o *plugins, const char *name);
// Starts threads and jobs, unloads unused assets, and interns the names of render systems. Call before each tick.
void plugins_begin_tick(plugins_o *plugins);
// plugins_start_threads starts threads and jobs. plugins_begin_tick calls it. Call it also once per frame, so that
// threads run while the game is paused. plugins_stop_threads stops the threads and jobs of all games in the process.
// Call it before forking to run a plugin's code, and before a different game takes over. plugins_stop_threads returns
// true on success, or false with a message if a thread or job does not stop.
void plugins_start_threads(plugins_o *plugins);
bool plugins_stop_threads(error_info_t *error);
// Marks these plugins as running in a forked process, where plugins with .has_side_effects must not be called.
void plugins_mark_forked(plugins_o *plugins);
// Returns true if a call to a plugin with .has_side_effects was rejected in a forked process. Later failures of the
// game in that process may be caused by the rejected call.
bool plugins_called_external(const plugins_o *plugins);
void plugins_set_screen(plugins_o *plugins, int width, int height);

// Moves the oldest reported failures, at most `max`, to `out` and returns their number.
uint32_t plugins_pop_reports(plugins_o *plugins, script_report_t *out, uint32_t max);
// Returns true if a system has failed and was parked since the previous call.
bool plugins_pop_failure(plugins_o *plugins);
// Parks and resumes systems according to the world's list (content/parked_pieces.h). Call at the start of a tick and
// before drawing.
void plugins_update_parked_systems(plugins_o *plugins);
bool plugins_are_open(const plugins_o *plugins);     // returns true if any plugin is open
bool plugins_have_systems(const plugins_o *plugins); // returns true if any system is not parked
// Parks a crashing system, identified by its name in the schedule, until the library of its plugin changes, even if the
// game is reloaded. `message` is the reason. Returns true on success, or false if the system does not exist or is
// already parked.
bool plugins_park_system(plugins_o *plugins, const char *system, const char *message);

// Returns true if no manager has failed. Returns false with a message if a manager has failed, for example because it
// returned a wrong row count. Ignores libraries whose managers had already failed in `previous`.
bool plugins_check_managers(const plugins_o *plugins, const plugins_o *previous, error_info_t *error);
// Tests each manager: attaches a row, saves, loads, and detaches the row. Called in a forked process, so that errors
// are found before the game changes.
void plugins_test_managers(plugins_o *plugins);
// Returns true if a reload would open a changed library, or a plugin that was missing and whose data was kept. Writes
// the name of the changed library ("store.so"), or "plugin of COMPONENT" for a missing plugin, to `out`.
bool plugins_need_reload(plugins_o *plugins, char *out, size_t out_bytes);
// Finds the i-th library that differs between two sets of plugins and writes its name ("heat.so") to `out`. Returns
// true on success, or false after the last library.
bool plugins_find_difference(const plugins_o *current, const plugins_o *previous, uint32_t i, char *out,
                             size_t out_bytes);

// Properties that the machines of a match compare. Builds of a plugin for different processors, or with and without
// debug information, have the same identity.
typedef struct plugin_identity_t {
  const char *name; // name of the plugin; borrowed
  uint32_t version;
  uint64_t schema_hash;  // hash of the names, kinds and fields of the declared components
  bool has_side_effects; // true if the plugin opens ports, files or devices
  // True if the simulation can read a state of the plugin that is neither part of the world nor restored with the
  // world.
  bool has_hidden_state;
  // First writable static variable of a plugin with hidden state, as "count (hidden.c)"; "" if the plugin has no such
  // variable, or if the variable is unknown.
  char static_variable[160];
} plugin_identity_t;
// Finds the i-th open plugin. Returns true on success, or false after the last plugin.
bool plugins_get_identity(const plugins_o *plugins, uint32_t i, plugin_identity_t *out);

// Returns the path of the i-th open library, or NULL after the last library.
const char *plugins_path(const plugins_o *plugins, uint32_t i);
// Returns the i-th folder to watch for libraries, or NULL after the last folder.
const char *plugins_folder(const plugins_o *plugins, uint32_t i);
// Returns true if the path has the file extension of plugin libraries.
bool plugins_is_library(const char *path);

#endif
