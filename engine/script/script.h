// Lua VMs. A VM holds code, but no game state. vm_create builds one next to a running VM: it loads and checks all files
// of a game and has no outside effects. vm_adopt then declares what was found in a world and fills a schedule.
// Destroying a VM never changes the world. Main thread only; C calls Lua only through lua_pcall.
#ifndef SHOAL_SCRIPT_SCRIPT_H
#define SHOAL_SCRIPT_SCRIPT_H

#include "base/error.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/parked.h"
#include "schedule/schedule.h"
#include "ecs/world.h"
#include "platform/audio.h"
#include "platform/input.h"
#include "render/draw.h"
#include "render/render.h"
#include "script/game_facts.h"
#include "script/report.h"
#include "script/sources.h"

typedef struct vm_o vm_o;

// Requests of scripts to the host; read by the host after every tick.
typedef struct script_requests_t {
  int quit, pause, fullscreen; // 0: no request, 1: turn on, -1: turn off or cancel
  bool reload;
  bool restart;
  bool restore;        // restore the state of `restore_tick` from the history
  bool restore_replay; // then replay the input of the ticks since
  double restore_tick;
  char game[512]; // game folder to switch to (used by the menu); "" if none
  // Save slots to write, delete and load, in this order; "" if none.
  char save[64];
  char drop[64];
  char load[64];
  int scale;                   // letterbox_mode_t plus 1; 0: no request
  int vsync;                   // 1: wait for vertical sync, -1: do not wait, 0: no request
  bool rumbles[INPUT_PADS];    // true for pads with a rumble request
  float rumble[INPUT_PADS][2]; // strength in [0, 1], and seconds
} script_requests_t;

// Time limits of scripts, in processor time of the thread.
typedef enum script_budget_t {
  SCRIPT_BUDGET_SYSTEM, // a piece of a system
  SCRIPT_BUDGET_START,  // a `start` function (game, system, scene), or a behaviour's `create`
  SCRIPT_BUDGET_LOAD,   // loading, `stop`, `migrate`, vm_exec
  SCRIPT_BUDGETS
} script_budget_t;

typedef struct script_budgets_t {
  uint32_t ms[SCRIPT_BUDGETS]; // 0: no limit
  bool fixed;                  // set on the command line: overrides game.lua and is not extended on slow machines
} script_budgets_t;

typedef struct sql_o sql_o; // sql/sql.h

// A module's C functions for the engine's Lua (scripts/shoal). `open` adds them to the table on top of the stack, which
// boot.lua receives as `native`. Called for every new Lua state.
typedef struct vm_library_t {
  void (*open)(lua_State *L, void *context);
  void *context;
} vm_library_t;

#define VM_MAX_LIBRARIES 4

typedef struct vm_desc_t {
  vm_library_t libraries[VM_MAX_LIBRARIES];  // the first entry without `open` ends the list
  const char *game_folder;                   // contains game.lua
  const char *engine_folder;                 // scripts/shoal
  sources_o *sources;                        // shared; NULL: read from the two folders
  world_o *world;                            // borrowed; vm_adopt declares into it, running scripts use it
  const input_state_t *input, *input_before; // borrowed; written by the host before every tick
  draw_o *draw;                              // borrowed
  audio_o *audio;                            // borrowed
  render_o *render;                          // borrowed; only measures text. NULL: all text sizes are 0
  const assets_t *assets;                    // borrowed
  script_requests_t *requests;               // borrowed
  sql_o *sql;                                // borrowed; on `world`. NULL: world.sql raises an error
  bool trust;                                // allows `native = true`
  bool check_tables;  // remember the tables that files create while loading, for vm_changed_table
  bool metadata;      // load t.metadata components
  bool no_jit;        // do not compile scripts
  const char *native; // which systems are compiled to native code, and when (native/loop.h); NULL: all that can be
  bool strict;        // values that do not fit their field raise errors instead of being clamped and logged once
  script_budgets_t budgets;
  parked_list_t *parked; // borrowed; receives the pieces that this VM parks
  uint32_t memory_mb;    // memory limit; a VM that exceeds it is stopped (default: SCRIPT_MEMORY_MB)
  uint32_t block_mb;     // blocks larger than half of this are refused (default: memory_mb)
  uint64_t seed;
  log_o *log;
  const char *message; // shown by the menu ("no such game: …"); "" if none
} vm_desc_t;

// Creates a VM: loads and checks all files. Returns NULL with the report filled on the first error.
vm_o *vm_create(const vm_desc_t *desc, script_report_t *report);
// Destroys a VM. Calls no hooks of the game.
void vm_destroy(vm_o *vm);
// Reads the settings of an adopted game. Returns false with the report filled if a field is missing or mistyped.
bool vm_game(vm_o *vm, vm_game_t *out, script_report_t *report);
struct native_set_o *vm_native(const vm_o *vm); // compiled loops (native/loop.h); NULL before vm_adopt
// Returns the budget from game.lua or the command line, extended for slow machines, in milliseconds; 0: no limit.
uint32_t vm_budget_ms(const vm_o *vm, script_budget_t budget);
bool vm_was_interrupted(const vm_o *vm); // a script was stopped because the program exits: the last tick is incomplete
uint64_t vm_number(const vm_o *vm);      // unique in this process; a rebuilt VM keeps it
sources_o *vm_sources(const vm_o *vm);   // the sealed sources that it was built from; borrowed
// Sets the renderer of a VM that was created before the window, whose size is set in game.lua.
void vm_set_render(vm_o *vm, render_o *render);

