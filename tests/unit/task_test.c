// Tasks (process/task.h): they answer, crash, hang, exit, allocate too much memory or write too much.
#include "process/task.h"

#include "../slowdown.h"
#include "base/now.h"
#include "base/pages.h"
#include "base/system_note.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define MEMORY_MB 64u
#define OUTPUT_BYTES ((size_t)64 << 20)
#define INPUT_BYTES 64u

static uint32_t limit_ms(void) {
  return wall_slowdown() > 2 ? 4000 : 1500;
}

// Uses the first and the last byte of a large output.
static void reverse(const task_call_t *call) {
  const char *input = call->input;
  uint8_t *output = call->output;
  output[0] = (uint8_t)input[1];
  output[call->output_bytes - 1] = (uint8_t)input[0];
  child_write(call->pipe, "done", 4);
}

static void allocate(const task_call_t *call) {
  char has_failed = 'n';
  for (uint32_t mb = 0; mb <= MEMORY_MB; ++mb)
    if (!pages_map((size_t)1 << 20))
      has_failed = 'y';
  child_write(call->pipe, &has_failed, 1);
}

// The text of the input selects what the task does.
static void run(const task_type_t *type, const task_call_t *call) {
  const char *input = call->input;
  volatile bool is_endless = strcmp(input, "loop") == 0, writes = strcmp(input, "write") == 0;
  (void)type;
  if (strcmp(input, "crash") == 0)
    *(volatile char *)(uintptr_t)16 = 1;
  if (strcmp(input, "exit") == 0)
    child_exit(3);
  if (strcmp(input, "allocate") == 0)
    allocate(call);
  if (call->output)
    reverse(call);
  while (writes)
    child_write(call->pipe, "too much", 8);
  while (is_endless) {
  }
}

static const task_type_t task = {"test-task", run};
TEST_TASK(task)

static void begin(child_t *child, char *input, const char *text, void *output) {
  strcpy(input, text);
  assert_true(task_begin(child, &(task_desc_t){.type = &task,
                                               .input = input,
                                               .input_bytes = INPUT_BYTES,
                                               .output = output,
                                               .output_bytes = output ? OUTPUT_BYTES : 0,
                                               .limit_ms = limit_ms(),
                                               .memory_mb = MEMORY_MB}));
}

// Runs the task without output. Stores the first byte of its answer, or 0 if there is none.
static child_t run_task(const char *text, char *answer) {
  child_t child;
  char *input = pages_map_shared(INPUT_BYTES);
  assert_non_null(input);
  begin(&child, input, text, NULL);
  if (!child_read(&child, answer, 1))
    *answer = 0;
  child_end(&child);
  pages_release(input, INPUT_BYTES);
  return child;
}

TEST(task_reads_its_input_and_answers_in_shared_memory_and_through_a_pipe) {
  char *input = pages_map_shared(INPUT_BYTES), text[4] = "";
  uint8_t *output = pages_map_shared(OUTPUT_BYTES);
  child_t child;
  assert_true(input && output);
  output[OUTPUT_BYTES / 2] = 7; // a page that this process has written, which the task does not touch
  begin(&child, input, "ab", output);
  assert_true(child_read(&child, text, sizeof text));
  child_end(&child);
  assert_memory_equal(text, "done", 4);
  assert_false(child.late);
  assert_int_equal(child_exit_code(&child), 0);
  assert_int_equal(output[0], 'b');
  assert_int_equal(output[OUTPUT_BYTES - 1], 'a');
  assert_int_equal(output[OUTPUT_BYTES / 2], 7);
  assert_int_equal(output[1000], 0);
  pages_release(input, INPUT_BYTES);
  pages_release(output, OUTPUT_BYTES);
}

TEST(crash_of_a_task_is_reported_with_its_signal) {
  char answer;
  int number = 0;
  child_t child = run_task("crash", &answer);
  assert_int_equal(answer, 0);
  assert_true(child_has_crashed(&child, &number));
  assert_int_equal(number, 11);
  assert_false(child.late);
}

TEST(exit_code_of_a_task_is_reported) {
  char answer;
  int number = 0;
  child_t child = run_task("exit", &answer);
  assert_int_equal(answer, 0);
  assert_false(child_has_crashed(&child, &number));
  assert_int_equal(child_exit_code(&child), 3);
}

TEST(task_that_never_ends_is_killed_at_its_limit) {
  char answer;
  int number = 0;
  child_t child = run_task("loop", &answer);
  assert_true(child.late);
  assert_true(child_has_crashed(&child, &number));
  assert_int_equal(number, 9);
}

TEST(task_is_not_charged_for_the_cpu_time_of_this_process) {
  char answer;
  for (int64_t end_ns = now_thread_ns() + 300 * (int64_t)NS_PER_MS; now_thread_ns() < end_ns;) {
  }
  child_t child = run_task("exit", &answer);
  assert_false(child.late);
  assert_true(child.active_cpu_ns < 300 * (int64_t)NS_PER_MS);
}

TEST(task_that_writes_without_end_is_killed_at_its_limit) {
  char answer;
  child_t child = run_task("write", &answer);
  assert_int_equal(answer, 't');
  assert_true(child.late);
}

TEST(task_cannot_allocate_more_memory_than_its_limit) {
  char answer;
  if (system_note() && strstr(system_note(), "Wine"))
    skip(); // Wine 8 accepts limits of memory without applying them
  child_t child = run_task("allocate", &answer);
  assert_false(child.late);
  assert_int_equal(answer, 'y');
}

TEST(unknown_arguments_are_not_a_task) {
  static const task_type_t *const types[] = {&task, NULL};
  int code = 0;
  assert_false(task_run_command(types, 1, (const char *const[]){"shoal", NULL}, &code));
  assert_false(task_run_command(types, 2, (const char *const[]){"shoal", "run", NULL}, &code));
  assert_int_equal(code, 0);
}
