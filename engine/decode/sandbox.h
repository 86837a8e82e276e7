// Restricts a child process that decodes untrusted files, so that a malicious file that takes it over can do no harm.
// It may compute, allocate memory up to its limit, and write to one pipe. It cannot open, read or create files, use
// inherited descriptors, start programs, create executable code or signal other processes.
//
// Resource limits and closed descriptors apply on all POSIX systems. On Linux (x86-64, arm64), a seccomp filter denies
// all other system calls with EPERM; without seccomp in the kernel, only the limits apply.
#ifndef SHOAL_DECODE_SANDBOX_H
#define SHOAL_DECODE_SANDBOX_H

#include <stdint.h>

// Limits memory to `mb` MB more than the process uses now.
void sandbox_limit_memory(uint32_t mb);

// Restricts this process permanently. `answer` is the only descriptor that stays open. The process is killed after
// `cpu_s` seconds of processor time.
void sandbox_enter(int answer, uint32_t cpu_s);

#endif
