// Times at which changed files are read again: an editor may not have finished writing them when they are first read.
#ifndef SHOAL_HOST_FILE_RETRY_H
#define SHOAL_HOST_FILE_RETRY_H

#include <stdbool.h>

#define FILE_RETRY_WAIT_S 0.4  // seconds until the files are read again
#define FILE_RETRY_LIMIT_S 5.0 // seconds after which the result of a read is final although the files keep changing

// Zero-initialized: no files wait.
typedef struct file_retry_t {
  double due_s;   // time at which the files are read again; 0: no files wait
  double start_s; // time of the first failed read
  bool is_due;    // true if the time has come, and no file has changed since the failed read
} file_retry_t;

// Schedules the next read. Call after reading unfinished files. `is_first`: true if the failure is new.
static inline void file_retry_schedule(file_retry_t *r, double now_s, bool is_first) {
  if (r->due_s == 0 || is_first)
    r->start_s = now_s;
  r->due_s = now_s + FILE_RETRY_WAIT_S;
  r->is_due = false;
}

// Updates `is_due`. Call in each frame. `is_changing`: true if files have changed or may still be incomplete.
static inline void file_retry_poll(file_retry_t *r, double now_s, bool is_changing) {
  r->is_due = r->due_s > 0 && now_s >= r->due_s && !is_changing;
}

static inline bool file_retry_is_expired(const file_retry_t *r, double now_s) {
  return r->due_s > 0 && now_s - r->start_s > FILE_RETRY_LIMIT_S;
}

// Returns true if the result of a read at this time is final: the files need not be read again.
static inline bool file_retry_is_last(const file_retry_t *r, double now_s) {
  return r->is_due || file_retry_is_expired(r, now_s);
}

// Cancels the next read. Call after a read whose result is final.
static inline void file_retry_end(file_retry_t *r) {
  *r = (file_retry_t){0};
}

#endif
