// An instance of a plugin: declares its components, creates its managers, calls `open` with the data handed over by the
// previous instance, and finally calls `close` and frees everything.
#include "plugin/instance.h"

#include "access/last_error.h"
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
  plugin_t *x;
  context_t c;
  const shoal_handover *previous;
  void *bytes;
  size_t size;
} state_call_t;

// --- handover

typedef struct handover_t {
  shoal_handover handover;
  void *bytes;
  size_t room;
  bool exists;
} handover_t;

PLUGIN_CALL(hand_over, state_call_t,
            x->size = x->x->def->save_handover(plugin_acquire_slot(&x->c), x->x->state, x->bytes, x->size))

static size_t save_handover(plugin_t *x, void *bytes, size_t room) {
  state_call_t s = {.x = x, .c = plugin_build_context(x, WHERE_MANAGER), .bytes = bytes, .size = room};
  error_info_t error;
  bool ok = plugin_call_guarded(x, &(plugin_callee_t){WHERE_LOADING, "hand_over", NULL}, call_hand_over, &s, &error);
  if (ok && !s.c.failed)
    return s.size;
  log_warn(x->plugins->desc.log, "plugin %s: `hand_over` failed: %s: no data is handed over", x->name,
           ok ? s.c.problem.text : error.text);
  return 0;
}

static void request_handover(plugin_t *x, handover_t *out) {
  plugin_t *older = plugin_previous_instance(x);
  *out = (handover_t){.bytes = NULL};
  if (!older || plugin_is_inactive(older))
    return;
  out->handover.version = older->def->version;
  out->exists = true;
  if (!older->def->save_handover || !older->opened || !plugin_are_threads_stopped(older))
    return;
  out->room = save_handover(older, NULL, 0);
  if (out->room == 0 || out->room > PLUGIN_MAX_HANDOVER_BYTES)
    return;
  out->bytes = alloc_resize(&x->plugins->memory, NULL, 0, out->room);
  size_t size = save_handover(older, out->bytes, out->room);
  out->handover.bytes = out->bytes;
  out->handover.size = size <= out->room ? size : out->room;
}

static void free_handover(plugin_t *x, handover_t *p) {
  alloc_resize(&x->plugins->memory, p->bytes, p->room, 0);
}

// --- opening and closing

static void call_open(void *data) {
  state_call_t *s = data;
  const shoal_plugin *def = s->x->def;
  shoal_context *c = plugin_acquire_slot(&s->c);
  s->x->state = def->reopen ? def->reopen(c, s->previous) : def->open(c);
}

static bool run_open(plugin_t *x, error_info_t *error) {
  handover_t previous;
  request_handover(x, &previous);
  state_call_t s = {
      .x = x, .c = plugin_build_context(x, WHERE_LOADING), .previous = previous.exists ? &previous.handover : NULL};
  bool ok = plugin_call_guarded(x, &(plugin_callee_t){WHERE_LOADING, "open", NULL}, call_open, &s, error);
  free_handover(x, &previous);
  if (!ok)
    return false;
  if (s.c.failed)
    *error = s.c.problem;
  return !s.c.failed;
}

PLUGIN_CALL(close, state_call_t, x->x->def->close(plugin_acquire_slot(&x->c), x->x->state))

static void run_close(plugin_t *x) {
  state_call_t s = {.x = x, .c = plugin_build_context(x, WHERE_LOADING)};
  error_info_t error;
  if (!plugin_call_guarded(x, &(plugin_callee_t){WHERE_LOADING, "close", NULL}, call_close, &s, &error))
    log_warn(x->plugins->desc.log, "plugin %s: `close` failed: %s", x->name, error.text);
}

PLUGIN_CALL(restored, state_call_t, x->x->def->on_restore(plugin_acquire_slot(&x->c)))

static void call_restored_hook(plugin_t *x) {
  if (plugin_is_inactive(x))
    return;
  state_call_t s = {.x = x, .c = plugin_build_context(x, WHERE_LOADING)};
  error_info_t error, reason;
  if (plugin_call_guarded(x, &(plugin_callee_t){WHERE_LOADING, "restored", NULL}, call_restored, &s, &error))
    return;
  error_set(&reason, "`restored` failed: %.900s; the plugin's systems are parked", error.text);
  plugin_fail(x, reason.text);
}

