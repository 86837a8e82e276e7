// Operations on the standard streams that C11 lacks.
#ifndef SHOAL_BASE_STANDARD_STREAMS_H
#define SHOAL_BASE_STANDARD_STREAMS_H

#include <stdbool.h>
#include <stddef.h>

// Returns true if standard input is a terminal, so that a user can answer prompts.
bool standard_input_is_terminal(void);
// Writes to standard error without taking locks or allocating memory. Ignores failures. Async-signal-safe; any thread,
// even in a process that was forked while other threads held locks.
void standard_error_write(const char *text, size_t bytes);
// Discards everything that this process, and programs that it starts, write to standard error from now on.
void standard_error_silence(void);

#endif
