// The plugins of one game: found, copied, opened, declared into its world, run by its schedule, closed with it. Every
// game_o has its own copies of the libraries, so that a reload opens the new ones beside the old ones and either can
// go. Main thread only.
//
// A plugin that cannot be had (not found, other version, crash while loading, …) is reported and left out; the game
// goes on without it. In a reload the library that ran goes on in its place.
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
  world_o *world;          // borrowed; outlives them
  const char *game_folder; // its plugins/ is looked in before all others but `extra`
  const char *shipped;     // folder of the plugins that come with Shoal; NULL for none
  const char *const
      *extra; // --plugin: libraries, or folders of them, loaded whether the game names them or not; borrowed
  uint32_t extra_count;
  const assets_t *assets; // borrowed
  draw_o *draw;           // borrowed; NULL: nothing is drawn
  int width, height;      // of the logical screen; see plugins_set_screen
  uint32_t budget_ms;     // of a script's piece; 0 for none: then plugins have none either
  plugins_o *before; // of the game that this one takes over from: what cannot be had now is taken from there. Not kept
  bool copied;       // a copy of the game: those that reach outside are declared, and do nothing
  bool as_before;    // all of them are taken from there, whatever lies on the disk now
  external_o *outside;                       // borrowed; NULL: plugins hear nothing from outside
  const input_state_t *input, *input_before; // borrowed: of the tick; NULL for none
  parked_list_t *parked;                     // borrowed; what is parked goes in
  const shoal_api *api;                      // the functions that plugins call; borrowed
  const shoal_world_api *world_api;          // those of <shoal/world.h>; borrowed
  log_o *log;                                // borrowed
} plugins_desc_t;

// What a plugin measures of itself (shoal/profile.h).
#define PLUGIN_SCOPE_NAME 160
#define PLUGIN_SCOPE_RECENT 64u
typedef struct plugin_scope_t {
  char name[PLUGIN_SCOPE_NAME]; // "heat.cool: solve"
  double total_us;
  uint64_t runs;
  float recent_us[PLUGIN_SCOPE_RECENT]; // of the last ones, in a ring
} plugin_scope_t;
// Of all of them, 0 …; NULL past the last one. `median_us` may be NULL.
const plugin_scope_t *plugins_scope(const plugins_o *p, uint32_t i, double *median_us);

plugins_o *plugins_create(const plugins_desc_t *desc);
// After the VM and the schedule, before the world. NULL is fine.
void plugins_destroy(plugins_o *p);

// Opens those that the game names, what they need and the extra ones, in an order that follows from the names alone,
// and declares what they bring. Once; later calls do nothing. What goes wrong is in the reports.
void plugins_open(plugins_o *p, const char *const *names, uint32_t count);
// Their systems join the schedule. False with a message when a name is taken.
bool plugins_schedule(plugins_o *p, schedule_o *s, error_t *error);
// After everything is declared: finds what they use of others and makes their queries. What a plugin cannot find is
// reported, and the systems that need it are parked. `reloaded`: components that a plugin of the older game brought and
// that no plugin brings now are declared as they were, so that their data is carried over and there for the plugin when
// it comes back. The older game may go then.
void plugins_bind(plugins_o *p, bool reloaded);
// After that: those of their systems that may run beside others say what they read and write.
void plugins_declare_beside(const plugins_o *p, schedule_o *s);
// A file of the game's assets has changed, between two ticks: plugins that have asked for it load it anew. `why` is
// filled when the one before stays.
asset_fate_t plugins_asset_changed(plugins_o *p, const char *name, error_t *why);
// Before each tick.
void plugins_begin_tick(plugins_o *p);
// Their threads: started by every tick, and in frames without one; stopped, those of all games in this process, before
// it is copied for anything that runs a plugin's code, and before another game takes over. False with a sentence when
// one does not stop.
void plugins_start_threads(plugins_o *p);
bool plugins_stop_threads(error_t *error);
// In a copy of the process: this is a copy of the game from now on.
void plugins_be_copy(plugins_o *p);
// In such a copy: has something wanted an answer from outside? What went wrong behind that is nobody's mistake.
bool plugins_asked_outside(const plugins_o *p);
void plugins_set_screen(plugins_o *p, int width, int height);

// Failures since the last call, oldest first; returns how many were copied.
uint32_t plugins_take_reports(plugins_o *p, script_report_t *out, uint32_t max);
// Has a system failed, and been parked, since the last call?
bool plugins_take_failure(plugins_o *p);
bool plugins_are_open(const plugins_o *p);     // any
bool plugins_have_systems(const plugins_o *p); // that are not parked
// A system, by the name that the schedule has for it, crashes: it is parked, also in the games to come, until its
// library is another one. `words`: what became of it. False when there is none of that name, or it is parked already.
bool plugins_park(plugins_o *p, const char *system, const char *words);

// A component that the query of this system names and whose columns it has not, for the plugin declares it nowhere:
// into `out`. False where there is none.
bool plugins_unknown_columns(const plugins_o *p, const char *system, char *out, size_t bytes);

// The first of these whose manager has miscounted its rows, of those whose library is not one that did so before.
// False with a sentence.
bool plugins_are_honest(const plugins_o *p, const plugins_o *before, error_t *error);
// For a rehearsal, in a copy of the process: lets each manager attach a row, save, load what it saved, and detach the
// row, so that what it makes of them is seen before it happens in earnest.
void plugins_exercise(plugins_o *p);
// Would a reload open another library than one of these, or give one something that was kept for it? Its name
// ("store.so") into `out`.
bool plugins_have_changed(plugins_o *p, char *out, size_t out_bytes);
// The i-th plugin of either that is not the same in both: its library's name ("heat.so") into `out`. False past the
// last one.
bool plugins_difference(const plugins_o *now, const plugins_o *before, uint32_t i, char *out, size_t out_bytes);

const char *plugins_path(const plugins_o *p, uint32_t i); // of the library of one that is open; NULL past the last one
// Folders whose libraries matter, for a file watch: index 0 …; NULL past the last one.
const char *plugins_folder(const plugins_o *p, uint32_t i);
// Is this the name of a library that a reload would open?
bool plugins_is_library(const char *path);

#endif
