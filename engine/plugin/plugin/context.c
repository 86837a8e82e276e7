// Call contexts of plugins, and detection of plugins that use a context after its call has ended.
//
// A plugin may store the context pointer beyond the end of the call, or pass it to a different thread. Therefore it
// does not receive a pointer into the host's stack, but a pointer to a slot, which lives as long as the plugin and
// records the current context and its thread. Every host function that a plugin calls checks the slot first
// (service/api.c). A slot is reused after PLUGIN_CONTEXT_SLOTS calls. Until then, any use of an ended context is
// detected.
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
} thread_state;

_Static_assert(offsetof(context_slot_t, thread_mark) == offsetof(context_t, thread_mark),
               "thread_mark must have the same offset in context_slot_t and context_t");
#define IN_WORLD(member_) (offsetof(context_t, shared.world) + offsetof(access_world_t, member_))
_Static_assert(offsetof(context_t, access) == IN_WORLD(access) && offsetof(context_t, chunk) == IN_WORLD(chunk),
               "the world of a context is an access_world_t");

context_t plugin_build_context(plugin_t *plugin, plugin_call_kind_t call_kind) {
  shoal_assert(plugin, "plugin must not be NULL");
  return (context_t){.shared = {plugin->plugins->desc.api, {plugin->plugins->desc.world_api}},
                     .access = &plugin->access,
                     .plugins = plugin->plugins,
                     .plugin = plugin,
                     .call_kind = call_kind};
}

shoal_context *plugin_acquire_slot(context_t *context) {
  plugin_t *plugin = context->plugin;
  shoal_assert(!context->thread_mark && !thread_state.slot, "the context already has a slot");
  for (uint32_t i = 0; i < PLUGIN_CONTEXT_SLOTS; ++i) {
    context_slot_t *slot = &plugin->slots[atomic_fetch_add(&plugin->next_slot, 1) % PLUGIN_CONTEXT_SLOTS];
    context_t *unused = NULL;
    if (!atomic_compare_exchange_strong(&slot->context, &unused, context))
      continue;
    slot->shared = (shoal_context){plugin->plugins->desc.api, {plugin->plugins->desc.world_api}};
    slot->plugin = plugin;
    atomic_store(&slot->thread_mark, &thread_state.mark);
    thread_state.slot = slot;
    return &slot->shared;
  }
  return &context->shared; // all slots are in use
}

context_slot_t *plugin_suspend_slot(void) {
  context_slot_t *suspended = thread_state.slot;
  thread_state.slot = NULL;
  return suspended;
}

void plugin_restore_slot(context_slot_t *suspended) {
  if (thread_state.slot)
    atomic_store(&thread_state.slot->context, NULL);
  thread_state.slot = suspended;
}

void plugin_record_misplaced_call(plugin_t *plugin, const char *function, bool has_ended) {
  atomic_store(&plugin->misplaced_after_end, has_ended);
  atomic_store_explicit(&plugin->misplaced_call, function, memory_order_release);
}

// Returns the context of a slot if this thread may use it, otherwise NULL. Only the thread of the call may use it,
// except while the call waits for parts of shoal_parallel_for: then, any thread may. Sets `is_caller` to true if this
// thread made the slot's most recent call. If `is_caller` is true and the result is NULL, that call has ended.
static context_t *get_usable_context(context_slot_t *slot, bool *is_caller) {
  context_t *context = atomic_load(&slot->context);
  *is_caller = atomic_load(&slot->thread_mark) == &thread_state.mark;
  return context && (*is_caller || slot->plugin->plugins->in_parallel_for) ? context : NULL;
}

context_t *plugin_current_context(shoal_context *c, const char *function) {
  context_slot_t *slot = (context_slot_t *)(void *)c;
  bool is_caller;
  if (!slot->thread_mark)
    return (context_t *)(void *)c;
  context_t *context = get_usable_context(slot, &is_caller);
  if (!context)
    plugin_record_misplaced_call(slot->plugin, function, is_caller);
  return context;
}

context_t *plugin_get_ended_context(shoal_context *c) {
  context_slot_t *slot = (context_slot_t *)(void *)c;
  return slot->thread_mark ? slot->plugin->ended_context : context_of(c);
}

void plugin_report_misplaced_call(plugin_t *plugin, error_info_t *error) {
  const char *function = atomic_exchange_explicit(&plugin->misplaced_call, NULL, memory_order_acquire);
  if (!function)
    return;
  if (plugin->misplaced_after_end)
    error_set(error, "%s was called with the context of an earlier call: use the context of the current call",
              function);
  else
    error_set(error,
              "%s was called from a thread of the plugin: store the data in the plugin's memory and call the function "
              "in a system",
              function);
}

bool context_fail(context_t *context, const char *format, ...) {
  error_info_t message;
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(message.text, sizeof message.text, format, arguments);
  va_end(arguments);
  if (!context->failed)
    error_set(&context->problem, "%s", message.text);
  context->failed = true;
  return access_fail("%s", message.text);
}
