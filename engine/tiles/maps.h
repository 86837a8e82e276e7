// Cache of maps by name: a map is read when first requested, and again when one of its files changes. A map that cannot
// be read is logged once; a map that was read before stays. Outlives games, so a code reload reads no maps again. Main
// thread.
#ifndef SHOAL_TILES_MAPS_H
#define SHOAL_TILES_MAPS_H

#include "base/log.h"
#include "platform/assets.h"
#include "tiles/map.h"

typedef struct maps_o maps_o;

maps_o *maps_create(const assets_t *assets, log_o *log); // both borrowed
void maps_destroy(maps_o *m);                            // accepts NULL
// Drops all maps, because another game has other assets.
void maps_forget(maps_o *m);

// Returns NULL if the map cannot be read. Borrowed until the next maps_changed or maps_forget; these change maps_epoch.
const map_t *maps_find(maps_o *m, const char *name, const char *level);
uint32_t maps_epoch(const maps_o *m); // changes when maps are replaced or dropped; never 0

// Reads all maps again that use the changed file. If one of them cannot be read, none is replaced.
asset_fate_t maps_changed(maps_o *m, const char *file, error_t *error);

// A map replaced by the most recent maps_changed.
typedef struct map_change_t {
  const char *name, *level;
  const map_t *before, *now; // before: NULL if it could not be read
} map_change_t;

// Returns the number of changes; `out` is valid until the next maps_changed or maps_forget.
uint32_t maps_changes(const maps_o *m, const map_change_t **out);

#endif
