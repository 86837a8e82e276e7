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
#define UNUSED_TICKS 600u // number of ticks without a request after which an asset is unloaded

// --- calls

typedef struct asset_call_t {
  plugin_asset_t *asset;
  context_t context;
  const void *bytes;
  size_t size;
  void *data;
} asset_call_t;

PLUGIN_CALL(load, asset_call_t,
            call->data = call->asset->type->load(plugin_acquire_slot(&call->context), call->asset->name, call->bytes,
                                                 call->size))

PLUGIN_CALL(unload, asset_call_t, call->asset->type->unload(plugin_acquire_slot(&call->context), call->data))

static void *load_bytes(plugin_t *plugin, plugin_asset_t *asset, const void *bytes, size_t size, error_info_t *error) {
  shoal_assert(asset->type && bytes, "%s: type and bytes must not be NULL", asset->name);
  asset_call_t call = {
      .asset = asset, .context = plugin_build_context(plugin, PLUGIN_CALL_LOADING), .bytes = bytes, .size = size};
  call.context.asset = asset->name;
  if (!plugin_call_guarded(plugin, &(plugin_callee_t){PLUGIN_CALL_LOADING, "asset", asset->name}, call_load, &call,
                           error))
    return NULL;
  if (call.context.failed)
    *error = call.context.problem;
  else if (!call.data)
    error_set(error, "assets/%s: `load` returned NULL without a message: call shoal_report_asset_error", asset->name);
  return call.context.failed ? NULL : call.data;
}

static void unload_asset(plugin_t *plugin, plugin_asset_t *asset) {
  asset_call_t call = {
      .asset = asset, .context = plugin_build_context(plugin, PLUGIN_CALL_LOADING), .data = asset->data};
  error_info_t error;
  asset->data = NULL;
  if (call.data && !plugin_call_guarded(plugin, &(plugin_callee_t){PLUGIN_CALL_LOADING, "unload", asset->name},
                                        call_unload, &call, &error))
    log_warn(plugin->plugins->desc.log, "plugin %s: cannot unload asset %s: %s", plugin->name, asset->name, error.text);
}

// --- loading

static void set_bytes(plugin_t *plugin, plugin_asset_t *asset, char *bytes, size_t size) {
  file_free(&plugin->plugins->memory, asset->bytes, asset->size);
  asset->bytes = bytes;
  asset->size = size;
  asset->hash = bytes ? hash_bytes(bytes, size, 0) : 0;
}

// Loads the asset's file, and replaces its object and bytes. Returns true on success. On failure, returns false with a
// message, and leaves the object and the bytes unchanged.
static bool load_file(plugin_t *plugin, plugin_asset_t *asset, error_info_t *error) {
  plugins_o *plugins = plugin->plugins;
  char path[1280];
  size_t size = 0;
  if (!plugins->desc.assets || !assets_find(plugins->desc.assets, asset->name, path, sizeof path))
    return error_set(error, "%s",
                     plugins->desc.assets ? path : "no assets are available: the game has no asset folder");
  char *bytes = file_read_limited(&plugins->memory, path, MAX_BYTES, &size, error);
  void *data = bytes ? load_bytes(plugin, asset, bytes, size, error) : NULL;
  if (!data) {
    file_free(&plugins->memory, bytes, size);
    return false;
  }
  unload_asset(plugin, asset);
  asset->data = data;
  set_bytes(plugin, asset, bytes, size);
  ++asset->version;
  return true;
}

static void load_asset(plugin_t *plugin, plugin_asset_t *asset) {
  error_info_t error = {0}, fallback_error;
  shoal_assert(!asset->tried && !asset->data, "%s was already loaded", asset->name);
  asset->tried = true;
  if (load_file(plugin, asset, &error))
    return;
  if (asset->bytes)
    asset->data = load_bytes(plugin, asset, asset->bytes, asset->size, &fallback_error);
  asset->version += asset->data != NULL;
  if (!plugin->plugins->quiet)
    log_error(plugin->plugins->desc.log, "plugin %s: %s%s", plugin->name, error.text,
              asset->data ? ": keeping the previous version" : "");
}

