// The chronicle of a room: rows of the events that the game keeps, and the questions of scripts. The rows of a tick are
// read after it has run, when its events still exist, and are added to the writer with the tick's record.
#include "room/room_internal.h"

#include "base/alloc.h"
#include "base/array.h"
#include "content/row_json.h"
#include "ecs/event.h"
#include "game/game.h"
#include "game/question_state.h"
#include "game/room_state.h"
#include "served/chronicle_rows.h"
#include "served/question_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ASKED 64u       // maximum number of questions that the room sends at the same time
#define REPORT_US 1000000   // minimum time between two lines about dropped events
#define MESSAGE_BYTES 1024u // maximum size of the message of a failed question

_Static_assert(CHRONICLE_EVENT_BYTES <= CHRONICLE_NAME_BYTES, "the name of a kept event must fit into its view");

// The rows of a tick whose record has not been added to the writer.
typedef struct waiting_rows_t {
  uint64_t tick;
  chronicle_rows_t rows;
} waiting_rows_t;

typedef enum asked_state_t {
  ASKED_WAITS,   // question whose record is not committed yet
  ASKED_SENT,    // question that the database has not answered yet
  ASKED_ANSWERED // question whose answer a later record will contain
} asked_state_t;

typedef struct asked_t {
  shoal_entity entity;
  uint64_t number; // number that identifies the question
  uint64_t record; // number of the last record when the question was found
  asked_state_t state;
} asked_t;

struct room_chronicle_t {
  allocator_t memory;
  json_writer_t json;
  ARRAY(waiting_rows_t) waiting; // the first `waiting_count` contain rows; further elements only keep their memory
  uint32_t waiting_count;
  question_reader_o *reader;
  asked_t asked[MAX_ASKED];
  uint32_t asked_count;
  uint64_t question_count;
  // Number of events that were dropped since the last line about them; indexed like the game's list of kept events
  uint32_t dropped[CHRONICLE_MAX_EVENTS];
  uint64_t dropped_tick; // tick of the first of these events
  int64_t report_us;
};

void room_chronicle_begin(room_o *r) {
  room_chronicle_t *c = alloc_object(sizeof *c);
  json_writer_init(&c->json, &c->memory);
  c->reader = question_reader_create(r->options->db);
  r->chronicle = c;
}

void room_chronicle_end(room_o *r) {
  room_chronicle_t *c = r->chronicle;
  if (!c)
    return;
  question_reader_destroy(c->reader);
  for (uint32_t i = 0; i < c->waiting.count; ++i)
    chronicle_rows_free(&c->waiting.items[i].rows);
  array_free(&c->memory, &c->waiting);
  json_writer_fini(&c->json);
  shoal_assert(c->memory.blocks == 0, "the chronicle of a room leaked %zu bytes", c->memory.bytes);
  free(c);
  r->chronicle = NULL;
}

// --- events

// Returns an empty list for the rows of a tick.
static chronicle_rows_t *begin_rows(room_chronicle_t *c, uint64_t tick) {
  if (c->waiting_count == c->waiting.count) {
    waiting_rows_t added = {0};
    array_push(&c->memory, &c->waiting, added);
  }
  waiting_rows_t *w = &c->waiting.items[c->waiting_count];
  w->tick = tick;
  chronicle_rows_begin(&w->rows, tick);
  return &w->rows;
}

static void drop(room_chronicle_t *c, uint32_t event, uint64_t tick) {
  uint32_t total = 0;
  for (uint32_t i = 0; i < CHRONICLE_MAX_EVENTS; ++i)
    total += c->dropped[i];
  c->dropped_tick = total == 0 ? tick : c->dropped_tick;
  ++c->dropped[event];
}

// Returns the account of the event's field `player`, or 0 if the event lacks this field, or the player has no account.
static int64_t find_account(const room_o *r, const event_o *event, uint32_t row) {
  int32_t column = schema_find_field(&event->schema, "player");
  double player = column >= 0 && !field_is_text(&event->schema.fields[column])
                      ? columns_get(&event->columns, row, (uint32_t)column)
                      : 0;
  bool is_player = player >= 1 && player <= PLAYER_MAX;
  return is_player ? room_state_get_account(r->host->session.game, (uint32_t)player) : 0;
}

// Adds the rows that the event has received in this tick and that were not cancelled. Drops rows above the limits.
// Later cancellations are ignored.
static void add_event(room_o *r, uint32_t index, uint64_t tick, chronicle_rows_t *rows) {
  room_chronicle_t *c = r->chronicle;
  world_o *w = r->host->session.game->world;
  const chronicle_event_t *kept = &r->host->session.game->config.kept_events[index];
  const event_o *event = world_find_event(w, kept->name);
  for (uint32_t row = 0; event && row < event->columns.count; ++row) {
    if (event->cancelled >= 0 && columns_get(&event->columns, row, (uint32_t)event->cancelled) != 0)
      continue;
    json_writer_clear(&c->json);
    row_json_write(w, &event->columns, row, &c->json);
    size_t size = c->json.text.count;
    if (rows->count == CHRONICLE_MAX_ROWS || size > CHRONICLE_MAX_ROW_BYTES)
      drop(c, index, tick);
    else
      chronicle_rows_add(rows, kept->name, find_account(r, event, row), kept->keep_s, json_writer_text(&c->json), size);
  }
}

void room_chronicle_note_tick(room_o *r, uint64_t tick) {
  room_chronicle_t *c = r->chronicle;
  if (!c || r->host->session.game->config.kept_event_count == 0) // a recovery repeats ticks whose rows are committed
    return;
  chronicle_rows_t *rows = begin_rows(c, tick);
  for (uint32_t i = 0; i < r->host->session.game->config.kept_event_count; ++i)
    add_event(r, i, tick, rows);
  c->waiting_count += rows->count > 0;
}

