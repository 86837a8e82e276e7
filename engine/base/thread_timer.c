// Timers are made when they are armed first. Which ones a thread has is a list that its end goes through.
#include "base/thread_timer.h"

#include "base/assert.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static _Thread_local thread_timer_t *first;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void end_of_thread(void *timers) {
  for (thread_timer_t *t = timers; t; t = t->next) {
    if (t->is_there)
      timer_delete(t->timer);
    t->is_there = false;
  }
}

static void create_key(void) {
  pthread_key_create(&key, end_of_thread);
}

static bool create(thread_timer_t *t, int signal) {
  struct sigevent event;
  pthread_once(&once, create_key);
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal;
  event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
  t->tried = true;
  t->is_there = timer_create(CLOCK_MONOTONIC, &event, &t->timer) == 0;
  if (!t->is_there)
    return false;
  t->next = first;
  first = t;
  pthread_setspecific(key, first);
  return true;
}

static void set(thread_timer_t *t, uint32_t period_us) {
  struct itimerspec spec = {{0}, {0}};
  spec.it_interval.tv_sec = spec.it_value.tv_sec = period_us / 1000000;
  spec.it_interval.tv_nsec = spec.it_value.tv_nsec = (long)(period_us % 1000000) * 1000;
  timer_settime(t->timer, 0, &spec, NULL);
}

bool thread_timer_arm(thread_timer_t *t, int signal, uint32_t period_us) {
  shoal_assert(period_us > 0, "a timer without a period");
  if (t->armed && t->period_us <= period_us)
    return true;
  if (!t->is_there && (t->tried || !create(t, signal)))
    return false;
  t->period_us = period_us;
  t->armed = true;
  set(t, period_us);
  return true;
}

void thread_timer_hurry(thread_timer_t *t, uint32_t period_us) {
  if (t->period_us > period_us)
    set(t, t->period_us = period_us);
}

void thread_timer_relax(thread_timer_t *t, uint32_t period_us) {
  if (t->armed && t->period_us < period_us)
    set(t, t->period_us = period_us);
}

void thread_timer_rest(thread_timer_t *t) {
  if (!t->armed)
    return;
  t->armed = false;
  set(t, 0);
}

void thread_timer_after_fork(thread_timer_t *t, bool again) {
  for (thread_timer_t **at = &first; *at; at = &(*at)->next)
    if (*at == t) {
      *at = t->next;
      break;
    }
  if (first == NULL)
    pthread_once(&once, create_key);
  pthread_setspecific(key, first);
  t->is_there = t->armed = false;
  t->tried = !again;
}
