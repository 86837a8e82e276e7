// Reads the clocks of Windows. The times of processes advance in steps of 16 ms.
#include "base/now.h"

#include "base/thread_time.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <windows.h>

#define NS_PER_S INT64_C(1000000000)
#define NS_PER_TICK 100                       // waitable timers count 100 ns
#ifndef CREATE_WAITABLE_TIMER_HIGH_RESOLUTION // mingw-w64 10 lacks it
#define CREATE_WAITABLE_TIMER_HIGH_RESOLUTION 2
#endif

// The counter usually has 10 MHz. Dividing first avoids an overflow after 15 minutes.
int64_t now_ns(void) {
  static _Atomic int64_t frequency;
  LARGE_INTEGER value;
  int64_t ticks_per_s = atomic_load_explicit(&frequency, memory_order_relaxed);
  if (ticks_per_s == 0) {
    QueryPerformanceFrequency(&value);
    ticks_per_s = value.QuadPart;
    atomic_store_explicit(&frequency, ticks_per_s, memory_order_relaxed);
  }
  QueryPerformanceCounter(&value);
  return value.QuadPart / ticks_per_s * NS_PER_S + value.QuadPart % ticks_per_s * NS_PER_S / ticks_per_s;
}

int64_t now_thread_ns(void) {
  return thread_time_ns(GetCurrentThread());
}

int64_t now_process_ns(long process) {
  DWORD code;
  HANDLE handle = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, (DWORD)process);
  if (!handle)
    return -1;
  bool is_running = GetExitCodeProcess(handle, &code) && code == STILL_ACTIVE;
  int64_t ns = is_running ? thread_time_of_process_ns(handle) : -1;
  CloseHandle(handle);
  return ns;
}

// Sleep rounds to the timer's period of up to 16 ms; a waitable timer with high resolution (since Windows 10 1803) does
// not.
void now_sleep_ns(int64_t ns) {
  if (ns <= 0)
    return;
  LARGE_INTEGER due = {.QuadPart = -(ns / NS_PER_TICK + 1)}; // negative: relative
  HANDLE timer =
      CreateWaitableTimerExW(NULL, NULL, CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, SYNCHRONIZE | TIMER_MODIFY_STATE);
  if (timer && SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE))
    WaitForSingleObject(timer, INFINITE);
  else
    Sleep((DWORD)((ns + NS_PER_MS - 1) / NS_PER_MS));
  if (timer)
    CloseHandle(timer);
}
