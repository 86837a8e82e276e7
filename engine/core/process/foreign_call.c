// Checks calls to foreign code from a timer signal on each thread. The signal handler accesses only clocks, the handler
// `on_lost`, and `this_thread`. Each value written by both the handler and the interrupted code is a single word.
#include "process/foreign_call.h"

#include "base/assert.h"
#include "base/interrupt.h"
#include "base/now.h"
#include "base/standard_streams.h"
#include "process/signals.h"
#include "process/threads.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Addresses below this limit are elements of a NULL column: at most 2^22 rows of 64 bytes.
#define MAX_NULL_ELEMENT ((uintptr_t)1 << 28)

typedef struct foreign_thread_t {
  foreign_call_t *volatile current; // innermost call of this thread; NULL outside foreign calls
  signals_timer_t timer;
  const interrupt_thread_t *interrupt;
  bool is_fork_child; // true in a child process that the current call has forked
  // Values of the most recent call, because the stack frames of a terminated thread no longer exist.
  const char *owner, *kind;
  const char *missing_component; // argument of foreign_set_missing_component; NULL if all lookups of the call succeeded
} foreign_thread_t;

static _Thread_local foreign_thread_t this_thread;
static void (*volatile on_lost)(foreign_reason_t reason);

// --- checking

// Checks the limits of a call. The first check of a call sets its start times, so that foreign_begin_call need not read
// a clock.
static void check_limits(const foreign_thread_t *thread, foreign_call_t *call, int64_t cpu_ns, int64_t wall_ns) {
  if (call->start_cpu_ns == 0)
    call->start_cpu_ns = cpu_ns + 1;
  if (interrupt_is_requested_on(thread->interrupt) && call->exit_request_ns == 0)
    call->exit_request_ns = wall_ns;
  if (call->exit_request_ns > 0 && wall_ns - call->exit_request_ns >= (int64_t)FOREIGN_INTERRUPTED_MS * NS_PER_MS)
    on_lost(FOREIGN_INTERRUPT);
  else if (call->budget_ms > 0 && cpu_ns - call->start_cpu_ns >= (int64_t)call->budget_ms * NS_PER_MS)
    on_lost(FOREIGN_TIME);
}

static void on_timer(void *state, int64_t cpu_ns, bool late) {
  foreign_thread_t *thread = state;
  int64_t wall_ns = now_ns();
  (void)late;
  if (!thread->current)
    signals_timer_disarm(&thread->timer);
  for (foreign_call_t *call = thread->current; call && on_lost; call = call->outer)
    check_limits(thread, call, cpu_ns, wall_ns);
}

// --- exiting

static void on_process_exit(void) {
  if (this_thread.current && on_lost)
    on_lost(FOREIGN_EXIT);
}

// Registers one exit handler per thread. The C library removes an exit handler from its list before calling it. With a
// single handler, a second thread that calls exit() at the same time would find no handler, and would end the process
// without a report.
static void catch_exits(void) {
  for (uint32_t i = 0; i < FOREIGN_MAX_THREADS; ++i)
    signals_at_exit(on_process_exit);
}

static void on_thread_exit(void *thread) {
  (void)thread;
  if (!this_thread.current || !on_lost)
    return;
  // The frame that held the call has been overwritten.
  this_thread.current = &(foreign_call_t){.owner = this_thread.owner, .kind = this_thread.kind};
  on_lost(FOREIGN_THREAD_EXIT);
}

static void mark_fork_child(void) {
  this_thread.is_fork_child = this_thread.current != NULL;
}

static void exit_fork_child(void) {
  static const char message[] =
      "shoal: a plugin forked and returned in the child process: end the child process with _exit()\n";
  standard_error_write(message, sizeof message - 1);
  _Exit(0);
}

// --- timers

static pthread_key_t thread_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// Runs before main. The C library of Windows frees a thread's thread-local memory in a destructor, too, and destructors
// run in the order in which their keys were created. on_thread_exit uses this memory, so it must run first.
__attribute__((constructor(101))) static void create_thread_key(void) {
  pthread_key_create(&thread_key, on_thread_exit);
}

