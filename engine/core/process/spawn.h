// Starts programs on Windows, for the files NAME_windows.c of other headers. A handle is a HANDLE of Windows, which is
// a pointer. Any thread.
#ifndef SHOAL_PROCESS_SPAWN_H
#define SHOAL_PROCESS_SPAWN_H

#include <stdbool.h>
#include <stdint.h>

typedef struct spawn_t {
  const char *path;             // the program's file; NULL: arguments[0] is looked up in PATH
  const char *const *arguments; // ends with NULL
  void *pipe;                   // handle that the program inherits with the same number; NULL: none
  bool is_silent;               // standard streams: true: the null device; false: those of this process
  bool is_detached;             // receives no events of this process's console
  bool ends_with_parent;        // true: Windows ends the program when this process ends
  uint32_t limit_ms;            // CPU time after which Windows ends the program; 0: none
} spawn_t;

// Starts a program. Returns a handle of its process, which the caller must close, or NULL with errno.
void *spawn_program(const spawn_t *desc);
// Creates a pipe whose ends programs do not inherit, unless spawn_t names one. Returns true on success, or false with
// errno.
bool spawn_create_pipe(void **read_end, void **write_end);

#endif
