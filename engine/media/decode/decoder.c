// Implements the decoder: a queue of files, the child process that decodes them, and shared memory for the results. For
// each file, the child sends a report through a pipe, with the outcome and the location of the result.
#include "decode/decoder.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/files.h"
#include "base/pages.h"
#include "decode/sandbox.h"
#include "process/child.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 64u // alignment of results in the shared memory
// CPU time limit per file in seconds; larger than `limit_ms`, so that the parent's limit applies first
#define CPU_S(limit_ms) ((limit_ms) / 1000 + 2)

typedef enum state_t { STATE_DONE, STATE_REJECTED, STATE_NEEDS_CAPACITY, STATE_FAILED } state_t;

// Report that a child sends through the pipe. Untrusted, because a malicious file may have taken control of the child.
typedef struct report_t {
  uint32_t state;
  uint64_t offset, bytes;
  char error[DECODER_ERROR_BYTES];
} report_t;

typedef struct item_t {
  uint64_t id;
  char *path; // path of the file; NULL if the caller has read the file into `bytes`
  const void *bytes;
  size_t size_bytes;
  bool is_trusted;
  report_t report;
} item_t;

// Always returned_count ≤ report_count ≤ items.count. Results of [0, returned_count) have been returned, and results of
// [returned_count, report_count) are ready. The child is decoding item `report_count`.
struct decoder_o {
  decoder_desc_t desc;
  allocator_t memory;
  ARRAY(item_t) items;
  uint32_t returned_count, report_count;
  uint32_t first, end; // index range of the current child's files
  uint32_t started_children;
  bool running;
  child_t child;
  decoder_memory_t *shared; // memory for the results of the current child or trusted file; may be NULL
};

struct decoder_memory_t {
  uint32_t reference_count;
  uint8_t *bytes;
  size_t size_bytes, used_bytes;
};

decoder_o *decoder_create(const decoder_desc_t *desc) {
  shoal_assert(desc->decode && desc->limit_ms > 0 && desc->capacity_bytes > 0,
               "a decoder must have a function, an output size and a time limit");
  decoder_o *d = alloc_object(sizeof *d);
  d->desc = *desc;
  return d;
}

// --- memory

static decoder_memory_t *allocate_memory(size_t size_bytes) {
  void *bytes = pages_map_shared(size_bytes);
  if (!bytes)
    return NULL;
  decoder_memory_t *memory = alloc_object(sizeof *memory);
  *memory = (decoder_memory_t){.reference_count = 1, .bytes = bytes, .size_bytes = size_bytes};
  return memory;
}

void decoder_release(decoder_memory_t *memory) {
  if (!memory || --memory->reference_count > 0)
    return;
  pages_release(memory->bytes, memory->size_bytes);
  free(memory);
}

decoder_memory_t *decoder_retain(decoder_o *d) {
  shoal_assert(d->shared, "no result to keep: decoder_next_result must return one first");
  ++d->shared->reference_count;
  return d->shared;
}

