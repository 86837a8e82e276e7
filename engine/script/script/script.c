// Public interface of VMs: creates them, adopts them into a world, calls hooks of their systems, and answers queries
// from the host.
#include "script/script.h"

#include "base/assert.h"
#include "base/files.h"
#include "content/definitions.h"
#include "ecs/ranges.h"
#include "script/guarded_call.h"
#include "script/lua_state.h"
#include "script/system_faults.h"
#include "script/vm.h"
#include "watchdog/watchdog.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static void copy_text(char *target, size_t bytes, const char *source) {
  snprintf(target, bytes, "%s", source ? source : "");
}

// Logs a warning, once per process, if the watchdog cannot stop endless scripts on this machine.
static void log_watchdog_limits(log_o *log) {
  static bool logged;
  if (watchdog_test() || logged)
    return;
  logged = true;
  log_warn(log, "watchdog: endless scripts cannot be stopped on this machine");
}

vm_o *vm_create(const vm_desc_t *desc, script_report_t *report) {
  shoal_assert(desc->world && desc->game_folder && desc->engine_folder,
               "world, game_folder and engine_folder must not be NULL");
  log_watchdog_limits(desc->log);
  static atomic_uint_fast64_t created;
  error_info_t error = {0};
  vm_o *vm = vm_open(desc, report);
  if (!vm)
    return NULL;
  vm->number = atomic_fetch_add(&created, 1) + 1;
  world_set_range_report(desc->world, vm_report_range_error, vm);
  if (sources_seal(vm->sources, &error))
    return vm;
  report_fill_from_error(report, &error);
  if (sources_has_file(vm->sources, report->file))
    sources_find_path(vm->sources, report->file, report->path, sizeof report->path);
  vm_destroy(vm);
  return NULL;
}