static void on_restored(void *context, world_o *w, manager_o *m) {
  const component_binding_t *b = context;
  (void)w, (void)m;
  call_restored_hook(b->plugin);
}

// Sets the hook `restored` only on the first component that the plugin declares and that is not an event.
static void set_restored_hook(plugins_o *p, plugin_t *x) {
  for (uint32_t i = 0; i < x->bound_count && x->def->on_restore; ++i) {
    component_binding_t *b = plugin_binding_at(x, i);
    if (!b->own || !b->shared.manager)
      continue;
    manager_hooks_t hooks = b->shared.manager->hooks;
    hooks.context = b;
    hooks.restored = on_restored;
    world_set_hooks(p->world, b->shared.manager->id, &hooks);
    return;
  }
}

static bool declare_component(plugins_o *p, const plugin_t *x, const shoal_component *c, error_info_t *error) {
  schema_t s;
  char owner[COMPONENT_NAME_MAX + 8];
  if (!plugin_build_schema(p, x, c, true, &s, error))
    return false;
  snprintf(owner, sizeof owner, "plugin %s", x->name);
  builtin_release_name(p->world, c->name, owner);
  bool ok = world_declare_schema(p->world, &s, error) != 0;
  schema_fini(&s, world_allocator(p->world));
  return ok;
}

static bool open_instance(plugins_o *p, plugin_t *x, error_info_t *error) {
  if (!plugin_create_managers(p, x, error))
    return false;
  set_restored_hook(p, x);
  x->opened = x->def->open || x->def->reopen;
  return !x->opened || run_open(x, error);
}

bool plugin_begin_instance(plugins_o *p, plugin_t *x, error_info_t *error) {
  shoal_assert(x->def, "plugin %s has no definition", x->name);
  shoal_assert(x->bound_count == 0 && !x->runs, "plugin %s has already started", x->name);
  plugin_create_bindings(p, x);
  for (uint32_t i = 0; i < x->bound_count; ++i) {
    component_binding_t *b = plugin_binding_at(x, i);
    if (b->own && !declare_component(p, x, b->shared.component, error))
      return false;
    if (b->own && !access_match_binding(&x->access, &b->shared))
      return error_set(error, "%s", access_error_text());
  }
  for (const shoal_function *f = x->def->functions; f && f->name; ++f)
    ++x->function_count;
  plugin_create_results(p, x);
  plugin_create_runs(p, x);
  plugin_create_threads(p, x);
  plugin_inherit_assets(x);
  if (plugin_is_inactive(x))
    return true;
  x->opening = true;
  bool ok = open_instance(p, x, error);
  x->opening = false;
  return ok;
}

void plugin_end_instance(plugins_o *p, plugin_t *x) {
  error_info_t error;
  x->thread_stuck = !plugin_stop_threads(x, &error);
  if (x->thread_stuck)
    log_error(p->desc.log, "%s: the plugin and its library stay loaded", error.text);
  if (x->thread_stuck)
    return;
  plugin_unload_assets(x);
  if (x->opened && x->def->close)
    run_close(x);
  plugin_destroy_managers(x);
  plugin_free_jobs(p, x);
  array_free(&p->memory, &x->scopes);
  for (uint32_t i = 0; i < x->run_count; ++i)
    plugin_free_run(p, &x->runs[i]);
  alloc_resize(&p->memory, x->runs, x->run_count * sizeof *x->runs, 0);
  plugin_free_bindings(p, x);
  plugin_free_results(p, x);
  alloc_resize(&p->memory, x->threads, x->thread_count * sizeof *x->threads, 0);
  plugin_close_held_files(x);
  if (p->desc.draw)
    paint_release_owner(draw_get_paint(p->desc.draw), x);
  x->threads = NULL;
  x->thread_count = 0;
  if (x->memory.blocks > 0)
    log_warn(p->desc.log, "plugin %s leaked %zu bytes in %llu blocks", x->name, x->memory.bytes,
             (unsigned long long)x->memory.blocks);
  x->runs = NULL;
  x->run_count = x->function_count = 0;
  x->opened = false;
}
