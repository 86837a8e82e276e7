// Opens, closes and rebuilds the Lua state of a VM.
#include "script/lua_state.h"

#include "base/assert.h"
#include "script/chunks.h"
#include "script/garbage.h"
#include "script/guarded_call.h"
#include "script/vm_objects.h"
#include "script/native_system.h"
#include "script/parking.h"
#include "script/report.h"
#include "script/script.h"
#include "script/vm.h"
#include "watchdog/watchdog.h"

#include <lauxlib.h>
#include <luajit.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// While a game is loaded, a collection begins when memory use has grown by 30 %, instead of 100 %, since the previous
// collection: declarations leave much garbage, and the arena keeps the memory of the peak.
enum { LOAD_PAUSE = 130 };

// Memory that a loaded game allocates before the collection whose survivors are kept. Short runs therefore need no
// collection, and tables that the first ticks create for later ticks are kept, too.
enum { KEEP_DELAY_KB = 1024 };

static const char CLOSER_KEY = 0; // the address of CLOSER_KEY is the registry key of vm->closer

// Loads scripts/shoal/boot.lua and returns its table of functions.
static int load_boot_script(lua_State *L) {
  const vm_o *vm = lua_touserdata(L, 1);
  luaL_openlibs(L);
  if (!chunk_compile(L, "[shoal]/boot.lua"))
    return luaL_error(L, "cannot load the engine's scripts: %s", lua_tostring(L, -1));
  lua_newtable(L);
  for (uint32_t i = 0; i < VM_MAX_LIBRARIES && vm->desc.libraries[i].open; ++i)
    vm->desc.libraries[i].open(L, vm->desc.libraries[i].context);
  lua_call(L, 1, 1);
  return 1;
}

// Frees machine code, which is not in the arena. Argument: the registry key of LuaJIT's table of event handlers. The
// handlers are removed first, so that they are not called for this flush.
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

// Prepares the call to flush_code on a separate thread: after an interruption, the script's stack is inconsistent and
// nothing may be allocated.
static void prepare_flush(vm_o *vm) {
  vm->closer = lua_newthread(vm->L);
  lua_pushlightuserdata(vm->L, (void *)&CLOSER_KEY);
  lua_insert(vm->L, -2);
  lua_rawset(vm->L, LUA_REGISTRYINDEX);
  lua_pushcfunction(vm->closer, flush_code);
  lua_pushliteral(vm->closer, "_VMEVENTS");
}

// Creates an empty Lua state with the message handler at the bottom of its stack.
static void open_state(vm_o *vm) {
  shoal_assert(!vm->L && !vm->arena && vm->snapshot_count == 0, "the VM already has a Lua state");
  vm->arena = arena_create(&(arena_desc_t){.cap_bytes = vm_memory_limit(vm),
                                           .max_block_bytes = (size_t)vm->desc.block_mb << 19,
                                           .on_over_cap = watchdog_on_memory_limit});
  vm->L = lua_newstate(arena_resize, vm->arena);
  shoal_assert(vm->L, "out of memory: cannot create a Lua VM");
  vm->stopped = vm->loaded = vm->out_of_memory = vm->has_finalizers = false;
  memset(&vm->context, 0, sizeof vm->context);
  vm_store_in_state(vm);
  prepare_flush(vm);
  vm->reads_bytecode = bytecode_find_ops(vm->L, &vm->ops);
  lua_pushcfunction(vm->L, report_handle_error);
}

// Closes the Lua state and frees the resources that it owns. Finalizers run only if the game uses the FFI
// (vm_require_finalizers) and the VM was not stopped: the state of a stopped VM may be inconsistent. Otherwise, frees
// the machine code, which is not in the arena, and then all other memory with the arena.
static void close_state(vm_o *vm) {
  if (!vm->L)
    return;
  if (vm->has_finalizers && !vm->stopped)
    lua_close(vm->L);
  else
    lua_pcall(vm->closer, 1, 0, 0);
  arena_destroy(vm->arena);
  free(vm->handles.ids);
  memset(&vm->handles, 0, sizeof vm->handles);
  vm->L = NULL;
  vm->arena = NULL;
  vm_objects_release(vm);
  vm_clear_native_loops(vm);
}

void vm_require_finalizers(vm_o *vm) {
  vm->has_finalizers = true;
}

// Delays the first collection until memory use has grown to 2.5 times its current size: the engine's own modules are
// never freed, and most games have started before memory use reaches this size. A game with thousands of components
// needs more, and a later collection would leave its memory fragmented.
static void delay_first_collection(lua_State *L) {
  int pause = lua_gc(L, LUA_GCSETPAUSE, 250);
  lua_gc(L, LUA_GCRESTART, -1);
  lua_gc(L, LUA_GCSETPAUSE, pause);
}

