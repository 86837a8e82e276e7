// Threads declared by plugins. They are started between ticks, and stopped before the process is forked and before a
// reload.
#include "plugin/thread.h"

#include "base/assert.h"
#include "process/foreign_call.h"
#include "process/threads.h"
#include "process/wake_up.h"
#include "crash/signal_handler.h"
#include "plugin/report.h"
#include "plugin/job.h"
#include "plugin/plugin.h"

#include <stdatomic.h>
#include <string.h>

#define STOP_TIMEOUT_S 10 // timeout for stopping a thread, in seconds

bool plugin_are_threads_stopped(const plugin_t *plugin) {
  for (uint32_t i = 0; i < plugin->thread_count; ++i)
    if (plugin->threads[i].running)
      return false;
  return true;
}

typedef struct thread_call_t {
  thread_t *thread;
  void *state;
} thread_call_t;

static void call_run(void *data) {
  const thread_call_t *call = data;
  call->thread->def->run(&call->thread->stop, call->state);
}

static void *run_thread(void *data) {
  thread_t *thread = data;
  plugin_t *plugin = thread->plugin;
  void *stack = crash_stack_add();
  foreign_call_t foreign_call = {.owner = plugin->name, .kind = "thread", .name = thread->def->name};
  foreign_set_current(&foreign_call);
  thread_call_t call = {thread, plugin->state};
  bool ok = !plugin->guard || plugin->guard(call_run, &call, thread->message, sizeof thread->message);
  if (!plugin->guard)
    call_run(&call);
  foreign_set_current(NULL);
  crash_stack_remove(stack);
  if (!ok)
    atomic_store(&thread->has_thrown, true);
  else if (!shoal_stop_requested(&thread->stop))
    atomic_store(&thread->returned, true); // `run` returned although the host has not stopped the thread
  return NULL;
}

static void start_thread(thread_t *thread) {
  plugin_t *plugin = thread->plugin;
  if (thread->running || thread->stuck || atomic_load(&thread->returned) || atomic_load(&thread->has_thrown))
    return;
  thread->stop.wake_fd = (int)wake_up_create();
  thread->stop.requested = 0;
  thread->running = thread->stop.wake_fd >= 0 && pthread_create(&thread->id, NULL, run_thread, thread) == 0;
  if (!thread->running) {
    wake_up_destroy(thread->stop.wake_fd);
    plugin_warn_once(plugin, "cannot start the threads of .threads: the operating system is out of resources");
  }
}

static void report_exception(thread_t *thread) {
  error_info_t error;
  if (!atomic_load(&thread->has_thrown) || thread->reported)
    return;
  thread->reported = true;
  error_set(&error, "thread %s: an exception was thrown: %.500s; the plugin's systems are parked", thread->def->name,
            thread->message);
  plugin_fail(thread->plugin, error.text);
}

// Reports rejected calls to host functions that plugin_call_guarded has not reported, for example because the plugin
// has no systems.
static void report_misplaced_calls(plugin_t *plugin) {
  error_info_t error = {0};
  if (atomic_load(&plugin->misplaced_call))
    plugin_report_misplaced_call(plugin, &error);
  if (error.text[0])
    plugin_fail(plugin, error.text);
}

void plugins_start_threads(plugins_o *plugins) {
  for (uint32_t i = 0; i < plugins->list.count; ++i) {
    report_misplaced_calls(plugins->list.items[i]);
    plugin_start_jobs(plugins->list.items[i]);
    for (uint32_t k = 0; k < plugins->list.items[i]->thread_count; ++k) {
      thread_t *thread = &plugins->list.items[i]->threads[k];
      report_exception(thread);
      if (!(plugins->desc.forked && plugins->list.items[i]->def->has_side_effects))
        start_thread(thread);
    }
  }
}

static void request_stop(thread_t *thread) {
  __atomic_store_n(&thread->stop.requested, 1, __ATOMIC_RELEASE);
  wake_up_set(thread->stop.wake_fd);
}

static bool join_with_timeout(thread_t *thread) {
  thread->stuck = !thread_join_within(thread->id, STOP_TIMEOUT_S * 1000);
  thread->running = thread->stuck;
  if (!thread->stuck)
    wake_up_destroy(thread->stop.wake_fd);
  return !thread->stuck;
}

bool plugin_stop_threads(plugin_t *plugin, error_info_t *error) {
  bool ok = true;
  for (uint32_t i = 0; i < plugin->thread_count; ++i)
    if (plugin->threads[i].running && !plugin->threads[i].stuck)
      request_stop(&plugin->threads[i]);
  for (uint32_t i = 0; i < plugin->thread_count; ++i) {
    thread_t *thread = &plugin->threads[i];
    if (thread->running && (thread->stuck || !join_with_timeout(thread)))
      ok = error_set(error,
                     "plugin %s: thread %s did not stop within %d s: check shoal_stop_requested, or poll stop->wake "
                     "while the thread waits",
                     plugin->name, thread->def->name, STOP_TIMEOUT_S);
  }
  return plugin_stop_jobs(plugin, error) && ok;
}

void plugin_create_threads(plugins_o *plugins, plugin_t *plugin) {
  uint32_t count = 0;
  while (plugin->def->threads && plugin->def->threads[count].name)
    ++count;
  plugin->threads = alloc_resize(&plugins->memory, NULL, 0, count * sizeof *plugin->threads);
  plugin->thread_count = count;
  for (uint32_t i = 0; i < count; ++i)
    plugin->threads[i] = (thread_t){.plugin = plugin, .def = &plugin->def->threads[i]};
}

// --- all plugins of the process

// List of all plugins_o in the process, because the threads of all games, ghosts and hosts must stop before a fork.
// Main thread only.
static plugins_o *all_plugins;

void plugins_register(plugins_o *plugins) {
  plugins->next = all_plugins;
  all_plugins = plugins;
}

void plugins_unregister(const plugins_o *plugins) {
  plugins_o **link = &all_plugins;
  while (*link && *link != plugins)
    link = &(*link)->next;
  shoal_assert(*link, "the plugins must be in the list of the process");
  *link = plugins->next;
}

bool plugins_stop_threads(error_info_t *error) {
  bool ok = true;
  for (plugins_o *plugins = all_plugins; plugins; plugins = plugins->next)
    for (uint32_t i = 0; i < plugins->list.count; ++i)
      ok = plugin_stop_threads(plugins->list.items[i], error) && ok;
  return ok;
}
