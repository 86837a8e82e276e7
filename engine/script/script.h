// Lua VMs. A VM holds code and nothing else. vm_create builds one beside whatever runs, loads and checks every file of
// a game in it, and touches nothing outside; vm_adopt then declares what it found in a world and fills a schedule.
// Dropping a VM never touches the world. Main thread only; C enters Lua by lua_pcall alone.
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

// What scripts may ask of the host; read by the host after every tick.
typedef struct script_requests_t {
  int quit, pause, fullscreen; // 0: nothing asked, 1: do, -1: do not, or no longer
  bool reload;
  bool restart;
  bool restore;        // goes back to `restore_tick` of the history
  bool restore_replay; // and then replays the input of the ticks since
  double restore_tick;
  char game[512];              // a game folder to switch to (the menu); "" for none
  char save[64];               // names of saves, "" for none: written, then
  char drop[64];               // deleted, then
  char load[64];               // read
  int scale;                   // letterbox_mode_t and 1; 0: nothing asked
  int vsync;                   // 1: frames wait for the screen, -1: they do not
  bool rumbles[INPUT_PADS];    // asked of a pad:
  float rumble[INPUT_PADS][2]; // strength, 0 … 1, and seconds
} script_requests_t;

// How long scripts may run before they are stopped, in thread time.
typedef enum script_budget_t {
  SCRIPT_BUDGET_SYSTEM, // a piece of a system
  SCRIPT_BUDGET_START,  // a `start` (game, system, scene), a behaviour's `create`
  SCRIPT_BUDGET_LOAD,   // loading, `stop`, `migrate`, vm_exec
  SCRIPT_BUDGETS
} script_budget_t;

typedef struct script_budgets_t {
  uint32_t ms[SCRIPT_BUDGETS]; // 0: no end
  bool fixed; // asked for on the command line: game.lua's are not taken, and a slow machine has no more
} script_budgets_t;

typedef struct sql_o sql_o; // sql/sql.h

// A module's C functions for the engine's Lua (scripts/shoal). `open` adds them to the table at the top of the stack,
// which boot.lua gets as `native`; it is called for every Lua state that is built.
typedef struct vm_library_t {
  void (*open)(lua_State *L, void *context);
  void *context;
} vm_library_t;

#define VM_MAX_LIBRARIES 4

typedef struct vm_desc_t {
  vm_library_t libraries[VM_MAX_LIBRARIES];  // up to the first without `open`
  const char *game_folder;                   // with game.lua
  const char *engine_folder;                 // scripts/shoal
  sources_o *sources;                        // shared; NULL: read from the two folders now
  world_o *world;                            // borrowed; declared into by vm_adopt, used by the running scripts
  const input_state_t *input, *input_before; // borrowed; the host writes them before every tick
  draw_o *draw;                              // borrowed
  audio_o *audio;                            // borrowed
  render_o *render;                          // borrowed; for text sizes only. NULL: every text has size 0
  const assets_t *assets;                    // borrowed
  script_requests_t *requests;               // borrowed
  sql_o *sql;                                // borrowed; over `world`. NULL: world.sql is refused
  bool trust;                                // grants `native = true`
  bool check_tables;  // what files made while they were loaded is remembered, for vm_changed_table
  bool metadata;      // t.metadata components are loaded
  bool no_jit;        // nothing is compiled
  const char *native; // which systems are native code, and when (native/loop.h); NULL: all that can be
  bool strict;        // a number that does not fit its field is an error, else it is clamped and said once
  script_budgets_t budgets;
  parked_list_t *parked; // borrowed; what this VM parks goes in
  uint32_t memory_mb;    // from where on a VM is stopped (default: SCRIPT_MEMORY_MB)
  uint32_t block_mb;     // half of this is the largest block that it gets (default: memory_mb)
  uint64_t seed;
  log_o *log;
  const char *message; // for the menu: what to say ("no such game: …"), "" for nothing
} vm_desc_t;

// Loads and checks everything. NULL with the report filled on the first thing that is wrong.
vm_o *vm_create(const vm_desc_t *desc, script_report_t *report);
// Just drops it: no hook of the game runs.
void vm_destroy(vm_o *vm);
// Reads the facts of an adopted game. Returns false with the report filled if a field is missing or mistyped.
bool vm_game(vm_o *vm, vm_game_t *out, script_report_t *report);
struct native_set_o *vm_native(const vm_o *vm); // its compiled loops (native/loop.h); NULL before it was adopted
// game.lua's or the command line's, as it is on this machine; 0: no end.
uint32_t vm_budget_ms(const vm_o *vm, script_budget_t budget);
bool vm_was_cut_short(const vm_o *vm); // because the program shall end: the tick is not a whole one
uint64_t vm_number(const vm_o *vm);    // another one for each VM of this process; a VM that is built anew keeps it
sources_o *vm_sources(const vm_o *vm); // what it was built from, sealed; borrowed
// For a VM that was created before there was a window: its size comes from game.lua.
void vm_set_render(vm_o *vm, render_o *render);

