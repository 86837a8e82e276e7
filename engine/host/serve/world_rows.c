// Starts the process that rewrites rows.
#include "serve/world_rows.h"

#include "serve/room_process.h"
#include "served/code_rows.h"
#include "served/owned_rewrite.h"

#define CHECK_US 1000000
#define MAX_DELAY_US 60000000            // maximum delay of the next process after failures, or if no rows were found
#define LIMIT_US 600000000               // time after which a process counts as hung
#define QUIET_S (WORLD_SILENT_MS / 1000) // time in seconds without a commit after which a room does not run

const room_status_t *world_rows_find_former_room(const room_list_t *rooms, uint64_t number) {
  for (uint32_t i = 0; i < rooms->count; ++i) {
    const room_status_t *r = &rooms->items[i];
    bool is_running = r->state == ROOM_STATE_RUNNING && !r->reason[0] && r->seen_s <= QUIET_S && r->snapshots > 0;
    if (is_running && r->code < number && r->refused_code < number)
      return r;
  }
  return NULL;
}

// Sets `is_needed`: true if views or rows have an earlier code, and all running rooms have the current code. Sets it to
// false without logging if the database does not answer, because failed beats report this.
static void check(world_statement_t *s, world_store_o *store) {
  world_rows_t *r = (world_rows_t *)s;
  error_info_t error = {0};
  room_list_t rooms = {0};
  uint64_t current = 0;
  bool is_due = false;
  r->is_needed = code_rows_get_current(store, r->base, &current, &error) == STORE_DONE &&
                 owned_rewrite_is_due(store, code_rows_get_key(r->base, current), &is_due, &error) == STORE_DONE &&
                 (is_due || r->views != current) && world_store_list_rooms(store, &rooms, &error) == STORE_DONE &&
                 !world_rows_find_former_room(&rooms, current);
  r->target = current;
  room_list_free(&rooms);
}

static void note_end(world_rows_t *r, int64_t now_us, int exit_code, int signal) {
  child_close_service(&r->service);
  if (signal == 0 && (exit_code == 0 || exit_code == ROOM_EXIT_IDLE))
    r->views = r->target;
  r->failures = signal == 0 && exit_code == 0 ? 0 : r->failures + 1;
  int64_t delay_us = (int64_t)CHECK_US << (r->failures < 6 ? r->failures : 6);
  r->due_us = now_us + (delay_us < MAX_DELAY_US ? delay_us : MAX_DELAY_US);
}

static void start(world_rows_t *r, int64_t now_us, log_o *log) {
  error_info_t error = {0};
  r->start_us = now_us;
  if (child_start_service(&r->service, r->arguments, &error))
    return;
  log_warn(log, "cannot rewrite the rows of players in no room: %s", error.text);
  note_end(r, now_us, 1, 0);
}

void world_rows_update(world_rows_t *r, int64_t now_us, world_statements_o *statements, log_o *log) {
  int exit_code, signal;
  if (r->service.process > 0) {
    if (child_service_has_ended(&r->service, &exit_code, &signal))
      note_end(r, now_us, exit_code, signal);
    else if (now_us - r->start_us >= LIMIT_US)
      child_stop_service(&r->service, true);
    return;
  }
  if (r->check.is_busy)
    return;
  if (r->is_needed) {
    r->is_needed = false;
    start(r, now_us, log);
  } else if (now_us >= r->due_us) {
    r->due_us = now_us + CHECK_US;
    r->check.execute = check;
    world_statements_add(statements, &r->check);
  }
}

void world_rows_stop(world_rows_t *r) {
  if (r->service.process <= 0)
    return;
  child_stop_service(&r->service, true);
  child_close_service(&r->service);
  r->service.process = 0;
}
