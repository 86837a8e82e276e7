// addons.lock, a file of a game: the add-ons that `./shoal add` has copied into its addons/, with their checksums. An
// add-on whose files differ from addons.lock is called edited.
//
//   { "format": 1, "addons": { "glow": { "version": "1.0.0", "source": "../glow", "sha256": "…",
//                                        "files": { "addon.lua": "…" } } } }
#ifndef SHOAL_ADDONS_ADDON_LOCK_H
#define SHOAL_ADDONS_ADDON_LOCK_H

#include "addons/addon_files.h"
#include "addons/addon_info.h"

#define ADDON_LOCK "addons.lock"

typedef struct addon_locked_t {
  char name[ADDON_NAME_BYTES], version[ADDON_VERSION_BYTES];
  char source[512];    // path from which the add-on was copied, relative to the game
  addon_files_t files; // paths and hashes of the add-on's files; `data` is NULL
} addon_locked_t;

typedef struct addon_lock_t {
  allocator_t *memory;
  ARRAY(addon_locked_t) addons; // entries, sorted by name
} addon_lock_t;

void addon_lock_init(addon_lock_t *lock, allocator_t *memory);
void addon_lock_fini(addon_lock_t *lock);

// Reads the addons.lock of a game. A missing file counts as a file without entries. Returns true on success, or false
// with a message if the file cannot be read, is malformed, or has a wrong checksum.
bool addon_lock_read(addon_lock_t *lock, const char *game, error_info_t *error);
// Like addon_lock_read, for the text of the file.
bool addon_lock_parse(addon_lock_t *lock, const char *text, size_t bytes, error_info_t *error);
const addon_locked_t *addon_lock_find(const addon_lock_t *lock, const char *name); // returns the entry; NULL if missing
// Adds or replaces the entry of an add-on.
void addon_lock_set(addon_lock_t *lock, const char *name, const char *version, const char *source,
                    const addon_files_t *files);
// Removes the entries of add-ons that are not in the game's addons/.
void addon_lock_remove_missing(addon_lock_t *lock, const char *game);
// Appends the text of the file to `out`. Returns true on success, or false if a source path is not valid UTF-8.
bool addon_lock_write(const addon_lock_t *lock, json_writer_t *out);

// Returns true if the files of an add-on in the game's addons/ differ from its entry, or cannot be read.
bool addon_lock_is_edited(allocator_t *memory, const char *game, const addon_locked_t *entry);
// Calls `warn` for each entry of addons.lock whose add-on is missing from the game's addons/, cannot be read, or has
// been edited. Returns true on success, or false with a message if addons.lock cannot be read or is malformed.
bool addon_lock_check(allocator_t *memory, const char *game, void (*warn)(void *context, const char *message),
                      void *context, error_info_t *error);

#endif
