// Kernels that run beside other systems. By the engine's Lua, through the FFI.
#ifndef SHOAL_SCRIPT_KERNEL_SYSTEM_H
#define SHOAL_SCRIPT_KERNEL_SYSTEM_H

#include "native/kernel.h"
#include "script/script.h"

// For --explain: what `system`, declared at `at`, is.
void vm_explain_kernel(vm_o *vm, const char *system, const char *at, const kernel_o *k);
// This system is its kernel alone and may run beside others. In a VM that is built anew the schedule knows already.
void vm_declare_beside(vm_o *vm, const char *system, kernel_o *k);
void vm_declare_query(vm_o *vm, const char *system, const query_o *q); // it goes over these rows

#endif
