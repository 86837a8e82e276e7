// A VM's life: building it from sources, guarded calls into Lua, budgets, and dropping one that was stopped.
#include "script/vm.h"

#include "base/assert.h"
#include "script/abi.h"
#include "luajit/compiler.h"
#include "script/kernel.h"
#include "luajit/luajit_code.h"
#include "luajit/loop_starts.h"
#include "luajit/modulo.h"
#include "sql/sql.h"

#include <lauxlib.h>
#include <luajit.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char OVERFLOW[] = "stack overflow: a recursion without end";
static const char VM_KEY = 0;     // registry: the vm_o
static const char CLOSER_KEY = 0; // registry: vm->closer

// Two values stay at the bottom of the stack for the VM's life, so that a call pushes nothing that becomes garbage.
enum { HANDLER = 1, ENGINE = 2, KEPT = 2 };

vm_o *vm_of(lua_State *L) {
  lua_pushlightuserdata(L, (void *)&VM_KEY);
  lua_rawget(L, LUA_REGISTRYINDEX);
  vm_o *vm = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return vm;
}

static void copy_text(char *to, size_t bytes, const char *from) {
  size_t n = from ? strnlen(from, bytes - 1) : 0;
  if (n)
    memcpy(to, from, n);
  to[n] = '\0';
}

static void copy_desc(vm_o *vm, const vm_desc_t *desc) {
  vm->desc = *desc;
  vm->desc.no_jit |= compiler_test() == COMPILER_WRONG;
  copy_text(vm->game_folder, sizeof vm->game_folder, desc->game_folder);
  copy_text(vm->engine_folder, sizeof vm->engine_folder, desc->engine_folder);
  copy_text(vm->message, sizeof vm->message, desc->message);
  vm->desc.game_folder = vm->game_folder;
  vm->desc.engine_folder = vm->engine_folder;
  vm->desc.message = vm->message;
  vm->sources = desc->sources ? desc->sources : sources_create(vm->game_folder, vm->engine_folder, NULL);
  if (desc->sources)
    sources_retain(vm->sources);
  vm->desc.sources = vm->sources;
  if (vm->desc.memory_mb == 0)
    vm->desc.memory_mb = SCRIPT_MEMORY_MB;
  if (vm->desc.block_mb == 0)
    vm->desc.block_mb = vm->desc.memory_mb;
}

// Loads scripts/shoal/boot.lua and returns the table of functions that it returns.
static int boot(lua_State *L) {
  vm_o *vm = lua_touserdata(L, 1);
  luaL_openlibs(L);
  loop_starts_open(L);
  compiler_hold_back(L);
  loops_init(&vm->loops, L);
  if (!native_compile(L, "[shoal]/boot.lua"))
    return luaL_error(L, "the engine's own scripts are missing: %s", lua_tostring(L, -1));
  native_push(vm);
  lua_call(L, 1, 1);
  return 1;
}

static void over_memory(void *context) {
  (void)context;
  watchdog_over_memory();
}

static void over_stack(void *context) {
  (void)context;
  watchdog_over_stack();
}

// Machine code does not lie in the arena. Takes the name under which LuaJIT keeps who listens for traces: they are
// not to hear of this.
static int flush_code(lua_State *L) {
  lua_pushvalue(L, 1);
  lua_rawget(L, LUA_REGISTRYINDEX);
  if (!lua_isnil(L, -1)) {
    lua_pushvalue(L, 1);
    lua_pushnil(L);
    lua_rawset(L, LUA_REGISTRYINDEX);
  }
  luaJIT_setmode(L, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_FLUSH);
  return 0;
}

// The stack of a script that was left by a jump is in no order, and nothing may be allocated then: another one has
// the call ready.
static void prepare_flush(vm_o *vm) {
  vm->closer = lua_newthread(vm->L);
  lua_pushlightuserdata(vm->L, (void *)&CLOSER_KEY);
  lua_insert(vm->L, -2);
  lua_rawset(vm->L, LUA_REGISTRYINDEX);
  lua_pushcfunction(vm->closer, flush_code);
  lua_pushliteral(vm->closer, "_VMEVENTS");
}

