// Reads the system's clocks.
#include "base/now.h"

#include <errno.h>
#include <time.h>

static int64_t read_clock(clockid_t clock) {
  struct timespec time;
  return clock_gettime(clock, &time) == 0 ? (int64_t)time.tv_sec * 1000000000 + time.tv_nsec : -1;
}

int64_t now_ns(void) {
  return read_clock(CLOCK_MONOTONIC);
}

int64_t now_thread_ns(void) {
  return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

int64_t now_process_ns(long process) {
  clockid_t clock;
  return clock_getcpuclockid((pid_t)process, &clock) == 0 ? read_clock(clock) : -1;
}

void now_sleep_ns(int64_t ns) {
  struct timespec remaining = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
  while (ns > 0 && nanosleep(&remaining, &remaining) != 0 && errno == EINTR) {
  }
}
