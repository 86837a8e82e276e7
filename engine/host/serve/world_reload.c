// Compares a folder with the release, tries the changes in one process per room (room/room_trial.h), and stores them.
#include "serve/world_reload.h"

#include "base/file_system.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/now.h"
#include "base/user_folders.h"
#include "base/user_name.h"
#include "base/utf8.h"
#include "host/host_tools.h"
#include "match/source_bundle.h"
#include "process/signals.h"
#include "room/room_trial.h"
#include "serve/room_child.h"
#include "serve/world_rows.h"
#include "served/code_rows.h"
#include "served/owned_rewrite.h"
#include "platform/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FORMER_MS 60000 // time for which a reload waits for rooms and rows with the former code
#define ROOMS_MS 30000  // time for which a reload waits for rooms that switch to the new code
#define POLL_NS 200000000
#define QUIET_S (WORLD_SILENT_MS / 1000) // time in seconds without a beat after which a world counts as not served
#define ROWS "rows of players"           // label of the trial of all rows; no room has this name

typedef struct reload_t {
  const char *program, *database, *folder, *note;
  bool is_try, is_back;
  bool may_drop;            // true if a return to earlier code may drop values (--drop)
  bool drops;               // true if a return to earlier code would drop values
  bool is_late, is_refused; // `is_late`: a trial was too slow; `is_refused`: a trial refused the code
  world_store_o *store;
  code_release_t release;
  code_row_t current; // current code; its `number` is 0 for the release
  code_row_t row;     // row to add
  room_list_t rooms;
  char path[FILE_PATH_BYTES]; // path of the file from which the trials read the bundle
  allocator_t memory;
} reload_t;

// --- command line

static bool parse(int argc, const char *const *argv, reload_t *out, error_info_t *error) {
  for (int i = 4; i < argc; ++i) {
    if (strcmp(argv[i], "--try") == 0) {
      out->is_try = true;
    } else if (strcmp(argv[i], "--back") == 0) {
      out->is_back = true;
    } else if (strcmp(argv[i], "--drop") == 0) {
      out->may_drop = true;
    } else if (strcmp(argv[i], "--note") == 0) {
      if (++i == argc)
        return error_set(error, "--note requires a text");
      out->note = argv[i];
    } else if (argv[i][0] == '-') {
      return error_set(error, "unknown option %s: use --try, --back, --drop or --note", argv[i]);
    } else if (out->folder) {
      return error_set(error, "unexpected argument “%s”: reload reads one folder, %s", argv[i], out->folder);
    } else {
      out->folder = argv[i];
    }
  }
  if (out->is_back && out->folder)
    return error_set(error, "--back requires no folder: remove %s", out->folder);
  if (out->may_drop && !out->is_back)
    return error_set(error, "--drop requires --back: other changes drop values only if the code says so");
  if (!out->is_back && !out->folder)
    return error_set(error, "reload requires the folder of the changed game, or --back");
  return true;
}

// Copies a text, truncated to whole characters. Malformed UTF-8 ends the text.
static void copy_text(const char *text, char *out, size_t capacity) {
  size_t size = 0, at = 0, bytes = strlen(text);
  while (at < bytes && (size = utf8_character_length_n(text + at, bytes - at)) > 0 && at + size < capacity)
    at += size;
  memcpy(out, text, at);
  out[at] = '\0';
}

static void set_author(code_row_t *row) {
  char user[sizeof row->author];
  const char *name = getenv("LOGNAME");
  if (!name || !name[0]) {
    user_name_find(user, sizeof user);
    name = user;
  }
  copy_text(name, row->author, sizeof row->author);
}

// --- the changes

static sources_o *read_folder(const char *folder, const char *engine, error_info_t *error) {
  sources_o *sources = sources_create(folder, engine, NULL);
  if (sources_seal(sources, error))
    return sources;
  sources_release(sources);
  return NULL;
}