// Checks the declarations against the world, then declares components, events and assemblages, and adds the systems to
// `schedule`. Returns false with the report filled; the world must then be destroyed. `reloaded`: a world that has
// already run will be carried over, so the systems' `reload` hooks are called instead of `start`.
bool vm_adopt(vm_o *vm, schedule_o *schedule, bool reloaded, script_report_t *report);

// Calls the `stop` hooks of the systems that `next` does not have, or of all systems if `next` is NULL. Call before the
// VM is destroyed.
void vm_retire(vm_o *vm, vm_o *next);
bool vm_has_retiring(vm_o *vm, vm_o *next); // returns whether vm_retire would stop any system
// Copies the file name of a Lua system to `out`. Returns false for other systems.
bool vm_system_file(vm_o *vm, const char *system, char *out, size_t out_bytes);

// Runs a declaration's `migrate` on rows of an older one (migrate/schema_migrate.h). `vm` is an adopted vm_o. Returns
// false with a message that starts with file and line.
struct migration_t;
bool vm_migrate(void *vm, world_o *w, const struct migration_t *m, error_t *error);

// Runs game.lua's `start` in a new world, then enters the first scene if the game names one.
bool vm_start(vm_o *vm, script_report_t *report);

// Runs a Lua chunk in the game's environment (--exec, the console, tests). Its result, if any, is written to `out` as
// text.
bool vm_exec(vm_o *vm, const char *code, const char *chunk_name, char *out, size_t out_bytes, script_report_t *report);

// Writes the contents of the cockpit's panel `number` as JSON to `out`, with `entity` selected (0: none); for panel 0,
// the list of panels and commands (scripts/shoal/kit/cockpit.lua). Does not change the world. Returns false with the
// report filled; a panel that was stopped by the watchdog would be stopped again.
bool vm_panel(vm_o *vm, uint32_t number, uint32_t entity, char *out, size_t out_bytes, script_report_t *report);

// Moves up to `max` errors since the last call to `out`, oldest first, one for each piece that failed and was parked.
// Returns their number.
uint32_t vm_take_reports(vm_o *vm, script_report_t *out, uint32_t max);

// --- Pieces of a system: its body, its event handlers, `enter` and `leave`, `start` and `reload`, and functions of
// behaviours. A piece that fails, or is stopped by the watchdog, is parked (vm_desc_t.parked): it is not run again in
// this VM. A stopped VM is rebuilt from its sources under the same vm_o, with the same pieces parked.

// Parks a piece as if it had failed, without a report. Returns false if there is no such piece.
bool vm_park(vm_o *vm, const char *name);

// With check_tables: finds a table that files created while loading and that has changed since. Each is reported once.
// Returns false if no other table has changed. Call between two systems.
bool vm_changed_table(vm_o *vm, script_report_t *out);
// Restores the values of reported tables and checks them again.
void vm_restore_tables(vm_o *vm);

// --- Attempts: a tick that runs a second time, after the world was restored to its beginning

// Begins an attempt: after the first piece that fails, systems do nothing until vm_attempt_retry or vm_attempt_end.
// `only_stops`: only pieces that are stopped by the watchdog count as failed.
void vm_attempt_begin(vm_o *vm, bool only_stops);
bool vm_attempt_failed(const vm_o *vm);
// Starts the second run. Log lines and sounds are muted up to the piece that failed: they were already output.
void vm_attempt_retry(vm_o *vm);
void vm_attempt_end(vm_o *vm);
// Returns the number of systems that have completed their first run, and so their `start` or `reload`.
uint32_t vm_first_runs(const vm_o *vm);

// Returns the current entity of a piece that runs once per entity, or 0. Can be called at any time.
uint32_t vm_current_entity(const vm_o *vm);
// Writes what the game's files declare as metadata of an assemblage to `out`, one line per component. Returns false and
// "" on failure.
bool vm_metadata(vm_o *vm, const char *assemblage, char *out, size_t bytes);
// Lists the components that scenes may name although the world lacks them (metadata), each followed by '\n', truncated.
void vm_ignored_components(vm_o *vm, char *out, size_t bytes);

// Writes type definitions of what the game's plugins add to scripts (LuaLS) to a file. Returns false with a message.
bool vm_write_types(vm_o *vm, const char *path, error_t *error);

// Runs a garbage collection step if the VM uses more than an eighth of its memory limit: the collector on its own would
// let the memory double before it marks again. Call once per frame, after the ticks.
void vm_collect(vm_o *vm);
size_t vm_memory_bytes(const vm_o *vm);
// Sets the host's memory for this VM's history, which counts as memory of the scripts.
void vm_set_past_bytes(vm_o *vm, size_t bytes);

#endif
