// Checks the names in a file's code, including functions that have not run: names of members such as
// world.single.score.value, strings that are arguments of functions, and keys of table constructors. Follows values
// through the bytecode of all functions, starting at globals, parameters and calls whose types are known. A value that
// depends on the path that the code takes has no type, and its names are not checked.
//
// Types are Lua tables, `types[1]`, `types[2]`, …, which describe values by the numbers of other types:
// - a string key is a member, a key of a table constructor, or a string that denotes something. Its value is the type's
//   number, 0 for an unknown type, or false if the name is invalid. A metamethod __index may create values on demand.
// - integer keys are the constants below.
//   `types[1]` describes the globals: globals without an entry are ignored. `types[2]` describes the value that the
//   file returns.
#ifndef SHOAL_LUAJIT_NAME_CHECK_H
#define SHOAL_LUAJIT_NAME_CHECK_H

#include "luajit/dump_reader.h"

typedef struct lua_State lua_State;

enum {
  NAME_TYPE_RESULT = -1,      // type of a call's first result
  NAME_TYPE_ELEMENT = -2,     // type of value[i], and of the elements of a table constructor
  NAME_TYPE_ITEM = -3,        // type of the first variable in `for … in value`
  NAME_TYPE_CHECKS_TEXT = -4, // true if a string must be one of the type's string keys
  NAME_TYPE_CHECKS_KEYS = -5, // true if the keys of a table constructor must be string keys of the type
  NAME_TYPE_IS_IGNORED = -6,  // true if a function of this type must not be checked
  NAME_TYPE_RESULT_BY = -7,   // number of the argument whose name determines the type of the result
  NAME_TYPE_PARAMETER = -10,  // NAME_TYPE_PARAMETER - k: type of parameter k, from 1, of a function of this type
  NAME_TYPE_NAMED_BY = 100,   // NAME_TYPE_NAMED_BY + k: number of the argument whose name determines the type of
                              // argument k; positive keys below it are the types of arguments
};

// Checks the functions of a chunk. The stack must contain the types at index 1 and, at index 2, a function that is
// called for each invalid name: report(type, name, line, is_first_line). `is_first_line`: true if `line` is the first
// line of a table constructor that contains the name. Returns 0, or the status of lua_pcall with the error on the
// stack.
int name_check_run(lua_State *L, const dump_t *dump, allocator_t *memory);

#endif
