// LuaJIT's machine code in this process, for faults of the builds in use that can be mended nowhere else. At start,
// on the main thread, before the first VM.
#ifndef SHOAL_LUAJIT_LUAJIT_CODE_H
#define SHOAL_LUAJIT_LUAJIT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct luajit_code_t {
  uint8_t *bytes; // of the library, or of the program that it is linked into; NULL where that is not known
  size_t count;
} luajit_code_t;

luajit_code_t luajit_code_find(void);
// Puts `count` bytes in the place of those at `at`, in the code. False where the system does not allow it.
bool luajit_code_write(void *at, const void *bytes, size_t count);

// Compiled loops over tables (`pairs`, `next`): LuaJIT from September 2021 to April 2022, which Debian 12 has, gets the
// place of the entry and the next index from a C function in two registers. Where a loop has many values at hand it
// wants them the other way round, and swaps the lower halves alone: half of an address is left, and the process ends.
// Changes how LuaJIT writes that instruction, where its build is known to write it so. True when it has been changed.
bool luajit_code_mend_pairs(void);

// Compiled loops over tables: LuaJIT from September 2021 to July 2022 leaves the value of an entry in memory on the
// stack until an instruction uses it. By then the next entry, or a call, may have overwritten it: the loop goes on with
// another value. Changes that, as LuaJIT did itself (e1339aed); true when it has been changed.
bool luajit_code_mend_entries(void);

// Compiled `#t`: LuaJIT from June 2020 to May 2022 takes a length that it has measured before for one that still holds,
// though another variable with the same table has stored into it since. Changes that; true when it has been changed.
bool luajit_code_mend_lengths(void);

// Compiled `t = { x = true }` in a loop that has read another `t.x` before: LuaJIT, up to today, takes the type of
// that one for this one's, so the loop went on with false where true was, or with a number for a text, and the process
// ended. Changes that; true when it has been changed.
bool luajit_code_mend_templates(void);

#endif
