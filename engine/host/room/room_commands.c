// Executes commands of operators. The database offers a command in each poll. The room first commits that it takes the
// command, then executes it, and commits the result with or after the records that the command has caused. If the
// process ends in between, the next process stores that the command was lost, so no command is executed twice.
#include "room/room_internal.h"

#include "base/assert.h"
#include "base/text_stream.h"
#include "game/operator_events.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ASK_BUDGET_MS 50u // maximum CPU time of a query, because ticks wait for it
#define ASK_MAX_ROWS 200u

// --- results

static void log_result(const room_o *r, const command_offer_t *offer, bool is_ok, const char *text) {
  if (is_ok)
    log_info(r->host->session.log, "room %s: executed the operator's command %lld (%s)", r->name, (long long)offer->id,
             offer->kind);
  else
    log_warn(r->host->session.log, "room %s: the operator's command %lld (%s) has failed: %.200s", r->name,
             (long long)offer->id, offer->kind, text);
}

static void add_result(room_o *r, const command_offer_t *offer, bool is_ok, const char *text) {
  uint8_t bytes[sizeof(command_done_t) + COMMAND_RESULT_BYTES];
  command_done_t done = {.id = offer->id, .is_ok = is_ok};
  size_t length = strlen(text), max = COMMAND_RESULT_BYTES - 1;
  length = length < max ? length : max;
  memcpy(bytes, &done, sizeof done);
  memcpy(bytes + sizeof done, text, length);
  room_writer_add_change(r->writer, ROOM_CHANGE_COMMAND_DONE, bytes, sizeof done + length);
  log_result(r, offer, is_ok, text);
}

static void remove_command(room_commands_t *c, uint32_t index) {
  memmove(&c->items[index], &c->items[index + 1], (--c->count - index) * sizeof *c->items);
}

// --- execution

static const char *get_text(const json_t *data, const char *name) {
  const char *text = json_string_value(json_object_get(data, name));
  return text ? text : "";
}

// Adds a result to a later record, which completes the command. Releases `result`. `text`: static string, stored as the
// command's result.
static void add_to_record(room_o *r, room_command_t *command, external_result_t *result, const char *text) {
  match_game_add_result(r->game, result);
  external_result_release(result);
  command->has_result = true;
  command->result = text;
}

static bool emit(room_o *r, room_command_t *command, const json_t *data, error_info_t *error) {
  char *values = json_dumps(json_object_get(data, "values"), JSON_COMPACT);
  external_result_t *event =
      operator_event_create(r->host->session.game->world, get_text(data, "event"), values ? values : "", error);
  free(values);
  if (!event)
    return false;
  add_to_record(r, command, event, "emitted");
  return true;
}

static bool say(room_o *r, room_command_t *command, const json_t *data, error_info_t *error) {
  switch (match_announce(r->match, get_text(data, "text"))) {
  case MATCH_CHAT_SENT: command->result = "sent"; return true;
  case MATCH_CHAT_TOO_LONG: return error_set(error, "the line is too long: at most %u bytes", MATCH_CHAT_BYTES);
  default: return error_set(error, "the line must be UTF-8 without control characters, and not empty");
  }
}

// Runs a query. Returns the result as a text table, which the caller frees, or NULL with a message if the query fails.
static char *query(room_o *r, const char *sql, error_info_t *error) {
  sql_run_desc_t desc = {.text = sql,
                         .text_bytes = strlen(sql),
                         .allow_measured = true,
                         .budget_ms = ASK_BUDGET_MS,
                         .max_rows = ASK_MAX_ROWS};
  sql_result_t result;
  text_stream_t stream;
  char *text = NULL;
  if (!sql_run_statement(r->host->session.game->sql, &desc, &result, error))
    return NULL;
  if (text_stream_open(&stream)) {
    sql_print_result(&result, stream.stream);
    text = text_stream_close(&stream);
  }
  sql_result_fini(&result);
  return text;
}

static bool ask(room_o *r, const command_offer_t *offer, const json_t *data, error_info_t *error) {
  char *table = query(r, get_text(data, "sql"), error);
  if (table)
    add_result(r, offer, true, table);
  free(table);
  return table != NULL;
}

static int64_t get_number(const json_t *data, const char *name) {
  return json_integer_value(json_object_get(data, name));
}

