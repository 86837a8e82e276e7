#include "script/vm.h"

#include "base/assert.h"
#include "script/abi.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

static const char VM_KEY = 0; // registry: the vm_o

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
  copy_text(vm->game_folder, sizeof vm->game_folder, desc->game_folder);
  copy_text(vm->engine_folder, sizeof vm->engine_folder, desc->engine_folder);
  copy_text(vm->message, sizeof vm->message, desc->message);
  vm->desc.game_folder = vm->game_folder;
  vm->desc.engine_folder = vm->engine_folder;
  vm->desc.message = vm->message;
  vm->sources = desc->sources ? desc->sources : sources_create(vm->game_folder, vm->engine_folder);
  if (desc->sources)
    sources_retain(vm->sources);
  vm->desc.sources = vm->sources;
}

// Loads scripts/shoal/boot.lua and returns the table of functions that it returns.
static int boot(lua_State *L) {
  vm_o *vm = lua_touserdata(L, 1);
  error_t error = {{0}};
  size_t size = 0;
  luaL_openlibs(L);
  const char *text = sources_read(vm->sources, "[shoal]/boot.lua", &size, &error);
  if (!text)
    return luaL_error(L, "the engine's own scripts are missing: %s", error.text);
  if (luaL_loadbufferx(L, text, size, "@[shoal]/boot.lua", "t") != 0)
    return lua_error(L);
  native_push(vm);
  lua_call(L, 1, 1);
  return 1;
}

