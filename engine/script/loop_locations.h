// Where a script was whose compiled code was left by a jump: the line of the loop. Its stack does not say, since
// compiled code writes nothing down. But the processor's position does: it lies in the machine code of a trace, the
// trace leads to the one that a loop begins with, and the loop's last instruction has that one's number.
//
// Everything is asked of jit.util, through a thread of the VM that is made while the VM is in order.
#ifndef SHOAL_SCRIPT_LOOP_LOCATIONS_H
#define SHOAL_SCRIPT_LOOP_LOCATIONS_H

#include "script/script.h"

#include <lua.h>
#include <stdint.h>

typedef struct loops_t {
  lua_State *L;         // a thread of the VM; NULL where this LuaJIT does not tell
  uint32_t chunk_count; // of files
  uint32_t made_count;  // of chunks that scripts made
  uint8_t loop_ops[5];  // compiled: of the three kinds of loops, and the heads of functions
  uint8_t for_ops[2];   // the beginning of a for loop, also of a compiled one
  uint8_t jump_op;
  struct loops_search_t *search; // that runs; NULL for none
  char *memory;                  // of a search, kept as long as the VM
  size_t used;
} loops_t;

// In a VM that has its libraries, before it runs anything. `loops` stays where it is.
void loops_init(loops_t *loops, lua_State *L);
void loops_fini(loops_t *loops); // after the VM's memory is gone
// The function on top of L's stack is a file of the game: the loops in it and in its functions are known from now on.
void loops_add(loops_t *loops, lua_State *L);
// It is a chunk that a script made: they are known until many others have been made, for it may make any number.
void loops_add_made(loops_t *loops, lua_State *L);

// For a VM that was left at one of these addresses (the first that is compiled code counts) and can only be dropped
// afterwards: once for each VM. Fills file, line and traceback; false, with `r` as it was, when they lie in no loop of
// the game.
bool loops_find(loops_t *loops, const uintptr_t *addresses, uint32_t count, script_report_t *r);

#endif