// Stores the changes between the release and the folder in the row to add, and prints the changed files. Returns true
// on success, or false with an error.
static bool write_bundle(reload_t *t, error_info_t *error) {
  paths_t paths;
  char folder[PATH_MAX_BYTES], names[1024];
  error_info_t reason = {0};
  uint32_t count = 0;
  if (!paths_find_installation(&paths, t->program, error) || !paths_resolve_game_folder(t->folder, folder, error))
    return false;
  sources_o *from = read_folder(t->release.folder, paths.engine, error);
  sources_o *to = from ? read_folder(folder, paths.engine, error) : NULL;
  if (to)
    t->row.bundle = source_bundle_write(&t->memory, from, to, &t->row.size, &count, &reason);
  sources_release(from);
  sources_release(to);
  const char *details = strchr(reason.text, '\n'); // the first line is for players
  if (to && !t->row.bundle)
    error_set(error, "%s", details ? details + 1 : reason.text);
  if (!t->row.bundle)
    return false;
  printf("%u file%s differ%s from the release%s%s\n", count, count == 1 ? "" : "s", count == 1 ? "s" : "",
         count > 0 ? ": " : "", source_bundle_list(t->row.bundle, t->row.size, names, sizeof names));
  t->row.former = t->current.number;
  return true;
}

static bool copy_bundle(reload_t *t, const uint8_t *bytes, size_t size) {
  t->row.bundle = alloc_resize(&t->memory, NULL, 0, size);
  t->row.size = size;
  memcpy(t->row.bundle, bytes, size);
  return true;
}

// Copies the code that preceded the current code into the row to add.
static store_result_t copy_former(reload_t *t, error_info_t *error) {
  static const uint8_t NO_CHANGES[] = {0};
  code_row_t former = {0};
  uint64_t number = t->current.number == 0 ? CODE_NO_FORMER : t->current.former;
  store_result_t result = STORE_DONE;
  if (number == CODE_NO_FORMER) {
    error_set(error, "the world runs its release, which has no previous code: reload a folder");
    return STORE_LOST;
  }
  if (number > 0)
    result = code_rows_load(t->store, t->release.base, number, &former, error);
  if (result == STORE_DONE && former.number != number) {
    error_set(error, "the database lacks the live code %llu: restore a backup", (unsigned long long)number);
    result = STORE_DAMAGED;
  }
  if (result == STORE_DONE) {
    copy_bundle(t, number > 0 ? former.bundle : NO_CHANGES, number > 0 ? former.size : sizeof NO_CHANGES);
    t->row.former = number > 0 ? former.former : CODE_NO_FORMER;
    (void)snprintf(t->row.note, sizeof t->row.note, number > 0 ? "back to code %llu" : "back to the release",
                   (unsigned long long)number);
    printf("%s\n", t->row.note);
  }
  code_row_free(&former);
  return result;
}

static bool is_equal(const code_row_t *a, const code_row_t *b) {
  return a->size == b->size && memcmp(a->bundle, b->bundle, a->size) == 0;
}

static store_result_t prepare(reload_t *t, error_info_t *error) {
  static const uint8_t NO_CHANGES[] = {0};
  code_row_t release = {.bundle = (uint8_t *)NO_CHANGES, .size = sizeof NO_CHANGES};
  store_result_t result = code_rows_get_release(t->store, &t->release, error);
  uint64_t current = 0;
  if (result == STORE_DONE)
    result = code_rows_get_current(t->store, t->release.base, &current, error);
  if (result == STORE_DONE)
    result = code_rows_load(t->store, t->release.base, current, &t->current, error);
  if (result != STORE_DONE)
    return result;
  t->row.base = t->release.base;
  set_author(&t->row);
  if (t->is_back)
    result = copy_former(t, error);
  else if (!write_bundle(t, error))
    result = STORE_FAILED;
  if (t->note)
    copy_text(t->note, t->row.note, sizeof t->row.note);
  if (result != STORE_DONE || t->is_back || !is_equal(&t->row, current > 0 ? &t->current : &release))
    return result;
  error_set(error, "%s contains the running code: nothing has changed", t->folder);
  return STORE_LOST;
}

// --- trials

static const char *name_kind(room_trial_kind_t kind) {
  switch (kind) {
  case ROOM_TRIAL_CHANGE: return "changed: ";
  case ROOM_TRIAL_DIFFERENT: return "different ";
  case ROOM_TRIAL_LATE: return "not tried: ";
  case ROOM_TRIAL_REFUSED: return "refused: ";
  default: return "";
  }
}

// Returns true if a trial has ended late without having used the CPU time that it may use.
static bool was_slow(const child_t *child) {
  return child->late && child->active_cpu_ns < (int64_t)ROOM_TRIAL_LIMIT_MS * NS_PER_MS / 10 * 9;
}

// Returns true if the line names values that a return to earlier code would drop. Dropped pending events do not count.
static bool is_loss(const room_trial_line_t *line) {
  return line->kind == ROOM_TRIAL_CHANGE && strstr(line->text, "dropped") && strncmp(line->text, "event ", 6) != 0;
}

