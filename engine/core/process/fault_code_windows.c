// Converts between the exception codes of Windows and the signals of the C library.
#include "process/fault_code.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <windows.h>

#define ENDED_BY_SIGNAL 0xE5480000u // exit code of a process that a signal without an exception ends; + signal
#define HEAP_CORRUPTION 0xC0000374u // STATUS_HEAP_CORRUPTION
#define FAIL_FAST 0xC0000409u       // STATUS_STACK_BUFFER_OVERRUN, which ends a process without an exception

// The first code of a signal is its exit code.
static const struct {
  uint32_t code;
  int number;
} FAULTS[] = {
    {EXCEPTION_ACCESS_VIOLATION, SIGSEGV},
    {EXCEPTION_STACK_OVERFLOW, SIGSEGV},
    {EXCEPTION_GUARD_PAGE, SIGSEGV},
    {EXCEPTION_IN_PAGE_ERROR, FAULT_SIGBUS},
    {EXCEPTION_DATATYPE_MISALIGNMENT, FAULT_SIGBUS},
    {EXCEPTION_INT_DIVIDE_BY_ZERO, SIGFPE},
    {EXCEPTION_INT_OVERFLOW, SIGFPE},
    {EXCEPTION_FLT_DIVIDE_BY_ZERO, SIGFPE},
    {EXCEPTION_FLT_INVALID_OPERATION, SIGFPE},
    {EXCEPTION_FLT_OVERFLOW, SIGFPE},
    {EXCEPTION_ILLEGAL_INSTRUCTION, SIGILL},
    {EXCEPTION_PRIV_INSTRUCTION, SIGILL},
    {ENDED_BY_SIGNAL | SIGABRT, SIGABRT},
    {HEAP_CORRUPTION, SIGABRT},
    {FAIL_FAST, SIGABRT},
    {ENDED_BY_SIGNAL | SIGINT, SIGINT},
    {CONTROL_C_EXIT, SIGINT},
};

int fault_signal_of_code(uint32_t code) {
  for (size_t i = 0; i < sizeof FAULTS / sizeof *FAULTS; ++i)
    if (FAULTS[i].code == code)
      return FAULTS[i].number;
  return (code & 0xFFFF0000u) == ENDED_BY_SIGNAL ? (int)(code & 0xFFFFu) : 0;
}

int fault_signal_of_exit(uint32_t code) {
  int number = fault_signal_of_code(code);
  bool is_error = (code & 0xF0000000u) == 0xC0000000u; // an error that Windows itself defines
  return number == 0 && is_error ? SIGABRT : number;
}

uint32_t fault_code_of_signal(int number) {
  for (size_t i = 0; i < sizeof FAULTS / sizeof *FAULTS; ++i)
    if (FAULTS[i].number == number)
      return FAULTS[i].code;
  return ENDED_BY_SIGNAL | (uint32_t)number;
}