static bool kick(room_o *r, int64_t now_us, room_command_t *command, const json_t *data, error_info_t *error) {
  match_close_t reason = json_is_true(json_object_get(data, "ban")) ? MATCH_CLOSE_BANNED : MATCH_CLOSE_REMOVED;
  bool is_removed = room_accounts_remove(r, now_us, get_number(data, "account"), reason, &command->leaving);
  r->guard.block_count = 0; // the rows of accounts determine which users may join again
  command->result = is_removed ? "removed" : NULL;
  return is_removed || error_set(error, "%.60s is not in the room any more", get_text(data, "name"));
}

// Gives the players of an account its new name.
static bool rename_player(room_o *r, room_command_t *command, const json_t *data, error_info_t *error) {
  const char *name = get_text(data, "name");
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    match_visit_t visit = match_get_visit(r->match, i);
    if (visit.account == 0 || visit.account != get_number(data, "account"))
      continue;
    match_rename_visitor(r->match, &visit, name);
    add_to_record(r, command, operator_name_create(match_find_visitors(r->match, &visit), name), "renamed");
    return true;
  }
  return error_set(error, "%.60s is not in the room any more: the name changes with the next join", name);
}

// --- mutes

static void set_mute(room_o *r, int64_t now_us, int64_t account, int64_t seconds) {
  room_commands_t *c = &r->commands;
  uint32_t i = 0;
  while (i < c->mute_count && c->mutes[i].account != account)
    ++i;
  if (i < c->mute_count)
    memmove(&c->mutes[i], &c->mutes[i + 1], (--c->mute_count - i) * sizeof *c->mutes);
  if (seconds <= 0)
    return;
  if (c->mute_count == ROOM_MAX_MUTES)
    memmove(&c->mutes[0], &c->mutes[1], --c->mute_count * sizeof *c->mutes);
  c->mutes[c->mute_count++] = (room_mute_t){account, now_us + seconds * 1000000};
}

void room_commands_note_claim(room_o *r, int64_t now_us, const account_answer_t *answer) {
  set_mute(r, now_us, answer->account, answer->muted_s);
}

void room_commands_update(room_o *r, int64_t now_us) {
  const room_commands_t *c = &r->commands;
  player_mask_t muted = 0;
  for (uint32_t i = 0; i < PLAYER_MAX && c->mute_count > 0; ++i) {
    int64_t account = match_get_visit(r->match, i).account;
    for (uint32_t k = 0; k < c->mute_count; ++k)
      if (account != 0 && c->mutes[k].account == account && now_us < c->mutes[k].until_us)
        muted |= player_mask_of(i);
  }
  match_mute(r->match, muted);
}

// --- commands

// Executes a command. Returns true if its result is stored or follows, or false with a message.
static bool execute(room_o *r, int64_t now_us, room_command_t *command, error_info_t *error) {
  const command_offer_t *offer = &command->offer;
  json_t *data = json_loads(offer->data, 0, NULL);
  bool ok = false;
  if (strcmp(offer->kind, "emit") == 0) {
    ok = emit(r, command, data, error);
  } else if (strcmp(offer->kind, "say") == 0) {
    ok = say(r, command, data, error);
  } else if (strcmp(offer->kind, "ask") == 0) {
    ok = ask(r, offer, data, error);
  } else if (strcmp(offer->kind, "kick") == 0) {
    ok = kick(r, now_us, command, data, error);
  } else if (strcmp(offer->kind, "rename") == 0) {
    ok = rename_player(r, command, data, error);
  } else if (strcmp(offer->kind, "mute") == 0) {
    ok = true;
    set_mute(r, now_us, get_number(data, "account"), get_number(data, "seconds"));
    add_result(r, offer, true, "the room has changed the mute");
  } else if (strcmp(offer->kind, "stop") == 0) {
    ok = true;
    r->is_ending = true;
    add_result(r, offer, true, "the room stores its state and ends");
  } else {
    error_set(error, "this version of Shoal has no command %s for a room", offer->kind);
  }
  json_decref(data);
  return ok;
}

// --- database answers