static vm_o *create(const vm_desc_t *desc, bool worker, script_report_t *report) {
  vm_o *vm = calloc(1, sizeof *vm);
  shoal_assert(vm, "no memory for a VM");
  vm->worker = worker;
  copy_desc(vm, desc);
  vm->L = luaL_newstate();
  lua_pushlightuserdata(vm->L, (void *)&VM_KEY);
  lua_pushlightuserdata(vm->L, vm);
  lua_rawset(vm->L, LUA_REGISTRYINDEX);
  lua_pushcfunction(vm->L, report_handler);
  lua_pushcfunction(vm->L, boot);
  lua_pushlightuserdata(vm->L, vm);
  bool good = lua_pcall(vm->L, 1, 1, HANDLER) == 0;
  vm->loaded = good;
  if (good && vm_call(vm, "load", 0, 0))
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

vm_o *vm_create(const vm_desc_t *desc, script_report_t *report) {
  vm_o *vm = create(desc, false, report);
  if (vm)
    sources_seal(vm->sources);
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
  parallel_destroy(vm->parallel);
  if (vm->loaded)
    vm_call(vm, "release", 0, 0);
  lua_close(vm->L);
  sources_release(vm->sources);
  free(vm);
}

bool vm_call(vm_o *vm, const char *name, int arguments, int results) {
  lua_State *L = vm->L;
  lua_getfield(L, ENGINE, name);
  lua_insert(L, -1 - arguments);
  vm->handled = false;
  if (lua_pcall(L, arguments, results, HANDLER) == 0)
    return true;
  if (!vm->handled) { // compiled code that overflows the stack leaves no room to run the handler
    memset(&vm->caught, 0, sizeof vm->caught);
    copy_text(vm->caught.message, sizeof vm->caught.message, "stack overflow: a recursion without end");
  }
  lua_settop(L, KEPT);
  return false;
}

void vm_game(const vm_o *vm, vm_game_t *out) {
  *out = (vm_game_t){.title = "Shoal", .width = 1280, .height = 720, .tick_rate = 60, .history_mb = 64};
  if (!vm_call((vm_o *)vm, "game", 0, 6))
    return;
  copy_text(out->title, sizeof out->title, lua_tostring(vm->L, -6));
  out->width = (int)lua_tointeger(vm->L, -5);
  out->height = (int)lua_tointeger(vm->L, -4);
  out->tick_rate = (uint32_t)lua_tointeger(vm->L, -3);
  out->history_mb = (uint32_t)lua_tointeger(vm->L, -2);
  out->autosave_s = (uint32_t)lua_tointeger(vm->L, -1);
  lua_pop(vm->L, 6);
}

sources_o *vm_sources(const vm_o *vm) {
  return vm->sources;
}

void vm_set_render(vm_o *vm, render_o *render) {
  vm->desc.render = render;
}

// Two steps: what can be wrong with the files is found before anything is declared.
bool vm_adopt(vm_o *vm, schedule_o *schedule, bool reloaded, script_report_t *report) {
  error_t error = {{0}};
  lua_pushnumber(vm->L, (lua_Number)(uintptr_t)schedule);
  lua_pushnumber(vm->L, (lua_Number)(uintptr_t)vm);
  bool good = vm_call(vm, "check", 2, 0);
  if (good && !schedule_sort(schedule, &error)) {
    memset(&vm->caught, 0, sizeof vm->caught);
    copy_text(vm->caught.piece, sizeof vm->caught.piece, "the order of systems");
    copy_text(vm->caught.message, sizeof vm->caught.message, error.text);
    lua_pushstring(vm->L, error.text);
    if (vm_call(vm, "system_in", 1, 1)) // the file of a system on the cycle
      copy_text(vm->caught.file, sizeof vm->caught.file, lua_tostring(vm->L, -1));
    lua_settop(vm->L, KEPT);
    good = false;
  }
  if (good) {
    lua_pushboolean(vm->L, reloaded);
    good = vm_call(vm, "declare", 1, 0);
  }
  if (!good) {
    *report = vm->caught;
    return false;
  }
  return !vm->parallel || parallel_join(vm->parallel, report);
}

bool vm_start(vm_o *vm, script_report_t *report) {
  if (vm_call(vm, "start", 0, 0))
    return true;
  *report = vm->caught;
  return false;
}

// Pushes the names of the systems of `next`, a line each.
static void push_names(vm_o *vm, vm_o *next) {
  lua_State *L = vm->L;
  if (next && vm_call(next, "system_names", 0, 1)) {
    size_t size = 0;
    const char *names = lua_tolstring(next->L, -1, &size);
    lua_pushlstring(L, names, size);
    lua_settop(next->L, KEPT);
  } else {
    lua_pushliteral(L, "");
  }
}

void vm_retire(vm_o *vm, vm_o *next) {
  push_names(vm, next);
  vm_call(vm, "retire", 1, 0);
  lua_settop(vm->L, KEPT);
}

bool vm_has_retiring(vm_o *vm, vm_o *next) {
  push_names(vm, next);
  bool has = vm_call(vm, "has_retiring", 1, 1) && lua_toboolean(vm->L, -1);
  lua_settop(vm->L, KEPT);
  return has;
}

bool vm_system_file(vm_o *vm, const char *system, char *out, size_t out_bytes) {
  lua_pushstring(vm->L, system);
  bool known = vm_call(vm, "file_of", 1, 1) && lua_isstring(vm->L, -1);
  if (known)
    copy_text(out, out_bytes, lua_tostring(vm->L, -1));
  lua_settop(vm->L, KEPT);
  return known;
}

static void add_report(vm_o *vm, const char *piece) {
  vm->caught.tick = world_tick(vm->desc.world);
  if (piece)
    copy_text(vm->caught.piece, sizeof vm->caught.piece, piece);
  if (vm->report_count < VM_MAX_REPORTS)
    vm->reports[vm->report_count++] = vm->caught;
}

static void join_metadata(vm_o *vm, script_report_t *report) {
  lua_pushstring(vm->L, report->message);
  if (vm_call(vm, "about", 1, 1))
    copy_text(report->about, sizeof report->about, lua_tostring(vm->L, -1));
  lua_settop(vm->L, KEPT);
}

void vm_run_system(vm_o *vm, uint32_t number, float dt_s) {
  lua_pushinteger(vm->L, (lua_Integer)number);
  lua_pushnumber(vm->L, dt_s);
  if (vm_call(vm, "run_system", 2, 0))
    return;
  script_report_t caught = vm->caught;
  lua_pushinteger(vm->L, (lua_Integer)number);
  bool named = vm_call(vm, "park", 1, 1);
  if (named && !caught.file[0]) { // the handler could not look at the stack
    lua_pushvalue(vm->L, -1);
    named = vm_call(vm, "system_in", 1, 1);
    if (named) {
      copy_text(caught.file, sizeof caught.file, lua_tostring(vm->L, -1));
      lua_pop(vm->L, 1);
    }
  }
  char piece[sizeof caught.piece];
  copy_text(piece, sizeof piece, named ? lua_tostring(vm->L, -1) : "a system");
  lua_settop(vm->L, KEPT);
  join_metadata(vm, &caught);
  vm->caught = caught;
  add_report(vm, piece);
}

bool vm_exec(vm_o *vm, const char *code, const char *chunk_name, char *out, size_t out_bytes, script_report_t *report) {
  if (out_bytes)
    out[0] = '\0';
  lua_pushstring(vm->L, code);
  lua_pushstring(vm->L, chunk_name);
  if (!vm_call(vm, "exec", 2, 1)) {
    *report = vm->caught;
    lua_pushnil(vm->L);
    vm_call(vm, "park", 1, 0);
    lua_settop(vm->L, KEPT);
    join_metadata(vm, report);
    return false;
  }
  if (out_bytes)
    copy_text(out, out_bytes, lua_tostring(vm->L, -1));
  lua_settop(vm->L, KEPT);
  return true;
}

uint32_t vm_take_reports(vm_o *vm, script_report_t *out, uint32_t max) {
  uint32_t count = vm->report_count < max ? vm->report_count : max;
  memcpy(out, vm->reports, count * sizeof *out);
  memmove(vm->reports, vm->reports + count, (vm->report_count - count) * sizeof *out);
  vm->report_count -= count;
  return count;
}

void vm_collect(vm_o *vm) {
  lua_gc(vm->L, LUA_GCSTEP, 1);
  parallel_collect(vm->parallel);
}

size_t vm_memory_bytes(const vm_o *vm) {
  return (size_t)lua_gc(vm->L, LUA_GCCOUNT, 0) * 1024u + (size_t)lua_gc(vm->L, LUA_GCCOUNTB, 0) +
         parallel_memory_bytes(vm->parallel);
}
