// Calls to the file system that fail while a world store writes: each write, truncation and synchronization fails once,
// or several in sequence, as on a full disk. Committed records are never lost, and repeated commits are stored once.
#include "served_fixture.h"

#include <sqlite3.h>

FIXTURE(fixture_t, setup, teardown)

// --- a file system of SQLite that lets calls fail

static struct {
  sqlite3_vfs vfs, *real;
  sqlite3_io_methods methods;
  uint32_t calls;       // writes, truncations and synchronizations so far
  uint32_t first, last; // numbers of the calls that fail
  int code;
  uint32_t failed;
} faults;

typedef struct faulty_file_t {
  sqlite3_file base;
  sqlite3_file *real; // follows this struct
} faulty_file_t;

static sqlite3_file *get_real(sqlite3_file *file) {
  return ((faulty_file_t *)file)->real;
}

static int must_fail(int code) {
  ++faults.calls;
  if (faults.calls < faults.first || faults.calls > faults.last)
    return SQLITE_OK;
  ++faults.failed;
  return faults.code ? faults.code : code;
}

static int fault_close(sqlite3_file *file) {
  return get_real(file)->pMethods->xClose(get_real(file));
}
static int fault_read(sqlite3_file *file, void *bytes, int size, sqlite3_int64 at) {
  return get_real(file)->pMethods->xRead(get_real(file), bytes, size, at);
}
// A write that fails writes the first half of its bytes.
static int fault_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 at) {
  int code = must_fail(SQLITE_IOERR_WRITE);
  int written = get_real(file)->pMethods->xWrite(get_real(file), bytes, code == SQLITE_OK ? size : size / 2, at);
  return code == SQLITE_OK ? written : code;
}
static int fault_truncate(sqlite3_file *file, sqlite3_int64 size) {
  int code = must_fail(SQLITE_IOERR_TRUNCATE);
  return code == SQLITE_OK ? get_real(file)->pMethods->xTruncate(get_real(file), size) : code;
}
static int fault_sync(sqlite3_file *file, int flags) {
  int code = must_fail(SQLITE_IOERR_FSYNC);
  return code == SQLITE_OK ? get_real(file)->pMethods->xSync(get_real(file), flags) : code;
}
static int fault_size(sqlite3_file *file, sqlite3_int64 *size) {
  return get_real(file)->pMethods->xFileSize(get_real(file), size);
}
static int fault_lock(sqlite3_file *file, int lock) {
  return get_real(file)->pMethods->xLock(get_real(file), lock);
}
static int fault_unlock(sqlite3_file *file, int lock) {
  return get_real(file)->pMethods->xUnlock(get_real(file), lock);
}
static int fault_check(sqlite3_file *file, int *locked) {
  return get_real(file)->pMethods->xCheckReservedLock(get_real(file), locked);
}
static int fault_control(sqlite3_file *file, int operation, void *argument) {
  return get_real(file)->pMethods->xFileControl(get_real(file), operation, argument);
}
static int fault_sector(sqlite3_file *file) {
  return get_real(file)->pMethods->xSectorSize(get_real(file));
}
static int fault_properties(sqlite3_file *file) {
  return get_real(file)->pMethods->xDeviceCharacteristics(get_real(file));
}
static int fault_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **out) {
  return get_real(file)->pMethods->xShmMap(get_real(file), page, size, extend, out);
}
static int fault_shm_lock(sqlite3_file *file, int at, int count, int flags) {
  return get_real(file)->pMethods->xShmLock(get_real(file), at, count, flags);
}
static void fault_shm_barrier(sqlite3_file *file) {
  get_real(file)->pMethods->xShmBarrier(get_real(file));
}
static int fault_shm_unmap(sqlite3_file *file, int deletes) {
  return get_real(file)->pMethods->xShmUnmap(get_real(file), deletes);
}

static int fault_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags) {
  faulty_file_t *f = (faulty_file_t *)file;
  (void)vfs;
  f->real = (sqlite3_file *)(f + 1);
  int code = faults.real->xOpen(faults.real, name, f->real, flags, out_flags);
  f->base.pMethods = f->real->pMethods ? &faults.methods : NULL;
  return code;
}

static void install_faults(void) {
  faults.real = sqlite3_vfs_find("unix");
  faults.vfs = *faults.real;
  faults.vfs.zName = "faults";
  faults.vfs.szOsFile = (int)sizeof(faulty_file_t) + faults.real->szOsFile;
  faults.vfs.xOpen = fault_open;
  faults.methods = (sqlite3_io_methods){.iVersion = 2,
                                        .xClose = fault_close,
                                        .xRead = fault_read,
                                        .xWrite = fault_write,
                                        .xTruncate = fault_truncate,
                                        .xSync = fault_sync,
                                        .xFileSize = fault_size,
                                        .xLock = fault_lock,
                                        .xUnlock = fault_unlock,
                                        .xCheckReservedLock = fault_check,
                                        .xFileControl = fault_control,
                                        .xSectorSize = fault_sector,
                                        .xDeviceCharacteristics = fault_properties,
                                        .xShmMap = fault_shm_map,
                                        .xShmLock = fault_shm_lock,
                                        .xShmBarrier = fault_shm_barrier,
                                        .xShmUnmap = fault_shm_unmap};
  sqlite3_vfs_register(&faults.vfs, 1);
}

static void remove_faults(void) {
  sqlite3_vfs_register(faults.real, 1); // restores the default
  sqlite3_vfs_unregister(&faults.vfs);
}

// --- a room's life

#define COMMITS 9u
#define RECORDS 40u // records per commit

typedef struct life_t {
  uint64_t acked;     // last committed record
  uint64_t attempted; // last record whose commit was attempted
  uint32_t failures;
} life_t;

