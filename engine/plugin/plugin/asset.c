// Assets of plugins, looked up by file extension. The bytes of the most recent valid file are kept for the plugin's
// next instance, which uses them if the file has become invalid.
#include "plugin/asset.h"

#include "base/assert.h"
#include "base/files.h"
#include "base/hash.h"
#include "plugin/guarded_call.h"
#include "plugin/plugin.h"

#include <stdio.h>
#include <string.h>

#define MAX_BYTES ((size_t)64 << 20)
#define UNUSED_TICKS 600u // an asset that is not requested for this many ticks is unloaded

// --- calls

typedef struct load_call_t {
  plugin_asset_t *asset;
  context_t c;
  const void *bytes;
  size_t size;
  void *data;
} load_call_t;

PLUGIN_CALL(load, load_call_t,
            x->data = x->asset->type->load(plugin_acquire_slot(&x->c), x->asset->name, x->bytes, x->size))

PLUGIN_CALL(unload, load_call_t, x->asset->type->unload(plugin_acquire_slot(&x->c), x->data))

static void *load_bytes(plugin_t *x, plugin_asset_t *a, const void *bytes, size_t size, error_info_t *error) {
  shoal_assert(a->type && bytes, "%s: type and bytes must not be NULL", a->name);
  load_call_t l = {.asset = a, .c = plugin_build_context(x, WHERE_LOADING), .bytes = bytes, .size = size};
  l.c.asset = a->name;
  if (!plugin_call_guarded(x, &(plugin_callee_t){WHERE_LOADING, "asset", a->name}, call_load, &l, error))
    return NULL;
  if (l.c.failed)
    *error = l.c.problem;
  else if (!l.data)
    error_set(error, "assets/%s: `load` returned NULL without a message: call shoal_asset_error", a->name);
  return l.c.failed ? NULL : l.data;
}

static void unload_asset(plugin_t *x, plugin_asset_t *a) {
  load_call_t l = {.asset = a, .c = plugin_build_context(x, WHERE_LOADING), .data = a->data};
  error_info_t error;
  a->data = NULL;
  if (l.data && !plugin_call_guarded(x, &(plugin_callee_t){WHERE_LOADING, "unload", a->name}, call_unload, &l, &error))
    log_warn(x->plugins->desc.log, "plugin %s: cannot unload asset %s: %s", x->name, a->name, error.text);
}

// --- loading

static void set_bytes(plugin_t *x, plugin_asset_t *a, char *bytes, size_t size) {
  file_free(&x->plugins->memory, a->bytes, a->size);
  a->bytes = bytes;
  a->size = size;
  a->hash = bytes ? hash_bytes(bytes, size, 0) : 0;
}

// Loads the asset's file, and replaces its object and bytes. On failure returns false with a message, and leaves the
// object and the bytes unchanged.
static bool load_file(plugin_t *x, plugin_asset_t *a, error_info_t *error) {
  plugins_o *p = x->plugins;
  char path[1280];
  size_t size = 0;
  if (!p->desc.assets || !assets_find(p->desc.assets, a->name, path, sizeof path))
    return error_set(error, "%s", p->desc.assets ? path : "no assets are available: the game has no asset folder");
  char *bytes = file_read_limited(&p->memory, path, MAX_BYTES, &size, error);
  void *data = bytes ? load_bytes(x, a, bytes, size, error) : NULL;
  if (!data) {
    file_free(&p->memory, bytes, size);
    return false;
  }
  unload_asset(x, a);
  a->data = data;
  set_bytes(x, a, bytes, size);
  ++a->version;
  return true;
}

static void load_asset(plugin_t *x, plugin_asset_t *a) {
  error_info_t error = {0}, again;
  shoal_assert(!a->tried && !a->data, "%s was already loaded", a->name);
  a->tried = true;
  if (load_file(x, a, &error))
    return;
  if (a->bytes)
    a->data = load_bytes(x, a, a->bytes, a->size, &again);
  a->version += a->data != NULL;
  if (!x->plugins->quiet)
    log_error(x->plugins->desc.log, "plugin %s: %s%s", x->name, error.text,
              a->data ? ": keeping the previous version" : "");
}

