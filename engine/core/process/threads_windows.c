// Threads on Windows, which has no signals that a thread would have to block.
#include "process/threads.h"

#include "base/assert.h"
#include "base/thread_time.h"

#include <windows.h>
#include <tlhelp32.h>

bool thread_start(pthread_t *out, void *(*run)(void *), void *context) {
  shoal_assert(out && run, "out and run must not be NULL");
  return pthread_create(out, NULL, run, context) == 0;
}

bool thread_join_within(pthread_t thread, uint32_t limit_ms) {
  return WaitForSingleObject(pthread_gethandle(thread), limit_ms) == WAIT_OBJECT_0 && pthread_join(thread, NULL) == 0;
}

int64_t thread_cpu_ns(pthread_t thread) {
  HANDLE handle = pthread_gethandle(thread);
  return handle ? thread_time_ns(handle) : 0;
}

void threads_at_fork(void (*callback)(void)) {
  (void)callback;
}

void thread_lower_priority(void) {
  SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL);
}

// A snapshot contains the threads of all processes.
uint32_t threads_count(void) {
  uint32_t count = 0;
  DWORD process = GetCurrentProcessId();
  THREADENTRY32 entry = {.dwSize = sizeof entry};
  HANDLE snapshot = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
  if (snapshot == INVALID_HANDLE_VALUE)
    return 0;
  for (BOOL found = Thread32First(snapshot, &entry); found; found = Thread32Next(snapshot, &entry))
    count += entry.th32OwnerProcessID == process;
  CloseHandle(snapshot);
  return count;
}

uint32_t threads_count_cores(void) {
  DWORD_PTR allowed = 0, installed = 0; // cores in the group of this process, at most 64
  GetProcessAffinityMask(GetCurrentProcess(), &allowed, &installed);
  int cores = __builtin_popcountll(allowed);
  return cores > 1 ? (uint32_t)cores : 1;
}
