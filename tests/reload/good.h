// Edits that are right, very many of them: what a day's work leaves behind in a process, and how long a save takes to
// be seen.
#ifndef SHOAL_TESTS_RELOAD_GOOD_H
#define SHOAL_TESTS_RELOAD_GOOD_H

#include <stdbool.h>
#include <stdint.h>

// Reloads `game` (a folder) `reloads` times with one file or another changed, and compares memory, open files, mappings
// and schedule with what they were after the first few. Prints test lines; false when one is not ok.
bool good_reloads(const char *program, const char *game, uint32_t reloads);

// Saves one of the files of a game of `files` systems, `saves` times, while it runs at 60 ticks a second with its
// folder watched, and counts the ticks until the new code runs.
bool good_latency(const char *program, uint32_t files, uint32_t saves);

#endif
