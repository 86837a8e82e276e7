// Running systems, and what becomes of the piece of one that fails.
#include "script/vm.h"

#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 2 }; // values at the bottom of the stack, see vm.c

static void copy_text(char *to, size_t bytes, const char *from) {
  snprintf(to, bytes, "%s", from ? from : "");
}

// ------------------------------------------------------------------------------------------------------------------ parking

uint32_t vm_parked_count(const vm_o *vm) {
  return vm->parked_count;
}

const vm_parked_t *vm_parked(const vm_o *vm, uint32_t i) {
  shoal_assert(i < vm->parked_count, "piece %u of %u", i, vm->parked_count);
  return &vm->parked[i];
}

static void note_parked(vm_o *vm, vm_part_t part, const char *name, bool stopped) {
  if (vm->parked_count == VM_MAX_PARKED)
    return;
  vm_parked_t *p = &vm->parked[vm->parked_count];
  *p = (vm_parked_t){.stopped = stopped, .tick = world_tick(vm->desc.world)};
  copy_text(p->name, sizeof p->name, name);
  vm->parts[vm->parked_count++] = part;
}

static bool push_text(vm_o *vm, const char *engine_function, vm_part_t part) {
  lua_pushinteger(vm->L, (lua_Integer)part.system);
  lua_pushinteger(vm->L, (lua_Integer)part.piece);
  return vm_call(vm, engine_function, 2, 1) && lua_isstring(vm->L, -1);
}

bool vm_park(vm_o *vm, const char *name) {
  for (uint32_t i = 0; i < vm->parked_count; ++i)
    if (strcmp(vm->parked[i].name, name) == 0)
      return true;
  if (!vm->L)
    return false;
  lua_pushstring(vm->L, name);
  bool found = vm_call(vm, "piece_called", 1, 2) && lua_isnumber(vm->L, -2);
  vm_part_t part = {0};
  if (found)
    part = (vm_part_t){(uint32_t)lua_tointeger(vm->L, -2), (uint32_t)lua_tointeger(vm->L, -1)};
  lua_settop(vm->L, KEPT);
  if (!found)
    return false;
  push_text(vm, "park", part);
  lua_settop(vm->L, KEPT);
  note_parked(vm, part, name, true);
  return true;
}

void vm_repark(vm_o *vm) {
  for (uint32_t i = 0; i < vm->parked_count; ++i) {
    push_text(vm, "park", vm->parts[i]);
    lua_settop(vm->L, KEPT);
  }
}

// ------------------------------------------------------------------------------------------------------------------ reports

static void add_report(vm_o *vm, const script_report_t *report) {
  if (vm->report_count < VM_MAX_REPORTS)
    vm->reports[vm->report_count++] = *report;
}

uint32_t vm_take_reports(vm_o *vm, script_report_t *out, uint32_t max) {
  uint32_t count = vm->report_count < max ? vm->report_count : max;
  memcpy(out, vm->reports, count * sizeof *out);
  memmove(vm->reports, vm->reports + count, (vm->report_count - count) * sizeof *out);
  vm->report_count -= count;
  return count;
}

// What the world and the game's metadata know of it.
static void complete(vm_o *vm, script_report_t *report, uint32_t entity) {
  lua_pushnumber(vm->L, entity);
  if (entity != 0 && vm_call(vm, "entity_title", 1, 1))
    copy_text(report->entity, sizeof report->entity, lua_tostring(vm->L, -1));
  lua_settop(vm->L, KEPT);
  lua_pushfstring(vm->L, "%s %s", report->entity, report->message);
  if (vm_call(vm, "about", 1, 1))
    copy_text(report->about, sizeof report->about, lua_tostring(vm->L, -1));
  lua_settop(vm->L, KEPT);
}

// Names the piece, and its file where the stack could not be looked at or showed somebody else's.
static void name_piece(vm_o *vm, script_report_t *report, bool vaguely, vm_part_t part, char *name, size_t bytes) {
  if (push_text(vm, "piece_name", part))
    copy_text(name, bytes, lua_tostring(vm->L, -1));
  lua_settop(vm->L, KEPT);
  lua_pushinteger(vm->L, (lua_Integer)part.system);
  lua_pushinteger(vm->L, (lua_Integer)part.piece);
  if ((!report->file[0] || vaguely) && vm_call(vm, "piece_place", 2, 2)) {
    const char *file = lua_tostring(vm->L, -2);
    if (strcmp(report->file, file) != 0)
      report->line = (int)lua_tointeger(vm->L, -1);
    copy_text(report->file, sizeof report->file, file);
  }
  lua_settop(vm->L, KEPT);
}

