// API functions for time, random numbers, logging, failures, memory and state.
#include "service/api.h"
#include "service/permissions.h"

#include "base/sized_block.h"
#include "plugin/system_part.h"
#include "plugin/plugin.h"

#include <stdatomic.h>

uint64_t api_tick(shoal_context *c) {
  return world_tick(context_of(c)->plugins->world);
}

uint32_t api_tick_rate(shoal_context *c) {
  return world_tick_rate(context_of(c)->plugins->world);
}

uint32_t api_random_u32(shoal_context *c) {
  context_t *context = context_of(c);
  if (context->call_kind == PLUGIN_CALL_PART)
    return random_u32(chunk_random(context->chunk));
  if (!service_check_may_change(context))
    return 0;
  return random_u32(world_random(context->plugins->world));
}

void api_log(shoal_context *c, shoal_log_level level, const char *text) {
  context_t *context = context_of(c);
  log_o *log = context->plugins->desc.log;
  text = text ? text : "";
  if (context->plugins->quiet || context->call_kind == PLUGIN_CALL_PART)
    return;
  switch (level) {
  case SHOAL_LOG_ERROR: log_error(log, "%s: %.1000s", context->plugin->name, text); break;
  case SHOAL_LOG_WARN: log_warn(log, "%s: %.1000s", context->plugin->name, text); break;
  case SHOAL_LOG_DEBUG: log_debug(log, "%s: %.1000s", context->plugin->name, text); break;
  default: log_info(log, "%s: %.1000s", context->plugin->name, text); break;
  }
}

void api_fail(shoal_context *c, const char *text) {
  context_fail(context_of(c), "%s", text ? text : "failed without a message");
}

// Uses a spin lock, because several systems of a plugin may run in parallel.
void *api_realloc(shoal_context *c, void *memory, size_t old_bytes, size_t new_bytes) {
  plugin_t *plugin = context_of(c)->plugin;
  void *resized;
  size_t actual_bytes;
  while (atomic_exchange_explicit(&plugin->resizing, true, memory_order_acquire))
    ;
  bool is_block = sized_block_resize(&plugin->memory, memory, new_bytes, &resized, &actual_bytes);
  if (!is_block && new_bytes > 0) // the plugin's call fails, but the plugin may use the memory until that call returns
    sized_block_resize(&plugin->memory, NULL, new_bytes, &resized, &actual_bytes);
  atomic_store_explicit(&plugin->resizing, false, memory_order_release);
  if (!is_block)
    context_fail(context_of(c), "shoal_realloc: `old` must be memory of shoal_realloc that has not been freed");
  else if (memory && old_bytes != actual_bytes)
    context_fail(context_of(c),
                 "shoal_realloc: `old_bytes` is %zu, but the block has %zu bytes: pass the "
                 "`new_bytes` of the previous call",
                 old_bytes, actual_bytes);
  return resized;
}

void *api_plugin_state(shoal_context *c) {
  return context_of(c)->plugin->state;
}
