// Fills reports of script errors (base/script_report.h) from errors, Lua values and stacks.
#ifndef SHOAL_SCRIPT_REPORT_H
#define SHOAL_SCRIPT_REPORT_H

#include "base/error.h"
#include "base/script_report.h"

#include <stddef.h>

typedef struct lua_State lua_State;
typedef struct vm_o vm_o;

// Fills a report from an error, whose piece was set with error_set_piece. Always returns false.
bool report_fill_from_error(script_report_t *report, const error_info_t *error);

// Finds the line of the game's Lua that this thread is running: fills file, line and traceback of `out`, "" if unknown.
// Can be called at any point, even after a crash, but then only in a child process, because it may itself crash or
// hang.
void script_parse_location(script_report_t *out);

// --- functions for VMs

// Message handler of lua_pcall: turns the thrown value and the Lua stack into vm->caught.
int report_handle_error(lua_State *L);
// Moves the position "FILE:12: " at the start of a message to `report` if FILE is one of the VM's sources, and returns
// the rest of the message. Removes a position in the engine's files without storing it. Returns any other message
// unchanged.
const char *report_cut_position(const vm_o *vm, const char *message, script_report_t *report);
// Fills in position and traceback from the stack alone.
void report_read_stack(lua_State *L, script_report_t *r);
enum { REPORT_MAX_LOOPS = 4 };

// The code that was running when an error was raised.
typedef struct report_running_code_t {
  uint32_t entity; // current entity of the innermost engine loop over entities; 0 outside such loops
  uint32_t loop_count;
  // `for` loops over numbers in scripts; if `entity` is 0, one of these loops may iterate over rows
  struct {
    double index, limit;
  } loops[REPORT_MAX_LOOPS];
} report_running_code_t;

void report_read_running_code(lua_State *L, report_running_code_t *out);

#endif
