// Lets libgcc's unwinder (backtrace) run in a process whose heap is damaged, or whose crashed thread holds malloc's
// lock. On its first walk after LuaJIT has registered machine code, the unwinder sorts the new tables in memory from
// malloc; after a crash it gets memory of its own instead.
#ifndef SHOAL_CRASH_UNWINDER_H
#define SHOAL_CRASH_UNWINDER_H

// Loads the unwinder and redirects its allocations. Outside of signal handlers, once or more often.
void unwinder_prepare(void);

// From now on the unwinder allocates without malloc. In the handler of a crash.
void unwinder_use_spare(void);

#endif
