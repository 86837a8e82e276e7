// Makes random edits to copies of games and runs each edit through the reload transaction, in one process and without
// waiting:
//   mutate [--edits N] [--seed S] [--from K] GAME…
//   mutate --reloads N GAME  N valid edits: see valid_edits.h
//   mutate --latency N       latency of N saved files: see valid_edits.h
// A rejected edit must leave the world's bytes and its next ticks unchanged. After an accepted edit the game must
// continue exactly like a game started from the same folder with the same world. Prints a line for each game and for
// each error.
#include "edits.h"
#include "valid_edits.h"
#include "../slowdown.h"

#include "base/hash.h"
#include "host/game_switch.h"
#include "host/host.h"
#include "host/host_internal.h"
#include "host/tick.h"
#include "snapshot/compare.h"
#include "snapshot/snapshot.h"
#include "ecs/world_hash.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LOOK_AHEAD 3   // ticks compared after each edit
#define PATIENCE_S 240 // time limit per edit in s, long enough for endless code, times wall_slowdown
#define MAX_SHOWN 10   // errors shown per game
#define EDITS_AT_ONCE 3u
#define BUDGET_MS 200
#define RESTART_EVERY 60u // number of edits after which the game restarts, so that the world does not degenerate

typedef struct tally_t {
  uint32_t edits, refused, accepted, unmended, wrong;
  double slowest_ms, sum_ms;
  uint32_t reloads;
  char slowest[200];
} tally_t;

typedef struct run_t {
  const char *game;
  folder_t folder;
  host_o *host;
  random_t random;
  tally_t tally;
  allocator_t memory;
  snapshot_o *before;
} run_t;

// The current game and edit, for the crash handler.
static char doing[2048];

static void die(int sig) {
  static const char CRASHED[] = "not ok mutate: crashed while ", HUNG[] = "not ok mutate: took too long for ";
  ssize_t written =
      sig == SIGALRM ? write(STDOUT_FILENO, HUNG, sizeof HUNG - 1) : write(STDOUT_FILENO, CRASHED, sizeof CRASHED - 1);
  written += write(STDOUT_FILENO, doing, strlen(doing));
  written += write(STDOUT_FILENO, "\n", 1);
  (void)written;
  signal(sig, SIG_DFL);
  raise(sig);
}

static void report_failure(run_t *r, const char *what, const char *more) {
  if (r->tally.wrong++ < MAX_SHOWN)
    printf("  %s: %s: %s\n", doing, what, more);
  fflush(stdout);
}

// Reports an error with the first difference between the world before the edit and the current world.
static void report_changed_world(run_t *r, const char *what) {
  error_info_t error = {0};
  compare_item_t item;
  char line[COMPARE_LINE_MAX] = "the bytes";
  game_o *g = r->host->session.game;
  snapshot_o *now = snapshot_create(&r->memory);
  if (snapshot_take(now, g->world, &error) &&
      snapshot_compare(r->before, now, g->world, &item, 1, &error) - 1 < UINT64_MAX - 1)
    compare_format_line(&item, line);
  report_failure(r, what, error.text[0] ? error.text : line);
  snapshot_release(now);
}

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void record_time(tally_t *t, double began_ms) {
  double ms = now_ms() - began_ms;
  t->reloads++;
  t->sum_ms += ms;
  if (ms <= t->slowest_ms)
    return;
  t->slowest_ms = ms;
  snprintf(t->slowest, sizeof t->slowest, "%.199s", doing);
}

// --- player input

static void press_random_keys(run_t *r, input_state_t *input) {
  static const int KEYS[] = {44, 82, 79, 80, 81}; // space and the arrow keys
  memset(input, 0, sizeof *input);
  for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; ++i)
    input->keys[KEYS[i]] = random_u32(&r->random) % 3 == 0;
}

static void play(run_t *r, uint32_t ticks) {
  for (uint32_t i = 0; i < ticks; ++i) {
    input_state_t input;
    press_random_keys(r, &input);
    tick_run(r->host, &input);
    vm_collect_garbage(r->host->session.game->vm);
  }
  host_o *h = r->host;
  h->session.reload_requested = h->restart_requested = h->session.stopping = false;
  h->requested_game[0] = 0;
  h->session.game->paused = false;
}

// Returns the hash after a few ticks without input and without the host.
static uint64_t hash_after_ticks(game_o *g) {
  for (int i = 0; i < LOOK_AHEAD; ++i)
    game_run(g, GAME_TICK, &(game_io_t){0});
  g->requests = (script_requests_t){0};
  return world_hash(g->world);
}

