// Runs systems, and parks pieces that fail.
#include "script/system_faults.h"

#include "base/assert.h"
#include "content/parked_pieces.h"
#include "script/garbage.h"
#include "script/guarded_call.h"
#include "script/lua_state.h"
#include "script/native_system.h"
#include "script/parking.h"
#include "script/script.h"
#include "script/vm.h"
#include "snapshot/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void copy_text(char *target, size_t bytes, const char *source) {
  snprintf(target, bytes, "%s", source ? source : "");
}

// Copies a result to `target`, which has at least one byte. Replaces the end of a result that does not fit with "…".
static void copy_result(char *target, size_t bytes, const char *source) {
  static const char ELLIPSIS[] = "…";
  copy_text(target, bytes, source);
  if (!source || strlen(source) < bytes || bytes < sizeof ELLIPSIS)
    return;
  size_t cut = bytes - sizeof ELLIPSIS;
  while (cut > 0 && (target[cut] & 0xc0) == 0x80) // do not split a UTF-8 character
    --cut;
  memcpy(target + cut, ELLIPSIS, sizeof ELLIPSIS);
}

// --- reports

static void add_report(vm_o *vm, const script_report_t *report) {
  if (vm->report_count < VM_MAX_REPORTS)
    vm->reports[vm->report_count++] = *report;
}

uint32_t vm_pop_reports(vm_o *vm, script_report_t *out, uint32_t max) {
  uint32_t count = vm->report_count < max ? vm->report_count : max;
  memcpy(out, vm->reports, count * sizeof *out);
  memmove(vm->reports, vm->reports + count, (vm->report_count - count) * sizeof *out);
  vm->report_count -= count;
  return count;
}

void vm_report_range_error(void *context, const char *location, const char *message) {
  vm_o *vm = context;
  if (!vm->desc.strict) {
    log_warn(vm->desc.log, "%s: %s (reported once)", location, message);
    return;
  }
  script_report_t report = {.tick = world_tick(vm->desc.world)};
  const char *colon = strrchr(location, ':');
  copy_text(report.message, sizeof report.message, message);
  copy_text(report.piece, sizeof report.piece, colon ? "a write out of range" : location);
  if (colon) {
    snprintf(report.file, sizeof report.file, "%.*s", (int)(colon - location), location);
    report.line = atoi(colon + 1);
  }
  add_report(vm, &report);
}

// Returns the entity that the system was processing when the error was raised; 0 if unknown. If the entity was found by
// the row of a loop in the system's function, stores this row (starting at 1) in `row`; otherwise stores 0.
static uint32_t find_failed_entity(vm_o *vm, uint32_t system, uint32_t *row) {
  report_running_code_t running_code = vm->failed_code; // copied, because vm_call clears it
  uint32_t entity = running_code.entity;
  *row = 0;
  if (entity == 0 && vm_call(vm, "find_current_entity", 0, 1))
    entity = (uint32_t)lua_tonumber(vm->L, -1);
  lua_settop(vm->L, VM_BASE_TOP);
  for (uint32_t i = 0; entity == 0 && i < running_code.loop_count; ++i) {
    lua_pushinteger(vm->L, (lua_Integer)system);
    lua_pushnumber(vm->L, running_code.loops[i].index);
    lua_pushnumber(vm->L, running_code.loops[i].limit);
    entity = vm_call(vm, "get_entity_of_row", 3, 1) ? (uint32_t)lua_tonumber(vm->L, -1) : 0;
    *row = entity ? (uint32_t)running_code.loops[i].index : 0;
    lua_settop(vm->L, VM_BASE_TOP);
  }
  return entity;
}

// Adds the entity's printed form, its row (0: unknown) and its metadata to the report.
static void add_entity_details(vm_o *vm, script_report_t *report, uint32_t entity, uint32_t row) {
  char row_text[32] = "";
  if (row > 0)
    snprintf(row_text, sizeof row_text, ", row %u", row);
  lua_pushnumber(vm->L, entity);
  if (entity != 0 && vm_call(vm, "entity_title", 1, 1))
    snprintf(report->entity, sizeof report->entity, "%s%s", lua_tostring(vm->L, -1), row_text);
  lua_settop(vm->L, VM_BASE_TOP);
  lua_pushfstring(vm->L, "%s %s", report->entity, report->message);
  if (vm_call(vm, "about", 1, 1))
    copy_text(report->about, sizeof report->about, lua_tostring(vm->L, -1));
  lua_settop(vm->L, VM_BASE_TOP);
}

