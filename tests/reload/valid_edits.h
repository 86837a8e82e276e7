// Tests many valid edits: leaks over a day's work, and the latency between saving a file and running its code.
#ifndef SHOAL_TESTS_RELOAD_VALID_EDITS_H
#define SHOAL_TESTS_RELOAD_VALID_EDITS_H

#include <stdbool.h>
#include <stdint.h>

// Reloads `game` (a folder) `reloads` times, each with one file changed, and compares memory, open files, mappings
// and the schedule with their values after the first few reloads. Prints test lines; returns false if a test failed.
bool test_many_reloads(const char *program, const char *game, uint32_t reloads);

// Runs a game with `files` systems, which watches its folder, at 60 ticks per second. Saves one of its files `saves`
// times, at most 1,000, and measures the ticks until the new code runs. Prints a test line; returns false if the test
// failed.
bool test_reload_latency(const char *program, uint32_t files, uint32_t saves);

#endif
