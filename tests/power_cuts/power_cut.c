// Library for LD_PRELOAD that simulates a power cut. It keeps the former contents of everything that a process writes
// to files below CUT_FOLDER until the file is synchronized. At the write CUT_AT, it undoes a random half of the
// 512-byte sectors that are not synchronized, so that writes are lost, torn and reordered, and ends the process with
// status 137. Environment:
//   CUT_FOLDER  files in this folder are cut, except shared memory (-shm), which no disk stores
//   CUT_AT      number of the write, from 1; 0: no power cut
//   CUT_SEED    seed that determines the undone sectors
//   CUT_LIES    if set, synchronizing has no effect, as on a disk that ignores it
#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECTOR 512u
#define REAL(name) ((__typeof__(&name))find_real(#name))

// A write or truncation that is not synchronized.
typedef struct change_t {
  struct change_t *previous; // the most recent earlier change
  int file;                  // duplicate of the file's descriptor
  ino_t inode;
  off_t at, old_size; // position; size of the file before the change
  size_t size;        // bytes of `old`
  uint8_t old[];      // former contents
} change_t;

static change_t *newest;
static const char *folder;
static unsigned long cut_at, writes;
static bool disk_lies;
static uint64_t random_state;

static void *find_real(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);
  if (!function)
    abort();
  return function;
}

__attribute__((constructor)) static void read_environment(void) {
  folder = getenv("CUT_FOLDER");
  cut_at = getenv("CUT_AT") ? strtoul(getenv("CUT_AT"), NULL, 10) : 0;
  random_state = getenv("CUT_SEED") ? strtoul(getenv("CUT_SEED"), NULL, 10) : 0;
  disk_lies = getenv("CUT_LIES") != NULL;
}

static bool random_bit(void) {
  random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return random_state >> 40 & 1;
}

static bool is_in_folder(int file) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = folder ? readlink(link, path, sizeof path - 1) : -1;
  if (length < 0)
    return false;
  path[length] = '\0';
  return strncmp(path, folder, strlen(folder)) == 0 && !strstr(path, "-shm");
}

// Saves the contents that a change is about to replace.
static void keep(int file, off_t at, size_t size) {
  struct stat status;
  change_t *c = calloc(1, sizeof *c + size);
  if (!c || fstat(file, &status) != 0)
    abort();
  *c = (change_t){newest, dup(file), status.st_ino, at, status.st_size, size};
  if (size > 0 && pread(file, c->old, size, at) < 0)
    abort();
  newest = c;
}

static void undo(const change_t *c) {
  for (size_t at = 0; at < c->size; at += SECTOR) {
    size_t size = c->size - at < SECTOR ? c->size - at : SECTOR;
    if (random_bit() && REAL(pwrite64)(c->file, c->old + at, size, c->at + (off_t)at) < 0)
      abort();
  }
  struct stat status;
  if (random_bit() && fstat(c->file, &status) == 0 && status.st_size != c->old_size &&
      REAL(ftruncate64)(c->file, c->old_size) != 0)
    abort();
}

static void count_write(void) {
  if (++writes != cut_at)
    return;
  for (const change_t *c = newest; c; c = c->previous)
    undo(c);
  _exit(137);
}

// Discards the changes of a file after it was synchronized, unless CUT_LIES is set.
static void forget(int file) {
  struct stat status;
  if (disk_lies || fstat(file, &status) != 0)
    return;
  for (change_t **link = &newest; *link;) {
    change_t *c = *link;
    if (c->inode != status.st_ino) {
      link = &c->previous;
      continue;
    }
    *link = c->previous;
    close(c->file);
    free(c);
  }
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off_t at) {
  bool is_cut = is_in_folder(file);
  if (is_cut)
    keep(file, at, size);
  ssize_t written = REAL(pwrite64)(file, bytes, size, at);
  if (is_cut)
    count_write();
  return written;
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) {
  return pwrite64(file, bytes, size, at);
}

ssize_t write(int file, const void *bytes, size_t size) {
  bool is_cut = is_in_folder(file);
  if (is_cut)
    keep(file, lseek(file, 0, SEEK_CUR), size);
  ssize_t written = REAL(write)(file, bytes, size);
  if (is_cut)
    count_write();
  return written;
}

int ftruncate64(int file, off_t size) {
  struct stat status;
  if (is_in_folder(file) && fstat(file, &status) == 0)
    keep(file, size, size < status.st_size ? (size_t)(status.st_size - size) : 0);
  return REAL(ftruncate64)(file, size);
}

int ftruncate(int file, off_t size) {
  return ftruncate64(file, size);
}

int fdatasync(int file) {
  if (!is_in_folder(file))
    return REAL(fdatasync)(file);
  forget(file);
  return 0;
}

int fsync(int file) {
  if (!is_in_folder(file))
    return REAL(fsync)(file);
  forget(file);
  return 0;
}
