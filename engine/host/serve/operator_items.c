// Commands on what absent accounts own. `take` claims an account and prints its items. `give` checks the edited items
// in a process that loads the world's code (room/room_items.h), stores them, and releases the account.
#include "serve/operator.h"

#include "base/file_system.h"
#include "base/files.h"
#include "base/now.h"
#include "base/user_folders.h"
#include "owned/owned.h"
#include "room/room_items.h"
#include "room/room_trial.h"
#include "serve/room_child.h"
#include "served/owned_rows.h"
#include "served/item_edit.h"
#include "store/item_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK_LIMIT_MS 60000u // maximum CPU time of a check
#define MAX_LISTED 16u        // maximum number of new items that a result lists

// --- take

int operator_take(operator_t *o) {
  account_t account;
  json_t *rows = NULL;
  char age[24];
  if (!operator_find_account(o, &account))
    return 1;
  if (account.is_taken)
    return !error_set(&o->error, "%s was taken %s ago: use give or release", account.name,
                      operator_format_age(account.away_s, age));
  if (account.room[0])
    return !error_set(&o->error, "%s is in the room %s: use %s first", account.name, account.room,
                      operator_is_running(o, account.room) ? "kick" : "release");
  command_t *log = operator_create_log("take", json_pack("{s:s}", "name", account.name));
  (void)snprintf(log->result, sizeof log->result, "%s is taken", account.name);
  store_result_t result = account_take(o->store, &account, &rows, log, &o->error);
  if (result == STORE_DONE && !log->is_ok)
    error_set(&o->error, "%s is not absent any more: see players", account.name);
  bool ok = result == STORE_DONE && log->is_ok && json_dumpf(rows, stdout, JSON_INDENT(2)) == 0 && puts("") >= 0;
  json_decref(rows);
  free(log);
  return !ok;
}

// --- give: the edited items

typedef struct give_t {
  account_t account;
  json_t *rows, *stored; // edited and former rows
  item_edit_counts_t counts;
  command_t *log;
  code_release_t release;
  uint64_t code;
  account_gift_t gift;
  json_t *result;             // rows to store
  char path[FILE_PATH_BYTES]; // file of the check
} give_t;

// Reads a file or, for "-", the standard input. Returns the text, which the caller frees, or NULL with an error.
static char *read_text(operator_t *o, size_t *size) {
  const char *path = o->arguments[1];
  FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
  if (!file) {
    error_set(&o->error, "%s cannot be read: pass the file that take has printed, or -", path);
    return NULL;
  }
  char *text = malloc(ITEM_ROWS_MAX_TEXT + 1);
  *size = text ? fread(text, 1, ITEM_ROWS_MAX_TEXT + 1, file) : 0;
  if (file != stdin)
    fclose(file);
  if (text && *size <= ITEM_ROWS_MAX_TEXT)
    return text;
  error_set(&o->error, "%s is too large (at most %u MB)", path, ITEM_ROWS_MAX_TEXT >> 20);
  free(text);
  return NULL;
}

static bool read_rows(operator_t *o, give_t *g) {
  size_t size = 0;
  char *text = read_text(o, &size);
  g->rows = text ? item_edit_parse(text, size, &o->error) : NULL;
  free(text);
  return g->rows && owned_rows_list(o->store, g->account.id, &g->stored, &o->error) == STORE_DONE &&
         item_edit_complete(g->rows, g->stored, &g->counts, &o->error);
}

// --- give: the check

static bool write_input(operator_t *o, give_t *g) {
  int64_t first = OWNED_FIRST_GIVEN + g->log->id * ROOM_ITEMS_PER_COMMAND;
  json_t *input = json_pack("{s:I, s:O}", "first", (json_int_t)first, "rows", g->rows);
  char *text = json_dumps(input, JSON_COMPACT);
  (void)snprintf(g->path, sizeof g->path, "%s/shoal-items-XXXXXX", user_folder_temporary());
  int file = file_system_create_temporary(g->path, 0);
  bool ok = file >= 0 && text && file_write_all(file, text, strlen(text));
  if (file >= 0)
    file_system_close(file);
  else
    g->path[0] = '\0';
  free(text);
  json_decref(input);
  return ok || error_set(&o->error, "cannot write a file in %s: free space", user_folder_temporary());
}

