// Implements the decoder: a queue of files, the child process that decodes them, and shared memory for the results. For
// each file, the child sends a report through a pipe, with the outcome and the location of the result.
#include "decode/decoder.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/files.h"
#include "base/pages.h"
#include "process/sandbox.h"
#include "process/task.h"

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
  void *input; // files of the current child (input_t); NULL: no child is running
  size_t input_bytes;
  decoder_memory_t *shared; // memory for the results of the current child or trusted file; may be NULL
};

struct decoder_memory_t {
  uint32_t reference_count;
  uint8_t *bytes;
  size_t size_bytes, used_bytes;
};

decoder_o *decoder_create(const decoder_desc_t *desc) {
  shoal_assert(desc->type && desc->limit_ms > 0 && desc->capacity_bytes > 0,
               "a decoder must have a type, an output size and a time limit");
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

static void release_input(decoder_o *decoder) {
  pages_release(decoder->input, decoder->input_bytes);
  decoder->input = NULL;
}

void decoder_clear(decoder_o *decoder) {
  if (decoder->running)
    child_kill(&decoder->child);
  decoder->running = false;
  release_input(decoder);
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

// Input of a child: its files, in order. The contents and paths follow.
typedef struct input_file_t {
  uint64_t offset, bytes; // of the content or, with its final 0, of the path, within the input
  uint32_t is_path, unused;
} input_file_t;

typedef struct input_t {
  uint32_t count, limit_ms;
  input_file_t files[];
} input_t;

typedef struct file_t {
  const void *bytes; // content; NULL if the file cannot be read
  size_t size_bytes;
  char *owned_bytes; // buffer that was read and must be freed; NULL if `bytes` belongs to the caller
  allocator_t memory;
  error_info_t error;
} file_t;

// Reads the file at `path`. The error message does not contain the path, which the caller of the decoder adds.
static file_t read_file(const char *path) {
  error_info_t error = {0};
  file_t file = {0};
  size_t length = strlen(path);
  file.bytes = file.owned_bytes = file_read(&file.memory, path, &file.size_bytes, &error);
  bool has_path = strncmp(error.text, path, length) == 0 && strncmp(error.text + length, ": ", 2) == 0;
  error_set(&file.error, "%s", has_path ? error.text + length + 2 : error.text);
  return file;
}

// `out`: memory for the result, `out_bytes` bytes. `offset`: offset of `out` within the shared memory.
static bool decode_file(decode_t *decode, const file_t *file, uint8_t *out, size_t out_bytes, size_t offset,
                        report_t *report) {
  error_info_t error = file->error;
  decode_job_t job = {
      .in = file->bytes, .in_bytes = file->size_bytes, .out = out, .out_bytes = out_bytes, .error = &error};
  bool ok = file->bytes && decode(&job);
  memset(report, 0, sizeof *report);
  report->state = ok ? STATE_DONE : job.needs_capacity ? STATE_NEEDS_CAPACITY : STATE_REJECTED;
  report->offset = offset;
  report->bytes = ok ? job.out_bytes : 0;
  snprintf(report->error, sizeof report->error, "%.*s", (int)sizeof report->error - 1, error.text);
  return ok;
}

// Reads the next files, until their total size reaches DECODER_LOAD_BYTES. Returns the number of files read.
static uint32_t load_files(const input_t *input, file_t *files) {
  uint32_t count = 0;
  for (size_t bytes = 0; count < input->count && bytes < DECODER_LOAD_BYTES; ++count) {
    const input_file_t *in = &input->files[count];
    const char *content = (const char *)input + in->offset;
    files[count] = in->is_path ? read_file(content) : (file_t){.bytes = content, .size_bytes = (size_t)in->bytes};
    bytes += files[count].size_bytes;
  }
  return count;
}

void decoder_run_task(const task_type_t *task, const task_call_t *call) {
  const decoder_type_t *type = (const decoder_type_t *)(const void *)task;
  const input_t *input = call->input;
  size_t used = 0;
  bool ok = true;
  file_t *files = calloc(input->count, sizeof *files);
  if (!files)
    return;
  uint32_t count = load_files(input, files);
  if (type->prepare)
    type->prepare();
  sandbox_enter(call->pipe, CPU_S(input->limit_ms) * count);
  for (uint32_t i = 0; i < count && ok; ++i) {
    report_t report;
    child_extend_timeout(input->limit_ms);
    ok = decode_file(type->decode, &files[i], (uint8_t *)call->output + used, call->output_bytes - used, used, &report);
    child_write(call->pipe, &report, sizeof report);
    used += align_up(report.bytes, ALIGNMENT);
    ok = ok && used < call->output_bytes;
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
  const item_t *item = &decoder->items.items[decoder->report_count];
  file_t file = item->path ? read_file(item->path) : (file_t){.bytes = item->bytes, .size_bytes = item->size_bytes};
  report_t report;
  decode_file(decoder->desc.type->decode, &file, decoder->shared->bytes, decoder->desc.capacity_bytes, 0, &report);
  if (file.owned_bytes)
    file_free(&file.memory, file.owned_bytes, file.size_bytes);
  if (report.state == STATE_NEEDS_CAPACITY)
    fail_current_file(decoder, "the decoded data is too large: use a smaller file");
  else
    decoder->items.items[decoder->report_count++].report = report;
}

static size_t input_size(const item_t *item) {
  return item->path ? strlen(item->path) + 1 : item->size_bytes;
}

// Writes the remaining files to the input of the next child. Returns true, or false if the system is out of memory.
static bool write_input(decoder_o *decoder) {
  const item_t *items = decoder->items.items + decoder->report_count;
  uint32_t count = decoder->items.count - decoder->report_count;
  size_t offset = align_up(sizeof(input_t) + count * sizeof(input_file_t), ALIGNMENT);
  decoder->input_bytes = offset;
  for (uint32_t i = 0; i < count; ++i)
    decoder->input_bytes += align_up(input_size(&items[i]), ALIGNMENT);
  input_t *input = decoder->input = pages_map_shared(decoder->input_bytes);
  if (!input)
    return false;
  *input = (input_t){.count = count, .limit_ms = decoder->desc.limit_ms};
  for (uint32_t i = 0; i < count; ++i) {
    size_t bytes = input_size(&items[i]);
    input->files[i] = (input_file_t){.offset = offset, .bytes = bytes, .is_path = items[i].path != NULL};
    memcpy((char *)input + offset, items[i].path ? items[i].path : items[i].bytes, bytes);
    offset += align_up(bytes, ALIGNMENT);
  }
  return true;
}

static bool start_task(decoder_o *decoder) {
  task_desc_t desc = {.type = &decoder->desc.type->task,
                      .input = decoder->input,
                      .input_bytes = decoder->input_bytes,
                      .output = decoder->shared->bytes,
                      .output_bytes = decoder->shared->size_bytes,
                      .limit_ms = decoder->desc.limit_ms,
                      .memory_mb = DECODER_MEMORY_MB};
  return task_begin(&decoder->child, &desc);
}

static void start_decoding(decoder_o *decoder) {
  release_shared(decoder);
  decoder->shared = allocate_memory(decoder->desc.capacity_bytes);
  if (!decoder->shared) {
    fail_current_file(decoder, "out of memory");
    return;
  }
  if (decoder->items.items[decoder->report_count].is_trusted) {
    decode_in_process(decoder);
    return;
  }
  decoder->first = decoder->report_count;
  decoder->end = decoder->items.count;
  decoder->running = write_input(decoder) && start_task(decoder);
  decoder->started_children += decoder->running;
  if (decoder->running)
    return;
  release_input(decoder);
  fail_current_file(decoder, "cannot start a decoder process: the system is out of processes or memory");
}

static void end_child(decoder_o *d) {
  child_end(&d->child);
  d->running = false;
  release_input(d);
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
