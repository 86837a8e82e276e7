// Trials of a reload in a copy of the room. A first pass repeats the records since the newest snapshot with the room's
// own code, and tries the changes with the resulting state. A second pass switches to the changed code after the
// snapshot, and repeats the same records. Only failures and values that differ from the first pass are caused by the
// change.
#include "room/room_internal.h"

#include "base/files.h"
#include "ecs/world.h"
#include "game/game.h"
#include "game/served_rooms.h"
#include "match/component_hashes.h"
#include "process/signals.h"
#include "reload/reload.h"

#include <stdio.h>
#include <string.h>

#define MAX_NAMED 12u

// --- failures

void room_trial_note_failure(room_o *r, const script_report_t *failure) {
  room_trial_t *t = &r->trial;
  char text[1400];
  for (uint32_t i = 0; i < t->failure_count; ++i)
    if (strcmp(t->failures[i], failure->piece) == 0)
      return;
  if (t->failure_count < ROOM_MAX_FAILURES)
    (void)snprintf(t->failures[t->failure_count++], sizeof *t->failures, "%s", failure->piece);
  if (!t->is_changed) // failures of the room's own code are only noted
    return;
  script_report_format_line(failure, text, sizeof text);
  room_trial_report(ROOM_TRIAL_REFUSED, "%s: %s", failure->piece, text);
}

// --- the changed code

