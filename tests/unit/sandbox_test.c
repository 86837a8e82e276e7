// Decoders that crash, never finish, allocate too much, try to leave the sandbox or report wrong sizes:
// process/sandbox.h, decode/decoder.h.
// slow: takes seconds under the sanitizers
#include "decode/decoder.h"

#include "../slowdown.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

// Returns the time limit of a child, in milliseconds. A decoder that never finishes uses all of it. On a busy machine,
// a child may not be scheduled for several hundred milliseconds.
static uint32_t limit_ms(void) {
  return wall_slowdown() > 2 ? 4000 : 1500;
}

static bool reverse(decode_job_t *job) {
  const uint8_t *in = job->in;
  for (size_t i = 0; i < job->in_bytes; ++i)
    job->out[i] = in[job->in_bytes - 1 - i];
  job->out_bytes = job->in_bytes;
  return true;
}

static bool reject_input(decode_job_t *job) {
  return error_set(job->error, "it is upside down");
}

static bool crash(decode_job_t *job) {
  (void)job;
  raise(SIGKILL);
  return true;
}

static bool loop_forever(decode_job_t *job) {
  volatile bool on = job != NULL;
  while (on) {
  }
  return true;
}

static bool exit_early(decode_job_t *job) {
  (void)job;
  _exit(3);
}

static bool report_wrong_size(decode_job_t *job) {
  ++job->out_bytes;
  return true;
}

// Overruns its buffer, as the JPEG decoder of stb_image 2.27 does for a Huffman table with too many codes.
static bool overrun_buffer(decode_job_t *job) {
  volatile uint8_t *at = job->out;
  for (size_t i = 0; job->in; i += 4096)
    at[i] = 1;
  return true;
}

static bool allocate_too_much(decode_job_t *job) {
  size_t bytes = ((size_t)DECODER_MEMORY_MB << 20) + 1;
  error_set(job->error, "there is no memory");
  return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED;
}

static bool decode_with(decode_t *decode, decode_prepare_t *prepare, error_info_t *error) {
  const decoder_type_t type = {DECODER_TASK("test"), .decode = decode, .prepare = prepare};
  decoder_o *d = decoder_create(&(decoder_desc_t){.type = &type, .capacity_bytes = 16, .limit_ms = limit_ms()});
  decoder_result_t result;
  decoder_add_file_bytes(d, 0, "abc", 3, false);
  assert_true(decoder_next_result(d, true, &result));
  bool good = result.out && result.out_bytes == 3 && memcmp(result.out, "cba", 3) == 0;
  *error = result.error;
  decoder_destroy(d);
  return good;
}

TEST(decoder_reports_rejection_crash_timeout_exit_and_wrong_size) {
  char late[64];
  snprintf(late, sizeof late, "took more than %u ms", limit_ms());
  const struct {
    decode_t *decode;
    const char *words;
  } all[] = {{reject_input, "it is upside down"},  {crash, "crashed (signal 9)"},
             {overrun_buffer, "the decoder "},     {loop_forever, late},
             {exit_early, "exited with status 3"}, {report_wrong_size, "the file is damaged"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    error_info_t error = {0};
    assert_false(decode_with(all[i].decode, NULL, &error));
    if (!strstr(error.text, all[i].words))
      fail_msg("it says “%s”, not “%s”", error.text, all[i].words);
  }
}

// Returns true if memory limits take effect. An emulator accepts them without applying them, since they would limit the
// emulator itself.
static bool system_limits_memory(void) {
  struct rlimit before, after = {0};
  if (getrlimit(RLIMIT_AS, &before) != 0)
    return false;
  rlim_t wanted = (rlim_t)1 << 46 < before.rlim_max ? (rlim_t)1 << 46 : before.rlim_max;
  return setrlimit(RLIMIT_AS, &(struct rlimit){wanted, before.rlim_max}) == 0 && getrlimit(RLIMIT_AS, &after) == 0 &&
         setrlimit(RLIMIT_AS, &before) == 0 && after.rlim_cur == wanted;
}

TEST(decoder_fails_when_it_exceeds_its_memory_limit) {
  if (!system_limits_memory())
    skip();
  error_info_t error = {0};
  assert_false(decode_with(allocate_too_much, NULL, &error));
  assert_non_null(strstr(error.text, "there is no memory"));
}

// --- the sandbox

static int inherited[2]; // a pipe of the parent process

static bool try_to_escape(decode_job_t *job) {
  if (write(inherited[1], "x", 1) >= 0)
    return error_set(job->error, "it wrote to a descriptor of its parent");
  if (open("/dev/null", O_RDONLY) >= 0)
    return error_set(job->error, "it opened a file");
  if (socket(AF_UNIX, SOCK_STREAM, 0) >= 0)
    return error_set(job->error, "it opened a socket");
  return reverse(job);
}

TEST(sandbox_denies_inherited_and_new_descriptors) {
  error_info_t error = {0};
  assert_int_equal(pipe(inherited), 0);
  if (!decode_with(try_to_escape, NULL, &error))
    fail_msg("%s", error.text);
  close(inherited[0]);
  close(inherited[1]);
}

static pid_t parent;

static bool try_system_calls(decode_job_t *job) {
  if (kill(parent, 0) == 0)
    return error_set(job->error, "it signals its parent");
  if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
    return error_set(job->error, "it mapped executable memory");
  if (getppid() == parent)
    return error_set(job->error, "it learned its parent's number");
  return reverse(job);
}

// Returns true if the system supports seccomp. An emulator of a different processor does not.
static bool system_filters_calls(void) {
  return prctl(PR_GET_SECCOMP) >= 0 && access("/proc/sys/kernel/seccomp/actions_avail", R_OK) == 0;
}

TEST(sandbox_denies_unlisted_system_calls) {
  if (!system_filters_calls())
    skip();
  error_info_t error = {0};
  parent = getpid();
  if (!decode_with(try_system_calls, NULL, &error))
    fail_msg("%s", error.text);
}

static bool is_prepared;

static void open_file_before_sandbox(void) {
  int file = open("/dev/null", O_RDONLY);
  is_prepared = file >= 0;
}

static bool reverse_if_prepared(decode_job_t *job) {
  return is_prepared ? reverse(job) : error_set(job->error, "it is not prepared");
}

TEST(decoder_is_prepared_before_it_enters_the_sandbox) {
  error_info_t error = {0};
  assert_true(decode_with(reverse_if_prepared, open_file_before_sandbox, &error));
  assert_false(is_prepared);
}
