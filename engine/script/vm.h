// Inside the script room: one VM.
#ifndef SHOAL_SCRIPT_VM_H
#define SHOAL_SCRIPT_VM_H

#include "luajit/arena.h"
#include "luajit/bytecode.h"
#include "script/handles.h"
#include "script/loops.h"
#include "script/parallel.h"
#include "script/script.h"
#include "script/watchdog.h"
#include "state/snapshot.h"

#include <lua.h>

#define VM_MAX_REPORTS 16

// What Lua writes while it runs, for whoever has to clear up behind it; repeated in ABI_TYPES.
typedef struct vm_place_t {
  uint32_t piece;   // of the system that runs, 1-based; 0 for none
  uint32_t watcher; // whose list it has taken and not come to the end of; 0 for none
  uint32_t muted;   // what it says was said in the first attempt at this tick
  double entity;    // that a loop over entities has at hand; 0 for none. A double: see scripts/shoal/handle.lua
} vm_place_t;

typedef struct vm_part_t {
  uint32_t system, piece;
} vm_part_t;

// The world as it was before something that is done or undone as a whole.
typedef struct vm_kept_t {
  snapshot_o *world; // NULL for none
  uint32_t system;   // that does it
} vm_kept_t;

// A kernel, or the code of a loop for so many runs; neither where there is more to do.
typedef struct vm_code_t {
  struct kernel_o *kernel;
  struct native_loop_o *loop;
  int32_t dt;         // the loop's parameter that is the tick's length; -1 for none
  uint32_t runs, ran; // that are left; that were since Lua has asked
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
  bool worker;            // runs the bodies of parallel systems for another VM, and nothing else
  bool adopted, reloaded; // the world has its declarations; and had run before
  bool stopped;           // by the watchdog: L is not entered any more
  bool cut_short;         // some of it has been stopped because the program shall end
  script_budget_t budget; // of the call that runs
  bool out_of_memory;     // so the call ended that failed last
  parallel_o *parallel;   // the workers' VMs; NULL when the game has no parallel system
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

  struct kernel_o **kernels; // of this VM
  uint32_t kernel_count, kernel_capacity;
  struct { // by system: what is all that a run of it does now
    vm_code_t *items;
    uint32_t capacity;
    uint32_t epoch; // of the world's texts
  } by_itself;
  struct native_set_o *native; // its compiled loops
  schedule_o *schedule;        // while it is adopted
  bool begins;                 // a kernel runs beside other systems: its run is only begun
  struct kernel_o *begun;      // then; NULL: it was none, or there are no rows
  uint32_t begun_parts;
  struct kernel_beside_t **beside; // of systems that are kernels alone (kernel_system.c)
  uint32_t beside_count;
  size_t past_bytes;      // that the host keeps of the world's past
  snapshot_o **snapshots; // that its scripts hold
  uint32_t snapshot_count, snapshot_capacity;
};

// Runs one Lua system by its number in this VM; a failure parks a piece of it and leaves a report. (system_faults.c)
void vm_run_system(vm_o *vm, uint32_t number, float dt_s);

// A VM for a worker of a parallel system: the same sources, loaded and checked. (parallel.c)
vm_o *vm_create_worker(const vm_desc_t *desc, script_report_t *report);

// Calls the engine function `name` (scripts/shoal/boot.lua returns the table) with the `arguments` on top of the
// stack, under the message handler. False with vm->caught filled. For functions that run no code of the game.
bool vm_call(vm_o *vm, const char *name, int arguments, int results);
// The same under the watchdog. When it was stopped, vm->stopped is set and vm_rebuild or vm_destroy must follow.
bool vm_run(vm_o *vm, const char *name, int arguments, int results, script_budget_t budget);

// Drops the Lua state, clears up behind it in the world, and builds a new one from the same sources with the same
// pieces parked. Between two systems. False with vm->caught filled: L is NULL then, and no system runs.
bool vm_rebuild(vm_o *vm);
// Takes what failed last as a report and names the pieces. (system_faults.c)
void vm_repark(vm_o *vm); // in a VM that was just built
void vm_pieces_fini(vm_o *vm);
void vm_kernels_fini(vm_o *vm); // what knows of them (kernel_system.c)
struct native_set_o *vm_begin_native(vm_o *vm);

