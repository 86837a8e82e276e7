// Finds asset files: first in the game's assets/, then in its add-ons' assets/, then in the engine's assets/.
#ifndef SHOAL_PLATFORM_ASSETS_H
#define SHOAL_PLATFORM_ASSETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ASSETS_MAX_REQUESTS 256

// An asset requested by a script, with the source position of its first request, for messages.
typedef struct asset_request_t {
  uint64_t hash;
  char requester[120]; // source position of the first request, such as "systems/fire.lua:12: audio.play"
  bool reported;       // true if a warning that the asset is missing has been logged
} asset_request_t;

typedef struct asset_requests_t {
  asset_request_t items[ASSETS_MAX_REQUESTS];
  uint32_t count;
} asset_requests_t;

#define ASSETS_MAX_CHECKED 128

// Hashes of file contents that passed a slow check, such as the font check in a decoder process. A reload loads all
// files again, and need not repeat the check. Main thread only.
typedef struct asset_checks_t {
  uint64_t seed; // random in each run, so that no file can be crafted to match the hash of a different file
  uint64_t hashes[ASSETS_MAX_CHECKED];
  uint32_t count; // number of contents recorded so far; beyond ASSETS_MAX_CHECKED, each replaces the oldest
} asset_checks_t;

#define ASSETS_MAX_ADDONS 32

// Folders of add-ons, whose assets are named "menu/frame.png". Main thread only.
typedef struct asset_addons_t {
  struct {
    char name[64], folder[512]; // name of the add-on, and its folder, which contains assets/
  } items[ASSETS_MAX_ADDONS];
  uint32_t count;
} asset_addons_t;

typedef struct assets_t {
  char game[512];   // folder "<game>/assets"; "" if there is no game
  char engine[512]; // folder "<root>/assets"
  char saves[512]; // folder of save screenshots, whose asset names are "save:NAME"; "" if screenshots are not available
  asset_requests_t *requests; // recorded requests; NULL: requests are not recorded
  asset_addons_t *addons;     // folders of add-ons; NULL: no add-ons
  asset_checks_t *checks;     // contents that have passed a check; NULL: every check is repeated
} assets_t;

// Returns true if assets_record_check was called for the same content.
bool assets_is_checked(const assets_t *a, const void *bytes, size_t size_bytes);
void assets_record_check(const assets_t *a, const void *bytes, size_t size_bytes);

// Records a request. `reported`: true if a warning that the file is missing has already been logged.
void assets_record_request(const assets_t *a, const char *name, const char *requester, bool reported);
// Returns true if a warning that the file is missing has already been logged. In this case, callers that fail to load
// the file should not log a second warning.
bool assets_has_reported(const assets_t *a, const char *name);
// Writes the location of the first request to `out`, such as " (requested by systems/fire.lua:12: audio.play)", or ""
// if it is unknown. Returns `out`.
const char *assets_format_requester(const assets_t *a, const char *name, char *out, size_t out_bytes);

// Result of reloading a file that changed at run time.
typedef enum asset_fate_t {
  ASSET_UNUSED,   // the asset is not in use
  ASSET_RELOADED, // the new version has replaced the old version
  ASSET_KEPT,     // the new version cannot be loaded; the previous version stays in use
} asset_fate_t;

#define ASSETS_SAVE "save:" // prefix of image names that denote save screenshots

// Adds the folder of an add-on, or replaces the folder of the add-on with that name. The names of the add-on's assets
// begin with `name` and '/'. An asset of the game with the same name takes precedence. Ignores new add-ons once there
// are ASSETS_MAX_ADDONS. Main thread only.
void assets_add_addon(const assets_t *a, const char *name, const char *folder);
// Returns true if the add-on was most recently added with this folder.
bool assets_has_addon(const assets_t *a, const char *name, const char *folder);

// Stores the full path of an asset in `out`. `name` is relative to assets/, or "save:NAME" for the screenshot of a
// save. Rejects absolute names, names with "..", and links that leave the folder. Returns true on success, or false
// with a message in `out` ("hero.png: not found (searched …, …)").
bool assets_find(const assets_t *a, const char *name, char *out, size_t out_bytes);

#define ASSETS_SOUND_NAME_BYTES 256
// Returns true if the name has a file extension, as in "step.wav".
bool assets_has_extension(const char *name);
// Returns true if a sound file, or its first variant (step_1.wav), exists for this name without extension.
bool assets_is_sound(const assets_t *a, const char *name);
// Writes the "not found" message for a sound's name without extension, including the files searched for.
void assets_describe_missing_sound(const char *name, char *out, size_t out_bytes);
// Finds a sound by its name without extension and stores its file name in `out`. `variant` 0 selects step.wav,
// step.ogg, …. N > 0 selects step_n.wav, …. Returns true on success, or false if no file matches.
bool assets_find_sound(const assets_t *a, const char *name, uint32_t variant, char *out, size_t out_bytes);

#endif