static void report_changes(const room_o *r) {
  const reload_news_t *news = match_reload_get_news(r->code.reload);
  char summary[512];
  reload_format_summary(news, summary, sizeof summary);
  if (summary[0])
    room_trial_report(ROOM_TRIAL_NOTE, "%s", summary);
  for (const char *line = news->details, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
    room_trial_report(ROOM_TRIAL_CHANGE, "%.*s", (int)(end - line), line);
  if (news->delayed[0])
    room_trial_report(ROOM_TRIAL_NOTE, "%s", news->delayed + 2); // skips the leading separator
}

// Returns true if the changed game still declares this game and this room, or false after reporting what differs.
static bool check_game(const room_o *r, const char *id) {
  const game_o *g = r->host->session.game;
  served_room_t room;
  if (strcmp(g->config.id, id) != 0) {
    room_trial_report(ROOM_TRIAL_REFUSED,
                      "game.lua: the game has the id “%s” instead of “%s”: use the changed copy of this game",
                      g->config.id, id);
    return false;
  }
  if (served_rooms_find(&g->config, r->name, &room))
    return true;
  room_trial_report(
      ROOM_TRIAL_REFUSED,
      "game.lua: `serve` declares no room %s, which the database contains: declare it, or use the changed copy of "
      "this game",
      r->name);
  return false;
}

// Returns the part of a reason that is written for developers: all lines after the first, or the only line.
static const char *get_details(const error_info_t *reason) {
  const char *details = strchr(reason->text, '\n');
  return details ? details + 1 : reason->text;
}

// Reports why a trial has failed. `when`: description of the moment, or "".
static void report_failure(const room_o *r, const char *when, const error_info_t *reason) {
  if (r->code.failure == STORE_FAILED)
    room_trial_report(ROOM_TRIAL_LATE, "the machine was too slow; run again");
  else
    room_trial_report(ROOM_TRIAL_REFUSED, "%s%s", when, get_details(reason));
}

// Tries the changes with the room's current state. Returns true on success, or false after reporting why they are
// refused.
static bool try_changes(room_o *r, const uint8_t *bundle, size_t size) {
  const match_code_t *code = &r->code.callbacks;
  error_info_t reason = {0};
  uint64_t hash = 0;
  bool ok = room_code_try(r, bundle, size, &hash, &reason);
  code->end_trial(code->context);
  if (ok)
    report_changes(r);
  else
    report_failure(r, "", &reason);
  return ok;
}

// Switches to the changed code. Returns true on success. Returns false after reporting that the game differs, or with a
// reason if the state cannot be converted.
static bool change_code(room_o *r, const uint8_t *bundle, size_t size, error_info_t *reason) {
  const match_code_t *code = &r->code.callbacks;
  char id[sizeof r->host->session.game->config.id];
  uint64_t hash = 0;
  (void)snprintf(id, sizeof id, "%s", r->host->session.game->config.id);
  bool ok = room_code_try(r, bundle, size, &hash, reason) && code->replace(code->context, reason);
  code->end_trial(code->context);
  return ok && check_game(r, id);
}

// --- running the records again

static void end_match(room_o *r) {
  match_destroy(r->match);
  match_game_destroy(r->game);
  r->match = NULL;
  r->game = NULL;
}

static bool repeat_records(room_o *r, const room_image_t *image, error_info_t *error) {
  for (uint32_t i = 0; i < image->block_count; ++i) {
    if (room_code_is_reload(&image->blocks[i])) // possible only after the loss of a snapshot
      return true;
    if (!match_recover_block(r->match, room_now_us(), image->blocks[i].bytes, image->blocks[i].size, error))
      return false;
    match_event_t event;
    while (match_pop_event(r->match, &event)) {
    }
  }
  return true;
}

static void report_differences(const room_o *r, const uint8_t *own, size_t own_size, uint64_t ticks) {
  static uint8_t changed[MATCH_MAX_HASHES_BYTES];
  char names[1200] = "";
  world_o *w = r->host->session.game->world;
  size_t size = component_hashes_write(w, changed, sizeof changed), at = 0;
  uint32_t count = 0;
  for (uint32_t i = 1; i <= world_manager_count(w); ++i) {
    const char *name = world_manager(w, i)->schema.name;
    if (component_hashes_differ(own, own_size, changed, size, name) && count++ < MAX_NAMED && at + 100 < sizeof names)
      at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", at > 0 ? ", " : "", name);
  }
  if (count > 0)
    room_trial_report(ROOM_TRIAL_DIFFERENT, "after %llu repeated ticks: %s%s", (unsigned long long)ticks, names,
                      count > MAX_NAMED ? " …" : "");
}

// Switches to the changed code after the room's newest snapshot, and repeats the records since then.
static void repeat(room_o *r, const room_image_t *image, const uint8_t *bundle, size_t size) {
  static uint8_t own[MATCH_MAX_HASHES_BYTES];
  error_info_t error = {0};
  size_t own_size = component_hashes_write(r->host->session.game->world, own, sizeof own);
  end_match(r);
  r->code.number = UINT64_MAX; // forces a reload: a failure of the first pass must not affect the second pass
  if (!room_recover_until(r, image, 0, &error)) {
    room_trial_report(ROOM_TRIAL_NOTE, "its latest records cannot be repeated: %s", error.text);
    return;
  }
  bool ok = change_code(r, bundle, size, &error);
  if (ok) {
    r->trial.is_changed = true;
    ok = repeat_records(r, image, &error);
  }
  if (ok)
    report_differences(r, own, own_size, image->tick - image->snapshot.tick);
  else if (error.text[0])
    report_failure(r, "when its latest records are repeated: ", &error);
}

// Tries the code in a room that the database contains.
static void try_room(room_o *r, const room_image_t *image, const uint8_t *bundle, size_t size) {
  error_info_t error = {0};
  r->stops_at_reload = true;
  if (!room_recover_until(r, image, UINT64_MAX, &error))
    room_trial_report(ROOM_TRIAL_NOTE, "not tried: the room cannot be recovered with its own code: %s", error.text);
  else if (try_changes(r, bundle, size))
    repeat(r, image, bundle, size);
}

// Tries the code in a room that has never run.
static void try_new_room(room_o *r, const uint8_t *bundle, size_t size) {
  error_info_t error = {0};
  if (!room_begin_match(r))
    room_trial_report(ROOM_TRIAL_NOTE, "not tried: the room cannot start with its own code");
  else if (try_changes(r, bundle, size) && change_code(r, bundle, size, &error))
    room_trial_report(ROOM_TRIAL_NOTE, "the room is new");
  else if (error.text[0])
    report_failure(r, "", &error);
}

// --- the process

static void try_code(room_o *r, const uint8_t *bundle, size_t size) {
  error_info_t error = {0};
  room_image_t image = {0};
  store_result_t result = world_store_load_room(r->store, &(room_load_desc_t){.name = r->name}, &image, &error);
  if (result != STORE_DONE)
    room_trial_report(ROOM_TRIAL_NOTE, "not tried: %s", error.text);
  else if (!image.has_snapshot)
    try_new_room(r, bundle, size);
  else if (strcmp(image.engine, r->engine) != 0 || image.base != r->base)
    room_trial_report(ROOM_TRIAL_NOTE, "not tried: a different version has written the room");
  else
    try_room(r, &image, bundle, size);
  room_image_free(&image);
}

int room_try(room_o *r) {
  allocator_t memory = {0};
  error_info_t error = {0};
  size_t size = 0;
  process_lower_priority(PROCESS_PRIORITY_LOW); // the rooms of the world have precedence
  signals_end_with_parent();
  char *bundle = file_read(&memory, r->options->try_code, &size, &error);
  world_store_desc_t desc = {.path = r->options->db, .engine = r->engine};
  bool ok = bundle && world_store_open(&desc, &r->store, &error) == STORE_DONE;
  if (!ok || !room_trial_check_release(r, &error))
    room_trial_report(ROOM_TRIAL_REFUSED, "%s", error.text);
  else if (r->options->rows)
    room_rows_try(r, (const uint8_t *)bundle, size);
  else
    try_code(r, (const uint8_t *)bundle, size);
  room_trial_report(ROOM_TRIAL_END, "%s", "");
  file_free(&memory, bundle, size);
  return 0;
}
