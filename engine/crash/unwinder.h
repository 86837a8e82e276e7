// Allows libgcc's unwinder (backtrace) to run in a process whose heap is corrupt, or whose crashed thread holds
// malloc's lock. On its first walk after LuaJIT has registered machine code, the unwinder sorts the new tables in
// memory from malloc; after a crash it uses a static buffer instead.
#ifndef SHOAL_CRASH_UNWINDER_H
#define SHOAL_CRASH_UNWINDER_H

// Loads the unwinder and redirects its allocations. Outside of signal handlers; may be called repeatedly.
void unwinder_prepare(void);

// From now on the unwinder allocates from a static buffer. Call in crash handlers.
void unwinder_use_spare(void);

#endif
