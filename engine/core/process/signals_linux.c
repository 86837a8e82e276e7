// POSIX signals, and timers with SIGEV_THREAD_ID. A timer is created when first armed. Each thread has a list of its
// timers, which are deleted when the thread ends.
#include "process/signals.h"

#include "base/assert.h"
#include "base/interrupt.h"
#include "base/now.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static const struct {
  int number;
  const char *name, *message;
} HANDLED_SIGNALS[] = {
    {SIGSEGV, "SIGSEGV", "invalid memory access"},
    {SIGBUS, "SIGBUS", "inaccessible memory"},
    {SIGFPE, "SIGFPE", "arithmetic error"},
    {SIGILL, "SIGILL", "illegal instruction"},
    {SIGABRT, "SIGABRT", "aborted"},
    {SIGKILL, "SIGKILL", "killed"},
};
enum {
  HANDLED_SIGNAL_COUNT = sizeof HANDLED_SIGNALS / sizeof *HANDLED_SIGNALS,
  FAULT_COUNT = HANDLED_SIGNAL_COUNT - 1, // number of faults, which are listed first
};

// Returns the address of the instruction that the signal interrupted, read from the handler's `context`; NULL on
// unsupported processors.
static const void *get_fault_code(const void *context) {
  const ucontext_t *ucontext = context;
#ifdef __x86_64__
  return (const void *)(uintptr_t)ucontext->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  return (const void *)(uintptr_t)ucontext->uc_mcontext.pc;
#else
  (void)ucontext;
  return NULL;
#endif
}

// --- exit requests

#define SAVE_GRACE_S 10

static _Atomic uint32_t saves;           // number of saves that are written or requested
static volatile sig_atomic_t term_count; // number of SIGTERMs so far, at most 3
static volatile time_t first_term_s;

static void on_interrupt_signal(int number) {
  (void)number;
  interrupt_request();
}

static void write_term_ignored(void) {
  static const char text[] = "shoal: ignored a second SIGTERM, because a save is being written (for at most 10 s; "
                             "press Ctrl+C twice to exit without it)\n";
  ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
  (void)written;
}

// The first SIGTERM requests an exit. A later SIGTERM terminates the program, unless a save would be lost: a process
// group often receives two SIGTERMs, for example from `timeout`.
static void on_term_signal(int number) {
  int saved_errno = errno;
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  term_count += term_count < 3;
  if (term_count == 1) {
    first_term_s = time.tv_sec;
    interrupt_request();
  } else if (atomic_load(&saves) > 0 && time.tv_sec - first_term_s < SAVE_GRACE_S) {
    if (term_count == 2)
      write_term_ignored();
  } else {
    signal(number, SIG_DFL);
    raise(number); // the signal is delivered when this handler returns
  }
  errno = saved_errno;
}

void signals_begin_save(void) {
  atomic_fetch_add(&saves, 1);
}

void signals_end_save(void) {
  atomic_fetch_sub(&saves, 1);
}

void signals_catch_termination(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_interrupt_signal;
  action.sa_flags = (int)SA_RESETHAND;
  sigfillset(&action.sa_mask); // blocks all signals, including the watchdog's: the interrupted code may hold a lock
  sigaction(SIGINT, &action, NULL);
  action.sa_handler = on_term_signal;
  action.sa_flags = 0;
  sigaction(SIGTERM, &action, NULL);
  signal(SIGXFSZ, SIG_IGN);
}

static volatile sig_atomic_t forward_process; // process that receives this program's exit requests; 0: no process

static void on_forwarded_signal(int number, siginfo_t *info, void *context) {
  int saved_errno = errno;
  (void)context;
  if (info->si_code <= 0 && forward_process > 0) // sent by a process; the terminal's signals reach the child, too
    kill(forward_process, number);
  errno = saved_errno;
}

void signals_forward_termination(int process) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_forwarded_signal;
  action.sa_flags = SA_SIGINFO;
  sigfillset(&action.sa_mask);
  forward_process = process;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
    sigaction(numbers[i], &action, NULL);
}

void signals_end_with_parent(void) {
  prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
}

void signals_at_exit(void (*callback)(void)) {
  atexit(callback);
  at_quick_exit(callback);
}

