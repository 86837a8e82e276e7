// Lists the saves of a folder, for a game's save slot screen.
#ifndef SHOAL_STORE_SAVE_LIST_H
#define SHOAL_STORE_SAVE_LIST_H

#include "base/alloc.h"
#include "base/error.h"

#include <stddef.h>

// Returns a JSON array of the saves in a folder, sorted by name:
//   [{"name":"slot 1","tick":1200,"time":20.0,"saved":"2026-11-21 18:30","picture":"save:slot 1"}, …]
// `time`: the world's time in seconds; `saved`: the file's modification time in local time; `picture`: only if the save
// has a screenshot. A file that is not a readable save of `game` has a `problem` (a message) instead of `tick` and
// `time`. Reads only the metadata, which is treated as untrusted. The result is allocated with `a`, as by file_read:
// `bytes` receives its size without the '\0' at its end. Returns NULL with an error if the folder cannot be read or a
// file name is not valid UTF-8. Main thread.
char *save_list_slots(allocator_t *a, const char *folder, const char *game, size_t *bytes, error_info_t *error);

#endif
