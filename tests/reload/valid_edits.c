// Applies many valid edits to a running program and measures leaks.
#include "valid_edits.h"

#include "folder.h"
#include "host/game_switch.h"
#include "host/host.h"
#include "host/host_internal.h"
#include "host/tick.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WARM_UP 50u // number of reloads after which caches and free lists have reached their final size
#define TICK_S (1.0 / 60.0)

// --- resources of a process

typedef struct held_t {
  size_t lua_bytes, host_bytes, world_bytes;
  long resident_kb, open_files, mappings;
  uint32_t systems;
} held_t;

static long count_lines(const char *path, const char *first_word, long *value) {
  char line[512];
  long lines = 0;
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) {
    lines++;
    if (first_word && strncmp(line, first_word, strlen(first_word)) == 0)
      *value = strtol(line + strlen(first_word), NULL, 10);
  }
  if (file)
    fclose(file);
  return lines;
}

static long count_entries(const char *path) {
  long count = 0;
  DIR *dir = opendir(path);
  while (dir && readdir(dir))
    count++;
  if (dir)
    closedir(dir);
  return count;
}

static held_t measure_resources(const host_o *h) {
  held_t held = {.lua_bytes = vm_memory_bytes(h->session.game->vm),
                 .host_bytes = h->session.memory.bytes,
                 .world_bytes = world_allocator(h->session.game->world)->bytes,
                 .open_files = count_entries("/proc/self/fd")};
  held.mappings = count_lines("/proc/self/maps", NULL, NULL);
  count_lines("/proc/self/status", "VmRSS:", &held.resident_kb);
  for (phase_t phase = PHASE_INPUT; phase < PHASE_COUNT; ++phase)
    held.systems += schedule_system_count(h->session.game->schedule, phase);
  return held;
}

static host_o *open_host(const char *program, const char *folder) {
  error_info_t error = {0};
  options_t options = {.command = OPTIONS_RUN,
                       .program = program,
                       .target = folder,
                       .headless = true,
                       .trust = true,
                       .watch = FILE_WATCH_ON,
                       .workers = 1,
                       .log_level = LOG_ERROR};
  host_o *h = host_create(&options, &error);
  if (h && h->session.game)
    return h;
  printf("not ok the game starts: %s%s\n", error.text, h ? h->card.message : "");
  host_destroy(h);
  return NULL;
}

static bool check(bool good, const char *name, const char *said) {
  printf("%s %s%s%s\n", good ? "ok" : "not ok", name, good ? "" : ": ", good ? "" : said);
  fflush(stdout);
  return good;
}

// --- many reloads

static bool change_one_file(const folder_t *f, uint32_t number) {
  char words[64];
  size_t bytes = 0;
  uint32_t first = number % f->count;
  for (uint32_t i = 0; i < f->count; ++i) {
    const folder_file_t *file = &f->files[(first + i) % f->count];
    size_t n = strlen(file->path);
    if (strncmp(file->path, "assets/", 7) == 0 || n < 5 || strcmp(file->path + n - 4, ".lua") != 0)
      continue;
    bytes = (size_t)snprintf(words, sizeof words, "\n-- change %u\n", number % 1000);
    char *text = malloc(file->size_bytes + bytes);
    if (!text)
      abort();
    memcpy(text, file->bytes, file->size_bytes);
    memcpy(text + file->size_bytes, words, bytes);
    folder_write(f, file->path, text, file->size_bytes + bytes);
    free(text);
    return true;
  }
  return false;
}

static bool reload_many(host_o *h, const folder_t *f, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < to; ++i) {
    const game_o *old = h->session.game;
    if (!change_one_file(f, i))
      return false;
    h->session.reload_requested = true;
    game_switch_apply(h);
    if (h->session.game == old)
      return false;
    tick_run(h, NULL);
    vm_collect_garbage(h->session.game->vm);
  }
  return true;
}

bool test_many_reloads(const char *program, const char *game, uint32_t reloads) {
  folder_t folder;
  char name[200], said[400];
  const char *short_name = strrchr(game, '/') ? strrchr(game, '/') + 1 : game;
  folder_init(&folder, game);
  host_o *h = open_host(program, folder.place);
  if (!h)
    return false;
  file_watch_clear(h->watch); // changes are passed directly to the reload
  bool good = reload_many(h, &folder, 0, WARM_UP);
  held_t before = measure_resources(h);
  good = good && reload_many(h, &folder, WARM_UP, WARM_UP + reloads);
  held_t after = measure_resources(h);
  snprintf(name, sizeof name, "repeated reloads leak nothing (%s, %u reloads)", short_name, reloads);
  snprintf(said, sizeof said,
           "Lua %zu → %zu bytes, world %zu → %zu, host %zu → %zu, resident %ld → %ld KB, files %ld → %ld, mappings %ld "
           "→ %ld",
           before.lua_bytes, after.lua_bytes, before.world_bytes, after.world_bytes, before.host_bytes,
           after.host_bytes, before.resident_kb, after.resident_kb, before.open_files, after.open_files,
           before.mappings, after.mappings);
  printf("  %s\n", said);
  // The limits are generous because Lua's memory depends on when garbage was last collected, and the process's memory
  // includes freed pages that have not been returned to the system.
  bool flat = after.lua_bytes < before.lua_bytes * 5 / 4 + 65536 &&
              after.world_bytes < before.world_bytes * 5 / 4 + 65536 && after.host_bytes == before.host_bytes &&
              after.open_files == before.open_files && after.mappings <= before.mappings + 16 &&
              after.resident_kb < before.resident_kb * 5 / 4 + 8192;
  good = check(good && flat, name, good ? "it grows" : h->card.message);
  snprintf(said, sizeof said, "%u systems, then %u", before.systems, after.systems);
  snprintf(name, sizeof name, "%s has as many systems after the reloads", short_name);
  good &= check(before.systems == after.systems, name, said);
  host_destroy(h);
  folder_fini(&folder);
  return good;
}

