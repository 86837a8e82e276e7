// Captures stacks with the unwinding tables that Windows requires. Generated code without tables ends the stack.
#include "crash/call_stack.h"

#include "crash/report_file.h"

#include <stdio.h>
#include <windows.h>

#define PATH_UNITS 600

// Finds the program or DLL that contains `code`. Its mapping begins with its headers. GetModuleFileNameW takes locks of
// the loader; not all of them are recursive.
static const char *find_module(const void *code, char *path, size_t path_bytes) {
  wchar_t wide[PATH_UNITS];
  MEMORY_BASIC_INFORMATION mapping;
  if (VirtualQuery(code, &mapping, sizeof mapping) == 0 || mapping.Type != MEM_IMAGE)
    return NULL;
  DWORD units = GetModuleFileNameW(mapping.AllocationBase, wide, PATH_UNITS);
  if (units == 0 || units >= PATH_UNITS ||
      WideCharToMultiByte(CP_UTF8, 0, wide, -1, path, (int)path_bytes, NULL, NULL) == 0)
    return NULL;
  for (char *c = path; *c; ++c)
    if (*c == '\\')
      *c = '/';
  return mapping.AllocationBase;
}

uint32_t call_stack_capture(void **frames, uint32_t capacity) {
  return RtlCaptureStackBackTrace(0, capacity, frames, NULL);
}

void call_stack_write_frame(int file, void *frame) {
  char line[PATH_UNITS * 3 + 64], path[PATH_UNITS * 3];
  const char *module = find_module(frame, path, sizeof path);
  int length = module ? snprintf(line, sizeof line, "%s(+0x%llx) [%p]\n", path,
                                 (unsigned long long)((const char *)frame - module), frame)
                      : snprintf(line, sizeof line, "[%p]\n", frame);
  report_file_write(file, line, (size_t)length);
}

bool call_stack_find_file(const void *code, char *path, size_t path_bytes, uint64_t *offset) {
  const char *module = find_module(code, path, path_bytes);
  if (module)
    *offset = (uint64_t)((const char *)code - module);
  return module != NULL;
}
