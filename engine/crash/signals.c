// The handlers: what was there before them is kept, and gets the signal after them.
#include "crash/signals.h"

#include "base/assert.h"
#include "base/child.h"
#include "crash/place.h"

#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define STACK_BYTES ((size_t)256 * 1024)

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { CATCHES = false };
#else
enum { CATCHES = true };
#endif

static const int SIGNALS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { SIGNAL_COUNT = sizeof SIGNALS / sizeof *SIGNALS };

static struct {
  crash_hear_t *hear;
  struct sigaction before[SIGNAL_COUNT];
  bool caught;
  void *stack; // of the thread that catches
  _Atomic(pthread_t) first;
} me;

static const void *code_of(const void *context) {
  const ucontext_t *u = context;
#if defined(__x86_64__)
  return (const void *)(uintptr_t)u->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  return (const void *)(uintptr_t)u->uc_mcontext.pc;
#else
  (void)u;
  return NULL;
#endif
}

bool crash_is_first(void) {
  pthread_t first = 0;
  if (atomic_compare_exchange_strong(&me.first, &first, pthread_self()))
    return true;
  while (!pthread_equal(first, pthread_self()))
    pause();
  return false;
}

// A signal of the processor's comes again by itself, with all that it says, when its instruction is tried again.
static void hand_on(int number, const siginfo_t *info) {
  for (size_t i = 0; i < SIGNAL_COUNT; ++i)
    if (SIGNALS[i] == number)
      sigaction(number, &me.before[i], NULL);
  if (number == SIGABRT || info->si_code <= 0)
    raise(number);
}

static void on_crash(int number, siginfo_t *info, void *context) {
  bool has_address = number != SIGABRT;
  if (crash_is_first() && me.hear)
    me.hear(
        &(crash_signal_t){.number = number, .address = has_address ? info->si_addr : NULL, .code = code_of(context)});
  hand_on(number, info);
}

void *crash_stack_add(void) {
  stack_t now;
  if (!CATCHES || sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE))
    return NULL;
  void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED)
    return NULL;
  sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = STACK_BYTES}, NULL);
  return stack;
}

void crash_stack_remove(void *stack) {
  if (!stack)
    return;
  sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
  munmap(stack, STACK_BYTES);
}

static void set_handlers(void (*handler)(int, siginfo_t *, void *), struct sigaction *before) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handler;
  action.sa_flags = (int)(SA_SIGINFO | SA_ONSTACK);
  for (size_t i = 0; i < SIGNAL_COUNT; ++i)
    sigaction(SIGNALS[i], &action, before ? &before[i] : NULL);
}

// The first walk over a stack loads a library.
static void be_ready(void) {
  void *frame;
  backtrace(&frame, 1);
}

void crash_catch(crash_hear_t *hear) {
  shoal_assert(hear, "somebody hears of crashes");
  me.hear = hear;
  if (!CATCHES || me.caught)
    return;
  be_ready();
  me.stack = crash_stack_add();
  set_handlers(on_crash, me.before);
  me.caught = true;
}

void crash_release(void) {
  struct sigaction now;
  if (!me.caught)
    return;
  for (size_t i = 0; i < SIGNAL_COUNT; ++i)
    if (sigaction(SIGNALS[i], NULL, &now) == 0 && now.sa_sigaction == on_crash)
      sigaction(SIGNALS[i], &me.before[i], NULL);
  crash_stack_remove(me.stack);
  me.stack = NULL;
  me.caught = false;
  me.hear = NULL;
}

// --- in copies

static char *words; // that both processes see
static size_t words_bytes;

static void on_crash_in_copy(int number, siginfo_t *info, void *context) {
  static volatile sig_atomic_t again;
  crash_place_t place;
  signal(number, SIG_DFL);
  (void)info;
  if (!again++ && crash_place_of_stack(code_of(context), &place))
    crash_place_words(&place, words, words_bytes);
  raise(number); // waits until this returns
}

static void prepare(char *out, size_t bytes) {
  shoal_assert(bytes > 0, "a copy has no room for words");
  words = out;
  words_bytes = bytes;
  me.first = 0;
  crash_stack_add(); // the copy ends with it
  set_handlers(on_crash_in_copy, NULL);
}

void crash_tell_in_copies(void) {
  if (!CATCHES)
    return;
  be_ready();
  child_prepare(prepare);
}
