// Maps by name: read once, when they are first asked for, and again when one of their files changes. What cannot be
// read is told once and is no map; where one was there before, it stays. Outlives the games that use it, so that a
// reload of code reads nothing again. Main thread.
#ifndef SHOAL_TILES_MAPS_H
#define SHOAL_TILES_MAPS_H

#include "base/log.h"
#include "platform/assets.h"
#include "tiles/map.h"

typedef struct maps_o maps_o;

maps_o *maps_create(const assets_t *assets, log_o *log); // both borrowed
void maps_destroy(maps_o *m);                            // NULL is fine
// All that was read is forgotten: another game has other assets.
void maps_forget(maps_o *m);

// NULL when there is none. Borrowed until maps_changed or maps_forget; maps_epoch says whether that has been.
const map_t *maps_find(maps_o *m, const char *name, const char *level);
uint32_t maps_epoch(const maps_o *m); // never 0

// Reads the maps of a file that has changed again. If one of them cannot be read, all stay as they were.
asset_fate_t maps_changed(maps_o *m, const char *file, error_t *error);

// A map that the last maps_changed has replaced.
typedef struct map_change_t {
  const char *name, *level;
  const map_t *before, *now; // before: NULL if it could not be read
} map_change_t;

// Returns the number of changes; `out` is valid until the next maps_changed or maps_forget.
uint32_t maps_changes(const maps_o *m, const map_change_t **out);

#endif