// Starts the room and commits its records with a store whose calls fail. If `gives_up` is true, ends at the first
// failure, like a process that was killed then. Otherwise, repeats what has failed.
static void live(fixture_t *f, bool gives_up, life_t *life) {
  room_claim_t claim;
  world_store_o *s = NULL;
  world_store_desc_t desc = {.path = f->path, .game = "hamlet", .engine = "engine 1", .base = 77, .busy_ms = 20};
  while (world_store_open(&desc, &s, &f->error) != STORE_DONE)
    if (++life->failures > 50 || gives_up)
      return;
  // A checkpoint every few pages, so that the database file is written, too
  store_execute_script(s, "PRAGMA wal_autocheckpoint = 4", NULL);
  store_result_t result;
  while ((result = world_store_start_room(s, f->owner, "town", &claim, &f->error)) != STORE_DONE) {
    assert_int_equal(result, STORE_FAILED);
    if (++life->failures > 50 || gives_up)
      break;
  }
  for (uint32_t i = 0; result == STORE_DONE && i < COMMITS; ++i) {
    life->attempted = claim.last + RECORDS;
    while ((result = commit_records(f, s, &claim, RECORDS, i % 3 == 0)) != STORE_DONE) {
      assert_int_equal(result, STORE_FAILED);
      if (++life->failures > 50 || gives_up)
        break;
    }
    life->acked = result == STORE_DONE ? claim.last : life->acked;
  }
  world_store_close(s);
}

// --- the outcome of a commit

// The copy of the claim simulates a COMMIT that has reached the disk although it returned an error.
TEST_IN(commit_that_took_effect_despite_its_error_is_not_repeated, fixture_t, f) {
  world_store_o *s;
  world_store_desc_t desc = {.path = f->path, .game = "hamlet", .engine = "engine 1", .base = 77, .busy_ms = 20};
  faults.first = faults.last = faults.calls = 0;
  install_faults();
  assert_done(f, world_store_open(&desc, &s, &f->error));
  room_claim_t claim = start_room(f, "town");
  assert_done(f, commit_records(f, s, &claim, 2, true));
  faults.first = faults.calls + 1;
  faults.last = UINT32_MAX;
  room_claim_t applied = claim;
  assert_result(f, commit_records(f, s, &claim, 4, false), STORE_FAILED);
  assert_true(claim.is_uncertain);
  faults.first = faults.last = 0;
  assert_done(f, commit_records(f, f->b, &applied, 4, false));
  assert_done(f, commit_records(f, s, &claim, 4, false));
  assert_false(claim.is_uncertain);
  assert_int_equal(claim.serial, applied.serial);
  assert_loads(f, f->b, "town", 2, 6);
  world_store_close(s);
  remove_faults();
}

// A transaction that has not begun has certainly not taken effect: if the serial has changed, the room is lost.
TEST_IN(commit_that_could_not_begin_is_not_uncertain, fixture_t, f) {
  room_claim_t claim = start_room(f, "town");
  assert_done(f, commit_records(f, f->a, &claim, 2, true));
  room_claim_t applied = claim;
  run_sql(f, "BEGIN IMMEDIATE");
  assert_result(f, commit_records(f, f->a, &claim, 4, false), STORE_FAILED);
  run_sql(f, "ROLLBACK");
  assert_false(claim.is_uncertain);
  assert_done(f, commit_records(f, f->b, &applied, 4, false));
  assert_result(f, commit_records(f, f->a, &claim, 4, false), STORE_LOST);
}

// --- the room's last record

// Loads the room from the intact file system. Returns the number of its last record; 0: no record.
static uint64_t load_last(fixture_t *f) {
  room_image_t image = {0};
  assert_done(f, world_store_load_room(f->b, &(room_load_desc_t){.name = "town"}, &image, &f->error));
  uint64_t last = image.last;
  if (image.has_snapshot)
    assert_image(&image, image.snapshot.number, last);
  room_image_free(&image);
  return last;
}

// Runs one life for each call, in which that call and the next `count` - 1 calls fail. Returns the number of lives in
// which a call has failed.
static uint32_t fail_each_call(fixture_t *f, int code, uint32_t count, bool gives_up) {
  uint32_t lives = 0;
  for (uint32_t first = 1; first < 1000; ++first) {
    life_t life = {0};
    uint64_t before = load_last(f);
    life.acked = life.attempted = before;
    faults.first = first;
    faults.last = first + count - 1;
    faults.code = code;
    faults.calls = faults.failed = 0;
    install_faults();
    live(f, gives_up, &life);
    remove_faults();
    uint64_t last = load_last(f);
    if (last != life.acked && (!gives_up || last != life.attempted))
      fail_msg("call %u: record %llu was committed, but %llu is the last", first, (unsigned long long)life.acked,
               (unsigned long long)last);
    if (!gives_up)
      assert_int_equal(last, before + COMMITS * RECORDS);
    if (faults.failed == 0)
      return lives;
    ++lives;
  }
  fail_msg("the calls do not end");
  return lives;
}

TEST_IN(commits_are_repeated_until_a_failing_disk_recovers, fixture_t, f) {
  assert_in_range(fail_each_call(f, 0, 1, false), 30, 999);
}

TEST_IN(commits_are_repeated_until_a_full_disk_has_space, fixture_t, f) {
  assert_in_range(fail_each_call(f, SQLITE_FULL, 4, false), 30, 999);
}

TEST_IN(committed_records_survive_a_process_that_ends_at_a_failure, fixture_t, f) {
  assert_in_range(fail_each_call(f, 0, 1, true), 30, 999);
}
