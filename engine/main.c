// Arguments → host → frames → exit code.
#include "host/crash.h"
#include "host/host.h"
#include "host/keep.h"
#include "script/watchdog.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) {
  (void)number;
  interrupted = 1;
  watchdog_interrupt();
}

// The first Ctrl+C ends the run in order, and stops a script that does not return; the second one ends it at once.
static void catch_interrupts(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_interrupt;
  action.sa_flags = (int)SA_RESETHAND;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

#ifndef __SANITIZE_ADDRESS__ // the sanitizers have better words for the same signals
static host_o *running;
static char crash_stack[256 * 1024]; // a stack that has overflown has no room for a handler

// The process is lost: what can be told is told, and then the signal comes back.
static void on_crash(int number, siginfo_t *info, void *context) {
  (void)context;
  bool has_address = number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE;
  crash_leave(running, number, has_address ? info->si_addr : NULL);
  raise(number);
}

static void catch_crashes(host_o *host) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_crash;
  action.sa_flags = (int)(SA_RESETHAND | SA_SIGINFO | SA_ONSTACK);
  running = host;
  sigaltstack(&(stack_t){.ss_sp = crash_stack, .ss_size = sizeof crash_stack, .ss_flags = host ? 0 : SS_DISABLE}, NULL);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    sigaction(signals[i], host ? &action : &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
}
#else
static void catch_crashes(host_o *host) {
  (void)host;
}
#endif

int main(int argc, char **argv) {
  options_t options;
  error_t error = {{0}};
  if (!options_parse(argc, (const char *const *)argv, &options, &error)) {
    fprintf(stderr, "shoal: %s\n", error.text);
    return 2;
  }
  if (options.word == OPTIONS_HELP) {
    fputs(options_help(), stdout);
    return 0;
  }
  if (options.word == OPTIONS_VERSION) {
    puts("shoal " SHOAL_VERSION);
    return 0;
  }
  int answered = 0;
  if (keep_answers(&options, &answered) || crash_answers(&options, &answered))
    return answered;
  catch_interrupts();
  host_o *host = host_create(&options, &error);
  if (!host) {
    fprintf(stderr, "shoal: %s\n", error.text);
    return 2;
  }
  catch_crashes(host);
  while (host_frame(host))
    if (interrupted)
      host_stop(host);
  catch_crashes(NULL);
  int code = host_exit_code(host);
  host_destroy(host);
  return code;
}