// Checks the declarations against the world and then declares components, events and assemblages and adds the systems
// to `schedule`. False with the report filled: the world is to be dropped then. `reloaded`: a world that has run
// before will come over; systems' `reload` hooks are called instead of `start`.
bool vm_adopt(vm_o *vm, schedule_o *schedule, bool reloaded, script_report_t *report);

// Before a VM is dropped: calls `stop` of those of its systems that `next` does not have (all of them when next is
// NULL).
void vm_retire(vm_o *vm, vm_o *next);
bool vm_has_retiring(vm_o *vm, vm_o *next); // are there any?
// The file that a Lua system comes from. False for other systems.
bool vm_system_file(vm_o *vm, const char *system, char *out, size_t out_bytes);

// A declaration's `migrate` over rows of an older one (migrate/schema_migrate.h); `vm` is a vm_o that has been adopted.
// False with a message that begins with file and line.
struct migration_t;
bool vm_migrate(void *vm, world_o *w, const struct migration_t *m, error_t *error);

// game.lua's `start`, once for a fresh world; then a scene if the game names one.
bool vm_start(vm_o *vm, script_report_t *report);

// A Lua chunk in the game's environment (--exec, the console, tests). The result, if any, as text in `out`.
bool vm_exec(vm_o *vm, const char *code, const char *chunk_name, char *out, size_t out_bytes, script_report_t *report);

// What panel `number` of the cockpit shows while `entity` is picked (0: none), as JSON; of panel 0 which panels and
// commands there are (scripts/shoal/kit/cockpit.lua). It changes nothing of the world. False with the report: one that
// the watchdog has stopped would be stopped again.
bool vm_panel(vm_o *vm, uint32_t number, uint32_t entity, char *out, size_t out_bytes, script_report_t *report);

// Errors since the last call, oldest first: a piece of a system that failed is parked and listed here once. Returns
// how many were copied.
uint32_t vm_take_reports(vm_o *vm, script_report_t *out, uint32_t max);

// --- pieces: a system's body, its handlers, each by its event, `enter` and `leave`, its `start` and `reload`; the
// functions of a behaviour. What fails, or is stopped by the watchdog, is parked (vm_desc_t.parked): it does not run
// again in this VM. A VM that was stopped is built anew from its sources behind the same vm_o, with the same pieces
// parked.
bool vm_park(vm_o *vm, const char *name); // as if it had failed, without a report; false when there is no such piece

// With check_tables: a table that files made while they were loaded, and that is not as it was then. False when there
// is none; each is told once. Between two systems.
bool vm_changed_table(vm_o *vm, script_report_t *out);
// Tables that were told of have their values again, and are looked at again.
void vm_put_tables_back(vm_o *vm);

// --- a tick that is run a second time, after the world was brought back to its beginning From here on the first piece
// that fails ends the run: systems do nothing until vm_attempt_again or vm_attempt_end. `only_stops`: the first that
// the watchdog stops.
void vm_attempt_begin(vm_o *vm, bool only_stops);
bool vm_attempt_failed(const vm_o *vm);
// What systems say and play is not heard until they come to the piece that failed: it was heard in the first attempt.
void vm_attempt_again(vm_o *vm);
void vm_attempt_end(vm_o *vm);
// How often a system has run for the first time, and so its `start` or `reload`.
uint32_t vm_first_runs(const vm_o *vm);

// The entity that a piece which runs once per entity has at hand; 0 for none. At any moment.
uint32_t vm_entity_at_hand(const vm_o *vm);
// What the game's files say of an assemblage's metadata, a line for each component. False with "" when that cannot be
// found out.
bool vm_metadata(vm_o *vm, const char *assemblage, char *out, size_t bytes);
// The components that scenes may name and the world does not have, those of metadata: each with a '\n' behind it, cut.
void vm_passed_over(vm_o *vm, char *out, size_t bytes);

// What the game's plugins add for scripts, as definitions for an editor (LuaLS), into a file. False with a message.
bool vm_write_types(vm_o *vm, const char *path, error_t *error);

// Once a frame, after the ticks. The collector's own pace lets a VM's memory double before it marks what lives again.
// One that has more than an eighth of what it may have is not to double: it gets the smallest step, which begins the
// next cycle at once.
void vm_collect(vm_o *vm);
size_t vm_memory_bytes(const vm_o *vm);
// What the host keeps of the past for this VM's world: it counts as the scripts' memory from now on.
void vm_set_past_bytes(vm_o *vm, size_t bytes);

#endif
