// The call stack of this thread, and the files that contain its code. Async-signal-safe, except for the first capture.
#ifndef SHOAL_CRASH_CALL_STACK_H
#define SHOAL_CRASH_CALL_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Writes the return addresses of the active calls, the innermost first. Returns the number of addresses, at most
// `capacity`. A process must capture a stack once before it captures one in a signal handler, because the first capture
// loads the unwinder, which allocates.
uint32_t call_stack_capture(void **frames, uint32_t capacity);
// Writes a line with the address, its file and, if known, its exported function to an open file.
void call_stack_write_frame(int file, void *frame);

// Finds the file that is mapped at `code`, and the offset of `code` in this file. Returns true, or false if no file is
// mapped there. On Linux, does not use the dynamic loader, because the crashed thread may hold its lock. On Windows,
// this function and call_stack_write_frame take locks of the loader, and block if the crashed thread holds one.
bool call_stack_find_file(const void *code, char *path, size_t path_bytes, uint64_t *offset);

#endif