asset_fate_t plugins_reload_asset(plugins_o *p, const char *name, error_info_t *why) {
  asset_fate_t fate = ASSET_UNUSED;
  for (uint32_t i = 0; i < p->list.count; ++i) {
    plugin_t *x = p->list.items[i];
    for (uint32_t k = 0; k < x->assets.count; ++k) {
      plugin_asset_t *a = &x->assets.items[k];
      if (!a->tried || strcmp(a->name, name) != 0)
        continue;
      bool ok = load_file(x, a, why);
      fate = !ok || fate == ASSET_KEPT ? ASSET_KEPT : ASSET_RELOADED;
    }
  }
  return fate;
}

static void remove_asset(plugin_t *x, uint32_t number) {
  shoal_assert(number < x->assets.count, "asset %u is out of range (count %u)", number, x->assets.count);
  plugin_asset_t *a = &x->assets.items[number];
  unload_asset(x, a);
  set_bytes(x, a, NULL, 0);
  *a = x->assets.items[--x->assets.count];
}

void plugin_unload_assets(plugin_t *x) {
  while (x->assets.count > 0)
    remove_asset(x, x->assets.count - 1);
  array_free(&x->plugins->memory, &x->assets);
}

void plugin_sweep_assets(plugin_t *x) {
  ++x->asset_ticks;
  for (uint32_t i = x->assets.count; i > 0; --i)
    if (!x->assets.items[i - 1].preloaded && x->asset_ticks - x->assets.items[i - 1].requested_at > UNUSED_TICKS)
      remove_asset(x, i - 1);
}

// Copies only the bytes of the previous instance's files; each asset is loaded when it is first requested.
void plugin_inherit_assets(plugin_t *x) {
  const plugin_t *older = plugin_previous_instance(x);
  for (uint32_t i = 0; older && i < older->assets.count; ++i) {
    const plugin_asset_t *from = &older->assets.items[i];
    plugin_asset_t to = {.requested_at = x->asset_ticks, .size = from->size};
    if (!from->bytes)
      continue;
    memcpy(to.name, from->name, sizeof to.name);
    to.hash = from->hash;
    to.bytes = memcpy(alloc_resize(&x->plugins->memory, NULL, 0, from->size + 1), from->bytes, from->size + 1);
    array_push(&x->plugins->memory, &x->assets, to);
  }
}

// --- requests

static plugin_asset_t *find_or_add_asset(plugin_t *x, const char *name) {
  for (uint32_t i = 0; i < x->assets.count; ++i)
    if (strcmp(x->assets.items[i].name, name) == 0)
      return &x->assets.items[i];
  plugin_asset_t fresh = {.requested_at = x->asset_ticks};
  snprintf(fresh.name, sizeof fresh.name, "%s", name);
  array_push(&x->plugins->memory, &x->assets, fresh);
  return &x->assets.items[x->assets.count - 1];
}

const plugin_asset_t *plugin_request_asset(plugin_t *x, const shoal_asset_type *type, const char *name) {
  plugin_asset_t *a = find_or_add_asset(x, name);
  a->type = type;
  a->requested_at = x->asset_ticks;
  a->preloaded = false;
  if (!a->tried)
    load_asset(x, a);
  return a;
}

// Returns the plugin's asset type for files with the extension of `name`; NULL if it has none.
static const shoal_asset_type *find_type(const plugin_t *x, const char *name) {
  const char *ending = strrchr(name, '.');
  for (const shoal_asset_type *t = x->def ? x->def->assets : NULL; ending && t && t->extension; ++t)
    if (strcmp(t->extension, ending) == 0)
      return t;
  return NULL;
}

bool plugins_preload_asset(plugins_o *p, const char *name) {
  bool found = false;
  for (uint32_t i = 0; i < p->list.count; ++i) {
    plugin_t *x = p->list.items[i];
    const shoal_asset_type *type = find_type(x, name);
    if (!type || strlen(name) >= sizeof((plugin_asset_t *)0)->name)
      continue;
    found = true;
    plugin_asset_t *a = find_or_add_asset(x, name);
    if (!a->tried) {
      a->type = type;
      a->preloaded = true;
      load_asset(x, a);
    }
  }
  return found;
}
