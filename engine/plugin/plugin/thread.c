// Threads declared by plugins. They are started between ticks, and stopped before the process is forked and before a
// reload.
#include "plugin/thread.h"

#include "base/assert.h"
#include "process/foreign_call.h"
#include "crash/signal_handler.h"
#include "plugin/report.h"
#include "plugin/job.h"
#include "plugin/plugin.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define STOP_S 10 // timeout for stopping a thread, in seconds

bool plugin_are_threads_stopped(const plugin_t *x) {
  for (uint32_t i = 0; i < x->thread_count; ++i)
    if (x->threads[i].runs)
      return false;
  return true;
}

typedef struct turn_t {
  thread_t *t;
  void *state;
} turn_t;

static void call_run(void *data) {
  const turn_t *turn = data;
  turn->t->def->run(&turn->t->stop, turn->state);
}

static void *run_thread(void *data) {
  thread_t *t = data;
  plugin_t *x = t->plugin;
  void *stack = crash_stack_add();
  foreign_call_t foreign = {.owner = x->name, .kind = "thread", .name = t->def->name};
  foreign_set_current(&foreign);
  turn_t turn = {t, x->state};
  bool ok = !x->guard || x->guard(call_run, &turn, t->what, sizeof t->what);
  if (!x->guard)
    call_run(&turn);
  foreign_set_current(NULL);
  crash_stack_remove(stack);
  if (!ok)
    atomic_store(&t->threw, true);
  else if (!shoal_stop_requested(&t->stop))
    atomic_store(&t->over, true); // `run` returned although the host has not stopped the thread
  return NULL;
}

static void start_thread(thread_t *t) {
  plugin_t *x = t->plugin;
  if (t->runs || t->lost || atomic_load(&t->over) || atomic_load(&t->threw))
    return;
  t->stop.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  t->stop.requested = 0;
  t->runs = t->stop.wake_fd >= 0 && pthread_create(&t->id, NULL, run_thread, t) == 0;
  if (!t->runs) {
    close(t->stop.wake_fd);
    plugin_warn_once(x, "cannot start the threads of .threads: the operating system is out of resources");
  }
}

static void report_exception(thread_t *t) {
  error_info_t error;
  if (!atomic_load(&t->threw) || t->reported)
    return;
  t->reported = true;
  error_set(&error, "thread %s: an exception was thrown: %.500s; the plugin's systems are parked", t->def->name,
            t->what);
  plugin_fail(t->plugin, error.text);
}

// Reports rejected calls to host functions that no plugin_call_guarded has reported, for example because the plugin has
// no systems.
static void report_misplaced_calls(plugin_t *x) {
  error_info_t error = {0};
  if (atomic_load(&x->misplaced_call))
    plugin_report_misplaced_call(x, &error);
  if (error.text[0])
    plugin_fail(x, error.text);
}

void plugins_start_threads(plugins_o *p) {
  for (uint32_t i = 0; i < p->list.count; ++i) {
    report_misplaced_calls(p->list.items[i]);
    plugin_start_jobs(p->list.items[i]);
    for (uint32_t k = 0; k < p->list.items[i]->thread_count; ++k) {
      thread_t *t = &p->list.items[i]->threads[k];
      report_exception(t);
      if (!(p->desc.copied && p->list.items[i]->def->has_side_effects))
        start_thread(t);
    }
  }
}

static void request_stop(thread_t *t) {
  const uint64_t one = 1;
  __atomic_store_n(&t->stop.requested, 1, __ATOMIC_RELEASE);
  if (write(t->stop.wake_fd, &one, sizeof one) < 0)
    shoal_assert(errno == EAGAIN, "cannot wake thread %s: %s", t->def->name, strerror(errno));
}

static bool join_with_timeout(thread_t *t) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until); // not affected by changes to the system time
  until.tv_sec += STOP_S;
  t->lost = pthread_clockjoin_np(t->id, NULL, CLOCK_MONOTONIC, &until) != 0;
  t->runs = t->lost;
  if (!t->lost)
    close(t->stop.wake_fd);
  return !t->lost;
}

bool plugin_stop_threads(plugin_t *x, error_info_t *error) {
  bool ok = true;
  for (uint32_t i = 0; i < x->thread_count; ++i)
    if (x->threads[i].runs && !x->threads[i].lost)
      request_stop(&x->threads[i]);
  for (uint32_t i = 0; i < x->thread_count; ++i) {
    thread_t *t = &x->threads[i];
    if (t->runs && (t->lost || !join_with_timeout(t)))
      ok = error_set(error,
                     "plugin %s: thread %s did not stop within %d s: check shoal_stop_requested, or poll stop->wake "
                     "while the thread waits",
                     x->name, t->def->name, STOP_S);
  }
  return plugin_stop_jobs(x, error) && ok;
}

void plugin_create_threads(plugins_o *p, plugin_t *x) {
  uint32_t count = 0;
  while (x->def->threads && x->def->threads[count].name)
    ++count;
  x->threads = alloc_resize(&p->memory, NULL, 0, count * sizeof *x->threads);
  x->thread_count = count;
  for (uint32_t i = 0; i < count; ++i)
    x->threads[i] = (thread_t){.plugin = x, .def = &x->def->threads[i]};
}

// --- all plugins of the process

// List of all plugins_o in the process, because the threads of all games, ghosts and hosts must stop before a fork.
// Main thread only.
static plugins_o *all_plugins;

void plugins_register(plugins_o *p) {
  p->next = all_plugins;
  all_plugins = p;
}

void plugins_unregister(const plugins_o *p) {
  plugins_o **at = &all_plugins;
  while (*at && *at != p)
    at = &(*at)->next;
  shoal_assert(*at, "the plugins must be in the list of the process");
  *at = p->next;
}

bool plugins_stop_threads(error_info_t *error) {
  bool ok = true;
  for (plugins_o *p = all_plugins; p; p = p->next)
    for (uint32_t i = 0; i < p->list.count; ++i)
      ok = plugin_stop_threads(p->list.items[i], error) && ok;
  return ok;
}
