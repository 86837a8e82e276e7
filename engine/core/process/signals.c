// POSIX signals, and timers with SIGEV_THREAD_ID. A timer is created when first armed. Each thread has a list of its
// timers, which are deleted when the thread ends.
#include "process/signals.h"

#include "base/assert.h"
#include "base/interrupt.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
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
  FAULTS = HANDLED_SIGNAL_COUNT - 1, // number of faults, which are listed first
};

// Returns the interrupted instruction; NULL on unsupported processors.
static const void *get_fault_code(const void *context) {
  const ucontext_t *u = context;
#if defined(__x86_64__) && defined(__linux__)
  return (const void *)(uintptr_t)u->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__) && defined(__linux__)
  return (const void *)(uintptr_t)u->uc_mcontext.pc;
#else
  (void)u;
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

// The first SIGTERM requests an exit. A later one terminates the program, unless a save would be lost: a process group
// often receives two of them, for example from `timeout`.
static void on_term_signal(int number) {
  int errno_before = errno;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  term_count += term_count < 3;
  if (term_count == 1) {
    first_term_s = now.tv_sec;
    interrupt_request();
  } else if (atomic_load(&saves) > 0 && now.tv_sec - first_term_s < SAVE_GRACE_S) {
    if (term_count == 2)
      write_term_ignored();
  } else {
    signal(number, SIG_DFL);
    raise(number); // the signal is delivered when this handler returns
  }
  errno = errno_before;
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
  sigfillset(&action.sa_mask); // block all signals, even those of the watchdog: the interrupted code may hold a lock
  sigaction(SIGINT, &action, NULL);
  action.sa_handler = on_term_signal;
  action.sa_flags = 0;
  sigaction(SIGTERM, &action, NULL);
  signal(SIGXFSZ, SIG_IGN);
}

// --- faults

const char *signals_name(int number) {
  static _Thread_local char other[32];
  for (size_t i = 0; i < HANDLED_SIGNAL_COUNT; ++i)
    if (HANDLED_SIGNALS[i].number == number)
      return HANDLED_SIGNALS[i].name;
  snprintf(other, sizeof other, "signal %d", number);
  return other;
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

static signals_fault_t *on_fault, *on_fault_of_copy;
static struct sigaction previous_actions[FAULTS];

// Restores the previous handler. A fault raised by the processor recurs with all its data when the instruction is
// executed again; other signals are raised again here.
static void restore_handler(int number, const siginfo_t *info) {
  for (size_t i = 0; i < FAULTS; ++i)
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
  static volatile sig_atomic_t again;
  signal(number, SIG_DFL);
  if (!again++)
    on_fault_of_copy(number, number != SIGABRT ? info->si_addr : NULL, get_fault_code(context));
  raise(number); // the signal is delivered when this handler returns
}

static void set_handlers(void (*handler)(int, siginfo_t *, void *), struct sigaction *old) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handler;
  action.sa_flags = (int)(SA_SIGINFO | SA_ONSTACK);
  for (size_t i = 0; i < FAULTS; ++i)
    sigaction(HANDLED_SIGNALS[i].number, &action, old ? &old[i] : NULL);
}

void signals_catch_faults(signals_fault_t *callback) {
  shoal_assert(callback && !on_fault, "callback must not be NULL, and must be set only once");
  on_fault = callback;
  set_handlers(handle_fault, previous_actions);
}

void signals_release_faults(void) {
  struct sigaction current;
  for (size_t i = 0; i < FAULTS; ++i)
    if (sigaction(HANDLED_SIGNALS[i].number, NULL, &current) == 0 && current.sa_sigaction == handle_fault)
      sigaction(HANDLED_SIGNALS[i].number, &previous_actions[i], NULL);
  on_fault = NULL;
}

void signals_catch_faults_in_child(signals_fault_t *callback) {
  shoal_assert(callback, "callback must not be NULL");
  on_fault_of_copy = callback;
  set_handlers(handle_child_fault, NULL);
}

void signals_use_stack(void *stack, size_t bytes) {
  sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = stack ? bytes : 0, .ss_flags = stack ? 0 : SS_DISABLE}, NULL);
}

bool signals_has_stack(void) {
  stack_t now;
  return sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE);
}

// --- threads and child processes

_Static_assert(sizeof(sigset_t) <= sizeof(signals_mask_t), "signals_mask_t must hold a sigset_t");

