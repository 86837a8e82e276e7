// Runs hostile statements, saves, scenes and recordings, each in a separate tick (or process): hostile KIND TABLE
// FOLDER PROGRAM [--all] [--every N] [--only LINE] [--in-process] [--show]. FOLDER is a copy of tests/hostile/game.
//
// Each case must be accepted, rejected or stopped as the table lists, within its budget plus 200 ms of CPU time. A
// rejected or stopped case must leave the world unchanged. Cases that end only because of a limit, or that take long,
// then run in PROGRAM without a budget, which SIGTERM must terminate within a second of CPU time. Prints a line "ok …"
// or "not ok …" for each case.
//
// The result does not depend on the machine's speed: a case that a limit stopped before it reported its message is
// repeated in its own process with ample time.
//
// --every N: runs one case in N. --in-process: measures nothing and does not run PROGRAM (for slow builds). --show:
// also prints the time and the messages of each case.
#include "hostile.h"
#include "../slowdown.h"

#include "base/files.h"
#include "host/host.h"
#include "host/host_internal.h"
#include "watchdog/watchdog.h"
#include "content/parked_pieces.h"
#include "ecs/world_hash.h"
#include "store/save.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SLACK_MS 200.0       // ms to free memory after a limit (60 on a fast machine), times watchdog_get_slowness
#define SLOW_MS 200.0        // cases that take longer are also tested with SIGTERM
#define INSIDE_MS 60.0       // CPU time before SIGTERM is sent
#define TERM_MS 1000.0       // CPU time allowed after SIGTERM, times watchdog_get_slowness
#define FRAMES_MAX 20000u    // maximum number of frames per replay of a recording
#define PATIENCE_MS 240000.0 // wall time after which a program counts as hung, times wall_slowdown
#define AMPLE_MS 60000u      // budget that rejected input never exceeds, even on a slow machine

extern char **environ;

typedef enum input_kind_t { KIND_SQL, KIND_SAVES, KIND_SCENES, KIND_REPLAYS, KIND_COUNT } input_kind_t;

static const char *const kind_names[KIND_COUNT] = {"sql", "saves", "scenes", "replays"};
static const char *const kind_suffixes[KIND_COUNT] = {"", ".sqlite", ".json", ".replay"};
static const char *const kind_singular[KIND_COUNT] = {"statement", "save", "scene", "recording"};

typedef struct test_t {
  input_kind_t kind;
  const char *program;         // the shoal program
  char self[512];              // path of this program, for the host
  char folder[512], copy[512]; // folder: the game; copy: its copy with a system for each case
  char file[800];              // the file that contains the case
  char *good;                  // content of the valid file that cases are derived from
  size_t good_size, log_at;    // log_at: offset of unread messages
  char log[700];               // the file that standard error is redirected to
  uint32_t every, only, failed;
  bool all, in_process, show, again, ample;
  char **words; // command-line arguments
  host_o *host;
  allocator_t memory;
  hostile_table_t table;
} test_t;

// --- messages and times

static double thread_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static double wall_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

// Redirects standard error to a file.
static void redirect_stderr(test_t *t) {
  snprintf(t->log, sizeof t->log, "%s/said", t->folder);
  int file = open(t->log, O_CREAT | O_TRUNC | O_WRONLY | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0 || dup2(file, 2) < 0)
    hostile_die("%s: %s", t->log, strerror(errno));
  close(file);
}

// Returns the messages since the previous call.
static const char *read_messages(test_t *t) {
  static char out[20000];
  fflush(stderr);
  int file = open(t->log, O_RDONLY | O_CLOEXEC);
  ssize_t got = file >= 0 ? pread(file, out, sizeof out - 1, (off_t)t->log_at) : 0;
  out[got > 0 ? got : 0] = '\0';
  t->log_at = file >= 0 ? (size_t)lseek(file, 0, SEEK_END) : 0;
  close(file);
  return out;
}

static bool contains_all_parts(const char *text, const char *words) {
  for (const char *next; words; words = next) {
    char one[500];
    next = strstr(words, " | ");
    snprintf(one, sizeof one, "%.*s", next ? (int)(next - words) : (int)sizeof one - 1, words);
    if (strstr(text, one))
      return true;
    next = next ? next + 3 : NULL;
  }
  return false;
}

