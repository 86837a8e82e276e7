// The saves of a folder as a list, for a game's screen of slots.
#ifndef SHOAL_STORE_SAVE_LIST_H
#define SHOAL_STORE_SAVE_LIST_H

#include "base/alloc.h"
#include "base/error.h"

#include <stddef.h>

// JSON, by name: [{"name":"slot 1","tick":1200,"time":20.0,"saved":"2026-11-21 18:30"}, …]. `time` is the world's, in
// seconds, `saved` when the file was written, by the clock on the wall. What is no save of `game` has name, saved and
// `problem`, a sentence. Reads the head of each file and trusts none. The text is allocated with `a`, as file_read
// gives it: a '\0' behind its `bytes`. NULL with a message when the folder cannot be read. Main thread.
char *save_list(allocator_t *a, const char *folder, const char *game, size_t *bytes, error_t *error);

#endif