// --- latency

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// Resumes the sleep if the watchdog's signals interrupt it.
static void sleep_until(double s) {
  for (double left = s - now_s(); left > 0; left = s - now_s()) {
    struct timespec t = {.tv_sec = (time_t)left, .tv_nsec = (long)((left - floor(left)) * 1e9)};
    nanosleep(&t, NULL);
  }
}

static void write_system(const folder_t *f, uint32_t number, uint32_t says) {
  char path[64], text[400];
  snprintf(path, sizeof path, "systems/s%03u.lua", number);
  int bytes = snprintf(text, sizeof text,
                       "local SAYS = %u\n"
                       "return { query = { \"thing\" }, update = function(q, dt)\n"
                       "  for i = 1, q.count do q.thing.x[i] = q.thing.x[i] + dt * %u end\n"
                       "  if SAYS > 0 then world.single.seen.value = SAYS end\n"
                       "end }\n",
                       says, number);
  folder_write(f, path, text, (size_t)bytes);
}

static void make_game(folder_t *f, uint32_t files) {
  static const char GAME[] =
      "return { title = \"Hundred\", start = function() world.spawn_many(\"thing\", 100) end }\n";
  static const char COMPONENTS[] = "local t = shoal.types\n"
                                   "return { thing = { x = 0 }, seen = t.single { value = t.i32(0) } }\n";
  static const char ASSEMBLAGES[] = "return { thing = { components = { thing = {} } } }\n";
  char empty[] = "/tmp/shoal_hundred_XXXXXX";
  if (!mkdtemp(empty))
    abort();
  folder_init(f, empty);
  rmdir(empty);
  folder_write(f, "game.lua", GAME, sizeof GAME - 1);
  folder_write(f, "components.lua", COMPONENTS, sizeof COMPONENTS - 1);
  folder_write(f, "assemblages.lua", ASSEMBLAGES, sizeof ASSEMBLAGES - 1);
  for (uint32_t i = 0; i < files; ++i)
    write_system(f, i, 0);
}

static uint32_t newest_version(const host_o *h) {
  manager_o *m = world_find_manager(h->session.game->world, "seen");
  return (uint32_t)columns_get(&m->columns, 0, (uint32_t)manager_find_column(m, "value"));
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

typedef struct latency_t {
  double ticks[1000], ms[1000];
} latency_t;

// Measures the ticks and milliseconds from the end of a save to the end of the first tick with the new code. Returns
// false if the game ends, or if the new code does not run within 240 ticks.
static bool measure(host_o *h, const folder_t *f, uint32_t files, uint32_t i, latency_t *out) {
  double next_s = now_s() + TICK_S;
  host_frame(h);
  sleep_until(next_s - TICK_S * 0.5);
  write_system(f, i * 37 % files, i + 1);
  double saved_s = now_s();
  for (uint32_t tick = 1; tick < 240; ++tick) {
    sleep_until(next_s);
    next_s = now_s() + TICK_S;
    if (!host_frame(h))
      return false;
    if (newest_version(h) == i + 1) {
      out->ticks[i] = tick;
      out->ms[i] = (now_s() - saved_s) * 1e3;
      write_system(f, i * 37 % files, 0);
      for (uint32_t k = 0; k < 12; ++k) { // waits until this second change has been reloaded
        sleep_until(now_s() + TICK_S);
        host_frame(h);
      }
      return true;
    }
  }
  return false;
}

bool test_reload_latency(const char *program, uint32_t files, uint32_t saves) {
  static latency_t found;
  folder_t folder;
  char name[200], said[200];
  uint32_t done = 0;
  saves = saves > 1000 ? 1000 : saves;
  make_game(&folder, files);
  host_o *h = open_host(program, folder.place);
  if (!h)
    return false;
  while (done < saves && measure(h, &folder, files, done, &found))
    done++;
  qsort(found.ticks, done, sizeof *found.ticks, compare);
  qsort(found.ms, done, sizeof *found.ms, compare);
  snprintf(name, sizeof name, "half of all saved files take effect within two ticks after settling (%u files)",
           files + 3);
  snprintf(said, sizeof said, "%u of %u saves took effect", done, saves);
  double settle = ceil(FILE_WATCH_SETTLE_S / TICK_S);
  if (done > 0) {
    printf("  ticks from a save to its code, %.0f of them for settling: median %.0f, worst %.0f; median %.0f ms, worst "
           "%.0f ms\n",
           settle, found.ticks[done / 2], found.ticks[done - 1], found.ms[done / 2], found.ms[done - 1]);
    if (done == saves)
      snprintf(said, sizeof said, "the median is %.0f ticks", found.ticks[done / 2]);
  }
  bool good = check(done == saves && found.ticks[done / 2] <= settle + 2, name, said);
  host_destroy(h);
  folder_fini(&folder);
  return good;
}
