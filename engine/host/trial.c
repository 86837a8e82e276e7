#include "host/trial.h"

#include "script/watchdog.h"

#include <stdio.h>
#include <string.h>

#if defined(__unix__) || defined(__APPLE__)

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NAME_BYTES 96

// What goes through the pipe. Both ends are the same program.
typedef struct message_t {
  bool last;
  script_report_t report;
} message_t;

typedef struct trial_run_t {
  game_o *game;
  int pipe[2]; // read, write
  char *name;  // of the system that runs in there: memory that both processes see
  uint32_t limit_ms;
  pid_t child;
  trial_t *out;
} trial_run_t;

// ---------------------------------------------------------------------------------------------------------------- the copy

static void send(int to, const message_t *message) {
  const char *at = (const char *)message;
  for (size_t left = sizeof *message; left > 0;) {
    ssize_t wrote = write(to, at, left);
    if (wrote < 0 && errno == EINTR)
      continue;
    if (wrote <= 0)
      _exit(1); // nobody listens any more
    at += wrote;
    left -= (size_t)wrote;
  }
}

static void send_reports(const trial_run_t *t) {
  message_t message;
  memset(&message, 0, sizeof message);
  while (game_take_reports(t->game, &message.report, 1))
    send(t->pipe[1], &message);
}

// A crash is to be a plain signal, without a core, a recording of the last seconds, or a word.
static void be_quiet(const trial_run_t *t) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGINT, SIGTERM, SIGALRM};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    signal(signals[i], SIG_DFL);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  alarm(t->limit_ms / 1000 + 10); // should the parent be gone
  int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  audio_mute(t->game->desc.audio, true);
  watchdog_after_fork();
  jobs_after_fork(t->game->desc.jobs);
}

static void run_copy(const trial_run_t *t) {
  game_o *g = t->game;
  input_state_t input = g->input;
  message_t message;
  close(t->pipe[0]);
  be_quiet(t);
  while (game_take_reports(g, &message.report, 1)) // of what it was before: no fault of this tick
    ;
  schedule_name_running(g->schedule, t->name, NAME_BYTES);
  game_feed(g, &input); // what is held down stays down
  game_tick(g);
  send_reports(t);
  draw_clear(g->desc.draw);
  game_render(g, (float)world_dt_s(g->world));
  send_reports(t);
  memset(&message, 0, sizeof message);
  message.last = true;
  send(t->pipe[1], &message);
  _exit(0);
}

// --------------------------------------------------------------------------------------------------------- who waits for it

static int64_t now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

// One message, or as much of it as comes. Returns its bytes: fewer than it has when the other end is closed or time is up.
static size_t receive(const trial_run_t *t, message_t *message, int64_t until_ms) {
  size_t got = 0;
  while (got < sizeof *message) {
    int64_t left_ms = until_ms - now_ms();
    struct pollfd x = {.fd = t->pipe[0], .events = POLLIN};
    int ready = poll(&x, 1, left_ms > 0 ? (int)left_ms : 0);
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready <= 0)
      break;
    ssize_t count = read(t->pipe[0], (char *)message + got, sizeof *message - got);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      break;
    got += (size_t)count;
  }
  return got;
}

// False when time is up.
static bool listen_to(trial_run_t *t) {
  int64_t until_ms = now_ms() + t->limit_ms;
  message_t message;
  while (!t->out->ended && receive(t, &message, until_ms) == sizeof message) {
    t->out->ended = message.last;
    if (!message.last && t->out->report_count < TRIAL_MAX_REPORTS)
      t->out->reports[t->out->report_count++] = message.report;
  }
  return t->out->ended || now_ms() < until_ms;
}

static const char *signal_name(int number, char *out, size_t bytes) {
  static const struct {
    int number;
    const char *name;
  } known[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
               {SIGILL, "SIGILL"},   {SIGABRT, "SIGABRT"}, {SIGKILL, "SIGKILL"}};
  snprintf(out, bytes, "signal %d", number);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i].number == number)
      snprintf(out, bytes, "%s", known[i].name);
  return out;
}

static void report_lost(const trial_run_t *t, int status, bool late) {
  script_report_t *r = &t->out->lost;
  char name[32];
  bool inside = t->name[0] != '\0';
  snprintf(r->piece, sizeof r->piece, inside ? "system %s" : "the new game", t->name);
  r->tick = world_tick(t->game->world);
  if (late)
    snprintf(r->message, sizeof r->message, "%s did not come to an end within %u ms on its trial tick", r->piece,
             t->limit_ms);
  else if (WIFSIGNALED(status))
    snprintf(r->message, sizeof r->message, "%s crashed on its trial tick (%s)", r->piece,
             signal_name(WTERMSIG(status), name, sizeof name));
  else
    snprintf(r->message, sizeof r->message, "%s ended the program on its trial tick (status %d)", r->piece,
             WEXITSTATUS(status));
  if (inside)
    vm_system_file(t->game->vm, t->name, r->file, sizeof r->file);
}

static void wait_for_copy(trial_run_t *t) {
  int status = 0;
  bool late = !listen_to(t);
  if (late)
    kill(t->child, SIGKILL);
  while (waitpid(t->child, &status, 0) < 0 && errno == EINTR)
    ;
  if (!t->out->ended)
    report_lost(t, status, late);
}

void trial_run(game_o *g, uint32_t limit_ms, trial_t *out) {
  trial_run_t t = {.game = g, .limit_ms = limit_ms, .out = out};
  memset(out, 0, sizeof *out);
  void *shared = mmap(NULL, NAME_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    return;
  t.name = shared;
  if (pipe(t.pipe) == 0) {
    t.child = fork();
    if (t.child == 0)
      run_copy(&t);
    close(t.pipe[1]);
    out->ran = t.child > 0;
    if (out->ran)
      wait_for_copy(&t);
    close(t.pipe[0]);
  }
  munmap(shared, NAME_BYTES);
}

#else

void trial_run(game_o *g, uint32_t limit_ms, trial_t *out) {
  (void)g;
  (void)limit_ms;
  memset(out, 0, sizeof *out);
}

#endif
