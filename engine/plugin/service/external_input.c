// API functions for external input, which is recorded, and for files that the host keeps open.
#include "service/api.h"
#include "service/permissions.h"

#include "plugin/guarded_call.h"
#include "plugin/held_files.h"
#include "plugin/plugin.h"

#include <stdio.h>
#include <string.h>

#define EXTERNAL_MAX_BYTES ((size_t)16 << 20)
#define EXTERNAL_CHANNEL_BYTES 100u

typedef struct external_t {
  context_t *context;
  shoal_external_read_fn *read;
  void *data;
  size_t room;
} external_t;

typedef struct read_call_t {
  const external_t *external;
  void *room;
  size_t size;
} read_call_t;

PLUGIN_CALL(read, read_call_t, x->size = x->external->read(x->external->data, x->room, x->external->room))

static bool read_external(void *context, const char *key, allocator_t *a, void **bytes, size_t *size,
                          error_info_t *error) {
  const external_t *x = context;
  (void)key;
  void *room = alloc_resize(a, NULL, 0, x->room + 1);
  memset(room, 0, x->room + 1);
  read_call_t call = {.external = x, .room = room};
  // Enter the plugin with a separate guard, because an exception must not skip the host's functions that called this
  // one.
  bool ok = plugin_call_guarded(x->context->plugin, &(plugin_callee_t){WHERE_PART, "read of shoal_read_external", NULL},
                                call_read, &call, error);
  *size = call.size;
  if (ok && *size > x->room)
    ok = error_set(error, "shoal_read_external: `read` returned %zu bytes, but the buffer has %zu", *size, x->room);
  if (!ok) {
    alloc_resize(a, room, x->room + 1, 0);
    return false;
  }
  *bytes = alloc_resize(a, room, x->room + 1, *size + 1);
  return true;
}

// Returns true if the call's result is recorded, so that a replay repeats the result. Warns if the call is not allowed
// at this place.
static bool check_is_recorded(context_t *c) {
  bool pure = c->where == WHERE_FUNCTION && c->plugin->def->functions[c->function].pure;
  bool may = (c->where == WHERE_SYSTEM || c->where == WHERE_FUNCTION) && !pure;
  if (!may)
    service_warn(c,
                 "shoal_read_external cannot be called here: call it in a system that runs alone or in a function that "
                 "is not pure");
  return may && c->plugins->desc.external && !c->plugins->quiet;
}

const void *api_read_external(shoal_context *c, const char *channel, shoal_external_read_fn *read, void *data,
                              size_t room, size_t *size) {
  static const max_align_t nothing;
  context_t *x = context_of(c);
  char name[COMPONENT_NAME_MAX + EXTERNAL_CHANNEL_BYTES + 2], key[sizeof name + 16];
  *size = 0;
  if (x->where == WHERE_ENDED || !check_is_recorded(x))
    return &nothing;
  if (!channel || !read || strlen(channel) > EXTERNAL_CHANNEL_BYTES || room > EXTERNAL_MAX_BYTES) {
    service_warn(x, !channel || !read           ? "shoal_read_external: channel and `read` must not be NULL"
                    : room > EXTERNAL_MAX_BYTES ? "shoal_read_external: room must be at most 16 MB"
                                                : "shoal_read_external: channel must have at most 100 bytes");
    return &nothing;
  }
  snprintf(name, sizeof name, "%s/%s", x->plugin->name, channel);
  snprintf(key, sizeof key, "%s#%u", name, external_count_call(x->plugins->desc.external, name));
  external_t how = {.context = x, .read = read, .data = data, .room = room};
  const external_result_t *a = external_request(x->plugins->desc.external, EXTERNAL_PLUGIN, key, read_external, &how);
  if (!a->found)
    service_warn(x, (const char *)a->bytes);
  if (!a->found || a->size > room) // a recording may be corrupt
    return &nothing;
  *size = a->size;
  return a->bytes;
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
