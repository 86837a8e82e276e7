// Errors of scripts as data: message, file and line of the game's code.
#ifndef SHOAL_SCRIPT_REPORT_H
#define SHOAL_SCRIPT_REPORT_H

#include "base/error.h"

#include <stddef.h>

typedef struct lua_State lua_State;

// A script error, for the card, the log and the exit code.
typedef struct script_report_t {
  char piece[96];       // "system movement", "components.lua", "assemblage tank", …
  char message[1024];   // error message without its position
  char file[256];       // relative to the game folder; "" when unknown
  int line;             // 0 when unknown
  char traceback[2048]; // without engine frames; "" for load errors
  char about[512];      // metadata of `entity` and of entities that the message names, one line each
  char entity[96];      // the current entity of `each` or a behaviour, as printed; "" if none
  bool stopped;         // true if the watchdog stopped it: it exceeded its time, memory or stack
  uint64_t tick;
} script_report_t;

// Fills a report from an error; its piece is set with error_in. Returns false.
bool report_error(script_report_t *report, const error_t *error);

// Finds where this thread is in a game's Lua: fills file, line and traceback of `out`, "" if unknown. Can be called at
// any point, even after a crash; then only in a child process, since it may itself crash or hang.
void script_where(script_report_t *out);

// --- for VMs
// Message handler of lua_pcall: turns the thrown value and the Lua stack into vm->caught.
int report_handler(lua_State *L);
// Fills in the position and traceback from the stack alone.
void report_stack(lua_State *L, script_report_t *r);
uint32_t report_current_entity(lua_State *L); // the entity of the innermost engine loop over entities; 0 if none
// Does the same as report_stack for a state that was interrupted. If it is inconsistent, `r` is cleared.
void report_broken_stack(lua_State *L, script_report_t *r);
// Calls read(L, out). Returns false if it accessed invalid memory.
bool report_guarded(void (*read)(lua_State *L, void *out), lua_State *L, void *out);

#endif