// Reads the problems that the process reports. Returns true if the check is complete and has found no problems.
// Otherwise, returns false with the first problem as the error, and prints the remaining problems.
static bool read_check(operator_t *o, child_t *child) {
  room_trial_line_t line;
  bool is_complete = false, ok = true;
  while (!is_complete && child_read(child, &line, sizeof line)) {
    line.text[sizeof line.text - 1] = '\0';
    is_complete = line.kind == ROOM_TRIAL_END;
    if (is_complete)
      continue;
    if (ok)
      error_set(&o->error, "%s", line.text);
    else
      fprintf(stderr, "shoal: %s\n", line.text);
    ok = false;
  }
  child_end(child);
  return is_complete ? ok
                     : error_set(&o->error, "the items cannot be checked: the game in the folder of the release, with "
                                            "the world's code, does not start");
}

static bool read_result(operator_t *o, give_t *g) {
  allocator_t memory = {0};
  size_t size = 0;
  char *file = file_read(&memory, g->path, &size, &o->error);
  if (file)
    g->result = item_rows_unpack((const uint8_t *)file, size, &o->error);
  file_free(&memory, file, size);
  g->gift = (account_gift_t){.account = &g->account, .rows = g->result, .base = g->release.base, .code = g->code};
  return g->result != NULL;
}

static bool check(operator_t *o, give_t *g) {
  child_t child;
  if (code_rows_get_release(o->store, &g->release, &o->error) != STORE_DONE ||
      code_rows_get_current(o->store, g->release.base, &g->code, &o->error) != STORE_DONE || !write_input(o, g))
    return false;
  const room_child_desc_t desc = {.program = o->program,
                                  .database = o->database,
                                  .release = &g->release,
                                  .room = "-",
                                  .option = "--check-items",
                                  .path = g->path,
                                  .limit_ms = CHECK_LIMIT_MS};
  if (!room_child_begin(&child, &desc))
    return error_set(&o->error, "the system cannot create a process");
  return read_check(o, &child) && read_result(o, g);
}

// --- give: the end

static void format_result(give_t *g) {
  char *out = g->log->result;
  const item_edit_counts_t *c = &g->counts;
  size_t i, capacity = sizeof g->log->result;
  uint32_t listed = 0;
  json_t *row;
  size_t count = json_array_size(g->result);
  int length = snprintf(out, capacity, "%s owns %zu item%s: %u added, %u changed, %u removed", g->account.name, count,
                        count == 1 ? "" : "s", c->added, c->changed, c->removed);
  json_array_foreach(g->result, i, row) {
    json_int_t item = json_integer_value(json_object_get(row, "item"));
    if (item < OWNED_FIRST_GIVEN + g->log->id * ROOM_ITEMS_PER_COMMAND || listed == MAX_LISTED)
      continue;
    length += snprintf(out + length, capacity - (size_t)length, "%s%" JSON_INTEGER_FORMAT,
                       listed == 0 ? "; new numbers: " : ", ", item);
    ++listed;
  }
}

// Stores the reason for the failure as the command's result.
static void log_failure(operator_t *o, give_t *g) {
  error_info_t ignored;
  (void)snprintf(g->log->result, sizeof g->log->result, "%s", o->error.text);
  if (command_replace_result(o->store, g->log, &ignored) != STORE_DONE)
    fprintf(stderr, "shoal: %s\n", ignored.text);
}

static bool give(operator_t *o, give_t *g) {
  if (!read_rows(o, g) || !check(o, g))
    return false;
  format_result(g);
  g->log->is_ok = true;
  bool ok = account_give(o->store, &g->gift, g->log, &o->error) == STORE_DONE;
  g->log->is_ok = ok;
  return ok;
}

// Adds the command to the log before the check, because its number determines the numbers of new items.
static bool begin(operator_t *o, give_t *g) {
  if (!operator_find_account(o, &g->account))
    return false;
  if (!g->account.is_taken)
    return error_set(&o->error, "%s is not taken: use take first", g->account.name);
  g->log = operator_create_log("give", json_pack("{s:s,s:s}", "name", g->account.name, "file", o->arguments[1]));
  g->log->is_done = true;
  (void)snprintf(g->log->result, sizeof g->log->result, "nothing was stored: the program ended too early");
  return command_add(o->store, g->log, &o->error) == STORE_DONE;
}

int operator_give(operator_t *o) {
  give_t *g = alloc_object(sizeof *g);
  bool has_begun = begin(o, g), ok = has_begun && give(o, g);
  if (ok)
    puts(g->log->result);
  else if (has_begun)
    log_failure(o, g);
  if (g->path[0])
    remove(g->path);
  json_decref(g->rows);
  json_decref(g->stored);
  json_decref(g->result);
  free(g->log);
  free(g);
  return !ok;
}