// What the arena may have besides the past. Never nothing: a script that has hardly begun is not to blame.
static size_t cap_of(const vm_o *vm) {
  size_t all = (size_t)vm->desc.memory_mb << 20;
  return vm->past_bytes < all / 2 ? all - vm->past_bytes : all / 2;
}

// An empty Lua state with the message handler at the bottom of its stack.
static void open_state(vm_o *vm) {
  shoal_assert(!vm->L && !vm->arena && vm->kernel_count == 0 && vm->snapshot_count == 0,
               "a VM is built over one that is still there");
  vm->arena = arena_create(&(arena_desc_t){.cap_bytes = cap_of(vm),
                                           .most_block_bytes = (size_t)vm->desc.block_mb << 19,
                                           .over = over_memory,
                                           .overflow_bytes = watchdog_overflow_bytes(),
                                           .overflow = over_stack});
  vm->L = lua_newstate(arena_resize, vm->arena);
  shoal_assert(vm->L, "no memory for a VM");
  vm->stopped = vm->loaded = vm->out_of_memory = false;
  memset(&vm->place, 0, sizeof vm->place);
  lua_pushlightuserdata(vm->L, (void *)&VM_KEY);
  lua_pushlightuserdata(vm->L, vm);
  lua_rawset(vm->L, LUA_REGISTRYINDEX);
  prepare_flush(vm);
  vm->reads_bytecode = bytecode_find_ops(vm->L, &vm->ops);
  lua_pushcfunction(vm->L, report_handler);
}

// Finalizers run; but no block goes back into a list of its own when all of them go at once.
static void end_state(lua_State *L, arena_o *arena) {
  lua_setallocf(L, arena_resize_last, arena);
  lua_close(L);
}

// One that was stopped may be in any state: its memory goes, and as little as possible is asked of it.
static void close_state(vm_o *vm) {
  if (!vm->L)
    return;
  if (vm->stopped)
    lua_pcall(vm->closer, 1, 0, 0);
  else
    end_state(vm->L, vm->arena);
  arena_destroy(vm->arena);
  loops_fini(&vm->loops);
  free(vm->handles.id_at);
  memset(&vm->handles, 0, sizeof vm->handles);
  vm->L = NULL;
  vm->arena = NULL;
  for (uint32_t i = 0; i < vm->kernel_count; ++i)
    kernel_destroy(vm->kernels[i]);
  vm->kernel_count = 0;
  vm_none_by_itself(vm);
  vm->begun = NULL;
  for (uint32_t i = 0; i < vm->snapshot_count; ++i)
    snapshot_release(vm->snapshots[i]);
  vm->snapshot_count = 0;
}

// What the engine itself has loaded stays. Nothing is looked for in it before there is as much again, three times: by
// then most games have started.
static void begin_collecting(lua_State *L) {
  int pause = lua_gc(L, LUA_GCSETPAUSE, 400);
  lua_gc(L, LUA_GCRESTART, -1);
  lua_gc(L, LUA_GCSETPAUSE, pause);
}

static bool load(vm_o *vm) {
  shoal_assert(lua_gettop(vm->L) == HANDLER, "%d values lie on the stack of a new VM", lua_gettop(vm->L));
  lua_pushcfunction(vm->L, boot);
  lua_pushlightuserdata(vm->L, vm);
  vm->builds++;
  lua_gc(vm->L, LUA_GCSTOP, 0);
  vm->loaded = lua_pcall(vm->L, 1, 1, HANDLER) == 0;
  begin_collecting(vm->L);
  return vm->loaded && vm_run(vm, "load", 0, 0, SCRIPT_BUDGET_LOAD);
}

static vm_o *create(const vm_desc_t *desc, bool worker, script_report_t *report) {
  vm_o *vm = calloc(1, sizeof *vm);
  shoal_assert(vm, "no memory for a VM");
  vm->worker = worker;
  copy_desc(vm, desc);
  open_state(vm);
  if (load(vm))
    return vm;
  *report = vm->caught;
  vm_destroy(vm);
  return NULL;
}

vm_o *vm_create_worker(const vm_desc_t *desc, script_report_t *report) {
  return create(desc, true, report);
}

