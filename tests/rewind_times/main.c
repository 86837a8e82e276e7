// Measures rewinding: rewind_times [--seconds N] [--play TICKS] [--memory MB] GAME
//
// Plays the demo of a game headless, with the history and the copies of recent ticks that a window has. Then moves as
// if F9 and F10 were held for five seconds each, alternately, at the speeds of a held key (host/rewind_keys.c). Prints
// the CPU time of the main thread per frame, without drawing, and the memory of the decoded states. Exits with 1 if a
// shown tick has a different hash than the tick that was played.
#define _POSIX_C_SOURCE 200809L
#include "ecs/world_hash.h"
#include "host/host.h"
#include "host/host_internal.h"
#include "host/playback.h"

#include "../cpu_time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TICKS 20000u
#define FRAMES_PER_SECOND 60u
#define HOLD_FRAMES (5 * FRAMES_PER_SECOND)
#define FIRST_FRAME 15u // frame in which a held key moves again: after a quarter of a second

// Speeds of a held key, by the frame at which they begin.
static const struct {
  uint32_t frame;
  double ticks;
  bool kept_only;
} SPEEDS[] = {{210, 4, true}, {90, 2, false}, {FIRST_FRAME, 1, false}};

static uint64_t hashes[MAX_TICKS]; // hashes of the played ticks
static double times_ms[MAX_TICKS];

static uint64_t get_tick(const host_o *h) {
  return world_tick(h->session.game->world);
}

static double run_frame(host_o *h) {
  double start_ms = get_cpu_ms();
  host_frame(h);
  return get_cpu_ms() - start_ms;
}

// Moves as a key that has been held for `frame` frames does.
static void move(session_t *s, int direction, uint32_t frame) {
  if (!s->time.scrub.reel && !scrub_begin(s)) {
    fprintf(stderr, "rewind_times: the memory is too small\n");
    exit(1);
  }
  if (frame == 0)
    scrub_step(s, direction);
  for (size_t i = 0; frame > 0 && i < sizeof SPEEDS / sizeof *SPEEDS; ++i)
    if (frame >= SPEEDS[i].frame) {
      scrub_move(s, direction * SPEEDS[i].ticks, SPEEDS[i].kept_only);
      break;
    }
  if (frame == HOLD_FRAMES - 1)
    scrub_settle(s);
}

static bool is_shown_as_played(const host_o *h) {
  uint64_t tick = get_tick(h);
  if (tick < MAX_TICKS && world_hash(h->session.game->world) == hashes[tick])
    return true;
  fprintf(stderr, "rewind_times: tick %llu differs from the played one\n", (unsigned long long)tick);
  return false;
}

// Returns false if a shown tick differs from the played one.
static bool measure(host_o *h, uint32_t frames) {
  double total_ticks = 0;
  size_t max_bytes = 0;
  uint64_t last_tick = get_tick(h);
  h->session.time.session_paused = true;
  for (uint32_t i = 0; i < frames; ++i) {
    uint32_t frame = i % HOLD_FRAMES;
    uint64_t tick = get_tick(h);
    move(&h->session, i / HOLD_FRAMES % 2 ? 1 : -1, frame);
    times_ms[i] = run_frame(h);
    total_ticks += get_tick(h) > tick ? (double)(get_tick(h) - tick) : (double)(tick - get_tick(h));
    size_t bytes = reel_bytes(h->session.time.scrub.reel);
    max_bytes = bytes > max_bytes ? bytes : max_bytes;
    if (get_tick(h) != tick && !is_shown_as_played(h))
      return false;
  }
  history_stats_t stats = history_stats(h->session.time.timelines.current.snapshots);
  bool every_tick = reel_shows_every_tick(h->session.time.scrub.reel);
  for (uint32_t i = 0; i < 2 * HOLD_FRAMES && get_tick(h) != last_tick; ++i) {
    scrub_seek(&h->session, last_tick, false);
    run_frame(h);
  }
  qsort(times_ms, frames, sizeof *times_ms, compare_times);
  printf("p50 %.2f ms, p99 %.2f ms, max %.2f ms, %.0f ticks in %u frames, %s\n", times_ms[frames / 2],
         times_ms[frames * 99 / 100], times_ms[frames - 1], total_ticks, frames,
         every_tick ? "every tick" : "kept ticks");
  printf("states %.1f MB: interval %u, state %.2f MB, 2 × interval × state %.1f MB; hash of tick %llu %s\n",
         (double)max_bytes / 1e6, stats.interval, (double)stats.snapshot_bytes / 1e6,
         2.0 * stats.interval * (double)stats.snapshot_bytes / 1e6, (unsigned long long)last_tick,
         get_tick(h) == last_tick && is_shown_as_played(h) ? "equal" : "DIFFERENT");
  return get_tick(h) == last_tick && is_shown_as_played(h);
}

int main(int argc, char **argv) {
  uint32_t seconds = 60, play_ticks = 1200;
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
  for (int i = 1; i < argc; ++i) {
    if (i + 1 < argc && strcmp(argv[i], "--seconds") == 0)
      seconds = (uint32_t)atoi(argv[++i]);
    else if (i + 1 < argc && strcmp(argv[i], "--play") == 0)
      play_ticks = (uint32_t)atoi(argv[++i]);
    else if (i + 1 < argc && strcmp(argv[i], "--memory") == 0)
      options.memory_mb = (uint32_t)atoi(argv[++i]);
    else
      options.target = argv[i];
  }
  if (!options.target || seconds * FRAMES_PER_SECOND > MAX_TICKS || play_ticks >= MAX_TICKS || seconds < 1) {
    fprintf(stderr, "usage: rewind_times [--seconds N] [--play TICKS] [--memory MB] GAME\n");
    return 2;
  }
  error_info_t error = {0};
  host_o *h = host_create(&options, &error);
  if (!h) {
    fprintf(stderr, "rewind_times: %s\n", error.text);
    return 2;
  }
  while (get_tick(h) < play_ticks && host_frame(h))
    hashes[get_tick(h)] = world_hash(h->session.game->world);
  bool ok = measure(h, seconds * FRAMES_PER_SECOND);
  host_destroy(h);
  return ok ? 0 : 1;
}
