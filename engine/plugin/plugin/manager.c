// Managers of plugins: calls to their functions, and the hooks of their components. Errors of managers are reported. A
// manager becomes unreliable if a call fails, if `save` writes too many bytes, or if the row count is wrong even after
// the manager was refilled. From then on, only `destroy` is called until the state of the manager is reloaded.
#include "plugin/manager.h"

#include "base/assert.h"
#include "plugin/guarded_call.h"
#include "plugin/report.h"

#include <stdio.h>
#include <string.h>

#define MAX_STORAGE_BYTES (1u << 30) // maximum size of a manager's saved data in bytes
#define GUARD_BYTES 64u              // number of guard bytes after the buffer for `save`

typedef struct row_list_t {
  const shoal_entity *entities;
  uint32_t count;
} row_list_t;

typedef struct saved_storage_t {
  uint32_t version;
  const void *bytes; // saved data; NULL: empties the manager
  size_t size;
} saved_storage_t;

// --- calls

typedef struct manager_call_t {
  component_binding_t *binding;
  const shoal_manager *manager;
  context_t context;
  const row_list_t *rows;
  const saved_storage_t *saved;
  void *bytes;
  size_t size;
  uint32_t count;
  bool ok;
} manager_call_t;

PLUGIN_CALL(create, manager_call_t, call->binding->self = call->manager->create(plugin_acquire_slot(&call->context)))

PLUGIN_CALL(destroy, manager_call_t, call->manager->destroy(plugin_acquire_slot(&call->context), call->binding->self))

PLUGIN_CALL(attach, manager_call_t,
            call->manager->attach(plugin_acquire_slot(&call->context), call->binding->self, call->rows->entities,
                                  call->rows->count))

PLUGIN_CALL(detach, manager_call_t,
            call->manager->detach(plugin_acquire_slot(&call->context), call->binding->self, call->rows->entities,
                                  call->rows->count))

PLUGIN_CALL(count, manager_call_t, call->count = call->manager->count(call->binding->self))

PLUGIN_CALL(save_bytes, manager_call_t,
            call->size = call->manager->save_bytes(plugin_acquire_slot(&call->context), call->binding->self))

PLUGIN_CALL(save, manager_call_t,
            call->manager->save(plugin_acquire_slot(&call->context), call->binding->self, call->bytes))

PLUGIN_CALL(load, manager_call_t,
            call->ok = call->manager->load(plugin_acquire_slot(&call->context), call->binding->self, call->saved->bytes,
                                           call->saved->size))

PLUGIN_CALL(migrate, manager_call_t,
            call->ok = call->manager->migrate(plugin_acquire_slot(&call->context), call->binding->self,
                                              call->saved->version, call->saved->bytes, call->saved->size))

static manager_call_t prepare_call(component_binding_t *binding, plugin_call_kind_t call_kind) {
  return (manager_call_t){.binding = binding,
                          .manager = binding->shared.component->manager,
                          .context = plugin_build_context(binding->plugin, call_kind)};
}

// Calls a function of a manager. Returns true on success. If the call fails, returns false and marks the manager as
// unreliable, because its state is then undefined.
static bool call_manager_function(manager_call_t *call, const char *function, void (*function_call)(void *data)) {
  component_binding_t *binding = call->binding;
  shoal_assert(!binding->unreliable || function_call == call_destroy,
               "the manager of %s is unreliable and must not be called", binding->shared.component->name);
  error_info_t error;
  char name[COMPONENT_NAME_MAX + 32];
  snprintf(name, sizeof name, "%s of %s", function, binding->shared.component->name);
  if (plugin_call_guarded(binding->plugin, &(plugin_callee_t){PLUGIN_CALL_LOADING, "manager", name}, function_call,
                          call, &error))
    return true;
  binding->unreliable = true;
  error_set(&binding->plugin->manager_error, "the manager of %s: %s: %.500s", binding->shared.component->name, function,
            error.text);
  error_set(&error, "%.900s; the plugin's systems are parked", binding->plugin->manager_error.text);
  plugin_fail(binding->plugin, error.text);
  return false;
}

static bool manager_call_create(component_binding_t *binding, error_info_t *error) {
  manager_call_t call = prepare_call(binding, PLUGIN_CALL_LOADING);
  char name[COMPONENT_NAME_MAX + 32];
  snprintf(name, sizeof name, "create of %s", binding->shared.component->name);
  if (!plugin_call_guarded(binding->plugin, &(plugin_callee_t){PLUGIN_CALL_LOADING, "manager", name}, call_create,
                           &call, error))
    return false;
  if (call.context.failed)
    *error = call.context.problem;
  else if (!binding->self)
    error_set(error, "`create` of %s's manager returned NULL: return the storage", binding->shared.component->name);
  return !call.context.failed && binding->self;
}

static void manager_call_destroy(component_binding_t *binding) {
  manager_call_t call = prepare_call(binding, PLUGIN_CALL_MANAGER);
  call_manager_function(&call, "destroy", call_destroy);
}

