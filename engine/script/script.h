// The script room: Lua VMs. A VM holds code and nothing else. vm_create builds one beside whatever runs, loads and checks every
// file of a game in it, and touches nothing outside; vm_adopt then declares what it found in a world and fills a schedule.
// Dropping a VM never touches the world. Main thread only; C enters Lua by lua_pcall alone.
#ifndef SHOAL_SCRIPT_SCRIPT_H
#define SHOAL_SCRIPT_SCRIPT_H

#include "base/error.h"
#include "base/log.h"
#include "ecs/schedule.h"
#include "ecs/world.h"
#include "platform/audio.h"
#include "platform/input.h"
#include "render/draw.h"
#include "render/render.h"
#include "script/sources.h"
#include "script/past_port.h"
#include "script/scene_port.h"
#include "script/plugin_port.h"
#include "script/sql_port.h"

typedef struct vm_o vm_o;

// What went wrong, as data for the card, the log and the exit code.
typedef struct script_report_t {
  char piece[96];       // "system movement", "components.lua", "assemblage tank", …
  char message[1024];   // without the place
  char file[256];       // relative to the game folder; "" when unknown
  int line;             // 0 when unknown
  char traceback[2048]; // without engine frames; "" for load errors
  char about[512];      // what metadata says of `entity` and of those that the message names, a line each
  char entity[96];      // the one that was at hand in `each` or a behaviour, as it prints; "" for none
  bool stopped;         // by the watchdog: it did not end, or took too much memory
  uint64_t tick;
} script_report_t;

// What scripts may ask of the host; read by the host after every tick.
typedef struct script_requests_t {
  bool quit;
  int pause; // 0: nothing asked, 1: pause, -1: go on
  bool reload;
  bool restart;
  char scene[64];    // "" for none
  char game[512];    // a game folder to switch to (the menu); "" for none
  char save[64];     // names of saves, "" for none: written, then
  char load[64];     // read
  uint32_t rewind;   // ticks to go back; 0 for none
  bool rewind_again; // and to hear them once more
} script_requests_t;

typedef struct vm_desc_t {
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
  const sql_port_t *sql;                     // borrowed; who answers world.sql. NULL: nobody
  const scene_port_t *scene;                 // borrowed; who writes and reads scenes as text. NULL: nobody
  const plugin_port_t *plugins;              // borrowed; NULL: there are none
  const past_port_t *past;                   // borrowed; what the host knows of the past. NULL: nothing
  bool trust;                                // grants `native = true`
  bool check_kernels; // every run of a kernel is compared with its loop form; a difference is an error of its system
  bool metadata;      // t.metadata components are loaded
  uint32_t
      budget_ms; // of a piece of a system; loading, `stop` and vm_exec have ten times as much, `start` thirty times. 0: no end
  uint32_t memory_mb; // from where on a VM is stopped (default: 1024)
  uint64_t seed;
  log_o *log;
  const char *message; // for the menu: what to say ("no such game: …"), "" for nothing
} vm_desc_t;

// game.lua's facts.
typedef struct vm_game_t {
  char title[128];
  int width, height;
  uint32_t tick_rate;
  uint32_t history_mb;
  uint32_t autosave_s; // seconds of the game between two autosaves; 0 for none
} vm_game_t;

// Loads and checks everything. NULL with the report filled on the first thing that is wrong.
vm_o *vm_create(const vm_desc_t *desc, script_report_t *report);
// Just drops it: no hook of the game runs.
void vm_destroy(vm_o *vm);
void vm_game(const vm_o *vm, vm_game_t *out);
sources_o *vm_sources(const vm_o *vm); // what it was built from, sealed; borrowed
// For a VM that was created before there was a window: its size comes from game.lua.
void vm_set_render(vm_o *vm, render_o *render);

// Checks the declarations against the world and then declares components, events and assemblages and adds the systems to
// `schedule`. False with the report filled: the world is to be dropped then. `reloaded`: a world that has run before will come over;
// systems' `reload` hooks are called instead of `start`.
bool vm_adopt(vm_o *vm, schedule_o *schedule, bool reloaded, script_report_t *report);

// Before a VM is dropped: calls `stop` of those of its systems that `next` does not have (all of them when next is NULL).
void vm_retire(vm_o *vm, vm_o *next);
bool vm_has_retiring(vm_o *vm, vm_o *next); // are there any?
// The file that a Lua system comes from. False for other systems.
bool vm_system_file(vm_o *vm, const char *system, char *out, size_t out_bytes);

// A declaration's `migrate` over rows of an older one (ecs/convert.h); `vm` is a vm_o that has been adopted. False with a message that
// begins with file and line.
struct migration_t;
bool vm_migrate(void *vm, world_o *w, const struct migration_t *m, error_t *error);

// game.lua's `start`, once for a fresh world; then a scene if the game names one.
bool vm_start(vm_o *vm, script_report_t *report);

// A Lua chunk in the game's environment (--exec, the console, tests). The result, if any, as text in `out`.
bool vm_exec(vm_o *vm, const char *code, const char *chunk_name, char *out, size_t out_bytes, script_report_t *report);

// Errors since the last call, oldest first: a piece of a system that failed is parked and listed here once. Returns how many were
// copied.
uint32_t vm_take_reports(vm_o *vm, script_report_t *out, uint32_t max);

// --- pieces: a system's body, its handlers, each by its event, `enter` and `leave`, its `start` and `reload`; the functions of a behaviour.
// What fails, or is stopped by the watchdog, is parked: it does not run again in this VM. A VM that was stopped is built anew from its
// sources behind the same vm_o, with the same pieces parked.
typedef struct vm_parked_t {
  char name[128]; // "movement/body", "weapons/on hit", "behaviours/guard.lua/update": the same in every run
  bool stopped;   // by the watchdog, and so perhaps not in another run
  uint64_t tick;
} vm_parked_t;

uint32_t vm_parked_count(const vm_o *vm); // grows while the VM lives
const vm_parked_t *vm_parked(const vm_o *vm, uint32_t i);
bool vm_park(vm_o *vm, const char *name); // as if it had failed, without a report; false when there is no such piece

// --- a tick that is run a second time, after the world was brought back to its beginning
// From here on the first piece that fails ends the run: systems do nothing until vm_attempt_again or vm_attempt_end.
void vm_attempt_begin(vm_o *vm);
bool vm_attempt_failed(const vm_o *vm);
// What systems say and play is not heard until they come to the piece that failed: it was heard in the first attempt.
void vm_attempt_again(vm_o *vm);
void vm_attempt_end(vm_o *vm);

// Where the VM is in the game's Lua: file, line and traceback of `out`, "" where it does not know. Wherever it stands, also in the
// middle of a crash: then only in a copy of the process, for it may not come back.
void vm_where(vm_o *vm, script_report_t *out);
// The entity that a piece which runs once per entity has at hand; 0 for none. At any moment.
uint32_t vm_entity_at_hand(const vm_o *vm);
// What the game's files say of an assemblage's metadata, a line for each component. False with "" when that cannot be found out.
bool vm_metadata(vm_o *vm, const char *assemblage, char *out, size_t bytes);

// What the game's plugins add for scripts, as definitions for an editor (LuaLS), into a file. False with a message.
bool vm_write_types(vm_o *vm, const char *path, error_t *error);

// The smallest step of garbage collection. Once a frame, after the ticks; the collector's own pacing does the rest when garbage
// comes faster.
void vm_collect(vm_o *vm);
size_t vm_memory_bytes(const vm_o *vm);

#endif
