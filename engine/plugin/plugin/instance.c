// An instance of a plugin: declares its components, creates its managers, calls `open` with the data handed over by the
// previous instance, and finally calls `close` and frees everything.
#include "plugin/instance.h"

#include "access/last_error.h"
#include "base/sized_block.h"
#include "base/assert.h"
#include "components/builtin.h"
#include "paint/paint.h"
#include "plugin/declaration_check.h"
#include "plugin/guarded_call.h"
#include "plugin/manager.h"
#include "plugin/report.h"
#include "plugin/system.h"
#include "plugin/asset.h"
#include "plugin/binding.h"
#include "plugin/held_files.h"
#include "plugin/job.h"
#include "plugin/result.h"
#include "plugin/thread.h"

#include <stdio.h>

typedef struct state_call_t {
  plugin_t *plugin;
  context_t context;
  const shoal_handover *previous;
  void *bytes;
  size_t size;
} state_call_t;

// --- handover

typedef struct handover_t {
  shoal_handover data;
  void *bytes;
  size_t capacity;
  bool exists;
} handover_t;

PLUGIN_CALL(hand_over, state_call_t,
            call->size = call->plugin->def->save_handover(plugin_acquire_slot(&call->context), call->plugin->state,
                                                          call->bytes, call->size))

static size_t save_handover(plugin_t *plugin, void *bytes, size_t capacity) {
  state_call_t call = {
      .plugin = plugin, .context = plugin_build_context(plugin, PLUGIN_CALL_MANAGER), .bytes = bytes, .size = capacity};
  error_info_t error;
  bool ok = plugin_call_guarded(plugin, &(plugin_callee_t){PLUGIN_CALL_LOADING, "save_handover", NULL}, call_hand_over,
                                &call, &error);
  if (ok && !call.context.failed)
    return call.size;
  log_warn(plugin->plugins->desc.log, "plugin %s: `save_handover` failed: %s: no data is handed over", plugin->name,
           ok ? call.context.problem.text : error.text);
  return 0;
}

static void request_handover(plugin_t *plugin, handover_t *handover) {
  plugin_t *previous = plugin_previous_instance(plugin);
  *handover = (handover_t){.bytes = NULL};
  if (!previous || plugin_is_inactive(previous))
    return;
  handover->data.version = previous->def->version;
  handover->exists = true;
  if (!previous->def->save_handover || !previous->opened || !plugin_are_threads_stopped(previous))
    return;
  handover->capacity = save_handover(previous, NULL, 0);
  if (handover->capacity == 0 || handover->capacity > PLUGIN_MAX_HANDOVER_BYTES)
    return;
  handover->bytes = alloc_resize(&plugin->plugins->memory, NULL, 0, handover->capacity);
  size_t size = save_handover(previous, handover->bytes, handover->capacity);
  handover->data.bytes = handover->bytes;
  handover->data.size = size <= handover->capacity ? size : handover->capacity;
}

static void free_handover(plugin_t *plugin, handover_t *handover) {
  alloc_resize(&plugin->plugins->memory, handover->bytes, handover->capacity, 0);
}

// --- opening and closing

static void call_open(void *data) {
  state_call_t *call = data;
  const shoal_plugin *def = call->plugin->def;
  shoal_context *c = plugin_acquire_slot(&call->context);
  call->plugin->state = def->reopen ? def->reopen(c, call->previous) : def->open(c);
}

static bool run_open(plugin_t *plugin, error_info_t *error) {
  handover_t handover;
  request_handover(plugin, &handover);
  state_call_t call = {.plugin = plugin,
                       .context = plugin_build_context(plugin, PLUGIN_CALL_LOADING),
                       .previous = handover.exists ? &handover.data : NULL};
  bool ok = plugin_call_guarded(plugin, &(plugin_callee_t){PLUGIN_CALL_LOADING, "open", NULL}, call_open, &call, error);
  free_handover(plugin, &handover);
  if (!ok)
    return false;
  if (call.context.failed)
    *error = call.context.problem;
  return !call.context.failed;
}

PLUGIN_CALL(close, state_call_t, call->plugin->def->close(plugin_acquire_slot(&call->context), call->plugin->state))

static void run_close(plugin_t *plugin) {
  state_call_t call = {.plugin = plugin, .context = plugin_build_context(plugin, PLUGIN_CALL_LOADING)};
  error_info_t error;
  if (!plugin_call_guarded(plugin, &(plugin_callee_t){PLUGIN_CALL_LOADING, "close", NULL}, call_close, &call, &error))
    log_warn(plugin->plugins->desc.log, "plugin %s: `close` failed: %s", plugin->name, error.text);
}

PLUGIN_CALL(restored, state_call_t, call->plugin->def->on_restore(plugin_acquire_slot(&call->context)))

static void call_restored_hook(plugin_t *plugin) {
  if (plugin_is_inactive(plugin))
    return;
  state_call_t call = {.plugin = plugin, .context = plugin_build_context(plugin, PLUGIN_CALL_LOADING)};
  error_info_t error, reason;
  if (plugin_call_guarded(plugin, &(plugin_callee_t){PLUGIN_CALL_LOADING, "on_restore", NULL}, call_restored, &call,
                          &error))
    return;
  error_set(&reason, "`on_restore` failed: %.900s; the plugin's systems are parked", error.text);
  plugin_fail(plugin, reason.text);
}

