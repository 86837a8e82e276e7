// Measures F12: clip_times [--presses N] [--play TICKS] [--render] GAME
//
// Plays the demo of a game headless at 60 frames per second, with the history and the recording in memory that a window
// has, and presses F12 again and again. Prints the CPU and wall-clock time of the main thread per frame, without
// drawing, for the frames before a press, the frames after it, and the frames in which files are written or rendered.
// The processes that render the clips only start, unless --render is given.
#define _POSIX_C_SOURCE 200809L
#include "base/now.h"
#include "host/host.h"
#include "host/host_internal.h"

#include "../cpu_time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_FRAMES 100000u
#define FRAME_NS (NS_PER_MS * 1000 / 60)
#define WINDOW_FRAMES 60u // frames before a press, and after it
#define MAX_FRAMES_PER_CLIP 20000u

typedef enum group_t { BEFORE, AFTER, RENDERING, GROUPS } group_t;

typedef struct times_t {
  const char *name;
  double cpu_ms[MAX_FRAMES], wall_ms[MAX_FRAMES];
  uint32_t count;
} times_t;

static times_t groups[GROUPS] = {{.name = "before F12"}, {.name = "after F12"}, {.name = "rendering"}};

static uint64_t get_tick(const host_o *h) {
  return world_tick(h->session.game->world);
}

// Waits for the next frame as a window does. A late frame starts immediately.
static void wait_until(int64_t *due_ns) {
  int64_t remaining_ns = *due_ns - now_ns();
  if (remaining_ns > 0)
    nanosleep(&(struct timespec){.tv_sec = remaining_ns / 1000000000, .tv_nsec = remaining_ns % 1000000000}, NULL);
  *due_ns = (remaining_ns > 0 ? *due_ns : now_ns()) + FRAME_NS;
}

static void run_frame(host_o *h, group_t group, bool pressed, int64_t *due_ns) {
  times_t *times = &groups[group];
  wait_until(due_ns);
  double start_cpu_ms = get_cpu_ms(), start_us = now_us();
  if (pressed)
    excerpts_add(&h->session);
  host_frame(h);
  if (times->count == MAX_FRAMES)
    return;
  times->wall_ms[times->count] = (now_us() - start_us) / 1e3;
  times->cpu_ms[times->count++] = get_cpu_ms() - start_cpu_ms;
}

static bool is_writing(const host_o *h) {
  for (uint32_t i = 0; i < EXCERPTS_MAX; ++i)
    if (h->session.excerpts.items[i].phase)
      return true;
  return false;
}

static void press(host_o *h, int64_t *due_ns) {
  for (uint32_t i = 0; i < WINDOW_FRAMES; ++i)
    run_frame(h, BEFORE, false, due_ns);
  for (uint32_t i = 0; i < WINDOW_FRAMES; ++i)
    run_frame(h, AFTER, i == 0, due_ns);
  for (uint32_t i = 0; i < MAX_FRAMES_PER_CLIP && is_writing(h); ++i)
    run_frame(h, RENDERING, false, due_ns);
}

static void print_times(times_t *times) {
  if (times->count == 0)
    return;
  qsort(times->cpu_ms, times->count, sizeof *times->cpu_ms, compare_times);
  qsort(times->wall_ms, times->count, sizeof *times->wall_ms, compare_times);
  printf("%-10s %6u frames: CPU p50 %.2f ms, p99 %.2f ms, max %.2f ms; wall p50 %.2f ms, p99 %.2f ms, max %.2f ms\n",
         times->name, times->count, times->cpu_ms[times->count / 2], times->cpu_ms[times->count * 99 / 100],
         times->cpu_ms[times->count - 1], times->wall_ms[times->count / 2], times->wall_ms[times->count * 99 / 100],
         times->wall_ms[times->count - 1]);
}

// Records in memory, and skips states that are packed too slowly, as in a window.
static bool begin_recording(host_o *h) {
  session_t *s = &h->session;
  recording_head_t head = {.seed = 1, .tick_rate = s->game->config.tick_rate, .history_mb = time_travel_history_mb(s)};
  snprintf(head.game, sizeof head.game, "%s", s->game->config.title);
  s->recording.recorder = recorder_create(s->journal, &head, NULL, NULL);
  if (!s->recording.recorder || !s->time.timelines.current.snapshots)
    return false;
  history_use_thread(s->time.timelines.current.snapshots, HISTORY_LATE_DROPS);
  return true;
}

// The host renders clips with its own executable. This program therefore passes `clip` on to shoal in its folder.
static int run_clip(char **argv) {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof "shoal");
  if (getenv("CLIP_TIMES_RENDERS") == NULL || length <= 0)
    return 0;
  path[length] = '\0';
  strcpy(strrchr(path, '/') + 1, "shoal");
  argv[0] = path;
  execv(path, argv);
  return 127;
}

int main(int argc, char **argv) {
  uint32_t presses = 30, play_ticks = 1200;
  options_t options = {.command = OPTIONS_RUN,
                       .program = argv[0],
                       .headless = true,
                       .has_history = true,
                       .history_mb = 480,
                       .seed = 1,
                       .has_seed = true,
                       .temporary_saves = true,
                       .watch = FILE_WATCH_ON, // enables undoing failed code, which copies recent ticks
                       .log_level = LOG_NONE};
  if (argc > 1 && strcmp(argv[1], "clip") == 0)
    return run_clip(argv);
  unsetenv("CLIP_TIMES_RENDERS");
  for (int i = 1; i < argc; ++i) {
    if (i + 1 < argc && strcmp(argv[i], "--presses") == 0)
      presses = (uint32_t)atoi(argv[++i]);
    else if (i + 1 < argc && strcmp(argv[i], "--play") == 0)
      play_ticks = (uint32_t)atoi(argv[++i]);
    else if (strcmp(argv[i], "--render") == 0)
      setenv("CLIP_TIMES_RENDERS", "1", 1);
    else
      options.target = argv[i];
  }
  if (!options.target || presses < 1 || presses * WINDOW_FRAMES > MAX_FRAMES) {
    fprintf(stderr, "usage: clip_times [--presses N] [--play TICKS] [--render] GAME\n");
    return 2;
  }
  error_info_t error = {0};
  host_o *h = host_create(&options, &error);
  if (!h || !begin_recording(h)) {
    fprintf(stderr, "clip_times: %s\n", h ? "the history is disabled" : error.text);
    host_destroy(h);
    return 2;
  }
  while (get_tick(h) < play_ticks && host_frame(h)) {
  }
  int64_t due_ns = now_ns();
  for (uint32_t i = 0; i < presses; ++i)
    press(h, &due_ns);
  for (group_t group = 0; group < GROUPS; ++group)
    print_times(&groups[group]);
  host_destroy(h);
  return 0;
}
