// Assets of plugins, by file extension (shoal/asset.h): loaded on request, reloaded when they change.
#ifndef SHOAL_PLUGIN_ASSET_H
#define SHOAL_PLUGIN_ASSET_H

#include "plugin/context.h"

typedef struct plugin_asset_t {
  char name[128];
  const shoal_asset_type *type; // NULL until it is requested
  void *data;                   // the result of `load`; may be NULL
  char *bytes;                  // content of the last valid file
  size_t size;
  uint64_t hash;           // of `bytes`; 0 for none
  uint32_t version, asked; // `asked`: tick of the last request, counted by asset_ticks
  bool tried;
} plugin_asset_t;

// Finds or adds an asset, loads it on the first request, and records the request. `data` is NULL if it cannot be
// loaded.
const plugin_asset_t *plugin_request_asset(plugin_t *x, const shoal_asset_type *type, const char *name);
void plugin_inherit_assets(plugin_t *x); // takes over the files of the previous instance
void plugin_sweep_assets(plugin_t *x);   // once a tick: unloads assets that were not requested for a while
void plugin_drop_assets(plugin_t *x);

#endif
