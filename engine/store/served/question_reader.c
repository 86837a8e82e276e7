// Executes questions on a thread.
#include "served/question_reader.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/assert.h"
#include "base/now.h"
#include "process/threads.h"
#include "served/question_driver.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RETRY_NS (INT64_C(500) * NS_PER_MS) // pause after the database did not answer

typedef struct question_t {
  uint64_t number;
  char *sql, *parameters; // owned
} question_t;

typedef struct answer_t {
  uint64_t number;
  char *text; // owned
  bool is_error, is_cut;
} answer_t;

struct question_reader_o {
  const question_driver_t *driver;
  char *database;
  void *connection; // connection that only the thread uses, or NULL
  pthread_t thread;
  bool is_running;
  answer_t taken; // answer that only the room's thread uses
  pthread_mutex_t lock;
  pthread_cond_t changed;
  // --- protected by `lock`
  allocator_t memory;
  ARRAY(question_t) questions;
  ARRAY(answer_t) answers;
  bool is_stopping;
};

// --- the thread

static void free_question(question_reader_o *r, question_t *q) {
  alloc_free_text(&r->memory, q->sql);
  alloc_free_text(&r->memory, q->parameters);
}

// Executes a question, without the lock. `rows->text` receives the rows or the error message.
static question_result_t ask(question_reader_o *r, const question_t *q, question_rows_t *rows) {
  error_info_t error = {0};
  question_result_t result = QUESTION_UNAVAILABLE;
  if (!r->connection)
    r->connection = r->driver->open(r->database, &error);
  json_t *parameters = r->connection ? json_loads(q->parameters, 0, NULL) : NULL;
  json_write_begin(&rows->text, '[');
  if (r->connection)
    result = r->driver->ask(r->connection, q->sql, parameters, rows, &error);
  json_decref(parameters);
  if (result == QUESTION_UNAVAILABLE && r->connection) {
    r->driver->close(r->connection);
    r->connection = NULL;
  }
  if (result == QUESTION_ANSWERED) {
    json_write_end(&rows->text, ']');
  } else {
    json_writer_clear(&rows->text);
    json_write_text(&rows->text, error.text);
  }
  return result;
}

static void wait_for_change(question_reader_o *r, int64_t time_ns) {
  int64_t end = now_ns() + time_ns;
  struct timespec deadline = {(time_t)(end / 1000000000), (long)(end % 1000000000)};
  pthread_cond_timedwait(&r->changed, &r->lock, &deadline);
}

// Executes the oldest question, and adds its answer. If the database does not answer, keeps the question and waits for
// RETRY_NS. The lock must be held, and is held on return.
static void ask_next(question_reader_o *r) {
  question_t question = r->questions.items[0];
  question_rows_t *rows = alloc_object(sizeof *rows);
  allocator_t memory = {0};
  json_writer_init(&rows->text, &memory);
  pthread_mutex_unlock(&r->lock);
  question_result_t result = ask(r, &question, rows);
  pthread_mutex_lock(&r->lock);
  if (result != QUESTION_UNAVAILABLE) {
    answer_t answer = {question.number, alloc_copy_text(&r->memory, json_writer_text(&rows->text)),
                       result == QUESTION_WRONG, rows->is_cut};
    array_push(&r->memory, &r->answers, answer);
    memmove(r->questions.items, r->questions.items + 1, --r->questions.count * sizeof question);
    free_question(r, &question);
  } else if (!r->is_stopping) {
    wait_for_change(r, RETRY_NS);
  }
  json_writer_fini(&rows->text);
  free(rows);
}

static void *run_thread(void *context) {
  question_reader_o *r = context;
  thread_lower_priority();
  pthread_mutex_lock(&r->lock);
  while (!r->is_stopping)
    if (r->questions.count > 0)
      ask_next(r);
    else
      pthread_cond_wait(&r->changed, &r->lock);
  pthread_mutex_unlock(&r->lock);
  if (r->connection)
    r->driver->close(r->connection);
  return NULL;
}

// --- the room's thread

question_reader_o *question_reader_create(const char *database) {
  pthread_condattr_t attributes;
  question_reader_o *r = alloc_object(sizeof *r);
  r->driver = world_store_is_address(database) ? &QUESTION_POSTGRES_DRIVER : &QUESTION_SQLITE_DRIVER;
  r->database = alloc_copy_text(&r->memory, database);
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&r->lock, NULL);
  pthread_cond_init(&r->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  return r;
}

void question_reader_destroy(question_reader_o *r) {
  if (!r)
    return;
  pthread_mutex_lock(&r->lock);
  r->is_stopping = true;
  pthread_cond_broadcast(&r->changed);
  pthread_mutex_unlock(&r->lock);
  if (r->is_running)
    pthread_join(r->thread, NULL);
  for (uint32_t i = 0; i < r->questions.count; ++i)
    free_question(r, &r->questions.items[i]);
  for (uint32_t i = 0; i < r->answers.count; ++i)
    alloc_free_text(&r->memory, r->answers.items[i].text);
  array_free(&r->memory, &r->questions);
  array_free(&r->memory, &r->answers);
  alloc_free_text(&r->memory, r->taken.text);
  alloc_free_text(&r->memory, r->database);
  pthread_mutex_destroy(&r->lock);
  pthread_cond_destroy(&r->changed);
  shoal_assert(r->memory.blocks == 0, "a question reader leaked %zu bytes", r->memory.bytes);
  free(r);
}

bool question_reader_add(question_reader_o *r, uint64_t number, const char *sql, const char *parameters,
                         error_info_t *error) {
  pthread_mutex_lock(&r->lock);
  question_t question = {number, alloc_copy_text(&r->memory, sql), alloc_copy_text(&r->memory, parameters)};
  array_push(&r->memory, &r->questions, question);
  pthread_cond_signal(&r->changed);
  pthread_mutex_unlock(&r->lock);
  r->is_running = r->is_running || thread_start(&r->thread, run_thread, r);
  return r->is_running || error_set(error, "cannot start the thread that reads the chronicle: end other programs");
}

bool question_reader_take(question_reader_o *r, question_answer_t *out) {
  pthread_mutex_lock(&r->lock);
  bool exists = r->answers.count > 0;
  if (exists) {
    alloc_free_text(&r->memory, r->taken.text);
    r->taken = r->answers.items[0];
    memmove(r->answers.items, r->answers.items + 1, --r->answers.count * sizeof r->taken);
    *out =
        (question_answer_t){r->taken.number, r->taken.is_error, r->taken.is_cut, r->taken.text, strlen(r->taken.text)};
  }
  pthread_mutex_unlock(&r->lock);
  return exists;
}