static bool is_parallel(vm_o *vm) {
  bool is = vm_call(vm, "is_parallel", 0, 1) && lua_toboolean(vm->L, -1);
  lua_settop(vm->L, KEPT);
  return is;
}

// Said once a process.
static void test_watchdog(log_o *log) {
  static bool said;
  watchdog_means_t means = watchdog_test();
  if (said || (means.hooks && means.jumps))
    return;
  said = true;
  if (means.hooks)
    log_warn(log, "watchdog: only loops that are not compiled can be stopped here");
  else if (means.jumps)
    log_warn(log,
             "watchdog: only its second stage works here: a script that is stopped may not say in which line it was");
  else
    log_warn(log, "watchdog: a script that does not end cannot be stopped on this machine");
}

// Tried once a process.
static void test_luajit(log_o *log) {
  static bool tested;
  if (tested)
    return;
  tested = true;
  luajit_code_mend_pairs(); // before anything is compiled
  luajit_code_mend_lengths();
  luajit_code_mend_templates();
  if (compiler_test() == COMPILER_WRONG)
    log_warn(log, "LuaJIT's compiler has faults on this processor: scripts are interpreted, many times slower");
  else if (compiler_test() == COMPILER_HELD_BACK)
    log_info(log, "this build of LuaJIT has faults with tables: its compiler is held back, and scripts are slower");
  modulo_mend();
  if (!modulo_is_exact())
    log_warn(log,
             "a %% b of fractions has other last digits than on other processors; LuaJIT of 2023 or later mends that");
}

vm_o *vm_create(const vm_desc_t *desc, script_report_t *report) {
  shoal_assert(desc->world && desc->game_folder && desc->engine_folder, "a VM is of a game and its world");
  test_luajit(desc->log);
  test_watchdog(desc->log);
  static uint64_t made;
  vm_o *vm = create(desc, false, report);
  if (vm) {
    vm->number = ++made;
    sources_seal(vm->sources);
  }
  if (!vm || !is_parallel(vm))
    return vm;
  vm->parallel = parallel_create(&vm->desc, report);
  if (vm->parallel)
    return vm;
  vm_destroy(vm);
  return NULL;
}

void vm_destroy(vm_o *vm) {
  if (!vm)
    return;
  if (vm->adopted)
    world_set_definer(vm->desc.world, NULL);
  parallel_destroy(vm->parallel);
  close_state(vm);
  sources_release(vm->sources);
  vm_pieces_fini(vm);
  vm_kernels_fini(vm);
  free(vm->snapshots);
  free(vm->bytecode.items);
  free(vm);
}

// --- calls

static void set_caught(vm_o *vm, const char *message) {
  memset(&vm->caught, 0, sizeof vm->caught);
  copy_text(vm->caught.message, sizeof vm->caught.message, message);
}

bool vm_call(vm_o *vm, const char *name, int arguments, int results) {
  shoal_assert(vm->L, "a VM that was stopped is called: %s", name);
  lua_State *L = vm->L;
  shoal_assert(lua_gettop(L) == KEPT + arguments && lua_istable(L, ENGINE), "%s is called with %d values on the stack",
               name, lua_gettop(L));
  lua_getfield(L, ENGINE, name);
  lua_insert(L, -1 - arguments);
  vm->handled = false;
  vm->caught_entity = 0;
  vm->out_of_memory = false;
  int status = lua_pcall(L, arguments, results, HANDLER);
  if (status == 0)
    return true;
  vm->out_of_memory = status == LUA_ERRMEM; // what filled it is still there
  if (status == LUA_ERRMEM)
    set_caught(vm, "there is no memory for a block of that size");
  else if (!vm->handled) // compiled code that overflows the stack leaves no room to run the handler
    set_caught(vm, OVERFLOW);
  lua_settop(L, KEPT);
  return false;
}

// --- budgets

uint32_t vm_budget_ms(const vm_o *vm, script_budget_t budget) {
  shoal_assert(budget < SCRIPT_BUDGETS, "there is no budget number %d", (int)budget);
  uint32_t ms = vm->desc.budgets.ms[budget];
  return vm->desc.budgets.fixed ? ms : (uint32_t)(ms * watchdog_slowness());
}

