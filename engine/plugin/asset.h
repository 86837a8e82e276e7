// Assets of plugins, by file extension (shoal/asset.h): loaded on request, reloaded when they change.
#ifndef SHOAL_PLUGIN_ASSET_H
#define SHOAL_PLUGIN_ASSET_H

#include "plugin/context.h"

typedef struct plugin_asset_t {
  char name[128];
  const shoal_asset_type *type; // NULL until the asset is requested
  void *data;                   // the result of `load`; may be NULL
  char *bytes;                  // content of the most recent valid file
  size_t size;
  uint64_t hash;           // hash of `bytes`; 0 if NULL
  uint32_t version, asked; // `asked`: asset_ticks at the most recent request
  bool tried;
} plugin_asset_t;

// Finds or adds an asset, loads it on the first request, and records the request. In the result, `data` is NULL if
// loading failed.
const plugin_asset_t *plugin_request_asset(plugin_t *x, const shoal_asset_type *type, const char *name);
void plugin_inherit_assets(plugin_t *x); // takes over the files of the previous instance
void plugin_sweep_assets(plugin_t *x); // call once a tick: unloads assets that have not been requested for UNUSED_TICKS
void plugin_drop_assets(plugin_t *x);

#endif