static const char *case_title(const test_t *t, const hostile_case_t *c) {
  static char out[200];
  snprintf(out, sizeof out, "%s line %u, %.70s", kind_names[t->kind], c->line, c->recipe);
  for (char *at = out; *at; ++at) // the recipe may be cut inside a UTF-8 character
    if ((unsigned char)*at < 32 || (unsigned char)*at > 126)
      *at = '?';
  return out;
}

static void print_result(test_t *t, const hostile_case_t *c, const char *why) {
  const char *build = t->in_process ? ", sanitized" : "";
  if (why[0])
    printf("not ok a %s is accepted, rejected or stopped as listed%s: %s: %s\n", kind_singular[t->kind], build,
           case_title(t, c), why);
  else
    printf("ok a %s is accepted, rejected or stopped as listed%s: %s\n", kind_singular[t->kind], build,
           case_title(t, c));
  t->failed += why[0] != '\0';
  fflush(stdout);
}

// Returns true if the case ends only because of a limit.
static bool is_endless(const hostile_case_t *c) {
  return strstr(c->words, "steps") || strstr(c->words, "stopped after") || strstr(c->words, "reading took");
}

// Returns true if the case may be accepted. If times are not measured, budgets are long, so a case that only a limit
// ends may be accepted, too.
static bool may_be_accepted(const test_t *t, const hostile_case_t *c) {
  return contains_all_parts("taken", c->words) || (t->in_process && is_endless(c));
}

// --- cases run within a tick

// Hashes the world without its clock and the list of started systems, because each case has its own system.
static uint64_t hash_world(world_o *w) {
  uint64_t all = world_entities(w)->alive_count;
  for (uint32_t i = 1; i <= world_manager_count(w); ++i)
    if (strcmp(world_manager(w, i)->schema.name, "shoal.systems") != 0)
      all = all * 0x9e3779b97f4a7c15u + world_component_hash(w, i);
  return all;
}

static void write_text(const char *folder, const char *name, const char *text) {
  char path[1400];
  error_info_t error = {0};
  if (!file_write(path_join(path, sizeof path, folder, name), text, strlen(text), &error))
    hostile_die("%s", error.text);
}

// Each case has its own system, because a stopped system is parked.
static void write_systems(test_t *t) {
  static const char asked[] = "local text = %s\nreturn { update = function()\n  if world.tick ~= %u then return end\n"
                              "  local good, why = pcall(world.%s, text)\n"
                              "  log.info(\"%%s: %%s\", good and \"taken\" or \"refused\", tostring(why))\nend }\n";
  static const char loaded[] = "return { update = function()\n  if world.tick ~= %u then return end\n"
                               "  local there, why = world.load(\"case\")\n"
                               "  if not there then log.info(\"refused: %%s\", why) end\nend }\n";
  char name[64];
  for (uint32_t i = 0; i < t->table.count; ++i) {
    char *text = hostile_quoted(t->kind == KIND_SQL ? t->table.cases[i].recipe : "case");
    char *system = malloc(strlen(text) + sizeof asked + sizeof loaded + 64);
    if (t->kind == KIND_SAVES)
      sprintf(system, loaded, i);
    else
      sprintf(system, asked, text, i, t->kind == KIND_SQL ? "sql" : "import");
    snprintf(name, sizeof name, "systems/case_%03u.lua", i);
    write_text(t->copy, name, system);
    free(system);
    free(text);
  }
}

static host_o *open_host(test_t *t, const char *folder, const char *replay, const char *record, error_info_t *error) {
  options_t options = {.command = OPTIONS_RUN,
                       .program = t->self,
                       .target = folder,
                       .headless = true,
                       .watch = FILE_WATCH_OFF,
                       .workers = 1,
                       .replay = replay,
                       .record = record,
                       .has_budget = t->in_process || t->ample,
                       .budget_ms = t->ample ? AMPLE_MS : 5000,
                       .log_level = LOG_INFO};
  return host_create(&options, error);
}

static void read_valid_file(test_t *t, const char *path) {
  error_info_t error = {0};
  t->good = file_read(&t->memory, path, &t->good_size, &error);
  if (!t->good)
    hostile_die("%s", error.text);
}

