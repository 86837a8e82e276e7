// A program that runs in a child process until it ends, and that can leave one message for its supervisor. Main thread
// only; the process must have no other thread.
#ifndef SHOAL_PROCESS_SUPERVISED_PROGRAM_H
#define SHOAL_PROCESS_SUPERVISED_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#define SUPERVISED_MESSAGE_BYTES 4096u

typedef struct supervised_end_t {
  int exit_code;
  int signal;                             // signal that terminated the program; 0 if the program has exited
  char message[SUPERVISED_MESSAGE_BYTES]; // message from supervised_send; "" if no message was sent
} supervised_end_t;

// Runs this process's executable again in this process, with these arguments (the list ends with NULL). Runs
// arguments[0] instead if the executable is unknown. Returns only on failure, with errno.
void supervised_replace_process(char *const *arguments);
// Runs this process's executable with these arguments (the list ends with NULL) and waits for its end. Passes on exit
// requests that only this process receives; requests from the terminal reach the program directly. If this process is
// killed, the program receives SIGTERM. `accepts_message`: the program may call supervised_send. Returns true on
// success, or false if the system cannot create a pipe or a process.
bool supervised_run(char *const *arguments, bool accepts_message, supervised_end_t *out);
// Ends this process in the same way as the program: with the program's exit code or with its signal, but without a
// second core dump.
_Noreturn void supervised_end_like(const supervised_end_t *end);

// In the program: finds the supervisor. Call at startup, before other programs are started.
void supervised_connect(void);
// Sends the message to the supervisor. Returns true on success, or false if no supervisor accepts a message, if the
// message has SUPERVISED_MESSAGE_BYTES or more bytes, or if sending failed. Async-signal-safe.
bool supervised_send(const char *message);

#endif
