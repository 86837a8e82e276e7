// Executes the SQL statements of the supervisor's loop on a separate thread, in order.
#include "serve/world_statements.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/now.h"
#include "process/threads.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct world_statements_o {
  world_store_o *store; // connection, used only by the thread
  log_o *log;
  pthread_t thread;
  pthread_mutex_t lock; // lock of the following members
  pthread_cond_t added, executed;
  world_statement_t *waiting, *done; // lists in the order of addition
  bool is_stopping;
};

static void append(world_statement_t **list, world_statement_t *s) {
  while (*list)
    list = &(*list)->next;
  s->next = NULL;
  *list = s;
}

static world_statement_t *take_first(world_statement_t **list) {
  world_statement_t *s = *list;
  if (s)
    *list = s->next;
  return s;
}

static void *run_thread(void *context) {
  world_statements_o *o = context;
  pthread_mutex_lock(&o->lock);
  while (!o->is_stopping) {
    world_statement_t *s = take_first(&o->waiting);
    if (!s) {
      pthread_cond_wait(&o->added, &o->lock);
      continue;
    }
    pthread_mutex_unlock(&o->lock);
    log_defer(&s->lines);
    s->execute(s, o->store);
    log_defer(NULL);
    pthread_mutex_lock(&o->lock);
    append(&o->done, s);
    pthread_cond_signal(&o->executed);
  }
  pthread_mutex_unlock(&o->lock);
  return NULL;
}

static void free_statements(world_statements_o *o) {
  pthread_mutex_destroy(&o->lock);
  pthread_cond_destroy(&o->added);
  pthread_cond_destroy(&o->executed);
  free(o);
}

world_statements_o *world_statements_create(world_store_o *store, log_o *log, error_info_t *error) {
  pthread_condattr_t attributes;
  world_statements_o *o = alloc_object(sizeof *o);
  o->store = store;
  o->log = log;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&o->lock, NULL);
  pthread_cond_init(&o->added, NULL);
  pthread_cond_init(&o->executed, &attributes);
  pthread_condattr_destroy(&attributes);
  if (thread_start(&o->thread, run_thread, o))
    return o;
  error_set(error, "cannot start the thread that executes the world's statements: end other programs");
  free_statements(o);
  return NULL;
}

void world_statements_destroy(world_statements_o *o) {
  if (!o)
    return;
  pthread_mutex_lock(&o->lock);
  o->is_stopping = true;
  pthread_cond_signal(&o->added);
  pthread_mutex_unlock(&o->lock);
  pthread_join(o->thread, NULL);
  for (world_statement_t *s; (s = take_first(&o->done)) != NULL;)
    log_write_deferred(o->log, &s->lines);
  free_statements(o);
}

void world_statements_add(world_statements_o *o, world_statement_t *s) {
  shoal_assert(!s->is_busy, "the statement is already being executed");
  s->is_busy = true;
  pthread_mutex_lock(&o->lock);
  append(&o->waiting, s);
  pthread_cond_signal(&o->added);
  pthread_mutex_unlock(&o->lock);
}

void world_statements_update(world_statements_o *o) {
  for (;;) {
    pthread_mutex_lock(&o->lock);
    world_statement_t *s = take_first(&o->done);
    pthread_mutex_unlock(&o->lock);
    if (!s)
      return;
    log_write_deferred(o->log, &s->lines);
    s->is_busy = false;
    if (s->finish)
      s->finish(s);
  }
}

static bool is_done(const world_statements_o *o, const world_statement_t *s) {
  const world_statement_t *done = o->done;
  while (done && done != s)
    done = done->next;
  return done != NULL;
}

void world_statements_wait(world_statements_o *o, const world_statement_t *s, int64_t end_ns) {
  struct timespec end = {(time_t)(end_ns / 1000000000), (long)(end_ns % 1000000000)};
  pthread_mutex_lock(&o->lock);
  while (!is_done(o, s) && now_ns() < end_ns)
    pthread_cond_timedwait(&o->executed, &o->lock, &end);
  pthread_mutex_unlock(&o->lock);
  world_statements_update(o);
}
