// Assets of plugins, looked up by file extension (shoal/asset.h). An asset is loaded on request and reloaded when its
// file changes.
#ifndef SHOAL_PLUGIN_ASSET_H
#define SHOAL_PLUGIN_ASSET_H

#include "plugin/context.h"

typedef struct plugin_asset_t {
  char name[128];
  const shoal_asset_type *type; // type of the asset; NULL until the asset is requested or preloaded
  void *data;                   // result of `load`; may be NULL
  char *bytes;                  // contents of the most recent valid file
  size_t size;
  uint64_t hash;                  // hash of `bytes`; 0 if `bytes` is NULL
  uint32_t version, requested_at; // number of successful loads, and value of asset_ticks at the last request
  bool tried;
  // True after plugins_preload_asset has loaded the asset, until its first request. Meanwhile, the asset stays loaded
  // although no system requests it.
  bool preloaded;
} plugin_asset_t;

// Finds or adds an asset, loads it on the first request, and records the tick of the request. The asset's `data` is
// NULL if no version of the file could be loaded.
const plugin_asset_t *plugin_request_asset(plugin_t *plugin, const shoal_asset_type *type, const char *name);
void plugin_inherit_assets(plugin_t *plugin); // copies the files of the previous instance
void plugin_sweep_assets(plugin_t *plugin);   // call once per tick: unloads assets that are no longer requested
void plugin_unload_assets(plugin_t *plugin);

#endif
