// Managers of plugins: calls to their functions, and the hooks of their components. Errors of managers are reported. A
// manager becomes unreliable if a call fails, if `save` writes too many bytes, or if the row count is wrong even after
// the manager was refilled. From then on, only `destroy` is called until the state of the manager is loaded again.
#include "plugin/manager.h"

#include "base/assert.h"
#include "plugin/guarded_call.h"
#include "plugin/report.h"

#include <stdio.h>
#include <string.h>

#define MAX_STORAGE (1u << 30) // maximum size of a manager's saved data in bytes
#define GUARD_BYTES 64u        // number of guard bytes after the buffer for `save`

typedef struct manager_rows_t {
  const shoal_entity *entities;
  uint32_t count;
} manager_rows_t;

typedef struct manager_bytes_t {
  uint32_t version;
  const void *bytes; // NULL: empties the manager
  size_t size;
} manager_bytes_t;

// --- calls

typedef struct manager_call_t {
  component_binding_t *b;
  const shoal_manager *m;
  context_t c;
  const manager_rows_t *rows;
  const manager_bytes_t *from;
  void *bytes;
  size_t size;
  uint32_t count;
  bool ok;
} manager_call_t;

PLUGIN_CALL(create, manager_call_t, x->b->self = x->m->create(plugin_acquire_slot(&x->c)))

PLUGIN_CALL(destroy, manager_call_t, x->m->destroy(plugin_acquire_slot(&x->c), x->b->self))

PLUGIN_CALL(attach, manager_call_t,
            x->m->attach(plugin_acquire_slot(&x->c), x->b->self, x->rows->entities, x->rows->count))

PLUGIN_CALL(detach, manager_call_t,
            x->m->detach(plugin_acquire_slot(&x->c), x->b->self, x->rows->entities, x->rows->count))

PLUGIN_CALL(count, manager_call_t, x->count = x->m->count(x->b->self))

PLUGIN_CALL(save_bytes, manager_call_t, x->size = x->m->save_bytes(plugin_acquire_slot(&x->c), x->b->self))

PLUGIN_CALL(save, manager_call_t, x->m->save(plugin_acquire_slot(&x->c), x->b->self, x->bytes))

PLUGIN_CALL(load, manager_call_t,
            x->ok = x->m->load(plugin_acquire_slot(&x->c), x->b->self, x->from->bytes, x->from->size))

PLUGIN_CALL(migrate, manager_call_t,
            x->ok = x->m->migrate(plugin_acquire_slot(&x->c), x->b->self, x->from->version, x->from->bytes,
                                  x->from->size))

static manager_call_t prepare_call(component_binding_t *b, call_place_t where) {
  return (manager_call_t){.b = b, .m = b->shared.component->manager, .c = plugin_build_context(b->plugin, where)};
}

// Calls a function of a manager. If the call fails, returns false and marks the manager as unreliable, because its
// state is then undefined.
static bool call_manager_function(manager_call_t *x, const char *function, void (*call)(void *data)) {
  component_binding_t *b = x->b;
  shoal_assert(!b->unreliable || call == call_destroy, "the manager of %s is unreliable and must not be called",
               b->shared.component->name);
  error_info_t error;
  char name[COMPONENT_NAME_MAX + 32];
  snprintf(name, sizeof name, "%s of %s", function, b->shared.component->name);
  if (plugin_call_guarded(b->plugin, &(plugin_callee_t){WHERE_LOADING, "manager", name}, call, x, &error))
    return true;
  b->unreliable = true;
  error_set(&b->plugin->manager_error, "the manager of %s: %s: %.500s", b->shared.component->name, function,
            error.text);
  error_set(&error, "%.900s; the plugin's systems are parked", b->plugin->manager_error.text);
  plugin_fail(b->plugin, error.text);
  return false;
}

static bool manager_call_create(component_binding_t *b, error_info_t *error) {
  manager_call_t x = prepare_call(b, WHERE_LOADING);
  char name[COMPONENT_NAME_MAX + 32];
  snprintf(name, sizeof name, "create of %s", b->shared.component->name);
  if (!plugin_call_guarded(b->plugin, &(plugin_callee_t){WHERE_LOADING, "manager", name}, call_create, &x, error))
    return false;
  if (x.c.failed)
    *error = x.c.problem;
  else if (!b->self)
    error_set(error, "`create` of the manager of %s returned NULL: return the storage", b->shared.component->name);
  return !x.c.failed && b->self;
}

static void manager_call_destroy(component_binding_t *b) {
  manager_call_t x = prepare_call(b, WHERE_MANAGER);
  call_manager_function(&x, "destroy", call_destroy);
}