static bool load_scripts(vm_o *vm) {
  shoal_assert(lua_gettop(vm->L) == VM_HANDLER,
               "a new VM's stack must hold only the message handler, but has %d values", lua_gettop(vm->L));
  lua_pushcfunction(vm->L, load_boot_script);
  lua_pushlightuserdata(vm->L, vm);
  vm->builds++;
  lua_gc(vm->L, LUA_GCSTOP, 0);
  vm->loaded = lua_pcall(vm->L, 1, 1, VM_HANDLER) == 0;
  delay_first_collection(vm->L);
  int pause = lua_gc(vm->L, LUA_GCSETPAUSE, LOAD_PAUSE);
  bool has_loaded = vm->loaded && vm_call_with_budget(vm, "load", 0, 0, SCRIPT_BUDGET_LOAD);
  lua_gc(vm->L, LUA_GCSETPAUSE, pause);
  return has_loaded;
}

static void copy_text(char *target, size_t bytes, const char *source) {
  size_t length = source ? strnlen(source, bytes - 1) : 0;
  if (length)
    memcpy(target, source, length);
  target[length] = '\0';
}

static void copy_desc(vm_o *vm, const vm_desc_t *desc) {
  vm->desc = *desc;
#if defined(__aarch64__)
  vm->desc.no_jit = true; // LuaJIT's compiler has faults on this processor (engine/design/0020-arm64.md)
#endif
  copy_text(vm->game_folder, sizeof vm->game_folder, desc->game_folder);
  copy_text(vm->engine_folder, sizeof vm->engine_folder, desc->engine_folder);
  copy_text(vm->message, sizeof vm->message, desc->message);
  vm->desc.game_folder = vm->game_folder;
  vm->desc.engine_folder = vm->engine_folder;
  vm->desc.message = vm->message;
  vm->lobby = desc->lobby ? *desc->lobby : (script_lobby_t){0};
  vm->desc.lobby = desc->lobby ? &vm->lobby : NULL;
  vm->sources = desc->sources ? desc->sources : sources_create(vm->game_folder, vm->engine_folder, NULL);
  if (desc->sources)
    sources_retain(vm->sources);
  vm->desc.sources = vm->sources;
  if (vm->desc.memory_mb == 0)
    vm->desc.memory_mb = SCRIPT_MEMORY_MB;
  if (vm->desc.block_mb == 0)
    vm->desc.block_mb = vm->desc.memory_mb;
}

vm_o *vm_open(const vm_desc_t *desc, script_report_t *report) {
  vm_o *vm = calloc(1, sizeof *vm);
  shoal_assert(vm, "out of memory: cannot create a Lua VM");
  vm->budget_factor = 1;
  copy_desc(vm, desc);
  open_state(vm);
  bool loaded = load_scripts(vm);
  sources_find_missing(vm->sources);
  if (loaded)
    return vm;
  *report = vm->caught;
  report->may_be_unfinished |= sources_may_be_unfinished(vm->sources, "");
  vm_close(vm);
  return NULL;
}

void vm_keep_objects(vm_o *vm) {
  lua_gc(vm->L, LUA_GCKEEP, KEEP_DELAY_KB);
}

static bool redeclare_definitions(vm_o *vm) {
  if (!load_scripts(vm))
    return false;
  if (!vm->adopted)
    return true;
  lua_pushboolean(vm->L, vm->reloaded);
  if (!vm_call_with_budget(vm, "declare", 1, 0, SCRIPT_BUDGET_LOAD))
    return false;
  vm_keep_objects(vm);
  vm->has_parked = true; // the parked pieces must be disabled in the new Lua state
  vm_update_parked_pieces(vm, false);
  return true;
}

bool vm_rebuild(vm_o *vm) {
  shoal_assert(!vm->L || vm->stopped, "only a stopped VM can be rebuilt");
  shoal_assert(!watchdog_current_state(), "cannot rebuild a VM while a script runs");
  if (vm->context.watcher)
    world_watch_return_entries(vm->desc.world, vm->context.watcher);
  world_reset_after_interrupt(vm->desc.world);
  close_state(vm);
  open_state(vm);
  if (redeclare_definitions(vm))
    return true;
  vm->stopped = true;
  close_state(vm);
  return false;
}

void vm_close(vm_o *vm) {
  close_state(vm);
  sources_release(vm->sources);
  snapshot_release(vm->scene_backup.world);
  snapshot_release(vm->start_backup.world);
  free(vm->started.items);
  free(vm->started_copy.items);
  vm_native_fini(vm);
  vm_garbage_fini(vm);
  vm_objects_fini(vm);
  free(vm->bytecode.items);
  free(vm);
}

void vm_collect_garbage(vm_o *vm) {
  if (vm->L && arena_bytes(vm->arena) > vm_memory_limit(vm) / 8)
    lua_gc(vm->L, LUA_GCSTEP, 1);
}

size_t vm_memory_bytes(const vm_o *vm) {
  return vm->arena ? arena_bytes(vm->arena) : 0;
}
