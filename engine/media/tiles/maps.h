// Cache of maps by name. A map is read on first request, and again when one of its files changes. The first request for
// a map that cannot be read logs the error. If a changed map cannot be read, its previous version is kept. The cache
// outlives the game's code, so a code reload does not read maps again. Main thread only.
#ifndef SHOAL_TILES_MAPS_H
#define SHOAL_TILES_MAPS_H

#include "base/log.h"
#include "platform/assets.h"
#include "tiles/map.h"

typedef struct maps_o maps_o;

maps_o *maps_create(const assets_t *assets, log_o *log); // borrows both arguments
void maps_destroy(maps_o *m);                            // accepts NULL
// Drops all maps. Call this when switching to the assets of a different game.
void maps_clear(maps_o *m);

// Returns the map, or NULL if it cannot be read, which the first request logs. Borrowed until the next
// maps_asset_changed or maps_clear, which change maps_epoch.
const map_t *maps_find_or_load(maps_o *m, const char *name, const char *level);
uint32_t maps_epoch(const maps_o *m); // returns a counter that grows when maps are replaced or dropped; never 0

// Reads all maps that use the changed file again. Returns ASSET_RELOADED after replacing them, or ASSET_UNUSED if no
// map uses the file. If one of the maps cannot be read, returns ASSET_KEPT with an error, and replaces no map.
asset_fate_t maps_asset_changed(maps_o *m, const char *file, error_info_t *error);

// A map that the most recent maps_asset_changed replaced.
typedef struct map_change_t {
  const char *name, *level;
  const map_t *old_map, *new_map; // `old_map` is NULL if the previous version could not be read
} map_change_t;

// Returns the number of changes and stores them in `out`, valid until the next maps_asset_changed or maps_clear.
uint32_t maps_changes(const maps_o *m, const map_change_t **out);

#endif