static void on_restored(void *context, world_o *world, manager_o *manager) {
  const component_binding_t *binding = ((const custom_manager_t *)context)->owner;
  (void)world, (void)manager;
  call_restored_hook(binding->plugin);
}

// Sets the hook `restored` on the first component that the plugin declares and that is not an event. One hook suffices,
// because it reports that the whole world was restored.
static void set_restored_hook(plugins_o *plugins, plugin_t *plugin) {
  for (uint32_t i = 0; i < plugin->bound_count && plugin->def->on_restore; ++i) {
    component_binding_t *binding = plugin_binding_at(plugin, i);
    if (!binding->is_declared || !binding->shared.manager)
      continue;
    manager_hooks_t hooks = binding->shared.manager->hooks;
    hooks.context = &binding->custom_manager;
    hooks.restored = on_restored;
    world_set_hooks(plugins->world, binding->shared.manager->id, &hooks);
    return;
  }
}

static bool declare_component(plugins_o *plugins, const plugin_t *plugin, const shoal_component *component,
                              error_info_t *error) {
  schema_t schema;
  char owner[COMPONENT_NAME_MAX + 8];
  if (!plugin_build_schema(plugins, plugin, component, true, &schema, error))
    return false;
  snprintf(owner, sizeof owner, "plugin %s", plugin->name);
  builtin_release_name(plugins->world, component->name, owner);
  bool ok = world_declare_schema(plugins->world, &schema, error) != 0;
  schema_fini(&schema, world_allocator(plugins->world));
  return ok;
}

static bool open_instance(plugins_o *plugins, plugin_t *plugin, error_info_t *error) {
  if (!plugin_create_managers(plugins, plugin, error))
    return false;
  set_restored_hook(plugins, plugin);
  plugin->opened = plugin->def->open || plugin->def->reopen;
  return !plugin->opened || run_open(plugin, error);
}

bool plugin_begin_instance(plugins_o *plugins, plugin_t *plugin, error_info_t *error) {
  shoal_assert(plugin->def, "plugin %s has no definition", plugin->name);
  shoal_assert(plugin->bound_count == 0 && !plugin->runs, "plugin %s has already started", plugin->name);
  plugin_create_bindings(plugins, plugin);
  for (uint32_t i = 0; i < plugin->bound_count; ++i) {
    component_binding_t *binding = plugin_binding_at(plugin, i);
    if (binding->is_declared && !declare_component(plugins, plugin, binding->shared.component, error))
      return false;
    if (binding->is_declared && !access_match_binding(&plugin->access, &binding->shared))
      return error_set(error, "%s", access_error_text());
  }
  for (const shoal_function *function = plugin->def->functions; function && function->name; ++function)
    ++plugin->function_count;
  plugin_create_results(plugins, plugin);
  plugin_create_runs(plugins, plugin);
  plugin_create_threads(plugins, plugin);
  plugin_inherit_assets(plugin);
  if (plugin_is_inactive(plugin))
    return true;
  plugin->opening = true;
  bool ok = open_instance(plugins, plugin, error);
  plugin->opening = false;
  return ok;
}

void plugin_end_instance(plugins_o *plugins, plugin_t *plugin) {
  error_info_t error;
  plugin->thread_stuck = !plugin_stop_threads(plugin, &error);
  if (plugin->thread_stuck)
    log_error(plugins->desc.log, "%s: the plugin and its library stay loaded", error.text);
  if (plugin->thread_stuck)
    return;
  plugin_unload_assets(plugin);
  if (plugin->opened && plugin->def->close)
    run_close(plugin);
  plugin_destroy_managers(plugin);
  plugin_free_jobs(plugins, plugin);
  array_free(&plugins->memory, &plugin->scopes);
  for (uint32_t i = 0; i < plugin->run_count; ++i)
    plugin_free_run(plugins, &plugin->runs[i]);
  alloc_resize(&plugins->memory, plugin->runs, plugin->run_count * sizeof *plugin->runs, 0);
  plugin_free_bindings(plugin);
  plugin_free_results(plugins, plugin);
  alloc_resize(&plugins->memory, plugin->threads, plugin->thread_count * sizeof *plugin->threads, 0);
  plugin_close_held_files(plugin);
  if (plugins->desc.draw)
    paint_release_owner(draw_get_paint(plugins->desc.draw), plugin);
  plugin->threads = NULL;
  plugin->thread_count = 0;
  if (plugin->memory.blocks > 0)
    log_warn(plugins->desc.log, "plugin %s leaked %zu bytes in %llu blocks", plugin->name,
             plugin->memory.bytes - plugin->memory.blocks * SIZED_BLOCK_HEADER_BYTES,
             (unsigned long long)plugin->memory.blocks);
  plugin->runs = NULL;
  plugin->run_count = plugin->function_count = 0;
  plugin->opened = false;
}
