// Errors of scripts as data: message, file and line of the game's own code.
#ifndef SHOAL_SCRIPT_REPORT_H
#define SHOAL_SCRIPT_REPORT_H

#include "base/error.h"

#include <stddef.h>

typedef struct lua_State lua_State;

// What went wrong, as data for the card, the log and the exit code.
typedef struct script_report_t {
  char piece[96];       // "system movement", "components.lua", "assemblage tank", …
  char message[1024];   // without the place
  char file[256];       // relative to the game folder; "" when unknown
  int line;             // 0 when unknown
  char traceback[2048]; // without engine frames; "" for load errors
  char about[512];      // what metadata says of `entity` and of those that the message names, a line each
  char entity[96];      // the one that was at hand in `each` or a behaviour, as it prints; "" for none
  bool stopped;         // by the watchdog: it did not end, or took too much memory
  uint64_t tick;
} script_report_t;

// From an error that says its piece (error_in). Returns false.
bool report_error(script_report_t *report, const error_t *error);

// Where this thread is in a game's Lua: file, line and traceback of `out`, "" where it does not know. Wherever it
// stands, also in the middle of a crash: then only in a copy of the process, for it may not come back.
void script_where(script_report_t *out);

// --- by VMs
// The message handler: turns whatever was thrown, and the Lua stack, into vm->caught.
int report_handler(lua_State *L);
// Where the script is, from the stack alone.
void report_stack(lua_State *L, script_report_t *r);
uint32_t report_entity_at_hand(lua_State *L); // 0 for none
// The same for a state that was left in the middle: what is there may be anything, and then it says nothing.
void report_broken_stack(lua_State *L, script_report_t *r);
// Runs read(L, out). False when it ran into memory that is not there.
bool report_guarded(void (*read)(lua_State *L, void *out), lua_State *L, void *out);

#endif