asset_fate_t plugins_reload_asset(plugins_o *plugins, const char *name, error_info_t *error) {
  asset_fate_t fate = ASSET_UNUSED;
  for (uint32_t i = 0; i < plugins->list.count; ++i) {
    plugin_t *plugin = plugins->list.items[i];
    for (uint32_t k = 0; k < plugin->assets.count; ++k) {
      plugin_asset_t *asset = &plugin->assets.items[k];
      if (!asset->tried || strcmp(asset->name, name) != 0)
        continue;
      bool ok = load_file(plugin, asset, error);
      fate = !ok || fate == ASSET_KEPT ? ASSET_KEPT : ASSET_RELOADED;
    }
  }
  return fate;
}

static void remove_asset(plugin_t *plugin, uint32_t index) {
  shoal_assert(index < plugin->assets.count, "asset %u is out of range (count %u)", index, plugin->assets.count);
  plugin_asset_t *asset = &plugin->assets.items[index];
  unload_asset(plugin, asset);
  set_bytes(plugin, asset, NULL, 0);
  *asset = plugin->assets.items[--plugin->assets.count];
}

void plugin_unload_assets(plugin_t *plugin) {
  while (plugin->assets.count > 0)
    remove_asset(plugin, plugin->assets.count - 1);
  array_free(&plugin->plugins->memory, &plugin->assets);
}

void plugin_sweep_assets(plugin_t *plugin) {
  ++plugin->asset_ticks;
  for (uint32_t i = plugin->assets.count; i > 0; --i)
    if (!plugin->assets.items[i - 1].preloaded &&
        plugin->asset_ticks - plugin->assets.items[i - 1].requested_at > UNUSED_TICKS)
      remove_asset(plugin, i - 1);
}

// Copies only the bytes of the previous instance's files. Each asset is loaded when it is first requested.
void plugin_inherit_assets(plugin_t *plugin) {
  const plugin_t *previous = plugin_previous_instance(plugin);
  for (uint32_t i = 0; previous && i < previous->assets.count; ++i) {
    const plugin_asset_t *source = &previous->assets.items[i];
    plugin_asset_t copy = {.requested_at = plugin->asset_ticks, .size = source->size};
    if (!source->bytes)
      continue;
    memcpy(copy.name, source->name, sizeof copy.name);
    copy.hash = source->hash;
    copy.bytes =
        memcpy(alloc_resize(&plugin->plugins->memory, NULL, 0, source->size + 1), source->bytes, source->size + 1);
    array_push(&plugin->plugins->memory, &plugin->assets, copy);
  }
}

// --- requests

static plugin_asset_t *find_or_add_asset(plugin_t *plugin, const char *name) {
  for (uint32_t i = 0; i < plugin->assets.count; ++i)
    if (strcmp(plugin->assets.items[i].name, name) == 0)
      return &plugin->assets.items[i];
  plugin_asset_t added = {.requested_at = plugin->asset_ticks};
  snprintf(added.name, sizeof added.name, "%s", name);
  array_push(&plugin->plugins->memory, &plugin->assets, added);
  return &plugin->assets.items[plugin->assets.count - 1];
}

const plugin_asset_t *plugin_request_asset(plugin_t *plugin, const shoal_asset_type *type, const char *name) {
  plugin_asset_t *asset = find_or_add_asset(plugin, name);
  asset->type = type;
  asset->requested_at = plugin->asset_ticks;
  asset->preloaded = false;
  if (!asset->tried)
    load_asset(plugin, asset);
  return asset;
}

// Returns the plugin's asset type for files with the extension of `name`, or NULL if the plugin has no such type.
static const shoal_asset_type *find_type(const plugin_t *plugin, const char *name) {
  const char *extension = strrchr(name, '.');
  for (const shoal_asset_type *type = plugin->def ? plugin->def->assets : NULL; extension && type && type->extension;
       ++type)
    if (strcmp(type->extension, extension) == 0)
      return type;
  return NULL;
}

bool plugins_preload_asset(plugins_o *plugins, const char *name) {
  bool found = false;
  for (uint32_t i = 0; i < plugins->list.count; ++i) {
    plugin_t *plugin = plugins->list.items[i];
    const shoal_asset_type *type = find_type(plugin, name);
    if (!type || strlen(name) >= sizeof((plugin_asset_t *)0)->name)
      continue;
    found = true;
    plugin_asset_t *asset = find_or_add_asset(plugin, name);
    if (!asset->tried) {
      asset->type = type;
      asset->preloaded = true;
      load_asset(plugin, asset);
    }
  }
  return found;
}
