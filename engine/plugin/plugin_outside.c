// What a plugin has outside of the game: files that the host holds for it (shoal/outside.h), its threads, and the bytes
// that one instance hands to the next. Every instance has descriptors of its own for the same open files, so that one
// that goes closes nothing that another one has.
#include "plugin/plugins_internal.h"

#include "base/assert.h"
#include "base/foreign.h"
#include "crash/catch.h"
#include "shoal/outside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define STOP_S 10 // that a thread may take to stop
#define MOST_HELD 64u

// --- files

static held_t *find_held(plugin_t *x, const char *name) {
  for (uint32_t i = 0; x && i < x->held.count; ++i)
    if (strcmp(x->held.items[i].name, name) == 0)
      return &x->held.items[i];
  return NULL;
}

static bool keep(plugin_t *x, const char *name, int file) {
  held_t held = {.file = file};
  shoal_assert(file >= 0 && strlen(name) < sizeof held.name, "file %d of %s cannot be kept", file, name);
  snprintf(held.name, sizeof held.name, "%s", name);
  array_push(&x->all->memory, &x->held, held);
  return true;
}

#define HOLDING                                                                                                        \
  (1u << WHERE_LOADING | 1u << WHERE_MANAGER | 1u << WHERE_SYSTEM | 1u << WHERE_FUNCTION | 1u << WHERE_PRESS)

static bool hold(shoal_context *c, const char *name, int file) {
  plugin_t *x = context_of(c)->plugin;
  if (!service_may(c, HOLDING, "shoal_hold"))
    return false;
  if (!name || !name[0] || strlen(name) >= sizeof x->held.items->name || fcntl(file, F_GETFD) < 0) {
    plugin_warn(x, "shoal_hold: what it wants to be held is not open, or its name has not 1 to 60 bytes");
    return false;
  }
  held_t *there = find_held(x, name);
  if (!there && x->held.count == MOST_HELD) {
    plugin_warn(x, "shoal_hold: 64 files are held already");
    return false;
  }
  fcntl(file, F_SETFD, FD_CLOEXEC); // what the game starts does not have it
  if (!there)
    return keep(x, name, file);
  if (there->file != file)
    close(there->file);
  there->file = file;
  return true;
}

static int held(shoal_context *c, const char *name) {
  plugin_t *x = context_of(c)->plugin;
  if (!name || !service_may(c, HOLDING, "shoal_held"))
    return -1;
  const held_t *there = find_held(x, name), *before = x->opening ? find_held(plugin_before(x), name) : NULL;
  if (there || !before)
    return there ? there->file : -1;
  int file = fcntl(before->file, F_DUPFD_CLOEXEC, 0);
  return file >= 0 && keep(x, name, file) ? file : -1;
}

static void drop(shoal_context *c, const char *name) {
  plugin_t *x = context_of(c)->plugin;
  held_t *there = name && service_may(c, HOLDING, "shoal_drop") ? find_held(x, name) : NULL;
  if (!there)
    return;
  close(there->file);
  *there = x->held.items[--x->held.count];
}

const shoal_outside_1 service_outside = {.hold = hold, .held = held, .drop = drop};

void plugin_drop_all(plugin_t *x) {
  for (uint32_t i = 0; i < x->held.count; ++i)
    close(x->held.items[i].file);
  array_free(&x->all->memory, &x->held);
}

// --- bytes

static bool is_at_rest(const plugin_t *x) {
  for (uint32_t i = 0; i < x->thread_count; ++i)
    if (x->threads[i].runs)
      return false;
  return true;
}

void plugin_take_bytes(plugin_t *x, previous_t *out) {
  plugin_t *older = plugin_before(x);
  *out = (previous_t){.bytes = NULL};
  if (!older || plugin_rests(older))
    return;
  out->given.version = older->def->version;
  out->is_there = true;
  if (!older->def->hand_over || !older->opened || !is_at_rest(older))
    return;
  out->room = plugin_call_hand_over(older, NULL, 0);
  if (out->room == 0 || out->room > PLUGIN_MOST_HANDED)
    return;
  out->bytes = alloc_resize(&x->all->memory, NULL, 0, out->room);
  size_t size = plugin_call_hand_over(older, out->bytes, out->room);
  out->given.bytes = out->bytes;
  out->given.size = size <= out->room ? size : out->room;
}

void plugin_free_bytes(plugin_t *x, previous_t *p) {
  alloc_resize(&x->all->memory, p->bytes, p->room, 0);
}

// --- threads

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
  foreign_name(&foreign);
  turn_t turn = {t, x->state};
  bool fine = !x->guard || x->guard(call_run, &turn, t->what, sizeof t->what);
  if (!x->guard)
    call_run(&turn);
  foreign_name(NULL);
  crash_stack_remove(stack);
  if (!fine)
    atomic_store(&t->threw, true);
  else if (!shoal_stops(&t->stop))
    atomic_store(&t->over, true); // by itself
  return NULL;
}

