// Managers of components in the standalone entity system. The world calls a manager's functions through the hooks of
// its component. If a function fails, the program's current call fails with the function's message (ecs_end_call).
#include "library/ecs_manager.h"

#include "access/last_error.h"
#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STORAGE_BYTES (1u << 30) // maximum size of a manager's saved data in bytes
#define GUARD_BYTES 64u              // number of guard bytes after the buffer for `save`
#define GUARD_VALUE 0xa5

// --- calls

static shoal_context *begin_function(ecs_manager_t *m) {
  m->problem.text[0] = '\0';
  m->outer_error = *access_last_error();
  m->is_running = true;
  m->ecs->inside = "a manager";
  return (shoal_context *)(void *)m;
}

static void leave_function(ecs_manager_t *m) {
  m->is_running = false;
  m->ecs->inside = NULL;
  *access_last_error() = m->outer_error;
}

// Makes the program's current call fail, unless it has failed already. Returns false.
static bool fail_call(const ecs_manager_t *m, const char *text) {
  error_info_t *problem = &m->ecs->problem;
  return problem->text[0] ? false : error_set(problem, "the manager of %s: %.800s", m->component->name, text);
}

// Ends the call of a manager's function. Returns false if the function has failed.
static bool end_function(ecs_manager_t *m, const char *function) {
  error_info_t error;
  leave_function(m);
  if (!m->problem.text[0])
    return true;
  error_set(&error, "%s: %.700s", function, m->problem.text);
  return fail_call(m, error.text);
}

// --- rows

// Empties the manager, then attaches all rows again.
static void refill(ecs_manager_t *m) {
  const shoal_manager *functions = m->component->manager;
  m->attached = m->rows->count;
  bool ok = functions->load(begin_function(m), m->storage, NULL, 0);
  if (!end_function(m, "load"))
    return;
  if (!ok) {
    fail_call(m, "load: it must accept NULL and 0, and empty the storage");
    return;
  }
  if (m->rows->count > 0)
    functions->attach(begin_function(m), m->storage, m->rows->owner, m->rows->count);
  end_function(m, "attach");
}

static bool has_all_rows(ecs_manager_t *m, error_info_t *error) {
  begin_function(m);
  uint32_t reported = m->component->manager->count(m->storage);
  end_function(m, "count");
  return reported == m->attached || error_set(error, "count must return %u, got %u", m->attached, reported);
}

static void check_row_count(ecs_manager_t *m) {
  error_info_t error, again;
  if (has_all_rows(m, &error))
    return;
  refill(m);
  error_set(&again, "%s: %s", error.text,
            has_all_rows(m, &error) ? "the manager was refilled" : "also after the manager was refilled");
  fail_call(m, again.text);
}

static void on_added(void *context, world_o *world, manager_o *rows, const uint32_t *added, uint32_t count) {
  ecs_manager_t *m = context;
  allocator_t *memory = &m->ecs->access.memory;
  (void)world;
  shoal_entity *entities = alloc_resize(memory, NULL, 0, count * sizeof *entities);
  for (uint32_t i = 0; i < count; ++i)
    entities[i] = rows->owner[added[i]];
  m->component->manager->attach(begin_function(m), m->storage, entities, count);
  end_function(m, "attach");
  alloc_resize(memory, entities, count * sizeof *entities, 0);
  m->attached += count;
  check_row_count(m);
}

static void on_removing(void *context, world_o *world, manager_o *rows, const shoal_entity *entities, uint32_t count) {
  ecs_manager_t *m = context;
  (void)world, (void)rows;
  shoal_assert(count <= m->attached, "cannot detach %u rows from the manager of %s: only %u are attached", count,
               m->component->name, m->attached);
  m->component->manager->detach(begin_function(m), m->storage, entities, count);
  end_function(m, "detach");
  m->attached -= count;
  check_row_count(m);
}

// --- saved storage

static size_t save_bytes(void *context, manager_o *rows) {
  ecs_manager_t *m = context;
  error_info_t error;
  (void)rows;
  size_t size = m->component->manager->save_bytes(begin_function(m), m->storage);
  bool ok = end_function(m, "save_bytes") && size <= MAX_STORAGE_BYTES;
  if (size > MAX_STORAGE_BYTES) {
    error_set(&error, "save_bytes must return at most %u, got %zu", MAX_STORAGE_BYTES, size);
    fail_call(m, error.text);
  }
  m->saved_bytes = ok ? size : 0;
  return m->saved_bytes;
}

// Saves into a separate buffer with guard bytes, to protect the memory after `bytes`.
static void save(void *context, manager_o *rows, void *bytes) {
  ecs_manager_t *m = context;
  allocator_t *memory = &m->ecs->access.memory;
  size_t size = m->saved_bytes;
  bool is_intact = true;
  (void)rows;
  uint8_t *buffer = alloc_aligned(memory, size + GUARD_BYTES);
  memset(buffer, 0, size);
  memset(buffer + size, GUARD_VALUE, GUARD_BYTES);
  m->component->manager->save(begin_function(m), m->storage, buffer);
  end_function(m, "save");
  for (uint32_t i = 0; i < GUARD_BYTES; ++i)
    is_intact = is_intact && buffer[size + i] == GUARD_VALUE;
  if (!is_intact)
    fail_call(m, "save wrote more bytes than save_bytes returned: return a larger size");
  if (size > 0)
    memcpy(bytes, buffer, size);
  alloc_free_aligned(memory, buffer, size + GUARD_BYTES);
}

