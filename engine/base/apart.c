// One shared mapping for each piece of work: a head in which the copy says how it went, and the bytes that it leaves.
#include "base/apart.h"

#include "base/assert.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

typedef enum state_t { STATE_RUNS, STATE_DONE, STATE_REFUSED } state_t;

typedef struct head_t {
  _Alignas(64) uint32_t state;
  uint64_t out_bytes;
  char why[APART_WHY_BYTES];
} head_t;

typedef struct order_t {
  const apart_desc_t *desc;
  head_t *head;
} order_t;

// So many bytes more than there are now: what a sanitizer has set aside is there already.
void apart_limit_memory(void) {
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file)
    return;
  if (fscanf(file, "%lu", &pages) == 1) {
    rlim_t most = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)APART_MEMORY_MB << 20);
    setrlimit(RLIMIT_AS, &(struct rlimit){most, most});
  }
  fclose(file);
}

static void run_copy(void *context, int to) {
  const order_t *order = context;
  const apart_desc_t *d = order->desc;
  head_t *head = order->head;
  error_t why = {0};
  apart_work_t work = {
      .in = d->in, .in_bytes = d->in_bytes, .out = (uint8_t *)(head + 1), .out_bytes = d->out_bytes, .why = &why};
  (void)to; // closing it says that it is over
  apart_limit_memory();
  bool good = d->work(&work);
  snprintf(head->why, sizeof head->why, "%.*s", (int)sizeof head->why - 1, why.text);
  head->out_bytes = work.out_bytes;
  head->state = good ? STATE_DONE : STATE_REFUSED;
}

bool apart_begin(apart_t *a, const apart_desc_t *desc, error_t *error) {
  shoal_assert(desc->work && desc->limit_ms > 0, "work apart without work, or without time");
  *a = (apart_t){.shared_bytes = sizeof(head_t) + desc->out_bytes, .out_bytes = desc->out_bytes};
  void *shared = mmap(NULL, a->shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (shared == MAP_FAILED)
    return error_set(error, "there is no memory for %zu MB", a->shared_bytes >> 20);
  a->shared = shared;
  order_t order = {.desc = desc, .head = shared};
  a->runs = child_begin(&a->child, desc->limit_ms, run_copy, &order);
  if (a->runs)
    return true;
  apart_free(a);
  return error_set(error, "the system refuses a copy of the process to read it in");
}

bool apart_is_done(apart_t *a) {
  return !a->runs || child_has_news(&a->child);
}

bool apart_ended_well(const child_t *c, error_t *error) {
  int number = 0;
  if (c->interrupted)
    return error_set(error, "the program was asked to end");
  if (c->late)
    return error_set(error, "reading it did not come to an end within %u ms", c->limit_ms);
  return !child_crashed(c, &number) || error_set(error, "what reads it crashed (signal %d)", number);
}

static bool went_well(const apart_t *a, error_t *error) {
  head_t *head = a->shared;
  head->why[sizeof head->why - 1] = '\0';
  if (!apart_ended_well(&a->child, error))
    return false;
  if (head->state == STATE_RUNS)
    return error_set(error, "what reads it ended the program (status %d)", child_exit_code(&a->child));
  if (head->state != STATE_DONE || head->out_bytes > a->out_bytes)
    return error_set(error, "%s", head->why[0] ? head->why : "it is broken");
  return true;
}

const uint8_t *apart_end(apart_t *a, size_t *out_bytes, error_t *error) {
  shoal_assert(a->shared, "the end of work apart that was not begun");
  if (a->runs)
    child_end(&a->child);
  a->runs = false;
  if (!went_well(a, error))
    return NULL;
  const head_t *head = a->shared;
  *out_bytes = (size_t)head->out_bytes;
  return (const uint8_t *)(head + 1);
}

void apart_free(apart_t *a) {
  if (a->runs)
    child_kill(&a->child);
  if (a->shared)
    munmap(a->shared, a->shared_bytes);
  *a = (apart_t){0};
}
