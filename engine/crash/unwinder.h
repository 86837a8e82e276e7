// Allows libgcc's unwinder (backtrace) to run in a process whose heap is corrupt, or whose crashed thread holds
// malloc's lock. On its first walk after LuaJIT has registered machine code, the unwinder sorts the new tables in
// memory allocated with malloc; after a crash it uses a static buffer instead.
#ifndef SHOAL_CRASH_UNWINDER_H
#define SHOAL_CRASH_UNWINDER_H

// Loads the unwinder and redirects its allocations. Must not be called in signal handlers; may be called repeatedly.
void unwinder_prepare(void);

// Makes the unwinder allocate from a static buffer from now on. Call in crash handlers.
void unwinder_use_spare_memory(void);

#endif