// --- the transaction

static bool reload(run_t *r) {
  const game_o *old = r->host->session.game;
  double began = now_ms();
  r->host->session.reload_requested = true;
  game_switch_apply(r->host);
  record_time(&r->tally, began);
  return r->host->session.game != old;
}

// In one of four calls, rewinds, often to a tick before the last edits, and reloads the game. Until that reload, rows
// keep the groups of the tick that the game was rewound to.
static void rewind_sometimes(run_t *r) {
  if (random_u32(&r->random) % 4 != 0 || !time_travel_rewind(&r->host->session, 1 + random_u32(&r->random) % 12, false))
    return;
  if (!reload(r))
    report_failure(r, "a rewound game could not be reloaded", r->host->card.message);
}

static void restart(run_t *r) {
  const game_o *old = r->host->session.game;
  r->host->restart_requested = true;
  game_switch_apply(r->host);
  if (r->host->session.game == old)
    report_failure(r, "the restored game does not restart", r->host->card.message);
  play(r, 20);
}

// Starts a second game from the current folder with the world of the running game, and checks that both have the same
// hash now and a few ticks later.
static void compare_with_new_game(run_t *r) {
  script_report_t report = {0};
  game_o *now = r->host->session.game;
  game_desc_t desc = now->desc;
  desc.sources = NULL;
  desc.old_plugins = now->plugins;
  game_o *fresh = game_create(&desc, true, &report);
  if (!fresh) {
    report_failure(r, "the edit was accepted, but a new game does not start", report.message);
    return;
  }
  world_migrate_counts_t counts;
  if (!game_migrate_from(fresh, now, &(game_migrate_desc_t){0}, &counts, &report))
    report_failure(r, "the edit was accepted, but a new game cannot load the world", report.message);
  else if (world_hash(fresh->world) != world_hash(now->world))
    report_failure(r, "the world differs from that of a new game", "immediately");
  else if (hash_after_ticks(fresh) != hash_after_ticks(now))
    report_failure(r, "the world differs from that of a new game", "some ticks later");
  game_destroy(fresh);
}

static void edit_folder(run_t *r, bool *harmless) {
  uint32_t count = random_u32(&r->random) % 4 ? 1 : 1 + random_u32(&r->random) % EDITS_AT_ONCE;
  size_t used = (size_t)snprintf(doing, sizeof doing, "%s edit %u:", r->game, r->tally.edits);
  *harmless = true;
  for (uint32_t made = 0; made < count;) {
    char path[1024] = "";
    const edit_t *e = &EDITS[random_u32(&r->random) % EDIT_COUNT];
    if (!e->make(&r->folder, &r->random, path))
      continue;
    made++;
    *harmless &= e->harmless;
    if (used < sizeof doing)
      used += (size_t)snprintf(doing + used, sizeof doing - used, " %s %s", e->name, path);
    if (strncmp(path, "assets/", 7) == 0)
      game_switch_reload_asset(r->host, path);
  }
}

static void check_rejected_edit(run_t *r, uint64_t hash, uint64_t ahead) {
  error_info_t error = {0};
  game_o *g = r->host->session.game;
  r->tally.refused++;
  game_switch_report_unfinished(r->host); // files that may be unfinished are reported later
  if (r->host->card.kind != ERROR_CARD_RELOAD || r->host->card.message[0] == 0)
    report_failure(r, "the edit was rejected without a reason", "");
  if (world_hash(g->world) != hash)
    report_changed_world(r, "the rejected edit has changed the world");
  else if (hash_after_ticks(g) != ahead)
    report_failure(r, "after the rejected edit the old code behaves differently", r->host->card.message);
  if (!snapshot_restore(r->before, g->world, &error))
    report_failure(r, "cannot restore the snapshot", error.text);
}

