// Contents of a crash report (crash_report/crash_report.h), which a new run of the program reads to continue the game
// without the plugin that crashed, if the report names it (--resume).
#ifndef SHOAL_START_CRASH_SUMMARY_H
#define SHOAL_START_CRASH_SUMMARY_H

#include "base/error.h"
#include "platform/paths.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct crash_summary_t {
  char report[PATH_MAX_BYTES];         // path of the report; "" if nothing has been read
  char folder[PATH_MAX_BYTES];         // folder of the game
  char recording[PATH_MAX_BYTES + 64]; // recording with the last state; "" if no recording was written
  char reason[160];                    // reason for the crash, such as "SIGSEGV, invalid memory access"
  char plugin[64];              // name of the plugin that crashed; "" if the heap was damaged and no plugin was running
  char code[512];               // position of the crash in the plugin, such as "grow at heat.c:12"
  char library[PATH_MAX_BYTES]; // path of the plugin's library
  uint64_t library_hash;        // hash of the library's bytes when it was loaded
  uint64_t tick, seed;
  char heap_function[32]; // allocation function that found the heap damaged, such as "free"; otherwise ""
} crash_summary_t;

// Reads a report. Returns true on success, or false with a message if the file cannot be read, is not a crash report,
// or names neither a plugin nor a damaged heap.
bool crash_summary_read(const char *path, crash_summary_t *out, error_info_t *error);
// Copies the rest of the first line that starts with `key` to `out`, or "" if no line starts with `key`. Returns `out`.
const char *crash_summary_find_line(const char *text, const char *key, char *out, size_t bytes);
// Writes the source file of the crash to `file` and returns its line. If the location is unknown, writes "" and returns
// 0.
int crash_summary_find_source(const crash_summary_t *summary, char *file, size_t bytes);

#endif
