// Compiled chunks in a file: the build stores the engine's scripts next to the program (build/CONFIG/shoal.code),
// because parsing them would take a third of the startup time. A chunk is found by its name and text; if its text has
// changed, it is compiled from text instead. LuaJIT does not verify bytecode, so the file is as trusted as the program
// and stored with it; a package's file, which also has the game's scripts, is in the checksummed archive. Bytecode in a
// game's folder is never read.
#ifndef SHOAL_LUAJIT_CODE_FILE_H
#define SHOAL_LUAJIT_CODE_FILE_H

#include "base/alloc.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct code_file_o code_file_o;

// Returns NULL if the file is missing, damaged, or written by another LuaJIT.
code_file_o *code_file_open(const char *path);
void code_file_close(code_file_o *c); // accepts NULL

// Returns the bytecode of the chunk `name` ("[shoal]/boot.lua") if it was compiled from this text, or in any case if
// `text` is NULL; otherwise NULL. Borrowed until the file is closed.
const void *code_file_find(const code_file_o *c, const char *name, const char *text, size_t bytes, size_t *code_bytes);

// Compiles all scripts of a folder to a file. Chunk names are `prefix` plus the relative path. Returns false with a
// message if a script cannot be read or compiled, or the file cannot be written.
bool code_file_write(const char *folder, const char *prefix, const char *path, error_t *error);

// Returns the bytes of the file at `path`, followed by the scripts of a game's folder whose relative paths do not begin
// with one of `without` (NULL-terminated). A script that cannot be compiled is left out; loading it reports why. If
// another LuaJIT wrote the file, returns its bytes alone. Free them with file_free. NULL with a message if something
// cannot be read.
char *code_file_with_game(const char *path, const char *folder, const char *const *without, allocator_t *a,
                          size_t *bytes, error_t *error);

#endif