// Stores the name of the piece in `parked`. A report without a position gets the position of the piece.
static void locate_piece(vm_o *vm, script_report_t *report, parked_t *parked) {
  if (parking_call(vm, "piece_name", parked, 1))
    copy_text(parked->name, sizeof parked->name, lua_tostring(vm->L, -1));
  lua_settop(vm->L, VM_BASE_TOP);
  if (!report->file[0] && parking_call(vm, "piece_location", parked, 2)) {
    report->line = (int)lua_tointeger(vm->L, -1);
    copy_text(report->file, sizeof report->file, lua_tostring(vm->L, -2));
  }
  lua_settop(vm->L, VM_BASE_TOP);
}

// --- undo

static void release_backup(vm_backup_t *backup) {
  snapshot_release(backup->world);
  backup->world = NULL;
}

static void store_backup(vm_o *vm, vm_backup_t *backup, uint32_t system, const char *description) {
  error_info_t error = {0};
  release_backup(backup);
  backup->system = system;
  backup->world = snapshot_create(world_allocator(vm->desc.world));
  if (snapshot_take(backup->world, vm->desc.world, &error))
    return;
  log_warn(vm->desc.log, "cannot take a snapshot of %s: %s", description, error.text);
  release_backup(backup);
}

// Restores the world from a backup made for the system `failed_system`, unless the whole tick will be undone anyway,
// and releases the backup.
static void restore_backup(vm_o *vm, vm_backup_t *backup, uint32_t failed_system) {
  error_info_t error = {0};
  if (!backup->world || backup->system != failed_system)
    return;
  if (!vm->attempt_failed && !snapshot_restore(backup->world, vm->desc.world, &error))
    log_error(vm->desc.log, "cannot undo the changes of the failed system: %s", error.text);
  release_backup(backup);
}

void vm_end_scene_change(vm_o *vm) {
  release_backup(&vm->scene_backup);
}

void vm_begin_scene_change(vm_o *vm, uint32_t entering_system) {
  store_backup(vm, &vm->scene_backup, entering_system, "the world before a scene change");
}

void vm_begin_start_hook(vm_o *vm, uint32_t system) {
  if (!vm->attempting || vm->only_stops)
    store_backup(vm, &vm->start_backup, system, "the world before a system's start");
}

void vm_end_start_hook(vm_o *vm) {
  release_backup(&vm->start_backup);
}

// Adds the failure to the lists. Returns true, or false if the piece has already failed with this message, so that each
// message is reported only once.
static bool record_parked(vm_o *vm, const script_report_t *report, parked_t *parked) {
  parked->stopped = report->stopped;
  parked->tick = world_tick(vm->desc.world);
  error_set_at(&parked->error, report->file, report->file[0] ? (uint32_t)report->line : 0, "%s", report->message);
  error_set_piece(&parked->error, report->piece);
  bool repeated = parked_is_repeated(vm->desc.parked, parked->name, parked->error.text);
  parking_record_failure(vm, parked);
  return !repeated;
}

// Resets the state of the interrupted system, drops its commands, and parks the piece. An error outside any piece parks
// the whole system. A stopped VM is rebuilt first; if that fails, all scripts are parked.
static void park_failed_piece(vm_o *vm, uint32_t number) {
  script_report_t report = vm->caught;
  uint32_t row = 0, entity = 0;
  parked_t parked = {
      .system = number, .part = vm->context.piece ? vm->context.piece : 1, .drawing = world_is_drawing(vm->desc.world)};
  if (!vm->stopped)
    entity = find_failed_entity(vm, number, &row);
  vm->muted_until = (vm_piece_t){parked.system, parked.part};
  report.tick = world_tick(vm->desc.world);
  vm->attempt_failed = vm->attempting && (report.stopped || !vm->only_stops);
  if (vm->stopped && !vm_rebuild(vm)) {
    add_report(vm, &report);
    copy_text(vm->caught.piece, sizeof vm->caught.piece, "the rebuilt scripts");
    add_report(vm, &vm->caught);
    record_parked(vm, &vm->caught, &(parked_t){.kind = PARKED_SCRIPTS});
    return;
  }
  shoal_assert(vm->L && !vm->stopped && lua_gettop(vm->L) == VM_BASE_TOP,
               "cannot park system %u: the VM is stopped or its stack is unbalanced", number);
  parking_park_piece(vm, &parked);
  restore_backup(vm, &vm->start_backup, number);
  restore_backup(vm, &vm->scene_backup, number);
  vm->context.piece = vm->context.watcher = 0;
  vm->context.entity = 0;
  locate_piece(vm, &report, &parked);
  copy_text(report.piece, sizeof report.piece, parked.error.piece);
  add_entity_details(vm, &report, entity, row);
  if (record_parked(vm, &report, &parked))
    add_report(vm, &report);
}

