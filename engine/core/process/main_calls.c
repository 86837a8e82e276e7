// A mailbox for one call. The background thread fills it and waits until the main thread has emptied it.
#include "process/main_calls.h"

#include <stddef.h>

static _Thread_local main_calls_t *used;

void main_calls_init(main_calls_t *c) {
  *c = (main_calls_t){.run = NULL};
  pthread_mutex_init(&c->lock, NULL);
  pthread_cond_init(&c->changed, NULL);
}

void main_calls_fini(main_calls_t *c) {
  pthread_cond_destroy(&c->changed);
  pthread_mutex_destroy(&c->lock);
}

void main_calls_use(main_calls_t *c) {
  used = c;
}

bool main_call(void (*run)(void *context), void *context) {
  main_calls_t *c = used;
  if (!c) {
    run(context);
    return true;
  }
  pthread_mutex_lock(&c->lock);
  c->context = context;
  c->run = run;
  while (c->run && !c->closed)
    pthread_cond_wait(&c->changed, &c->lock);
  bool called = !c->run;
  pthread_mutex_unlock(&c->lock);
  return called;
}

void main_calls_run(main_calls_t *c) {
  pthread_mutex_lock(&c->lock);
  if (c->run) {
    c->run(c->context);
    c->run = NULL;
    pthread_cond_signal(&c->changed);
  }
  pthread_mutex_unlock(&c->lock);
}

void main_calls_close(main_calls_t *c) {
  pthread_mutex_lock(&c->lock);
  c->closed = true;
  pthread_cond_signal(&c->changed);
  pthread_mutex_unlock(&c->lock);
}
