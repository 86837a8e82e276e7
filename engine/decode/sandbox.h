// Restricts a child process that decodes untrusted files, so that one taken over by a malicious file can do no harm.
// It may compute, allocate memory within its limit, and write to one pipe. It cannot open, read or create files, use
// the descriptors that it has inherited, start programs, make code executable, or signal other processes.
//
// POSIX resource limits and closed descriptors apply everywhere; on Linux (x86-64, arm64) a seccomp filter denies all
// other system calls with EPERM. Where the kernel has no seccomp, the limits alone apply.
#ifndef SHOAL_DECODE_SANDBOX_H
#define SHOAL_DECODE_SANDBOX_H

#include <stdint.h>

// Limits memory to `mb` megabytes more than the process has now.
void sandbox_limit_memory(uint32_t mb);

// Restricts this process until its end. `answer` is the only descriptor that stays open; the process is killed after
// `cpu_s` seconds of processor time.
void sandbox_enter(int answer, uint32_t cpu_s);

#endif