void signals_raise_default(int number) {
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  signal(number, SIG_DFL);
  raise(number);
  sigprocmask(SIG_UNBLOCK, &only, NULL); // delivers the signal if it was blocked
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
static struct sigaction previous_actions[FAULT_COUNT];

// Restores the previous handler. A fault raised by the processor recurs with all its data when the instruction is
// executed again; other signals are raised again here.
static void restore_handler(int number, const siginfo_t *info) {
  for (size_t i = 0; i < FAULT_COUNT; ++i)
    if (HANDLED_SIGNALS[i].number == number)
      sigaction(number, &previous_actions[i], NULL);
  if (number == SIGABRT || info->si_code <= 0)
    raise(number);
}

static void handle_fault(int number, siginfo_t *info, void *context) {
  on_fault(number, number != SIGABRT ? info->si_addr : NULL, get_fault_code(context));
  restore_handler(number, info);
}

static void handle_child_fault(int number, siginfo_t *info, void *context) {
  static volatile sig_atomic_t entered;
  signal(number, SIG_DFL);
  if (!entered++)
    on_child_fault(number, number != SIGABRT ? info->si_addr : NULL, get_fault_code(context));
  raise(number); // the signal is delivered when this handler returns
}

static void set_handlers(void (*handler)(int, siginfo_t *, void *), struct sigaction *old) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handler;
  action.sa_flags = (int)(SA_SIGINFO | SA_ONSTACK);
  for (size_t i = 0; i < FAULT_COUNT; ++i)
    sigaction(HANDLED_SIGNALS[i].number, &action, old ? &old[i] : NULL);
}

void signals_catch_faults(signals_fault_t *callback) {
  shoal_assert(callback && !on_fault, "callback must not be NULL, and must be set only once");
  on_fault = callback;
  set_handlers(handle_fault, previous_actions);
}

void signals_release_faults(void) {
  struct sigaction current;
  for (size_t i = 0; i < FAULT_COUNT; ++i)
    if (sigaction(HANDLED_SIGNALS[i].number, NULL, &current) == 0 && current.sa_sigaction == handle_fault)
      sigaction(HANDLED_SIGNALS[i].number, &previous_actions[i], NULL);
  on_fault = NULL;
}

void signals_catch_faults_in_child(signals_fault_t *callback) {
  shoal_assert(callback, "callback must not be NULL");
  on_child_fault = callback;
  set_handlers(handle_child_fault, NULL);
}

void signals_use_stack(void *stack, size_t bytes) {
  sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = stack ? bytes : 0, .ss_flags = stack ? 0 : SS_DISABLE}, NULL);
}

bool signals_has_stack(void) {
  stack_t current;
  return sigaltstack(NULL, &current) != 0 || !(current.ss_flags & SS_DISABLE);
}

// --- threads and child processes

_Static_assert(sizeof(sigset_t) <= sizeof(signals_mask_t), "signals_mask_t must hold a sigset_t");

void signals_block_all(signals_mask_t *out) {
  sigset_t all, previous;
  sigfillset(&all);
  for (size_t i = 0; i < FAULT_COUNT; ++i)
    sigdelset(&all, HANDLED_SIGNALS[i].number);
  pthread_sigmask(SIG_SETMASK, &all, &previous);
  memcpy(out->bytes, &previous, sizeof previous);
}

