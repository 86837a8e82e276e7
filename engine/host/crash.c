// Writes the report and the recording from a signal handler: with what was opened and formatted beforehand.
#include "host/crash.h"

#include "base/files.h"
#include "base/foreign.h"
#include "base/now.h"
#include "components/name.h"
#include "host/host_internal.h"
#include "start/package.h"

#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STAGE_MS 3000 // of processor time for each part, and of standing still

typedef struct crash_t {
  const crash_desc_t *desc;
  host_o *host; // NULL before there is one
  char report[PATH_MAX_BYTES + 64], recording[PATH_MAX_BYTES + 64];
} crash_t;

// --- parts, each in a copy of the process

static const char *signal_words(int number) {
  switch (number) {
  case SIGSEGV: return "SIGSEGV, memory that is not there";
  case SIGBUS: return "SIGBUS, memory that cannot be reached";
  case SIGFPE: return "SIGFPE, arithmetic";
  case SIGILL: return "SIGILL, no instruction";
  case SIGABRT: return "SIGABRT, given up";
  default: return "a signal";
  }
}

static int open_report(const crash_t *c, int flags) {
  return open(c->report, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags,
              0666); // a pipe there would be waited for
}

// dprintf would ask for memory.
__attribute__((format(printf, 2, 3))) static void tell(int file, const char *format, ...) {
  char text[4096];
  va_list arguments;
  va_start(arguments, format);
  int bytes = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  size_t count = bytes < 0 ? 0 : (size_t)bytes < sizeof text ? (size_t)bytes : sizeof text - 1;
  if (write(file, text, count) < 0)
    _exit(1);
}

static void write_entity(const game_o *g, int file) {
  char label[NAME_DESCRIPTION_MAX];
  shoal_entity e = vm_entity_at_hand(g->vm);
  if (!world_alive(g->world, e))
    return;
  uint32_t assemblage = world_entities(g->world)->assemblage[shoal_entity_index(e)];
  tell(file, "entity: %s\n", name_describe(g->world, e, label, sizeof label));
  tell(file, "assemblage: %s\n", strings_text(world_strings(g->world), assemblage));
}

static void write_signal(const crash_desc_t *d, int file) {
  char piece[256];
  if (d->signal)
    tell(file, "signal: %d (%s)", d->signal, signal_words(d->signal));
  else
    tell(file, "reason: %s", d->reason);
  if (d->signal && d->signal != SIGABRT)
    tell(file, ", at %p", d->address);
  tell(file, "\n");
  if (foreign_words(piece, sizeof piece)[0])
    tell(file, "running: %s\n", piece);
}

static void write_facts(const crash_t *c) {
  const game_o *g = c->host ? c->host->game : NULL;
  int file = open_report(c, O_CREAT | O_TRUNC);
  tell(file, "Shoal " SHOAL_VERSION " ended by %s.\n\n",
       c->desc->signal ? "a crash" : "a plugin that did not come back");
  write_signal(c->desc, file);
  if (!g) {
    tell(file, "game: %s, while it was opened or closed\n", c->desc->options->target ? c->desc->options->target : "");
    return;
  }
  tell(file, "game: %s\nfolder: %s\n", g->facts.title, g->folder);
  tell(file, "tick: %llu\nseed: %llu\n", (unsigned long long)world_tick(g->world), (unsigned long long)g->desc.seed);
  if (g->running[0])
    tell(file, "system: %s\n", g->running);
  write_entity(g, file);
}

// The places in the game's Lua, as far as the VM knows them in the middle of whatever it did: also of one that is only
// being opened.
static void write_place(const crash_t *c) {
  script_report_t where;
  script_where(&where);
  int file = open_report(c, O_APPEND);
  if (where.file[0])
    tell(file, "place: %s:%d\n", where.file, where.line);
  if (where.traceback[0])
    tell(file, "lua:\n%s\n", where.traceback);
}

// Wherever it died: within malloc, or while a tick was put into the history or the recording.
static void write_recording(const crash_t *c) {
  host_o *h = c->host;
  error_t error = {0};
  if (!h || !h->game || !h->recorder)
    _exit(1);
  alloc_use_spare(&h->memory);
  if (h->past.here.states)
    history_recover(h->past.here.states);
  if (!recorder_excerpt(h->recorder, h->past.here.states, NULL, c->recording, &error))
    _exit(1);
  tell(open_report(c, O_APPEND), "recording: %s\nplay it again: shoal run %s --replay %s\n", c->recording,
       h->game->folder, c->recording);
}

// Without the handlers of fork: they take locks that the one who crashed may hold.
static pid_t copy_process(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  return _Fork();
#else
  return fork();
#endif
}

// To a player, by a fresh process that outlives this one.
static void tell_player(const crash_t *c) {
  const package_t *package = c->desc->options->package;
  char text[PATH_MAX_BYTES + 512];
  snprintf(text, sizeof text, "%.100s had to stop.\n\nWhat you have saved is kept.%s%s", package->title,
           package->reports[0] ? "\nWhat happened is written down here; sending it to those who made the game helps "
                                 "them:\n"
                               : "",
           package->reports);
  alarm(0);
  setsid();
  if (copy_process() == 0)
    execl("/proc/self/exe", package->program, CRASH_TELLS, text, (char *)NULL);
}

static void write_stack(const crash_t *c) {
  void *frames[64];
  int count = backtrace(frames, 64), file = open_report(c, O_APPEND);
  tell(file, "c:\n");
  backtrace_symbols_fd(frames, count, file);
}