static void start_tick_cases(test_t *t) {
  error_info_t error = {0};
  char path[700];
  write_systems(t);
  t->host = open_host(t, t->copy, NULL, NULL, &error);
  if (!t->host || !t->host->session.game)
    hostile_die("the game did not start: %s: %s", error.text, read_messages(t));
  snprintf(path, sizeof path, "%s/good", t->folder);
  if (t->kind == KIND_SAVES && !save_write(t->host->session.game->world, "hostile", path, NULL, &error))
    hostile_die("%s", error.text);
  if (t->kind == KIND_SCENES)
    write_text(t->folder, "good", "{ \"format\": 1, \"entities\": [ { \"assemblage\": \"rock\" } ] }\n");
  if (t->kind != KIND_SQL)
    read_valid_file(t, path);
}

static double run_frame_ms(test_t *t) {
  double began = thread_ms();
  host_frame(t->host);
  return thread_ms() - began;
}

static double budget_ms(const test_t *t) {
  return vm_budget_ms(t->host->session.game->vm, t->kind == KIND_SAVES ? SCRIPT_BUDGET_LOAD : SCRIPT_BUDGET_SYSTEM);
}

// Returns true if the case passes alone in a separate process with the additional option `how`.
static bool passes_in_separate_process(const test_t *t, const hostile_case_t *c, const char *how) {
  char line[16], folder[600], command[2000], option[16];
  int status = 1;
  pid_t process = 0;
  snprintf(line, sizeof line, "%u", c->line);
  snprintf(option, sizeof option, "%s", how);
  snprintf(folder, sizeof folder, "%s/again", t->folder);
  snprintf(command, sizeof command, "mkdir -p '%s' && cp '%s'/*.lua '%s'", folder, t->folder, folder);
  if (system(command) != 0)
    hostile_die("cannot create %s", folder);
  char *words[] = {t->words[0], t->words[1], t->words[2], folder, t->words[4],
                   "--all",     "--only",    line,        option, t->in_process ? "--in-process" : NULL,
                   NULL};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  if (posix_spawn(&process, words[0], &actions, NULL, words, environ) != 0)
    hostile_die("%s: %s", words[0], strerror(errno));
  posix_spawn_file_actions_destroy(&actions);
  waitpid(process, &status, 0);
  return status == 0;
}

// Repeats a case that took too long up to six times, because other processes may have slowed it down. This needs a new
// process, because a stopped system is parked.
static bool passes_when_repeated(const test_t *t, const hostile_case_t *c) {
  bool ok = false;
  for (int i = 0; i < 6 && !ok && !t->again && !t->ample; ++i)
    ok = passes_in_separate_process(t, c, "--again");
  return ok;
}

static bool is_accepted(const test_t *t, const char *heard) {
  return strstr(heard, t->kind == KIND_SAVES ? "loaded case" : "taken: ") && !strstr(heard, "not loaded");
}

// Returns true if a limit has stopped the case as expected: either only a limit ends the case, or the case passes with
// an ample budget. Whether a case exceeds a limit, and which limit first, depends on the machine.
static bool is_stopped(const test_t *t, const hostile_case_t *c, const char *heard) {
  bool by_limit = strstr(heard, "stopped after") || strstr(heard, "reading took more than");
  return by_limit && (is_endless(c) || (!t->ample && passes_in_separate_process(t, c, "--ample")));
}

static void check_tick_case(test_t *t, const hostile_case_t *c, double ms, bool same, const char *heard) {
  char why[1200] = "";
  bool taken = is_accepted(t, heard);
  if (taken && !may_be_accepted(t, c))
    snprintf(why, sizeof why, "the case was accepted: %.900s", heard);
  else if (!taken && !contains_all_parts(heard, c->words) && !is_stopped(t, c, heard))
    snprintf(why, sizeof why, "expected '%.300s', got: %.800s", c->words, heard);
  else if (world_tick_rate(t->host->session.game->world) != t->host->session.game->config.tick_rate)
    snprintf(why, sizeof why, "the world's tick rate has changed");
  else if (!taken && !same)
    snprintf(why, sizeof why, "the case was rejected, but the world has changed");
  else if (ms > budget_ms(t) + SLACK_MS * watchdog_get_slowness() && !t->in_process && !t->ample &&
           !passes_when_repeated(t, c))
    snprintf(why, sizeof why, "took %.0f ms of CPU time, with a budget of %.0f ms", ms, budget_ms(t));
  print_result(t, c, why);
}

