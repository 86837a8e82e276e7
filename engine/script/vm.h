// One VM, for the files of this module and for bindings.
#ifndef SHOAL_SCRIPT_VM_H
#define SHOAL_SCRIPT_VM_H

#include "base/array.h"
#include "watchdog/arena.h"
#include "luajit/bytecode.h"
#include "script/handles.h"
#include "script/loop_locations.h"
#include "script/script.h"
#include "watchdog/watchdog.h"
#include "snapshot/snapshot.h"

#include <lua.h>

#define VM_MAX_REPORTS 16
#define VM_OVERFLOW "stack overflow: endless recursion"

// Two values stay at the bottom of the stack for the VM's life, so that a call pushes nothing that becomes garbage.
enum { VM_HANDLER = 1, VM_ENGINE = 2, VM_KEPT = 2 };

// What Lua writes while it runs, for whoever has to clear up behind it; repeated in ABI_TYPES.
typedef struct vm_place_t {
  uint32_t piece;   // of the system that runs, 1-based; 0 for none
  uint32_t watcher; // whose list it has taken and not come to the end of; 0 for none
  uint32_t muted;   // what it says was said in the first attempt at this tick
  double entity;    // that a loop over entities has at hand; 0 for none. A double: see scripts/shoal/base/handle.lua
} vm_place_t;

typedef struct vm_part_t {
  uint32_t system, piece;
} vm_part_t;

// The world as it was before something that is done or undone as a whole.
typedef struct vm_kept_t {
  snapshot_o *world; // NULL for none
  uint32_t system;   // that does it
} vm_kept_t;

// The code of a loop for so many runs; none where there is more to do.
typedef struct vm_code_t {
  struct native_loop_o *loop;
  int32_t dt;         // the loop's parameter that is the tick's length; -1 for none
  uint32_t runs, ran; // that are left; that were since Lua has asked
  bool asks;          // Lua finds its parameters before each run
  uint64_t declared;  // native_loop_number of the loop whose columns the schedule knows; 0: none
} vm_code_t;

struct vm_o {
  uint64_t number;   // of its own, for as long as this process lives
  lua_State *L;      // NULL after it was stopped, when it could not be built anew
  lua_State *closer; // a thread of it that is only ever asked to flush machine code
  loops_t loops;     // for the line of one that was left
  arena_o *arena;
  vm_desc_t desc; // with copies of the texts below
  audio_buses_t buses;
  char game_folder[512], engine_folder[512], message[512];
  sources_o *sources;
  script_report_t reports[VM_MAX_REPORTS]; // not taken yet; when full, later ones are only counted
  uint32_t report_count;
  bool loaded;            // the engine's Lua is there
  bool adopted, reloaded; // the world has its declarations; and had run before
  bool stopped;           // by the watchdog: L is not entered any more
  bool cut_short;         // some of it has been stopped because the program shall end
  script_budget_t budget; // of the call that runs
  bool out_of_memory;     // so the call ended that failed last
  script_report_t caught; // what the message handler saw last
  uint32_t caught_entity; // what was at hand then, 0 for nothing
  bool caught_vaguely;    // its place is a guess: right if it is in the piece's own file
  bool handled; // it ran for the call that failed last; compiled code that overflows the stack leaves it no room

  vm_place_t place;
  handles_t handles;
  struct { // systems that have run once in this VM: their `start` or `reload` is over
    bool *items;
    uint32_t capacity;
  } started, started_before; // the latter when the tick began that may be run again
  bool attempting, only_stops, attempt_failed;
  uint32_t parked_before; // the attempt
  vm_part_t heard_until;  // in the second attempt
  uint32_t first_runs;    // how often a system has run for the first time
  uint64_t builds;        // how often the VM was built
  bool reads_bytecode;    // its LuaJIT writes the form that bytecode.h reads
  bytecode_ops_t ops;
  bytecode_bytes_t bytecode; // what was dumped last

  vm_kept_t left;     // the world before a scene was left, until the next one is there
  vm_kept_t starting; // the world before the `start` of a system that runs

  struct { // by system: what is all that a run of it does now
    vm_code_t *items;
    uint32_t capacity;
    uint32_t epoch; // of the world's texts
  } by_itself;
  struct native_set_o *native;         // its compiled loops
  schedule_o *schedule;                // while it is adopted
  schedule_o *stages;                  // since then: the game's
  struct loop_beside_t **loops_beside; // of systems that are loops alone (native_system.c)
  uint32_t loops_beside_count;
  size_t past_bytes;      // that the host keeps of the world's past
  snapshot_o **snapshots; // that its scripts hold
  uint32_t snapshot_count, snapshot_capacity;
  struct {
    allocator_t memory;
    ARRAY(schema_t *) built;
  } schemas; // of declarations that the world has not taken yet
};

vm_o *vm_of(lua_State *L);
void vm_register(vm_o *vm); // makes vm_of work in its Lua state

// Bytes that the arena may have besides the past; at least half of the limit, so that a script that has just begun is
// not blamed for the past.
size_t vm_memory_cap(const vm_o *vm);

void vm_set_caught(vm_o *vm, const char *message);
// Calls the engine function `name` (scripts/shoal/boot.lua returns the table) with the `arguments` on top of the
// stack, under the message handler. False with vm->caught filled. For functions that run no code of the game.
bool vm_call(vm_o *vm, const char *name, int arguments, int results);

#endif