static void manager_call_attach(component_binding_t *binding, const shoal_entity *entities, uint32_t count) {
  manager_call_t call = prepare_call(binding, PLUGIN_CALL_MANAGER);
  call.rows = &(row_list_t){entities, count};
  call_manager_function(&call, "attach", call_attach);
}

static void manager_call_detach(component_binding_t *binding, const shoal_entity *entities, uint32_t count) {
  manager_call_t call = prepare_call(binding, PLUGIN_CALL_MANAGER);
  call.rows = &(row_list_t){entities, count};
  call_manager_function(&call, "detach", call_detach);
}

static uint32_t manager_call_count(component_binding_t *binding) {
  manager_call_t call = prepare_call(binding, PLUGIN_CALL_MANAGER);
  return call_manager_function(&call, "count", call_count) ? call.count : 0;
}

static size_t manager_call_save_bytes(component_binding_t *binding) {
  manager_call_t call = prepare_call(binding, PLUGIN_CALL_MANAGER);
  return call_manager_function(&call, "save_bytes", call_save_bytes) ? call.size : 0;
}

static void manager_call_save(component_binding_t *binding, void *bytes) {
  manager_call_t call = prepare_call(binding, PLUGIN_CALL_MANAGER);
  call.bytes = bytes;
  call_manager_function(&call, "save", call_save);
}

static bool manager_call_load(component_binding_t *binding, const saved_storage_t *saved, error_info_t *error) {
  manager_call_t call = prepare_call(binding, PLUGIN_CALL_MANAGER);
  bool needs_migration = saved->bytes && saved->version != call.manager->version;
  call.saved = saved;
  if (!call_manager_function(&call, needs_migration ? "migrate" : "load", needs_migration ? call_migrate : call_load))
    return error_set(error, "%s", binding->plugin->manager_error.text);
  return call.ok || error_set(error, "cannot load the saved storage of %zu bytes%s%s", saved->size,
                              call.context.failed ? ": " : "", call.context.failed ? call.context.problem.text : "");
}

// --- hooks

// Empties the manager, then attaches all rows again.
static void reattach_rows(component_binding_t *binding) {
  error_info_t error;
  bool empty = manager_call_load(binding, &(saved_storage_t){0}, &error);
  if (empty && binding->shared.manager->count > 0)
    manager_call_attach(binding, binding->shared.manager->owner, binding->shared.manager->count);
  binding->attached = binding->shared.manager->count;
}

static void check_row_count(component_binding_t *binding) {
  error_info_t error;
  uint32_t reported = binding->unreliable ? 0 : manager_call_count(binding), expected = binding->attached;
  if (binding->unreliable || reported == expected)
    return;
  error_set(&binding->plugin->manager_error, "the manager of %s reports %u rows, expected %u",
            binding->shared.component->name, reported, expected);
  error_set(&error, "%.900s; the manager was refilled and the plugin's systems are parked",
            binding->plugin->manager_error.text);
  plugin_fail(binding->plugin, error.text);
  reattach_rows(binding);
  if (!binding->unreliable)
    binding->unreliable = manager_call_count(binding) != binding->attached;
}

static void on_added(void *context, world_o *world, manager_o *manager, const uint32_t *rows, uint32_t count) {
  component_binding_t *binding = context;
  plugins_o *plugins = binding->plugin->plugins;
  (void)world;
  if (binding->unreliable)
    return;
  shoal_entity *entities = alloc_resize(&plugins->memory, NULL, 0, count * sizeof *entities);
  for (uint32_t i = 0; i < count; ++i)
    entities[i] = manager->owner[rows[i]];
  manager_call_attach(binding, entities, count);
  alloc_resize(&plugins->memory, entities, count * sizeof *entities, 0);
  binding->attached += count;
  check_row_count(binding);
}

static void on_removing(void *context, world_o *world, manager_o *manager, const shoal_entity *entities,
                        uint32_t count) {
  component_binding_t *binding = context;
  (void)world, (void)manager;
  if (binding->unreliable)
    return;
  shoal_assert(count <= binding->attached, "cannot detach %u rows from the manager of %s: only %u are attached", count,
               binding->shared.component->name, binding->attached);
  manager_call_detach(binding, entities, count);
  binding->attached -= count;
  check_row_count(binding);
}

// Marks the manager as unreliable and parks the plugin's systems. `manager_error` must contain the reason.
static void mark_unreliable(component_binding_t *binding) {
  error_info_t error;
  binding->unreliable = true;
  error_set(&error, "%.900s; the plugin's systems are parked", binding->plugin->manager_error.text);
  plugin_fail(binding->plugin, error.text);
}

static size_t save_bytes(void *context, manager_o *manager) {
  component_binding_t *binding = context;
  (void)manager;
  size_t size = binding->unreliable ? 0 : manager_call_save_bytes(binding);
  binding->saved_bytes = size <= MAX_STORAGE_BYTES ? size : 0;
  if (size <= MAX_STORAGE_BYTES)
    return size;
  error_set(&binding->plugin->manager_error, "save_bytes of %s's manager must be at most %u, got %zu",
            binding->shared.component->name, MAX_STORAGE_BYTES, size);
  mark_unreliable(binding);
  return 0;
}

