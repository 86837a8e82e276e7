// A program that embeds a game with plugins and checks that libshoal leaves the program as it is: the addresses and
// results of C library functions, the locale and, outside of calls, the signal handlers. Arguments: games.
#define _GNU_SOURCE
#include <shoal/host.h>

#include <dlfcn.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 5, SIGNALS = 65, RESULTS = 256 };

typedef struct program_t {
  void *found[FUNCTIONS];  // addresses returned by dlsym
  void *linked[FUNCTIONS]; // addresses in the program's own import table (compiled with -fPIC -fno-plt)
  double results[RESULTS];
  char locale[256];
} program_t;

static program_t before;
static struct sigaction handlers[SIGNALS];
static atomic_uint problems, calls;
static atomic_bool done;

static void report(const char *when, const char *what) {
  if (atomic_fetch_add(&problems, 1) < 20)
    printf("%s: %s\n", when, what);
}

static void look(program_t *p) {
  static const char *const names[FUNCTIONS] = {"sin", "pow", "qsort", "dlsym", "malloc"};
  memset(p, 0, sizeof *p);
  for (int i = 0; i < FUNCTIONS; ++i)
    p->found[i] = dlsym(RTLD_DEFAULT, names[i]);
  p->linked[0] = (void *)(size_t)(double (*)(double))sin;
  p->linked[1] = (void *)(size_t)(double (*)(double, double))pow;
  p->linked[2] = (void *)(size_t)qsort;
  p->linked[3] = (void *)(size_t)dlsym;
  p->linked[4] = (void *)(size_t)malloc;
  double x = 1e22;
  for (int i = 0; i < RESULTS; ++i, x = x * 0.81 + 0.123)
    p->results[i] = i % 2 ? pow(x, 0.37) : sin(x);
  snprintf(p->locale, sizeof p->locale, "%s", setlocale(LC_ALL, NULL));
}

// May be called on any thread, also during a call of libshoal.
static void check(const char *when) {
  program_t now;
  look(&now);
  atomic_fetch_add(&calls, 1);
  if (memcmp(now.found, before.found, sizeof now.found) != 0)
    report(when, "dlsym finds other functions");
  if (memcmp(now.linked, before.linked, sizeof now.linked) != 0)
    report(when, "the import table has changed");
  if (memcmp(now.results, before.results, sizeof now.results) != 0)
    report(when, "functions have other results");
  if (strcmp(now.locale, before.locale) != 0)
    report(when, "the locale has changed");
}

static void own_handler(int number) {
  (void)number;
}

// The library reserves two realtime signals for its timers (engine/docs/embedding.md).
static void check_handlers(const char *when) {
  for (int i = 1; i < SIGNALS; ++i) {
    struct sigaction now;
    char what[64];
    if (i == SIGRTMIN + 5 || i == SIGRTMIN + 6)
      continue;
    if (sigaction(i, NULL, &now) != 0 ||
        (now.sa_handler == handlers[i].sa_handler && now.sa_flags == handlers[i].sa_flags))
      continue;
    snprintf(what, sizeof what, "the handler of signal %d has changed", i);
    report(when, what);
  }
}

static void log_line(void *context, shoal_host_log_level level, const char *line) {
  (void)context, (void)level, (void)line;
  check("in a callback");
}

static void *watch(void *data) {
  (void)data;
  do
    check("on another thread");
  while (!atomic_load(&done));
  return NULL;
}

static void run_game(const char *game) {
  shoal_host_options options = shoal_host_default_options();
  options.game = game;
  options.headless = true;
  options.history_mb = 16;
  options.workers = 2;
  options.no_stderr = true;
  options.on_log = log_line;
  options.log_level = SHOAL_HOST_LOG_DEBUG;
  shoal_host *host = shoal_host_create(&options);
  if (!host || !shoal_host_step(host, 60)) {
    printf("%s: %s\n", game, shoal_host_last_error());
    exit(2);
  }
  check("while a host exists");
  check_handlers("while a host exists");
  if (!shoal_host_reload(host) || !shoal_host_step(host, 10))
    report("reload", shoal_host_last_error());
  check("after a reload");
  check_handlers("after a reload");
  shoal_host_destroy(host);
  check("after the host");
  check_handlers("after the host");
}

int main(int argc, char **argv) {
  static const int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF, SIGALRM, SIGVTALRM, SIGUSR1, SIGUSR2};
  pthread_t thread;
  if (!setlocale(LC_ALL, "C.UTF-8"))
    return 2;
  for (size_t i = 0; i < sizeof caught / sizeof *caught; ++i)
    sigaction(caught[i], &(struct sigaction){.sa_handler = own_handler}, NULL);
  for (int i = 1; i < SIGNALS; ++i)
    sigaction(i, NULL, &handlers[i]);
  look(&before);
  if (pthread_create(&thread, NULL, watch, NULL) != 0)
    return 2;
  for (int i = 1; i < argc; ++i)
    run_game(argv[i]);
  atomic_store(&done, true);
  pthread_join(thread, NULL);
  printf("%u problems, %s\n", atomic_load(&problems), atomic_load(&calls) > 20 ? "checked" : "not checked");
  return 0;
}