static void install_handlers(void) {
  signals_set_timer_handler(SIGNALS_FOREIGN, on_timer);
  threads_at_fork(mark_fork_child);
  catch_exits();
}

static void arm_timer(void) {
  if (this_thread.timer.armed || (this_thread.timer.creation_attempted && !this_thread.timer.created))
    return;
  pthread_once(&once, install_handlers);
  pthread_setspecific(thread_key, &this_thread);
  this_thread.interrupt = interrupt_thread();
  signals_timer_arm(&this_thread.timer, SIGNALS_FOREIGN, FOREIGN_PERIOD_MS * 1000, &this_thread);
}

void foreign_reset_after_fork(void) {
  on_lost = NULL;
  signals_timer_reset_after_fork(&this_thread.timer, false);
}

// --- calls

void foreign_begin_call(foreign_call_t *call) {
  shoal_assert(call->owner && call->kind, "owner and kind must not be NULL");
  call->outer = this_thread.current;
  call->start_cpu_ns = call->exit_request_ns = 0;
  this_thread.owner = call->owner;
  this_thread.kind = call->kind;
  call->outer_missing = this_thread.missing_component;
  this_thread.missing_component = NULL;
  this_thread.current = call;
  arm_timer();
}

void foreign_end_call(foreign_call_t *call) {
  shoal_assert(this_thread.current == call, "foreign_end_call must be called for the innermost call");
  this_thread.current = call->outer;
  this_thread.missing_component = call->outer_missing;
  if (this_thread.is_fork_child)
    exit_fork_child();
}

foreign_call_t *foreign_current_call(void) {
  return this_thread.current;
}

void foreign_restore_current(foreign_call_t *call) {
  this_thread.current = call;
}

void foreign_set_current(foreign_call_t *call) {
  shoal_assert(!call || !this_thread.current, "foreign_set_current must not be used inside a call");
  this_thread.current = call;
}

char *foreign_describe_call(char *out, size_t bytes) {
  shoal_assert(bytes > 0, "bytes must not be 0");
  const foreign_call_t *call = this_thread.current;
  out[0] = '\0';
  if (call)
    snprintf(out, bytes, "plugin %s, %s%s%s", call->owner, call->kind, call->name ? " " : "",
             call->name ? call->name : "");
  return out;
}

void foreign_set_missing_component(const char *name) {
  this_thread.missing_component = name;
}

char *foreign_describe_missing_component(const void *address, char *out, size_t bytes) {
  shoal_assert(bytes > 0, "bytes must not be 0");
  const char *name = this_thread.current ? this_thread.missing_component : NULL;
  out[0] = '\0';
  if (name && (uintptr_t)address < MAX_NULL_ELEMENT)
    snprintf(out, bytes,
             ": the columns of %.64s are NULL: add \"%.64s\" to the query, and list the component in .components or "
             ".uses",
             name, name);
  return out;
}

const char *foreign_reason_text(foreign_reason_t reason) {
  static const char *const messages[] = {"the plugin function exceeded the time limit and did not return",
                                         "the plugin function was still running when the program had to exit",
                                         "the plugin function called exit()",
                                         "the plugin function terminated the calling thread"};
  shoal_assert((size_t)reason < sizeof messages / sizeof *messages, "reason %d is out of range", (int)reason);
  const foreign_call_t *call = this_thread.current;
  if (reason == FOREIGN_TIME && call && strcmp(call->kind, "job") == 0)
    return "a tick waited for the job's result (.due_tick), but the job exceeded its time limit: make .work return "
           "sooner, or split the job into several";
  return messages[reason];
}

void foreign_report_lost_call(foreign_reason_t reason) {
  shoal_assert(this_thread.current, "no call is active");
  if (on_lost)
    on_lost(reason);
}

void foreign_set_lost_callback(void (*callback)(foreign_reason_t reason)) {
  on_lost = callback;
}