void vm_set_budget(vm_o *vm, uint32_t budget) {
  vm->budget = budget < SCRIPT_BUDGETS ? (script_budget_t)budget : SCRIPT_BUDGET_SYSTEM;
  watchdog_set_budget(vm_budget_ms(vm, vm->budget));
}

void vm_take_budgets(vm_o *vm, double system_ms, double start_ms, double load_ms) {
  const double ms[SCRIPT_BUDGETS] = {system_ms, start_ms, load_ms};
  if (vm->desc.budgets.fixed)
    return;
  for (uint32_t i = 0; i < SCRIPT_BUDGETS; ++i)
    if (ms[i] >= 0)
      vm->desc.budgets.ms[i] = (uint32_t)ms[i];
  vm_set_budget(vm, vm->budget);
}

void vm_take_bus(vm_o *vm, const char *name, float volume, float duck, float attack_s, float release_s,
                 const char *under, float lowpass_hz, float reverb) {
  uint32_t at = 0; // a VM that is built anew takes them once more
  while (at < vm->buses.count && strcmp(vm->buses.items[at].name, name) != 0)
    ++at;
  if (at == AUDIO_MOST_BUSES)
    return;
  vm->buses.count += at == vm->buses.count;
  audio_bus_t *bus = &vm->buses.items[at];
  *bus = (audio_bus_t){.volume = volume,
                       .duck = duck,
                       .attack_s = attack_s,
                       .release_s = release_s,
                       .lowpass_hz = lowpass_hz,
                       .reverb = reverb};
  copy_text(bus->name, sizeof bus->name, name);
  copy_text(bus->under, sizeof bus->under, under);
}

void vm_take_sql_steps(vm_o *vm, double steps) {
  shoal_assert(steps >= 0 && steps <= 1e15, "%g steps", steps);
  if (vm->desc.sql && !vm->worker)
    sql_set_script_steps(vm->desc.sql, (uint64_t)steps);
}

static void say_time(const vm_o *vm, char *out, size_t bytes) {
  static const char *const names[SCRIPT_BUDGETS] = {"system", "start", "load"};
  char knob[64] = "--budget", slow[64] = "";
  if (!vm->desc.budgets.fixed)
    snprintf(knob, sizeof knob, "budget.%s in game.lua", names[vm->budget]);
  if (!vm->desc.budgets.fixed && watchdog_slowness() > 1)
    snprintf(slow, sizeof slow, ", %.1f times that on this machine", watchdog_slowness());
  snprintf(out, bytes, "it was stopped after %u ms (%s%s): it does not end, or does too much at once",
           vm->desc.budgets.ms[vm->budget], knob, slow);
}

static void say_memory(const vm_o *vm, char *out, size_t bytes) {
  size_t past_mb = vm->past_bytes >> 20;
  if (past_mb == 0)
    snprintf(out, bytes, "it was stopped: the scripts use more than %u MB (--memory)", vm->desc.memory_mb);
  else
    snprintf(out, bytes,
             "it was stopped: the scripts use more than %zu MB (--memory %u, of which the history has %zu: --history)",
             cap_of(vm) >> 20, vm->desc.memory_mb, past_mb);
}

static void say_stopped(vm_o *vm, watchdog_reason_t reason) {
  script_report_t *r = &vm->caught;
  shoal_assert(reason != WATCHDOG_NONE, "a script that nothing stopped says why it was stopped");
  r->stopped = true;
  if (reason == WATCHDOG_TIME)
    say_time(vm, r->message, sizeof r->message);
  else if (reason == WATCHDOG_MEMORY)
    say_memory(vm, r->message, sizeof r->message);
  else if (reason == WATCHDOG_STACK)
    copy_text(r->message, sizeof r->message, OVERFLOW);
  else
    snprintf(r->message, sizeof r->message, "it was stopped, because the program shall end");
  vm->cut_short |= reason == WATCHDOG_INTERRUPT;
}

bool vm_was_cut_short(const vm_o *vm) {
  return vm->cut_short;
}

static void see_stack(void *context, lua_State *L) {
  vm_o *vm = context;
  set_caught(vm, "");
  report_stack(L, &vm->caught);
  vm->caught_entity = report_entity_at_hand(L);
}

