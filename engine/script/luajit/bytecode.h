// Analyses the bytecode of a Lua function (the format of string.dump, LuaJIT 2.1) for writes to outer variables:
// assignments to upvalues, and stores to tables referenced by upvalues, in the function and its nested functions.
// Opcodes differ between versions of LuaJIT and are therefore read from functions compiled for this purpose. No global
// state.
//
// This module also replaces instructions of a function that has not run yet.
#ifndef SHOAL_LUAJIT_BYTECODE_H
#define SHOAL_LUAJIT_BYTECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lua_State;

#define BYTECODE_NAME_MAX 64
#define BYTECODE_MAX_WRITES 32u // maximum number of writes reported per function

typedef enum bytecode_write_kind_t {
  BYTECODE_NONE,
  BYTECODE_ASSIGNS, // an assignment to an upvalue, such as n = n + 1
  BYTECODE_STORES   // a store to a table in an upvalue, such as t[k] = v
} bytecode_write_kind_t;

typedef struct bytecode_write_t {
  bytecode_write_kind_t kind;
  uint32_t upvalue; // upvalue of the dumped function, from 1
  uint32_t line;    // source line; 0 if the dump has no line numbers
  char name[BYTECODE_NAME_MAX];
} bytecode_write_t;

typedef struct bytecode_ops_t {
  uint8_t assign[4]; // opcodes USETV, USETS, USETN, USETP
  uint8_t get;       // opcode UGET
  uint8_t store[3];  // opcodes TSETV, TSETS, TSETB
} bytecode_ops_t;

typedef struct bytecode_bytes_t {
  uint8_t *items; // bytes of the dump; the owner releases them with free
  size_t count, capacity;
} bytecode_bytes_t;

// Dumps the bytecode of the function on top of the stack to `out` and returns true; returns false for a C function.
bool bytecode_dump(struct lua_State *L, bytecode_bytes_t *out);
// Determines the opcodes and returns true; returns false if this version of LuaJIT has an unknown dump format.
bool bytecode_find_ops(struct lua_State *L, bytecode_ops_t *out);

// Stores the writes in `out` (BYTECODE_MAX_WRITES elements). Returns the number of writes, or -1 if the bytes cannot be
// parsed. Safe for any bytes.
int bytecode_list_writes(const bytecode_ops_t *ops, const uint8_t *bytes, size_t size, bytecode_write_t *out);
// Lua function rewrite(prototype, before, after) → boolean: replaces all instructions of a function. `prototype`: from
// jit.util.funck; `before`, `after`: arrays of instructions. Returns false, without changes, if the instructions are
// not found in memory or differ from `before`.
int bytecode_rewrite(struct lua_State *L);
// Copies the dump to `out` (of the same size), with table constants in a deterministic order, which LuaJIT's dumps do
// not guarantee. Returns true on success, or false if the bytes cannot be parsed.
bool bytecode_sort_tables(const uint8_t *bytes, size_t size, uint8_t *out);

#endif
