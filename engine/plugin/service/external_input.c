// API functions for external input, which is recorded, and for files that the host keeps open.
#include "service/api.h"
#include "service/permissions.h"

#include "plugin/guarded_call.h"
#include "plugin/held_files.h"
#include "plugin/plugin.h"

#include <stdio.h>
#include <string.h>

#define MAX_BYTES ((size_t)16 << 20)
#define MAX_CHANNEL_BYTES 100u

typedef struct external_request_t {
  context_t *context;
  shoal_external_read_fn *read;
  void *data;
  size_t capacity;
} external_request_t;

typedef struct read_call_t {
  const external_request_t *request;
  void *buffer;
  size_t size;
} read_call_t;

PLUGIN_CALL(read, read_call_t,
            call->size = call->request->read(call->request->data, call->buffer, call->request->capacity))

static bool read_external(void *context, const char *key, allocator_t *allocator, void **bytes, size_t *size,
                          error_info_t *error) {
  const external_request_t *request = context;
  (void)key;
  void *buffer = alloc_resize(allocator, NULL, 0, request->capacity + 1);
  memset(buffer, 0, request->capacity + 1);
  read_call_t call = {.request = request, .buffer = buffer};
  // Calls the plugin's reader with a separate guard, because an exception must not skip the host functions that called
  // this function.
  bool ok = plugin_call_guarded(request->context->plugin,
                                &(plugin_callee_t){PLUGIN_CALL_PART, "read of shoal_read_external", NULL}, call_read,
                                &call, error);
  *size = call.size;
  if (ok && *size > request->capacity)
    ok = error_set(error, "shoal_read_external: `read` returned %zu bytes, but the buffer has %zu", *size,
                   request->capacity);
  if (!ok) {
    alloc_resize(allocator, buffer, request->capacity + 1, 0);
    return false;
  }
  *bytes = alloc_resize(allocator, buffer, request->capacity + 1, *size + 1);
  return true;
}

// Returns true if the call's result is recorded, so that a replay repeats the result. Warns if the call is not allowed
// at this place.
static bool check_is_recorded(context_t *context) {
  bool is_pure = context->call_kind == PLUGIN_CALL_FUNCTION && context->plugin->def->functions[context->function].pure;
  bool is_allowed =
      (context->call_kind == PLUGIN_CALL_SYSTEM || context->call_kind == PLUGIN_CALL_FUNCTION) && !is_pure;
  if (!is_allowed)
    service_warn(context,
                 "shoal_read_external cannot be called here: call it in a system that runs alone or in a function that "
                 "is not pure");
  return is_allowed && context->plugins->desc.external && !context->plugins->quiet;
}

const void *api_read_external(shoal_context *c, const char *channel, shoal_external_read_fn *read, void *data,
                              size_t capacity, size_t *size) {
  static const max_align_t empty;
  context_t *context = context_of(c);
  char name[COMPONENT_NAME_MAX + MAX_CHANNEL_BYTES + 2], key[sizeof name + 16];
  *size = 0;
  if (context->call_kind == PLUGIN_CALL_ENDED || !check_is_recorded(context))
    return &empty;
  if (!channel || !read || strlen(channel) > MAX_CHANNEL_BYTES || capacity > MAX_BYTES) {
    service_warn(context, !channel || !read      ? "shoal_read_external: channel and `read` must not be NULL"
                          : capacity > MAX_BYTES ? "shoal_read_external: capacity must be at most 16 MB"
                                                 : "shoal_read_external: channel must have at most 100 bytes");
    return &empty;
  }
  snprintf(name, sizeof name, "%s/%s", context->plugin->name, channel);
  snprintf(key, sizeof key, "%s#%u", name, external_count_call(context->plugins->desc.external, name));
  external_request_t request = {.context = context, .read = read, .data = data, .capacity = capacity};
  const external_result_t *result =
      external_request(context->plugins->desc.external, EXTERNAL_PLUGIN, key, read_external, &request);
  if (!result->found)
    service_warn(context, (const char *)result->bytes);
  if (!result->found || result->size > capacity) // a recording may be corrupt
    return &empty;
  *size = result->size;
  return result->bytes;
}

// --- files

bool api_store_fd(shoal_context *c, const char *name, int file) {
  return plugin_hold_file(context_of(c)->plugin, name, file);
}

int api_get_fd(shoal_context *c, const char *name) {
  return name ? plugin_get_held_file(context_of(c)->plugin, name) : -1;
}

void api_close_fd(shoal_context *c, const char *name) {
  if (name)
    plugin_close_held_file(context_of(c)->plugin, name);
}