// Prints the lines of a trial. Returns true if the code was not refused, or if the room cannot start with its own code.
// Returns false if the code was refused, or the machine was too slow.
static bool read_trial(reload_t *t, child_t *child, const char *room) {
  room_trial_line_t line;
  bool is_complete = false, ok = true;
  while (!is_complete && child_read(child, &line, sizeof line)) {
    line.text[sizeof line.text - 1] = '\0';
    is_complete = line.kind == ROOM_TRIAL_END;
    ok &= line.kind != ROOM_TRIAL_REFUSED && line.kind != ROOM_TRIAL_LATE;
    t->is_late |= line.kind == ROOM_TRIAL_LATE;
    t->is_refused |= line.kind == ROOM_TRIAL_REFUSED;
    t->drops |= t->is_back && is_loss(&line);
    if (!is_complete)
      printf("%s: %s%s\n", room, name_kind(line.kind), line.text);
  }
  child_end(child);
  if (is_complete)
    return ok;
  int signal = 0;
  bool is_damaged = !child_has_crashed(child, &signal) && !child->late && child_exit_code(child) == 3;
  if (is_damaged) // the room is damaged regardless of the changes
    printf("%s: not tried: the room cannot start with its own code\n", room);
  else if (was_slow(child))
    printf("%s: not tried: the machine was too slow; run again\n", room);
  else
    printf("%s: refused: the trial %s\n", room,
           child->late ? "did not end in time: look for an endless loop" : "ended early");
  t->is_late |= was_slow(child);
  t->is_refused |= !is_damaged && !was_slow(child);
  return is_damaged && ok;
}

static bool try_room(reload_t *t, const char *room) {
  child_t child;
  const room_child_desc_t desc = {.program = t->program,
                                  .database = t->database,
                                  .release = &t->release,
                                  .room = room,
                                  .option = "--try",
                                  .path = t->path,
                                  .rows = strcmp(room, ROWS) == 0,
                                  .limit_ms = ROOM_TRIAL_LIMIT_MS};
  if (room_child_begin(&child, &desc))
    return read_trial(t, &child, room);
  printf("%s: refused: the system cannot create a process\n", room);
  return false;
}

// Tries the code in each room, and then with all rows of players. Returns true if no trial refuses it. Returns false if
// a trial refuses it or is too slow, after an interrupt or, with an error, if the file for the trials cannot be
// written.
static bool try_rooms(reload_t *t, error_info_t *error) {
  bool ok = true;
  (void)snprintf(t->path, sizeof t->path, "%s/shoal-reload-XXXXXX", user_folder_temporary());
  int file = file_system_create_temporary(t->path, 0);
  if (file < 0 || !file_write_all(file, t->row.bundle, t->row.size))
    ok = error_set(error, "cannot write a file in %s: free space", user_folder_temporary());
  if (file >= 0)
    file_system_close(file);
  bool has_file = ok;
  for (uint32_t i = 0; has_file && i < t->rooms.count && !interrupt_is_requested(); ++i)
    ok &= try_room(t, t->rooms.items[i].name);
  if (has_file && t->rooms.count == 0)
    ok = try_room(t, "-"); // the first room that the game declares
  if (has_file && ok && !interrupt_is_requested())
    ok = try_room(t, ROWS);
  if (file >= 0)
    remove(t->path);
  return ok && !interrupt_is_requested();
}

// --- the rooms of a served world

// Finds a running room that has code before `number` or, if `needs_rows`, accounts outside all rooms whose rows have
// such code. `out` receives a description, or "" if neither exists. `t->rooms` receives the list of rooms.
static store_result_t find_former(reload_t *t, uint64_t number, bool needs_rows, error_info_t *out,
                                  error_info_t *error) {
  int64_t accounts = 0;
  *out = (error_info_t){0};
  store_result_t result = world_store_list_rooms(t->store, &t->rooms, error);
  const room_status_t *room = result == STORE_DONE ? world_rows_find_former_room(&t->rooms, number) : NULL;
  if (result == STORE_DONE && !room && needs_rows)
    result = owned_rewrite_count(t->store, code_rows_get_key(t->release.base, number), &accounts, error);
  if (room)
    error_set(out, "room %s still runs code %llu", room->name, (unsigned long long)room->code);
  else if (accounts > 0)
    error_set(out, "the rows of %lld account%s still have an earlier code", (long long)accounts,
              accounts == 1 ? "" : "s");
  return result;
}

