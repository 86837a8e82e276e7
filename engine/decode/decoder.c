// One shared mapping for each decoder: a header in which the child says how it went, and the decoded bytes.
#include "decode/decoder.h"

#include "base/assert.h"
#include "decode/sandbox.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

typedef enum state_t { STATE_RUNS, STATE_DONE, STATE_REFUSED } state_t;

typedef struct head_t {
  _Alignas(64) uint32_t state;
  uint64_t out_bytes;
  char why[DECODER_WHY_BYTES];
} head_t;

typedef struct start_t {
  const decoder_desc_t *desc;
  head_t *head;
} start_t;

// The pipe carries nothing: closing it ends the wait.
static void run_child(void *context, int to) {
  const start_t *start = context;
  const decoder_desc_t *d = start->desc;
  head_t *head = start->head;
  error_t why = {0};
  decode_job_t job = {
      .in = d->in, .in_bytes = d->in_bytes, .out = (uint8_t *)(head + 1), .out_bytes = d->out_bytes, .why = &why};
  sandbox_limit_memory(DECODER_MEMORY_MB);
  if (d->prepare)
    d->prepare();
  sandbox_enter(to, DECODER_CPU_S(d->limit_ms));
  bool good = d->decode(&job);
  snprintf(head->why, sizeof head->why, "%.*s", (int)sizeof head->why - 1, why.text);
  head->out_bytes = job.out_bytes;
  head->state = good ? STATE_DONE : STATE_REFUSED;
}

bool decoder_begin(decoder_t *d, const decoder_desc_t *desc, error_t *error) {
  shoal_assert(desc->decode && desc->limit_ms > 0, "a decoder needs a function and a time limit");
  *d = (decoder_t){.shared_bytes = sizeof(head_t) + desc->out_bytes, .out_bytes = desc->out_bytes};
  void *shared = mmap(NULL, d->shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (shared == MAP_FAILED)
    return error_set(error, "out of memory (%zu MB)", d->shared_bytes >> 20);
  d->shared = shared;
  start_t start = {.desc = desc, .head = shared};
  d->runs = child_begin(&d->child, desc->limit_ms, run_child, &start);
  if (d->runs)
    return true;
  decoder_free(d);
  return error_set(error, "the system cannot start a decoder process");
}

bool decoder_is_done(decoder_t *d) {
  return !d->runs || child_has_news(&d->child);
}

bool decoder_ended_well(const child_t *c, error_t *error) {
  int number = 0;
  if (c->interrupted)
    return error_set(error, "the program was asked to end");
  if (c->late)
    return error_set(error, "decoding it took more than %u ms", c->limit_ms);
  return !child_crashed(c, &number) || error_set(error, "its decoder crashed (signal %d)", number);
}

static bool went_well(const decoder_t *d, error_t *error) {
  head_t *head = d->shared;
  head->why[sizeof head->why - 1] = '\0';
  if (!decoder_ended_well(&d->child, error))
    return false;
  if (head->state == STATE_RUNS)
    return error_set(error, "its decoder exited with status %d", child_exit_code(&d->child));
  if (head->state != STATE_DONE || head->out_bytes > d->out_bytes)
    return error_set(error, "%s", head->why[0] ? head->why : "it is broken");
  return true;
}

const uint8_t *decoder_end(decoder_t *d, size_t *out_bytes, error_t *error) {
  shoal_assert(d->shared, "decoder_end without decoder_begin");
  if (d->runs)
    child_end(&d->child);
  d->runs = false;
  if (!went_well(d, error))
    return NULL;
  const head_t *head = d->shared;
  *out_bytes = (size_t)head->out_bytes;
  return (const uint8_t *)(head + 1);
}

void decoder_free(decoder_t *d) {
  if (d->runs)
    child_kill(&d->child);
  if (d->shared)
    munmap(d->shared, d->shared_bytes);
  *d = (decoder_t){0};
}
