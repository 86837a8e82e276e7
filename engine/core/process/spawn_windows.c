// Starts programs with CreateProcess. Windows passes all arguments in one text, which the program splits again.
#include "process/spawn.h"

#include "base/native_file.h"
#include "process/signals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#define STREAMS 3u
#define UNITS_PER_MS 10000 // a unit of a job's limits is 100 ns

// --- arguments

// Appends an argument in quotes. The C library of Windows reads "\" literally, except before a quote.
static char *append_quoted(char *out, const char *argument) {
  size_t backslashes = 0;
  *out++ = '"';
  for (const char *c = argument; *c; ++c) {
    for (size_t i = 0; *c == '"' && i <= backslashes; ++i)
      *out++ = '\\';
    backslashes = *c == '\\' ? backslashes + 1 : 0;
    *out++ = *c;
  }
  for (size_t i = 0; i < backslashes; ++i)
    *out++ = '\\';
  *out++ = '"';
  return out;
}

// Returns the arguments as one text, which the caller must free, or NULL with errno.
static wchar_t *create_command(const char *const *arguments) {
  size_t bytes = 1;
  for (size_t i = 0; arguments[i]; ++i)
    bytes += 2 * strlen(arguments[i]) + 3;
  char *text = malloc(bytes), *end = text;
  wchar_t *wide = text ? malloc(bytes * sizeof *wide) : NULL;
  for (size_t i = 0; wide && arguments[i]; ++i) {
    if (i > 0)
      *end++ = ' ';
    end = append_quoted(end, arguments[i]);
  }
  if (wide) {
    *end = '\0';
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, (int)bytes) == 0) {
      free(wide);
      wide = NULL;
      errno = EILSEQ;
    }
  }
  free(text);
  return wide;
}

// --- handles

// Opens handles of the standard streams that a program can inherit. A stream that is closed stays closed. The value of
// INVALID_HANDLE_VALUE is also the handle of this process, so it must not be duplicated.
static void open_streams(HANDLE streams[STREAMS], bool is_silent) {
  static const DWORD names[STREAMS] = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
  SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
  HANDLE process = GetCurrentProcess();
  for (uint32_t i = 0; i < STREAMS; ++i)
    if (is_silent) {
      streams[i] = CreateFileW(L"NUL", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited,
                               OPEN_EXISTING, 0, NULL);
    } else if (GetStdHandle(names[i]) == INVALID_HANDLE_VALUE ||
               !DuplicateHandle(process, GetStdHandle(names[i]), process, &streams[i], 0, TRUE,
                                DUPLICATE_SAME_ACCESS)) {
      streams[i] = NULL;
    }
}

static void close_streams(HANDLE streams[STREAMS]) {
  for (uint32_t i = 0; i < STREAMS; ++i)
    if (streams[i] && streams[i] != INVALID_HANDLE_VALUE)
      CloseHandle(streams[i]);
}

bool spawn_create_pipe(void **read_end, void **write_end) {
  return CreatePipe(read_end, write_end, NULL, 0) || native_fail(GetLastError());
}

// --- limits

// Puts a suspended process into a job with the limits. The job lives as long as the process or, if it ends with its
// parent, as long as this process or the handle in desc->job. Returns true on success.
static bool limit_process(HANDLE process, const spawn_t *desc) {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
  if (!desc->ends_with_parent && desc->limit_ms == 0)
    return true;
  HANDLE job = CreateJobObjectW(NULL, NULL);
  limits.BasicLimitInformation.LimitFlags = (desc->ends_with_parent ? JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE : 0) |
                                            (desc->limit_ms > 0 ? JOB_OBJECT_LIMIT_PROCESS_TIME : 0);
  limits.BasicLimitInformation.PerProcessUserTimeLimit.QuadPart = (int64_t)desc->limit_ms * UNITS_PER_MS;
  bool is_limited = job && SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits) &&
                    AssignProcessToJobObject(job, process);
  if (!is_limited)
    native_fail(GetLastError());
  if (job && (!is_limited || !desc->ends_with_parent))
    CloseHandle(job);
  else if (desc->job)
    *desc->job = job;
  return is_limited;
}

