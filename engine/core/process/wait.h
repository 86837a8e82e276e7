// Waits for several sockets, wake-up objects and pipes of services with one system call.
//
// A handle identifies a socket (link/socket.h, or a socket of libpq), a wake-up object (process/wake_up.h), or the pipe
// of a service (process/child.h). A handle is not a file descriptor on every system: use it only with the functions of
// these headers, and close it with a function of the header that has created it. Programs that this process starts do
// not inherit handles; a forked process has copies.
#ifndef SHOAL_PROCESS_WAIT_H
#define SHOAL_PROCESS_WAIT_H

#include <stdbool.h>
#include <stdint.h>

typedef intptr_t wait_handle_t;

#define WAIT_NONE ((wait_handle_t)-1)
#define WAIT_MAX_HANDLES 1024u

// Conditions of a handle. WAIT_END and WAIT_FAILURE are always reported.
enum {
  WAIT_READ = 1,   // reading would not block: data or a connection has arrived, or the stream has ended
  WAIT_WRITE = 2,  // writing would not block
  WAIT_END = 4,    // the other side has closed the connection or the pipe; data may still be readable
  WAIT_FAILURE = 8 // the socket has failed, the reader of a pipe has closed it, or the handle is not open
};

typedef struct wait_t {
  wait_handle_t handle;
  uint8_t requested; // WAIT_READ, WAIT_WRITE, both, or 0
  uint8_t ready;     // conditions that are true; written by wait_for_any
} wait_t;

// Waits until a condition of one of the handles (at most WAIT_MAX_HANDLES) is true, but at most `timeout_us`; negative:
// no limit; 0: does not wait. Systems may round the time up to milliseconds. Sets `ready` of all handles. Returns the
// number of handles with a true condition, 0 if the time has passed, or -1 with errno on failure; EINTR: a signal has
// arrived. Any thread; async-signal-safe.
int wait_for_any(wait_t *handles, uint32_t count, int64_t timeout_us);

// Waits for one handle. Returns its true conditions, or 0 if the time has passed, a signal has arrived, or waiting has
// failed.
uint8_t wait_for(wait_handle_t handle, uint8_t requested, int64_t timeout_us);

#endif