static bool is_margin_intact(const uint8_t *guard_bytes) {
  for (uint32_t i = 0; i < GUARD_BYTES; ++i)
    if (guard_bytes[i] != 0xa5)
      return false;
  return true;
}

// Saves into a separate buffer with guard bytes, to protect the host's memory after `bytes`.
static void save_manager(void *context, manager_o *manager, void *bytes) {
  component_binding_t *binding = context;
  size_t size = binding->saved_bytes;
  (void)manager;
  if (binding->unreliable)
    return;
  uint8_t *buffer = scratch_reserve(&binding->plugin->plugins->memory, &binding->saved, 0, 1, size + GUARD_BYTES);
  memset(buffer + size, 0xa5, GUARD_BYTES);
  manager_call_save(binding, buffer);
  if (size > 0)
    memcpy(bytes, buffer, size);
  if (is_margin_intact(buffer + size))
    return;
  error_set(&binding->plugin->manager_error,
            "the manager of %s saved more than the %zu bytes that save_bytes returned: return a larger size",
            binding->shared.component->name, size);
  mark_unreliable(binding);
}

static bool load_or_migrate(component_binding_t *binding, const saved_storage_t *saved, error_info_t *error) {
  const shoal_manager *manager = binding->shared.component->manager;
  if (saved->version != manager->version && !manager->migrate)
    return error_set(error, "cannot load version %u, expected version %u: add `migrate`", saved->version,
                     manager->version);
  if (!manager_call_load(binding, saved, error))
    return false;
  uint32_t reported = manager_call_count(binding);
  return reported == binding->shared.manager->count || error_set(error, "loaded %u rows from %zu bytes, expected %u",
                                                                 reported, saved->size, binding->shared.manager->count);
}

static void load_manager(void *context, world_o *world, manager_o *manager, uint32_t version, const void *bytes,
                         size_t size) {
  component_binding_t *binding = context;
  error_info_t error;
  (void)world;
  binding->attached = manager->count;
  binding->unreliable = plugin_is_inactive(binding->plugin);
  if (binding->unreliable)
    return;
  if (!bytes) {
    reattach_rows(binding);
  } else if (!load_or_migrate(binding, &(saved_storage_t){version, bytes, size}, &error)) {
    log_warn(binding->plugin->plugins->desc.log, "plugin %s: %s: %s: the manager was refilled from the columns",
             binding->plugin->name, binding->shared.component->name, error.text);
    if (!binding->unreliable)
      reattach_rows(binding);
  }
  check_row_count(binding);
}

// --- rehearsal

static void test_save_and_load(component_binding_t *binding) {
  manager_o *manager = binding->shared.manager;
  allocator_t *allocator = &binding->plugin->plugins->memory;
  size_t size = save_bytes(binding, manager);
  uint8_t *bytes = alloc_aligned(allocator, size + 1);
  save_manager(binding, manager, bytes);
  if (!binding->unreliable)
    load_manager(binding, binding->plugin->plugins->world, manager, binding->shared.component->manager->version, bytes,
                 size);
  alloc_free_aligned(allocator, bytes, size + 1);
}

static void test_manager(component_binding_t *binding) {
  world_o *world = binding->plugin->plugins->world;
  shoal_entity entity = 0;
  error_info_t error;
  if (world_spawn_many(world, 0, 1, &entity, &error) == 0 ||
      !world_add_component(world, entity, binding->shared.manager->id, 0, &error))
    return; // no row could be added: the world is full
  test_save_and_load(binding);
  world_remove_component(world, entity, binding->shared.manager->id, 0);
  world_destroy_entity(world, entity);
  check_row_count(binding);
}

void plugin_test_managers(plugin_t *plugin) {
  for (uint32_t i = 0; i < plugin->bound_count; ++i)
    if (plugin_binding_at(plugin, i)->self && plugin_binding_at(plugin, i)->shared.manager)
      test_manager(plugin_binding_at(plugin, i));
}

// --- creation and destruction

bool plugin_create_managers(plugins_o *plugins, plugin_t *plugin, error_info_t *error) {
  for (uint32_t i = 0; i < plugin->bound_count; ++i) {
    component_binding_t *binding = plugin_binding_at(plugin, i);
    if (!binding->is_declared || !binding->shared.component->manager)
      continue;
    if (!manager_call_create(binding, error))
      return false;
    world_set_hooks(plugins->world, binding->shared.manager->id,
                    &(manager_hooks_t){.context = binding,
                                       .added = on_added,
                                       .removing = on_removing,
                                       .storage_version = binding->shared.component->manager->version,
                                       .save_bytes = save_bytes,
                                       .save = save_manager,
                                       .load = load_manager});
  }
  return true;
}

void plugin_destroy_managers(plugin_t *plugin) {
  for (uint32_t i = 0; i < plugin->bound_count; ++i) {
    component_binding_t *binding = plugin_binding_at(plugin, i);
    if (binding->is_declared && binding->shared.manager)
      world_set_hooks(plugin->plugins->world, binding->shared.manager->id, NULL);
    if (!binding->self)
      continue;
    manager_call_destroy(binding);
    binding->self = NULL;
  }
}
