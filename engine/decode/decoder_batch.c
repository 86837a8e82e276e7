// A queue of files, the child that decodes them, and the memory that both processes see. The child reports each result
// through its pipe: whether it succeeded, and where its bytes are.
#include "decode/decoder_batch.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/files.h"
#include "decode/sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ALIGNMENT 64u // of a result's bytes

typedef enum state_t { STATE_DONE, STATE_REFUSED, STATE_NEEDS_ROOM, STATE_LOST } state_t;

// Goes through the pipe. A malicious file may have taken over the process that wrote it.
typedef struct report_t {
  uint32_t state;
  uint64_t at, bytes;
  char why[DECODER_WHY_BYTES];
} report_t;

typedef struct item_t {
  uint64_t id;
  char *path;
  bool is_trusted;
  report_t report;
} item_t;

// at ≤ known ≤ items.count: results of [0, at) were returned, those of [at, known) can be, the child is at `known`.
struct decoder_batch_o {
  decoder_batch_desc_t desc;
  allocator_t memory;
  ARRAY(item_t) items;
  uint32_t at, known, first; // first: of this child
  uint32_t end;              // the child was given those before it
  uint32_t children;
  bool runs;
  child_t child;
  uint8_t *shared; // may be NULL
};

decoder_batch_o *decoder_batch_create(const decoder_batch_desc_t *desc) {
  shoal_assert(desc->decode && desc->limit_ms > 0 && desc->room_bytes > 0, "a batch needs a decoder, time and room");
  decoder_batch_o *b = calloc(1, sizeof *b);
  if (!b)
    abort();
  b->desc = *desc;
  return b;
}

static void free_shared(decoder_batch_o *b) {
  if (b->shared)
    munmap(b->shared, b->desc.room_bytes);
  b->shared = NULL;
}

void decoder_batch_clear(decoder_batch_o *b) {
  if (b->runs)
    child_kill(&b->child);
  b->runs = false;
  free_shared(b);
  for (uint32_t i = 0; i < b->items.count; ++i)
    free(b->items.items[i].path);
  array_free(&b->memory, &b->items);
  b->at = b->known = b->first = b->end = 0;
}

void decoder_batch_destroy(decoder_batch_o *b) {
  if (!b)
    return;
  decoder_batch_clear(b);
  free(b);
}

void decoder_batch_add(decoder_batch_o *b, uint64_t id, const char *path, bool is_trusted) {
  shoal_assert(path && path[0], "a file without a path");
  item_t item = {.id = id, .path = strdup(path), .is_trusted = is_trusted};
  if (!item.path)
    abort();
  array_push(&b->memory, &b->items, item);
}

uint32_t decoder_batch_left(const decoder_batch_o *b) {
  return b->items.count - b->at;
}

uint32_t decoder_batch_children(const decoder_batch_o *b) {
  return b->children;
}

// ------------------------------------------------------------------------------------------------------- in the child

typedef struct file_t {
  char *bytes; // NULL: it cannot be read
  size_t size_bytes;
  allocator_t memory;
  error_t why;
} file_t;

// The message names no path: the caller puts it in front.
static file_t load_file(const char *path) {
  error_t why = {0};
  file_t file = {0};
  size_t length = strlen(path);
  file.bytes = file_read(&file.memory, path, &file.size_bytes, &why);
  bool named = strncmp(why.text, path, length) == 0 && strncmp(why.text + length, ": ", 2) == 0;
  error_set(&file.why, "%s", named ? why.text + length + 2 : why.text);
  return file;
}

static bool decode_file(const decoder_batch_o *b, const file_t *file, size_t used, report_t *report) {
  error_t why = file->why;
  decode_job_t job = {.in = file->bytes,
                      .in_bytes = file->size_bytes,
                      .out = b->shared + used,
                      .out_bytes = b->desc.room_bytes - used,
                      .why = &why};
  bool good = file->bytes && b->desc.decode(&job);
  memset(report, 0, sizeof *report);
  report->state = good ? STATE_DONE : job.needs_room ? STATE_NEEDS_ROOM : STATE_REFUSED;
  report->at = used;
  report->bytes = good ? job.out_bytes : 0;
  snprintf(report->why, sizeof report->why, "%.*s", (int)sizeof report->why - 1, why.text);
  return good;
}

// Returns the number of files read.
static uint32_t load_files(const decoder_batch_o *b, file_t *files) {
  uint32_t count = 0, left = b->items.count - b->known;
  for (size_t bytes = 0; count < left && bytes < DECODER_BATCH_LOAD_BYTES; ++count) {
    files[count] = load_file(b->items.items[b->known + count].path);
    bytes += files[count].size_bytes;
  }
  return count;
}

