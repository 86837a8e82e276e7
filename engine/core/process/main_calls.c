// A mailbox for one call. The background thread fills the mailbox and waits until the main thread has emptied it.
#include "process/main_calls.h"

#include <stddef.h>

static _Thread_local main_calls_t *current_calls;

void main_calls_init(main_calls_t *calls) {
  *calls = (main_calls_t){.run = NULL};
  pthread_mutex_init(&calls->lock, NULL);
  pthread_cond_init(&calls->changed, NULL);
}

void main_calls_fini(main_calls_t *calls) {
  pthread_cond_destroy(&calls->changed);
  pthread_mutex_destroy(&calls->lock);
}

void main_calls_use(main_calls_t *calls) {
  current_calls = calls;
}

bool main_calls_invoke(void (*run)(void *context), void *context) {
  main_calls_t *calls = current_calls;
  if (!calls) {
    run(context);
    return true;
  }
  pthread_mutex_lock(&calls->lock);
  calls->context = context;
  calls->run = run;
  while (calls->run && !calls->closed)
    pthread_cond_wait(&calls->changed, &calls->lock);
  bool called = !calls->run;
  pthread_mutex_unlock(&calls->lock);
  return called;
}

void main_calls_run(main_calls_t *calls) {
  pthread_mutex_lock(&calls->lock);
  if (calls->run) {
    calls->run(calls->context);
    calls->run = NULL;
    pthread_cond_signal(&calls->changed);
  }
  pthread_mutex_unlock(&calls->lock);
}

void main_calls_close(main_calls_t *calls) {
  pthread_mutex_lock(&calls->lock);
  calls->closed = true;
  pthread_cond_signal(&calls->changed);
  pthread_mutex_unlock(&calls->lock);
}