// Runs the case within one tick, checks the result, and restores the world if it has changed. Returns the CPU time of
// the tick in ms.
static double tick_case(test_t *t, const hostile_case_t *c) {
  world_o *w = t->host->session.game->world;
  error_info_t error = {0};
  const char *heard = read_messages(t); // discards earlier messages
  if (t->kind != KIND_SQL)
    hostile_make(t->file, (const uint8_t *)t->good, t->good_size, c->recipe);
  snapshot_o *before = snapshot_create(&t->memory);
  if (!snapshot_take(before, w, &error))
    hostile_die("%s", error.text);
  uint64_t was = hash_world(w), next = world_tick(w) + 1;
  double ms = run_frame_ms(t);
  heard = read_messages(t);
  parked_pieces_clear(w); // the case's system is parked if it failed
  uint64_t is = hash_world(w);
  check_tick_case(t, c, ms, was == is, heard);
  if (was != is || world_tick(w) != next) // loading a save sets the world's tick
    snapshot_restore(before, w, NULL);
  while (world_tick(w) < next)
    world_end_tick(w);
  snapshot_release(before);
  if (t->show)
    printf("%7.1f ms  %s", ms, heard);
  return ms;
}

// --- cases run in a process

static void start_replay_cases(test_t *t) {
  error_info_t error = {0};
  char path[700];
  write_text(t->copy, "systems/move.lua",
             "return { query = { \"transform\" }, update = function(q)\n  for i = 1, q.count do\n"
             "    q.transform.x[i] = q.transform.x[i] + world.random()\n  end\nend }\n");
  snprintf(path, sizeof path, "%s/good", t->folder);
  host_o *h = open_host(t, t->copy, NULL, path, &error);
  if (!h)
    hostile_die("%s", error.text);
  for (int i = 0; i < 130; ++i)
    host_frame(h);
  host_destroy(h);
  read_valid_file(t, path);
}

// Opens the file and replays it to completion. Stores the exit status in `code` and returns the CPU time in ms.
static double play(test_t *t, int *code) {
  error_info_t error = {0};
  double began = thread_ms();
  host_o *h = open_host(t, t->copy, t->file, NULL, &error);
  *code = h ? 0 : 2;
  for (uint32_t i = 0; h && host_frame(h); ++i)
    if (i > FRAMES_MAX)
      host_stop(h);
  if (h)
    *code = host_exit_code(h);
  else
    fprintf(stderr, "shoal: %s\n", error.text);
  host_destroy(h);
  return thread_ms() - began;
}

static double replay_case(test_t *t, const hostile_case_t *c) {
  static double usual;
  char why[1200] = "";
  int code = 0;
  read_messages(t);
  if (usual == 0) { // measures the replay time of the valid file
    hostile_make(t->file, (const uint8_t *)t->good, t->good_size, "append 0 0");
    usual = play(t, &code);
    if (code != 0)
      hostile_die("the valid recording failed to replay: %s", read_messages(t));
  }
  hostile_make(t->file, (const uint8_t *)t->good, t->good_size, c->recipe);
  double ms = play(t, &code);
  const char *heard = read_messages(t);
  if (!contains_all_parts(code == 0 ? "taken" : heard, c->words))
    snprintf(why, sizeof why, "exit status %d; expected '%.300s', got: %.700s", code, c->words, heard);
  else if (!contains_all_parts("taken", c->words) && ms > usual + 2 * SLACK_MS * watchdog_get_slowness() &&
           !t->in_process && !t->ample && !passes_when_repeated(t, c))
    snprintf(why, sizeof why, "took %.0f ms of CPU time; a valid recording takes %.0f ms", ms, usual);
  print_result(t, c, why);
  if (t->show)
    printf("%7.1f ms  %s", ms, heard);
  return ms;
}

// --- SIGTERM during a case

static double process_ms(pid_t process) {
  clockid_t clock;
  struct timespec t = {0};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &t) != 0)
    return -1;
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

typedef struct run_t {
  pid_t process;
  int output;
  char text[8000];
  size_t used;
} run_t;

static void start_program(run_t *r, char *const *words) {
  int ends[2];
  posix_spawn_file_actions_t actions;
  *r = (run_t){.process = -1};
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    hostile_die("%s", strerror(errno));
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  if (posix_spawn(&r->process, words[0], &actions, NULL, words, environ) != 0)
    hostile_die("%s: %s", words[0], strerror(errno));
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  r->output = ends[0];
}