void signals_restore_mask(const signals_mask_t *saved) {
  sigset_t mask;
  memcpy(&mask, saved->bytes, sizeof mask);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

void signals_set_alarm(uint32_t seconds) {
  alarm(seconds);
}

void signals_reset_in_child(uint32_t timeout_s, bool exit_on_request) {
  sigset_t empty_mask;
  for (size_t i = 0; i < FAULT_COUNT; ++i)
    signal(HANDLED_SIGNALS[i].number, SIG_DFL);
  signal(SIGALRM, SIG_DFL);
  if (exit_on_request) {
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
  }
  sigemptyset(&empty_mask);
  sigprocmask(SIG_SETMASK, &empty_mask, NULL); // unblocks the signal whose handler may be running
  alarm(timeout_s);
}

// --- timers

static signals_check_f *volatile timer_checks[SIGNALS_CLIENTS];
static _Thread_local signals_timer_t *thread_timers;
static pthread_key_t timers_key;
static pthread_once_t timers_key_once = PTHREAD_ONCE_INIT;

static int get_signal_number(signals_client_t client) {
  return SIGRTMIN + 5 + (int)client;
}

// Returns the timer that caused a signal. A signal from a different source (kill, or a timer that create_timer did not
// create) stands for this thread's timer of the client. Returns NULL if the thread has no such timer.
static const signals_timer_t *find_timer(signals_client_t client, const siginfo_t *info) {
  if (info->si_code == SI_TIMER && info->si_value.sival_ptr)
    return info->si_value.sival_ptr;
  const signals_timer_t *timer = thread_timers;
  while (timer && timer->client != client)
    timer = timer->next;
  return timer;
}

// The timer's signal is blocked while its handler runs: if signals arrived faster than they are handled, nested
// handlers would fill the stack.
static void on_timer(int number, siginfo_t *info, void *context) {
  int saved_errno = errno;
  signals_client_t client = (signals_client_t)(number - get_signal_number(0));
  const signals_timer_t *timer = find_timer(client, info);
  (void)context;
  if (timer)
    timer_checks[client](timer->state, now_thread_ns(), info->si_code == SI_TIMER && info->si_overrun > 0);
  errno = saved_errno;
}

void signals_set_timer_handler(signals_client_t client, signals_check_f *check) {
  struct sigaction action;
  shoal_assert(client < SIGNALS_CLIENTS && check, "timer client %d must be below %d, and check must not be NULL",
               (int)client, (int)SIGNALS_CLIENTS);
  timer_checks[client] = check;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_timer;
  action.sa_flags = (int)(SA_SIGINFO | SA_RESTART | (client == SIGNALS_FOREIGN ? SA_ONSTACK : 0));
  sigaction(get_signal_number(client), &action, NULL);
}

int64_t signals_time_step_ns(void) {
  return 0;
}

static void on_thread_exit(void *timers) {
  for (signals_timer_t *timer = timers; timer; timer = timer->next) {
    if (timer->created)
      timer_delete((timer_t)timer->timer);
    timer->created = false;
  }
}

static void create_thread_key(void) {
  pthread_key_create(&timers_key, on_thread_exit);
}

static bool create_timer(signals_timer_t *timer, signals_client_t client) {
  struct sigevent event;
  sigset_t unblocked;
  timer_t system_timer;
  pthread_once(&timers_key_once, create_thread_key);
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = get_signal_number(client);
  event.sigev_value.sival_ptr = timer;
  event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
  sigemptyset(&unblocked); // background threads block all signals
  sigaddset(&unblocked, get_signal_number(client));
  pthread_sigmask(SIG_UNBLOCK, &unblocked, NULL);
  timer->creation_attempted = true;
  timer->created = timer_create(CLOCK_MONOTONIC, &event, &system_timer) == 0;
  if (!timer->created)
    return false;
  timer->timer = (void *)system_timer;
  timer->client = client;
  timer->next = thread_timers;
  thread_timers = timer;
  pthread_setspecific(timers_key, thread_timers);
  return true;
}

static void set_period(signals_timer_t *timer, uint32_t period_us) {
  struct itimerspec spec = {{0}, {0}};
  spec.it_interval.tv_sec = spec.it_value.tv_sec = period_us / 1000000;
  spec.it_interval.tv_nsec = spec.it_value.tv_nsec = (long)(period_us % 1000000) * 1000;
  timer_settime((timer_t)timer->timer, 0, &spec, NULL);
}

bool signals_timer_arm(signals_timer_t *timer, signals_client_t client, uint32_t period_us, void *state) {
  shoal_assert(period_us > 0, "period_us must not be 0");
  timer->state = state;
  if (timer->armed && timer->period_us <= period_us)
    return true;
  if (!timer->created && (timer->creation_attempted || !create_timer(timer, client)))
    return false;
  timer->period_us = period_us;
  timer->armed = true;
  set_period(timer, period_us);
  return true;
}

void signals_timer_lengthen_period(signals_timer_t *timer, uint32_t period_us) {
  if (timer->armed && timer->period_us < period_us)
    set_period(timer, timer->period_us = period_us);
}

void signals_timer_disarm(signals_timer_t *timer) {
  if (!timer->armed)
    return;
  timer->armed = false;
  set_period(timer, 0);
}

void signals_timer_reset_after_fork(signals_timer_t *timer, bool allow_new_timer) {
  for (signals_timer_t **link = &thread_timers; *link; link = &(*link)->next)
    if (*link == timer) {
      *link = timer->next;
      break;
    }
  if (thread_timers == NULL)
    pthread_once(&timers_key_once, create_thread_key);
  pthread_setspecific(timers_key, thread_timers);
  timer->created = timer->armed = false;
  timer->creation_attempted = !allow_new_timer;
}
