// Lists the saves of a folder, for a game's save slot screen.
#ifndef SHOAL_STORE_SAVE_LIST_H
#define SHOAL_STORE_SAVE_LIST_H

#include "base/alloc.h"
#include "base/error.h"

#include <stddef.h>

// Returns JSON, sorted by name: [{"name":"slot 1","tick":1200,"time":20.0,"saved":"2026-11-21 18:30"}, …]. `time` is
// the world's time in seconds; `saved` is the file's modification time in local time. An entry that is not a save of
// `game` has only name, saved and `problem`, a sentence. Reads only the metadata, which is treated as untrusted. Like
// the text of file_read, the result is allocated with `a` and has a '\0' after its `bytes`. Returns NULL with an error
// if the folder cannot be read. Main thread.
char *save_list(allocator_t *a, const char *folder, const char *game, size_t *bytes, error_t *error);

#endif
