// Exit codes of crashed processes on Windows, where a fault ends a process with the code of its exception.
#ifndef SHOAL_PROCESS_FAULT_CODE_H
#define SHOAL_PROCESS_FAULT_CODE_H

#include <stdint.h>

// Numbers of signals that the C library of Windows lacks, as on Linux.
#define FAULT_SIGBUS 7
#define FAULT_SIGKILL 9
#define FAULT_SIGALRM 14

// Returns the signal for the code of an exception, or 0 if the code belongs to no signal.
int fault_signal_of_code(uint32_t code);
// Returns the signal that has ended a process with this exit code, or 0 if the program has chosen the code. A program
// that Windows ends for a reason without a signal, such as a missing DLL, counts as aborted.
int fault_signal_of_exit(uint32_t code);
// Returns the exit code of a process that a signal ends.
uint32_t fault_code_of_signal(int number);

#endif
