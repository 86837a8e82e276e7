// Managers of components: hooks that call the functions of a shoal_manager.
#include "access/custom_manager.h"

#include "base/assert.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_STORAGE_BYTES (1u << 30) // maximum size of a manager's saved data in bytes
#define GUARD_BYTES 64u              // number of guard bytes after the buffer for `save`
#define GUARD_VALUE 0xa5

// --- calls

const char *custom_function_name(custom_function_t function) {
  static const char *const names[] = {"create",     "destroy", "attach", "detach", "count",
                                      "save_bytes", "save",    "load",   "migrate"};
  return names[function];
}

void custom_manager_call(const custom_manager_t *m, custom_call_t *call, shoal_context *c) {
  const shoal_manager *f = m->component->manager;
  switch (call->function) {
  case CUSTOM_CREATE: call->target = f->create(c); break;
  case CUSTOM_DESTROY: f->destroy(c, m->self); break;
  case CUSTOM_ATTACH: f->attach(c, m->self, call->entities, call->count); break;
  case CUSTOM_DETACH: f->detach(c, m->self, call->entities, call->count); break;
  case CUSTOM_COUNT: call->count = f->count(m->self); break;
  case CUSTOM_SAVE_BYTES: call->size = f->save_bytes(c, m->self); break;
  case CUSTOM_SAVE: f->save(c, m->self, call->target); break;
  case CUSTOM_LOAD: call->loaded = f->load(c, m->self, call->saved, call->size); break;
  case CUSTOM_MIGRATE: call->loaded = f->migrate(c, m->self, call->version, call->saved, call->size); break;
  }
}

static bool is_callable(const custom_manager_t *m) {
  return !m->is_unreliable && !m->is_inactive;
}

__attribute__((format(printf, 3, 4))) static void fail(custom_manager_t *m, custom_problem_t problem,
                                                       const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  m->fail(m, problem, text);
}

// Calls a function of the manager. Returns true on success, or false after reporting the failed call.
static bool run(custom_manager_t *m, custom_call_t *call) {
  shoal_assert(is_callable(m) || call->function == CUSTOM_DESTROY,
               "the manager of %s is unreliable and must not be called", m->component->name);
  if (m->run(m, call))
    return true;
  fail(m, CUSTOM_FAILED, "the manager of %s: %s: %.500s", m->component->name, custom_function_name(call->function),
       call->error.text);
  return false;
}

// --- rows

// Empties the manager, then attaches all rows again.
static void refill(custom_manager_t *m) {
  custom_call_t call = {.function = CUSTOM_LOAD};
  m->attached = m->rows->count;
  if (!run(m, &call))
    return;
  if (call.loaded && m->rows->count > 0)
    run(m, &(custom_call_t){.function = CUSTOM_ATTACH, .entities = m->rows->owner, .count = m->rows->count});
  else if (!call.loaded)
    fail(m, CUSTOM_FAILED, "the manager of %s: load: %.500s", m->component->name,
         call.error.text[0] ? call.error.text : "it must accept NULL and 0, and empty the storage");
}

// Returns true if the manager reports `m->attached` rows, or must not be called.
static bool has_all_rows(custom_manager_t *m, uint32_t *reported) {
  custom_call_t call = {.function = CUSTOM_COUNT};
  if (!is_callable(m) || !run(m, &call))
    return true;
  *reported = call.count;
  return call.count == m->attached;
}

void custom_manager_check_row_count(custom_manager_t *m) {
  uint32_t reported, expected = m->attached, refilled;
  if (has_all_rows(m, &reported))
    return;
  refill(m);
  fail(m, has_all_rows(m, &refilled) ? CUSTOM_REFILLED : CUSTOM_UNFILLED,
       "the manager of %s reports %u rows, expected %u", m->component->name, reported, expected);
}

static void on_added(void *context, world_o *w, manager_o *rows, const uint32_t *added, uint32_t count) {
  custom_manager_t *m = context;
  (void)w;
  if (!is_callable(m))
    return;
  shoal_entity *entities = alloc_resize(m->memory, NULL, 0, count * sizeof *entities);
  for (uint32_t i = 0; i < count; ++i)
    entities[i] = rows->owner[added[i]];
  run(m, &(custom_call_t){.function = CUSTOM_ATTACH, .entities = entities, .count = count});
  alloc_resize(m->memory, entities, count * sizeof *entities, 0);
  m->attached += count;
  custom_manager_check_row_count(m);
}

static void on_removing(void *context, world_o *w, manager_o *rows, const shoal_entity *entities, uint32_t count) {
  custom_manager_t *m = context;
  (void)w, (void)rows;
  if (!is_callable(m))
    return;
  shoal_assert(count <= m->attached, "cannot detach %u rows from the manager of %s: only %u are attached", count,
               m->component->name, m->attached);
  run(m, &(custom_call_t){.function = CUSTOM_DETACH, .entities = entities, .count = count});
  m->attached -= count;
  custom_manager_check_row_count(m);
}

// --- saved storage