// The message handler: turns whatever was thrown, and the Lua stack, into vm->caught. (report.c)
int report_handler(lua_State *L);
// Where the script is, from the stack alone.
void report_stack(lua_State *L, script_report_t *r);
uint32_t report_entity_at_hand(lua_State *L); // 0 for none
// The same for a state that was left in the middle: what is there may be anything, and then it says nothing.
void report_broken_stack(lua_State *L, script_report_t *r);

// Runs read(L, out). False when it ran into memory that is not there.
bool report_guarded(void (*read)(lua_State *L, void *out), lua_State *L, void *out);

// The C functions that the engine's Lua gets besides the FFI. Pushes a table. (bind_core.c)
void native_push(vm_o *vm);
// Pushes the chunk of one of the sources and returns true, or pushes what is wrong with it. (bind_core.c)
bool native_compile(lua_State *L, const char *name);

vm_o *vm_of(lua_State *L);

// --- by the engine's Lua, through the FFI
void vm_keep_kernel(vm_o *vm, struct kernel_o *k); // destroyed with the VM
// For --explain: what `system`, declared at `at`, is.
void vm_explain_kernel(vm_o *vm, const char *system, const char *at, const struct kernel_o *k);
void vm_run_kernel(vm_o *vm, struct kernel_o *k, float dt_s);
// From the next run on this system is its kernel and nothing else, and is run without a call into Lua; until any system
// may have something else to do again.
void vm_run_by_itself(vm_o *vm, uint32_t system, struct kernel_o *k);
// The same of the code of a loop that leaves nothing to Lua, for the next `runs` runs.
void vm_loop_by_itself(vm_o *vm, uint32_t system, struct native_loop_o *l, int32_t dt, uint32_t runs);
void vm_loop_asks_tiles(struct native_loop_o *l);           // it gets how cells of tiles are asked for
uint32_t vm_take_runs_by_itself(vm_o *vm, uint32_t system); // how many there were since it was asked last
void vm_none_by_itself(vm_o *vm);
// False where it has to be called.
bool vm_ran_by_itself(vm_o *vm, uint32_t system, float dt_s);
// This system is its kernel alone and may run beside others. In a VM that is built anew the schedule knows already.
void vm_declare_beside(vm_o *vm, const char *system, struct kernel_o *k);
void vm_declare_query(vm_o *vm, const char *system, const struct query_o *q); // it goes over these rows
snapshot_o *vm_take_snapshot(vm_o *vm); // an empty one, released with the VM at the latest
void vm_drop_snapshot(vm_o *vm, snapshot_o *s);
void vm_has_started(vm_o *vm, uint32_t system);
bool vm_is_started(const vm_o *vm, uint32_t system);
// What runs from here on has this budget, from its beginning; to the end of the call into this VM.
void vm_set_budget(vm_o *vm, uint32_t budget);
// game.lua's; negative: it says nothing. Not taken when they are fixed.
void vm_take_budgets(vm_o *vm, double system_ms, double start_ms, double load_ms);
// A bus that game.lua declares (platform/audio.h); `under`: names, spaces between them.
void vm_take_bus(vm_o *vm, const char *name, float volume, float duck, float attack_s, float release_s,
                 const char *under, float lowpass_hz, float reverb);
// What game.lua says that a question of its scripts may take. Unlike a budget it is no time, and holds in replays.
void vm_take_sql_steps(vm_o *vm, double steps);
// A scene is left for another, which the system `enters` enters: should that fail, the world becomes what it is now.
void vm_leave_scene(vm_o *vm, uint32_t enters);
void vm_scene_entered(vm_o *vm); // the one that was left is forgotten
// The same for the `start` of a system, whose changes apply at once.
void vm_start_begin(vm_o *vm, uint32_t system);
void vm_start_end(vm_o *vm);
// Do the scripts use more than they may? Counted are the VM, the snapshots that it holds and the world's texts. With
// `stop` what runs is stopped then.
bool vm_is_over_memory(vm_o *vm, bool stop);
// The run has come to a parked piece.
void vm_skip(vm_o *vm, uint32_t system, uint32_t piece);

#endif