static void manager_call_attach(component_binding_t *b, const shoal_entity *entities, uint32_t count) {
  manager_call_t x = prepare_call(b, WHERE_MANAGER);
  x.rows = &(manager_rows_t){entities, count};
  call_manager_function(&x, "attach", call_attach);
}

static void manager_call_detach(component_binding_t *b, const shoal_entity *entities, uint32_t count) {
  manager_call_t x = prepare_call(b, WHERE_MANAGER);
  x.rows = &(manager_rows_t){entities, count};
  call_manager_function(&x, "detach", call_detach);
}

static uint32_t manager_call_count(component_binding_t *b) {
  manager_call_t x = prepare_call(b, WHERE_MANAGER);
  return call_manager_function(&x, "count", call_count) ? x.count : 0;
}

static size_t manager_call_save_bytes(component_binding_t *b) {
  manager_call_t x = prepare_call(b, WHERE_MANAGER);
  return call_manager_function(&x, "save_bytes", call_save_bytes) ? x.size : 0;
}

static void manager_call_save(component_binding_t *b, void *bytes) {
  manager_call_t x = prepare_call(b, WHERE_MANAGER);
  x.bytes = bytes;
  call_manager_function(&x, "save", call_save);
}

static bool manager_call_load(component_binding_t *b, const manager_bytes_t *from, error_info_t *error) {
  manager_call_t x = prepare_call(b, WHERE_MANAGER);
  bool migrates = from->bytes && from->version != x.m->version;
  x.from = from;
  if (!call_manager_function(&x, migrates ? "migrate" : "load", migrates ? call_migrate : call_load))
    return error_set(error, "%s", b->plugin->manager_error.text);
  return x.ok || error_set(error, "cannot load the saved storage of %zu bytes%s%s", from->size, x.c.failed ? ": " : "",
                           x.c.failed ? x.c.problem.text : "");
}

// --- hooks

// Empties the manager, then attaches all rows again.
static void reattach_rows(component_binding_t *b) {
  error_info_t error;
  bool empty = manager_call_load(b, &(manager_bytes_t){0}, &error);
  if (empty && b->shared.manager->count > 0)
    manager_call_attach(b, b->shared.manager->owner, b->shared.manager->count);
  b->attached = b->shared.manager->count;
}

static void check_row_count(component_binding_t *b) {
  error_info_t error;
  uint32_t reported = b->unreliable ? 0 : manager_call_count(b), expected = b->attached;
  if (b->unreliable || reported == expected)
    return;
  error_set(&b->plugin->manager_error, "the manager of %s reports %u rows, expected %u", b->shared.component->name,
            reported, expected);
  error_set(&error, "%.900s; the manager was refilled and the plugin's systems are parked",
            b->plugin->manager_error.text);
  plugin_fail(b->plugin, error.text);
  reattach_rows(b);
  if (!b->unreliable)
    b->unreliable = manager_call_count(b) != b->attached;
}

static void on_added(void *context, world_o *w, manager_o *m, const uint32_t *rows, uint32_t count) {
  component_binding_t *b = context;
  plugins_o *p = b->plugin->plugins;
  (void)w;
  if (b->unreliable)
    return;
  shoal_entity *list = alloc_resize(&p->memory, NULL, 0, count * sizeof *list);
  for (uint32_t i = 0; i < count; ++i)
    list[i] = m->owner[rows[i]];
  manager_call_attach(b, list, count);
  alloc_resize(&p->memory, list, count * sizeof *list, 0);
  b->attached += count;
  check_row_count(b);
}

static void on_removing(void *context, world_o *w, manager_o *m, const shoal_entity *entities, uint32_t count) {
  component_binding_t *b = context;
  (void)w, (void)m;
  if (b->unreliable)
    return;
  shoal_assert(count <= b->attached, "cannot detach %u rows from the manager of %s: only %u are attached", count,
               b->shared.component->name, b->attached);
  manager_call_detach(b, entities, count);
  b->attached -= count;
  check_row_count(b);
}

// Marks the manager as unreliable and parks the plugin's systems. `manager_error` must contain the reason.
static void mark_unreliable(component_binding_t *b) {
  error_info_t error;
  b->unreliable = true;
  error_set(&error, "%.900s; the plugin's systems are parked", b->plugin->manager_error.text);
  plugin_fail(b->plugin, error.text);
}

static size_t save_bytes(void *context, manager_o *m) {
  component_binding_t *b = context;
  (void)m;
  size_t size = b->unreliable ? 0 : manager_call_save_bytes(b);
  b->saved_bytes = size <= MAX_STORAGE ? size : 0;
  if (size <= MAX_STORAGE)
    return size;
  error_set(&b->plugin->manager_error, "save_bytes of the manager of %s must be at most %u, got %zu",
            b->shared.component->name, MAX_STORAGE, size);
  mark_unreliable(b);
  return 0;
}

