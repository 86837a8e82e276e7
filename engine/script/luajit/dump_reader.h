// Reads the dump of a Lua chunk (string.dump, LuaJIT 2.1): all its functions with their instructions, constants and
// line numbers. Safe for any bytes.
#ifndef SHOAL_LUAJIT_DUMP_READER_H
#define SHOAL_LUAJIT_DUMP_READER_H

#include "base/array.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum dump_constant_kind_t {
  DUMP_OTHER, // a number, whose value is not stored
  DUMP_STRING,
  DUMP_TABLE,
  DUMP_FUNCTION,
} dump_constant_kind_t;

typedef struct dump_constant_t {
  dump_constant_kind_t kind;
  const uint8_t *bytes; // text of a string, or contents of a table; borrowed from the dump
  uint32_t size;
  uint32_t function; // index of the function in dump_t.functions
} dump_constant_t;

typedef struct dump_function_t {
  const uint8_t *code;     // instructions of 4 bytes, without the function header
  const uint8_t *upvalues; // 2 bytes for each upvalue: DUMP_UPVALUE_… flags, and a slot or upvalue of the parent
  const uint8_t *lines;    // line numbers of the instructions; NULL if the dump has no line numbers
  uint32_t instruction_count, upvalue_count, parameter_count, slot_count;
  uint32_t first_line, line_count;
  uint32_t constant, constant_count; // constants[constant … constant + constant_count - 1] of dump_t
} dump_function_t;

#define DUMP_UPVALUE_LOCAL 0x8000u     // a local of the parent; otherwise an upvalue of the parent
#define DUMP_UPVALUE_IMMUTABLE 0x4000u // the local is never assigned after its declaration

typedef struct dump_t {
  ARRAY(dump_function_t) functions; // nested functions precede their parents; the last function is the main chunk
  ARRAY(dump_constant_t) constants;
  bool has_wide_frames; // true if a call's frame takes two slots (LJ_FR2)
} dump_t;

// Reads a chunk's dump and returns true; returns false if the bytes cannot be parsed. Call dump_fini in either case.
bool dump_read(dump_t *dump, allocator_t *allocator, const uint8_t *bytes, size_t size);
void dump_fini(dump_t *dump, allocator_t *allocator);

// Returns the constant with operand `operand` of the function, or NULL if the operand is out of range.
const dump_constant_t *dump_find_constant(const dump_t *dump, const dump_function_t *f, uint32_t operand);
// Returns the line of instruction i, from 0; 0 if unknown.
uint32_t dump_line(const dump_function_t *f, uint32_t i);

// An iterator over a constant table.
typedef struct dump_table_t {
  const uint8_t *at, *end;
  uint32_t list_left, pairs_left;
} dump_table_t;

typedef struct dump_pair_t {
  const uint8_t *key, *text; // strings of the key and of the value; NULL if the key or the value is not a string
  uint32_t key_size, text_size;
} dump_pair_t;

dump_table_t dump_table_begin(const dump_constant_t *table);
bool dump_table_next(dump_table_t *iterator, dump_pair_t *out);

#endif
