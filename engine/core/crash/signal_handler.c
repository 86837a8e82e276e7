// Crash handlers, and the selection of the thread that crashed first.
#include "crash/signal_handler.h"

#include "base/assert.h"
#include "base/now.h"
#include "base/pages.h"
#include "crash/call_stack.h"
#include "crash/report_stage.h"
#include "process/child.h"
#include "process/foreign_call.h"
#include "process/signals.h"
#include "crash/code_location.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { CATCHES_SIGNALS = false };
#else
enum { CATCHES_SIGNALS = true };
#endif

static struct {
  crash_handler_t *callback;
  bool installed;
  void *stack; // signal stack of the thread that called crash_install_handler
  _Atomic(pthread_t) first_thread;
} handler_state;

bool crash_claim_first_thread(void) {
  pthread_t first_thread = 0;
  if (atomic_compare_exchange_strong(&handler_state.first_thread, &first_thread, pthread_self()))
    return true;
  while (!pthread_equal(first_thread, pthread_self()))
    now_sleep_ns(1000 * (int64_t)NS_PER_MS);
  return false;
}

static void on_crash(int number, const void *address, const void *code) {
  crash_leave_stage();
  if (crash_claim_first_thread() && handler_state.callback)
    handler_state.callback(&(crash_signal_t){.number = number, .address = address, .code = code});
}

// Walks the stack once, so that a walk in a signal handler does not allocate: the first walk loads libgcc_s and sorts
// the tables of frames registered so far. LuaJIT looks up later tables when it registers them
// (look_up_machine_code_at_once.patch).
static void load_unwinder(void) {
  void *frame = NULL;
  call_stack_capture(&frame, 1);
}

void *crash_stack_add(void) {
  if (!CATCHES_SIGNALS || signals_has_stack())
    return NULL;
  void *stack = pages_map(SIGNALS_STACK_BYTES);
  if (stack)
    signals_use_stack(stack, SIGNALS_STACK_BYTES);
  return stack;
}

void crash_stack_remove(void *stack) {
  if (!stack)
    return;
  signals_use_stack(NULL, 0);
  pages_release(stack, SIGNALS_STACK_BYTES);
}

void crash_install_handler(crash_handler_t *callback) {
  shoal_assert(callback, "callback must not be NULL");
  handler_state.callback = callback;
  if (!CATCHES_SIGNALS || handler_state.installed)
    return;
  load_unwinder();
  crash_prepare_stages();
  handler_state.stack = crash_stack_add();
  signals_catch_faults(on_crash);
  handler_state.installed = true;
}

void crash_remove_handler(void) {
  if (!handler_state.installed)
    return;
  signals_release_faults();
  crash_stack_remove(handler_state.stack);
  handler_state.stack = NULL;
  handler_state.installed = false;
  handler_state.callback = NULL;
}

// --- crash handler of child processes

static char *crash_text; // location of the crash, in memory shared by parent and child
static size_t crash_text_bytes;

static void on_crash_in_child(int number, const void *address, const void *code) {
  code_location_t location;
  (void)number;
  if (!code_location_find_on_stack(code, &location))
    return;
  size_t length = strlen(code_location_format(&location, crash_text, crash_text_bytes));
  foreign_describe_missing_component(address, crash_text + length, crash_text_bytes - length);
}

static void prepare_child(char *out, size_t bytes) {
  shoal_assert(bytes > 0, "bytes must not be 0");
  crash_text = out;
  crash_text_bytes = bytes;
  handler_state.first_thread = 0;
  crash_stack_add(); // freed when the child exits
  signals_catch_faults_in_child(on_crash_in_child);
}

void crash_install_handler_in_children(void) {
  if (!CATCHES_SIGNALS)
    return;
  load_unwinder();
  child_set_start_callback(prepare_child);
}
