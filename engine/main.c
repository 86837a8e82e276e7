// Arguments → host → frames → exit code.
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

// The process is lost: what is tried here may hang or fail again, so it has five seconds, and then the signal comes back.
static void on_crash(int number) {
  alarm(5);
  host_emergency(running);
  raise(number);
}

static void catch_crashes(host_o *host) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_crash;
  action.sa_flags = (int)SA_RESETHAND;
  running = host;
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
  if (keep_answers(&options, &answered))
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