// --- starting

// `inherits`: the program inherits the handles that the list in `start` contains.
static HANDLE create_process(const spawn_t *desc, wchar_t *command, STARTUPINFOEXW *start, bool inherits) {
  wchar_t path[NATIVE_PATH_MAX];
  PROCESS_INFORMATION created;
  DWORD flags = EXTENDED_STARTUPINFO_PRESENT | CREATE_SUSPENDED | (desc->is_detached ? DETACHED_PROCESS : 0);
  if (desc->path && !native_path_from_utf8(desc->path, path))
    return NULL;
  signals_mask_t mask;
  signals_block_all(&mask); // Wine copies this process, and its copy hangs if this thread is suspended meanwhile
  if (!CreateProcessW(desc->path ? path : NULL, command, NULL, NULL, inherits, flags, NULL, NULL, &start->StartupInfo,
                      &created)) {
    native_fail(GetLastError());
    signals_restore_mask(&mask);
    return NULL;
  }
  signals_restore_mask(&mask);
  bool is_limited = limit_process(created.hProcess, desc);
  if (is_limited)
    ResumeThread(created.hThread);
  else
    TerminateProcess(created.hProcess, 1);
  CloseHandle(created.hThread);
  if (!is_limited)
    native_close(created.hProcess);
  return is_limited ? created.hProcess : NULL;
}

static void set_inherited(const spawn_t *desc, DWORD flag) {
  for (uint32_t i = 0; i < SPAWN_MAX_HANDLES; ++i)
    if (desc->handles[i])
      SetHandleInformation(desc->handles[i], HANDLE_FLAG_INHERIT, flag);
}

// Lists the inherited handles, so that a program that is started by another thread does not inherit them.
void *spawn_program(const spawn_t *desc) {
  HANDLE streams[STREAMS], listed[STREAMS + SPAWN_MAX_HANDLES], process = NULL;
  DWORD count = 0;
  SIZE_T bytes = 0;
  InitializeProcThreadAttributeList(NULL, 1, 0, &bytes); // returns the size
  LPPROC_THREAD_ATTRIBUTE_LIST attributes = malloc(bytes);
  wchar_t *command = create_command(desc->arguments);
  open_streams(streams, desc->is_silent);
  for (uint32_t i = 0; i < STREAMS; ++i)
    if (streams[i] && streams[i] != INVALID_HANDLE_VALUE)
      listed[count++] = streams[i];
  for (uint32_t i = 0; i < SPAWN_MAX_HANDLES; ++i)
    if (desc->handles[i])
      listed[count++] = desc->handles[i];
  set_inherited(desc, HANDLE_FLAG_INHERIT);
  STARTUPINFOEXW start = {
      .StartupInfo = {.cb = sizeof start,
                      .dwFlags = STARTF_USESTDHANDLES,
                      .hStdInput = streams[0],
                      .hStdOutput = streams[1],
                      .hStdError = streams[2]},
      .lpAttributeList = attributes,
  };
  if (command && attributes && InitializeProcThreadAttributeList(attributes, 1, 0, &bytes)) {
    bool is_listed = count == 0 || UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, listed,
                                                             count * sizeof *listed, NULL, NULL);
    if (is_listed)
      process = create_process(desc, command, &start, count > 0);
    else
      native_fail(GetLastError());
    DeleteProcThreadAttributeList(attributes);
  } else if (command && attributes) {
    native_fail(GetLastError());
  }
  set_inherited(desc, 0);
  int failure = errno;
  close_streams(streams);
  free(command);
  free(attributes);
  errno = failure;
  return process;
}

uint32_t spawn_await_end(void *process) {
  DWORD code = 0;
  WaitForSingleObject(process, INFINITE);
  GetExitCodeProcess(process, &code);
  CloseHandle(process);
  return code;
}
