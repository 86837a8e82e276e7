// Runs the rows of a system in single precision where there is no machine code: the values of a row that
// scripts/shoal/compile has for LLVM, as a list of instructions that are executed one after the other over blocks of
// rows. It has the calling convention of machine code (native/loop.h) and gives the same bits.
//
// A register holds a value for each row of a block. Instructions before `prologue` are the same for all rows and run
// once. A list is checked when it is made; afterwards any number of threads may run it.
#ifndef SHOAL_NATIVE_INTERPRETER_H
#define SHOAL_NATIVE_INTERPRETER_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct native_call_t;

#define INTERPRETER_MAX_INSTRUCTIONS 32768u
#define INTERPRETER_BLOCK 64 // rows

// Which of the members an instruction uses is its operation's (interpreter.c).
typedef struct interpreter_instruction_t {
  uint16_t operation;
  uint16_t slot;       // a column, parameter, lookup, function or report
  int32_t to, a, b, c; // registers; of a jump `to` is the instruction to continue with
  double value;
} interpreter_instruction_t;

typedef struct interpreter_desc_t {
  const interpreter_instruction_t *instructions; // copied
  uint32_t count, prologue, registers;
  uint32_t columns, parameters, lookups, reports; // how many of each a slot may name
  bool row_by_row;                                // a row may use what the row before has left
} interpreter_desc_t;

typedef struct interpreter_o interpreter_o;

// NULL with a message for a list that is malformed.
interpreter_o *interpreter_create(const interpreter_desc_t *desc, error_t *error);
void interpreter_destroy(interpreter_o *x); // NULL is ignored

// Runs rows from `begin` to `end`; returns the first row that is not done, or `end`.
int64_t interpreter_run(const interpreter_o *x, const struct native_call_t *call, int64_t begin, int64_t end);

// The number of an operation, by its name; -1 if there is none.
int32_t interpreter_operation(const char *name);

#endif
