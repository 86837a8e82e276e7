// Windows has no signals. Exit requests are events of the console, which arrive on a new thread. Faults are exceptions.
// One thread serves the timers of all threads: it suspends a thread, checks it, and resumes it.
#include "process/signals.h"

#include "base/assert.h"
#include "base/interrupt.h"
#include "base/now.h"
#include "base/standard_streams.h"
#include "base/thread_time.h"
#include "process/fault_code.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

static const struct {
  int number;
  const char *name, *message;
} HANDLED_SIGNALS[] = {
    {SIGSEGV, "SIGSEGV", "invalid memory access"},
    {FAULT_SIGBUS, "SIGBUS", "inaccessible memory"},
    {SIGFPE, "SIGFPE", "arithmetic error"},
    {SIGILL, "SIGILL", "illegal instruction"},
    {SIGABRT, "SIGABRT", "aborted"},
    {FAULT_SIGKILL, "SIGKILL", "killed"},
};
enum { HANDLED_SIGNAL_COUNT = sizeof HANDLED_SIGNALS / sizeof *HANDLED_SIGNALS };

// --- exit requests

#define SAVE_GRACE_NS (10000 * (int64_t)NS_PER_MS)

static _Atomic uint32_t saves;        // number of saves that are written or requested
static _Atomic uint32_t interrupts;   // number of Ctrl+C so far
static _Atomic uint32_t terminations; // number of Ctrl+Break so far, the counterpart of SIGTERM
static _Atomic int64_t first_termination_ns;
static _Atomic bool ignores_events; // a child process receives the events of the console, too

static BOOL end_by_default(void) {
  return FALSE; // the next handler ends the process
}

static BOOL on_termination(void) {
  static const char text[] = "shoal: ignored a second Ctrl+Break, because a save is being written (for at most 10 s; "
                             "press Ctrl+C twice to exit without it)\n";
  uint32_t count = atomic_fetch_add(&terminations, 1) + 1;
  if (count == 1) {
    atomic_store(&first_termination_ns, now_ns());
    interrupt_request();
    return TRUE;
  }
  if (atomic_load(&saves) == 0 || now_ns() - atomic_load(&first_termination_ns) >= SAVE_GRACE_NS)
    return end_by_default();
  if (count == 2)
    standard_error_write(text, sizeof text - 1);
  return TRUE;
}

static BOOL WINAPI on_console_event(DWORD event) {
  if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) { // the console closes, or the user logs off
    interrupt_request();
    Sleep(INFINITE); // Windows ends the process when this returns, or after 5 s; until then it can save
  }
  if (atomic_load(&ignores_events))
    return TRUE;
  if (event == CTRL_BREAK_EVENT)
    return on_termination();
  if (atomic_fetch_add(&interrupts, 1) > 0)
    return end_by_default();
  interrupt_request();
  return TRUE;
}

void signals_begin_save(void) {
  atomic_fetch_add(&saves, 1);
}

void signals_end_save(void) {
  atomic_fetch_sub(&saves, 1);
}

void signals_catch_termination(void) {
  SetConsoleCtrlHandler(NULL, FALSE); // a parent process may have disabled Ctrl+C
  SetConsoleCtrlHandler(on_console_event, TRUE);
}

// All processes of a console receive its events. No event is sent to a single process.
void signals_forward_termination(int process) {
  (void)process;
  if (!atomic_exchange(&ignores_events, true))
    SetConsoleCtrlHandler(on_console_event, TRUE);
}

// The parent's job object ends this process (spawn_t.ends_with_parent).
void signals_end_with_parent(void) {
}

void signals_at_exit(void (*callback)(void)) {
  atexit(callback);
}

void signals_raise_default(int number) {
  TerminateProcess(GetCurrentProcess(), fault_code_of_signal(number));
}

// --- faults

const char *signals_name(int number) {
  static _Thread_local char unknown_name[32];
  for (size_t i = 0; i < HANDLED_SIGNAL_COUNT; ++i)
    if (HANDLED_SIGNALS[i].number == number)
      return HANDLED_SIGNALS[i].name;
  snprintf(unknown_name, sizeof unknown_name, "signal %d", number);
  return unknown_name;
}

const char *signals_description(int number) {
  for (size_t i = 0; i < HANDLED_SIGNAL_COUNT; ++i)
    if (HANDLED_SIGNALS[i].number == number)
      return HANDLED_SIGNALS[i].message;
  return "unknown signal";
}

