// Patches LuaJIT's machine code in this process, to fix bugs of current builds that cannot be worked around. Must be
// called at startup on the main thread, before the first VM is created.
#ifndef SHOAL_LUAJIT_MACHINE_CODE_H
#define SHOAL_LUAJIT_MACHINE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct machine_code_t {
  uint8_t *bytes; // code of the library or program that contains LuaJIT; NULL if unknown
  size_t count;
} machine_code_t;

machine_code_t machine_code_find(void);
// Overwrites `count` bytes of code. Returns false if the system does not allow it.
bool machine_code_write(void *at, const void *bytes, size_t count);

// Compiled loops over tables (`pairs`, `next`): LuaJIT from September 2021 to April 2022 (Debian 12) gets the entry and
// the next index from a C function in two registers. With high register pressure, it must swap the registers, but swaps
// only their lower halves: half of an address is lost, and the process crashes. Patches the code that emits the swap,
// in known builds. Returns true if it is patched.
bool machine_code_patch_pairs(void);

// Compiled loops over tables: LuaJIT from September 2021 to July 2022 leaves the value of an entry in memory on the
// stack until an instruction uses it. By then the next entry, or a call, may have overwritten the value, and the loop
// continues with a wrong value. Applies LuaJIT's own fix (e1339aed). Returns true if it is patched.
bool machine_code_patch_entries(void);

// Compiled `#t`: LuaJIT from June 2020 to May 2022 reuses a length measured earlier even after a store to the table
// through another variable. Returns true if it is patched.
bool machine_code_patch_length_operator(void);

// Compiled `t = { x = true }` in a loop that has read another `t.x` before: all versions of LuaJIT so far assume the
// type of the previous value, so the loop continues with false instead of true, or with a number instead of a string,
// which crashes the process. Returns true if it is patched.
bool machine_code_patch_templates(void);

#endif
