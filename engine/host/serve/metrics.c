// Writes the metrics file. Times are in seconds, and counters end with _total, as Prometheus expects.
#include "serve/metrics.h"

#include "base/alloc.h"
#include "base/files.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct text_t {
  char *bytes;
  size_t size, capacity;
} text_t;

__attribute__((format(printf, 2, 3))) static void add(text_t *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text->bytes + text->size, text->capacity - text->size, format, arguments);
  va_end(arguments);
  if (length > 0 && (size_t)length < text->capacity - text->size)
    text->size += (size_t)length;
}

static void add_head(text_t *text, const char *name, const char *kind, const char *help) {
  add(text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind);
}

// A metric of a room: a member of 4 or 8 bytes times `scale`, or 1 if the room is in `phase`, otherwise 0.
typedef struct metric_t {
  const char *name, *kind, *help;
  size_t offset, bytes;
  room_phase_t phase; // phase in which the metric is 1; used if `bytes` is 0
  double scale;
} metric_t;

#define MEMBER(member) offsetof(world_room_t, member), sizeof((world_room_t *)0)->member, ROOM_ASLEEP
#define BEAT(member) MEMBER(process.beat.member)

// clang-format off
static const metric_t METRICS[] = {
  {"shoal_room_open", "gauge", "1 if players can join the room.", .phase = ROOM_OPEN},
  {"shoal_room_damaged", "gauge", "1 if the room cannot start because rows of the database are damaged.",
   .phase = ROOM_DAMAGED},
  {"shoal_room_players", "gauge", "Number of players.", BEAT(players), 1},
  {"shoal_room_max_players", "gauge", "Maximum number of players.", MEMBER(room.players), 1},
  {"shoal_room_tick", "gauge", "Tick of the room's world.", BEAT(tick), 1},
  {"shoal_room_committed_tick", "gauge", "Last tick that the database contains.", BEAT(acked_tick), 1},
  {"shoal_room_tick_p50_seconds", "gauge", "Median duration of a tick in the last second.", BEAT(tick_p50_us), 1e-6},
  {"shoal_room_tick_p99_seconds", "gauge", "99th percentile of the duration of a tick in the last second.",
   BEAT(tick_p99_us), 1e-6},
  {"shoal_room_late_ticks_total", "counter", "Number of late ticks since the process started.", BEAT(late), 1},
  {"shoal_room_tick_delay_seconds", "gauge", "Longest time from a tick's due time to its start in the last second.",
   BEAT(max_delay_us), 1e-6},
  {"shoal_room_commit_seconds", "gauge", "Duration of the latest commit.", BEAT(commit_ms), 1e-3},
  {"shoal_room_waiting_seconds", "gauge", "Age of the oldest record that is not committed.", BEAT(waiting_ms), 1e-3},
  {"shoal_room_starts_total", "counter", "Number of started processes.", MEMBER(process.starts), 1},
  {"shoal_room_crashes_total", "counter", "Number of crashed or killed processes.", MEMBER(process.crashes), 1},
};
// clang-format on
#define METRIC_COUNT (sizeof METRICS / sizeof *METRICS)

static double get_number(const world_room_t *r, const metric_t *m) {
  uint32_t small = 0;
  uint64_t large = 0;
  if (m->bytes == 0)
    return r->process.phase == m->phase;
  if (m->bytes == sizeof small)
    memcpy(&small, (const char *)r + m->offset, sizeof small);
  else
    memcpy(&large, (const char *)r + m->offset, sizeof large);
  return (double)(small + large) * m->scale;
}

static void add_requests(text_t *text, const world_requests_t *requests) {
  static const struct {
    match_refusal_kind_t answer;
    const char *label;
  } LABELS[] = {{MATCH_REFUSAL_ROOM, "room"},
                {MATCH_REFUSAL_ROOM_STARTS, "starts"},
                {MATCH_REFUSAL_FULL, "full"},
                {MATCH_REFUSAL_NO_ROOM, "unknown"},
                {MATCH_REFUSAL_ROOM_CLOSED, "closed"},
                {MATCH_REFUSAL_ROOM_FAILED, "failed"},
                {MATCH_REFUSAL_NO_ACCOUNT, "no_account"},
                {MATCH_REFUSAL_CODE, "code"},
                {MATCH_REFUSAL_MANY_ACCOUNTS, "many_accounts"},
                {MATCH_REFUSAL_ACCOUNT_BANNED, "banned"},
                {MATCH_REFUSAL_ELSEWHERE, "elsewhere"},
                {MATCH_REFUSAL_TAKEN, "taken"},
                {MATCH_REFUSAL_OLD_ROOM, "old_room"}};
  add_head(text, "shoal_world_requests_total", "counter", "Number of requests for rooms, by answer.");
  for (size_t i = 0; i < sizeof LABELS / sizeof *LABELS; ++i)
    add(text, "shoal_world_requests_total{answer=\"%s\"} %" PRIu64 "\n", LABELS[i].label,
        requests->count[LABELS[i].answer]);
  add_head(text, "shoal_world_pause_seconds", "gauge",
           "Longest time for which the world has read no requests, in the last 10 s.");
  add(text, "shoal_world_pause_seconds %.15g\n", (double)requests->pause_us * 1e-6);
}

bool metrics_write(const char *path, const world_rooms_t *rooms, const world_requests_t *requests,
                   error_info_t *error) {
  size_t capacity = 4096 + METRIC_COUNT * (256 + (size_t)rooms->count * 128);
  text_t text = {.bytes = alloc_object(capacity), .capacity = capacity};
  for (size_t i = 0; i < METRIC_COUNT; ++i) {
    add_head(&text, METRICS[i].name, METRICS[i].kind, METRICS[i].help);
    for (uint32_t k = 0; k < rooms->count; ++k)
      add(&text, "%s{room=\"%s\"} %.15g\n", METRICS[i].name, rooms->items[k].room.name,
          get_number(&rooms->items[k], &METRICS[i]));
  }
  add_requests(&text, requests);
  bool is_written = file_write_volatile(path, text.bytes, text.size, error);
  free(text.bytes);
  return is_written;
}
