// The compiler thread, its queue, and the list of all compiled code, which is looked up by source.
#include "native/codegen.h"

#include "base/assert.h"
#include "base/now.h"
#include "base/pages.h"
#include "process/threads.h"
#include "native/code_cache.h"
#include "native/llvm.h"
#include "native/object_file.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_UNUSED_CODE 256u // maximum number of unused list entries that are kept for the next reload

struct codegen_code_t {
  code_key_t key;
  codegen_level_t level;
  uint32_t user_count;
  char *text; // IR; NULL once compiled (freed by the compiler thread)
  size_t length;
  _Atomic int state; // codegen_state_t; written last, after all results
  object_t object;
  bool cached, packaged;
  bool has_failed; // true if LLVM failed, now or earlier, or the object could not be mapped
  uint8_t *file;   // the object as a file for packages; NULL unless objects are kept
  size_t file_bytes;
  double ms;
  error_info_t error;
  codegen_code_t *next;        // next code in the list of all compiled code
  codegen_code_t *next_queued; // next code in the queue
};

// State of the process, which has a single compiler thread. `list` belongs to the main thread; the queue is shared and
// guarded by `lock`.
static struct {
  codegen_code_t *list;
  pthread_t thread;
  bool started, failed;
  bool is_forked_child; // true in a forked child, which has no compiler thread
  pthread_mutex_t lock;
  pthread_cond_t requested, finished;
  codegen_code_t *queue_head, **queue_tail;
  bool is_stopping, broken;
  bool keeps_objects;
  // True if stop_compiler_thread is registered to run before LLVM's destructors; compiler thread only
  bool exit_handler_registered;
  codegen_statistics_t statistics;
  codegen_code_t *current;
} compiler = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .requested = PTHREAD_COND_INITIALIZER, .finished = PTHREAD_COND_INITIALIZER};

// Every processor with AVX2 also has BMI and POPCNT, but a virtual machine may hide them.
#define AVX2_FEATURES "+avx2,+bmi,+popcnt"
static const char *const FEATURES[] = {[CODEGEN_NONE] = "",
                                       [CODEGEN_SSE2] = "",
                                       [CODEGEN_AVX2] = AVX2_FEATURES,
                                       [CODEGEN_AVX512] = AVX2_FEATURES ",+avx512f,+avx512bw,+avx512dq,+avx512vl"};

codegen_level_t codegen_best_level(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
  if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return CODEGEN_AVX512;
  return has_avx2 ? CODEGEN_AVX2 : CODEGEN_SSE2;
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
  return (double)now_thread_ns() / NS_PER_MS;
}

static void stop_compiler_thread(void);

// For --stats, adds the memory by which the process has grown beyond `previous_bytes`: loading LLVM and compiling cause
// this growth.
static void add_memory_growth(uint64_t previous_bytes) {
  uint64_t bytes = pages_resident_bytes();
  pthread_mutex_lock(&compiler.lock);
  compiler.statistics.compiler_bytes += bytes > previous_bytes ? bytes - previous_bytes : 0;
  pthread_mutex_unlock(&compiler.lock);
}

static bool open_compiler(codegen_code_t *code) {
  if (compiler.exit_handler_registered)
    return true;
  uint64_t previous_bytes = pages_resident_bytes();
  double start_ms = cpu_time_ms();
  bool opened = llvm_open(&code->error);
  pthread_mutex_lock(&compiler.lock);
  compiler.statistics.is_missing = !opened;
  pthread_mutex_unlock(&compiler.lock);
  if (!opened)
    return false;
  compiler.exit_handler_registered = atexit(stop_compiler_thread) == 0;
  add_memory_growth(previous_bytes);
  pthread_mutex_lock(&compiler.lock);
  compiler.statistics.open_ms = cpu_time_ms() - start_ms;
  pthread_mutex_unlock(&compiler.lock);
  return true;
}