bool signals_is_abort(int number) {
  return number == SIGABRT;
}

static signals_fault_t *on_fault, *on_child_fault;
static void *fault_handler;
static LPTOP_LEVEL_EXCEPTION_FILTER previous_filter;
static void (*previous_abort)(int number);

static _Atomic DWORD reporting_thread; // first thread that has reported a fault; 0: none

static void report_fault(int number, const void *address, const void *code) {
  static _Atomic bool entered;
  DWORD no_thread = 0;
  atomic_compare_exchange_strong(&reporting_thread, &no_thread, GetCurrentThreadId());
  if (on_child_fault) {
    if (!atomic_exchange(&entered, true))
      on_child_fault(number, address, code);
    signals_raise_default(number);
  }
  if (on_fault)
    on_fault(number, address, code);
}

// Calls the previous handler, and ends the process unless this handler continues it. Windows would look for more
// handlers on the stack, which may be damaged, and then start a debugger or its own report.
static LONG end_by_fault(EXCEPTION_POINTERS *exception) {
  LONG action = previous_filter ? previous_filter(exception) : EXCEPTION_CONTINUE_SEARCH;
  if (action != EXCEPTION_CONTINUE_EXECUTION)
    TerminateProcess(GetCurrentProcess(), exception->ExceptionRecord->ExceptionCode);
  return action;
}

static LONG report_exception(EXCEPTION_POINTERS *exception) {
  const EXCEPTION_RECORD *record = exception->ExceptionRecord;
  bool has_address = record->NumberParameters >= 2 && (record->ExceptionCode == (DWORD)EXCEPTION_ACCESS_VIOLATION ||
                                                       record->ExceptionCode == (DWORD)EXCEPTION_IN_PAGE_ERROR);
  int number = fault_signal_of_code(record->ExceptionCode);
  if (number == 0)
    return EXCEPTION_CONTINUE_SEARCH;
  report_fault(number, has_address ? (const void *)record->ExceptionInformation[1] : NULL, record->ExceptionAddress);
  return end_by_fault(exception);
}

// Returns true for code of this program and for generated code, which contain no handlers of exceptions. A DLL, such as
// a graphics driver, may handle its own faults, except while a fault is reported.
static bool is_checked_code(const void *code) {
  MEMORY_BASIC_INFORMATION mapping;
  return GetCurrentThreadId() == atomic_load(&reporting_thread) || VirtualQuery(code, &mapping, sizeof mapping) == 0 ||
         mapping.Type != MEM_IMAGE || mapping.AllocationBase == (void *)GetModuleHandleW(NULL);
}

// Runs after the handler of base/pages.h, which commits sparse memory, but before the handlers of functions.
static LONG WINAPI on_exception(EXCEPTION_POINTERS *exception) {
  return is_checked_code(exception->ExceptionRecord->ExceptionAddress) ? report_exception(exception)
                                                                       : EXCEPTION_CONTINUE_SEARCH;
}

// Runs for a fault that no handler has handled.
static LONG WINAPI on_unhandled(EXCEPTION_POINTERS *exception) {
  LONG action = report_exception(exception);
  return action == EXCEPTION_CONTINUE_SEARCH && previous_filter ? previous_filter(exception) : action;
}

// The C library would end the process with code 3, which no exception has.
static void on_abort(int number) {
  report_fault(number, NULL, NULL);
  if (previous_abort && previous_abort != SIG_DFL && previous_abort != SIG_IGN)
    previous_abort(number);
  signals_raise_default(number);
}

static void set_handlers(void) {
  if (fault_handler)
    return;
  fault_handler = AddVectoredExceptionHandler(0, on_exception); // 0: after all vectored handlers
  previous_filter = SetUnhandledExceptionFilter(on_unhandled);
  previous_abort = signal(SIGABRT, on_abort);
  SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX); // no dialog that waits for the user
}

void signals_catch_faults(signals_fault_t *callback) {
  shoal_assert(callback && !on_fault, "callback must not be NULL, and must be set only once");
  on_fault = callback;
  set_handlers();
}

void signals_release_faults(void) {
  if (fault_handler) {
    RemoveVectoredExceptionHandler(fault_handler);
    LPTOP_LEVEL_EXCEPTION_FILTER current = SetUnhandledExceptionFilter(previous_filter);
    if (current != on_unhandled)
      SetUnhandledExceptionFilter(current); // other code has replaced the filter
    void (*current_abort)(int) = signal(SIGABRT, previous_abort);
    if (current_abort != on_abort)
      signal(SIGABRT, current_abort);
  }
  fault_handler = NULL;
  on_fault = NULL;
}

