// Waiting for handles (process/wait.h) and wake-up objects (process/wake_up.h).
#include "process/wake_up.h"

#include "base/now.h"
#include "process/threads.h"
#include "test.h"

#include <pthread.h>

TEST(wake_up_object_stays_set_until_it_is_cleared) {
  wait_handle_t wake_up = wake_up_create();
  assert_true(wake_up != WAIT_NONE);
  assert_int_equal(wait_for(wake_up, WAIT_READ, 0), 0);
  for (int i = 0; i < 100000; ++i) // never blocks, and counts nothing
    wake_up_set(wake_up);
  assert_int_equal(wait_for(wake_up, WAIT_READ, 0), WAIT_READ);
  assert_int_equal(wait_for(wake_up, WAIT_READ, 0), WAIT_READ);
  wake_up_clear(wake_up);
  assert_int_equal(wait_for(wake_up, WAIT_READ, 0), 0);
  wake_up_clear(wake_up); // has no effect, because the object is not set
  wake_up_destroy(wake_up);
  wake_up_destroy(WAIT_NONE);
}

static void *set_later(void *context) {
  now_sleep_ns(50 * NS_PER_MS);
  wake_up_set(*(const wait_handle_t *)context);
  return NULL;
}

TEST(wake_up_object_wakes_a_waiting_thread_without_a_time_limit) {
  wait_handle_t wake_up = wake_up_create();
  pthread_t thread;
  int64_t start_ns = now_ns();
  assert_true(thread_start(&thread, set_later, &wake_up));
  assert_int_equal(wait_for(wake_up, WAIT_READ, -1), WAIT_READ);
  assert_true(now_ns() - start_ns >= 50 * NS_PER_MS);
  pthread_join(thread, NULL);
  wake_up_destroy(wake_up);
}

TEST(wait_ends_after_its_time_limit) {
  wait_handle_t wake_up = wake_up_create();
  int64_t start_ns = now_ns();
  assert_int_equal(wait_for(wake_up, WAIT_READ, 30000), 0);
  assert_true(now_ns() - start_ns >= 30 * NS_PER_MS);
  wake_up_destroy(wake_up);
}

TEST(wait_marks_exactly_the_ready_handles) {
  enum { COUNT = 200 };
  wait_t handles[COUNT];
  for (uint32_t i = 0; i < COUNT; ++i) {
    handles[i] = (wait_t){.handle = wake_up_create(), .requested = WAIT_READ, .ready = WAIT_READ};
    if (i % 7 == 3)
      wake_up_set(handles[i].handle);
  }
  assert_int_equal(wait_for_any(handles, COUNT, -1), (COUNT + 3) / 7);
  for (uint32_t i = 0; i < COUNT; ++i) {
    assert_int_equal(handles[i].ready, i % 7 == 3 ? WAIT_READ : 0);
    wake_up_clear(handles[i].handle);
  }
  assert_int_equal(wait_for_any(handles, COUNT, 0), 0);
  for (uint32_t i = 0; i < COUNT; ++i) {
    assert_int_equal(handles[i].ready, 0);
    wake_up_destroy(handles[i].handle);
  }
}

TEST(closed_handle_is_reported_as_a_failure) {
  wait_handle_t wake_up = wake_up_create();
  wake_up_destroy(wake_up);
  assert_int_equal(wait_for(wake_up, WAIT_READ, 0), WAIT_FAILURE);
}