static void *compile_code(codegen_code_t *code, size_t *size) {
  uint64_t previous_bytes = pages_resident_bytes();
  double start_ms = cpu_time_ms();
  void *object = llvm_compile(code->text, code->length, FEATURES[code->level], size, &code->error);
  code->ms = cpu_time_ms() - start_ms;
  add_memory_growth(previous_bytes);
  pthread_mutex_lock(&compiler.lock);
  compiler.statistics.compiled++;
  compiler.statistics.ms += code->ms;
  compiler.statistics.max_ms = code->ms > compiler.statistics.max_ms ? code->ms : compiler.statistics.max_ms;
  pthread_mutex_unlock(&compiler.lock);
  return object;
}

// Maps the object into executable memory. Returns true on success, or false, with the reason in code->error, if this
// processor cannot run it or if it cannot be mapped.
static bool load_object(codegen_code_t *code, const void *object, size_t size) {
  if (compiler.keeps_objects)
    code->file = code_file_build(code->key, object, size, &code->file_bytes);
  if (code->level > codegen_best_level())
    return error_set(&code->error, "the code was compiled for a different processor");
  return object_map(&code->object, object, size, "rows", &code->error);
}

static bool load_or_compile(codegen_code_t *code) {
  size_t size = 0;
  double start_ms = cpu_time_ms();
  void *object = code_cache_read(code->key, &size);
  code->cached = object && load_object(code, object, size);
  free(object);
  code->ms = cpu_time_ms() - start_ms;
  if (code->cached || code->file)
    return code->cached;
  if (!open_compiler(code))
    return false;
  object = compile_code(code, &size);
  bool loaded = object && load_object(code, object, size);
  code->has_failed = !loaded && (!object || code->level <= codegen_best_level());
  if (loaded)
    code_cache_write(code->key, object, size, CODEGEN_CACHE_BYTES);
  llvm_free(object);
  return loaded;
}

static void set_state(codegen_code_t *code, codegen_state_t state) {
  pthread_mutex_lock(&compiler.lock);
  compiler.current = NULL;
  atomic_store_explicit(&code->state, (int)state, memory_order_release);
  pthread_cond_broadcast(&compiler.finished);
  pthread_mutex_unlock(&compiler.lock);
}

static codegen_code_t *pop_next_request(void) {
  pthread_mutex_lock(&compiler.lock);
  while (!compiler.queue_head && !compiler.is_stopping)
    pthread_cond_wait(&compiler.requested, &compiler.lock);
  codegen_code_t *code = compiler.is_stopping ? NULL : compiler.queue_head;
  if (code) {
    compiler.queue_head = code->next_queued;
    if (!compiler.queue_head)
      compiler.queue_tail = &compiler.queue_head;
  }
  compiler.current = code;
  pthread_mutex_unlock(&compiler.lock);
  return code;
}

// Handler for LLVM's fatal errors, which would otherwise terminate the process. Refuses the code being compiled and all
// queued code, and blocks the compiler thread forever; no more code is compiled.
static void refuse_all_code(const char *message) {
  codegen_code_t *code = compiler.current;
  pthread_mutex_lock(&compiler.lock);
  compiler.broken = true;
  for (codegen_code_t *queued = compiler.queue_head; queued; queued = queued->next_queued) {
    error_set(&queued->error, "LLVM failed earlier in this process");
    queued->has_failed = true;
    atomic_store_explicit(&queued->state, CODEGEN_REFUSED, memory_order_release);
  }
  compiler.queue_head = NULL;
  compiler.queue_tail = &compiler.queue_head;
  pthread_mutex_unlock(&compiler.lock);
  if (code) {
    error_set(&code->error, "LLVM failed: %s", message);
    code->has_failed = true;
    set_state(code, CODEGEN_REFUSED);
  }
  for (;;)
    now_sleep_ns(1000 * (int64_t)NS_PER_MS);
}