static void start(thread_t *t) {
  plugin_t *x = t->plugin;
  if (t->runs || t->lost || atomic_load(&t->over) || atomic_load(&t->threw))
    return;
  t->stop.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  t->stop.asked = 0;
  t->runs = t->stop.wake >= 0 && pthread_create(&t->id, NULL, run_thread, t) == 0;
  if (!t->runs) {
    close(t->stop.wake);
    plugin_warn(x, "its threads cannot be started: the system has no more");
  }
}

static void tell_thrown(thread_t *t) {
  error_t error;
  if (!atomic_load(&t->threw) || t->told)
    return;
  t->told = true;
  error_set(&error, "its thread %s threw an exception: %.500s; its systems are parked", t->def->name, t->what);
  plugin_fail(t->plugin, error.text);
}

// What a plugin without systems has called from a thread is told by nobody else.
static void tell_astray(plugin_t *x) {
  error_t error = {0};
  if (atomic_load(&x->astray))
    plugin_tell_astray(x, &error);
  if (error.text[0])
    plugin_fail(x, error.text);
}

void plugins_start_threads(plugins_o *p) {
  for (uint32_t i = 0; i < p->list.count; ++i) {
    tell_astray(p->list.items[i]);
    plugin_start_jobs(p->list.items[i]);
    for (uint32_t k = 0; k < p->list.items[i]->thread_count; ++k) {
      thread_t *t = &p->list.items[i]->threads[k];
      tell_thrown(t);
      if (!(p->desc.copied && p->list.items[i]->def->reaches_outside))
        start(t);
    }
  }
}

static void ask(thread_t *t) {
  const uint64_t one = 1;
  __atomic_store_n(&t->stop.asked, 1, __ATOMIC_RELEASE);
  if (write(t->stop.wake, &one, sizeof one) < 0)
    shoal_assert(errno == EAGAIN, "thread %s cannot be woken", t->def->name);
}

static bool wait_for(thread_t *t) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += STOP_S;
  t->lost = pthread_timedjoin_np(t->id, NULL, &until) != 0;
  t->runs = t->lost;
  if (!t->lost)
    close(t->stop.wake);
  return !t->lost;
}

bool plugin_stop_threads(plugin_t *x, error_t *error) {
  bool fine = true;
  for (uint32_t i = 0; i < x->thread_count; ++i)
    if (x->threads[i].runs && !x->threads[i].lost)
      ask(&x->threads[i]);
  for (uint32_t i = 0; i < x->thread_count; ++i) {
    thread_t *t = &x->threads[i];
    if (t->runs && (t->lost || !wait_for(t)))
      fine = error_set(error,
                       "plugin %s: its thread %s does not stop: it was asked to %d s ago (shoal_stops, or stop->wake "
                       "for one that waits)",
                       x->name, t->def->name, STOP_S);
  }
  return plugin_stop_jobs(x, error) && fine;
}

// All in the process: a copy of it is one of every game, of ghosts and of other hosts, too. Of the main thread.
static plugins_o *everybody;

void plugins_join(plugins_o *p) {
  p->next = everybody;
  everybody = p;
}

void plugins_leave(const plugins_o *p) {
  plugins_o **at = &everybody;
  while (*at && *at != p)
    at = &(*at)->next;
  shoal_assert(*at, "plugins that nobody knows");
  *at = p->next;
}

bool plugins_stop_threads(error_t *error) {
  bool fine = true;
  for (plugins_o *p = everybody; p; p = p->next)
    for (uint32_t i = 0; i < p->list.count; ++i)
      fine = plugin_stop_threads(p->list.items[i], error) && fine;
  return fine;
}

void plugin_make_threads(plugins_o *p, plugin_t *x) {
  uint32_t count = 0;
  while (x->def->threads && x->def->threads[count].name)
    ++count;
  x->threads = alloc_resize(&p->memory, NULL, 0, count * sizeof *x->threads);
  x->thread_count = count;
  for (uint32_t i = 0; i < count; ++i)
    x->threads[i] = (thread_t){.plugin = x, .def = &x->def->threads[i]};
}

// --- threads that nobody has declared

uint32_t plugin_count_threads(void) {
  struct stat tasks;
  return stat("/proc/self/task", &tasks) == 0 ? (uint32_t)tasks.st_nlink : 0;
}

void plugin_tell_threads(plugin_t *x, const char *kind, uint32_t before) {
  uint32_t now = plugin_count_threads();
  if (now <= before || x->told_threads || x->all->quiet || x->all->desc.copied)
    return;
  x->told_threads = true;
  log_warn(x->all->desc.log,
           "plugin %s: its %s has started a thread that it does not declare: a copy of the process, in which a tick is "
           "tried, lacks it and keeps its locks (.threads in SHOAL_PLUGIN; <shoal/outside.h>)",
           x->name, kind);
}