static void see_jump(vm_o *vm, const watchdog_guard_t *guard) {
  set_caught(vm, "");
  vm->caught_entity = 0;
  vm->caught_vaguely = !loops_find(&vm->loops, guard->places, guard->place_count, &vm->caught);
  if (vm->caught_vaguely && guard->whole)
    report_broken_stack(vm->L, &vm->caught);
}

bool vm_run(vm_o *vm, const char *name, int arguments, int results, script_budget_t budget) {
  watchdog_guard_t guard;
  volatile bool good = false, jumped = false;
  shoal_assert(!vm->stopped, "%s is called in a VM that was stopped and not built anew", name);
  set_caught(vm, "");
  vm->caught_vaguely = false;
  vm->budget = budget;
  if (setjmp(guard.out) == 0) {
    watchdog_begin(&guard, vm->L, vm_budget_ms(vm, budget));
    guard.context = vm;
    guard.see = see_stack;
    good = vm_call(vm, name, arguments, results);
  } else {
    jumped = true;
  }
  watchdog_reason_t reason = watchdog_end(&guard);
  if (reason == WATCHDOG_NONE) {
    vm->stopped = vm->caught.stopped = vm->out_of_memory; // how much is taken depends on when the collector runs
    return good;
  }
  vm->stopped = true;
  log_debug(vm->desc.log, "watchdog: %s left by %s after %.1f ms", name,
            !jumped         ? "itself"
            : guard.by_hook ? "the hook"
                            : "a jump",
            watchdog_spent_ms(&guard));
  if (jumped && !guard.by_hook)
    see_jump(vm, &guard);
  say_stopped(vm, reason);
  return false;
}

// --- built anew

static bool rebuild(vm_o *vm) {
  if (!load(vm))
    return false;
  if (vm->worker)
    return vm_call(vm, "join", 0, 0);
  if (!vm->adopted)
    return true;
  lua_pushboolean(vm->L, vm->reloaded);
  if (!vm_run(vm, "declare", 1, 0, SCRIPT_BUDGET_LOAD))
    return false;
  vm_repark(vm);
  return true;
}

bool vm_rebuild(vm_o *vm) {
  shoal_assert(!vm->L || vm->stopped, "a VM that runs is not built anew");
  shoal_assert(!watchdog_entered(), "a VM is built anew while a script runs");
  if (vm->place.watcher)
    world_watch_return(vm->desc.world, vm->place.watcher);
  world_abandon(vm->desc.world);
  close_state(vm);
  open_state(vm);
  if (rebuild(vm))
    return true;
  vm->stopped = true;
  close_state(vm);
  return false;
}

#define FACTS 17 // of engine.game

void vm_game(const vm_o *vm, vm_game_t *out) {
  *out = (vm_game_t){.title = "Shoal",
                     .width = 1280,
                     .height = 720,
                     .tick_rate = 60,
                     .history_mb = 64,
                     .dead_zone = PLATFORM_DEAD_ZONE};
  if (!vm->L || !vm_call((vm_o *)vm, "game", 0, FACTS))
    return;
  int first = lua_gettop(vm->L) - FACTS + 1;
  copy_text(out->title, sizeof out->title, lua_tostring(vm->L, first));
  out->width = (int)lua_tointeger(vm->L, first + 1);
  out->height = (int)lua_tointeger(vm->L, first + 2);
  out->tick_rate = (uint32_t)lua_tointeger(vm->L, first + 3);
  out->history_asked = !lua_isnil(vm->L, first + 4);
  if (out->history_asked)
    out->history_mb = (uint32_t)lua_tointeger(vm->L, first + 4);
  out->autosave_s = (uint32_t)lua_tointeger(vm->L, first + 5);
  copy_text(out->id, sizeof out->id, lua_tostring(vm->L, first + 6));
  out->window = (platform_window_t){.width = (int)lua_tointeger(vm->L, first + 7),
                                    .height = (int)lua_tointeger(vm->L, first + 8),
                                    .scale = (letterbox_mode_t)lua_tointeger(vm->L, first + 9),
                                    .fullscreen = lua_toboolean(vm->L, first + 10),
                                    .fixed = !lua_toboolean(vm->L, first + 11),
                                    .tearing = !lua_toboolean(vm->L, first + 12)};
  out->sharp = lua_toboolean(vm->L, first + 13);
  out->dead_zone = (float)lua_tonumber(vm->L, first + 14);
  out->buses = vm->buses;
  copy_text(out->icon, sizeof out->icon, lua_tostring(vm->L, first + 15));
  copy_text(out->fonts, sizeof out->fonts, lua_tostring(vm->L, first + 16));
  lua_pop(vm->L, FACTS);
}

