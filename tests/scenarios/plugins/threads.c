// A plugin whose thread answers requests and holds the lock most of the time. The system waits for the answer, and the
// manager waits for the lock when it saves.
#define _GNU_SOURCE
#include <shoal/plugin.h>

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

typedef struct worker_t {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  uint32_t asked, answered, count;
  bool ends;
} worker_t;

static void *work(void *data) {
  worker_t *w = data;
  pthread_mutex_lock(&w->lock);
  while (!w->ends) {
    if (w->answered < w->asked) {
      ++w->answered;
      pthread_cond_broadcast(&w->changed);
    }
    nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL); // holds the lock, so that `save` usually has to wait
    pthread_mutex_unlock(&w->lock);
    nanosleep(&(struct timespec){.tv_nsec = 30000}, NULL);
    pthread_mutex_lock(&w->lock);
  }
  pthread_mutex_unlock(&w->lock);
  return NULL;
}

static void *create(shoal_context *c) {
  worker_t *w = shoal_realloc(c, NULL, 0, sizeof *w);
  memset(w, 0, sizeof *w);
  pthread_mutex_init(&w->lock, NULL);
  pthread_cond_init(&w->changed, NULL);
  pthread_create(&w->thread, NULL, work, w);
  return w;
}

static void destroy(shoal_context *c, void *self) {
  worker_t *w = self;
  pthread_mutex_lock(&w->lock);
  w->ends = true;
  pthread_mutex_unlock(&w->lock);
  pthread_join(w->thread, NULL);
  shoal_realloc(c, w, sizeof *w, 0);
}

static void attach(shoal_context *c, void *self, const shoal_entity *entities, uint32_t count) {
  (void)c, (void)entities;
  ((worker_t *)self)->count += count;
}

static void detach(shoal_context *c, void *self, const shoal_entity *entities, uint32_t count) {
  (void)c, (void)entities;
  ((worker_t *)self)->count -= count;
}

static uint32_t count(void *self) {
  return ((worker_t *)self)->count;
}

static size_t save_bytes(shoal_context *c, void *self) {
  (void)c, (void)self;
  return sizeof(uint32_t);
}

static void save(shoal_context *c, void *self, void *bytes) {
  worker_t *w = self;
  (void)c;
  pthread_mutex_lock(&w->lock);
  memcpy(bytes, &w->count, sizeof w->count);
  pthread_mutex_unlock(&w->lock);
}

static bool load(shoal_context *c, void *self, const void *bytes, size_t size) {
  worker_t *w = self;
  (void)c;
  w->count = 0;
  if (size > 0)
    memcpy(&w->count, bytes, sizeof w->count);
  return true;
}

static const shoal_manager manager = {.version = 1,
                                      .create = create,
                                      .destroy = destroy,
                                      .attach = attach,
                                      .detach = detach,
                                      .count = count,
                                      .save_bytes = save_bytes,
                                      .save = save,
                                      .load = load};

#define TASK_FIELDS(F) F(u32, done, 0)
SHOAL_COMPONENT_WITH_MANAGER(task, TASK_FIELDS, &manager)

static void ask(shoal_context *c, const shoal_view *v, float dt_s) {
  worker_t *w = shoal_manager_data(c, &task_component);
  uint32_t *done = SHOAL_COLUMN(v, task, done);
  (void)dt_s;
#ifdef CRASH
  if (shoal_tick(c) >= CRASH)
    raise(SIGSEGV);
#endif
  pthread_mutex_lock(&w->lock);
  for (++w->asked; w->answered < w->asked;)
    pthread_cond_wait(&w->changed, &w->lock);
  pthread_mutex_unlock(&w->lock);
  for (uint32_t i = 0; i < v->count; ++i)
    ++done[i];
}

SHOAL_PLUGIN(.name = "threads", .version = 1, .components = SHOAL_COMPONENTS(task),
             .systems = SHOAL_SYSTEMS({.name = "ask", .query = {"task"}, .run = ask}))
