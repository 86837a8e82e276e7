// Questions in SQL. A short one is answered at once, over the columns as they are; one that takes more steps than a
// frame has is asked again in a copy of the process, which has seconds for it while the game goes on.
#include "cockpit/cockpit_internal.h"

#include "base/assert.h"
#include "base/jobs.h"
#include "script/watchdog.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const char *const WORDS[] = {"insert", "update", "delete",  "replace", // change something
                                    "select", "with",   "explain", "values"};

static bool begins_with(const char *text, size_t words) {
  while (isspace((unsigned char)*text))
    text++;
  for (size_t i = 0; i < words; ++i) {
    size_t bytes = strlen(WORDS[i]);
    if (strncasecmp(text, WORDS[i], bytes) == 0 && !isalnum((unsigned char)text[bytes]) && text[bytes] != '_')
      return true;
  }
  return false;
}

bool question_writes(const char *text) {
  return begins_with(text, 4);
}

bool question_is_one(const char *text) {
  return begins_with(text, sizeof WORDS / sizeof *WORDS);
}

// -------------------------------------------------------------------------------------------------------------- values

static void put_matrix(json_text_t *out, const char *bytes) {
  json_text_begin(out, '[');
  for (size_t i = 0; i < 16; ++i) {
    float number;
    memcpy(&number, bytes + i * sizeof number, sizeof number);
    json_text_float(out, number);
  }
  json_text_end(out, ']');
}

static void put_value(json_text_t *out, const sql_value_t *v) {
  switch (v->kind) {
  case SQL_REAL:
    if ((double)(float)v->real == v->real) // of a column of f32, mostly: as people wrote it
      json_text_float(out, (float)v->real);
    else
      json_text_number(out, v->real);
    break;
  case SQL_INTEGER:
  case SQL_ENTITY: json_text_integer(out, v->integer); break;
  case SQL_BOOL: json_text_bool(out, v->integer != 0); break;
  case SQL_TEXT: json_text_string_n(out, v->text, v->bytes); break;
  case SQL_MATRIX: put_matrix(out, v->text); break;
  case SQL_BLOB: json_text_string(out, "(bytes)"); break;
  default: json_text_null(out); break;
  }
}

void question_row(const sql_result_t *r, uint32_t row, json_text_t *out) {
  shoal_assert(row < r->row_count, "row %u of %u", row, r->row_count);
  json_text_begin(out, '[');
  for (uint32_t i = 0; i < r->column_count; ++i)
    put_value(out, &r->values[(size_t)row * r->column_count + i]);
  json_text_end(out, ']');
}

static void put_answer(const sql_result_t *r, json_text_t *out) {
  json_text_key(out, "columns");
  json_text_begin(out, '[');
  for (uint32_t i = 0; i < r->column_count; ++i)
    json_text_string(out, r->names[i]);
  json_text_end(out, ']');
  json_text_key(out, "rows");
  json_text_begin(out, '[');
  for (uint32_t i = 0; i < r->row_count; ++i)
    question_row(r, i, out);
  json_text_end(out, ']');
  json_text_pair_bool(out, "more", r->more);
}

// -------------------------------------------------------------------------------------------------------------- asking

static bool read_parameter(const json_t *value, sql_value_t *out, error_t *error) {
  switch (json_typeof(value)) {
  case JSON_STRING:
    *out =
        (sql_value_t){.kind = SQL_TEXT, .bytes = (uint32_t)json_string_length(value), .text = json_string_value(value)};
    return true;
  case JSON_INTEGER: *out = (sql_value_t){.kind = SQL_INTEGER, .integer = json_integer_value(value)}; return true;
  case JSON_REAL: *out = (sql_value_t){.kind = SQL_REAL, .real = json_real_value(value)}; return true;
  case JSON_TRUE:
  case JSON_FALSE: *out = (sql_value_t){.kind = SQL_BOOL, .integer = json_is_true(value)}; return true;
  case JSON_NULL: *out = (sql_value_t){.kind = SQL_NULL}; return true;
  default: return error_set(error, "a parameter is a number, a text, a truth or null");
  }
}

uint64_t question_steps(cockpit_o *c) {
  host_look_t look;
  host_look(c->host, &look);
  return look.held || look.paused ? QUESTION_HELD_STEPS : QUESTION_STEPS;
}

bool question_ask(cockpit_o *c, const question_desc_t *q, uint64_t steps, json_text_t *out, bool *ran_out,
                  error_t *error) {
  game_o *g = host_game(c->host);
  sql_value_t values[SQL_MOST_PARAMETERS];
  size_t count = json_array_size(q->parameters);
  *ran_out = false;
  if (!g)
    return error_set(error, "the game could not start: its files have a mistake");
  if (count > SQL_MOST_PARAMETERS)
    return error_set(error, "%u parameters are the most", SQL_MOST_PARAMETERS);
  for (size_t i = 0; i < count; ++i)
    if (!read_parameter(json_array_get(q->parameters, i), &values[i], error))
      return false;
  sql_result_t result;
  sql_ask_t ask = {.text = q->text,
                   .text_bytes = strlen(q->text),
                   .parameters = values,
                   .parameter_count = (uint32_t)count,
                   .measured = true,
                   .limit_steps = steps,
                   .most_rows = q->most_rows};
  if (!sql_run(g->sql, &ask, &result, error)) {
    *ran_out = sql_ran_out(g->sql);
    return false;
  }
  put_answer(&result, out);
  sql_result_fini(&result);
  return true;
}

