// A forked copy of this process that does what may crash or never end, and says through a pipe how it went. Nothing of
// this process changes. The copy is quiet: no output, no core, no report of a crash.
//
// It has a limit of processor time, which is the same on a busy machine. One that uses less than a hundredth of it in
// as many milliseconds waits for what will never come, and after CHILD_WALL_TIMES as many it is late in any case.
//
// In the copy there is one thread, and locks that others held stay held: it must not enter a library whose own threads
// are not there (a plugin that runs some), and the jobs of the host are told by jobs_after_fork. Main thread.
#ifndef SHOAL_PROCESS_CHILD_H
#define SHOAL_PROCESS_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHILD_WALL_TIMES 6u
#define CHILD_WORDS 512u

typedef struct child_t {
  int process, pipe; // read
  uint32_t limit_ms;
  int64_t began_ms;
  int64_t before_ns;          // processor time that counts no more: child_renew
  int64_t spent_ns, moved_ms; // processor time that was seen last, and when it was seen to grow
  bool late;                  // it did not come to its end in time
  bool interrupted;           // the program was asked to end meanwhile
  int status;                 // as waitpid gives it, after child_end
  char *words;                // memory that both processes see; NULL where nobody prepares copies
  char where[CHILD_WORDS];    // after child_end: what was left there; "" for nothing
} child_t;

// What a copy does before all else: `words` is empty, has `bytes` room, and may be written until the copy ends, also in
// the handler of a signal. NULL: nothing.
void child_prepare(void (*prepare)(char *words, size_t bytes));

// Calls act(context, to) in the copy, which exits with 0 when it returns. False where there is no fork, or the system
// refuses one.
bool child_begin(child_t *c, uint32_t limit_ms, void (*act)(void *context, int to), void *context);
// In the copy: it ends when nothing reads what it says.
void child_say(int to, const void *message, size_t bytes);
// The next message, all of its bytes. False when there is none: the other end is closed, time is up, or the program
// is to end.
bool child_hear(child_t *c, void *message, size_t bytes);
// Looks without waiting: has it something to say, or is it gone, or late?
bool child_has_news(child_t *c);
// Its limit counts from now on: it does several things in a row, each of which may take that long. The copy says the
// same of its own end, should this process be gone, with child_go_on.
void child_renew(child_t *c);
void child_go_on(uint32_t limit_ms);
// Waits for its end; one that is late is killed.
void child_end(child_t *c);
void child_kill(child_t *c); // at once; in the place of child_end

// Starts the program words[0] (looked for along PATH) with these words, the last of which is NULL, as nobody's child:
// this process does not wait for it, and its streams lead nowhere. False when the system starts none now; whether
// there is such a program is not known.
bool child_launch(const char *const *words);
// A plain copy of the process, for one that crashes: 0 in it, its number here, below 0 when there is none. No handlers
// of fork are called, which take locks that whoever crashed may hold.
int child_copy(void);
// Of such a copy. Has it ended? Then with this code, or -1 when it crashed.
bool child_copy_ended(int copy, int *exit_code);
void child_copy_kill(int copy);

bool child_crashed(const child_t *c, int *signal); // by which signal
int child_exit_code(const child_t *c);             // of one that has not crashed

#endif
