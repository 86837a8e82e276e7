// The compiler thread, its queue, and the list of all compiled code, which is looked up by source.
#include "native/codegen.h"

#include "base/assert.h"
#include "process/threads.h"
#include "native/code_cache.h"
#include "native/llvm.h"
#include "native/object_file.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_SPARE 256u // maximum number of unused list entries that are kept for the next reload

struct codegen_code_t {
  code_key_t key;
  codegen_level_t level;
  uint32_t users;
  char *text; // IR; NULL once compiled (freed by the compiler thread)
  size_t length;
  _Atomic int state; // codegen_state_t; written after all other results
  object_t object;
  bool cached, packaged;
  uint8_t *file; // the object as a file for packages; NULL unless objects are kept
  size_t file_bytes;
  double ms;
  error_info_t why;
  codegen_code_t *next;   // list of all compiled code
  codegen_code_t *queued; // next code in the queue
};

// State of the process, which has a single compiler thread. `all` belongs to the main thread; the queue is shared and
// guarded by `lock`.
static struct {
  codegen_code_t *all;
  pthread_t thread;
  bool started, failed;
  bool in_child; // this process is a forked child, which has no compiler thread
  pthread_mutex_t lock;
  pthread_cond_t requested, done;
  codegen_code_t *first, **last;
  bool is_stopping, broken;
  bool keeps_objects;
  bool ends_before_llvm; // stop_compiler_thread is registered to run before LLVM's destructors; compiler thread only
  codegen_statistics_t statistics;
  codegen_code_t *now;
} me = {.lock = PTHREAD_MUTEX_INITIALIZER, .requested = PTHREAD_COND_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

static const char *const FEATURES[] = {[CODEGEN_NONE] = "",
                                       [CODEGEN_SSE2] = "",
                                       [CODEGEN_AVX2] = "+avx2",
                                       [CODEGEN_AVX512] = "+avx512f,+avx512bw,+avx512dq,+avx512vl"};

codegen_level_t codegen_best_level(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return CODEGEN_AVX512;
  return __builtin_cpu_supports("avx2") ? CODEGEN_AVX2 : CODEGEN_SSE2;
#else
  return CODEGEN_NONE;
#endif
}

const char *codegen_level_name(codegen_level_t level) {
  static const char *const NAMES[] = {"none", "SSE2", "AVX2", "AVX-512"};
  return level <= CODEGEN_AVX512 ? NAMES[level] : "none";
}

// --- the compiler thread

static double cpu_time_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void stop_compiler_thread(void);

static uint64_t resident_bytes(void) {
  unsigned long all = 0, resident = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  bool is_read = f && fscanf(f, "%lu %lu", &all, &resident) == 2;
  if (f)
    fclose(f);
  return is_read ? (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

// For --stats, adds the memory by which the process has grown since `before`: loading LLVM and compiling cause this
// growth.
static void add_memory_growth(uint64_t before) {
  uint64_t now = resident_bytes();
  pthread_mutex_lock(&me.lock);
  me.statistics.compiler_bytes += now > before ? now - before : 0;
  pthread_mutex_unlock(&me.lock);
}

static bool open_compiler(codegen_code_t *c) {
  if (me.ends_before_llvm)
    return true;
  uint64_t before = resident_bytes();
  double begun = cpu_time_ms();
  bool opened = llvm_open(&c->why);
  pthread_mutex_lock(&me.lock);
  me.statistics.is_missing = !opened;
  pthread_mutex_unlock(&me.lock);
  if (!opened)
    return false;
  me.ends_before_llvm = atexit(stop_compiler_thread) == 0;
  add_memory_growth(before);
  pthread_mutex_lock(&me.lock);
  me.statistics.open_ms = cpu_time_ms() - begun;
  pthread_mutex_unlock(&me.lock);
  return true;
}

static void *compile_code(codegen_code_t *c, size_t *size) {
  uint64_t before = resident_bytes();
  double begun = cpu_time_ms();
  void *object = llvm_compile(c->text, c->length, FEATURES[c->level], size, &c->why);
  c->ms = cpu_time_ms() - begun;
  add_memory_growth(before);
  pthread_mutex_lock(&me.lock);
  me.statistics.compiled++;
  me.statistics.ms += c->ms;
  me.statistics.max_ms = c->ms > me.statistics.max_ms ? c->ms : me.statistics.max_ms;
  pthread_mutex_unlock(&me.lock);
  return object;
}

// Maps the object into executable memory. Returns false, with the reason in c->why, if this processor cannot run it or
// if it cannot be mapped.
static bool load_object(codegen_code_t *c, const void *object, size_t size) {
  if (me.keeps_objects)
    c->file = code_file_build(c->key, object, size, &c->file_bytes);
  if (c->level > codegen_best_level())
    return error_set(&c->why, "the code was compiled for another processor");
  return object_map(&c->object, object, size, "rows", &c->why);
}

static bool load_or_compile(codegen_code_t *c) {
  size_t size = 0;
  double begun = cpu_time_ms();
  void *object = code_cache_read(c->key, &size);
  c->cached = object && load_object(c, object, size);
  free(object);
  c->ms = cpu_time_ms() - begun;
  if (c->cached || c->file)
    return c->cached;
  if (!open_compiler(c))
    return false;
  object = compile_code(c, &size);
  bool loaded = object && load_object(c, object, size);
  if (loaded)
    code_cache_write(c->key, object, size, CODEGEN_CACHE_BYTES);
  llvm_free(object);
  return loaded;
}

static void set_state(codegen_code_t *c, codegen_state_t state) {
  pthread_mutex_lock(&me.lock);
  me.now = NULL;
  atomic_store_explicit(&c->state, (int)state, memory_order_release);
  pthread_cond_broadcast(&me.done);
  pthread_mutex_unlock(&me.lock);
}

static codegen_code_t *pop_next_request(void) {
  pthread_mutex_lock(&me.lock);
  while (!me.first && !me.is_stopping)
    pthread_cond_wait(&me.requested, &me.lock);
  codegen_code_t *c = me.is_stopping ? NULL : me.first;
  if (c) {
    me.first = c->queued;
    if (!me.first)
      me.last = &me.first;
  }
  me.now = c;
  pthread_mutex_unlock(&me.lock);
  return c;
}

// Handler for LLVM's fatal errors, which would otherwise terminate the process. Refuses the code being compiled and all
// queued code, and blocks the compiler thread forever; no more code is compiled.
static void refuse_all_code(const char *why) {
  codegen_code_t *c = me.now;
  pthread_mutex_lock(&me.lock);
  me.broken = true;
  for (codegen_code_t *rest = me.first; rest; rest = rest->queued) {
    error_set(&rest->why, "LLVM failed earlier in this process");
    atomic_store_explicit(&rest->state, CODEGEN_REFUSED, memory_order_release);
  }
  me.first = NULL;
  me.last = &me.first;
  pthread_mutex_unlock(&me.lock);
  if (c) {
    error_set(&c->why, "LLVM failed: %s", why);
    set_state(c, CODEGEN_REFUSED);
  }
  for (;;)
    pause();
}

static void *run_compiler_thread(void *unused) {
  (void)unused;
  llvm_set_fatal_handler(refuse_all_code);
  for (codegen_code_t *c; (c = pop_next_request());) {
    bool loaded = load_or_compile(c);
    free(c->text);
    c->text = NULL;
    set_state(c, loaded ? CODEGEN_READY : CODEGEN_REFUSED);
  }
  return NULL;
}

// --- the main thread

static void mark_forked_child(void) {
  me.in_child = true;
}

// Exit handler, which must run before LLVM's destructors. Exit handlers run in reverse order of registration, so this
// one is registered again after LLVM is loaded.
static void stop_compiler_thread(void) {
  if (!me.started || me.in_child || pthread_equal(pthread_self(), me.thread))
    return;
  pthread_mutex_lock(&me.lock);
  me.is_stopping = true;
  bool broken = me.broken;
  pthread_cond_signal(&me.requested);
  pthread_mutex_unlock(&me.lock);
  if (!broken)
    pthread_join(me.thread, NULL);
  me.started = false;
}

static bool start_compiler_thread(void) {
  me.last = &me.first;
  bool started = thread_start(&me.thread, run_compiler_thread, NULL);
  if (started) {
    pthread_atfork(NULL, NULL, mark_forked_child);
    atexit(stop_compiler_thread);
  }
  return started;
}

static void enqueue_code(codegen_code_t *c) {
  if (!me.started && !me.failed && !me.in_child) {
    me.started = start_compiler_thread();
    me.failed = !me.started;
  }
  if (!me.started || me.in_child) {
    error_set(&c->why, "the compiler thread is not running");
    atomic_store(&c->state, CODEGEN_REFUSED);
    return;
  }
  pthread_mutex_lock(&me.lock);
  if (me.broken) {
    error_set(&c->why, "LLVM failed earlier in this process");
    atomic_store(&c->state, CODEGEN_REFUSED);
  } else {
    *me.last = c;
    me.last = &c->queued;
    pthread_cond_signal(&me.requested);
  }
  pthread_mutex_unlock(&me.lock);
}

static void destroy_code(codegen_code_t *c) {
  object_unmap(&c->object);
  free(c->file);
  free(c->text);
  free(c);
}

// Destroys the oldest unused entries until at most MAX_SPARE are left. New entries are inserted at the front of the
// list.
static void destroy_unused_code(void) {
  uint32_t spare = 0;
  for (codegen_code_t **at = &me.all; *at;) {
    codegen_code_t *c = *at;
    if (c->users > 0 || c->file || codegen_state(c) == CODEGEN_WAITS || ++spare <= MAX_SPARE) {
      at = &c->next;
      continue;
    }
    *at = c->next;
    destroy_code(c);
  }
}

static codegen_code_t *find_code(code_key_t key) {
  for (codegen_code_t *c = me.all; c; c = c->next)
    if (c->key.a == key.a && c->key.b == key.b)
      return c;
  return NULL;
}

static bool load_packaged_object(codegen_code_t *c) {
  size_t size = 0;
  void *object = c->level <= codegen_best_level() ? code_package_read(c->key, &size) : NULL;
  c->packaged = object && object_map(&c->object, object, size, "rows", &c->why);
  free(object);
  if (c->packaged)
    atomic_store(&c->state, CODEGEN_READY);
  return c->packaged;
}

codegen_code_t *codegen_request_code(const char *text, size_t length, codegen_level_t level) {
  shoal_assert(length > 0 && length <= CODEGEN_MAX_TEXT, "IR of %zu bytes is empty or too large", length);
  shoal_assert(level > CODEGEN_NONE && level <= CODEGEN_AVX512, "level %d is out of range", (int)level);
  code_key_t key = code_key(text, length, FEATURES[level]);
  codegen_code_t *c = find_code(key);
  if (c) {
    c->users++;
    return c;
  }
  destroy_unused_code();
  c = calloc(1, sizeof *c);
  char *copy = malloc(length);
  if (!c || !copy)
    abort();
  memcpy(copy, text, length);
  *c = (codegen_code_t){.key = key, .level = level, .users = 1, .text = copy, .length = length, .next = me.all};
  me.all = c;
  if (!load_packaged_object(c))
    enqueue_code(c);
  return c;
}

void codegen_release_code(codegen_code_t *c) {
  shoal_assert(!c || c->users > 0, "code was released more often than requested");
  if (c)
    c->users--;
}

codegen_state_t codegen_state(const codegen_code_t *c) {
  return (codegen_state_t)atomic_load_explicit(&c->state, memory_order_acquire);
}

codegen_state_t codegen_wait_until_done(const codegen_code_t *c) {
  if (codegen_state(c) != CODEGEN_WAITS || me.in_child)
    return codegen_state(c);
  pthread_mutex_lock(&me.lock);
  while (codegen_state(c) == CODEGEN_WAITS)
    pthread_cond_wait(&me.done, &me.lock);
  pthread_mutex_unlock(&me.lock);
  return codegen_state(c);
}

void *codegen_entry(const codegen_code_t *c) {
  shoal_assert(codegen_state(c) == CODEGEN_READY, "code must be ready");
  return c->object.entry;
}

const char *codegen_refusal(const codegen_code_t *c) {
  return codegen_state(c) == CODEGEN_REFUSED ? c->why.text : "";
}

bool codegen_is_cached(const codegen_code_t *c) {
  return c->cached;
}

double codegen_compile_ms(const codegen_code_t *c) {
  return c->ms;
}

codegen_statistics_t codegen_statistics(void) {
  pthread_mutex_lock(&me.lock);
  codegen_statistics_t out = me.statistics;
  pthread_mutex_unlock(&me.lock);
  for (const codegen_code_t *c = me.all; c; c = c->next)
    out.code_bytes += codegen_state(c) == CODEGEN_READY ? c->object.size_bytes : 0;
  return out;
}

bool codegen_is_packaged(const codegen_code_t *c) {
  return c->packaged;
}

void codegen_stop_thread(void) {
  stop_compiler_thread();
}

// --- for packages

void codegen_enable_object_files(void) {
  me.keeps_objects = true;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(((const codegen_object_t *)a)->name, ((const codegen_object_t *)b)->name);
}

uint32_t codegen_object_count(void) {
  uint32_t count = 0;
  for (codegen_code_t *c = me.all; c; c = c->next)
    count += codegen_state(c) != CODEGEN_WAITS && c->file;
  return count;
}

_Static_assert(sizeof(((codegen_object_t *)0)->name) == CODE_NAME_BYTES, "names of objects must fit CODE_NAME_BYTES");

uint32_t codegen_list_objects(codegen_object_t *out, uint32_t max) {
  uint32_t count = 0;
  for (codegen_code_t *c = me.all; c && count < max; c = c->next)
    if (codegen_state(c) != CODEGEN_WAITS && c->file) {
      code_file_format_name(c->key, out[count].name);
      out[count].bytes = c->file;
      out[count++].size_bytes = c->file_bytes;
    }
  qsort(out, count, sizeof *out, compare_names);
  return count;
}
