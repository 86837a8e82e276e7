// The texts that a VM loads: all Lua files of a game folder but those among its assets, its scenes as JSON, what its
// assets have of data (.json, .csv, .tsv, .txt, .md), and the engine's own. Each is read from disk once, so that every
// VM that is built from the same sources runs the same code, also one that has to be built again after the files have
// changed.
//
// A file has the name of its chunk: "systems/motion.lua" is the game's, "[shoal]/boot.lua" the engine's. Which files a
// game has is found out when the sources are made; what comes later does not exist for them. Main thread only until
// they are sealed; then nothing changes any more and any thread may read.
#ifndef SHOAL_SCRIPT_SOURCES_H
#define SHOAL_SCRIPT_SOURCES_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SOURCES_MAX_DATA 16777216 // bytes of a file of data: a larger one is not there
#define SOURCES_ENGINE "[shoal]/" // begins the names of the engine's

typedef struct sources_o sources_o;

// Is a file of a game, "systems/motion.lua", one of its sources?
bool sources_is_one(const char *name);

// A folder that cannot be read has no files. `before`: what was read another time, or NULL; files that have the same
// text need no compiling. One owner; more with sources_retain.
sources_o *sources_create(const char *game_folder, const char *engine_folder, sources_o *before);
// The file of compiled engine scripts that the build has left (luajit/code_file.h), where they are looked for from here
// on: before anything is read. "" for none.
void sources_use_code(sources_o *s, const char *path);
void sources_retain(sources_o *s);
void sources_release(sources_o *s); // the last owner's frees them; NULL is fine

// The whole text, with a '\0' after its `bytes`. Borrowed for the life of the sources. NULL with a message when it is
// not there or cannot be read.
const char *sources_read(sources_o *s, const char *name, size_t *bytes, error_t *error);
bool sources_has(const sources_o *s, const char *name);
// The compiled text, as some VM has written it; NULL when it is not known yet. Borrowed.
const void *sources_code(const sources_o *s, const char *name, size_t *bytes);
// Of an engine's script whose compiled text lies in one archive with it (base/archive.h): then the text need not be
// read. NULL where it does not. Borrowed.
const void *sources_built(sources_o *s, const char *name, size_t *bytes);
void sources_set_code(sources_o *s, const char *name, const void *code,
                      size_t bytes); // copied; not when they are sealed
// The name of the game's file at `i`, in bytewise order; NULL behind the last one.
const char *sources_name(const sources_o *s, uint32_t i);

// Reads what has not been asked for yet (a module may be required late) and ends all reading.
void sources_seal(sources_o *s);
bool sources_is_sealed(const sources_o *s);
// Over names and texts of the game's files that had been asked for when they were sealed, and of all its data.
uint64_t sources_hash(const sources_o *s);
// Over the texts of the engine's scripts in this folder, but for the menu, which packages do not have.
uint64_t sources_hash_of_engine(const char *folder);

#endif