// What the game needs to be read again: as it was started.
static void write_metadata(const crash_t *c) {
  const options_t *o = c->desc->options;
  const char *words[2 * OPTIONS_MAX_PLUGINS + 5] = {o->program, "crash-report", c->report};
  uint32_t count = 3;
  if (c->host && c->host->game && c->host->game->desc.trust)
    words[count++] = "--trust";
  for (uint32_t i = 0; i < o->plugin_count; ++i) {
    words[count++] = "--plugin";
    words[count++] = o->plugins[i];
  }
  dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
  execv(access("/proc/self/exe", X_OK) == 0 ? "/proc/self/exe" : o->program, (char *const *)(uintptr_t)words);
}

// --- in the process that dies

static void be_plain(void) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
  sigset_t none;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i)
    signal(signals[i], SIG_DFL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL); // in a handler its own signal waits
  alarm(60);                             // should the parent be gone
}

// A busy machine lets a child wait; one that hangs uses nothing.
static bool ended_in_time(pid_t child, int *status) {
  int64_t used = 0; // ms
  for (int still_ms = 0; still_ms < STAGE_MS && used < STAGE_MS; still_ms += 5) {
    if (waitpid(child, status, WNOHANG) == child)
      return true;
    int64_t now = now_process_ns(child) / NOW_NS_PER_MS;
    still_ms = now > used ? 0 : still_ms;
    used = now > used ? now : used;
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
  return false;
}

static bool run_part(const crash_t *c, void (*part)(const crash_t *)) {
  pid_t child = copy_process();
  int status = 0;
  if (child < 0)
    return false;
  if (child == 0) {
    be_plain();
    part(c);
    _exit(0);
  }
  if (ended_in_time(child, &status))
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return false;
}

static void say(const char *what, const char *name) {
  char line[700];
  int bytes = snprintf(line, sizeof line, "crash: %s %s\n", what, name);
  if (bytes > 0 && write(STDERR_FILENO, line, (size_t)bytes) < 0)
    return; // the report cannot be written
}

static void say_reason(const crash_desc_t *d) {
  char piece[256], line[512];
  snprintf(line, sizeof line, "%s: %s, and the program ends;", foreign_words(piece, sizeof piece), d->reason);
  say(line, "what it did is lost");
}

void crash_leave(const crash_desc_t *desc) {
  crash_t c = {.desc = desc, .host = desc->host};
  unsigned long long tick = c.host && c.host->game ? world_tick(c.host->game->world) : 0;
  const package_t *package = desc->options->package; // of a player, who knows no working folder
  const char *folder = package ? package->reports : "";
  snprintf(c.report, sizeof c.report, "%s%sshoal-%llu.crash.txt", folder, folder[0] ? "/" : "", tick);
  snprintf(c.recording, sizeof c.recording, "%s%sshoal-%llu.replay", folder, folder[0] ? "/" : "", tick);
  if (!desc->signal)
    say_reason(desc);
  bool reported = run_part(&c, write_facts);
  if (reported && !desc->brief)
    run_part(&c, write_place);
  if (!desc->brief && run_part(&c, write_recording))
    say("the last seconds are in", c.recording);
  if (!reported)
    return;
  if (!desc->brief && !package)
    run_part(&c, write_metadata);
  run_part(&c, write_stack);
  if (package && !desc->options->headless && !desc->options->has_ticks)
    run_part(&c, tell_player);
  say("a report is in", c.report);
}

// --- in a fresh process

// What stands behind `key` at the beginning of a line; "" when there is none.
static const char *find_line(const char *text, const char *key, char *out, size_t bytes) {
  const char *at = text;
  out[0] = '\0';
  while (at && strncmp(at, key, strlen(key)) != 0) {
    at = strchr(at, '\n');
    at = at ? at + 1 : NULL;
  }
  if (at)
    snprintf(out, bytes, "%.*s", (int)strcspn(at + strlen(key), "\n"), at + strlen(key));
  return out;
}

// What is not there any more (a plugin, a file) keeps it from being found.
static bool read_metadata(const options_t *o, const char *folder, const char *assemblage, char *out, size_t bytes) {
  paths_t places;
  error_t error;
  script_report_t report;
  assets_t assets = {.game = ""};
  if (!paths_find(&places, o->program, &error))
    return false;
  log_o *log = log_create(LOG_NONE);
  game_desc_t desc = {
      .folder = folder, .engine_folder = places.engine, .trust = o->trust, .log = log, .assets = &assets};
  desc.shipped = places.plugins;
  desc.plugins = o->plugins;
  desc.plugin_count = o->plugin_count;
  desc.draw = draw_create();
  desc.audio = audio_create(true, &assets, log);
  game_o *g = game_create(&desc, true, &report);
  bool found = g && vm_metadata(g->vm, assemblage, out, bytes);
  game_destroy(g);
  audio_destroy(desc.audio);
  draw_destroy(desc.draw);
  log_destroy(log);
  return found;
}

bool crash_answers(const options_t *o, int *exit_code) {
  char folder[PATH_MAX_BYTES], assemblage[256], lines[4096];
  allocator_t memory = {0};
  error_t error = {0};
  size_t size = 0;
  if (o->word != OPTIONS_CRASH)
    return false;
  char *text = file_read(&memory, o->target, &size, &error);
  find_line(text, "folder: ", folder, sizeof folder);
  find_line(text, "assemblage: ", assemblage, sizeof assemblage);
  file_free(&memory, text, size);
  *exit_code = 1;
  if (!assemblage[0] || !read_metadata(o, folder, assemblage, lines, sizeof lines) || !lines[0])
    return true;
  FILE *file = file_open(o->target, true, NULL);
  if (file) {
    fprintf(file, "metadata:\n%s\n", lines);
    *exit_code = fclose(file);
  }
  return true;
}
