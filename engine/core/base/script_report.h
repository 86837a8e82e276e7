// Errors of scripts as data: message, file and line of the game's code.
#ifndef SHOAL_BASE_SCRIPT_REPORT_H
#define SHOAL_BASE_SCRIPT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A script error, which the error card and the log show, and which determines the exit code.
typedef struct script_report_t {
  char piece[96];       // piece that failed: "system movement", "components.lua", "assemblage tank", …
  char message[1024];   // error message without its position
  char file[256];       // file relative to the game folder; "" if unknown
  char path[512];       // absolute path of `file`, if it is a source of the game or of an add-on; "" otherwise
  int line;             // line number; 0 if unknown
  char traceback[2048]; // Lua traceback without engine frames; "" for load errors
  char about[512];      // metadata of `entity` and of entities named in the message, one line per metadata component
  char entity[96];      // printed form of the current entity of `each` or of a behaviour; "" if unknown
  // true if the watchdog stopped the script, because it exceeded a limit (time, memory, stack) or the program is
  // exiting
  bool stopped;
  // true if the cause may be a file that is being saved: it was missing, could not be opened, or was incomplete
  bool may_be_unfinished;
  uint64_t tick;
} script_report_t;

// Clears all members. Writes one byte of each string, because it runs before each system.
void script_report_clear(script_report_t *report);

// Formats a report as one line: "systems/movement.lua:12: message". An unknown line number or file is omitted.
void script_report_format_line(const script_report_t *report, char *out, size_t out_bytes);

#endif