// Waits until find_former finds neither rooms nor rows, but at most `limit_ms`, and only if the world is served. With
// `needs_rows`, prints the reason for waiting. Returns STORE_LOST with an error after the limit.
static store_result_t wait_for_former(reload_t *t, uint64_t number, bool needs_rows, int64_t limit_ms,
                                      error_info_t *error) {
  world_status_t world;
  error_info_t reason;
  int64_t end = now_ns() + limit_ms * NS_PER_MS;
  bool has_printed = false;
  store_result_t result = world_store_get_world(t->store, &world, error);
  bool is_served = result == STORE_DONE && world.is_owned && world.beat_s <= QUIET_S;
  if (result == STORE_DONE)
    result = find_former(t, number, needs_rows && is_served, &reason, error);
  while (result == STORE_DONE && is_served && reason.text[0] && now_ns() < end && !interrupt_is_requested()) {
    if (!has_printed && needs_rows)
      printf("waiting: %s\n", reason.text);
    has_printed = true;
    fflush(stdout);
    nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
    result = find_former(t, number, needs_rows, &reason, error);
  }
  if (result != STORE_DONE || !is_served || !reason.text[0])
    return result;
  error_set(error, "%s: wait, or end the world", reason.text);
  return STORE_LOST;
}

// Prints which rooms have switched to the code. Returns true unless a room has refused it.
static bool print_rooms(const reload_t *t, uint64_t number) {
  bool ok = true;
  for (uint32_t i = 0; i < t->rooms.count; ++i) {
    const room_status_t *r = &t->rooms.items[i];
    if (r->code >= number)
      printf("%s: runs code %llu\n", r->name, (unsigned long long)number);
    else if (r->refused_code >= number)
      printf("%s: refused: %s\n", r->name, r->refusal_reason);
    else
      printf("%s: does not run; switches at its next start\n", r->name);
    ok &= r->code >= number || r->refused_code < number;
  }
  return ok;
}

static int finish(reload_t *t, error_info_t *error, store_result_t *result) {
  uint64_t number = 0;
  *result = code_rows_add(t->store, &t->row, t->current.number, &number, error);
  if (*result != STORE_DONE)
    return 1;
  printf("stored code %llu\n", (unsigned long long)number);
  fflush(stdout);
  *result = wait_for_former(t, number, false, ROOMS_MS, error);
  return *result == STORE_DONE && print_rooms(t, number) ? 0 : 1;
}

static int run(reload_t *t, error_info_t *error, store_result_t *result) {
  *result = prepare(t, error);
  // The rooms and rows must have the current code first, because a renamed field keeps its values only if no version
  // is skipped.
  if (*result == STORE_DONE)
    *result = t->is_try ? world_store_list_rooms(t->store, &t->rooms, error)
                        : wait_for_former(t, t->current.number, true, FORMER_MS, error);
  if (*result != STORE_DONE)
    return 1;
  if (!try_rooms(t, error)) {
    puts(t->is_late && !t->is_refused ? "not tried: nothing was stored; run again" : "refused: nothing was stored");
    return 1;
  }
  if (t->drops && !t->may_drop && !t->is_try) {
    puts("refused: nothing was stored, because the values above would be dropped: use --back --drop");
    return 1;
  }
  if (!t->is_try)
    return finish(t, error, result);
  puts("no room refuses the code; nothing was stored");
  return 0;
}

int world_reload_run(int argc, const char *const *argv) {
  static reload_t t; // static, because it is large
  error_info_t error = {0};
  store_result_t result = STORE_DONE;
  t = (reload_t){.program = argv[0], .database = argv[2]};
  if (argc > 4 && strcmp(argv[argc - 1], "--help") == 0) {
    printf("usage:\n" WORLD_RELOAD_USAGE);
    return 0;
  }
  if (!parse(argc, argv, &t, &error)) {
    fprintf(stderr, "shoal: world: %s\nusage:\n" WORLD_RELOAD_USAGE, error.text);
    return 2;
  }
  signals_catch_termination();
  result = world_store_open(&(world_store_desc_t){.path = t.database}, &t.store, &error);
  int code = result == STORE_DONE ? run(&t, &error, &result) : 2;
  source_bundle_free(&t.memory, t.row.bundle, t.row.size);
  code_row_free(&t.current);
  room_list_free(&t.rooms);
  world_store_close(t.store);
  if (error.text[0])
    fprintf(stderr, "shoal: %s\n", error.text);
  return result == STORE_DAMAGED ? 3 : result == STORE_FAILED ? 2 : code;
}