uint64_t vm_number(const vm_o *vm) {
  return vm->number;
}

sources_o *vm_sources(const vm_o *vm) {
  return vm->sources;
}

void vm_set_render(vm_o *vm, render_o *render) {
  vm->desc.render = render;
}

// Two steps: what can be wrong with the files is found before anything is declared.
// Between two ticks, whatever else the VM is asked about then: what was caught last is still to be told.
static void define(void *context, world_o *w, const char *definitions) {
  vm_o *vm = context;
  (void)w;
  shoal_assert(w == vm->desc.world, "another world's definitions");
  if (!vm->L || vm->stopped)
    return; // it declares what is defined when it is built anew
  script_report_t caught = vm->caught;
  lua_pushstring(vm->L, definitions);
  if (!vm_run(vm, "define", 1, 0, SCRIPT_BUDGET_LOAD))
    log_error(vm->desc.log, "what a state defines cannot be declared: %s", vm->caught.message);
  vm->caught = caught;
}

bool vm_adopt(vm_o *vm, schedule_o *schedule, bool reloaded, script_report_t *report) {
  shoal_assert(!vm->adopted, "a VM is adopted once");
  error_t error = {0};
  lua_pushnumber(vm->L, (lua_Number)(uintptr_t)schedule);
  lua_pushnumber(vm->L, (lua_Number)(uintptr_t)vm);
  bool good = vm_run(vm, "check", 2, 0, SCRIPT_BUDGET_LOAD);
  if (good && !schedule_sort(schedule, &error)) {
    error_in(&error, "the order of systems");
    good = report_error(&vm->caught, &error);
  }
  if (good) {
    lua_pushboolean(vm->L, reloaded);
    vm->schedule = schedule;
    good = vm_run(vm, "declare", 1, 0, SCRIPT_BUDGET_LOAD);
    vm->schedule = NULL;
  }
  if (!good) {
    *report = vm->caught;
    return false;
  }
  vm->adopted = true;
  vm->reloaded = reloaded;
  world_set_definer(vm->desc.world, &(world_definer_t){.run = define, .context = vm});
  return !vm->parallel || parallel_join(vm->parallel, report);
}

bool vm_start(vm_o *vm, script_report_t *report) {
  if (vm_run(vm, "start", 0, 0, SCRIPT_BUDGET_START)) // it may fill a world
    return true;
  *report = vm->caught;
  return false;
}

// Pushes the names of the systems of `next`, a line each.
static void push_names(vm_o *vm, vm_o *next) {
  lua_State *L = vm->L;
  if (next && next->L && vm_call(next, "system_names", 0, 1)) {
    size_t size = 0;
    const char *names = lua_tolstring(next->L, -1, &size);
    lua_pushlstring(L, names, size);
    lua_settop(next->L, KEPT);
  } else {
    lua_pushliteral(L, "");
  }
}

void vm_retire(vm_o *vm, vm_o *next) {
  if (!vm->L || vm->stopped)
    return;
  push_names(vm, next);
  if (!vm_run(vm, "retire", 1, 0, SCRIPT_BUDGET_LOAD)) {
    const script_report_t *r = &vm->caught;
    char place[sizeof r->file + 16] = "";
    if (r->file[0])
      snprintf(place, sizeof place, "%s:%d: ", r->file, r->line);
    log_error(vm->desc.log, "the systems' stop hooks: %s%s", place, r->message);
    world_abandon(vm->desc.world);
    return;
  }
  lua_settop(vm->L, KEPT);
}

bool vm_has_retiring(vm_o *vm, vm_o *next) {
  if (!vm->L || vm->stopped)
    return false;
  push_names(vm, next);
  bool has = vm_call(vm, "has_retiring", 1, 1) && lua_toboolean(vm->L, -1);
  lua_settop(vm->L, KEPT);
  return has;
}

