// Where files that a game loads are found: the game's assets/ first, then the engine's assets/.
#ifndef SHOAL_PLATFORM_ASSETS_H
#define SHOAL_PLATFORM_ASSETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ASSETS_MAX_ASKED 256

// Names that scripts have asked for, with the place that asked first, for messages. Main thread.
typedef struct asset_asked_t {
  uint64_t hash;
  char place[120]; // "systems/fire.lua:12: audio.play"
  bool told;       // that it is not there: a log line has said it
} asset_asked_t;

typedef struct assets_asked_t {
  asset_asked_t items[ASSETS_MAX_ASKED];
  uint32_t count;
} assets_asked_t;

typedef struct assets_t {
  char game[512];        // "<game>/assets"; "" for none
  char engine[512];      // "<root>/assets"
  char saves[512];       // where the pictures of saves lie, which are called "save:NAME"; "" for none
  assets_asked_t *asked; // NULL: nothing is remembered
} assets_t;

// `told`: a log line says that it is not there.
void assets_ask(const assets_t *a, const char *name, const char *place, bool told);
// Has it been said already? Then whoever cannot load it says nothing.
bool assets_is_told(const assets_t *a, const char *name);
// " (requested by systems/fire.lua:12: audio.play)", or "" when that is not known. Returns `out`.
const char *assets_who_asked(const assets_t *a, const char *name, char *out, size_t out_bytes);

// What became of a file that changed while the game runs.
typedef enum asset_fate_t {
  ASSET_UNUSED,   // not asked for yet
  ASSET_RELOADED, // in place: whoever held it has the new one
  ASSET_KEPT,     // it cannot be loaded: the one before stays
} asset_fate_t;

#define ASSETS_SAVE "save:" // begins the name of a save's picture

// Full path of `name` into `out`. Absolute names and names with ".." are refused. False when it is in neither folder;
// `out` then says where it was looked for ("hero.png: not found (searched …, …)").
bool assets_find(const assets_t *a, const char *name, char *out, size_t out_bytes);

#define ASSETS_SOUND_NAME 256
// Does the name say which format its file has, as "step.wav" does?
bool assets_has_ending(const char *name);
bool assets_is_sound(const assets_t *a, const char *name); // by its name without the ending
// The words for a name for which it is false: what was looked for.
void assets_say_no_sound(const char *name, char *out, size_t out_bytes);
// A sound by its name without the ending: the name of its file into `out`. `variant` 0: step.wav, step.ogg, …; from 1
// on: step_1.wav, … False when there is none.
bool assets_find_sound(const assets_t *a, const char *name, uint32_t variant, char *out, size_t out_bytes);

#endif
