// Runs the parts of a crash report on the thread that has crashed. A second thread ends the process if a part hangs:
// Windows cannot interrupt a thread that waits in the system.
#include "crash/report_stage.h"

#include "base/assert.h"
#include "base/now.h"
#include "base/program_path.h"
#include "base/standard_streams.h"
#include "base/thread_time.h"
#include "process/child.h"
#include "process/fault_code.h"
#include "process/spawn.h"

#include <setjmp.h>
#include <stdatomic.h>
#include <windows.h>

// Limit for the CPU time of each part, and for the time without progress.
#define STAGE_LIMIT_MS 3000u
#define STAGE_LIMIT_NS ((int64_t)STAGE_LIMIT_MS * NS_PER_MS)
#define POLL_MS 50

static struct {
  jmp_buf out;  // where a part ends that has failed
  DWORD thread; // crashed thread; 0: none
  HANDLE thread_handle;
  HANDLE has_begun; // event: a thread has crashed
  bool is_running;
  _Atomic uint32_t number; // number of the current part; 0: no part is running, or it has no limits
} stage;

static _Noreturn void end_process(void) {
  static const char text[] = "crash: the report is incomplete\n";
  standard_error_write(text, sizeof text - 1);
  TerminateProcess(GetCurrentProcess(), fault_code_of_signal(FAULT_SIGKILL));
  for (;;)
    Sleep(INFINITE);
}

// Waits for the end of each part as long as it makes progress. Does not use memory of the C library, which may be
// damaged.
static DWORD WINAPI watch_stages(void *unused) {
  int64_t start_ns = 0, used_ns = 0, progress_ns = 0;
  (void)unused;
  WaitForSingleObject(stage.has_begun, INFINITE);
  for (uint32_t watched = 0;; Sleep(POLL_MS)) {
    uint32_t number = atomic_load(&stage.number);
    int64_t cpu_ns = thread_time_ns(stage.thread_handle), wall_ns = now_ns();
    if (number != watched)
      start_ns = cpu_ns;
    if (number != watched || cpu_ns != used_ns)
      progress_ns = wall_ns;
    watched = number;
    used_ns = cpu_ns;
    if (number != 0 && (cpu_ns - start_ns >= STAGE_LIMIT_NS || wall_ns - progress_ns >= STAGE_LIMIT_NS))
      end_process();
  }
  return 0;
}

// The start of a thread takes locks of the heap and of the loader, so the thread must exist before a crash.
void crash_prepare_stages(void) {
  stage.has_begun = CreateEventW(NULL, FALSE, FALSE, NULL);
  HANDLE watcher = stage.has_begun ? CreateThread(NULL, 0, watch_stages, NULL, 0, NULL) : NULL;
  if (watcher)
    CloseHandle(watcher);
}

// Without the second thread, parts have no limit.
static void start_watching(void) {
  HANDLE process = GetCurrentProcess();
  stage.thread = GetCurrentThreadId();
  if (DuplicateHandle(process, GetCurrentThread(), process, &stage.thread_handle, 0, FALSE, DUPLICATE_SAME_ACCESS))
    SetEvent(stage.has_begun);
}

static bool run_stage(void (*run)(const void *context), const void *context) {
  volatile bool succeeded = false;
  static uint32_t count;
  if (setjmp(stage.out) == 0) {
    stage.is_running = true;
    atomic_store(&stage.number, ++count);
    run(context);
    succeeded = true;
  }
  atomic_store(&stage.number, 0);
  stage.is_running = false;
  return succeeded;
}

bool crash_run_stage(void (*run)(const void *context), const void *context) {
  shoal_assert(run && !stage.is_running, "run must not be NULL, and no part may be running");
  if (stage.thread == 0)
    start_watching();
  return run_stage(run, context);
}

void crash_fail_stage(void) {
  longjmp(stage.out, 1);
}

void crash_leave_stage(void) {
  if (stage.is_running && stage.thread == GetCurrentThreadId())
    longjmp(stage.out, 1);
}

static void run_program(const void *context) {
  const char *const *arguments = context;
  HANDLE process = spawn_program(&(spawn_t){.path = program_path_to_execute(arguments[0]),
                                            .arguments = arguments,
                                            .is_silent = true,
                                            .ends_with_parent = true,
                                            .limit_ms = STAGE_LIMIT_MS});
  if (!process)
    crash_fail_stage();
  atomic_store(&stage.number, 0); // this thread waits, and the program has limits of its own
  if (WaitForSingleObject(process, STAGE_LIMIT_MS * CHILD_WALL_FACTOR) != WAIT_OBJECT_0)
    TerminateProcess(process, fault_code_of_signal(FAULT_SIGKILL));
  if (spawn_await_end(process) != 0)
    crash_fail_stage();
}

bool crash_run_program(const char *const *arguments) {
  return crash_run_stage(run_program, arguments);
}

static void start_program(const void *context) {
  const char *const *arguments = context;
  HANDLE process = spawn_program(
      &(spawn_t){.path = program_path_to_execute(arguments[0]), .arguments = arguments, .is_detached = true});
  if (!process)
    crash_fail_stage();
  CloseHandle(process);
}

bool crash_start_program(const char *const *arguments) {
  return crash_run_stage(start_program, arguments);
}