static size_t align_up(size_t bytes, size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// Releases the decoder's reference to the shared memory. No child may be writing to it. If the caller keeps the memory,
// its unused pages are returned to the system.
static void release_shared(decoder_o *decoder) {
  decoder_memory_t *memory = decoder->shared;
  decoder->shared = NULL;
  if (!memory)
    return;
  size_t used_bytes = align_up(memory->used_bytes > 0 ? memory->used_bytes : 1, pages_size());
  if (memory->reference_count > 1 && used_bytes < memory->size_bytes)
    pages_discard_shared(memory->bytes + used_bytes, memory->size_bytes - used_bytes);
  decoder_release(memory);
}

// --- the queue

void decoder_clear(decoder_o *decoder) {
  if (decoder->running)
    child_kill(&decoder->child);
  decoder->running = false;
  release_shared(decoder);
  for (uint32_t i = 0; i < decoder->items.count; ++i)
    alloc_free_text(&decoder->memory, decoder->items.items[i].path);
  array_free(&decoder->memory, &decoder->items);
  decoder->returned_count = decoder->report_count = decoder->first = decoder->end = 0;
}

void decoder_destroy(decoder_o *d) {
  if (!d)
    return;
  decoder_clear(d);
  free(d);
}

void decoder_add_file(decoder_o *d, uint64_t id, const char *path, bool is_trusted) {
  shoal_assert(path && path[0], "path must not be empty");
  item_t item = {.id = id, .path = alloc_copy_text(&d->memory, path), .is_trusted = is_trusted};
  array_push(&d->memory, &d->items, item);
}

void decoder_add_file_bytes(decoder_o *d, uint64_t id, const void *bytes, size_t size_bytes, bool is_trusted) {
  shoal_assert(bytes, "bytes must not be NULL (size %zu)", size_bytes);
  item_t item = {.id = id, .bytes = bytes, .size_bytes = size_bytes, .is_trusted = is_trusted};
  array_push(&d->memory, &d->items, item);
}

uint32_t decoder_pending_count(const decoder_o *d) {
  return d->items.count - d->returned_count;
}

uint32_t decoder_started_child_count(const decoder_o *d) {
  return d->started_children;
}

// --- child process

typedef struct file_t {
  const void *bytes; // content; NULL if the file cannot be read
  size_t size_bytes;
  char *owned_bytes; // buffer that was read and must be freed; NULL if `bytes` belongs to the caller
  allocator_t memory;
  error_info_t error;
} file_t;

// Reads the file, unless the caller of the decoder has already read it. The error message does not contain the path,
// which that caller adds.
static file_t load_file(const item_t *item) {
  error_info_t error = {0};
  file_t file = {.bytes = item->bytes, .size_bytes = item->size_bytes};
  if (!item->path)
    return file;
  size_t length = strlen(item->path);
  file.bytes = file.owned_bytes = file_read(&file.memory, item->path, &file.size_bytes, &error);
  bool has_path = strncmp(error.text, item->path, length) == 0 && strncmp(error.text + length, ": ", 2) == 0;
  error_set(&file.error, "%s", has_path ? error.text + length + 2 : error.text);
  return file;
}

static bool decode_file(const decoder_o *decoder, const file_t *file, size_t used, report_t *report) {
  error_info_t error = file->error;
  decode_job_t job = {.in = file->bytes,
                      .in_bytes = file->size_bytes,
                      .out = decoder->shared->bytes + used,
                      .out_bytes = decoder->desc.capacity_bytes - used,
                      .error = &error};
  bool ok = file->bytes && decoder->desc.decode(&job);
  memset(report, 0, sizeof *report);
  report->state = ok ? STATE_DONE : job.needs_capacity ? STATE_NEEDS_CAPACITY : STATE_REJECTED;
  report->offset = used;
  report->bytes = ok ? job.out_bytes : 0;
  snprintf(report->error, sizeof report->error, "%.*s", (int)sizeof report->error - 1, error.text);
  return ok;
}

// Reads the next files, until their total size reaches DECODER_LOAD_BYTES. Returns the number of files read.
static uint32_t load_files(const decoder_o *d, file_t *files) {
  uint32_t count = 0, remaining = d->items.count - d->report_count;
  for (size_t bytes = 0; count < remaining && bytes < DECODER_LOAD_BYTES; ++count) {
    files[count] = load_file(&d->items.items[d->report_count + count]);
    bytes += files[count].size_bytes;
  }
  return count;
}

static void run_child(void *context, int pipe) {
  const decoder_o *decoder = context;
  size_t used = 0;
  bool ok = true;
  sandbox_limit_memory(DECODER_MEMORY_MB);
  file_t *files = calloc(decoder->items.count - decoder->report_count, sizeof *files);
  if (!files)
    return;
  uint32_t count = load_files(decoder, files);
  if (decoder->desc.prepare)
    decoder->desc.prepare();
  sandbox_enter(pipe, CPU_S(decoder->desc.limit_ms) * count);
  for (uint32_t i = 0; i < count && ok; ++i) {
    report_t report;
    child_extend_timeout(decoder->desc.limit_ms);
    ok = decode_file(decoder, &files[i], used, &report);
    child_write(pipe, &report, sizeof report);
    used += align_up(report.bytes, ALIGNMENT);
    ok = ok && used < decoder->desc.capacity_bytes;
  }
  free(files); // frees only the array; the contents of the files are freed when the child exits
}

// --- parent process

static void fail_current_file(decoder_o *d, const char *error) {
  report_t *report = &d->items.items[d->report_count++].report;
  report->state = STATE_FAILED;
  snprintf(report->error, sizeof report->error, "%.*s", (int)sizeof report->error - 1, error);
}

// Decodes a file in this process. The result may fill the whole shared memory, because the next file gets new
// memory.
static void decode_in_process(decoder_o *decoder) {
  file_t file = load_file(&decoder->items.items[decoder->report_count]);
  report_t report;
  decode_file(decoder, &file, 0, &report);
  if (file.owned_bytes)
    file_free(&file.memory, file.owned_bytes, file.size_bytes);
  if (report.state == STATE_NEEDS_CAPACITY)
    fail_current_file(decoder, "the decoded data is too large: use a smaller file");
  else
    decoder->items.items[decoder->report_count++].report = report;
}

static void start_decoding(decoder_o *decoder) {
  const item_t *item = &decoder->items.items[decoder->report_count];
  release_shared(decoder);
  decoder->shared = allocate_memory(decoder->desc.capacity_bytes);
  if (!decoder->shared) {
    fail_current_file(decoder, "out of memory");
    return;
  }
  if (item->is_trusted || !child_can_fork()) {
    decode_in_process(decoder);
    return;
  }
  decoder->first = decoder->report_count;
  decoder->end = decoder->items.count;
  decoder->running = child_begin(&decoder->child, decoder->desc.limit_ms, run_child, decoder);
  decoder->started_children += decoder->running;
  if (!decoder->running)
    fail_current_file(decoder, "cannot start a decoder process: the system is out of processes or memory");
}

static void end_child(decoder_o *d) {
  child_end(&d->child);
  d->running = false;
}

static void describe_exit(const child_t *child, error_info_t *out) {
  int signal_number = 0;
  if (child->late)
    error_set(out, "decoding took more than %u ms: use a smaller file", child->limit_ms);
  else if (child_has_crashed(child, &signal_number))
    error_set(out, "the decoder crashed (signal %d): the file may be damaged", signal_number);
  else
    error_set(out, "the decoder exited with status %d: the file may be damaged", child_exit_code(child));
}

// Handles a child that exited or exceeded its limit. If the child has reported no file, the current file fails.
// Otherwise, the next child retries the current file. If the program is shutting down, all remaining files fail.
static void process_child_exit(decoder_o *decoder) {
  error_info_t error;
  end_child(decoder);
  while (decoder->child.interrupted && decoder->report_count < decoder->items.count)
    fail_current_file(decoder, "the program is shutting down");
  if (decoder->child.interrupted || decoder->report_count > decoder->first)
    return; // a remaining file is retried as the first of the next child
  describe_exit(&decoder->child, &error);
  fail_current_file(decoder, error.text);
}

static bool is_valid_report(const decoder_o *d, report_t *report) {
  report->error[sizeof report->error - 1] = '\0';
  return report->state <= STATE_NEEDS_CAPACITY && report->offset <= d->desc.capacity_bytes &&
         report->bytes <= d->desc.capacity_bytes - report->offset;
}

// Waits until the child reports a file or exits, and processes the report or the exit.
static void receive_result(decoder_o *decoder) {
  report_t report;
  if (!child_read(&decoder->child, &report, sizeof report)) {
    process_child_exit(decoder);
    return;
  }
  bool is_first = decoder->report_count == decoder->first, valid = is_valid_report(decoder, &report);
  if (!valid)
    fail_current_file(decoder, "the file is damaged");
  else if (report.state != STATE_NEEDS_CAPACITY)
    decoder->items.items[decoder->report_count++].report = report;
  else if (is_first)
    fail_current_file(decoder, "the decoded data is too large: use a smaller file");
  if (!valid || report.state != STATE_DONE || decoder->report_count == decoder->end ||
      report.offset + align_up(report.bytes, ALIGNMENT) >= decoder->desc.capacity_bytes)
    end_child(decoder);
  else
    child_reset_time_used(&decoder->child);
}

static void pop_result(decoder_o *decoder, decoder_result_t *out) {
  shoal_assert(decoder->returned_count < decoder->report_count && decoder->report_count <= decoder->items.count,
               "result %u is out of range (count %u)", decoder->returned_count, decoder->report_count);
  const item_t *item = &decoder->items.items[decoder->returned_count++];
  const report_t *report = &item->report;
  bool succeeded = report->state == STATE_DONE;
  *out = (decoder_result_t){.id = item->id, .rejected = report->state == STATE_REJECTED};
  out->out = succeeded ? decoder->shared->bytes + report->offset : NULL;
  out->out_bytes = succeeded ? (size_t)report->bytes : 0;
  if (succeeded && report->offset + report->bytes > decoder->shared->used_bytes)
    decoder->shared->used_bytes = report->offset + report->bytes;
  if (!succeeded)
    error_set(&out->error, "%s", report->error[0] ? report->error : "the file is damaged");
}

bool decoder_next_result(decoder_o *decoder, bool wait, decoder_result_t *out) {
  for (;;) {
    while (decoder->running && child_is_readable(&decoder->child))
      receive_result(decoder);
    if (decoder->returned_count < decoder->report_count) {
      pop_result(decoder, out);
      return true;
    }
    if (decoder->returned_count == decoder->items.count) {
      decoder_clear(decoder);
      return false;
    }
    if (!decoder->running)
      start_decoding(decoder);
    else if (wait)
      receive_result(decoder);
    else
      return false;
  }
}