// Returns true if the program has installed its SIGTERM handler, without which the signal would kill it. Returns true
// if /proc does not show this.
static bool catches_sigterm(const run_t *r) {
  char path[64], text[4000];
  snprintf(path, sizeof path, "/proc/%d/status", (int)r->process);
  FILE *file = fopen(path, "r");
  if (!file)
    return true;
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  const char *caught = strstr(text, "SigCgt:");
  return !caught || (strtoull(caught + 7, NULL, 16) >> (SIGTERM - 1) & 1);
}

// Waits briefly and reads the program's output.
static void read_output(run_t *r) {
  struct pollfd look = {.fd = r->output, .events = POLLIN};
  if (poll(&look, 1, 2) > 0 && (look.revents & POLLIN) && r->used + 1 < sizeof r->text) {
    ssize_t got = read(r->output, r->text + r->used, sizeof r->text - 1 - r->used);
    r->used += got > 0 ? (size_t)got : 0;
  } else if (look.revents) { // the output has ended or exceeds the buffer
    struct timespec moment = {.tv_nsec = 2000000};
    char rest[4096];
    if (read(r->output, rest, sizeof rest) <= 0)
      nanosleep(&moment, NULL);
  }
}

// Returns true if the process has exited, and if so, stores its resource usage.
static bool has_exited(run_t *r, int *status, struct rusage *used) {
  return wait4(r->process, status, WNOHANG, used) == r->process;
}

