// Locks of a world's processes, whose holders may run on a different machine or in a different container.
#include "room/world_lock.h"

#include "process/child.h"
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct fixture_t {
  char folder[64], path[80], lock_path[96];
  int file, holder; // descriptor of this process, and id of the process that holds a lock; 0: none
} fixture_t;

SETUP(fixture_t, f) {
  (void)snprintf(f->folder, sizeof f->folder, "/tmp/world_lock_XXXXXX");
  assert_non_null(mkdtemp(f->folder));
  (void)snprintf(f->path, sizeof f->path, "%s/world", f->folder);
  (void)snprintf(f->lock_path, sizeof f->lock_path, "%s.lock", f->path);
  f->file = world_lock_open(f->path, NULL);
  assert_true(f->file >= 0);
}

static void end_holder(fixture_t *f) {
  if (f->holder > 0) {
    process_kill(f->holder);
    waitpid(f->holder, NULL, 0);
  }
  f->holder = 0;
}

TEARDOWN(fixture_t, f) {
  end_holder(f);
  world_lock_close(f->file);
  unlink(f->lock_path);
  rmdir(f->folder);
}

// Starts a process that holds the lock until it is killed.
static void hold(fixture_t *f, int64_t lock) {
  int ends[2];
  char byte;
  assert_int_equal(pipe(ends), 0);
  f->holder = fork();
  if (f->holder == 0) {
    int file = world_lock_open(f->path, NULL);
    bool ok = file >= 0 && world_lock_take(file, lock) && write(ends[1], "x", 1) == 1;
    while (ok)
      pause();
    _exit(1);
  }
  close(ends[1]);
  assert_int_equal(read(ends[0], &byte, 1), 1);
  close(ends[0]);
}

// Overwrites the start of `text` in the holder's stored entry with `with`, which must not be longer.
static void change_entry(fixture_t *f, int64_t lock, const char *text, const char *with) {
  char entry[257] = "";
  off_t at = lock < WORLD_LOCK_PORT(0) ? (off_t)lock * 256 : 0;
  assert_int_equal(pread(f->file, entry, 256, at), 256);
  char *found = strstr(entry, text);
  assert_non_null(found);
  memcpy(found, with, strlen(with));
  assert_int_equal(pwrite(f->file, entry, 256, at), 256);
}

static const char *describe(fixture_t *f, int64_t lock, world_lock_holder_t *out) {
  static char text[WORLD_LOCK_HOLDER_BYTES];
  assert_true(world_lock_find_holder(f->file, lock, out));
  return world_lock_describe(out, text);
}

TEST_IN(holder_at_the_same_place_is_found_until_it_ends, fixture_t, f) {
  const int64_t locks[] = {WORLD_LOCK_ROOM(3), WORLD_LOCK_PORT(7777)};
  for (uint32_t i = 0; i < 2; ++i) {
    world_lock_holder_t holder;
    char expected[WORLD_LOCK_HOLDER_BYTES];
    assert_false(world_lock_find_holder(f->file, locks[i], &holder));
    hold(f, locks[i]);
    (void)snprintf(expected, sizeof expected, "process %d", f->holder);
    assert_string_equal(describe(f, locks[i], &holder), expected);
    assert_true(holder.is_here);
    assert_int_equal(holder.process, f->holder);
    assert_false(world_lock_take(f->file, locks[i]));
    end_holder(f);
    assert_false(world_lock_find_holder(f->file, locks[i], &holder));
    assert_true(world_lock_take(f->file, locks[i]));
  }
}

TEST_IN(holder_on_a_different_machine_or_in_a_different_container_is_not_here, fixture_t, f) {
  world_lock_holder_t holder;
  process_place_t own;
  int64_t lock = WORLD_LOCK_ROOM(1);
  char expected[WORLD_LOCK_HOLDER_BYTES + PROCESS_HOST_BYTES], host[PROCESS_HOST_BYTES + 8];
  process_place_find(&own);
  assert_true(own.space[0] && own.host[0]);
  hold(f, lock);
  change_entry(f, lock, own.space, "0"); // the boot id begins with a different digit
  change_entry(f, lock, "space 0", "space x");
  (void)snprintf(expected, sizeof expected, "process %d on host %s, in a different container", f->holder, own.host);
  assert_string_equal(describe(f, lock, &holder), expected);
  assert_false(holder.is_here);
  (void)snprintf(host, sizeof host, "host %s", own.host);
  change_entry(f, lock, host, "host ~");
  (void)snprintf(expected, sizeof expected, "process %d on host ~%s", f->holder, own.host + 1);
  assert_string_equal(describe(f, lock, &holder), expected);
  assert_false(holder.is_here);
}

TEST_IN(holder_without_a_valid_entry_is_unknown, fixture_t, f) {
  world_lock_holder_t holder;
  hold(f, WORLD_LOCK_PORT(7777));
  change_entry(f, WORLD_LOCK_PORT(0), "lock ", "Lock ");
  assert_string_equal(describe(f, WORLD_LOCK_PORT(7777), &holder), "an unknown process");
  assert_false(holder.is_here);
  end_holder(f);
  hold(f, WORLD_LOCK_ROOM(5)); // the entry still names the former process of the room
  change_entry(f, WORLD_LOCK_ROOM(5), "process ", "process 0");
  assert_string_equal(describe(f, WORLD_LOCK_ROOM(5), &holder), "an unknown process");
  assert_false(holder.is_here);
}
