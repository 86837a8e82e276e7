// Life cycle of a room's process.
#include "serve/room_process.h"

#include "base/log.h"
#include "process/signals.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *room_process_name_phase(room_phase_t phase) {
  static const char *const NAMES[] = {
      [ROOM_ASLEEP] = "asleep",     [ROOM_STARTING] = "starting", [ROOM_OPEN] = "open",
      [ROOM_STOPPING] = "stopping", [ROOM_CRASHED] = "crashed",   [ROOM_DAMAGED] = "damaged",
  };
  _Static_assert(sizeof NAMES / sizeof *NAMES == ROOM_PHASE_COUNT, "a phase has no name");
  return NAMES[phase];
}

bool room_process_is_running(const room_process_t *r) {
  return r->service.process > 0;
}

// --- starting and restarting

// Returns the delay of a restart: 0, 1, 2, 4 … 60 s. `failures`: number of consecutive crashes, at least 1.
static int64_t get_restart_delay_us(uint32_t failures) {
  int64_t delay_us = failures <= 1 ? 0 : failures > 7 ? ROOM_MAX_RESTART_US : (int64_t)1000000 << (failures - 2);
  return delay_us < ROOM_MAX_RESTART_US ? delay_us : ROOM_MAX_RESTART_US;
}

static void note_crash(room_process_t *r, int64_t now_us, log_o *log) {
  bool was_stable = r->opened_us > 0 && now_us - r->opened_us >= ROOM_STABLE_US;
  r->failures = was_stable ? 1 : r->failures + 1;
  ++r->crashes;
  int64_t delay_us = get_restart_delay_us(r->failures);
  r->phase = ROOM_CRASHED;
  r->restart_us = now_us + delay_us;
  log_error(log, "room %s: %s; restart in %d s", r->name, r->reason, (int)(delay_us / 1000000));
}

static void start(room_process_t *r, int64_t now_us, log_o *log) {
  error_info_t error = {0};
  ++r->starts;
  r->has_spoken = r->starts_again = false;
  r->opened_us = 0;
  r->line_bytes = 0;
  r->beat = (room_beat_t){0};
  r->code = r->refused = 0;
  r->heard_us = now_us;
  if (child_start_service(&r->service, r->arguments, &error)) {
    r->phase = ROOM_STARTING;
    log_info(log, "room %s: starts (process %d)", r->name, r->service.process);
    return;
  }
  (void)snprintf(r->reason, sizeof r->reason, "%.200s", error.text);
  note_crash(r, now_us, log);
}

void room_process_need(room_process_t *r, int64_t now_us, log_o *log) {
  if (r->phase == ROOM_ASLEEP)
    start(r, now_us, log);
  else if (r->phase == ROOM_STOPPING)
    r->starts_again = true;
}

void room_process_stop(room_process_t *r, int64_t now_us) {
  r->starts_again = false;
  if (!room_process_is_running(r)) {
    r->phase = r->phase == ROOM_DAMAGED ? ROOM_DAMAGED : ROOM_ASLEEP;
    return;
  }
  if (r->phase != ROOM_STOPPING)
    r->stopping_us = now_us;
  r->phase = ROOM_STOPPING;
  child_stop_service(&r->service, false);
}

// --- expected players

static void remove_arrival(room_process_t *r, int64_t account) {
  for (uint32_t i = 0; i < r->arrival_count; ++i)
    if (r->arrivals[i].account == account)
      r->arrivals[i--] = r->arrivals[--r->arrival_count];
}

void room_process_expect(room_process_t *r, int64_t now_us, int64_t account) {
  remove_arrival(r, account);
  for (uint32_t i = 0; i < r->arrival_count; ++i)
    if (now_us - r->arrivals[i].since_us >= ROOM_ARRIVAL_US)
      r->arrivals[i--] = r->arrivals[--r->arrival_count];
  if (r->arrival_count < PLAYER_MAX)
    r->arrivals[r->arrival_count++] = (room_arrival_t){account, now_us};
}

uint32_t room_process_count_places(const room_process_t *r, int64_t now_us, int64_t account) {
  uint32_t count = r->beat.players;
  for (uint32_t i = 0; i < r->arrival_count; ++i)
    count += r->arrivals[i].account != account && now_us - r->arrivals[i].since_us < ROOM_ARRIVAL_US;
  return count;
}

bool room_process_has_refused(const room_process_t *r, uint64_t rows) {
  return rows > r->code && rows <= r->refused;
}

// --- lines of the process

static bool read_beat(const char *line, room_beat_t *out) {
  room_beat_t b;
  int end = 0;
  int count = sscanf(line,
                     "beat %" SCNu64 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu64 " %" SCNu32 " %" SCNu32 " %" SCNu32
                     " %" SCNu64 " %" SCNx64 "%n",
                     &b.tick, &b.players, &b.tick_p50_us, &b.tick_p99_us, &b.late, &b.max_delay_us, &b.commit_ms,
                     &b.waiting_ms, &b.acked_tick, &b.acked_hash, &end);
  if (count != 10 || line[end] != '\0')
    return false;
  *out = b;
  return true;
}

