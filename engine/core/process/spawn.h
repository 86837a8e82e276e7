// Starts programs on Windows, for the files NAME_windows.c of other headers. A handle is a HANDLE of Windows, which is
// a pointer. Any thread.
#ifndef SHOAL_PROCESS_SPAWN_H
#define SHOAL_PROCESS_SPAWN_H

#include "process/child.h"

#include <stdbool.h>
#include <stdint.h>

#define SPAWN_MAX_HANDLES 3u

typedef struct spawn_t {
  // The program's file; NULL: Windows looks up arguments[0] in the program's folder, the current folder, the
  // folders of Windows and PATH.
  const char *path;
  const char *const *arguments;     // arguments of the program; the list ends with NULL
  void *handles[SPAWN_MAX_HANDLES]; // handles that the program inherits with the same values; NULL: no handle
  bool is_silent;                   // true: the standard streams are the null device; false: as in this process
  bool is_detached;                 // true: the program receives no events of this process's console
  bool ends_with_parent;            // true: Windows ends the program when this process ends
  // Receives the handle of the job that ends the program; closing the handle ends it, too. NULL: this process keeps the
  // handle until it ends. Used only if ends_with_parent is true.
  void **job;
  uint32_t limit_ms; // CPU time in user mode in ms after which Windows ends the program; 0: no limit
} spawn_t;

// Starts a program. Returns a handle of the process, which the caller must close, or NULL with errno on failure.
void *spawn_program(const spawn_t *desc);
// Waits for the end of a process, and closes its handle. Returns its exit code (process/fault_code.h).
uint32_t spawn_await_end(void *process);
// Creates a pipe whose ends programs do not inherit, unless spawn_t names one. Returns true on success, or false with
// errno.
bool spawn_create_pipe(void **read_end, void **write_end);

// Starts a program as a child (process/child.h), with the write end of its pipe in desc->handles. Closes the write end
// and, on failure, the read end. `desc->job` is overwritten. Returns true on success, or false with errno.
// child_windows.c implements this function.
bool spawn_child(child_t *child, uint32_t limit_ms, spawn_t *desc, void *read_end, void *write_end);

#endif