// Sends SIGTERM after the program has printed `word` and computed for INSIDE_MS. On failure, writes the reason to
// `why`.
static void terminate_during_case(char *const *words, const char *word, char *why, size_t bytes) {
  run_t r;
  struct rusage used;
  int status = 0;
  double inside = -1, told = -1, patience = wall_ms() + PATIENCE_MS * wall_slowdown();
  bool over = false;
  start_program(&r, words);
  while (!over && wall_ms() < patience) {
    read_output(&r);
    double now = process_ms(r.process);
    over = has_exited(&r, &status, &used);
    if (inside < 0 && strstr(r.text, word) && catches_sigterm(&r))
      inside = now;
    if (!over && told < 0 && inside >= 0 && now > inside + INSIDE_MS) {
      told = process_ms(r.process);
      kill(r.process, SIGTERM);
    }
  }
  if (!over) {
    kill(r.process, SIGKILL);
    wait4(r.process, &status, 0, &used);
    snprintf(why, bytes, "%s: %.500s", told < 0 ? "the program hangs" : "SIGTERM does not terminate the program",
             r.text);
  }
  double all = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
               (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-3;
  if (over && told >= 0 && all - told > TERM_MS * watchdog_get_slowness())
    snprintf(why, bytes, "used %.0f ms of CPU time after SIGTERM", all - told);
  if (over && WIFSIGNALED(status))
    snprintf(why, bytes, "terminated by signal %d: %.500s", WTERMSIG(status), r.text);
  close(r.output);
}

// Returns true if the case has no limit, so that only SIGTERM ends it.
static bool has_no_limit(const hostile_case_t *c) {
  return strncmp(c->recipe, "endless: ", 9) == 0;
}

static const char *get_recipe(const hostile_case_t *c) {
  return c->recipe + (has_no_limit(c) ? 9 : 0);
}

static void signal_case(test_t *t, const hostile_case_t *c) {
  char why[700] = "", *text = hostile_quoted(t->kind == KIND_SQL ? get_recipe(c) : "case");
  char *chunk = malloc(strlen(text) + 80);
  sprintf(chunk, "print('inside') world.%s(%s)", t->kind == KIND_SQL ? "sql" : "import", text);
  const char *option = t->kind == KIND_SAVES ? "--load" : t->kind == KIND_REPLAYS ? "--replay" : "--exec";
  bool is_chunk = t->kind == KIND_SQL || t->kind == KIND_SCENES;
  const char *words[] = {t->program,
                         "run",
                         t->kind == KIND_REPLAYS ? t->copy : t->folder,
                         "--headless",
                         "--ticks",
                         t->kind == KIND_REPLAYS ? "1000000000" : "1",
                         "--budget",
                         "0",
                         option,
                         is_chunk ? chunk : t->file,
                         NULL};
  if (t->kind != KIND_SQL)
    hostile_make(t->file, (const uint8_t *)t->good, t->good_size, get_recipe(c));
  terminate_during_case((char *const *)(uintptr_t)words,
                        is_chunk                ? "inside"
                        : t->kind == KIND_SAVES ? "begun"
                                                : "",
                        why, sizeof why);
  if (why[0])
    printf("not ok SIGTERM terminates the program while it processes %s: %s\n", case_title(t, c), why);
  else
    printf("ok SIGTERM terminates the program while it processes %s\n", case_title(t, c));
  t->failed += why[0] != '\0';
  fflush(stdout);
  free(chunk);
  free(text);
}

// --- all cases

static bool is_skipped(const test_t *t, uint32_t i) {
  return t->only ? t->table.cases[i].line != t->only : t->every > 1 && i % t->every != 0;
}

static void run_all(test_t *t) {
  bool *slow = calloc(t->table.count + 1, sizeof *slow);
  for (uint32_t i = 0; i < t->table.count; ++i) {
    const hostile_case_t *c = &t->table.cases[i];
    slow[i] = has_no_limit(c) && !is_skipped(t, i);
    if (slow[i] || is_skipped(t, i)) {
      if (t->host)
        world_end_tick(t->host->session.game->world); // skips the tick in which the case's system runs
      continue;
    }
    double ms = t->kind == KIND_REPLAYS ? replay_case(t, c) : tick_case(t, c);
    slow[i] = is_endless(c) || ms > SLOW_MS;
  }
  for (uint32_t i = 0; i < t->table.count && !t->in_process && !t->again && !t->ample; ++i)
    if (slow[i])
      signal_case(t, &t->table.cases[i]);
  free(slow);
}

static void create_folders(test_t *t, const char *table, const char *folder) {
  char command[4000], data[600];
  if (!realpath(folder, t->folder))
    hostile_die("%s: %s", folder, strerror(errno));
  snprintf(t->copy, sizeof t->copy, "%.480s/copy", t->folder);
  snprintf(data, sizeof data, "%s/data", t->folder);
  snprintf(t->file, sizeof t->file, "%s/shoal/saves/hostile/case%s", data, kind_suffixes[t->kind]);
  snprintf(command, sizeof command,
           "rm -rf '%s' && mkdir -p '%s/systems' '%s/shoal/saves/hostile' && cp '%s'/*.lua '%s'", t->copy, t->copy,
           data, t->folder, t->copy);
  if (system(command) != 0)
    hostile_die("%s has no game", folder);
  setenv("XDG_DATA_HOME", data, 1);
  hostile_read_table(&t->table, table, t->all);
  if (t->table.count == 0)
    hostile_die("%s has no cases", table);
}

static void parse_arguments(test_t *t, int argc, char **argv) {
  if (argc < 5)
    hostile_die("hostile KIND TABLE FOLDER PROGRAM …");
  for (t->kind = KIND_SQL; t->kind < KIND_COUNT && strcmp(argv[1], kind_names[t->kind]) != 0;)
    t->kind++;
  if (t->kind == KIND_COUNT)
    hostile_die("KIND must be sql, saves, scenes or replays, got %s", argv[1]);
  for (int i = 5; i < argc; ++i) {
    t->all |= strcmp(argv[i], "--all") == 0;
    t->in_process |= strcmp(argv[i], "--in-process") == 0;
    t->again |= strcmp(argv[i], "--again") == 0;
    t->ample |= strcmp(argv[i], "--ample") == 0;
    t->show |= strcmp(argv[i], "--show") == 0;
    if (strcmp(argv[i], "--every") == 0 && i + 1 < argc)
      t->every = (uint32_t)strtoul(argv[i + 1], NULL, 10);
    if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
      t->only = (uint32_t)strtoul(argv[i + 1], NULL, 10);
  }
}

int main(int argc, char **argv) {
  static test_t t;
  parse_arguments(&t, argc, argv);
  t.program = argv[4];
  t.words = argv;
  snprintf(t.self, sizeof t.self, "%s", argv[4]);
  create_folders(&t, argv[2], argv[3]);
  redirect_stderr(&t);
  if (t.kind == KIND_REPLAYS)
    start_replay_cases(&t);
  else
    start_tick_cases(&t);
  run_all(&t);
  host_destroy(t.host);
  file_free(&t.memory, t.good, t.good_size);
  hostile_free_table(&t.table);
  return t.failed > 0;
}