void signals_catch_faults_in_child(signals_fault_t *callback) {
  shoal_assert(callback, "callback must not be NULL");
  on_child_fault = callback;
  set_handlers();
}

// Handlers run on the stack of the fault. Windows reserves a part of each stack for them, which cannot be removed.
void signals_use_stack(void *stack, size_t bytes) {
  ULONG reserved = (ULONG)bytes;
  if (stack)
    SetThreadStackGuarantee(&reserved);
}

bool signals_has_stack(void) {
  ULONG reserved = 0; // 0 changes nothing
  return !SetThreadStackGuarantee(&reserved) || reserved > 0;
}

// --- child processes

static void CALLBACK on_alarm(void *context, BOOLEAN fired) {
  (void)context, (void)fired;
  signals_raise_default(FAULT_SIGALRM);
}

void signals_set_alarm(uint32_t seconds) {
  static HANDLE alarm;
  if (alarm)
    (void)!DeleteTimerQueueTimer(NULL, alarm, NULL);
  alarm = NULL;
  if (seconds > 0)
    (void)!CreateTimerQueueTimer(&alarm, NULL, on_alarm, NULL, seconds * 1000, 0, WT_EXECUTEONLYONCE);
}

void signals_reset_in_child(uint32_t timeout_s, bool exit_on_request) {
  signals_release_faults();
  if (exit_on_request)
    SetConsoleCtrlHandler(on_console_event, FALSE);
  signals_set_alarm(timeout_s);
}

// --- timers

#ifndef CREATE_WAITABLE_TIMER_HIGH_RESOLUTION // mingw-w64 10 lacks it
#define CREATE_WAITABLE_TIMER_HIGH_RESOLUTION 2
#endif

// A thread's timer. The server uses it while it holds `lock`.
typedef struct watched_t watched_t;
struct watched_t {
  watched_t *next; // next timer of any thread
  signals_timer_t *timer;
  HANDLE thread;
  _Atomic int64_t due_ns; // time on the clock of now_ns
};

static signals_check_f *volatile timer_checks[SIGNALS_CLIENTS];
static _Thread_local signals_timer_t *thread_timers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // protects `watched`; no thread is suspended while it holds it
static watched_t *watched;
static HANDLE changed; // event: a timer was armed
static pthread_key_t timers_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_timers_key, is_served;

// No signal interrupts a thread, but the server suspends threads.
void signals_block_all(signals_mask_t *out) {
  *out = (signals_mask_t){{0}};
  pthread_mutex_lock(&lock);
}

void signals_restore_mask(const signals_mask_t *saved) {
  (void)saved;
  pthread_mutex_unlock(&lock);
}

// Checks a thread while it is suspended. The check must therefore take no lock that the thread may hold. While a fault
// is reported, no thread is checked.
static void check_thread(const watched_t *w, int64_t now) {
  CONTEXT context = {.ContextFlags = CONTEXT_CONTROL};
  signals_timer_t *timer = w->timer;
  bool is_late = now - w->due_ns >= (int64_t)timer->period_us * 1000;
  if (atomic_load(&reporting_thread) != 0 || SuspendThread(w->thread) == (DWORD)-1)
    return;
  // SuspendThread only asks for the suspension; reading the registers waits for it.
  int64_t cpu_ns = GetThreadContext(w->thread, &context) ? thread_time_ns(w->thread) : -1;
  if (cpu_ns >= 0 && timer->armed)
    timer_checks[timer->client](timer->state, cpu_ns, is_late);
  ResumeThread(w->thread);
}

// Checks all threads whose timers have expired. Returns the time of the next check, or INT64_MAX if no timer is armed.
static int64_t check_threads(void) {
  int64_t next_ns = INT64_MAX;
  pthread_mutex_lock(&lock);
  for (watched_t *w = watched; w; w = w->next) {
    int64_t now = now_ns();
    if (w->timer->armed && w->due_ns <= now) {
      check_thread(w, now);
      w->due_ns = now + (int64_t)w->timer->period_us * 1000;
    }
    if (w->timer->armed && w->due_ns < next_ns)
      next_ns = w->due_ns;
  }
  pthread_mutex_unlock(&lock);
  return next_ns;
}