bool vm_system_file(vm_o *vm, const char *system, char *out, size_t out_bytes) {
  if (!vm->L)
    return false;
  lua_pushstring(vm->L, system);
  bool known = vm_call(vm, "file_of", 1, 1) && lua_isstring(vm->L, -1);
  if (known)
    copy_text(out, out_bytes, lua_tostring(vm->L, -1));
  lua_settop(vm->L, KEPT);
  return known;
}

uint32_t vm_entity_at_hand(const vm_o *vm) {
  return (uint32_t)vm->place.entity;
}

bool vm_metadata(vm_o *vm, const char *assemblage, char *out, size_t bytes) {
  out[0] = '\0';
  lua_pushstring(vm->L, assemblage);
  if (!vm_call(vm, "metadata_of", 1, 1))
    return false;
  copy_text(out, bytes, lua_tostring(vm->L, -1));
  lua_settop(vm->L, KEPT);
  return true;
}

void vm_passed_over(vm_o *vm, char *out, size_t bytes) {
  out[0] = '\0';
  if (vm_call(vm, "passed_over", 0, 1))
    copy_text(out, bytes, lua_tostring(vm->L, -1));
  lua_settop(vm->L, KEPT);
}

bool vm_changed_table(vm_o *vm, script_report_t *out) {
  if (!vm->L)
    return false;
  bool changed = vm_call(vm, "changed_table", 0, 2) && lua_isstring(vm->L, -2);
  if (changed) {
    *out = (script_report_t){.tick = world_tick(vm->desc.world)};
    copy_text(out->piece, sizeof out->piece, "the scripts");
    copy_text(out->message, sizeof out->message, lua_tostring(vm->L, -2));
    copy_text(out->file, sizeof out->file, lua_tostring(vm->L, -1));
  }
  lua_settop(vm->L, KEPT);
  return changed;
}

void vm_put_tables_back(vm_o *vm) {
  if (vm->L)
    vm_call(vm, "put_tables_back", 0, 0);
  lua_settop(vm->L, KEPT);
}

void vm_collect(vm_o *vm) {
  if (vm->L && arena_bytes(vm->arena) > cap_of(vm) / 8)
    lua_gc(vm->L, LUA_GCSTEP, 1);
  parallel_collect(vm->parallel);
}

size_t vm_memory_bytes(const vm_o *vm) {
  return (vm->arena ? arena_bytes(vm->arena) : 0) + parallel_memory_bytes(vm->parallel);
}

void vm_set_past_bytes(vm_o *vm, size_t bytes) {
  vm->past_bytes = bytes;
  if (vm->arena)
    arena_set_cap(vm->arena, cap_of(vm));
}

bool vm_is_over_memory(vm_o *vm, bool stop) {
  size_t bytes = arena_bytes(vm->arena) + strings_bytes(world_strings(vm->desc.world));
  for (uint32_t i = 0; i < vm->snapshot_count; ++i)
    bytes += snapshot_size(vm->snapshots[i]);
  bool over = bytes > cap_of(vm);
  if (over && stop)
    watchdog_over_memory();
  return over;
}

snapshot_o *vm_take_snapshot(vm_o *vm) {
  if (vm->snapshot_count == vm->snapshot_capacity) {
    vm->snapshot_capacity = vm->snapshot_capacity ? vm->snapshot_capacity * 2 : 16;
    vm->snapshots = realloc(vm->snapshots, vm->snapshot_capacity * sizeof(snapshot_o *));
    if (!vm->snapshots)
      abort();
  }
  snapshot_o *made = snapshot_create(world_allocator(vm->desc.world));
  vm->snapshots[vm->snapshot_count++] = made;
  return made;
}

void vm_drop_snapshot(vm_o *vm, snapshot_o *s) {
  for (uint32_t i = vm->snapshot_count; i-- > 0;) // the latest go first, mostly
    if (vm->snapshots[i] == s) {
      vm->snapshots[i] = vm->snapshots[--vm->snapshot_count];
      snapshot_release(s);
      return;
    }
  shoal_assert(false, "a snapshot is dropped that this VM does not hold");
}