static void run_child(void *context, int to) {
  const decoder_batch_o *b = context;
  size_t used = 0;
  bool good = true;
  sandbox_limit_memory(DECODER_MEMORY_MB);
  file_t *files = calloc(b->items.count - b->known, sizeof *files);
  if (!files)
    return;
  uint32_t count = load_files(b, files);
  if (b->desc.prepare)
    b->desc.prepare();
  sandbox_enter(to, DECODER_CPU_S(b->desc.limit_ms) * count);
  for (uint32_t i = 0; i < count && good; ++i) {
    report_t report;
    child_go_on(b->desc.limit_ms);
    good = decode_file(b, &files[i], used, &report);
    child_say(to, &report, sizeof report);
    used += (report.bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    good = good && used < b->desc.room_bytes;
  }
  free(files); // the child ends, and the files with it
}

// -------------------------------------------------------------------------------------------------------- this process

static void lose(decoder_batch_o *b, const char *why) {
  report_t *report = &b->items.items[b->known++].report;
  report->state = STATE_LOST;
  snprintf(report->why, sizeof report->why, "%.*s", (int)sizeof report->why - 1, why);
}

// All of the shared memory is this file's until the next result is requested.
static void decode_here(decoder_batch_o *b) {
  file_t file = load_file(b->items.items[b->known].path);
  report_t report;
  decode_file(b, &file, 0, &report);
  file_free(&file.memory, file.bytes, file.size_bytes);
  if (report.state == STATE_NEEDS_ROOM)
    lose(b, "it is too large");
  else
    b->items.items[b->known++].report = report;
}

static void begin(decoder_batch_o *b) {
  const item_t *item = &b->items.items[b->known];
  free_shared(b);
  void *shared =
      mmap(NULL, b->desc.room_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (shared == MAP_FAILED) {
    lose(b, "out of memory");
    return;
  }
  b->shared = shared;
  if (item->is_trusted) {
    decode_here(b);
    return;
  }
  b->first = b->known;
  b->end = b->items.count;
  b->runs = child_begin(&b->child, b->desc.limit_ms, run_child, b);
  b->children += b->runs;
  if (!b->runs)
    lose(b, "the system cannot start a decoder process");
}

static void end(decoder_batch_o *b) {
  child_end(&b->child);
  b->runs = false;
}

// The child has ended, or was late, before it reported the file that it is at.
static void take_end(decoder_batch_o *b) {
  error_t why;
  end(b);
  if (b->child.interrupted) {
    while (b->known < b->items.count)
      lose(b, "the program was asked to end");
    return;
  }
  if (b->known > b->first)
    return; // this file is the first of the next child
  if (decoder_ended_well(&b->child, &why))
    error_set(&why, "its decoder exited with status %d", child_exit_code(&b->child));
  lose(b, why.text);
}

static bool is_valid(const decoder_batch_o *b, report_t *report) {
  report->why[sizeof report->why - 1] = '\0';
  return report->state <= STATE_NEEDS_ROOM && report->at <= b->desc.room_bytes &&
         report->bytes <= b->desc.room_bytes - report->at;
}

// Waits for the child's next report, or its end.
static void take_report(decoder_batch_o *b) {
  report_t report;
  if (!child_hear(&b->child, &report, sizeof report)) {
    take_end(b);
    return;
  }
  bool is_first = b->known == b->first, valid = is_valid(b, &report);
  if (!valid)
    lose(b, "it is broken");
  else if (report.state != STATE_NEEDS_ROOM)
    b->items.items[b->known++].report = report;
  else if (is_first)
    lose(b, "it is too large");
  if (!valid || report.state != STATE_DONE || b->known == b->end ||
      report.at + (report.bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT >= b->desc.room_bytes)
    end(b);
  else
    child_renew(&b->child);
}

static void return_result(decoder_batch_o *b, decoder_result_t *out) {
  shoal_assert(b->at < b->known && b->known <= b->items.count, "result %u of %u known", b->at, b->known);
  const item_t *item = &b->items.items[b->at++];
  const report_t *report = &item->report;
  bool done = report->state == STATE_DONE;
  *out = (decoder_result_t){.id = item->id, .refused = report->state == STATE_REFUSED};
  out->out = done ? b->shared + report->at : NULL;
  out->out_bytes = done ? (size_t)report->bytes : 0;
  if (!done)
    error_set(&out->why, "%s", report->why[0] ? report->why : "it is broken");
}

bool decoder_batch_next(decoder_batch_o *b, bool wait, decoder_result_t *out) {
  for (;;) {
    while (b->runs && child_has_news(&b->child))
      take_report(b);
    if (b->at < b->known) {
      return_result(b, out);
      return true;
    }
    if (b->at == b->items.count) {
      decoder_batch_clear(b);
      return false;
    }
    if (!b->runs)
      begin(b);
    else if (wait)
      take_report(b);
    else
      return false;
  }
}