static void *run_compiler_thread(void *unused) {
  (void)unused;
  llvm_set_fatal_handler(refuse_all_code);
  for (codegen_code_t *code; (code = pop_next_request());) {
    bool loaded = load_or_compile(code);
    free(code->text);
    code->text = NULL;
    set_state(code, loaded ? CODEGEN_READY : CODEGEN_REFUSED);
  }
  return NULL;
}

// --- the main thread

static void mark_forked_child(void) {
  compiler.is_forked_child = true;
}

// Exit handler, which must run before LLVM's destructors. Exit handlers run in reverse order of registration, so this
// handler is registered again after LLVM is loaded.
static void stop_compiler_thread(void) {
  if (!compiler.started || compiler.is_forked_child || pthread_equal(pthread_self(), compiler.thread))
    return;
  pthread_mutex_lock(&compiler.lock);
  compiler.is_stopping = true;
  bool broken = compiler.broken;
  pthread_cond_signal(&compiler.requested);
  pthread_mutex_unlock(&compiler.lock);
  if (broken)
    return; // the thread never ends
  pthread_join(compiler.thread, NULL);
  compiler.started = false;
}

// Starts the thread, which first compiles the requests that an earlier thread has left in the queue.
static bool start_compiler_thread(void) {
  static bool handlers_registered;
  if (!compiler.queue_tail)
    compiler.queue_tail = &compiler.queue_head;
  compiler.is_stopping = false;
  bool started = thread_start(&compiler.thread, run_compiler_thread, NULL);
  if (started && !handlers_registered) {
    threads_at_fork(mark_forked_child);
    handlers_registered = atexit(stop_compiler_thread) == 0;
  }
  return started;
}

static void enqueue_code(codegen_code_t *code) {
  if (!compiler.started && !compiler.failed && !compiler.is_forked_child) {
    compiler.started = start_compiler_thread();
    compiler.failed = !compiler.started;
  }
  if (!compiler.started || compiler.is_forked_child) {
    error_set(&code->error, "the compiler thread is not running");
    atomic_store(&code->state, CODEGEN_REFUSED);
    return;
  }
  pthread_mutex_lock(&compiler.lock);
  if (compiler.broken) {
    error_set(&code->error, "LLVM failed earlier in this process");
    code->has_failed = true;
    atomic_store(&code->state, CODEGEN_REFUSED);
  } else {
    *compiler.queue_tail = code;
    compiler.queue_tail = &code->next_queued;
    pthread_cond_signal(&compiler.requested);
  }
  pthread_mutex_unlock(&compiler.lock);
}

static void destroy_code(codegen_code_t *code) {
  object_unmap(&code->object);
  free(code->file);
  free(code->text);
  free(code);
}

// Destroys the oldest unused entries until at most MAX_UNUSED_CODE remain. New entries are inserted at the front of the
// list.
static void destroy_unused_code(void) {
  uint32_t unused_count = 0;
  for (codegen_code_t **link = &compiler.list; *link;) {
    codegen_code_t *code = *link;
    if (code->user_count > 0 || code->file || codegen_state(code) == CODEGEN_PENDING ||
        ++unused_count <= MAX_UNUSED_CODE) {
      link = &code->next;
      continue;
    }
    *link = code->next;
    destroy_code(code);
  }
}

static codegen_code_t *find_code(code_key_t key) {
  for (codegen_code_t *code = compiler.list; code; code = code->next)
    if (code->key.high == key.high && code->key.low == key.low)
      return code;
  return NULL;
}

static bool load_packaged_object(codegen_code_t *code) {
  size_t size = 0;
  void *object = code->level <= codegen_best_level() ? code_package_read(code->key, &size) : NULL;
  code->packaged = object && object_map(&code->object, object, size, "rows", &code->error);
  free(object);
  if (code->packaged)
    atomic_store(&code->state, CODEGEN_READY);
  return code->packaged;
}

