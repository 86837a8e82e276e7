// Files of compiled chunks: the build stores the engine's scripts next to the program (build/CONFIG/shoal.code),
// because parsing them would take a third of the startup time. A chunk is looked up by its name and text; if the text
// has changed, the caller compiles the text instead. LuaJIT does not verify bytecode, so the file must be as
// trustworthy as the program and is stored with it. A package's file, which also contains the game's scripts, is in the
// checksummed archive. Bytecode in a game's folder is never read.
#ifndef SHOAL_LUAJIT_CODE_FILE_H
#define SHOAL_LUAJIT_CODE_FILE_H

#include "base/alloc.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct code_file_o code_file_o;

// Opens a file of compiled chunks. Returns the file, or NULL if it is missing, damaged, or from a different
// LuaJIT version.
code_file_o *code_file_open(const char *path);
void code_file_close(code_file_o *code_file); // accepts NULL

// Returns the bytecode of the chunk `name` ("[shoal]/boot.lua"), or NULL if the file lacks the chunk, or the chunk was
// compiled from a different text. If `text` is NULL, the text is not compared. Borrowed until the file is closed.
const void *code_file_find_chunk(const code_file_o *code_file, const char *name, const char *text, size_t bytes,
                                 size_t *code_bytes);

// Compiles all scripts of a folder to a file. Chunk names are `prefix` plus the relative path. Returns true on success,
// or false with a message if a script cannot be read or compiled, or the file cannot be written.
bool code_file_write(const char *folder, const char *prefix, const char *path, error_info_t *error);

// Returns the bytes of the file at `path`, followed by the scripts of a game's folder whose relative paths do not begin
// with one of `excluded` (NULL-terminated). A script that cannot be read or compiled is left out; loading it reports
// the reason. If the file is damaged or was written by a different version of LuaJIT, returns only the bytes of the
// file. Free the result with file_free. Returns NULL with a message if the file or the folder cannot be read.
char *code_file_append_game(const char *path, const char *folder, const char *const *excluded, allocator_t *allocator,
                            size_t *bytes, error_info_t *error);

#endif
