// Many valid edits: measures leaks over a day's work and the latency between saving a file and running its code.
#ifndef SHOAL_TESTS_RELOAD_GOOD_H
#define SHOAL_TESTS_RELOAD_GOOD_H

#include <stdbool.h>
#include <stdint.h>

// Reloads `game` (a folder) `reloads` times, each with one file changed, and compares memory, open files, mappings
// and the schedule with their values after the first few. Prints test lines; returns false if one failed.
bool good_reloads(const char *program, const char *game, uint32_t reloads);

// Saves a file of a game of `files` systems `saves` times while it runs at 60 ticks per second and watches its
// folder, and counts the ticks until the new code runs.
bool good_latency(const char *program, uint32_t files, uint32_t saves);

#endif