static void *serve(void *context) {
  HANDLE waited[] = {changed, context};
  SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_TIME_CRITICAL); // scripts may use all cores
  for (;;) {
    int64_t next_ns = check_threads(), wait_ns = next_ns - now_ns();
    LARGE_INTEGER due = {.QuadPart = wait_ns > 0 ? -(wait_ns / 100 + 1) : -1}; // negative: relative, in 100 ns
    bool has_timer = next_ns != INT64_MAX;
    if (has_timer)
      SetWaitableTimer(waited[1], &due, 0, NULL, NULL, FALSE);
    WaitForMultipleObjects(has_timer ? 2 : 1, waited, FALSE, INFINITE);
  }
  return NULL;
}

static void on_thread_exit(void *timers) {
  pthread_mutex_lock(&lock);
  for (signals_timer_t *timer = timers; timer; timer = timer->next) {
    watched_t *w = timer->timer;
    for (watched_t **link = &watched; *link; link = &(*link)->next)
      if (*link == w) {
        *link = w->next;
        break;
      }
    timer->created = timer->armed = false;
    CloseHandle(w->thread);
    free(w);
  }
  pthread_mutex_unlock(&lock);
}

// Runs before main. The C library frees a thread's thread-local memory in a destructor, too, and destructors run in the
// order in which their keys were created. on_thread_exit must run first, because this memory contains the timers.
__attribute__((constructor(101))) static void create_timers_key(void) {
  has_timers_key = pthread_key_create(&timers_key, on_thread_exit) == 0;
}

static void start_server(void) {
  pthread_t server;
  HANDLE timer = CreateWaitableTimerExW(NULL, NULL, CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, TIMER_ALL_ACCESS);
  if (!timer) // before Windows 10 1803
    timer = CreateWaitableTimerExW(NULL, NULL, 0, TIMER_ALL_ACCESS);
  changed = CreateEventW(NULL, FALSE, FALSE, NULL);
  thread_time_ns(GetCurrentThread()); // measures the clock before a thread is suspended
  is_served = has_timers_key && timer && changed && pthread_create(&server, NULL, serve, timer) == 0;
  if (is_served)
    pthread_detach(server);
}

void signals_set_timer_handler(signals_client_t client, signals_check_f *check) {
  shoal_assert(client < SIGNALS_CLIENTS && check, "timer client %d must be below %d, and check must not be NULL",
               (int)client, (int)SIGNALS_CLIENTS);
  timer_checks[client] = check;
}

int64_t signals_time_step_ns(void) {
  return thread_time_step_ns();
}

static bool create_timer(signals_timer_t *timer, signals_client_t client) {
  HANDLE process = GetCurrentProcess();
  pthread_once(&once, start_server);
  timer->creation_attempted = true;
  watched_t *w = is_served ? calloc(1, sizeof *w) : NULL;
  if (!w || !DuplicateHandle(process, GetCurrentThread(), process, &w->thread, 0, FALSE, DUPLICATE_SAME_ACCESS)) {
    free(w);
    return false;
  }
  w->timer = timer;
  timer->timer = w;
  timer->client = client;
  timer->created = true;
  timer->next = thread_timers;
  thread_timers = timer;
  pthread_setspecific(timers_key, thread_timers);
  pthread_mutex_lock(&lock);
  w->next = watched;
  watched = w;
  pthread_mutex_unlock(&lock);
  return true;
}

bool signals_timer_arm(signals_timer_t *timer, signals_client_t client, uint32_t period_us, void *state) {
  shoal_assert(period_us > 0, "period_us must not be 0");
  timer->state = state;
  if (timer->armed && timer->period_us <= period_us)
    return true;
  if (!timer->created && (timer->creation_attempted || !create_timer(timer, client)))
    return false;
  watched_t *w = timer->timer;
  w->due_ns = now_ns() + (int64_t)period_us * 1000;
  timer->period_us = period_us;
  timer->armed = true;
  SetEvent(changed);
  return true;
}

// These functions are also called by checks, which run on the server's thread and hold the lock.
void signals_timer_lengthen_period(signals_timer_t *timer, uint32_t period_us) {
  if (timer->armed && timer->period_us < period_us)
    timer->period_us = period_us;
}

void signals_timer_disarm(signals_timer_t *timer) {
  timer->armed = false;
}

// Windows does not fork.
void signals_timer_reset_after_fork(signals_timer_t *timer, bool allow_new_timer) {
  timer->armed = false;
  timer->creation_attempted |= !allow_new_timer;
}