static void receive(room_o *r, const command_offer_t *offer) {
  room_commands_t *c = &r->commands;
  if (offer->id <= c->last || c->count == ROOM_MAX_COMMANDS)
    return;
  c->last = offer->id;
  if (offer->is_lost) {
    add_result(r, offer, false, COMMAND_LOST_TEXT);
    return;
  }
  c->items[c->count++] = (room_command_t){.offer = *offer};
  room_writer_add_change(r->writer, ROOM_CHANGE_COMMAND_TAKEN, &(command_take_t){offer->id}, sizeof(command_take_t));
}

// Executes the command with this number. Drops earlier commands, which were cancelled before the room could take them:
// answers have the order of the commands.
static void execute_taken(room_o *r, int64_t now_us, int64_t id) {
  room_commands_t *c = &r->commands;
  error_info_t error = {0};
  for (uint32_t i = 0; i < c->count && c->items[i].offer.id <= id;) {
    room_command_t *command = &c->items[i];
    if (command->is_taken) {
      ++i;
      continue;
    }
    command->is_taken = command->offer.id == id;
    command->first = match_get_status(r->match, now_us).next_number;
    if (command->is_taken && !execute(r, now_us, command, &error))
      add_result(r, &command->offer, false, error.text);
    if (command->result)
      ++i;
    else
      remove_command(c, i);
  }
}

void room_commands_take_answer(room_o *r, int64_t now_us, const room_answer_t *answer) {
  command_offer_t offer;
  command_take_t take;
  if (answer->kind == ROOM_ANSWER_COMMAND) {
    memcpy(&offer, answer->bytes, sizeof offer);
    receive(r, &offer);
  } else {
    memcpy(&take, answer->bytes, sizeof take);
    execute_taken(r, now_us, take.id);
  }
}

// Returns true if the record contains the event or the name of a command.
static bool has_result(const record_t *record) {
  external_kind_t kind;
  for (uint32_t i = 0; i < record->item_count; ++i)
    if (external_result_read_kind(&record->items[i], &kind) && (kind == EXTERNAL_EVENT || kind == EXTERNAL_NAME))
      return true;
  return false;
}

// Updates the commands whose effects are in this record. An event or a name in the record belongs to the oldest command
// that waits for an event or a name.
static void note_effects(room_commands_t *c, const record_t *record) {
  bool has_command_result = has_result(record);
  player_mask_t left = 0;
  for (uint32_t i = 0; i < record->item_count; ++i)
    if (record->items[i].kind == RECORD_ITEM_LEAVE)
      left |= player_mask_of(record->items[i].player);
  for (uint32_t i = 0; i < c->count; ++i) {
    room_command_t *command = &c->items[i];
    if (record->number < command->first)
      continue;
    command->leaving &= ~left;
    if (!has_command_result || !command->has_result)
      continue;
    command->has_result = false;
    has_command_result = false;
  }
}

// Returns the index of the oldest successful command whose effects are all in records, or the number of commands if no
// command has finished.
static uint32_t find_finished(const room_commands_t *c) {
  uint32_t i = 0;
  while (i < c->count && (!c->items[i].result || c->items[i].has_result || c->items[i].leaving != 0))
    ++i;
  return i;
}

uint32_t room_commands_list_changes(room_o *r, const record_t *record, room_change_t *out) {
  room_commands_t *c = &r->commands;
  note_effects(c, record);
  uint32_t i = find_finished(c);
  if (i == c->count)
    return 0;
  const char *text = c->items[i].result;
  size_t length = strlen(text);
  command_done_t done = {.id = c->items[i].offer.id, .is_ok = true};
  shoal_assert(sizeof done + length <= sizeof c->done, "a result of %zu bytes", length);
  memcpy(c->done, &done, sizeof done);
  memcpy(c->done + sizeof done, text, length);
  *out = (room_change_t){ROOM_CHANGE_COMMAND_DONE, c->done, sizeof done + length};
  log_result(r, &c->items[i].offer, true, text);
  remove_command(c, i);
  return 1;
}

void room_commands_end(room_o *r) {
  room_commands_t *c = &r->commands;
  for (uint32_t i = find_finished(c); i < c->count; i = find_finished(c)) {
    add_result(r, &c->items[i].offer, true, c->items[i].result);
    remove_command(c, i);
  }
  for (uint32_t i = 0; i < c->count; ++i)
    if (c->items[i].is_taken)
      add_result(r, &c->items[i].offer, false, "not executed: the room ended first; repeat the command");
  c->count = 0;
}
