// Lookup of asset files: first in the game's assets/, then in the engine's.
#ifndef SHOAL_PLATFORM_ASSETS_H
#define SHOAL_PLATFORM_ASSETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ASSETS_MAX_REQUESTS 256

// Assets requested by scripts, with the first place that requested each, for messages. Main thread only.
typedef struct asset_request_t {
  uint64_t hash;
  char place[120]; // "systems/fire.lua:12: audio.play"
  bool reported;   // a warning that it is missing has been logged
} asset_request_t;

typedef struct asset_requests_t {
  asset_request_t items[ASSETS_MAX_REQUESTS];
  uint32_t count;
} asset_requests_t;

typedef struct assets_t {
  char game[512];             // "<game>/assets"; "" if none
  char engine[512];           // "<root>/assets"
  char saves[512];            // folder of save screenshots, addressed as "save:NAME"; "" if none
  asset_requests_t *requests; // NULL: requests are not recorded
} assets_t;

// Records a request. `reported`: a warning that the file is missing has already been logged.
void assets_note_request(const assets_t *a, const char *name, const char *place, bool reported);
// Returns true if that warning has been logged; callers that fail to load the file then stay silent.
bool assets_is_reported(const assets_t *a, const char *name);
// Returns `out`: " (requested by systems/fire.lua:12: audio.play)", or "" if unknown.
const char *assets_requester(const assets_t *a, const char *name, char *out, size_t out_bytes);

// Result of reloading a file that changed while the game runs.
typedef enum asset_fate_t {
  ASSET_UNUSED,   // not in use
  ASSET_RELOADED, // replaced; all users now have the new version
  ASSET_KEPT,     // cannot be loaded; the previous version stays in use
} asset_fate_t;

#define ASSETS_SAVE "save:" // prefix of the name of a save's screenshot

// Stores the full path of `name` in `out`. Rejects absolute names and names with "..". On failure returns false with
// a message in `out` ("hero.png: not found (searched …, …)").
bool assets_find(const assets_t *a, const char *name, char *out, size_t out_bytes);

#define ASSETS_SOUND_NAME 256
// Returns true if the name has a file extension, as "step.wav".
bool assets_has_ending(const char *name);
bool assets_is_sound(const assets_t *a, const char *name); // name without extension
// Writes the "not found" message for a sound's name without extension, including the files searched for.
void assets_describe_missing_sound(const char *name, char *out, size_t out_bytes);
// Finds a sound by its name without extension and stores its file name in `out`. `variant` 0: step.wav, step.ogg, …;
// from 1: step_1.wav, …. Returns false if no file matches.
bool assets_find_sound(const assets_t *a, const char *name, uint32_t variant, char *out, size_t out_bytes);

#endif
