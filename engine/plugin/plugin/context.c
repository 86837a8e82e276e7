// Call contexts of plugins, and detection of plugins that use a context after its call has ended.
//
// A plugin may store the context pointer beyond the end of the call, or pass it to another thread. Therefore it does
// not receive a pointer into the host's stack, but a pointer to a slot, which lives as long as the plugin and records
// the current context and its thread. Every host function that a plugin calls checks the slot first (service/api.c). A
// slot is reused after PLUGIN_CONTEXT_SLOTS calls; until then, any use of an ended context is detected.
#include "plugin/context.h"

#include "access/last_error.h"
#include "base/assert.h"
#include "plugin/plugin.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static _Thread_local struct {
  char mark;            // the address of `mark` identifies this thread
  context_slot_t *slot; // slot of the innermost call
} me;

_Static_assert(offsetof(context_slot_t, own) == offsetof(context_t, own),
               "own must have the same offset in context_slot_t and context_t");
#define IN_WORLD(member_) (offsetof(context_t, shared.world) + offsetof(access_world_t, member_))
_Static_assert(offsetof(context_t, access) == IN_WORLD(access) && offsetof(context_t, chunk) == IN_WORLD(chunk),
               "the world of a context is an access_world_t");

context_t plugin_build_context(plugin_t *plugin, call_place_t where) {
  shoal_assert(plugin, "plugin must not be NULL");
  return (context_t){.shared = {plugin->plugins->desc.api, {plugin->plugins->desc.world_api}},
                     .access = &plugin->access,
                     .plugins = plugin->plugins,
                     .plugin = plugin,
                     .where = where};
}

shoal_context *plugin_acquire_slot(context_t *c) {
  plugin_t *x = c->plugin;
  shoal_assert(!c->own && !me.slot, "the context already has a slot");
  for (uint32_t i = 0; i < PLUGIN_CONTEXT_SLOTS; ++i) {
    context_slot_t *l = &x->slots[atomic_fetch_add(&x->next_slot, 1) % PLUGIN_CONTEXT_SLOTS];
    context_t *nobody = NULL;
    if (!atomic_compare_exchange_strong(&l->of, &nobody, c))
      continue;
    l->shared = (shoal_context){x->plugins->desc.api, {x->plugins->desc.world_api}};
    l->plugin = x;
    atomic_store(&l->own, &me.mark);
    me.slot = l;
    return &l->shared;
  }
  return &c->shared; // all slots are in use
}

context_slot_t *plugin_suspend_slot(void) {
  context_slot_t *before = me.slot;
  me.slot = NULL;
  return before;
}

void plugin_restore_slot(context_slot_t *before) {
  if (me.slot)
    atomic_store(&me.slot->of, NULL);
  me.slot = before;
}

void plugin_record_misplaced_call(plugin_t *x, const char *function, bool over) {
  atomic_store(&x->misplaced_after_end, over);
  atomic_store_explicit(&x->misplaced_call, function, memory_order_release);
}

// Returns the context of a slot if this thread may use it, otherwise NULL. The thread of the call may use it; while the
// call waits for parts of shoal_parallel_for, any thread may. Sets `over` to whether this thread made the slot's most
// recent call; if `over` is true and the result is NULL, that call has ended.
static context_t *get_usable_context(context_slot_t *l, bool *over) {
  context_t *of = atomic_load(&l->of);
  *over = atomic_load(&l->own) == &me.mark;
  return of && (*over || l->plugin->plugins->in_parallel_for) ? of : NULL;
}

context_t *plugin_current_context(shoal_context *c, const char *function) {
  context_slot_t *l = (context_slot_t *)(void *)c;
  bool over;
  if (!l->own)
    return (context_t *)(void *)c;
  context_t *x = get_usable_context(l, &over);
  if (!x)
    plugin_record_misplaced_call(l->plugin, function, over);
  return x;
}

context_t *plugin_get_ended_context(shoal_context *c) {
  context_slot_t *l = (context_slot_t *)(void *)c;
  return l->own ? l->plugin->ended_context : context_of(c);
}

void plugin_report_misplaced_call(plugin_t *x, error_info_t *error) {
  const char *function = atomic_exchange_explicit(&x->misplaced_call, NULL, memory_order_acquire);
  if (!function)
    return;
  if (x->misplaced_after_end)
    error_set(error, "%s was called with the context of an earlier call: use the context of the current call",
              function);
  else
    error_set(error,
              "%s was called from a thread of the plugin: store the data in the plugin's memory and call the function "
              "in a system",
              function);
}

bool context_fail(context_t *c, const char *format, ...) {
  error_info_t message;
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(message.text, sizeof message.text, format, arguments);
  va_end(arguments);
  if (!c->failed)
    error_set(&c->problem, "%s", message.text);
  c->failed = true;
  return access_fail("%s", message.text);
}
