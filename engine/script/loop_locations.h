// Finds the line of the loop in which a script was interrupted while it ran compiled code. The Lua stack does not help,
// because compiled code does not update it. The search therefore starts from the program counter: it points into the
// machine code of a trace, the trace links to the root trace of a loop, and that loop's last instruction contains the
// number of the root trace.
//
// Uses jit.util, through a thread of the VM that is created before the VM runs anything.
#ifndef SHOAL_SCRIPT_LOOP_LOCATIONS_H
#define SHOAL_SCRIPT_LOOP_LOCATIONS_H

#include "script/script.h"

#include <lua.h>
#include <stdint.h>

typedef struct loops_t {
  lua_State *L;         // a thread of the VM; NULL if this LuaJIT lacks the required functions
  uint32_t chunk_count; // number of registered files
  uint32_t made_count;  // number of registered chunks that scripts created
  uint8_t loop_ops[5];  // opcodes of compiled code: three kinds of loops, and function headers
  uint8_t for_ops[2];   // opcodes that start `for` loops: plain and compiled
  uint8_t jump_op;
  struct loops_search_t *search; // the running search; NULL outside loops_find_interrupted
  char *memory;                  // memory for the search; lives as long as the VM
  size_t used;
} loops_t;

// Prepares the search. Call in a VM that has its libraries, before it runs anything. `loops` must not move.
void loops_init(loops_t *loops, lua_State *L);
void loops_fini(loops_t *loops); // frees the memory of the search; call after the VM's memory is freed
// Registers the loops in one of the game's files: the loops of the function on top of L's stack and of its nested
// functions.
void loops_register_file(loops_t *loops, lua_State *L);
// Registers the loops of a chunk that a script created. Only the last MAX_MADE chunks are remembered.
void loops_register_generated(loops_t *loops, lua_State *L);

// Finds the loop in which a VM was interrupted. `addresses`: candidates for the program counter; the first one in
// compiled code is used. Call at most once per VM, which must be dropped afterwards. Fills file, line and traceback.
// Returns false and leaves `r` unchanged if the search fails or does not find exactly one loop.
bool loops_find_interrupted(loops_t *loops, const uintptr_t *addresses, uint32_t count, script_report_t *r);

#endif