static bool is_margin_intact(const uint8_t *margin) {
  for (uint32_t i = 0; i < GUARD_BYTES; ++i)
    if (margin[i] != 0xa5)
      return false;
  return true;
}

// Saves into a separate buffer with guard bytes, to protect the host's memory after `bytes`.
static void save_manager(void *context, manager_o *m, void *bytes) {
  component_binding_t *b = context;
  size_t size = b->saved_bytes;
  (void)m;
  if (b->unreliable)
    return;
  uint8_t *buffer = scratch_reserve(&b->plugin->plugins->memory, &b->saved, 0, 1, size + GUARD_BYTES);
  memset(buffer + size, 0xa5, GUARD_BYTES);
  manager_call_save(b, buffer);
  if (size > 0)
    memcpy(bytes, buffer, size);
  if (is_margin_intact(buffer + size))
    return;
  error_set(&b->plugin->manager_error,
            "the manager of %s saved more than the %zu bytes that save_bytes returned: return a larger size",
            b->shared.component->name, size);
  mark_unreliable(b);
}

static bool load_or_migrate(component_binding_t *b, const manager_bytes_t *from, error_info_t *error) {
  const shoal_manager *m = b->shared.component->manager;
  if (from->version != m->version && !m->migrate)
    return error_set(error, "cannot load version %u, expected version %u: add `migrate`", from->version, m->version);
  if (!manager_call_load(b, from, error))
    return false;
  uint32_t reported = manager_call_count(b);
  return reported == b->shared.manager->count ||
         error_set(error, "loaded %u rows from %zu bytes, expected %u", reported, from->size, b->shared.manager->count);
}

static void load_manager(void *context, world_o *w, manager_o *m, uint32_t version, const void *bytes, size_t size) {
  component_binding_t *b = context;
  error_info_t error;
  (void)w;
  b->attached = m->count;
  b->unreliable = plugin_is_inactive(b->plugin);
  if (b->unreliable)
    return;
  if (!bytes) {
    reattach_rows(b);
  } else if (!load_or_migrate(b, &(manager_bytes_t){version, bytes, size}, &error)) {
    log_warn(b->plugin->plugins->desc.log, "plugin %s: %s: %s: the manager was refilled from the columns",
             b->plugin->name, b->shared.component->name, error.text);
    if (!b->unreliable)
      reattach_rows(b);
  }
  check_row_count(b);
}

// --- rehearsal

static void test_save_and_load(component_binding_t *b) {
  manager_o *m = b->shared.manager;
  allocator_t *a = &b->plugin->plugins->memory;
  size_t size = save_bytes(b, m);
  uint8_t *bytes = alloc_aligned(a, size + 1);
  save_manager(b, m, bytes);
  if (!b->unreliable)
    load_manager(b, b->plugin->plugins->world, m, b->shared.component->manager->version, bytes, size);
  alloc_free_aligned(a, bytes, size + 1);
}

static void test_manager(component_binding_t *b) {
  world_o *w = b->plugin->plugins->world;
  shoal_entity e = 0;
  error_info_t error;
  if (world_spawn_many(w, 0, 1, &e, &error) == 0 || !world_add_component(w, e, b->shared.manager->id, 0, &error))
    return; // no row could be added: the world is full
  test_save_and_load(b);
  world_remove_component(w, e, b->shared.manager->id, 0);
  world_destroy_entity(w, e);
  check_row_count(b);
}

void plugin_test_managers(plugin_t *x) {
  for (uint32_t i = 0; i < x->bound_count; ++i)
    if (plugin_binding_at(x, i)->self && plugin_binding_at(x, i)->shared.manager)
      test_manager(plugin_binding_at(x, i));
}

// --- creation and destruction

bool plugin_create_managers(plugins_o *p, plugin_t *x, error_info_t *error) {
  for (uint32_t i = 0; i < x->bound_count; ++i) {
    component_binding_t *b = plugin_binding_at(x, i);
    if (!b->own || !b->shared.component->manager)
      continue;
    if (!manager_call_create(b, error))
      return false;
    world_set_hooks(p->world, b->shared.manager->id,
                    &(manager_hooks_t){.context = b,
                                       .added = on_added,
                                       .removing = on_removing,
                                       .storage_version = b->shared.component->manager->version,
                                       .save_bytes = save_bytes,
                                       .save = save_manager,
                                       .load = load_manager});
  }
  return true;
}

void plugin_destroy_managers(plugin_t *x) {
  for (uint32_t i = 0; i < x->bound_count; ++i) {
    component_binding_t *b = plugin_binding_at(x, i);
    if (b->own && b->shared.manager)
      world_set_hooks(x->plugins->world, b->shared.manager->id, NULL);
    if (!b->self)
      continue;
    manager_call_destroy(b);
    b->self = NULL;
  }
}
