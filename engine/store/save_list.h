// Lists the saves of a folder, for a game's screen of save slots.
#ifndef SHOAL_STORE_SAVE_LIST_H
#define SHOAL_STORE_SAVE_LIST_H

#include "base/alloc.h"
#include "base/error.h"

#include <stddef.h>

// Returns JSON, sorted by name: [{"name":"slot 1","tick":1200,"time":20.0,"saved":"2026-11-21 18:30"}, …]. `time` is
// the world's, in seconds; `saved` is the file's modification time in local time. Entries that are not saves of `game`
// have name, saved and `problem`, a sentence. Reads only the metadata, without trusting it. The text is allocated with
// `a`, like that of file_read, with a '\0' after its `bytes`. Returns NULL with an error if the folder cannot be read.
// Main thread.
char *save_list(allocator_t *a, const char *folder, const char *game, size_t *bytes, error_t *error);

#endif
