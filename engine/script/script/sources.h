// Files that a VM loads: the Lua files of a game folder (except in assets/), JSON scenes, data files in assets/ (.json,
// .csv, .tsv, .txt, .md), and the engine's scripts. Each file is read once, so all VMs built from the same sources run
// the same code, even if they are rebuilt after the files have changed.
//
// Files are named like their chunks: "systems/motion.lua" of the game, "addons/menu/systems/focus.lua" of the add-on
// menu, "[shoal]/boot.lua" of the engine. The list of a game's files is fixed on creation; files created later are
// ignored. Until the sources are sealed, only the main thread may use them; afterwards they are constant and any thread
// may read them.
#ifndef SHOAL_SCRIPT_SOURCES_H
#define SHOAL_SCRIPT_SOURCES_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SOURCES_MAX_DATA 16777216 // maximum size of a data file in bytes; larger files are ignored
#define SOURCES_ENGINE "[shoal]/" // prefix of engine file names
#define SOURCES_ADDONS "addons/"  // prefix of the names of an add-on's files, followed by its name and '/'
#define SOURCES_MAX_ADDONS 32
#define SOURCES_ADDON_NAME 64    // maximum length of an add-on's name, plus 1
#define SOURCES_ADDON_VERSION 32 // maximum length of an add-on's version, plus 1

typedef struct sources_o sources_o;

// Returns true if a file in a game's folder, such as "systems/motion.lua", is a source.
bool sources_is_source_file(const char *name);

// Creates the sources of a game and lists its files; the list is empty if the folder has no game.lua or cannot be read.
// `previous`: earlier sources whose bytecode is reused for files with equal contents; may be NULL. The caller is the
// first owner; sources_retain adds owners.
sources_o *sources_create(const char *game_folder, const char *engine_folder, sources_o *previous);
// A changed file of a game.
typedef struct source_change_t {
  const char *name;
  const char *text; // new text of the file; NULL: the file is removed
  size_t bytes;
} source_change_t;

// Creates the sources of a game from sealed sources and changes, which must be sorted by name. No file of the
// game or of an add-on is read, so changes on disk have no effect, and add-ons that `base` lacks cannot be added.
sources_o *sources_create_changed(sources_o *base, const source_change_t *changes, uint32_t count);
// An add-on of sources_create_from_texts.
typedef struct source_addon_t {
  const char *name, *version, *folder; // `folder` is absolute
} source_addon_t;

// Creates the sources of a game from the texts of all files of the game and its add-ons, which must be sorted by name.
// No such file is read, and no add-on can be added. The arguments are copied.
sources_o *sources_create_from_texts(const char *game_folder, const char *engine_folder, const source_change_t *files,
                                     uint32_t count, const source_addon_t *addons, uint32_t addon_count);
// Takes the contents of these files from the previous sources instead of the disk. A file that the previous sources
// lack is not listed, and a file that is missing on disk is listed. The names are copied. Requires previous sources.
// Call once, before anything is read.
void sources_keep_files(sources_o *sources, const char *const *names, uint32_t count);
// Returns a message for users about the first link outside assets/ (for example, to a folder) that was ignored because
// its target is missing or outside of the game's folder; "" if no link was ignored. Links to source files outside of
// the folder are not ignored: reading them fails.
const char *sources_useless_link(const sources_o *sources);
// Sets the build's file of compiled engine scripts (luajit/code_file.h); "": no such file. Call before anything is
// read.
void sources_use_code_file(sources_o *sources, const char *path);
// Adds the files of an add-on, whose folder may be outside of the game's folder. Links in the add-on's folder must not
// lead out of this folder. Does nothing if the add-on was already added from this folder. Returns true on success, or
// false with a message if the folder cannot be read, its path is too long, a different folder was added under this
// name, there are too many add-ons, or the sources are sealed.
bool sources_add_addon(sources_o *sources, const char *name, const char *folder, error_info_t *error);
// Return the name and the absolute folder of the i-th add-on, in the order in which they were added; NULL if `i` is out
// of range.
const char *sources_addon_name(const sources_o *sources, uint32_t i);
const char *sources_addon_folder(const sources_o *sources, uint32_t i);
// Set and return the version of an add-on, which is read from its addon.lua; "" if unknown.
void sources_set_addon_version(sources_o *sources, const char *name, const char *version);
const char *sources_addon_version(const sources_o *sources, uint32_t i);
// Writes the path of a file in the game or an add-on, "addons/menu/init.lua", whether or not it exists. Returns
// `out`.
const char *sources_find_path(const sources_o *sources, const char *name, char *out, size_t bytes);
void sources_retain(sources_o *sources);
void sources_release(sources_o *sources); // frees the sources when their last owner releases them; accepts NULL

