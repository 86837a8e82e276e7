// Restricts this process with a job object. Windows cannot restrict a running process to the system calls that it
// needs. No descriptors are inherited, so none have to be closed.
#include "process/sandbox.h"

#include "base/assert.h"

#include <windows.h>
#include <psapi.h>

#define TICKS_PER_S INT64_C(10000000) // times of job objects are in units of 100 ns

// Adds limits to the job of this process, which the first call creates. Returns silently if the system refuses.
static void limit(DWORD flags, int64_t time, SIZE_T bytes) {
  static HANDLE job; // only the thread that enters the sandbox uses it
  static JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits;
  if (!job && !((job = CreateJobObjectW(NULL, NULL)) && AssignProcessToJobObject(job, GetCurrentProcess())))
    return;
  limits.BasicLimitInformation.LimitFlags |= flags;
  if (flags & JOB_OBJECT_LIMIT_PROCESS_TIME)
    limits.BasicLimitInformation.PerProcessUserTimeLimit.QuadPart = time;
  if (flags & JOB_OBJECT_LIMIT_PROCESS_MEMORY)
    limits.ProcessMemoryLimit = bytes;
  limits.BasicLimitInformation.ActiveProcessLimit = 1;
  SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
}

void sandbox_limit_memory(uint32_t mb) {
  PROCESS_MEMORY_COUNTERS counters = {.cb = sizeof counters};
  if (GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters))
    limit(JOB_OBJECT_LIMIT_PROCESS_MEMORY, 0, counters.PagefileUsage + ((SIZE_T)mb << 20));
}

void sandbox_enter(int output_pipe, uint32_t cpu_s) {
  (void)output_pipe;
  shoal_assert(cpu_s > 0, "cpu_s must not be 0");
  limit(JOB_OBJECT_LIMIT_PROCESS_TIME | JOB_OBJECT_LIMIT_ACTIVE_PROCESS, cpu_s * TICKS_PER_S, 0);
}
