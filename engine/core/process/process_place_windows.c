// Windows counts its starts in the registry. All processes of a machine use the same ids.
#include "process/process_place.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>

#define MEMORY_KEY L"SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Memory Management\\PrefetchParameters"

// Wine does not count starts: `space` stays empty there.
void process_place_find(process_place_t *out) {
  wchar_t host[PROCESS_HOST_BYTES];
  DWORD units = PROCESS_HOST_BYTES, start = 0, bytes = sizeof start;
  *out = (process_place_t){0};
  if (!GetComputerNameExW(ComputerNameDnsHostname, host, &units) ||
      WideCharToMultiByte(CP_UTF8, 0, host, -1, out->host, sizeof out->host, NULL, NULL) == 0)
    out->host[0] = '\0';
  for (char *c = out->host; *c; ++c) // the host is a word of an entry in a file
    if (strchr(" \t", *c))
      *c = '-';
  if (RegGetValueW(HKEY_LOCAL_MACHINE, MEMORY_KEY, L"BootId", RRF_RT_REG_DWORD, NULL, &start, &bytes) == ERROR_SUCCESS)
    (void)snprintf(out->space, sizeof out->space, "start-%lu", (unsigned long)start);
}