// -------------------------------------------------------------------------------------------- in a copy of the process

typedef struct copy_t {
  cockpit_o *cockpit;
  const question_desc_t *question;
} copy_t;

// What the copy has to say is one text: an object with "ok" and what else there is.
void question_say(cockpit_o *c, int to, json_text_t *out, const error_t *error) {
  if (error->text[0]) {
    json_text_clear(out);
    json_text_begin(out, '{');
    json_text_pair_bool(out, "ok", false);
    json_text_pair(out, "error", error->text);
  }
  (void)c;
  child_say(to, out->text.items, out->text.count);
}

void question_open(cockpit_o *c, json_text_t *out) {
  watchdog_after_fork();
  jobs_after_fork(host_game(c->host)->desc.jobs);
  json_text_init(out, &c->memory);
  json_text_begin(out, '{');
  json_text_pair_bool(out, "ok", true);
}

static void answer_in_copy(void *context, int to) {
  const copy_t *x = context;
  json_text_t out;
  error_t error = {0};
  bool ran_out = false;
  question_open(x->cockpit, &out);
  question_ask(x->cockpit, x->question, 0, &out, &ran_out, &error);
  question_say(x->cockpit, to, &out, &error);
}

bool question_copy(cockpit_o *c, const question_asker_t *asker, void (*act)(void *context, int to), void *context,
                   error_t *error) {
  question_t *x = &c->question;
  shoal_assert(act && context, "a copy of the process that does nothing");
  if (x->runs)
    return error_set(error, "another long question is being answered: ask again");
  if (!plugins_stop_threads(error)) // they go on in the next frame
    return false;
  if (!child_begin(&x->child, QUESTION_COPY_MS, act, context))
    return error_set(error,
                     "the question is too long to be answered between two ticks: hold the game, or ask for less");
  fcntl(x->child.pipe, F_SETFL, fcntl(x->child.pipe, F_GETFL) | O_NONBLOCK);
  x->runs = true;
  x->client = asker->client;
  x->id = asker->id ? json_incref((json_t *)(uintptr_t)asker->id) : json_null();
  x->answer.count = 0;
  return true;
}

bool question_later(cockpit_o *c, const question_desc_t *q, const question_asker_t *asker, error_t *error) {
  copy_t copy = {c, q};
  return question_copy(c, asker, answer_in_copy, &copy, error);
}

void question_forget(cockpit_o *c) {
  question_t *x = &c->question;
  if (!x->runs)
    return;
  child_kill(&x->child);
  x->runs = false;
  json_decref(x->id);
  array_free(&c->memory, &x->answer);
}

static void finish(cockpit_o *c, bool late) {
  question_t *x = &c->question;
  json_text_t *out = &c->out;
  shoal_assert(x->runs && x->id, "an answer to no question");
  uint32_t client = x->client;
  char *id = json_dumps(x->id, JSON_ENCODE_ANY);
  bool whole = !late && x->answer.count > 1;
  json_text_clear(out);
  json_text_begin(out, '{');
  json_text_key(out, "id");
  json_text_raw(out, id ? id : "null", id ? strlen(id) : 4);
  if (whole) {
    json_text_raw(out, x->answer.items + 1, x->answer.count - 1);
  } else {
    json_text_pair_bool(out, "ok", false);
    json_text_pair(out, "error",
                   late
                       ? "the question took more than a second: ask for less (LIMIT), or look up entities by entity = …"
                       : "the question could not be answered: it took more memory than there is");
  }
  json_text_end(out, '}');
  free(id);
  question_forget(c);
  protocol_send(c, client, out);
}

// A copy that is late is seen by child_has_news; what it says is read as it comes.
void question_poll(cockpit_o *c) {
  question_t *x = &c->question;
  char bytes[65536];
  if (!x->runs || !child_has_news(&x->child))
    return;
  for (int pieces = 0; pieces < 4; ++pieces) {
    ssize_t count = read(x->child.pipe, bytes, sizeof bytes);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
      if (x->child.late)
        finish(c, true);
      return;
    }
    if (count <= 0) {
      finish(c, x->child.late);
      return;
    }
    array_reserve(&c->memory, &x->answer, x->answer.count + (uint32_t)count);
    memcpy(x->answer.items + x->answer.count, bytes, (size_t)count);
    x->answer.count += (uint32_t)count;
  }
}
