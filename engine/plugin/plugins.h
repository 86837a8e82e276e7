// The plugins of one game: they are found, copied, opened, declared to its world, run by its schedule, and closed with
// it. Each game_o has its own copies of the libraries, so a reload opens the new ones in addition to the old ones, and
// either can be closed. Main thread only.
//
// A plugin that cannot be opened (not found, wrong version, crash while loading, …) is reported, and the game continues
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

#define PLUGINS_MAX_FOLDERS 32

typedef struct plugins_o plugins_o;

typedef struct plugins_desc_t {
  world_o *world;           // borrowed; must outlive the plugins
  const char *game_folder;  // its plugins/ is searched first, after `extra`
  const char *shipped;      // folder of Shoal's own plugins; may be NULL
  const char *const *extra; // --plugin: libraries or folders, loaded even if the game does not name them; borrowed
  uint32_t extra_count;
  const assets_t *assets; // borrowed
  draw_o *draw;           // borrowed; NULL: nothing is drawn
  int width, height;      // logical screen in pixels; see plugins_set_screen
  uint32_t budget_ms;     // budget of a script's function call; 0: no limits, for plugins neither
  plugins_o *before;      // plugins of the previous game, which replace those that cannot be opened; not kept
  bool copied;            // a copy of the game: plugins with .reaches_outside are declared but not called
  bool as_before;         // opens all plugins from `before`, regardless of the files on disk
  external_o *outside;    // borrowed; NULL: no external input
  const input_state_t *input, *input_before; // borrowed: samples of this and the previous tick; may be NULL
  parked_list_t *parked;                     // borrowed; receives parked systems
  const shoal_api *api;                      // functions that plugins call; borrowed
  const shoal_world_api *world_api;          // functions of <shoal/world.h>; borrowed
  log_o *log;                                // borrowed
} plugins_desc_t;

// A profiling scope of a plugin (shoal/profile.h).
#define PLUGIN_SCOPE_NAME 160
#define PLUGIN_SCOPE_RECENT 64u
typedef struct plugin_scope_t {
  char name[PLUGIN_SCOPE_NAME]; // "heat.cool: solve"
  double total_us;
  uint64_t runs;
  float recent_us[PLUGIN_SCOPE_RECENT]; // durations of the most recent runs, as a ring
} plugin_scope_t;
// Returns the i-th scope of all plugins; NULL after the last. `median_us` may be NULL.
const plugin_scope_t *plugins_scope(const plugins_o *p, uint32_t i, double *median_us);

plugins_o *plugins_create(const plugins_desc_t *desc);
// Destroys the plugins: after the VM and the schedule, before the world. Accepts NULL.
void plugins_destroy(plugins_o *p);

// Opens the plugins that the game names, those that they need, and the extra ones, in an order that depends on the
// names only, and declares their components. Later calls do nothing. Failures are in the reports.
void plugins_open(plugins_o *p, const char *const *names, uint32_t count);
// Adds their systems to the schedule. Returns false with a message if a name is taken.
bool plugins_schedule(plugins_o *p, schedule_o *s, error_t *error);
// Binds plugins after all declarations: finds the components that they use and creates their queries. Missing
// components are reported, and the systems that need them are parked. `reloaded`: components of plugins that are now
// missing are declared as they were, so that their data is kept for when the plugin returns. Afterwards the previous
// game may be destroyed.
void plugins_bind(plugins_o *p, bool reloaded);
// Declares, after plugins_bind, what systems with .beside read and write.
void plugins_declare_beside(const plugins_o *p, schedule_o *s);
// Reloads a changed asset in the plugins that have requested it; between two ticks. `why` is set if the previous object
// is kept.
asset_fate_t plugins_asset_changed(plugins_o *p, const char *name, error_t *why);
// Called before each tick.
void plugins_begin_tick(plugins_o *p);
// Start and stop threads. They are started in each tick and in frames without one. They are stopped, for all games of
// the process, before it is forked to run a plugin's code, and before another game takes over. plugins_stop_threads
// returns false with a message if one does not stop.
void plugins_start_threads(plugins_o *p);
bool plugins_stop_threads(error_t *error);
// Marks the game as a copy, in a forked process.
void plugins_be_copy(plugins_o *p);
// Returns whether, in a copy, a plugin with .reaches_outside was called. Failures after that are not judged.
bool plugins_asked_outside(const plugins_o *p);
void plugins_set_screen(plugins_o *p, int width, int height);

// Copies the failures since the last call to `out`, oldest first; returns their number.
uint32_t plugins_take_reports(plugins_o *p, script_report_t *out, uint32_t max);
// Returns whether a system has failed and been parked since the last call.
bool plugins_take_failure(plugins_o *p);
bool plugins_are_open(const plugins_o *p);     // whether any plugin is open
bool plugins_have_systems(const plugins_o *p); // whether any system is not parked
// Parks a system that crashes, by its name in the schedule, until its library changes, in later games, too. `words` is
// the reason. Returns false if there is no such system or it is already parked.
bool plugins_park(plugins_o *p, const char *system, const char *words);

// Writes the name of a component to `out` that the query of a system names but the plugin does not declare. Returns
// false if there is none.
bool plugins_unknown_columns(const plugins_o *p, const char *system, char *out, size_t bytes);

// Checks that no manager has reported a wrong row count, except in libraries that did so before. Returns false with a
// message.
bool plugins_are_honest(const plugins_o *p, const plugins_o *before, error_t *error);
// For a rehearsal in a forked process: each manager attaches a row, saves, loads, and detaches it, so that errors are
// found before the game changes.
void plugins_exercise(plugins_o *p);
// Returns whether a reload would open a changed library, or a plugin whose data was kept. Writes its name ("store.so")
// to `out`.
bool plugins_have_changed(plugins_o *p, char *out, size_t out_bytes);
// Writes the name of the i-th library ("heat.so") that differs between two sets of plugins to `out`. Returns false
// after the last.
bool plugins_difference(const plugins_o *now, const plugins_o *before, uint32_t i, char *out, size_t out_bytes);

const char *plugins_path(const plugins_o *p, uint32_t i); // path of the i-th open library; NULL after the last
// Returns the i-th folder to watch for libraries; NULL after the last.
const char *plugins_folder(const plugins_o *p, uint32_t i);
// Returns whether a path is a library that a reload would open.
bool plugins_is_library(const char *path);

#endif
