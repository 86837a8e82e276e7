// Where files that a game loads are found: the game's assets/ first, then the engine's assets/.
#ifndef SHOAL_PLATFORM_ASSETS_H
#define SHOAL_PLATFORM_ASSETS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct assets_t {
  char game[512];   // "<game>/assets"; "" for none
  char engine[512]; // "<root>/assets"
} assets_t;

// What became of a file that changed while the game runs.
typedef enum asset_fate_t {
  ASSET_UNUSED,   // nobody has asked for it
  ASSET_RELOADED, // in place: whoever held it has the new one
  ASSET_KEPT,     // it cannot be loaded: the one before stays
} asset_fate_t;

// Full path of `name` into `out`. Absolute names and names with ".." are refused. False when it is in neither folder; `out` then
// says where it was looked for ("hero.png: not found (searched …, …)").
bool assets_find(const assets_t *a, const char *name, char *out, size_t out_bytes);

#endif