// Whatever was open or queued is not any more; then the piece is parked. An error that is nobody's piece parks the whole system.
static void park_failed(vm_o *vm, uint32_t number) {
  script_report_t report = vm->caught;
  bool vaguely = vm->caught_vaguely;
  uint32_t entity = vm->caught_entity;
  vm_part_t part = {number, vm->place.piece ? vm->place.piece : 1};
  char name[sizeof vm->parked[0].name] = "";
  if (entity == 0 && !vm->stopped && vm_call(vm, "entity_at_hand", 0, 1))
    entity = (uint32_t)lua_tonumber(vm->L, -1);
  if (!vm->stopped)
    lua_settop(vm->L, KEPT);
  vm->attempt_failed = vm->attempting;
  vm->heard_until = part;
  report.tick = world_tick(vm->desc.world);
  report.stopped |= parallel_is_stopped(vm->parallel);
  if (vm->stopped && !vm_rebuild(vm)) {
    add_report(vm, &report);
    copy_text(vm->caught.piece, sizeof vm->caught.piece, "the scripts, built anew");
    add_report(vm, &vm->caught);
    return;
  }
  bool named = push_text(vm, "park", part);
  copy_text(report.piece, sizeof report.piece, named ? lua_tostring(vm->L, -1) : "a system");
  lua_settop(vm->L, KEPT);
  vm->place.piece = vm->place.watcher = vm->place.entity = 0;
  name_piece(vm, &report, vaguely, part, name, sizeof name);
  complete(vm, &report, entity);
  note_parked(vm, part, name, report.stopped);
  add_report(vm, &report);
  if (!parallel_mend(vm->parallel, &report))
    add_report(vm, &report);
}

// ------------------------------------------------------------------------------------------------------------------ running

void vm_run_system(vm_o *vm, uint32_t number, float dt_s) {
  if (!vm->L || vm->attempt_failed)
    return;
  lua_pushinteger(vm->L, (lua_Integer)number);
  lua_pushnumber(vm->L, dt_s);
  vm->place.piece = 0;
  if (!vm_run(vm, "run_system", 2, 0, vm->desc.budget_ms))
    park_failed(vm, number);
}

bool vm_exec(vm_o *vm, const char *code, const char *chunk_name, char *out, size_t out_bytes, script_report_t *report) {
  if (out_bytes)
    out[0] = '\0';
  if (!vm->L) {
    *report = (script_report_t){.message = "the scripts have been stopped: save a file, or reload"};
    return false;
  }
  lua_pushstring(vm->L, code);
  lua_pushstring(vm->L, chunk_name);
  if (vm_run(vm, "exec", 2, 1, vm_long_budget(vm))) {
    if (out_bytes)
      copy_text(out, out_bytes, lua_tostring(vm->L, -1));
    lua_settop(vm->L, KEPT);
    return true;
  }
  *report = vm->caught;
  if (vm->stopped && !vm_rebuild(vm))
    return false;
  vm_call(vm, "clear_up", 0, 0);
  complete(vm, report, 0);
  return false;
}

// ----------------------------------------------------------------------------------------------------------------- attempts

static void set_started(vm_o *vm, uint32_t system) {
  while (vm->started.capacity <= system) {
    uint32_t before = vm->started.capacity, capacity = before ? before * 2 : 64;
    vm->started.items = realloc(vm->started.items, capacity);
    vm->started_before.items = realloc(vm->started_before.items, capacity);
    if (!vm->started.items || !vm->started_before.items)
      abort();
    memset(vm->started.items + before, 0, capacity - before);
    memset(vm->started_before.items + before, 0, capacity - before);
    vm->started.capacity = vm->started_before.capacity = capacity;
  }
  vm->started.items[system] = true;
}

void vm_has_started(vm_o *vm, uint32_t system) {
  set_started(vm, system);
}

bool vm_is_started(const vm_o *vm, uint32_t system) {
  return system < vm->started.capacity && vm->started.items[system];
}

void vm_pieces_fini(vm_o *vm) {
  free(vm->started.items);
  free(vm->started_before.items);
}

void vm_attempt_begin(vm_o *vm) {
  vm->attempting = true;
  vm->attempt_failed = false;
  if (vm->started.capacity > 0)
    memcpy(vm->started_before.items, vm->started.items, vm->started.capacity);
  if (vm->desc.audio)
    audio_mark(vm->desc.audio, true);
}

bool vm_attempt_failed(const vm_o *vm) {
  return vm->attempt_failed;
}

void vm_attempt_again(vm_o *vm) {
  vm->attempt_failed = false;
  if (vm->started.capacity > 0)
    memcpy(vm->started.items, vm->started_before.items, vm->started.capacity);
  if (!vm->L)
    return;
  vm_call(vm, "run_again", 0, 0);
  vm->place.muted = 1;
  if (vm->desc.audio)
    audio_repeat(vm->desc.audio, true);
}

void vm_skip(vm_o *vm, uint32_t system, uint32_t piece) {
  if (!vm->place.muted || system != vm->heard_until.system || piece != vm->heard_until.piece)
    return;
  vm->place.muted = 0;
  if (vm->desc.audio)
    audio_repeat(vm->desc.audio, false);
}

void vm_attempt_end(vm_o *vm) {
  vm->attempting = vm->attempt_failed = false;
  vm->place.muted = 0;
  if (vm->desc.audio)
    audio_mark(vm->desc.audio, false);
}
