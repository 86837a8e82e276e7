// Command-line options as a table: each entry is the source of parsing, help text and suggestions for its option.
// `--name value` and `--name=value` are equivalent.
#ifndef SHOAL_BASE_OPTION_TABLE_H
#define SHOAL_BASE_OPTION_TABLE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum option_kind_t {
  OPTION_READ,    // option whose value `read` stores
  OPTION_SET,     // option without a value: stores `min` in a bool or an enum
  OPTION_TEXT,    // string: a const char * that points into argv, whose strings must be writable
  OPTION_INTEGER, // integer of 1, 2, 4 or 8 bytes, from `min` to `max`; hexadecimal with 0x
  OPTION_LIST     // strings: a const char *[max], one for each use of the option, and a uint32_t at `count`
} option_kind_t;

typedef struct option_t {
  const char *name; // name with dashes, such as "--host"
  // Name of the value in the help text; "FILE" and "PATH": path_use_slashes is called; NULL: the option has no value
  const char *value;
  const char *help;  // help text; a line break starts an indented line
  uint32_t programs; // bits of the programs that have this option
  option_kind_t kind;
  size_t offset, bytes; // offset and size of the member in the program's struct
  size_t given;         // offset of a bool that is set if the option is given; 0: no such bool
  size_t count;         // OPTION_LIST: offset of the value count
  uint64_t min, max;
  const char *required; // description of the value, for messages; NULL: the value may be empty
  // Checks a stored value, or stores it (OPTION_READ). Returns true on success, or false with a message. `out` is the
  // program's struct. `value` is NULL if the option has no value. The pointer may be NULL.
  bool (*read)(void *out, const char *name, const char *value, error_info_t *error);
} option_t;

// A table of options. If an option's `value` is in brackets, the value is optional: "[N]" takes the next argument if it
// begins with a digit, "[every=K]" if it begins with "every=".
typedef struct option_table_t {
  const option_t *options;
  uint32_t count;
  uint32_t programs;     // bit set of programs: an option without any of these bits is unknown
  const char *show_help; // arguments that show the help text, for messages
} option_table_t;

// Parses the option argv[*index] and its value, and advances *index to the last argument that was read. Returns true on
// success, or false with a message if the option is unknown, or its value is missing, invalid or not allowed.
bool option_table_parse(const option_table_t *table, void *out, int argc, const char *const *argv, int *index,
                        error_info_t *error);
// Writes ": did you mean OPTION?", or "" if no option is similar. Returns `out`.
const char *option_table_hint(const option_table_t *table, const char *argument, char *out, uint32_t out_bytes);
// Writes a line for each option that has one of the bits in `programs`, with the help texts in column 24.
void option_table_print(const option_table_t *table, uint32_t programs, FILE *out);

// Parses an integer. Returns true on success, or false with a message if `text` is not an integer from `min` to `max`.
bool option_parse_integer(const char *name, const char *text, uint64_t min, uint64_t max, uint64_t *out,
                          error_info_t *error);

#endif