void vm_destroy(vm_o *vm) {
  if (!vm)
    return;
  if (vm->adopted)
    definitions_set_definer(vm->desc.world, NULL);
  world_set_range_report(vm->desc.world, NULL, vm);
  vm_close(vm);
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

// Declares the definitions of a restored state. Runs in two steps: checks everything before it declares anything. May
// be called between any two ticks, so it preserves the last caught error.
static void declare_definitions(void *context, world_o *w, const char *definitions) {
  vm_o *vm = context;
  (void)w;
  shoal_assert(w == vm->desc.world, "the definitions belong to a different world");
  if (!vm->L || vm->stopped)
    return; // the rebuilt VM will declare the definitions
  script_report_t caught = vm->caught;
  lua_pushstring(vm->L, definitions);
  if (!vm_call_with_budget(vm, "define", 1, 0, SCRIPT_BUDGET_LOAD))
    log_error(vm->desc.log, "cannot declare the definitions of the restored state: %s", vm->caught.message);
  vm->caught = caught;
}

bool vm_adopt(vm_o *vm, schedule_o *schedule, bool reloaded, script_report_t *report) {
  shoal_assert(!vm->adopted, "the VM has already been adopted");
  error_info_t error = {0};
  lua_pushnumber(vm->L, (lua_Number)(uintptr_t)schedule);
  lua_pushnumber(vm->L, (lua_Number)(uintptr_t)vm);
  bool ok = vm_call_with_budget(vm, "check", 2, 0, SCRIPT_BUDGET_LOAD);
  if (ok && !schedule_sort(schedule, &error)) {
    error_set_piece(&error, "system order");
    ok = report_fill_from_error(&vm->caught, &error);
  }
  if (ok) {
    lua_pushboolean(vm->L, reloaded);
    vm->schedule = vm->stages = schedule;
    ok = vm_call_with_budget(vm, "declare", 1, 0, SCRIPT_BUDGET_LOAD);
    vm->schedule = NULL;
  }
  if (!ok) {
    *report = vm->caught;
    return false;
  }
  vm->adopted = true;
  vm->reloaded = reloaded;
  arena_grow_in_slices(vm->arena);
  vm_keep_objects(vm);
  definitions_set_definer(vm->desc.world, &(definitions_definer_t){.run = declare_definitions, .context = vm});
  return true;
}

bool vm_start(vm_o *vm, script_report_t *report) {
  if (vm_call_with_budget(vm, "start", 0, 0, SCRIPT_BUDGET_START)) // larger budget: a `start` may create a whole world
    return true;
  *report = vm->caught;
  return false;
}

// Pushes the names of `next`'s systems, one per line; pushes "" if `next` has no Lua state or the call fails.
static void push_system_names(vm_o *vm, vm_o *next) {
  lua_State *L = vm->L;
  if (next && next->L && vm_call(next, "system_names", 0, 1)) {
    size_t size = 0;
    const char *names = lua_tolstring(next->L, -1, &size);
    lua_pushlstring(L, names, size);
    lua_settop(next->L, VM_BASE_TOP);
  } else {
    lua_pushliteral(L, "");
  }
}

void vm_stop_retired_systems(vm_o *vm, vm_o *next) {
  if (!vm->L || vm->stopped)
    return;
  push_system_names(vm, next);
  if (!vm_call_with_budget(vm, "retire", 1, 0, SCRIPT_BUDGET_LOAD)) {
    const script_report_t *caught = &vm->caught;
    char position[sizeof caught->file + 16] = "";
    if (caught->file[0])
      snprintf(position, sizeof position, "%s:%d: ", caught->file, caught->line);
    log_error(vm->desc.log, "error in a system's stop hook: %s%s", position, caught->message);
    world_reset_after_interrupt(vm->desc.world);
    return;
  }
  lua_settop(vm->L, VM_BASE_TOP);
}

bool vm_has_retired_systems(vm_o *vm, vm_o *next) {
  if (!vm->L || vm->stopped)
    return false;
  push_system_names(vm, next);
  bool has_retired = vm_call(vm, "has_retiring", 1, 1) && lua_toboolean(vm->L, -1);
  lua_settop(vm->L, VM_BASE_TOP);
  return has_retired;
}

// Copies the string that a function of engine.lua returns about a system to `out`, and returns true. Returns false if
// the function returns nil or fails.
static bool describe_system(vm_o *vm, const char *function, const char *system, char *out, size_t out_bytes) {
  if (!vm->L)
    return false;
  lua_pushstring(vm->L, system);
  bool found = vm_call(vm, function, 1, 1) && lua_isstring(vm->L, -1);
  if (found)
    copy_text(out, out_bytes, lua_tostring(vm->L, -1));
  lua_settop(vm->L, VM_BASE_TOP);
  return found;
}

bool vm_system_file(vm_o *vm, const char *system, char *out, size_t out_bytes) {
  return describe_system(vm, "get_system_file", system, out, out_bytes);
}

bool vm_system_location(vm_o *vm, const char *system, char *out, size_t out_bytes) {
  return describe_system(vm, "get_system_location", system, out, out_bytes);
}

void vm_list_systems_not_run(vm_o *vm, char *out, size_t out_bytes) {
  out[0] = '\0';
  if (!vm->L || !vm_call(vm, "list_not_run", 0, 1))
    return;
  copy_text(out, out_bytes, lua_tostring(vm->L, -1));
  lua_settop(vm->L, VM_BASE_TOP);
  char *last_newline = strrchr(out, '\n');
  *(last_newline ? last_newline + 1 : out) = '\0';
}

uint32_t vm_current_entity(const vm_o *vm) {
  return (uint32_t)vm->context.entity;
}

bool vm_write_metadata(vm_o *vm, const char *assemblage, char *out, size_t bytes) {
  out[0] = '\0';
  lua_pushstring(vm->L, assemblage);
  if (!vm_call(vm, "get_metadata", 1, 1))
    return false;
  copy_text(out, bytes, lua_tostring(vm->L, -1));
  lua_settop(vm->L, VM_BASE_TOP);
  return true;
}

void vm_list_ignored_components(vm_o *vm, char *out, size_t bytes) {
  out[0] = '\0';
  if (vm_call(vm, "passed_over", 0, 1))
    copy_text(out, bytes, lua_tostring(vm->L, -1));
  lua_settop(vm->L, VM_BASE_TOP);
}

void vm_set_match(vm_o *vm, bool in_match) {
  if (!vm->L)
    return;
  lua_pushboolean(vm->L, in_match);
  vm_call(vm, "restrict_for_players", 1, 0);
  lua_settop(vm->L, VM_BASE_TOP);
}

void vm_copy_settings(vm_o *vm, allocator_t *a, vm_settings_t *out) {
  shoal_assert(out->count == 0, "the settings must be empty");
  if (!vm->L || !vm_call(vm, "copy_settings", 0, 1))
    return;
  size_t size;
  const char *text = lua_tolstring(vm->L, -1, &size);
  array_reserve(a, out, (uint32_t)size + 1);
  memcpy(out->items, text, size + 1);
  out->count = (uint32_t)size + 1;
  lua_settop(vm->L, VM_BASE_TOP);
}

bool vm_format_string(vm_o *vm, const char *key, bool is_english, const char *const *arguments, uint32_t count,
                      char *out, size_t out_bytes) {
  if (!vm->L)
    return false;
  lua_pushstring(vm->L, key);
  lua_pushboolean(vm->L, is_english);
  for (uint32_t i = 0; i < count; ++i)
    lua_pushstring(vm->L, arguments[i]);
  bool ok = vm_call(vm, "format_string", (int)count + 2, 1);
  if (ok)
    (void)snprintf(out, out_bytes, "%s", lua_tostring(vm->L, -1));
  lua_settop(vm->L, VM_BASE_TOP);
  return ok;
}

bool vm_apply_settings(vm_o *vm, const vm_settings_t *settings) {
  if (!vm->L || settings->count == 0)
    return false;
  lua_pushstring(vm->L, settings->items);
  bool changed = vm_call(vm, "apply_settings", 1, 1) && lua_toboolean(vm->L, -1);
  lua_settop(vm->L, VM_BASE_TOP);
  return changed;
}

void vm_apply_machine_settings(vm_o *vm, const char *settings) {
  if (!vm->L)
    return;
  lua_pushstring(vm->L, settings);
  vm_call(vm, "apply_machine_settings", 1, 0);
  lua_settop(vm->L, VM_BASE_TOP);
}

void vm_apply_settings_of_other_game(vm_o *vm, const char *settings, bool has_volumes) {
  if (!vm->L)
    return;
  lua_pushstring(vm->L, settings);
  lua_pushboolean(vm->L, has_volumes);
  vm_call(vm, "apply_settings_of_other_game", 2, 0);
  lua_settop(vm->L, VM_BASE_TOP);
}

bool vm_find_changed_table(vm_o *vm, script_report_t *out) {
  if (!vm->L)
    return false;
  bool changed = vm_call(vm, "changed_table", 0, 3) && lua_isstring(vm->L, -3);
  if (changed) {
    *out = (script_report_t){.tick = world_tick(vm->desc.world)};
    copy_text(out->piece, sizeof out->piece, "the scripts");
    copy_text(out->message, sizeof out->message, lua_tostring(vm->L, -3));
    copy_text(out->file, sizeof out->file, lua_tostring(vm->L, -2));
    out->line = (int)lua_tointeger(vm->L, -1);
  }
  lua_settop(vm->L, VM_BASE_TOP);
  return changed;
}

void vm_restore_tables(vm_o *vm) {
  if (vm->L)
    vm_call(vm, "put_tables_back", 0, 0);
  lua_settop(vm->L, VM_BASE_TOP);
}

bool vm_write_types(vm_o *vm, const char *path, error_info_t *error) {
  size_t size = 0;
  if (!vm_call(vm, "definitions", 0, 1))
    return error_set(error, "%s", vm->caught.message);
  const char *text = lua_tolstring(vm->L, -1, &size);
  bool ok = file_write(path, text, size, error);
  lua_pop(vm->L, 1);
  return ok;
}

void vm_set_history_bytes(vm_o *vm, size_t bytes) {
  vm->history_bytes = bytes;
  if (vm->arena)
    arena_set_limit(vm->arena, vm_memory_limit(vm));
}