// Loads saved storage, or migrates it if its version differs. Returns true on success, or false with an error if the
// manager rejects the bytes.
static bool load_or_migrate(ecs_manager_t *m, uint32_t version, const void *bytes, size_t size, error_info_t *error) {
  const shoal_manager *functions = m->component->manager;
  bool migrates = version != functions->version;
  if (migrates && !functions->migrate)
    return error_set(error, "cannot load version %u, expected version %u: add `migrate`", version, functions->version);
  shoal_context *c = begin_function(m);
  bool ok =
      migrates ? functions->migrate(c, m->storage, version, bytes, size) : functions->load(c, m->storage, bytes, size);
  leave_function(m);
  if (!ok || m->problem.text[0])
    return error_set(error, "cannot load the saved storage of %zu bytes%s%.500s", size, m->problem.text[0] ? ": " : "",
                     m->problem.text);
  return has_all_rows(m, error);
}

static void load(void *context, world_o *world, manager_o *rows, uint32_t version, const void *bytes, size_t size) {
  ecs_manager_t *m = context;
  error_info_t error, refilled;
  (void)world;
  m->attached = rows->count;
  if (!bytes) {
    refill(m);
  } else if (!load_or_migrate(m, version, bytes, size, &error)) {
    error_set(&refilled, "%.700s: the manager was refilled from the columns", error.text);
    fail_call(m, refilled.text);
    refill(m);
  }
  check_row_count(m);
}

// --- creation and destruction

static bool check_functions(const shoal_component *component) {
  const shoal_manager *f = component->manager;
  const char *missing = !f->create       ? "create"
                        : !f->destroy    ? "destroy"
                        : !f->attach     ? "attach"
                        : !f->detach     ? "detach"
                        : !f->count      ? "count"
                        : !f->save_bytes ? "save_bytes"
                        : !f->save       ? "save"
                        : !f->load       ? "load"
                                         : NULL;
  return !missing || access_fail("the manager of %s must have the function `%s`", component->name, missing);
}

static void destroy_manager(ecs_manager_t *m) {
  allocator_t *memory = &m->ecs->access.memory;
  if (m->rows)
    world_set_hooks(m->ecs->access.world, m->rows->id, NULL);
  if (m->storage) {
    m->component->manager->destroy(begin_function(m), m->storage);
    end_function(m, "destroy");
    size_t leaked = atomic_load(&m->allocated);
    if (leaked > 0)
      fprintf(stderr, "warn: the manager of %s has not freed %zu bytes of shoal_realloc\n", m->component->name, leaked);
  }
  alloc_resize(memory, m, sizeof *m, 0);
}

// Creates the storage. Returns false after calling access_fail.
static bool create_storage(ecs_manager_t *m) {
  const char *name = m->component->name;
  m->storage = m->component->manager->create(begin_function(m));
  leave_function(m);
  if (m->problem.text[0])
    return access_fail("cannot create the manager of %s: %.800s", name, m->problem.text);
  return m->storage || access_fail("`create` of %s's manager returned NULL: return the storage", name);
}

static bool check_component(const ecs_t *ecs, const shoal_component *component) {
  const manager_o *rows = world_find_manager(ecs->access.world, component->name);
  if (component->kind != SHOAL_KIND_COMPONENT)
    return access_fail("%s: only plain components can have a manager: remove .manager", component->name);
  if (rows && rows->count > 0)
    return access_fail("cannot declare %s with a manager: entities already have the component", component->name);
  for (uint32_t i = 0; i < ecs->managers.count; ++i)
    if (strcmp(ecs->managers.items[i]->component->name, component->name) == 0)
      return access_fail("%s already has a manager: declare it once", component->name);
  return check_functions(component);
}

bool ecs_begin_manager(access_o *a, const shoal_component *component) {
  ecs_t *ecs = (ecs_t *)(void *)a;
  if (ecs_find_manager(ecs, component))
    return true;
  if (!check_component(ecs, component))
    return false;
  ecs_manager_t *m = alloc_resize(&a->memory, NULL, 0, sizeof *m);
  *m = (ecs_manager_t){
      .api = &ecs_context_api, .world = {{&ecs_manager_world_api}, a, NULL}, .ecs = ecs, .component = component};
  if (!create_storage(m)) {
    error_info_t reason = *access_last_error();
    destroy_manager(m);
    return access_fail("%s", reason.text);
  }
  array_push(&a->memory, &ecs->managers, m);
  return true;
}

void ecs_end_manager(access_o *a, const shoal_component *component, manager_o *rows) {
  ecs_t *ecs = (ecs_t *)(void *)a;
  ecs_manager_t *m = ecs_find_manager(ecs, component);
  shoal_assert(m, "the manager of %s was not created", component->name);
  if (!rows && !m->rows) { // the declaration failed
    ecs->managers.count--;
    destroy_manager(m);
  } else if (rows) {
    m->rows = rows;
    world_set_hooks(a->world, rows->id,
                    &(manager_hooks_t){.context = m,
                                       .added = on_added,
                                       .removing = on_removing,
                                       .storage_version = component->manager->version,
                                       .save_bytes = save_bytes,
                                       .save = save,
                                       .load = load});
  }
}

void ecs_destroy_managers(ecs_t *ecs) {
  while (ecs->managers.count > 0)
    destroy_manager(ecs->managers.items[--ecs->managers.count]);
  array_free(&ecs->access.memory, &ecs->managers);
}

void *shoal_ecs_manager_data(shoal_world *w, const shoal_component *component) {
  static const char function[] = "shoal_ecs_manager_data";
  const ecs_t *ecs = ecs_check_call(w, function);
  const ecs_manager_t *m = ecs ? ecs_find_manager(ecs, component) : NULL;
  if (ecs && !m)
    access_fail("%s: %.64s has no manager: declare it with SHOAL_COMPONENT_WITH_MANAGER", function,
                component && component->name ? component->name : "NULL");
  return m ? m->storage : NULL;
}