static size_t save_bytes(void *context, manager_o *rows) {
  custom_manager_t *m = context;
  custom_call_t call = {.function = CUSTOM_SAVE_BYTES};
  (void)rows;
  bool ok = is_callable(m) && run(m, &call), fits = call.size <= MAX_STORAGE_BYTES;
  if (ok && !fits)
    fail(m, CUSTOM_FAILED, "save_bytes of %s's manager must be at most %u, got %zu", m->component->name,
         MAX_STORAGE_BYTES, call.size);
  return m->saved_bytes = ok && fits ? call.size : 0;
}

static bool is_margin_intact(const uint8_t *guard_bytes) {
  for (uint32_t i = 0; i < GUARD_BYTES; ++i)
    if (guard_bytes[i] != GUARD_VALUE)
      return false;
  return true;
}

// Saves into a separate buffer with guard bytes, to protect the memory after `bytes`.
static void save(void *context, manager_o *rows, void *bytes) {
  custom_manager_t *m = context;
  size_t size = m->saved_bytes;
  (void)rows;
  if (!is_callable(m))
    return;
  uint8_t *buffer = scratch_reserve(m->memory, &m->saved, 0, 1, size + GUARD_BYTES);
  memset(buffer, 0, size);
  memset(buffer + size, GUARD_VALUE, GUARD_BYTES);
  run(m, &(custom_call_t){.function = CUSTOM_SAVE, .target = buffer});
  if (size > 0)
    memcpy(bytes, buffer, size);
  if (!is_margin_intact(buffer + size))
    fail(m, CUSTOM_FAILED,
         "the manager of %s saved more than the %zu bytes that save_bytes returned: return a larger size",
         m->component->name, size);
}

// Loads saved storage, or migrates it if its version differs. Returns true on success, or false with an error if the
// manager rejects the bytes.
static bool load_or_migrate(custom_manager_t *m, custom_call_t *call, error_info_t *error) {
  const shoal_manager *functions = m->component->manager;
  uint32_t reported;
  call->function = call->version == functions->version ? CUSTOM_LOAD : CUSTOM_MIGRATE;
  if (call->function == CUSTOM_MIGRATE && !functions->migrate)
    return error_set(error, "cannot load version %u, expected version %u: add `migrate`", call->version,
                     functions->version);
  if (!run(m, call) || !call->loaded)
    return error_set(error, "cannot load the saved storage of %zu bytes%s%.500s", call->size,
                     call->error.text[0] ? ": " : "", call->error.text);
  return has_all_rows(m, &reported) ||
         error_set(error, "loaded %u rows from %zu bytes, expected %u", reported, call->size, m->attached);
}

static void load(void *context, world_o *w, manager_o *rows, uint32_t version, const void *bytes, size_t size) {
  custom_manager_t *m = context;
  error_info_t error;
  (void)w;
  m->attached = rows->count;
  m->is_unreliable = false;
  if (m->is_inactive)
    return;
  bool loaded = bytes && load_or_migrate(m, &(custom_call_t){.version = version, .saved = bytes, .size = size}, &error);
  if (bytes && !loaded && is_callable(m))
    m->fail(m, CUSTOM_REJECTED, error.text);
  if (!loaded && is_callable(m))
    refill(m);
  custom_manager_check_row_count(m);
}

void custom_manager_test_save(custom_manager_t *m, world_o *w) {
  size_t size = save_bytes(m, m->rows);
  uint8_t *bytes = alloc_aligned(m->memory, size + 1);
  save(m, m->rows, bytes);
  if (is_callable(m))
    load(m, w, m->rows, m->component->manager->version, bytes, size);
  alloc_free_aligned(m->memory, bytes, size + 1);
}

// --- creation and destruction

bool custom_manager_check_declaration(const shoal_component *component, error_info_t *error) {
  const shoal_manager *f = component->manager;
  if (component->kind != SHOAL_KIND_COMPONENT)
    return error_set(error, "%s: only plain components can have a manager: remove .manager", component->name);
  const char *missing = !f->create       ? "create"
                        : !f->destroy    ? "destroy"
                        : !f->attach     ? "attach"
                        : !f->detach     ? "detach"
                        : !f->count      ? "count"
                        : !f->save_bytes ? "save_bytes"
                        : !f->save       ? "save"
                        : !f->load       ? "load"
                                         : NULL;
  return !missing || error_set(error, "the manager of %s must have the function `%s`", component->name, missing);
}

bool custom_manager_create(custom_manager_t *m, error_info_t *error) {
  custom_call_t call = {.function = CUSTOM_CREATE};
  bool ok = m->run(m, &call) && !call.error.text[0];
  m->self = call.target;
  if (!ok)
    return error_set(error, "%s", call.error.text);
  return m->self || error_set(error, "`create` of %s's manager returned NULL: return the storage", m->component->name);
}

void custom_manager_connect(custom_manager_t *m, world_o *w, manager_o *rows) {
  m->rows = rows;
  world_set_hooks(w, rows->id,
                  &(manager_hooks_t){.context = m,
                                     .added = on_added,
                                     .removing = on_removing,
                                     .storage_version = m->component->manager->version,
                                     .save_bytes = save_bytes,
                                     .save = save,
                                     .load = load});
}

void custom_manager_destroy(custom_manager_t *m, world_o *w) {
  if (m->rows)
    world_set_hooks(w, m->rows->id, NULL);
  if (m->self)
    run(m, &(custom_call_t){.function = CUSTOM_DESTROY});
  m->self = NULL;
  scratch_free(m->memory, &m->saved);
}