// Adds a failure of an earlier run to the lists and, unless the piece has already failed with this message, to the
// reports. `line`: position and message, as stored in parked_t.error.
static void report_recorded_failure(vm_o *vm, const char *line, parked_t *parked) {
  script_report_t report = {.stopped = parked->stopped, .tick = world_tick(vm->desc.world)};
  snprintf(report.message, sizeof report.message, "%s", report_cut_position(vm, line, &report));
  copy_text(report.piece, sizeof report.piece, parked->error.piece);
  if (report.file[0])
    sources_find_path(vm->sources, report.file, report.path, sizeof report.path);
  if (record_parked(vm, &report, parked))
    add_report(vm, &report);
}

bool vm_park_piece(vm_o *vm, const char *name, bool stopped, const char *message) {
  const parked_piece_t *piece = parked_piece_find(vm->desc.world, name);
  if (piece && piece->failed_at == world_tick(vm->desc.world) &&
      parked_piece_state(vm->desc.world, piece) == PARKED_STATE_WAITING)
    return true;
  if (!vm->L)
    return false;
  parked_t parked = {.stopped = stopped};
  snprintf(parked.name, sizeof parked.name, "%s", name);
  lua_pushstring(vm->L, name);
  bool found = vm_call(vm, "piece_called", 1, 3) && lua_isnumber(vm->L, -3);
  if (found) {
    parked.system = (uint32_t)lua_tointeger(vm->L, -3);
    parked.part = (uint32_t)lua_tointeger(vm->L, -2);
    parked.drawing = lua_toboolean(vm->L, -1);
  }
  lua_settop(vm->L, VM_BASE_TOP);
  if (!found)
    return false;
  parking_park_piece(vm, &parked);
  if (message)
    report_recorded_failure(vm, message, &parked);
  else
    parking_record_failure(vm, &parked);
  return true;
}

// --- running

static void run_system(vm_o *vm, const char *function, uint32_t number, float dt_s) {
  shoal_assert(lua_gettop(vm->L) == VM_BASE_TOP, "the stack must hold VM_BASE_TOP values between systems, but has %d",
               lua_gettop(vm->L));
  lua_pushinteger(vm->L, (lua_Integer)number);
  lua_pushnumber(vm->L, dt_s);
  vm->context.piece = vm->context.idle = 0;
  size_t bytes_before = arena_bytes(vm->arena);
  if (!vm_call_with_budget(vm, function, 2, 0, SCRIPT_BUDGET_SYSTEM))
    park_failed_piece(vm, number);
  else if (!vm->context.idle)
    vm_record_garbage(vm, number, bytes_before);
  else if (vm->stages)
    schedule_mark_idle(vm->stages);
}

void vm_run_system(vm_o *vm, uint32_t number, float dt_s) {
  shoal_assert(number > 0, "system number must not be 0");
  if (vm->L && !vm->attempt_failed && !vm_run_native(vm, number, dt_s))
    run_system(vm, "run_system", number, dt_s);
}

void vm_run_exits(vm_o *vm, uint32_t number, float dt_s) {
  if (vm->L && !vm->attempt_failed)
    run_system(vm, "run_exits", number, dt_s);
}

// Calls an engine function, with the arguments on the stack, and copies the string that it returns to `out`. Returns
// false with the report filled if the call fails. Call outside ticks.
static bool call_for_text(vm_o *vm, const char *name, int arguments, script_budget_t budget, char *out,
                          size_t out_bytes, script_report_t *report) {
  if (vm_call_with_budget(vm, name, arguments, 1, budget)) {
    if (out_bytes)
      copy_result(out, out_bytes, lua_tostring(vm->L, -1));
    lua_settop(vm->L, VM_BASE_TOP);
    return true;
  }
  *report = vm->caught;
  if (vm->stopped && !vm_rebuild(vm))
    return false;
  vm_call(vm, "clear_up", 0, 0);
  add_entity_details(vm, report, 0, 0);
  return false;
}

static bool check_scripts_are_loaded(const vm_o *vm, char *out, size_t out_bytes, script_report_t *report) {
  if (out_bytes)
    out[0] = '\0';
  if (!vm->L)
    *report = (script_report_t){.message = "the scripts are stopped: save a changed file, or reload the game"};
  return vm->L != NULL;
}