static void test_edit(run_t *r) {
  error_info_t error = {0};
  bool harmless = false;
  alarm((unsigned)(PATIENCE_S * wall_slowdown()));
  snprintf(doing, sizeof doing, "%s before edit %u", r->game, r->tally.edits);
  game_o *g = r->host->session.game;
  uint64_t hash = world_hash(g->world);
  if (!snapshot_take(r->before, g->world, &error))
    report_failure(r, "no snapshot", error.text);
  uint64_t ahead = hash_after_ticks(g);
  if (!snapshot_restore(r->before, g->world, &error) || world_hash(g->world) != hash)
    report_failure(r, "cannot restore the snapshot", error.text);

  edit_folder(r, &harmless);
  r->tally.edits++;
  if (!reload(r)) {
    if (harmless)
      report_failure(r, "a harmless edit was rejected", r->host->card.message);
    check_rejected_edit(r, hash, ahead);
    folder_restore(&r->folder);
  } else {
    r->tally.accepted++;
    if (harmless && world_hash(r->host->session.game->world) != hash)
      report_changed_world(r, "a harmless edit has changed the world");
    compare_with_new_game(r);
    play(r, 2);
    folder_restore(&r->folder);
    if (!reload(r)) {
      r->tally.unmended++; // reverting the edit would lose data, so the reload was rejected
      restart(r);
    }
  }
  play(r, 1);
  rewind_sometimes(r);
  if (r->tally.edits % RESTART_EVERY == 0)
    restart(r);
  alarm(0);
}

static long resident_kb(void) {
  long pages = 0, all = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%ld %ld", &all, &pages) != 2)
    pages = 0;
  if (file)
    fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static bool test_game(const char *program, const char *game, uint32_t edits, uint64_t seed, uint32_t from) {
  run_t r = {.game = strrchr(game, '/') ? strrchr(game, '/') + 1 : game};
  error_info_t error = {0};
  seed += hash_text(r.game);
  random_seed(&r.random, seed);
  folder_init(&r.folder, game);
  options_t options = {.command = OPTIONS_RUN,
                       .program = program,
                       .target = r.folder.place,
                       .headless = true,
                       .trust = true,
                       .watch = FILE_WATCH_ON,
                       .workers = 1,
                       .has_history = true,
                       .history_mb = 8,
                       .has_budget =
                           true, // an endless file is stopped after ten times this budget, not after thirty seconds
                       .budget_ms = BUDGET_MS,
                       .log_level = LOG_NONE};
  r.host = host_create(&options, &error);
  if (!r.host || !r.host->session.game) {
    printf("not ok the game %s starts: %s%s\n", r.game, error.text, r.host ? r.host->card.message : "");
    host_destroy(r.host);
    folder_fini(&r.folder);
    return false;
  }
  file_watch_clear(r.host->watch); // edits are passed directly to the reload
  r.before = snapshot_create(&r.memory);
  play(&r, 60);
  long began_kb = 0;
  for (uint32_t i = 0; i < edits; ++i) {
    random_seed(&r.random, seed * 1000003 + i);
    r.tally.edits = i;
    if (i >= from)
      test_edit(&r);
    if (i == edits / 4)
      began_kb = resident_kb();
  }
  const tally_t *t = &r.tally;
  printf("  %s: %u edits, %u rejected, %u accepted, of which %u could be reverted only by a restart\n", r.game, edits,
         t->refused, t->accepted, t->unmended);
  printf("  a reload takes %.1f ms, at most %.1f ms (%s)\n", t->sum_ms / (t->reloads ? t->reloads : 1), t->slowest_ms,
         t->slowest);
  printf("  resident: %ld KB, %+ld KB in the last three quarters\n", resident_kb(), resident_kb() - began_kb);
  bool good = t->wrong == 0;
  printf("%s edits of %s give the world of a fresh start, or are rejected and leave it unchanged\n",
         good ? "ok" : "not ok", r.game);
  snapshot_release(r.before);
  host_destroy(r.host);
  folder_fini(&r.folder);
  fflush(stdout);
  return good;
}

int main(int argc, char **argv) {
  uint32_t edits = 100, from = 0;
  uint64_t seed = 1;
  bool good = true;
  signal(SIGSEGV, die);
  signal(SIGABRT, die);
  signal(SIGBUS, die);
  signal(SIGALRM, die);
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--edits") == 0 && i + 1 < argc)
      edits = (uint32_t)strtoul(argv[++i], NULL, 10);
    else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
      seed = strtoull(argv[++i], NULL, 10);
    else if (strcmp(argv[i], "--from") == 0 && i + 1 < argc)
      from = (uint32_t)strtoul(argv[++i], NULL, 10);
    else if (strcmp(argv[i], "--reloads") == 0 && i + 2 < argc)
      good &= test_many_reloads(argv[0], argv[i + 2], (uint32_t)strtoul(argv[i + 1], NULL, 10)), i += 2;
    else if (strcmp(argv[i], "--latency") == 0 && i + 1 < argc)
      good &= test_reload_latency(argv[0], 100, (uint32_t)strtoul(argv[++i], NULL, 10));
    else
      good &= test_game(argv[0], argv[i], edits, seed, from);
  }
  return good ? 0 : 1;
}
