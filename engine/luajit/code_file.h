// Chunks as bytecode in a file: the build leaves the engine's own scripts beside the program (build/CONFIG/shoal.code),
// for parsing them would be a third of a start. A chunk is known by its name and its text; one whose text has changed
// since is not found, and is compiled from text as without the file. LuaJIT believes what it reads as bytecode, so such
// a file is trusted as the program is, and lies with it: a package's, which has the game's scripts as well, in the
// archive that has a checksum. What a game's folder brings of bytecode is never read.
#ifndef SHOAL_LUAJIT_CODE_FILE_H
#define SHOAL_LUAJIT_CODE_FILE_H

#include "base/alloc.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct code_file_o code_file_o;

// NULL when it is not there, was cut off, or was written with another LuaJIT.
code_file_o *code_file_open(const char *path);
void code_file_close(code_file_o *c); // NULL is fine

// The bytecode of the chunk `name` ("[shoal]/boot.lua") if this is its text, or whatever that is where it is NULL; else
// NULL. Borrowed until it is closed.
const void *code_file_find(const code_file_o *c, const char *name, const char *text, size_t bytes, size_t *code_bytes);

// Compiles every script of the folder; their chunks are called `prefix` and their path in it. False with a message when
// one cannot be read or compiled, or the file not be written.
bool code_file_write(const char *folder, const char *prefix, const char *path, error_t *error);

// Returns the bytes of the file at `path`, followed by the scripts of a game's folder whose relative paths do not begin
// with one of `without` (NULL-terminated). A script that cannot be compiled is left out; loading it reports why. If
// another LuaJIT wrote the file, returns its bytes alone. Free them with file_free. NULL with a message when something
// cannot be read.
char *code_file_with_game(const char *path, const char *folder, const char *const *without, allocator_t *a,
                          size_t *bytes, error_t *error);

#endif