// Reads the number of players after a player has joined or left.
static bool read_players(room_process_t *r, const char *line) {
  uint32_t count;
  int64_t account;
  int end = 0;
  if (sscanf(line, "players %" SCNu32 " %" SCNd64 "%n", &count, &account, &end) != 2 || line[end] != '\0')
    return false;
  r->beat.players = count;
  remove_arrival(r, account);
  return true;
}

// Reads the code that the room runs, and the newest code that it has refused.
static bool read_code(room_process_t *r, const char *line) {
  uint64_t code, refused;
  int end = 0;
  if (sscanf(line, "code %" SCNu64 " %" SCNu64 "%n", &code, &refused, &end) != 2 || line[end] != '\0')
    return false;
  r->code = code;
  r->refused = refused;
  return true;
}

static void read_line(room_process_t *r, int64_t now_us, const char *line, log_o *log) {
  r->heard_us = now_us;
  r->has_spoken = true;
  if (read_beat(line, &r->beat) || read_players(r, line) || read_code(r, line))
    return;
  if (strncmp(line, "damaged ", 8) == 0) {
    (void)snprintf(r->reason, sizeof r->reason, "%.*s", (int)sizeof r->reason - 1, line + 8);
  } else if (strcmp(line, "open") == 0 && r->phase == ROOM_STARTING) {
    r->phase = ROOM_OPEN;
    r->opened_us = now_us;
    r->reason[0] = '\0';
    log_info(log, "room %s: open", r->name);
  }
}

static void read_lines(room_process_t *r, int64_t now_us, log_o *log) {
  size_t count;
  while ((count = child_read_service(&r->service, r->line + r->line_bytes, sizeof r->line - 1 - r->line_bytes)) > 0) {
    r->line_bytes += count;
    r->line[r->line_bytes] = '\0';
    char *begin = r->line;
    for (char *end; (end = strchr(begin, '\n')) != NULL; begin = end + 1) {
      *end = '\0';
      read_line(r, now_us, begin, log);
    }
    r->line_bytes = strlen(begin);
    memmove(r->line, begin, r->line_bytes + 1);
    if (r->line_bytes == sizeof r->line - 1) // a line that does not fit is dropped
      r->line_bytes = 0;
  }
}

// --- the end of the process

static void describe_end(room_process_t *r, int exit_code, int signal) {
  if (signal != 0)
    (void)snprintf(r->reason, sizeof r->reason, "ended by %s", signals_name(signal));
  else if (exit_code == ROOM_EXIT_LOST)
    (void)snprintf(r->reason, sizeof r->reason, "a different process has taken the room over");
  else
    (void)snprintf(r->reason, sizeof r->reason, "ended with exit status %d", exit_code);
}

static void note_end(room_process_t *r, int64_t now_us, int exit_code, int signal, log_o *log) {
  read_lines(r, now_us, log);
  child_close_service(&r->service);
  bool is_expected = r->phase == ROOM_STOPPING || r->sleeps;
  if (signal == 0 && exit_code == 0 && is_expected) {
    bool starts_again = r->starts_again;
    r->phase = ROOM_ASLEEP;
    r->failures = 0;
    r->reason[0] = '\0';
    log_info(log, "room %s: asleep", r->name);
    if (starts_again)
      start(r, now_us, log);
    return;
  }
  if (signal == 0 && exit_code == ROOM_EXIT_DAMAGED) {
    if (!r->reason[0])
      (void)snprintf(r->reason, sizeof r->reason, "a row of the database is damaged");
    r->phase = ROOM_DAMAGED;
    log_error(log, "room %s: cannot start: %s: restore the database, or accept the loss with --accept-loss %s", r->name,
              r->reason, r->name);
    return;
  }
  bool was_stopping = r->phase == ROOM_STOPPING && !r->starts_again;
  describe_end(r, exit_code, signal);
  note_crash(r, now_us, log);
  if (was_stopping) // the room is not needed; its next start recovers the state
    r->phase = ROOM_ASLEEP;
}

static void kill_silent(room_process_t *r, int64_t now_us, log_o *log) {
  int64_t limit_us = r->has_spoken ? ROOM_SILENT_US : ROOM_FIRST_BEAT_US;
  // A room that ends sends no beats while it waits for its last commits.
  bool is_silent = r->phase != ROOM_STOPPING && now_us - r->heard_us >= limit_us;
  bool is_late = r->phase == ROOM_STOPPING && now_us - r->stopping_us >= ROOM_STOP_US;
  if (!is_silent && !is_late)
    return;
  log_error(log, "room %s: killed, because its process %s", r->name,
            is_silent ? "does not respond" : "did not end after SIGTERM");
  child_stop_service(&r->service, true);
  r->heard_us = r->stopping_us = now_us; // the process may need a moment to end
}

void room_process_update(room_process_t *r, int64_t now_us, log_o *log) {
  int exit_code, signal;
  if (room_process_is_running(r)) {
    read_lines(r, now_us, log);
    if (child_service_has_ended(&r->service, &exit_code, &signal))
      note_end(r, now_us, exit_code, signal, log);
    else
      kill_silent(r, now_us, log);
  }
  if (r->phase == ROOM_CRASHED && now_us >= r->restart_us)
    start(r, now_us, log);
}
