// Lines for the supervisor: beats with the measurement of ticks, and the reason for the end.
#include "room/room_internal.h"

#include "base/now.h"
#include "process/child.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEAT_US 1000000

bool room_beat_open(room_o *r) {
  // Writing never blocks: a supervisor that reads no beats must not stop the ticks.
  return !r->options->has_beat_fd || child_service_use_pipe((int)r->options->beat_fd) ||
         room_fail(r, ROOM_EXIT_UNAVAILABLE, "--fd: the file descriptor is not open");
}

void room_beat_write_line(const room_o *r, const char *line) {
  char text[1200];
  if (!r->options->has_beat_fd)
    return;
  int length = snprintf(text, sizeof text, "%.1190s\n", line);
  child_service_write((int)r->options->beat_fd, text, (size_t)length);
}

int64_t room_now_us(void) {
  return now_ns() / 1000;
}

bool room_fail(room_o *r, int status, const char *message) {
  char line[sizeof((error_info_t *)0)->text + 16];
  if (r->is_ending)
    return false;
  r->is_ending = true;
  r->status = status;
  log_error(r->host->session.log, "room %s: %s", r->name, message);
  if (status == ROOM_EXIT_DAMAGED) {
    (void)snprintf(line, sizeof line, "damaged %s", message);
    room_beat_write_line(r, line);
  }
  return false;
}

bool room_fail_with(room_o *r, store_result_t result, const error_info_t *error) {
  return room_fail(r,
                   result == STORE_LOST      ? ROOM_EXIT_LOST
                   : result == STORE_DAMAGED ? ROOM_EXIT_DAMAGED
                                             : ROOM_EXIT_UNAVAILABLE,
                   error->text);
}

// --- ticks

void room_beat_measure_tick(void *context, bool begins) {
  room_o *r = context;
  room_ticks_t *t = &r->ticks;
  if (begins) {
    t->start_us = room_now_us();
    t->cpu_start_ns = now_thread_ns();
    return;
  }
  int64_t cpu_ns = now_thread_ns() - t->cpu_start_ns, cpu_us = cpu_ns / 1000;
  r->snapshot_cpu_ns += cpu_ns;
  t->average_us = t->average_us == 0 ? cpu_us : t->average_us + (cpu_us - t->average_us) / 8;
  if (t->count == ROOM_MAX_TICKS)
    return;
  t->cpu_durations_us[t->count] = (uint32_t)cpu_us;
  t->durations_us[t->count++] = (uint32_t)(room_now_us() - t->start_us);
}

void room_beat_measure_delay(room_o *r) {
  room_ticks_t *t = &r->ticks;
  int64_t now_us = room_now_us(), due_us = match_get_status(r->match, now_us).due_us;
  int64_t delay_us = now_us - (due_us > t->frame_us ? due_us : t->frame_us);
  t->late += delay_us > ROOM_MAX_LATE_US;
  if (delay_us > t->max_delay_us)
    t->max_delay_us = delay_us;
}

static int compare_durations(const void *a, const void *b) {
  uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
  return (left > right) - (left < right);
}

// Returns a quantile of the sorted tick durations, or 0 if no tick has run.
static uint32_t get_quantile(const room_ticks_t *t, const uint32_t *durations_us, double share) {
  return t->count > 0 ? durations_us[(size_t)((t->count - 1) * share)] : 0;
}

// --- beats

// Returns the hash after a recent tick, or 0 if it is unknown.
static uint64_t find_hash(const room_o *r, uint64_t tick) {
  uint32_t slot = (uint32_t)(tick % ROOM_HASHES);
  return r->hashes[slot].tick == tick ? r->hashes[slot].hash : 0;
}

void room_beat_print_hashes(room_o *r, uint64_t end) {
  uint64_t every = r->options->committed_hash;
  if (every == 0 || end <= r->printed_tick)
    return;
  // The ticks before a snapshot or a save from which the room continues have no known hash.
  uint64_t begin = end - r->printed_tick < ROOM_HASHES ? r->printed_tick : end - ROOM_HASHES;
  for (uint64_t tick = begin - begin % every + every; tick <= end; tick += every)
    if (find_hash(r, tick) != 0)
      printf("%s tick %llu hash %016llx\n", r->name, (unsigned long long)tick, (unsigned long long)find_hash(r, tick));
  r->printed_tick = end;
  fflush(stdout);
}

void room_beat_note_players(room_o *r, int64_t now_us, int64_t account) {
  char line[64];
  int count = __builtin_popcount(match_get_status(r->match, now_us).present);
  (void)snprintf(line, sizeof line, "players %d %lld", count, (long long)account);
  room_beat_write_line(r, line);
}

void room_beat_update(room_o *r, int64_t now_us) {
  char line[256];
  room_ticks_t *t = &r->ticks;
  if (now_us - r->beat_us < BEAT_US || r->options->has_prove || r->options->try_code || r->options->check_items)
    return;
  r->beat_us = now_us;
  room_writer_status_t status = {0};
  if (r->writer)
    status = room_writer_get_status(r->writer);
  qsort(t->durations_us, t->count, sizeof *t->durations_us, compare_durations);
  qsort(t->cpu_durations_us, t->count, sizeof *t->cpu_durations_us, compare_durations);
  (void)snprintf(line, sizeof line, "beat %llu %d %u %u %u %lld %lld %lld %llu %016llx", (unsigned long long)r->tick,
                 __builtin_popcount(match_get_status(r->match, now_us).present), get_quantile(t, t->durations_us, 0.5),
                 get_quantile(t, t->durations_us, 0.99), t->late, (long long)t->max_delay_us,
                 (long long)(status.commit_us / 1000), (long long)(status.waiting_us / 1000),
                 (unsigned long long)status.acked_tick, (unsigned long long)find_hash(r, status.acked_tick));
  log_debug(r->host->session.log, "room %s: %s", r->name, line);
  log_debug(r->host->session.log, "room %s: CPU time of ticks: 50 %% %u us, 99 %% %u us", r->name,
            get_quantile(t, t->cpu_durations_us, 0.5), get_quantile(t, t->cpu_durations_us, 0.99));
  t->count = 0;
  t->max_delay_us = 0;
  room_beat_write_line(r, line);
  if (r->options->has_beat_fd && child_service_is_orphaned((int)r->options->beat_fd) && !r->is_ending) {
    log_warn(r->host->session.log, "room %s ends, because its supervisor has ended", r->name);
    r->is_ending = true;
  }
}