codegen_code_t *codegen_request_code(const char *text, size_t length, codegen_level_t level) {
  shoal_assert(length > 0 && length <= CODEGEN_MAX_TEXT, "IR of %zu bytes is empty or too large", length);
  shoal_assert(level > CODEGEN_NONE && level <= CODEGEN_AVX512, "level %d is out of range", (int)level);
  code_key_t key = code_key(text, length, FEATURES[level]);
  codegen_code_t *code = find_code(key);
  if (code) {
    code->user_count++;
    return code;
  }
  destroy_unused_code();
  code = calloc(1, sizeof *code);
  char *copy = malloc(length);
  if (!code || !copy)
    abort();
  memcpy(copy, text, length);
  *code = (codegen_code_t){
      .key = key, .level = level, .user_count = 1, .text = copy, .length = length, .next = compiler.list};
  compiler.list = code;
  if (!load_packaged_object(code))
    enqueue_code(code);
  return code;
}

void codegen_release_code(codegen_code_t *code) {
  shoal_assert(!code || code->user_count > 0, "code was released more often than requested");
  if (code)
    code->user_count--;
}

codegen_state_t codegen_state(const codegen_code_t *code) {
  return (codegen_state_t)atomic_load_explicit(&code->state, memory_order_acquire);
}

codegen_state_t codegen_wait_until_done(const codegen_code_t *code) {
  if (codegen_state(code) != CODEGEN_PENDING || compiler.is_forked_child)
    return codegen_state(code);
  pthread_mutex_lock(&compiler.lock);
  while (codegen_state(code) == CODEGEN_PENDING)
    pthread_cond_wait(&compiler.finished, &compiler.lock);
  pthread_mutex_unlock(&compiler.lock);
  return codegen_state(code);
}

void *codegen_entry(const codegen_code_t *code) {
  shoal_assert(codegen_state(code) == CODEGEN_READY, "code must be ready");
  return code->object.entry;
}

const char *codegen_refusal(const codegen_code_t *code) {
  return codegen_state(code) == CODEGEN_REFUSED ? code->error.text : "";
}

bool codegen_has_failed(const codegen_code_t *code) {
  return codegen_state(code) == CODEGEN_REFUSED && code->has_failed;
}

bool codegen_is_cached(const codegen_code_t *code) {
  return code->cached;
}

double codegen_compile_ms(const codegen_code_t *code) {
  return code->ms;
}

codegen_statistics_t codegen_statistics(void) {
  pthread_mutex_lock(&compiler.lock);
  codegen_statistics_t statistics = compiler.statistics;
  pthread_mutex_unlock(&compiler.lock);
  for (const codegen_code_t *code = compiler.list; code; code = code->next)
    statistics.code_bytes += codegen_state(code) == CODEGEN_READY ? code->object.size_bytes : 0;
  return statistics;
}

bool codegen_is_packaged(const codegen_code_t *code) {
  return code->packaged;
}

void codegen_stop_thread(void) {
  stop_compiler_thread();
}

// --- object files for packages

void codegen_enable_object_files(void) {
  compiler.keeps_objects = true;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(((const codegen_object_t *)a)->name, ((const codegen_object_t *)b)->name);
}

uint32_t codegen_object_count(void) {
  uint32_t count = 0;
  for (codegen_code_t *code = compiler.list; code; code = code->next)
    count += codegen_state(code) != CODEGEN_PENDING && code->file;
  return count;
}

_Static_assert(sizeof(((codegen_object_t *)0)->name) == CODE_NAME_BYTES, "names of objects must fit CODE_NAME_BYTES");

uint32_t codegen_list_objects(codegen_object_t *out, uint32_t max) {
  uint32_t count = 0;
  for (codegen_code_t *code = compiler.list; code && count < max; code = code->next)
    if (codegen_state(code) != CODEGEN_PENDING && code->file) {
      code_file_format_name(code->key, out[count].name);
      out[count].bytes = code->file;
      out[count++].size_bytes = code->file_bytes;
    }
  qsort(out, count, sizeof *out, compare_names);
  return count;
}