void signals_block_all(signals_mask_t *out) {
  sigset_t all, now;
  sigfillset(&all);
  for (size_t i = 0; i < FAULTS; ++i)
    sigdelset(&all, HANDLED_SIGNALS[i].number);
  pthread_sigmask(SIG_SETMASK, &all, &now);
  memcpy(out->bytes, &now, sizeof now);
}

void signals_restore_mask(const signals_mask_t *as) {
  sigset_t mask;
  memcpy(&mask, as->bytes, sizeof mask);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

void signals_set_alarm(uint32_t seconds) {
  alarm(seconds);
}

void signals_reset_in_child(uint32_t ends_after_s, bool politely) {
  sigset_t none;
  for (size_t i = 0; i < FAULTS; ++i)
    signal(HANDLED_SIGNALS[i].number, SIG_DFL);
  signal(SIGALRM, SIG_DFL);
  if (politely) {
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
  }
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL); // unblock the signal whose handler may be running
  alarm(ends_after_s);
}

// --- timers

static void (*volatile lookers[SIGNALS_CLIENTS])(bool late);
static _Thread_local signals_timer_t *first_timer;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int get_signal_number(signals_client_t client) {
  return SIGRTMIN + 5 + (int)client;
}

// The timer's signal is blocked while its handler runs: if signals arrived faster than they are handled, nested
// handlers would fill the stack.
static void on_timer(int number, siginfo_t *info, void *context) {
  int errno_before = errno;
  (void)context;
  lookers[number - get_signal_number(0)](info->si_overrun > 0);
  errno = errno_before;
}

void signals_set_timer_handler(signals_client_t client, void (*look)(bool late)) {
  struct sigaction action;
  shoal_assert(client < SIGNALS_CLIENTS && look, "timer client %d must be below %d, and look must not be NULL",
               (int)client, (int)SIGNALS_CLIENTS);
  lookers[client] = look;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_timer;
  action.sa_flags = (int)(SA_SIGINFO | SA_RESTART | (client == SIGNALS_FOREIGN ? SA_ONSTACK : 0));
  sigaction(get_signal_number(client), &action, NULL);
}

static void on_thread_exit(void *timers) {
  for (signals_timer_t *t = timers; t; t = t->next) {
    if (t->created)
      timer_delete((timer_t)t->timer);
    t->created = false;
  }
}

static void create_thread_key(void) {
  pthread_key_create(&key, on_thread_exit);
}

static bool create_timer(signals_timer_t *t, signals_client_t client) {
  struct sigevent event;
  sigset_t unblocked;
  timer_t timer;
  pthread_once(&once, create_thread_key);
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = get_signal_number(client);
  event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
  sigemptyset(&unblocked); // background threads block all signals
  sigaddset(&unblocked, get_signal_number(client));
  pthread_sigmask(SIG_UNBLOCK, &unblocked, NULL);
  t->creation_attempted = true;
  t->created = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
  if (!t->created)
    return false;
  t->timer = (void *)timer;
  t->next = first_timer;
  first_timer = t;
  pthread_setspecific(key, first_timer);
  return true;
}

static void set_period(signals_timer_t *t, uint32_t period_us) {
  struct itimerspec spec = {{0}, {0}};
  spec.it_interval.tv_sec = spec.it_value.tv_sec = period_us / 1000000;
  spec.it_interval.tv_nsec = spec.it_value.tv_nsec = (long)(period_us % 1000000) * 1000;
  timer_settime((timer_t)t->timer, 0, &spec, NULL);
}

bool signals_timer_arm(signals_timer_t *t, signals_client_t client, uint32_t period_us) {
  shoal_assert(period_us > 0, "period_us must not be 0");
  if (t->armed && t->period_us <= period_us)
    return true;
  if (!t->created && (t->creation_attempted || !create_timer(t, client)))
    return false;
  t->period_us = period_us;
  t->armed = true;
  set_period(t, period_us);
  return true;
}

void signals_timer_lengthen_period(signals_timer_t *t, uint32_t period_us) {
  if (t->armed && t->period_us < period_us)
    set_period(t, t->period_us = period_us);
}

void signals_timer_disarm(signals_timer_t *t) {
  if (!t->armed)
    return;
  t->armed = false;
  set_period(t, 0);
}

void signals_timer_reset_after_fork(signals_timer_t *t, bool allow_new_timer) {
  for (signals_timer_t **at = &first_timer; *at; at = &(*at)->next)
    if (*at == t) {
      *at = t->next;
      break;
    }
  if (first_timer == NULL)
    pthread_once(&once, create_thread_key);
  pthread_setspecific(key, first_timer);
  t->created = t->armed = false;
  t->creation_attempted = !allow_new_timer;
}
