// Prints the rooms of a world as a table.
#include "serve/world_command.h"

#include "base/nearest_name.h"
#include "serve/world_reload.h"
#include "served/code_rows.h"
#include "served/world_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char USAGE[] =
    "usage: shoal world DB status    show the rooms of the world in this database\n" WORLD_RELOAD_USAGE;

// A process that has not committed for this time has crashed, or cannot write to the database.
#define QUIET_S (WORLD_SILENT_MS / 1000)

static const char *name_state(const room_status_t *r, bool is_served) {
  if (r->reason[0])
    return "damaged";
  if (r->state == ROOM_STATE_NEW)
    return "new";
  if (r->state == ROOM_STATE_SLEEPING)
    return "asleep";
  return is_served && r->seen_s <= QUIET_S ? "running" : "stopped"; // stopped: recovers at the next start
}

static const char *name_proof(room_proof_t proof) {
  return proof == ROOM_PROOF_PASSED ? "passed" : proof == ROOM_PROOF_FAILED ? "FAILED" : "-";
}

static const char *format_age(int64_t seconds, char out[24]) {
  if (seconds < 120)
    (void)snprintf(out, 24, "%" PRId64 " s", seconds);
  else if (seconds < 7200)
    (void)snprintf(out, 24, "%" PRId64 " min", seconds / 60);
  else
    (void)snprintf(out, 24, "%" PRId64 " h", seconds / 3600);
  return out;
}

static void print_rooms(const room_list_t *list, bool is_served) {
  char age[24];
  printf("%-20s %-8s %7s %12s %10s %6s %9s %9s %7s\n", "room", "state", "players", "tick", "committed", "starts",
         "records", "snapshots", "proof");
  for (uint32_t i = 0; i < list->count; ++i) {
    const room_status_t *r = &list->items[i];
    bool is_running = strcmp(name_state(r, is_served), "running") == 0;
    printf("%-20s %-8s %7u %12" PRIu64 " %10s %6" PRId64 " %6" PRIu64 " KB %6" PRIu64 " KB %7s\n", r->name,
           name_state(r, is_served), is_running ? r->players : 0, r->tick, format_age(r->seen_s, age), r->fence,
           (r->journal_bytes + 1023) / 1024, (r->snapshot_bytes + 1023) / 1024, name_proof(r->proof));
  }
  for (uint32_t i = 0; i < list->count; ++i) {
    const room_status_t *r = &list->items[i];
    if (r->reason[0])
      printf("\n%s cannot start: %s\nto drop the damaged rows: ./shoal serve GAME --accept-loss %s\n", r->name,
             r->reason, r->name);
    if (strcmp(name_state(r, is_served), "stopped") == 0 && !r->has_save)
      printf(
          "\n%s has no save: start it once with the version of Shoal and of the game that has written it, before you "
          "replace them\n",
          r->name);
  }
}

// Prints the current live code, and the rooms that do not run it.
static store_result_t print_code(world_store_o *s, const world_status_t *world, const room_list_t *list,
                                 error_info_t *error) {
  code_row_t row = {0};
  uint64_t current = 0;
  char age[24];
  store_result_t result = code_rows_get_current(s, world->base, &current, error);
  if (result == STORE_DONE && current > 0)
    result = code_rows_load(s, world->base, current, &row, error);
  if (result == STORE_DONE && row.number > 0)
    printf("\ncode %" PRIu64 ": stored %s ago by %s%s%s\n", row.number, format_age(row.age_s, age), row.author,
           row.note[0] ? ": " : "", row.note);
  for (uint32_t i = 0; row.number > 0 && i < list->count; ++i) {
    const room_status_t *r = &list->items[i];
    if (r->refused_code >= row.number)
      printf("%s runs code %" PRIu64 ", because it has refused code %" PRIu64 ": %s\n", r->name, r->code,
             r->refused_code, r->refusal_reason);
    else if (r->snapshots > 0 && r->code < row.number)
      printf("%s has code %" PRIu64 "\n", r->name, r->code);
  }
  code_row_free(&row);
  return result;
}

static store_result_t print_status(world_store_o *s, error_info_t *error) {
  world_status_t world;
  room_list_t list = {0};
  char age[24];
  store_result_t result = world_store_get_world(s, &world, error);
  if (result == STORE_DONE)
    result = world_store_list_rooms(s, &list, error);
  if (result == STORE_DONE) {
    bool is_served = world.is_owned && world.beat_s <= QUIET_S;
    printf("game: %s\n", world.game);
    if (is_served)
      puts("served: yes");
    else if (world.is_owned)
      printf("served: no; its last process ended %s ago without giving the world up\n", format_age(world.beat_s, age));
    else
      puts("served: no");
    print_rooms(&list, is_served);
    result = print_code(s, &world, &list, error);
  }
  room_list_free(&list);
  return result;
}

int world_command_run(int argc, const char *const *argv) {
  error_info_t error = {0};
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  nearest_name_t nearest;
  if (argc == 3 && strcmp(argv[2], "--help") == 0) {
    fputs(USAGE, stdout);
    return 0;
  }
  if (argc >= 4 && strcmp(argv[3], "reload") == 0)
    return world_reload_run(argc, argv);
  if (argc != 4) {
    fputs(USAGE, stderr);
    return 2;
  }
  if (strcmp(argv[3], "status") != 0) {
    nearest_name_init(&nearest, argv[3]);
    nearest_name_offer(&nearest, "status");
    nearest_name_offer(&nearest, "reload");
    fprintf(stderr, "shoal: world: unknown command “%s”%s\n%s", argv[3], nearest_name_hint(&nearest, hint, sizeof hint),
            USAGE);
    return 2;
  }
  world_store_o *s;
  store_result_t result = world_store_open(&(world_store_desc_t){.path = argv[2]}, &s, &error);
  if (result == STORE_DONE)
    result = print_status(s, &error);
  world_store_close(s);
  if (result != STORE_DONE)
    fprintf(stderr, "shoal: %s\n", error.text);
  return result == STORE_DONE ? 0 : result == STORE_DAMAGED ? 3 : 2;
}
