#include "host/crash.h"

#include "base/files.h"
#include "components/name.h"
#include "host/host_state.h"

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

#define STAGE_MS 3000 // for each part

typedef struct crash_t {
  host_o *host;
  int number;
  const void *address;
  char report[64], recording[64];
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
  return open(c->report, O_WRONLY | O_CLOEXEC | flags, 0666);
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

static void write_facts(const crash_t *c) {
  const host_o *h = c->host;
  const game_o *g = h->game;
  int file = open_report(c, O_CREAT | O_TRUNC);
  tell(file, "Shoal " SHOAL_VERSION " ended by a crash.\n\n");
  tell(file, "signal: %d (%s)", c->number, signal_words(c->number));
  if (c->number != SIGABRT)
    tell(file, ", at %p", c->address);
  tell(file, "\n");
  if (!g)
    return;
  tell(file, "game: %s\nfolder: %s\n", g->facts.title, g->folder);
  tell(file, "tick: %llu\nseed: %llu\n", (unsigned long long)world_tick(g->world), (unsigned long long)g->desc.seed);
  if (g->running[0])
    tell(file, "system: %s\n", g->running);
  write_entity(g, file);
}

// The places in the game's Lua, as far as the VM knows them in the middle of whatever it did.
static void write_place(const crash_t *c) {
  script_report_t where;
  if (!c->host->game)
    return;
  vm_where(c->host->game->vm, &where);
  int file = open_report(c, O_APPEND);
  if (where.file[0])
    tell(file, "place: %s:%d\n", where.file, where.line);
  if (where.traceback[0])
    tell(file, "lua:\n%s\n", where.traceback);
}

static void write_recording(const crash_t *c) {
  host_o *h = c->host;
  error_t error = {{0}};
  if (!h->game || !h->recorder || !recorder_excerpt(h->recorder, h->history, c->recording, &error))
    _exit(1);
  tell(open_report(c, O_APPEND), "recording: %s\nplay it again: shoal run %s --replay %s\n", c->recording,
       h->game->folder, c->recording);
}

static void write_stack(const crash_t *c) {
  void *frames[64];
  int count = backtrace(frames, 64), file = open_report(c, O_APPEND);
  tell(file, "c:\n");
  backtrace_symbols_fd(frames, count, file);
}

// What the game needs to be read again: as it was started.
static void write_metadata(const crash_t *c) {
  const options_t *o = &c->host->options;
  const char *words[2 * OPTIONS_MAX_PLUGINS + 5] = {o->program, "crash-report", c->report};
  uint32_t count = 3;
  if (c->host->game && c->host->game->desc.trust)
    words[count++] = "--trust";
  for (uint32_t i = 0; i < o->plugin_count; i++) {
    words[count++] = "--plugin";
    words[count++] = o->plugins[i];
  }
  dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
  execv(access("/proc/self/exe", X_OK) == 0 ? "/proc/self/exe" : o->program, (char *const *)(uintptr_t)words);
}

// --- in the process that dies

// Without the handlers of fork: they take locks that the one who crashed may hold.
static pid_t copy_process(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  return _Fork();
#else
  return fork();
#endif
}

static void be_plain(void) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
  sigset_t none;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    signal(signals[i], SIG_DFL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL); // in a handler its own signal waits
  alarm(STAGE_MS / 1000 + 1);            // should the parent be gone
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
  for (int waited_ms = 0; waited_ms < STAGE_MS; waited_ms += 5) {
    if (waitpid(child, &status, WNOHANG) == child)
      return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return false;
}

static void say(const char *what, const char *name) {
  char line[160];
  int bytes = snprintf(line, sizeof line, "crash: %s %s\n", what, name);
  if (bytes > 0 && write(STDERR_FILENO, line, (size_t)bytes) < 0)
    return; // there is nobody to tell
}

void crash_leave(host_o *h, int number, const void *address) {
  crash_t c = {.host = h, .number = number, .address = address};
  if (!h)
    return;
  unsigned long long tick = h->game ? world_tick(h->game->world) : 0;
  snprintf(c.report, sizeof c.report, "shoal-%llu.crash.txt", tick);
  snprintf(c.recording, sizeof c.recording, "shoal-%llu.replay", tick);
  bool reported = run_part(&c, write_facts);
  if (reported)
    run_part(&c, write_place);
  if (run_part(&c, write_recording))
    say("the last seconds are in", c.recording);
  if (reported) {
    run_part(&c, write_metadata);
    run_part(&c, write_stack);
    say("a report is in", c.report);
  }
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
  places_t places;
  error_t error;
  script_report_t report;
  assets_t assets = {.game = ""};
  if (!places_find(&places, o->program, &error))
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
  char folder[PLACES_PATH_MAX], assemblage[256], lines[4096];
  allocator_t memory = {0};
  error_t error = {{0}};
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
  FILE *file = fopen(o->target, "a");
  if (file) {
    fprintf(file, "metadata:\n%s\n", lines);
    *exit_code = fclose(file);
  }
  return true;
}
