// Internals of a VM, for this module and for bindings.
#ifndef SHOAL_SCRIPT_VM_H
#define SHOAL_SCRIPT_VM_H

#include "base/array.h"
#include "watchdog/arena.h"
#include "luajit/bytecode.h"
#include "schedule/schedule.h"
#include "script/handles.h"
#include "script/report.h"
#include "script/vm_desc.h"
#include "watchdog/watchdog.h"
#include "snapshot/snapshot.h"

#include <lua.h>

#define VM_MAX_REPORTS 16
#define VM_OVERFLOW "stack overflow: endless recursion"

// Values that stay at the bottom of the stack for the VM's life, so that calls do not create garbage.
enum { VM_HANDLER = 1, VM_ENGINE = 2, VM_BASE_TOP = 2 };

// Execution context of the running Lua code; written by Lua, used to clean up after failures. Declared for Lua in
// bindings/abi.h.
typedef struct vm_context_t {
  uint32_t piece;   // number of the running piece, starting at 1; 0: no piece
  uint32_t watcher; // watcher whose list is being processed; 0: no watcher
  uint32_t muted;   // 1: suppresses log lines and sounds, which the previous attempt at this tick has output
  uint32_t idle;    // 1: the run had nothing to do, because `every` did not let the body run in this tick
  double entity;    // current entity of a loop over entities; 0: no entity. A double, see scripts/shoal/base/handle.lua
} vm_context_t;

typedef struct vm_piece_t {
  uint32_t system, piece;
} vm_piece_t;

// A snapshot of the world before a change. If the change fails, it is undone completely.
typedef struct vm_backup_t {
  snapshot_o *world; // snapshot before the change; NULL while no change is in progress
  uint32_t system;   // number of the system that makes the change
} vm_backup_t;

// A native loop that replaces a system's Lua for some runs; `loop` is NULL if Lua must be called.
typedef struct vm_native_code_t {
  struct native_loop_o *loop;
  int32_t dt_parameter;      // index of the loop's parameter for the tick's length; -1: no such parameter
  uint32_t runs_left;        // number of declared runs that have not begun (vm_set_native_loop)
  uint32_t run_count;        // number of runs since the last vm_pop_native_runs
  bool needs_lua;            // true if Lua must compute the loop's parameters before each run
  uint64_t declared_loop_id; // native_loop_id of the loop whose columns are declared to the schedule; 0: no loop
} vm_native_code_t;

// Memory that the runs of a system have allocated in Lua. Each window of runs is twice as long as the previous window,
// so that allocations of the first runs (LuaJIT's traces, generated accessors) do not count for later runs.
typedef struct vm_garbage_t {
  uint64_t runs, previous_runs; // numbers of runs in this window and in the previous window
  double bytes, previous_bytes; // bytes allocated in these runs
} vm_garbage_t;

struct vm_o {
  uint64_t number;   // id that is unique in this process
  lua_State *L;      // Lua state; NULL if the VM was stopped and could not be rebuilt
  lua_State *closer; // thread used only to flush machine code
  arena_o *arena;
  vm_desc_t desc; // description of the VM; its strings point to copies in this struct
  audio_buses_t buses;
  char game_folder[512], engine_folder[512], message[512];
  script_lobby_t lobby; // copy of the caller's desc.lobby; zeroed if that is NULL
  sources_o *sources;
  script_report_t reports[VM_MAX_REPORTS]; // errors not yet read by the host; when full, new errors are dropped
  uint32_t report_count;
  bool loaded;         // true once boot.lua has run
  bool has_finalizers; // true if closing must run finalizers
  bool adopted;        // true once the declarations are in the world
  bool reloaded;       // true if the world received the state of a world that has already run (vm_adopt)
  bool stopped;        // true if stopped by the watchdog, out of memory, or not rebuilt: L must not be entered
  bool interrupted;    // true if a call was stopped because the program exits
  script_budget_t budget;
  uint32_t budget_factor;            // factor from vm_set_budget_factor
  uint32_t load_limit_ms;            // CPU budget while loading, in ms; 0: the default (vm_limit_load)
  bool out_of_memory;                // true if the last call failed for lack of memory
  script_report_t caught;            // the error most recently caught by the message handler
  report_running_code_t failed_code; // the code that was running when that error was raised
  bool handled; // true if the handler ran for the last failed call; false after a stack overflow in compiled code

  vm_context_t context;
  handles_t handles;
  struct { // true if the system, and therefore its `start` or `reload`, has run in this VM; indexed by system
    bool *items;
    uint32_t capacity;
  } started, started_copy; // `started_copy`: copy made at the beginning of a tick that may be re-run
  bool has_parked; // true if the Lua state may contain parked pieces, so that vm_update_parked_pieces must update it
  bool attempting, only_stops, attempt_failed;
  uint32_t parked_count_before; // number of parked pieces before the attempt
  vm_piece_t muted_until;       // piece up to which output is muted in the current attempt
  uint32_t first_runs;          // number of systems that have completed their first run in this VM
  uint64_t builds;              // number of Lua states created so far
  bool reads_bytecode;          // true if bytecode.h supports the bytecode format of this LuaJIT
  bytecode_ops_t ops;
  bytecode_bytes_t bytecode; // dump of the most recently dumped function

  vm_backup_t scene_backup; // state of the world before a scene was left, kept until the next scene is entered
  vm_backup_t start_backup; // state of the world before a system's running `start`

  struct { // native loops, which replace Lua code; indexed by system
    vm_native_code_t *items;
    uint32_t capacity;
    uint32_t epoch; // strings epoch of the world at the last check
  } native_loops;
  struct { // memory that systems allocate in Lua; indexed by system
    vm_garbage_t *items;
    uint32_t capacity;
  } garbage;
  struct native_set_o *native; // compiled loops of the VM's systems
  schedule_o *schedule;        // schedule that vm_adopt is filling; NULL at other times
  schedule_o *stages;
  // loops of systems that consist of a single loop (native_system.c)
  struct concurrent_loop_t **concurrent_loops;
  uint32_t concurrent_loop_count;
  size_t history_bytes;   // memory of the world's history in bytes; the host keeps the history
  snapshot_o **snapshots; // snapshots owned by scripts
  uint32_t snapshot_count, snapshot_capacity;
  struct {
    allocator_t memory;
    ARRAY(schema_t *) built;
  } schemas; // schemas that the world has not copied yet
};

vm_o *vm_of(lua_State *L);
void vm_store_in_state(vm_o *vm); // stores the vm_o in its Lua state, for vm_of

// Returns the arena's limit in bytes: the memory limit minus the history, but at least half of the memory limit, so
// that the history alone cannot cause a script to be stopped.
size_t vm_memory_limit(const vm_o *vm);
// Returns the memory of the scripts in bytes: the Lua state, the world's strings, and snapshots that scripts hold.
size_t vm_used_memory(const vm_o *vm);

void vm_set_caught_error(vm_o *vm, const char *message);
// Calls the engine function `name` (from the table that scripts/shoal/boot.lua returns) with the top `arguments` values
// of the stack, under the message handler. Returns true on success. If the call fails, returns false with vm->caught
// filled. Only for functions that run none of the game's code.
bool vm_call(vm_o *vm, const char *name, int arguments, int results);

#endif