bool vm_exec(vm_o *vm, const char *code, const char *chunk_name, char *out, size_t out_bytes, script_report_t *report) {
  if (!check_scripts_are_loaded(vm, out, out_bytes, report))
    return false;
  lua_pushstring(vm->L, code);
  lua_pushstring(vm->L, chunk_name);
  return call_for_text(vm, "exec", 2, SCRIPT_BUDGET_LOAD, out, out_bytes, report);
}

bool vm_run_panel(vm_o *vm, uint32_t number, uint32_t entity, char *out, size_t out_bytes, script_report_t *report) {
  if (!check_scripts_are_loaded(vm, out, out_bytes, report))
    return false;
  lua_pushinteger(vm->L, (lua_Integer)number);
  lua_pushinteger(vm->L, (lua_Integer)entity);
  return call_for_text(vm, "cockpit", 2, SCRIPT_BUDGET_SYSTEM, out, out_bytes, report);
}

// --- attempts: runs of a tick that are undone if a piece fails

static void add_started_system(vm_o *vm, uint32_t system) {
  while (vm->started.capacity <= system) {
    uint32_t old_capacity = vm->started.capacity, capacity = old_capacity ? old_capacity * 2 : 64;
    vm->started.items = realloc(vm->started.items, capacity);
    vm->started_copy.items = realloc(vm->started_copy.items, capacity);
    if (!vm->started.items || !vm->started_copy.items)
      abort();
    memset(vm->started.items + old_capacity, 0, capacity - old_capacity);
    memset(vm->started_copy.items + old_capacity, 0, capacity - old_capacity);
    vm->started.capacity = vm->started_copy.capacity = capacity;
  }
  vm->started.items[system] = true;
}

bool vm_is_started(const vm_o *vm, uint32_t system) {
  return system < vm->started.capacity && vm->started.items[system];
}

// Marks a system as started and counts its first run in this VM. Later calls, as after a restore, are not counted.
void vm_mark_started(vm_o *vm, uint32_t system) {
  vm->first_runs += !vm_is_started(vm, system);
  add_started_system(vm, system);
}

uint32_t vm_first_run_count(const vm_o *vm) {
  return vm->first_runs;
}

void vm_attempt_begin(vm_o *vm, bool only_stops) {
  shoal_assert(!vm->attempting, "vm_attempt_begin called during another attempt");
  vm->attempting = true;
  vm->only_stops = only_stops;
  vm->parked_count_before = vm->desc.parked->items.count;
  vm->attempt_failed = false;
  if (vm->started.capacity > 0)
    memcpy(vm->started_copy.items, vm->started.items, vm->started.capacity);
}

bool vm_has_attempt_failed(const vm_o *vm) {
  return vm->attempt_failed;
}

void vm_attempt_retry(vm_o *vm) {
  shoal_assert(vm->attempting && vm->parked_count_before <= vm->desc.parked->items.count,
               "vm_attempt_retry called outside an attempt, or the parked list has fewer than the %u pieces it had at "
               "vm_attempt_begin",
               vm->parked_count_before);
  vm->attempt_failed = false;
  for (uint32_t i = vm->parked_count_before; i < vm->desc.parked->items.count; ++i) {
    parked_t *parked = &vm->desc.parked->items.items[i];
    parked->undone = true;
    if (parked_is_retried(parked->kind)) // the restored world does not contain the failure
      parked_pieces_record_failure(vm->desc.world, parked->name, parked->stopped, parked->drawing);
  }
  if (vm->started.capacity > 0)
    memcpy(vm->started.items, vm->started_copy.items, vm->started.capacity);
  if (!vm->L)
    return;
  vm_call(vm, "run_again", 0, 0);
  vm->context.muted = 1;
  if (vm->desc.audio)
    audio_set_repeating(vm->desc.audio, true);
}

void vm_skip_piece(vm_o *vm, uint32_t system, uint32_t piece) {
  if (!vm->context.muted || system != vm->muted_until.system || piece != vm->muted_until.piece)
    return;
  vm->context.muted = 0;
  if (vm->desc.audio)
    audio_set_repeating(vm->desc.audio, false);
}

void vm_attempt_end(vm_o *vm) {
  vm->attempting = vm->attempt_failed = false;
  vm->context.muted = 0;
  if (vm->desc.audio)
    audio_set_repeating(vm->desc.audio, false);
}