// Returns the text of a file, followed by a '\0'. The text lives as long as the sources. Returns NULL with a message if
// the file is missing or cannot be read, or if the game's folder could not be listed.
const char *sources_read_text(sources_o *sources, const char *name, size_t *bytes, error_info_t *error);
bool sources_has_file(const sources_o *sources, const char *name);
bool sources_is_listed(const sources_o *sources); // returns true if the game's folder could be listed completely
// Returns the bytecode of a file, borrowed; NULL if it is not compiled yet.
const void *sources_get_code(const sources_o *sources, const char *name, size_t *bytes);
// Returns the bytecode of an engine script if it is in the same archive as the script (base/archive.h), so that the
// script's text need not be read. Returns NULL if the script must be read. Borrowed.
const void *sources_get_built_code(sources_o *sources, const char *name, size_t *bytes);
// Stores a copy of a file's bytecode. Does nothing once the sources are sealed.
void sources_set_code(sources_o *sources, const char *name, const void *code, size_t bytes);
// A file that is being saved can be missing, unreadable or incomplete for a moment. Before the sources are sealed, the
// loader marks files that end early or return nothing, and add-ons without a folder; read errors are recorded
// automatically. sources_find_missing looks for files of the previous sources that these sources lack: call it when the
// game has been loaded, or could not be loaded.
void sources_mark_unfinished(sources_o *sources, const char *name);
void sources_mark_missing_addon(sources_o *sources);
void sources_find_missing(sources_o *sources);
// Returns the first file of the previous sources that these sources lack; NULL if no file is missing.
const char *sources_missing_file(const sources_o *sources);
// Returns true if an error in the file `name` ("" if unknown) may be caused by a file that is being saved.
bool sources_may_be_unfinished(const sources_o *sources, const char *name);

// Returns the name of the i-th game file, in bytewise order; NULL if `i` is out of range.
const char *sources_file_name(const sources_o *sources, uint32_t i);

// Reads the game's remaining files, because a module may be required later. Afterwards the sources are constant.
// Returns true on success, or false with a message if the game's folder could not be listed completely, or if a file
// cannot be read although it is neither too large nor a useless link (base/files.h).
bool sources_seal(sources_o *sources, error_info_t *error);
bool sources_is_sealed(const sources_o *sources);
// Returns a hash of the names and contents of the game files that were requested before sealing, and of all data files.
uint64_t sources_hash(const sources_o *sources);
// Stores a hash of the i-th game file, and returns true. Returns false if sources_hash does not depend on the file.
bool sources_hash_file(const sources_o *sources, uint32_t i, uint64_t *hash);
// Returns a hash of all game files except files of add-ons, including files that the game does not use: it is known
// before the game is loaded. `seed`: initial value, such as the hash of the engine's scripts.
uint64_t sources_hash_all(const sources_o *sources, uint64_t seed);
// Stores a hash of the engine's scripts in a folder, without the menu, which packages do not contain. Returns true on
// success, or false with a message if any script cannot be read.
bool sources_hash_engine(const char *folder, uint64_t *hash, error_info_t *error);

#endif
