// What a Lua function does to variables outside of itself, read from its bytecode (the form of string.dump, LuaJIT
// 2.1): which of its upvalues it, or a function that it makes, assigns; and into which tables that stand in an
// upvalue it stores. The opcodes differ between versions of LuaJIT, so they are looked up in functions that are
// compiled for it. Touches nothing but its arguments.
//
// And a way to change instructions of a function that has not run yet, where they lie.
#ifndef SHOAL_LUAJIT_BYTECODE_H
#define SHOAL_LUAJIT_BYTECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lua_State;

#define BYTECODE_NAME_MAX 64
#define BYTECODE_MAX_WRITES 32u // of one function; more are not told

typedef enum bytecode_write_kind_t {
  BYTECODE_NONE,
  BYTECODE_ASSIGNS, // n = n + 1
  BYTECODE_STORES   // t[k] = v
} bytecode_write_kind_t;

typedef struct bytecode_write_t {
  bytecode_write_kind_t kind;
  uint32_t upvalue; // of the function that was dumped, from 1
  uint32_t line;    // 0 when the dump has no lines
  char name[BYTECODE_NAME_MAX];
} bytecode_write_t;

typedef struct bytecode_ops_t {
  uint8_t assign[4]; // USETV, USETS, USETN, USETP
  uint8_t get;       // UGET
  uint8_t store[3];  // TSETV, TSETS, TSETB
} bytecode_ops_t;

typedef struct bytecode_bytes_t {
  uint8_t *items; // malloc'd; the owner frees it
  size_t count, capacity;
} bytecode_bytes_t;

// The bytecode of the function on top of the stack, into `out` from its beginning. False for a function of C.
bool bytecode_dump(struct lua_State *L, bytecode_bytes_t *out);
// False when this LuaJIT writes another format.
bool bytecode_find_ops(struct lua_State *L, bytecode_ops_t *out);

// Writes what was found to `out` (BYTECODE_MAX_WRITES long) and returns how many. -1 when the bytes are not such that
// it can read; safe for any bytes.
int bytecode_writes(const bytecode_ops_t *ops, const uint8_t *bytes, size_t size, bytecode_write_t *out);
// rewrite(prototype, before, after) → boolean: two arrays of all its instructions, as jit.util.funcbc and funck give
// them. False, and nothing has changed, where they do not lie in memory as before, or not where they are looked for.
int bytecode_rewrite(struct lua_State *L);
// The same function in `out`, as long as it: what tables are filled with stands in the same order each time, which
// LuaJIT's own dumps leave to chance. False when the bytes are not such that it can read.
bool bytecode_order(const uint8_t *bytes, size_t size, uint8_t *out);
// Is this text among the constants of the function, or of those that it makes?
bool bytecode_mentions(const uint8_t *bytes, size_t size, const char *text);

#endif
