// The times that Windows reports advance in steps of 16 ms, so a budget of 20 ms could end after 5 ms. The number of
// cycles advances continuously, but has no unit: it is converted with the rate of the time stamp counter, in which
// Windows counts cycles.
#include "base/thread_time.h"

#include "base/now.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <windows.h>
#include <tlhelp32.h>

#define CALIBRATION_NS INT64_C(5000000)
#define MAX_STEP_NS INT64_C(16000000) // largest step of times: 15.6 ms on Windows, 10 ms under Wine
#define NS_PER_TICK 100               // FILETIME counts 100 ns

static int64_t to_ns(FILETIME kernel, FILETIME user) {
  ULARGE_INTEGER a = {.LowPart = kernel.dwLowDateTime, .HighPart = kernel.dwHighDateTime};
  ULARGE_INTEGER b = {.LowPart = user.dwLowDateTime, .HighPart = user.dwHighDateTime};
  return (int64_t)(a.QuadPart + b.QuadPart) * NS_PER_TICK;
}

#ifdef __x86_64__
static double measure_cycles_per_ns(void) {
  int64_t start_ns = now_ns(), end_ns;
  uint64_t start = __builtin_ia32_rdtsc();
  while ((end_ns = now_ns()) - start_ns < CALIBRATION_NS)
    YieldProcessor();
  return (double)(__builtin_ia32_rdtsc() - start) / (double)(end_ns - start_ns);
}
#else
static double measure_cycles_per_ns(void) { // the unit of the cycles is unknown, so that times are used
  return -1;
}
#endif

static bool is_wine(void) {
  return GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != NULL;
}

// Returns the cycles per ns, or a negative number if cycles are not counted. Wine 8 fails to count them, and newer
// versions report times instead.
static double get_cycles_per_ns(void) {
  static _Atomic double cycles_per_ns;
  double rate = atomic_load_explicit(&cycles_per_ns, memory_order_relaxed), none = 0;
  ULONG64 cycles;
  if (rate != 0)
    return rate;
  bool is_counted = !is_wine() && QueryThreadCycleTime(GetCurrentThread(), &cycles);
  rate = is_counted ? measure_cycles_per_ns() : -1;
  // Threads that measure at the same time use the first result.
  return atomic_compare_exchange_strong(&cycles_per_ns, &none, rate) ? rate : none;
}

int64_t thread_time_ns(void *thread) {
  FILETIME created, ended, kernel, user;
  ULONG64 cycles;
  double rate = get_cycles_per_ns();
  if (rate > 0)
    return QueryThreadCycleTime(thread, &cycles) ? (int64_t)((double)cycles / rate) : -1;
  return GetThreadTimes(thread, &created, &ended, &kernel, &user) ? to_ns(kernel, user) : -1;
}

int64_t thread_time_step_ns(void) {
  return get_cycles_per_ns() > 0 ? 0 : MAX_STEP_NS;
}

// Returns the CPU time of the threads of a process that have not ended, or -1 on failure.
static int64_t sum_thread_times_ns(DWORD process) {
  FILETIME created, ended, kernel, user;
  THREADENTRY32 entry = {.dwSize = sizeof entry};
  int64_t ns = 0;
  HANDLE list = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
  if (list == INVALID_HANDLE_VALUE)
    return -1;
  for (bool more = Thread32First(list, &entry); more; more = Thread32Next(list, &entry)) {
    HANDLE thread =
        entry.th32OwnerProcessID == process ? OpenThread(THREAD_QUERY_INFORMATION, FALSE, entry.th32ThreadID) : NULL;
    if (thread && GetThreadTimes(thread, &created, &ended, &kernel, &user))
      ns += to_ns(kernel, user);
    if (thread)
      CloseHandle(thread);
  }
  CloseHandle(list);
  return ns;
}

// For any process, GetProcessTimes of Wine 8 returns the times of the calling process.
int64_t thread_time_of_process_ns(void *process) {
  FILETIME created, ended, kernel, user;
  if (is_wine() && GetProcessId(process) != GetCurrentProcessId())
    return sum_thread_times_ns(GetProcessId(process));
  return GetProcessTimes(process, &created, &ended, &kernel, &user) ? to_ns(kernel, user) : -1;
}