bool room_chronicle_get_change(const room_o *r, const record_t *record, room_change_t *out) {
  const room_chronicle_t *c = r->chronicle;
  for (uint32_t i = 0; record->kind == RECORD_TICK && i < c->waiting_count; ++i) {
    const waiting_rows_t *w = &c->waiting.items[i];
    if (w->tick != record->tick)
      continue;
    *out = (room_change_t){ROOM_CHANGE_CHRONICLE, w->rows.bytes, w->rows.size};
    return true;
  }
  return false;
}

void room_chronicle_forget_rows(room_o *r, const record_t *record) {
  room_chronicle_t *c = r->chronicle;
  waiting_rows_t first = c->waiting_count > 0 ? c->waiting.items[0] : (waiting_rows_t){0};
  if (record->kind != RECORD_TICK || c->waiting_count == 0 || first.tick != record->tick)
    return;
  --c->waiting_count;
  memmove(c->waiting.items, c->waiting.items + 1, c->waiting_count * sizeof first);
  c->waiting.items[c->waiting_count] = first; // the list keeps its memory
}

// Logs the number of dropped events.
static void report_dropped(room_o *r, int64_t now_us) {
  room_chronicle_t *c = r->chronicle;
  const game_o *g = r->host->session.game;
  if (now_us - c->report_us < REPORT_US)
    return;
  for (uint32_t i = 0; i < g->config.kept_event_count; ++i) {
    if (c->dropped[i] == 0)
      continue;
    log_error(
        r->host->session.log,
        "room %s: the chronicle has dropped %u events %s since tick %llu: at most %u rows of %u bytes per tick are "
        "kept: emit fewer or smaller events",
        r->name, c->dropped[i], g->config.kept_events[i].name, (unsigned long long)c->dropped_tick, CHRONICLE_MAX_ROWS,
        CHRONICLE_MAX_ROW_BYTES);
    c->dropped[i] = 0;
    c->report_us = now_us;
  }
}

// --- questions

static asked_t *find_asked(room_chronicle_t *c, shoal_entity entity) {
  for (uint32_t i = 0; i < c->asked_count; ++i)
    if (c->asked[i].entity == entity)
      return &c->asked[i];
  return NULL;
}

// Removes the questions that a record has answered, or whose entity was destroyed.
static void forget_closed(room_o *r) {
  room_chronicle_t *c = r->chronicle;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < c->asked_count; ++i)
    if (questions_is_open(r->host->session.game, c->asked[i].entity))
      c->asked[kept++] = c->asked[i];
  c->asked_count = kept;
}

static void find_new(room_o *r, int64_t now_us) {
  room_chronicle_t *c = r->chronicle;
  uint64_t next = match_get_status(r->match, now_us).next_number;
  open_question_t question;
  for (uint32_t i = 0; c->asked_count < MAX_ASKED && questions_get_open(r->host->session.game, i, &question); ++i)
    if (!find_asked(c, question.entity))
      c->asked[c->asked_count++] =
          (asked_t){.entity = question.entity, .number = ++c->question_count, .record = next - 1};
}

// Stores the open question of an entity in `out`, and returns true. Returns false if the entity has no open question.
static bool find_question(const room_o *r, shoal_entity entity, open_question_t *out) {
  for (uint32_t i = 0; questions_get_open(r->host->session.game, i, out); ++i)
    if (out->entity == entity)
      return true;
  return false;
}

// Sends the questions whose records are committed.
static void send_committed(room_o *r, uint64_t acked_number) {
  room_chronicle_t *c = r->chronicle;
  open_question_t question;
  error_info_t error = {0};
  for (uint32_t i = 0; i < c->asked_count; ++i) {
    asked_t *a = &c->asked[i];
    if (a->state != ASKED_WAITS || a->record > acked_number || !find_question(r, a->entity, &question))
      continue;
    a->state = ASKED_SENT;
    if (!question_reader_add(c->reader, a->number, question.sql, question.parameters, &error))
      log_error(r->host->session.log, "%s", error.text);
  }
}

// Adds the answer or the error to a later record. Does nothing if the question is no longer open.
static void add_answer(room_o *r, asked_t *a, const question_answer_t *answer) {
  open_question_t question;
  char text[MESSAGE_BYTES];
  external_result_t *result;
  if (!find_question(r, a->entity, &question))
    return;
  if (answer->is_error) {
    (void)snprintf(text, sizeof text, "%s%schronicle.ask: %s", question.line, question.line[0] ? ": " : "",
                   answer->text);
    log_warn(r->host->session.log, "%s", text);
    result = question_create_error(a->entity, text);
  } else {
    result = question_create_answer(a->entity, answer->text, answer->size, answer->is_cut);
  }
  match_game_add_result(r->game, result);
  external_result_release(result);
  a->state = ASKED_ANSWERED;
}

static void take_answers(room_o *r) {
  room_chronicle_t *c = r->chronicle;
  question_answer_t answer;
  while (question_reader_take(c->reader, &answer))
    for (uint32_t i = 0; i < c->asked_count; ++i)
      if (c->asked[i].number == answer.number)
        add_answer(r, &c->asked[i], &answer);
}

void room_chronicle_update(room_o *r, int64_t now_us, uint64_t acked_number) {
  report_dropped(r, now_us);
  take_answers(r);
  forget_closed(r);
  find_new(r, now_us);
  send_committed(r, acked_number);
}
